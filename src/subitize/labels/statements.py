"""Statements of number ("there are three cats"), written and read."""

import re
from dataclasses import dataclass

from subitize.language import final, mentions, nouns
from subitize.language.tokens import word_set


@dataclass(frozen=True, slots=True)
class Statement:
    """That there are so many of something: a number, or None for some."""

    noun: str
    number: int | None

    def holds(self, count: int) -> bool:
        """Tell whether it is so where so many are seen."""
        return count >= 1 if self.number is None else count == self.number


_STATEMENT = re.compile(r"there (?:is|are) (?P<number>some|no|an?|\d{1,6}|[a-z-]+) (?P<things>[a-z][a-z -]*)")
# What the name of one kind of thing does not have: with these a statement is of two kinds, of parts, or of a place.
# "of" may be within a name: "loaves of bread".
_SAYS_MORE = word_set(
    "a about above across after against all along also among an and another any are around as at before behind below"
    " beneath beside between both but by each either every except facing fewer for from half halves has have her his"
    " in inside into is its left less like many more most near neither next no nor not on only onto or other others"
    " out outside over piece pieces quarter quarters right same some than that the their there these third thirds this"
    " those through to touching toward towards under upon was were what where which while who whose whole with within"
    " without"
)
# "dogs chasing cats", but "swimming pools"
_DOING = re.compile(r"\b[a-z]+[a-rt-z]s [a-z]+ing\b")


def read_statement(text: str) -> Statement | None:
    """Read "there are some apples", "there are no seeds", "there is 1 cat"; None for what says more or else."""
    found = _STATEMENT.fullmatch(text.strip().lower().removesuffix("."))
    if found is None or _says_more(found["things"]):
        return None
    noun = nouns.singular(found["things"])
    if found["number"] in ("some", "no"):
        return Statement(noun, None if found["number"] == "some" else 0)
    number = final.read_number(found["number"], "strict")
    whole = None if isinstance(number, mentions.NoValue) or number != int(number) else int(number)
    return None if whole is None else Statement(noun, whole)


def _says_more(things: str) -> bool:
    has_number = any(not isinstance(final.read_number(word, "strict"), mentions.NoValue) for word in things.split())
    says_more = not _SAYS_MORE.isdisjoint(re.split("[ -]", things))
    return has_number or says_more or _DOING.search(things) is not None
