"""When two texts are one prompt: to the letter, but for how they are set, but for what file names cannot hold."""

import re
import unicodedata

_FORBIDDEN = re.compile(r'[<>:"/\\|?*\x00-\x1f]')
_BETWEEN_DIGITS = re.compile(r'(?<=\d)[<>:"/\\|?*\x00-\x1f](?=\d)')


def plain(text: str) -> str:
    """Leave out case, kinds of spaces, and punctuation at the end; ² stays what it is, and becomes no number."""
    spaced = " ".join(unicodedata.normalize("NFC", text).casefold().split())
    return spaced.rstrip(" .,;:!?…")


def plain_of_name(text: str) -> str:
    """Leave out the same of a text that was made a file name; _ stands for a space."""
    return plain(text.replace("_", " "))


def plain_names(text: str) -> set[str]:
    """List what a text may have become as a file name: what is not allowed there is replaced, or left out.

    Nothing is left out between digits: 1/2 must never become 12.
    """
    told_apart = _BETWEEN_DIGITS.sub(" ", text)
    return {plain_of_name(_FORBIDDEN.sub("-", text))} | {
        plain_of_name(_FORBIDDEN.sub(instead, told_apart)) for instead in ("", " ")
    }
