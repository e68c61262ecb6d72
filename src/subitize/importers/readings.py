"""Answers that people gave elsewhere, from a CSV, as readings of a run."""

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from subitize.csv_files import Line, read_lines
from subitize.importers.answers import Answers, ImportSummary, Ledger, check_judge, find_group, read_place
from subitize.labels.rules import Rule, find_positional_rule
from subitize.records import (
    Ask,
    Attached,
    Choose,
    Drawn,
    Elsewhere,
    Failed,
    Item,
    Question,
    Reading,
    Refused,
    Stored,
    Subject,
)
from subitize.store import Run, StoredResponse, latest_attempts

COLUMNS = "annotator, item or image, question, answer; optional: model, repeat, group"
_NEEDED = (("annotator",), ("answer",), ("item", "image"))


def import_readings(run: Run, path: Path, *, judge: str, rule: Rule) -> ImportSummary:
    """Add every answer of the file, or none: the first bad line is an error."""
    check_judge(judge)
    lines = list(read_lines(path, _NEEDED, COLUMNS))
    with run.lease(f"judge {judge}") as lease:
        book = _Book(run, Ledger(judge, run.readings(judge)), rule)
        return Answers({line.number: book.reading(line) for line in lines}).add(run, lease, judge)


class _Book:
    """The responses of a run, to be found by item or image, and what the judge's annotators said before."""

    def __init__(self, run: Run, ledger: Ledger, rule: Rule) -> None:
        self._ledger, self._rule = ledger, rule
        self._positional = find_positional_rule()  # people's codes for lines are positions
        self._items = {item.id: item for item in run.items()}
        self._by_item: dict[str, list[StoredResponse]] = defaultdict(list)
        self._by_image: dict[str, list[StoredResponse]] = defaultdict(list)
        self._by_shorter_name: dict[str, list[StoredResponse]] = defaultdict(list)
        self._by_model: dict[str, dict[str, list[StoredResponse]]] = defaultdict(lambda: defaultdict(list))
        for stored in run.responses():
            outcome, trial = stored.response.outcome, stored.response.trial
            self._by_model[trial.item_id][trial.model].append(stored)
            if not isinstance(outcome, Failed | Refused):
                self._by_item[trial.item_id].append(stored)
            if isinstance(outcome, Drawn):
                names = _image_names(stored, outcome)
                for name in names:
                    self._by_image[name].append(stored)
                for shorter in {shorter for name in names for shorter in _shorten(name)} - names:
                    self._by_shorter_name[shorter].append(stored)

    def reading(self, line: Line) -> Reading | None:
        """Make the reading of a line, or None if the annotator said just that before."""
        answer = line.get("answer")
        if not line.get("annotator") or not answer:
            raise line.error("annotator and answer should not be empty")
        about = self._about(line)
        has_position = isinstance(about[1], Choose) and answer.isdecimal()
        used = self._positional if has_position and self._positional else self._rule
        return self._ledger.enter(line, about, answer, used)

    def _about(self, line: Line) -> tuple[Subject, Question]:
        """Find the response that is answered about, or the group of them where the question is about a group."""
        item = self._items.get(line.get("item"))
        ask = self._ask(line, item) if item and not line.get("image") and item.id in self._by_item else None
        if item is not None and ask is not None and ask.group > 1:
            return self._group(line, item, ask), ask.question
        stored = self._response(line)
        ask = self._ask(line, self._items[stored.response.trial.item_id])
        if ask.group > 1:
            raise line.error(
                f"{ask.question.id!r} is about {ask.group} images together; name them by item, model and group"
            )
        return Subject((stored.trial_id,)), ask.question

    def _group(self, line: Line, item: Item, ask: Ask) -> Subject:
        models = self._by_model[item.id]
        wanted = line.get("model") or (next(iter(models)) if len(models) == 1 else "")
        if wanted not in models:
            raise line.error(
                f"model {wanted!r} has no response to item {item.id!r}; those that have: {', '.join(models)}"
            )
        return find_group(line, ask, models[wanted], _read_group(line, ask.group))

    def _response(self, line: Line) -> StoredResponse:
        column = "image" if line.get("image") else "item"
        name = line.get(column)
        found = self._by_item[name] if column == "item" else self._responses_with_image(name)
        if not found:
            raise line.error(f"no response with {column} {name!r} in this run; `subitize export` lists what it has")
        fitting = latest_attempts(stored for stored in found if self._fits(line, stored))
        if len(fitting) != 1:
            have = ", ".join(f"{s.response.trial.model} repeat {s.response.trial.repeat}" for s in found[:4])
            raise line.error(
                f"{column} {name!r} has {len(found)} responses ({have}{', …' if len(found) > 4 else ''}), of which "
                f"{len(fitting)} fit; name one by the columns item, model and repeat"
            )
        return fitting[0]

    def _responses_with_image(self, name: str) -> list[StoredResponse]:
        """Find an image by its whole name, by more than that, or by less; folders that differ are never passed over."""
        whole = PurePosixPath(name).as_posix()
        longest = next((known for known in (name, whole, *_shorten(whole)) if known in self._by_image), "")
        return self._by_image[longest] if longest else self._by_shorter_name.get(whole, [])

    @staticmethod
    def _fits(line: Line, stored: StoredResponse) -> bool:
        trial = stored.response.trial
        named = {"item": trial.item_id, "model": trial.model, "repeat": str(trial.repeat)}
        return all(line.get(column) in ("", value) for column, value in named.items())

    @staticmethod
    def _ask(line: Line, item: Item) -> Ask:
        wanted = line.get("question")
        fitting = [ask for ask in item.asks if wanted in ("", ask.question.id, ask.wording)]
        if len(fitting) != 1:
            known = ", ".join(repr(ask.question.id) for ask in item.asks)
            raise line.error(f"question {wanted!r} is not one of item {item.id!r}; it has: {known}")
        return fitting[0]


def _read_group(line: Line, size: int) -> int | None:
    """Read which group is meant, by its place or by one of its images; where both are told, they must agree."""
    place, repeat = read_place(line), read_place(line, "repeat")
    if repeat is None:
        return place
    if place not in (None, repeat // size):
        raise line.error(f"repeat {repeat} is in group {repeat // size}, not {place}; leave one of them out")
    return repeat // size


def _image_names(stored: StoredResponse, outcome: Drawn) -> set[str]:
    """List what people may call an image: its hash, its file here, the file it was read from, its published name."""
    picture = outcome.picture
    names = {picture.name} if isinstance(picture, Elsewhere | Attached) else set()
    if isinstance(picture, Stored):
        names |= {picture.hash, f"{picture.hash}.{picture.format}"}
    file = stored.response.provenance.parameters.get("file")
    return names | ({str(file)} if file else set())


def _shorten(name: str) -> Iterator[str]:
    """Take folders off the front of a name, one by one, down to the bare name of the file."""
    parts = PurePosixPath(name).parts
    return ("/".join(parts[start:]) for start in range(1, len(parts)))
