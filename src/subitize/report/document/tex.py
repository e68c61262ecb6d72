"""Text as pdflatex sets it, whatever characters are in it."""

import tomllib
import unicodedata
from pathlib import Path

_CHARACTERS: dict[str, str] = tomllib.loads(Path(__file__).with_name("tex.toml").read_text(encoding="utf-8"))
# Combining marks from U+0300 on, and the commands that put them on a letter in every font encoding.
_ACCENTS = dict(
    zip("\u0300\u0301\u0302\u0303\u0304\u0306\u0307\u0308\u030a\u030b\u030c\u0327", "`'^~=u.\"rHvc", strict=True)
)


def to_tex(text: str) -> str:
    """Escape what means something to TeX, and spell what it does not know."""
    return "".join(_spell(char) for char in unicodedata.normalize("NFC", text))


def _spell(char: str) -> str:
    """Write a character so that pdflatex knows it; one that it cannot set is named by its code point."""
    if char in _CHARACTERS:
        return _CHARACTERS[char]
    if " " <= char <= "~" or "\xa1" <= char <= "\xff":
        return char
    parts = unicodedata.normalize("NFD", char)
    if len(parts) == 2 and parts[0].isascii() and parts[1] in _ACCENTS:
        return f"\\{_ACCENTS[parts[1]]}{{{parts[0]}}}"
    return rf"\texttt{{U+{ord(char):04X}}}"
