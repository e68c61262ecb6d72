"""Prompts as they were given to models: of how many images how many are right, and what was voted on groups of them."""

from collections import defaultdict
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, replace

from subitize.analysis.observations import NO_JUDGE, Observation
from subitize.records import Count, Item, base_suite
from subitize.stats.passes import pass_at_k


@dataclass(frozen=True, slots=True)
class Attempt:
    """An item given to a model, as one judge saw what came of it.

    An image is right if every relevant answer about it is; a refusal is an image that is not right, and an image of
    which an answer is missing or has no value is left out. `numbers` are the counts that were read, where one count was
    asked for. `votes` are what was said of groups of `group` images: whether at least one of them is right.
    """

    item: Item
    model: str
    judge: str
    images: int
    right: int
    numbers: tuple[float, ...] = ()
    votes: tuple[bool, ...] = ()
    group: int = 0

    @property
    def most(self) -> int:
        """The largest k of which `pass_at` is known."""
        return max(self.images, self.group if self.votes else 0)

    def pass_at(self, k: int) -> float | None:
        """Estimate how likely one of k images is right: by votes on groups of k, else by images; None with fewer."""
        if self.is_voted(k):
            return sum(self.votes) / len(self.votes)
        return pass_at_k(self.images, self.right, k) if k <= self.images else None

    def choices(self, k: int) -> float:
        """Tell how many choices of k images that have none in common `pass_at` rests on."""
        return len(self.votes) if self.is_voted(k) else self.images / k

    def is_voted(self, k: int) -> bool:
        """Tell whether `pass_at` of k is by votes on groups."""
        return bool(self.votes) and k == self.group


def gather_attempts(observations: Iterable[Observation], *, keep_empty: bool = False) -> list[Attempt]:
    """Put together what belongs to one item, model and judge; what was excluded by hand is left out.

    So are those of which nothing has a value, as where votes are tied, unless they are to be counted.
    """
    by_place: dict[tuple[str, str, str], list[Observation]] = defaultdict(list)
    for one in observations:
        if not one.is_excluded:
            by_place[one.item.id, one.model, one.judge].append(one)
    found = (_gather(own) for own in by_place.values())
    return [one for one in found if keep_empty or one.most]


def adopt_refusals(attempts: Iterable[Attempt]) -> list[Attempt]:
    """Give what was only ever refused, and so has no judge, to each judge of the suite: whoever looks, it is wrong.

    Where a suite and its refinements have no judge at all, attempts stay as they are.
    """
    made = list(attempts)
    judges: dict[str, dict[str, None]] = defaultdict(dict)
    for one in made:
        if one.judge != NO_JUDGE:
            judges[base_suite(one.item.suite)][one.judge] = None
    return [
        replace(one, judge=judge)
        for one in made
        for judge in (judges[base_suite(one.item.suite)] if one.judge == NO_JUDGE else ()) or (one.judge,)
    ]


@dataclass(frozen=True, slots=True)
class Omissions:
    """The items of models, by model and id, that are in no attempt: undecided ones, and those excluded by hand.

    Undecided are those of which no answer has a value, as where votes are tied.
    """

    undecided: frozenset[tuple[str, str]] = frozenset()
    excluded: frozenset[tuple[str, str]] = frozenset()


def find_omissions(observations: Iterable[Observation]) -> Omissions:
    """Find what `gather_attempts` leaves out."""
    seen = list(observations)
    undecided = frozenset((one.model, one.item.id) for one in gather_attempts(seen, keep_empty=True) if not one.most)
    return Omissions(undecided, frozenset((one.model, one.item.id) for one in seen if one.is_excluded))


def _gather(observations: Sequence[Observation]) -> Attempt:
    first = observations[0]
    needed = {ask.question.id for ask in first.item.asks if ask.group == 1 and ask.is_relevant}
    by_image: dict[int, list[Observation]] = defaultdict(list)
    for one in observations:
        if one.ask.group == 1:
            by_image[one.repeat].append(one)
    images = [own for own in by_image.values() if _is_complete(own, needed)]
    group = max((one.ask.group for one in observations if one.ask.group > 1 and _is_known(one)), default=0)
    if first.judge == NO_JUDGE and images:
        group = 0  # nobody voted: that no image of a group is right follows from the images
    grouped = [one for one in observations if one.ask.group == group > 1 and _is_known(one)]
    return Attempt(
        first.item,
        first.model,
        first.judge,
        len(images),
        sum(all(one.is_right for one in own) for own in images),
        tuple(number for own in images for number in _count(own)),
        tuple(one.is_right for one in grouped),
        group,
    )


def _is_complete(own: Sequence[Observation], needed: Set[str]) -> bool:
    """Tell whether every relevant question about an image has an answer, and each answer a value."""
    return all(map(_is_known, own)) and needed <= {one.ask.question.id for one in own}


def _is_known(one: Observation) -> bool:
    """Tell whether it is known to be right or wrong: a drawing with nothing in it to count has the value 0."""
    return one.status != "discarded" or one.value is not None


def _count(own: Sequence[Observation]) -> Sequence[float]:
    """Take the number that was read of an image, if one was asked for; a refusal has none."""
    counts = [one.value for one in own if isinstance(one.ask.question, Count)]
    return [float(value) for value in counts if isinstance(value, int | float)] if len(counts) == 1 else ()
