"""Answers how many there are by a command of the user's."""

from collections.abc import Sequence

from subitize.interfaces import Reply, Request
from subitize.models.observer import read_count
from subitize.networks.command import Counter
from subitize.records import Count, Refused, Said, TaskKind


class CounterModel(Counter):
    """Count by a command that reads paths of pictures and writes a number for each; {noun} in it names the things."""

    tasks: frozenset[TaskKind] = frozenset({"answer"})

    def compute_all(self, requests: Sequence[Request], /) -> list[Reply]:
        """Have the pictures counted; a question for anything but a plain count is refused."""
        asked = [read_count(request.text) for request in requests]
        nouns = [one.noun if one and one == Count(one.noun) else "" for one in asked]
        pictures = [request.picture() for request, noun in zip(requests, nouns, strict=True) if noun]
        numbers = iter(self.count_each(pictures, [noun for noun in nouns if noun]))
        return [
            Reply(
                Said(next(numbers)) if noun else Refused(f"not understood: {request.text[:60]!r}"), request.provenance()
            )
            for request, noun in zip(requests, nouns, strict=True)
        ]
