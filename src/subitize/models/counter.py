"""Answers how many there are by a command of the user's."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Annotated

from subitize.interfaces import Handling, Reply, Request
from subitize.models.observer import read_count
from subitize.networks.counters import Counter
from subitize.records import Refused, Said, TaskKind


class CounterModel:
    """Count by a command that reads paths of pictures and writes a number for each; {noun} in it names the things."""

    tasks: frozenset[TaskKind] = frozenset({"answer"})
    is_stand_in = False

    def __init__(
        self,
        command: str,
        /,
        *,
        batch_size: Annotated[int, Handling] = 32,
        timeout_seconds: Annotated[float, Handling] = 60.0,
    ) -> None:
        self._counter, self.batch_size = Counter(command, batch_size, timeout_seconds), batch_size

    def compute_all(self, requests: Sequence[Request], /) -> list[Reply]:
        """Have the pictures counted, all of one noun together; other questions are refused."""
        alike: dict[str | None, list[int]] = defaultdict(list)
        for index, request in enumerate(requests):
            asked = read_count(request.text)
            is_plain = asked is not None and asked.colour is None and asked.place is None
            alike[asked.noun if asked and is_plain else None].append(index)
        said: dict[int, Said | Refused] = {}
        for noun, indices in alike.items():
            if noun is None:
                said |= {index: Refused(f"not understood: {requests[index].text[:60]!r}") for index in indices}
                continue
            numbers = self._counter.count([requests[index].picture() for index in indices], noun)
            said |= {index: Said(number) for index, number in zip(indices, numbers, strict=True)}
        return [Reply(said[index], request.provenance()) for index, request in enumerate(requests)]
