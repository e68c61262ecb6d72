"""A suite whose prompts are refined: the same items, asks and order, in other words."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Protocol

from subitize.errors import BadValueError, SubitizeError
from subitize.interfaces import Attempt, Suite, design_of
from subitize.language.counted import CountedPhrase, FindsCountedPhrase, find_counted_phrase
from subitize.records import REFINED, Draw, Item, Scalar, task_text
from subitize.suites.refining.rewritten import Rewritten

LONGEST_PROMPT = 20_000
"""In characters: the most that a refinement may say."""


class Refinement(Protocol):
    """Says the same in other words."""

    def __call__(self, counted: CountedPhrase, /) -> str | None:
        """Give the refined prompt, or None where the refinement does not apply."""


class Refined:
    """A suite whose prompts a refinement has put in other words; what cannot be refined is left out.

    Where the refinement does not apply the prompt stays as it was, and the factor `is_refined` says so.
    """

    why_kept = "the refinement does not apply"

    def __init__(
        self, base: Suite, name: str, refinement: Refinement | Rewritten, *, others: Collection[str] = ()
    ) -> None:
        self.title, self.judge = base.title, base.judge
        self.repeats, self.max_attempts = base.repeats, base.max_attempts
        design = design_of(base)
        self.asks_again, self.strata = design.asks_again, design.strata
        self.base, self._name, self._refinement = base, name, refinement
        if isinstance(refinement, Rewritten):
            self.why_kept = refinement.why_kept
            refinement.check({item.id for item in base.items(0)}, others)
        if next(self.items(0) if isinstance(refinement, Rewritten) else find_refinable(base, 0), None) is None:
            raise BadValueError(_why_not(next(iter(base.items(0)))))

    def items(self, seed: int) -> Iterator[Item]:
        """Refine the items in the order of the base, so that any beginning pairs with a beginning of it."""
        for item in self.base.items(seed):
            text = self._reword(item)
            if text is not None:
                yield self._refine(item, text)

    def again(self, tried: Sequence[Attempt]) -> Iterable[Attempt]:
        """Ask again what the base would ask again."""
        by_place = {(one.item.base, one.repeat, one.attempt): one for one in tried}
        chosen = self.base.again([replace(one, item=self._unrefine(one.item)) for one in tried])
        return (by_place[one.item.id, one.repeat, one.attempt] for one in chosen)

    def _reword(self, item: Item) -> str | None:
        """Give the refined prompt, the old one where the refinement does not apply, None where it cannot be refined."""
        if isinstance(self._refinement, Rewritten) and isinstance(item.task, Draw):
            text = self._refinement.find(item)
            if text is not None:
                return self._check(text, item.id)
        counted = take_apart(self.base, item)
        if counted is None or isinstance(self._refinement, Rewritten):
            return None if counted is None else counted.prompt
        return self._ask(self._refinement, counted)

    def _refine(self, item: Item, text: str) -> Item:
        suite, _, key = item.id.partition("/")
        told = {**self._factors(item.id), "is_refined": text != task_text(item.task)}
        return Item(f"{suite}{REFINED}{self._name}/{key}", Draw(text), item.asks, {**item.factors, **told})

    def _unrefine(self, item: Item) -> Item:
        """Give the item as its base suite knows it, but for the prompt."""
        own = self._factors(str(item.base))
        factors = {name: value for name, value in item.factors.items() if name not in own}
        return replace(item, id=str(item.base), factors=factors)

    def _factors(self, item: str) -> dict[str, Scalar]:
        """What a refined item has beyond its base."""
        told = self._refinement.factors(item) if isinstance(self._refinement, Rewritten) else {}
        return {"refinement": self._name, "is_refined": True, **told}

    def _ask(self, refinement: Refinement, counted: CountedPhrase) -> str:
        """Have the prompt refined, by a function that may be anybody's."""
        try:
            text = refinement(counted)
        except SubitizeError:
            raise
        except Exception as error:
            raise BadValueError(
                f"refinement {self._name!r} fails on {counted.item}: {type(error).__name__}: {error}"
            ) from error
        return counted.prompt if text is None else self._check(text, counted.item)

    def _check(self, text: object, item: str) -> str:
        if isinstance(text, str) and text.strip() and len(text) <= LONGEST_PROMPT:
            return text
        raise BadValueError(
            f"refinement {self._name!r} gives {text!r:.80} for {item}; should be a prompt of 1 to "
            f"{LONGEST_PROMPT:,} characters, or None"
        )


def take_apart(suite: Suite, item: Item) -> CountedPhrase | None:
    """Take the prompt of an item apart: by the suite itself if it can, else by what the prompt says."""
    return suite.find_counted(item) if isinstance(suite, FindsCountedPhrase) else find_counted_phrase(item)


def find_refinable(suite: Suite, seed: int) -> Iterator[Item]:
    """Find the items of a suite that can be refined."""
    return (item for item in suite.items(seed) if take_apart(suite, item) is not None)


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
