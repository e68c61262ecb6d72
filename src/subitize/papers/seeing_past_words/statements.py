"""Questions and their numbers as statements, whole or with a gap for the number."""

from functools import lru_cache
from typing import Literal, NamedTuple

from subitize.errors import BadValueError, UnknownNameError
from subitize.networks.joint import GAP
from subitize.papers.seeing_past_words.corrected import fill_correctly
from subitize.papers.seeing_past_words.faithful import fill_faithfully
from subitize.papers.seeing_past_words.probes import LARGEST

Mode = Literal["faithful", "corrected"]
_WRITERS = {"faithful": fill_faithfully, "corrected": fill_correctly}
MODES: tuple[Mode, ...] = ("faithful", "corrected")
_NUMBER = "\0"  # no question has it


class Masked(NamedTuple):
    """A statement with a gap: in words that go with any number of things, and in those of the right answer."""

    neutral: str
    faithful: str


def statement(question: str, number: int, mode: Mode = "faithful") -> str | None:
    """Write a how-many question and a number as a statement; None where no template fits.

    `faithful` writes what the authors' templates do, slips included, `corrected` grammatical English.
    """
    if type(number) is not int or not 0 <= number <= LARGEST:
        raise BadValueError(f"number {number!r}: should be a whole number from 0 to {LARGEST}")
    found = _find_template(question, mode, number == 1)
    return found and f"{found[0]}{number}{found[1]}"


def mask(question: str, answer: int, mode: Mode) -> Masked:
    """Write a question as a statement with a gap, or as nothing where no template fits.

    The grammar of the right answer gives one away: "There is [GAP] car" (of 634 statements with the answer 1 in the
    released validation data, 614 begin so, and no others).
    """
    both = (_find_template(question, mode, is_one) for is_one in (False, answer == 1))
    return Masked(*(GAP.join(found) if found else "" for found in both))


@lru_cache(maxsize=256)  # a question is put with its answer, with its foils, and with a gap
def _find_template(question: str, mode: Mode, is_one: bool) -> tuple[str, str] | None:
    """Find what stands before and after the number."""
    if mode not in _WRITERS:
        raise UnknownNameError("mode", mode, MODES)
    found = _WRITERS[mode](question, _NUMBER, is_one=is_one)
    if found is None:
        return None
    before, _, after = found.partition(_NUMBER)
    return before, after
