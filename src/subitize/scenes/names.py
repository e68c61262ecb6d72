"""Nouns as people are asked about them, where the short name of a drawing would sound odd."""

from subitize.numerals import plural

_SPOKEN = {"loaf": "loaf of bread", "rice grain": "grain of rice"}


def spoken(noun: str, colour: str | None = None) -> str:
    """The noun in the singular, after its colour."""
    name = _SPOKEN.get(noun, noun)
    return f"{colour} {name}" if colour else name


def spoken_plural(noun: str, colour: str | None = None) -> str:
    """The noun in the plural, after its colour."""
    return plural(spoken(noun, colour))
