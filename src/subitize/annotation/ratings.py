"""People's answers one by one, for exports: who answered which question, how and when."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import count, islice

from subitize.analysis.frame import check_judge
from subitize.errors import BadValueError, NothingToDoError
from subitize.io.frames import group_rows
from subitize.labels.interpretation import WITHDRAWN
from subitize.records import Ask, Evidence, Item, Reading, Words
from subitize.store import Run, StoredResponse, group_answers, latest_attempts, subject_of
from subitize.store.reading import read_readings


@dataclass(frozen=True, slots=True)
class Rating:
    """One person's answer to one question about a response, or a group of them, and its time."""

    item: Item
    ask: Ask
    members: tuple[StoredResponse, ...]
    reading: Reading
    at: float

    @property
    def annotator(self) -> str:
        """The person who answered."""
        return self.reading.annotator

    @property
    def model(self) -> str:
        """The model that made what was rated."""
        return self.members[0].model

    @property
    def repeat(self) -> int:
        """The repeat that was rated; the first of a group."""
        return self.members[0].repeat


def choose_people(run: Run, judge: str | None) -> str:
    """Choose the judge whose answers are people's: the one named, or else the only one."""
    readings = read_readings(run, columns=("judge", "annotator"))
    known = readings.filter(readings["annotator"] != "")["judge"].unique().sort().to_list()
    if judge is not None:
        found = run.find_judge(judge)
        check_judge(run, found)
        if found not in known:
            raise BadValueError(
                f"`judge` {judge}: its readings are nobody's; people's are: {', '.join(known) or 'none'}"
            )
        return found
    if len(known) != 1:
        problem = (
            f"has answers by {', '.join(known)}; name one with `judge`" if known else "has no people's answers yet"
        )
        raise NothingToDoError(f"{run.location} {problem}")
    return str(known[0])


def list_ratings(run: Run, judge: str) -> list[Rating]:
    """List the current answers in the order they were stored, without those of people who are left out.

    Only the last attempt at an item counts, and duplicates in a release are listed once.
    """
    subjects = find_subjects(run)
    found: list[Rating] = []
    seen: set[tuple[str, str, str, Evidence]] = set()
    for stored in run.readings(judge):
        reading = stored.reading
        said = (reading.annotator, reading.subject.id, reading.question.id, reading.evidence)
        if said in seen or reading.subject.id not in subjects or reading.evidence == Words(WITHDRAWN):
            continue
        seen.add(said)
        item, members = subjects[reading.subject.id]
        asks = (ask for ask in item.asks if ask.question.id == reading.question.id and ask.group == len(members))
        found += [Rating(item, ask, members, reading, stored.at) for ask in islice(asks, 1)]
    if not found:
        raise NothingToDoError(f"{run.location} has no answers by {judge!r} about its items")
    return found


def find_subjects(run: Run) -> dict[str, tuple[Item, tuple[StoredResponse, ...]]]:
    """Map the IDs of a run's subjects to their items and responses."""
    responses = group_rows(run.responses(), lambda stored: stored.item_id)
    return {
        subject_of(members).id: (item, members)
        for item in run.items()
        for size in dict.fromkeys(ask.group for ask in item.asks)
        for members in group_answers(latest_attempts(responses.get(item.id, [])), size)
    }


def number_people(annotators: Iterable[str]) -> dict[str, int]:
    """Number people in their order; names that are numbers stay."""
    known = list(dict.fromkeys(annotators))
    kept = {name: int(name) for name in known if name.isascii() and name.isdecimal() and str(int(name)) == name}
    taken = set(kept.values())
    free = (number for number in count(1) if number not in taken)
    return {name: kept[name] if name in kept else next(free) for name in known}
