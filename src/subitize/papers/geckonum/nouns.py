"""A user's own nouns, one per line, each with whether it is a frequent or a rare word."""

import math
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path

from subitize.errors import BadFileError, MissingPartError
from subitize.io.files import read_records
from subitize.papers.geckonum.vocabulary import OFFICIAL, ZIPF

LEAST_NOUNS = len(OFFICIAL.nouns)
# On the Zipf scale of wordfreq: GeckoNum's frequent nouns are at 3.86 (ant) and above, its rare ones at 3.70 (cinnamon)
# and below, of two words the first one looked up, as its authors did.
_FREQUENT_FROM = 3.78
_FREQUENCIES = {"frequent": True, "rare": False}


def read_nouns(path: Path) -> dict[str, bool]:
    """Read nouns in the singular; a second column says frequent or rare, else wordfreq is asked."""
    nouns: dict[str, bool] = {}
    for line, fields in read_records(path):
        noun, frequency = _fields(path, line, [field.strip() for field in fields])
        if noun in nouns:
            raise BadFileError(f"{path.name} line {line}: {noun!r} stands there twice; once is enough")
        if noun in OFFICIAL.nouns:
            raise BadFileError(f"{path.name} line {line}: {noun!r} is one of GeckoNum's own nouns; take another")
        nouns[noun] = _FREQUENCIES[frequency] if frequency else is_frequent(noun)
    if len(nouns) < LEAST_NOUNS:
        raise BadFileError(f"{path.name}: {len(nouns)} nouns; a set of GeckoNum's size needs {LEAST_NOUNS} or more")
    return nouns


def is_frequent(noun: str) -> bool:
    """Whether wordfreq has the noun among the frequent ones, as GeckoNum parts them."""
    zipf = look_up([noun])
    if zipf is None:
        raise MissingPartError("a list of nouns without frequencies", "wordfreq", "corpus")
    return zipf[noun] >= _FREQUENT_FROM


def look_up(nouns: Iterable[str]) -> dict[str, float] | None:
    """Look up how frequent nouns are, on the Zipf scale; None where others than the official ones need wordfreq.

    Of two words the first is looked up, as the paper does.
    """
    found = {noun: ZIPF.get(noun, math.nan) for noun in nouns}
    others = [noun for noun, zipf in found.items() if math.isnan(zipf)]
    if not others:
        return found
    try:
        wordfreq = import_module("wordfreq")
    except ImportError:
        return None
    return found | {noun: float(wordfreq.zipf_frequency(noun.split()[0], "en")) for noun in others}


def _fields(path: Path, line: int, fields: list[str]) -> tuple[str, str]:
    noun, frequency = (*fields, "")[:2]
    if not noun or not all(part.isalpha() and part.islower() for part in noun.split()) or len(fields) > 2:
        raise BadFileError(f"{path.name} line {line}: {','.join(fields)!r}: should be a noun in small letters")
    if frequency and frequency not in _FREQUENCIES:
        raise BadFileError(f"{path.name} line {line}: {frequency!r}: should be frequent or rare, or be left out")
    return noun, frequency
