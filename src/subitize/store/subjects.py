"""What an item's questions are about: each response by itself, or so many repeats together."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from subitize.records import Ask, Failed, Subject
from subitize.store.run import StoredResponse, latest_attempts


@dataclass(frozen=True, slots=True)
class Exhibited:
    """A subject and its responses, in order."""

    subject: Subject
    members: tuple[StoredResponse, ...]


def exhibited(ask: Ask, responses: Sequence[StoredResponse]) -> Iterator[Exhibited]:
    """Go through what the ask is about among the responses to its item; failed ones have nothing to show.

    A group is made of the latest attempts at repeats 0 to group-1, then the next so many; one that is not yet
    complete is left out.
    """
    if ask.group == 1:
        for stored in responses:
            if not isinstance(stored.response.outcome, Failed):
                yield Exhibited(Subject((stored.trial_id,)), (stored,))
        return
    by_place: dict[tuple[str, int], list[StoredResponse]] = defaultdict(list)
    for stored in sorted(latest_attempts(responses), key=lambda one: one.response.trial.repeat):
        if not isinstance(stored.response.outcome, Failed):
            trial = stored.response.trial
            by_place[trial.model, trial.repeat // ask.group].append(stored)
    for members in by_place.values():
        if len(members) == ask.group:
            yield Exhibited(Subject(tuple(stored.trial_id for stored in members)), tuple(members))
