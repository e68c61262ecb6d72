"""What captions count, and the questions for it."""

import re

from subitize.numerals import in_words, plural
from subitize.records import Ask
from subitize.scenes.counting import find_first_things, make_count
from subitize.vision.colours import COLOUR_NAMES


def find_captioned(caption: str, number: int) -> str | None:
    """Find of what a caption says that there are so many, in the plural."""
    said = re.search(rf"\b(?:{number}|{in_words(number)})\b(?!-)(.*)", caption, re.IGNORECASE | re.DOTALL)
    return find_first_things(said[1]) if said else None


def ask_for(things: str) -> str:
    """Word the question for things in the plural."""
    return f"How many {things} are there in the image?"


def ask_count(thing: str, number: int) -> Ask:
    """Ask how many there are in a drawing."""
    count = make_count(thing, COLOUR_NAMES)
    things = plural(f"{count.colour} {count.noun}" if count.colour else count.noun)
    return Ask(count, f"How many {things} are in the image?", (number,))
