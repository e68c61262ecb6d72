"""What suites have in common whose items are asked once, in one order."""

from collections.abc import Iterable, Iterator, Sequence

from subitize.interfaces import Attempt
from subitize.records import Item


class AskedOnce:
    """A suite that asks nothing again; unless it says otherwise, its items are the same for every seed."""

    repeats = 1
    max_attempts = 1
    asks_again = False
    strata: tuple[str, ...] = ()
    _items: Sequence[Item]

    def items(self, seed: int) -> Iterator[Item]:
        """Go through the items; the seed changes nothing."""
        return iter(self._items)

    def again(self, tried: Sequence[Attempt]) -> Iterable[Attempt]:
        """Ask nothing again."""
        return ()
