"""A suite whose prompts are refined: the same items, asks and order, in other words."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Protocol, runtime_checkable

from subitize.errors import BadValueError, SubitizeError
from subitize.interfaces import Suite, Tried
from subitize.records import REFINED, Draw, Item, Scalar
from subitize.suites.refining.phrases import Counted, find_counted

LONGEST_PROMPT = 20_000
"""In characters: the most that a refinement may say."""


class Refinement(Protocol):
    """Says the same in other words."""

    def __call__(self, counted: Counted, /) -> str | None:
        """Give the refined prompt, or None where the refinement does not apply."""
        ...


@runtime_checkable
class Sourced(Protocol):
    """A refinement whose prompts come from elsewhere: what of that is kept with the suite, and with each item."""

    source: Mapping[str, str]

    def check(self, items: Collection[str]) -> None:
        """Refuse a suite that it has nothing for."""
        ...

    def factors(self, item: str) -> Mapping[str, Scalar]:
        """What is kept with the refined form of an item."""
        ...


class Refined:
    """A suite whose prompts a refinement has put in other words; what cannot be refined is left out.

    Where the refinement does not apply the prompt stays as it was, and the factor `is_refined` says so.
    """

    def __init__(self, base: Suite, name: str, refinement: Refinement) -> None:
        self.title, self.judge = base.title, base.judge
        self.repeats, self.max_attempts = base.repeats, base.max_attempts
        self._base, self._name, self._refinement = base, name, refinement
        if next(find_refinable(base.items(0)), None) is None:
            raise BadValueError(_why_not(next(iter(base.items(0)))))
        if isinstance(refinement, Sourced):
            refinement.check({item.id for item in base.items(0)})

    def items(self, seed: int) -> Iterator[Item]:
        """Refine the items in the order of the base, so that any beginning pairs with a beginning of it."""
        return (self._refine(item, counted) for item, counted in find_refinable(self._base.items(seed)))

    def again(self, tried: Sequence[Tried]) -> Iterable[Tried]:
        """Ask again what the base would ask again."""
        by_place = {(one.item.base, one.repeat, one.attempt): one for one in tried}
        chosen = self._base.again([replace(one, item=self._unrefine(one.item)) for one in tried])
        return (by_place[one.item.id, one.repeat, one.attempt] for one in chosen)

    def _refine(self, item: Item, counted: Counted) -> Item:
        text = self._ask(counted)
        suite, _, key = item.id.partition("/")
        told = {**self._factors(item.id), "is_refined": text != counted.prompt}
        return Item(f"{suite}{REFINED}{self._name}/{key}", Draw(text), item.asks, {**item.factors, **told})

    def _unrefine(self, item: Item) -> Item:
        """Give the item as its base suite knows it, but for the prompt."""
        own = self._factors(str(item.base))
        factors = {name: value for name, value in item.factors.items() if name not in own}
        return replace(item, id=str(item.base), factors=factors)

    def _factors(self, item: str) -> dict[str, Scalar]:
        """What a refined item has beyond its base."""
        told = self._refinement.factors(item) if isinstance(self._refinement, Sourced) else {}
        return {"refinement": self._name, "is_refined": True, **told}

    def _ask(self, counted: Counted) -> str:
        """Have the prompt refined, by a function that may be anybody's."""
        who = f"refinement {self._name!r}"
        try:
            text = self._refinement(counted)
        except SubitizeError:
            raise
        except Exception as error:
            raise BadValueError(f"{who} fails on {counted.item}: {type(error).__name__}: {error}") from error
        if text is None:
            return counted.prompt
        if not isinstance(text, str) or not text.strip() or len(text) > LONGEST_PROMPT:
            raise BadValueError(
                f"{who} gives {text!r:.80} for {counted.item}; should be a prompt of 1 to {LONGEST_PROMPT:,} "
                "characters, or None"
            )
        return text


def find_refinable(items: Iterable[Item]) -> Iterator[tuple[Item, Counted]]:
    """Find the items that can be refined, with their prompts taken apart."""
    for item in items:
        counted = find_counted(item)
        if counted is not None:
            yield item, counted


def _why_not(first: Item) -> str:
    if not isinstance(first.task, Draw):
        return (
            f"suite {first.suite!r} cannot be refined: it shows pictures, and a refinement rewords prompts to draw; "
            "take a suite that draws, as production does"
        )
    return (
        f"suite {first.suite!r} cannot be refined: no prompt asks for a number of one kind of things and nothing "
        "else; take others by its options"
    )
