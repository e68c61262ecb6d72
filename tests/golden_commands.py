"""What commands print and write: `--json` of each, and the files of exports and imports."""

from golden_texts import Golden

GOLDENS: dict[str, Golden] = {}
