"""What is left to do, as pure functions of what is stored."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence

from subitize.interfaces import Suite, Tried
from subitize.records import Item, Spec, Trial, Value
from subitize.store import StoredReading, StoredResponse, latest_attempts


def first_attempts(items: Sequence[Item], model: Spec, repeats: int, finished: Collection[str]) -> Iterator[Trial]:
    """List the trials that have no response yet, all items once before any is repeated."""
    for repeat in range(repeats):
        for item in items:
            trial = Trial(item.id, model.shown, model.options, repeat)
            if trial.id not in finished:
                yield trial


def further_attempts(suite: Suite, model: Spec, tried: Sequence[Tried], finished: Collection[str]) -> Iterator[Trial]:
    """List the next attempts where the suite asks again, up to its cap."""
    for one in suite.again(tried):
        trial = Trial(one.item.id, model.shown, model.options, one.repeat, one.attempt + 1)
        if trial.attempt < suite.max_attempts and trial.id not in finished:
            yield trial


def latest_tried(
    items: Iterable[Item], responses: Iterable[StoredResponse], readings: Iterable[StoredReading]
) -> list[Tried]:
    """Pair the latest attempt at each item and repeat with what one judge read; unread ones are left out."""
    by_id = {item.id: item for item in items}
    values: dict[str, dict[str, Value]] = defaultdict(dict)
    for reading in (stored.reading for stored in readings):
        values[reading.subject.id][reading.question.id] = reading.value
    return [
        Tried(by_id[trial.item_id], trial.repeat, trial.attempt, values[trial.id])
        for trial in (stored.response.trial for stored in latest_attempts(responses))
        if trial.item_id in by_id and trial.id in values
    ]
