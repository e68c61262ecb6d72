"""Answers that people gave elsewhere, from a CSV or line by line, as readings of a run."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from subitize.errors import BadValueError, SubitizeError
from subitize.importers.answers import Answers, ImportSummary, Ledger, check_judge, find_group, read_place
from subitize.importers.clicks import read_clicks
from subitize.importers.lookup import ResponseLookup
from subitize.importers.rating_columns import find_rating_columns
from subitize.io.files import CsvRow, read_lines, read_records
from subitize.labels import Rule
from subitize.labels.rules import find_positional_rule, parse_rule
from subitize.records import Ask, Boxes, Choose, Item, Question, Reading, Subject, Words
from subitize.store import Run

COLUMNS = "annotator, item or image, question, answer; optional: model, repeat, group, clicks, rule"
_NEEDED = (("annotator",), ("answer",), ("item", "image"))
Note = Callable[[CsvRow, Subject, Question], None]
_STRICT, _CLICKS = Rule("strict"), Rule("boxes")


def import_readings(run: Run, path: Path, *, judge: str, rule: Rule | None = None) -> ImportSummary:
    """Add every answer of a CSV, or none: the first bad line is an error."""
    return import_lines(run, read_answers(path), judge=judge, rule=rule)


def read_answers(path: Path) -> Iterator[CsvRow]:
    """Read the answers in a CSV, in our columns or in those of a paper's file of ratings."""
    _, header = next(read_records(path), (1, []))
    columns = find_rating_columns(header)
    if columns is not None:
        return columns.read(path)
    return read_lines(path, _NEEDED, COLUMNS)


def import_lines(
    run: Run, given: Iterable[CsvRow], *, judge: str, rule: Rule | None = None, note: Note | None = None
) -> ImportSummary:
    """Add every answer, or none; without a rule each is read by its own, as its line names it, else by `strict`.

    `note` hears what each line is about before anything is stored.
    """
    check_judge(judge)
    lines = list(given)
    with run.lease(f"judge {judge}") as lease:
        book = _Book(run, Ledger(judge, run.readings(judge)), rule, note)
        return Answers([(line, book.reading(line)) for line in lines]).add(run, lease, judge)


class _Book:
    """The responses of a run, and what the judge's annotators said before of them."""

    def __init__(self, run: Run, ledger: Ledger, rule: Rule | None, note: Note | None) -> None:
        self._ledger, self._rule, self._note = ledger, rule, note
        self._positional = find_positional_rule()  # people's codes for lines are positions
        self._items = {item.id: item for item in run.items()}
        self._lookup = ResponseLookup(run)

    def reading(self, line: CsvRow) -> Reading | None:
        """Make the reading of a line, or None if the annotator said just that before."""
        answer = line.get("answer")
        if not line.get("annotator") or not answer:
            raise line.error("annotator and answer should not be empty")
        about = self._about(line)
        if self._note is not None:
            self._note(line, *about)
        if line.get("clicks"):
            return self._ledger.enter(line, about, _read_clicks(line, about[1]), _CLICKS)
        has_position = isinstance(about[1], Choose) and answer.isdecimal()
        used = self._positional if has_position and self._positional else self._rule or _read_rule(line)
        return self._ledger.enter(line, about, Words(answer), used)

    def _about(self, line: CsvRow) -> tuple[Subject, Question]:
        """Find the response that is answered about, or the group of them where the question is about a group."""
        item = self._items.get(line.get("item"))
        ask = self._ask(line, item) if item and not line.get("image") and self._lookup.has(item.id) else None
        if item is not None and ask is not None and ask.group > 1:
            return self._group(line, item, ask), ask.question
        stored = self._lookup.find(line)
        ask = self._ask(line, self._items[stored.response.trial.item_id])
        if ask.group > 1:
            raise line.error(
                f"{ask.question.id!r} is about {ask.group} images together; name them by item, model and group"
            )
        return Subject((stored.trial_id,)), ask.question

    def _group(self, line: CsvRow, item: Item, ask: Ask) -> Subject:
        models = self._lookup.by_model(item.id)
        wanted = line.get("model") or (next(iter(models)) if len(models) == 1 else "")
        if wanted not in models:
            raise line.error(
                f"model {wanted!r} has no response to item {item.id!r}; those that have: {', '.join(models)}"
            )
        return find_group(line, ask, models[wanted], _read_group(line, ask.group))

    @staticmethod
    def _ask(line: CsvRow, item: Item) -> Ask:
        wanted = line.get("question")
        fitting = [ask for ask in item.asks if wanted in ("", ask.question.id, ask.wording)]
        if len(fitting) != 1:
            known = ", ".join(repr(ask.question.id) for ask in item.asks)
            raise line.error(f"question {wanted!r} is not one of item {item.id!r}; it has: {known}")
        return fitting[0]


def _read_rule(line: CsvRow) -> Rule:
    try:
        return parse_rule(line.get("rule")) if line.get("rule") else _STRICT
    except SubitizeError as error:
        raise line.error(f"{error}; or name the rule of all answers with --rule") from None


def _read_clicks(line: CsvRow, question: Question) -> Boxes:
    try:
        return read_clicks(question, line.get("clicks"))
    except BadValueError as error:
        raise line.error(f"clicks {line.get('clicks')[:60]!r}: {error}") from None


def _read_group(line: CsvRow, size: int) -> int | None:
    """Read which group is meant, by its place or by one of its images; where both are told, they must agree."""
    place, repeat = read_place(line), read_place(line, "repeat")
    if repeat is None:
        return place
    if place not in (None, repeat // size):
        raise line.error(f"repeat {repeat} is in group {repeat // size}, not {place}; leave one of them out")
    return repeat // size
