"""How often the numerosity of a caption is found right, on captions whose right answer is known."""

from dataclasses import dataclass
from pathlib import Path

from subitize.corpus.numerosities import Rule
from subitize.corpus.windows import Warn, make_finder
from subitize.errors import NothingToDoError
from subitize.io.files import read_lines
from subitize.records import Estimate
from subitize.stats.estimate import wilson_interval


@dataclass(frozen=True, slots=True)
class Miss:
    """A caption whose sum of numerosities is another; 0 stands for none."""

    caption: str
    expected: int
    found: int


@dataclass(frozen=True, slots=True)
class Checked:
    """The share that is right, and what is not."""

    accuracy: Estimate
    misses: tuple[Miss, ...]


def check_captions(path: Path, rule: Rule, warn: Warn) -> Checked:
    """Read captions with the sum of their numerosities (empty: none) and compare."""
    expected = []
    for line in read_lines(path, [["caption"], ["numerosity"]], "caption,numerosity"):
        text = line.get("numerosity")
        if text and not text.isdecimal():
            raise line.error(f"numerosity {text!r} should be digits, or empty for none")
        expected.append((line.get("caption"), int(text or 0)))
    if not expected:
        raise NothingToDoError(f"{path.name} has no captions")
    found = make_finder(rule, warn).find([caption for caption, _ in expected])
    sums = [sum(one.number for one in own) for own in found]
    misses = [Miss(*given, own) for given, own in zip(expected, sums, strict=True) if given[1] != own]
    return Checked(wilson_interval(len(expected) - len(misses), len(expected)), tuple(misses))
