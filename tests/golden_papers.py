"""What the papers' suites, releases and tables come to, and what corpora are counted to."""

from golden_texts import Golden

GOLDENS: dict[str, Golden] = {}
