"""The texts that a prompt wants to see written: those it puts in quotes."""

import re

# A straight quote after a letter or a digit opens nothing: the dogs' bowl, a 5" pipe.
_QUOTED = re.compile(
    r"""
    (?<!\w) " (?P<straight>[^"\n]+) "
  | [“„‟] (?P<curly>[^“”„‟\n]+) [”“]
  | « \s* (?P<angled>[^«»\n]+?) \s* »
  | (?<!\w) ['‘] (?=\S) (?P<single>[^\n]+?) (?<=\S) ['’] (?!\w)
    """,
    re.VERBOSE,
)


def quoted_texts(prompt: str) -> tuple[str, ...]:
    """List the quoted texts in their order, without their quotes."""
    found = (match[match.lastgroup or 0].strip() for match in _QUOTED.finditer(prompt))
    return tuple(text for text in found if text)
