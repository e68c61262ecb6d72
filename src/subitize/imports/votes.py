"""Imports people's votes on groups of images, success or failure, from a CSV as readings of a run."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from subitize.errors import BadFileError, BadValueError, NotARunError
from subitize.imports.answers import AnswerLines, AnswerLog, ImportSummary, check_judge, find_group, read_place
from subitize.interfaces import Suite
from subitize.io.files import CsvRow, read_lines
from subitize.labels import Rule, interpret
from subitize.labels.interpretation import VOTES_AGAINST, VOTES_FOR
from subitize.records import (
    Ask,
    Attached,
    Confirm,
    Design,
    Discarded,
    Drawn,
    Elsewhere,
    Item,
    MatchesPrompt,
    Provenance,
    Reading,
    Response,
    Spec,
    Trial,
    Words,
    task_text,
)
from subitize.registry import Resolved, make_items
from subitize.store import Location, Run, StoredResponse

COLUMNS = "annotator, model, item, vote; optional: group"
_NEEDED = tuple((name,) for name in ("annotator", "model", "item", "vote"))
_RULE = Rule("votes")


@dataclass(frozen=True, slots=True)
class Vote:
    """One line: an annotator's vote on a group of a model's images of an item; `place` is the group's number."""

    line: CsvRow
    annotator: str
    model: str
    item_id: str
    text: str
    place: int | None


def read_votes(path: Path) -> list[Vote]:
    """Read the votes of a file; the first bad line raises an error."""
    votes: list[Vote] = []
    seen: dict[tuple[str, str, str, int], int] = {}
    for line in read_lines(path, _NEEDED, COLUMNS, allow_pipe=True):
        vote = _read_vote(line)
        key = (vote.annotator, vote.model, vote.item_id, vote.place or 0)
        if key in seen:
            raise line.error(f"{vote.annotator!r} votes on this group a second time, first in line {seen[key]}")
        seen[key] = line.number
        votes.append(vote)
    if not votes:
        raise BadFileError(f"{path.name}: no votes in it; a line each: {COLUMNS}")
    return votes


def _read_vote(line: CsvRow) -> Vote:
    fields = {name: line.get(name) for (name,) in _NEEDED}
    empty = [name for name, field in fields.items() if not field]
    if empty:
        raise line.error(f"{empty[0]} should not be empty")
    if isinstance(interpret(Words(fields["vote"]), MatchesPrompt(), _RULE), Discarded):
        known = f"{', '.join(VOTES_FOR)}, or {', '.join(VOTES_AGAINST)}"
        raise line.error(f"vote {fields['vote']!r}: should be one of {known}")
    return Vote(line, fields["annotator"], fields["model"], fields["item"], fields["vote"], read_place(line))


def import_votes_at(
    location: Location, path: Path, *, judge: str = "human", suites: Sequence[Resolved[Suite]] = ()
) -> ImportSummary:
    """Add the votes to the run at a location; with suites, create it once the whole file is valid."""
    try:
        run = Run(location)
    except NotARunError:
        if not suites:
            raise
        votes, items, made = _check(path, judge, suites, None)
        _Votes(votes, items, made, AnswerLog(judge)).answers()
        run = Run(location, create=True)
    with run:
        return import_votes(run, path, judge=judge, suites=suites)


def import_votes(
    run: Run, path: Path, *, judge: str = "human", suites: Sequence[Resolved[Suite]] = ()
) -> ImportSummary:
    """Add every vote of the file, or none if a line is bad.

    With suites, their items are added to the run, and so, by name, are images that votes are about and the run lacks.
    """
    votes, items, made = _check(path, judge, suites, run)
    with run.lease(f"judge {judge}") as lease:
        run_here = {entry.spec for entry in run.models() if entry.options}
        answers = _Votes(votes, items, made, AnswerLog(judge, run.readings(judge)), run.responses(), run_here).answers()
        for suite in made.values():
            run.add_suite(*suite)
        for model in dict.fromkeys(response.trial.model for response in answers.responses):
            run.add_model(Spec(model, {}, model), is_stand_in=False)
        return answers.add(run, lease, judge)


_Suites = dict[str, tuple[Spec, int, list[Item], Design]]


def _check(
    path: Path, judge: str, suites: Iterable[Resolved[Suite]], run: Run | None
) -> tuple[list[Vote], dict[str, Item], _Suites]:
    """Read and check the votes of a file and the items they may be about, made with the seeds of the run."""
    check_judge(judge)
    votes = read_votes(path)
    seeds = {entry.name: entry.seed for entry in run.suites()} if run else {}
    made: _Suites = {}
    for suite in suites:
        name, seed = suite.spec.name, seeds.get(suite.spec.name, 0)
        own = list(make_items(suite, seed))
        made[name] = suite.spec, seed, own, suite.obj.design()
        if run:
            run.check_suite(suite.spec, seed, own)
    items = {item.id: item for item in run.items()} if run else {}
    items |= {item.id: item for _, _, own, _ in made.values() for item in own}
    for vote in votes:
        _check_item(vote, items)
    for name, (_, _, own, _) in made.items():
        if not any(map(_group_asks, own)):  # its items would be in the run for nothing
            raise BadValueError(f"--suite {name}: none of its items has a yes-or-no question about a group of images")
    return votes, items, made


def _check_item(vote: Vote, items: Mapping[str, Item]) -> None:
    """Refuse a vote on an unknown item, or one without exactly one question about a group of images."""
    if vote.item_id not in items:
        near = get_close_matches(vote.item_id, items, n=1, cutoff=0.0)
        hint = f"the nearest is {near[0]!r}" if near else "there are none; name their suite with --suite"
        raise vote.line.error(f"no item {vote.item_id!r}; {hint}")
    asks = _group_asks(items[vote.item_id])
    if len(asks) != 1:
        raise vote.line.error(
            f"item {vote.item_id!r} has {len(asks)} yes-or-no questions about a group of images, not 1; "
            "`subitize import readings` takes answers to any question"
        )


def _group_asks(item: Item) -> list[Ask]:
    return [ask for ask in item.asks if ask.group > 1 and isinstance(ask.question, MatchesPrompt | Confirm)]


class _Votes:
    """The votes of a file, the groups they are about, and the images to be added by name.

    A model that ran here, as its options or stored images show, gets no images by name.
    """

    def __init__(
        self,
        votes: Sequence[Vote],
        items: Mapping[str, Item],
        suites: _Suites,
        log: AnswerLog,
        drawn: Iterable[StoredResponse] = (),
        run_here: Iterable[str] = (),
    ) -> None:
        self._log, self._votes, self._items, self._run_here = log, votes, items, set(run_here)
        self._named = [vote for vote in votes if items[vote.item_id].suite in suites]
        self._asks = {id: _group_asks(items[id])[0] for id in {vote.item_id for vote in votes}}
        self._drawn: dict[tuple[str, str], list[StoredResponse]] = defaultdict(list)
        for stored in drawn:
            trial, outcome = stored.response.trial, stored.response.outcome
            self._drawn[trial.item_id, trial.model].append(stored)
            if not (isinstance(outcome, Drawn) and isinstance(outcome.picture, Elsewhere | Attached)):
                self._run_here.add(trial.model)

    def answers(self) -> AnswerLines:
        """Make the readings of all votes; raise an error for the first vote on images that do not exist."""
        named = list(self._name_images())
        return AnswerLines([(vote.line, self._reading(vote)) for vote in self._votes], named)

    def _reading(self, vote: Vote) -> Reading | None:
        ask, drawn = self._asks[vote.item_id], self._drawn.get((vote.item_id, vote.model), [])
        if not drawn:
            known = sorted(model for (item_id, model), own in self._drawn.items() if own and item_id == vote.item_id)
            remedy = (
                "it was run here: let it draw the item, or leave the line out"
                if vote.model in self._run_here
                else "for images that are elsewhere name the suite with --suite"
            )
            raise vote.line.error(
                f"model {vote.model!r} has no images of item {vote.item_id!r} in this run (models that have: "
                f"{', '.join(known) or 'none'}); {remedy}"
            )
        subject = find_group(vote.line, ask, drawn, vote.place)
        return self._log.enter(vote.line, (subject, ask.question), Words(vote.text), _RULE)

    def _name_images(self) -> Iterator[Response]:
        """Make responses for groups of which the run has no image."""
        for vote in self._named:
            size, drawn = self._asks[vote.item_id].group, self._drawn[vote.item_id, vote.model]
            repeats = range((vote.place or 0) * size, ((vote.place or 0) + 1) * size)
            is_there = any(stored.response.trial.repeat in repeats for stored in drawn)
            if is_there or vote.model in self._run_here:
                continue
            for repeat in repeats:
                trial = Trial(vote.item_id, vote.model, {}, repeat)
                name = Elsewhere(f"{vote.model}/{vote.item_id}/{repeat}")
                response = Response(trial, Drawn(name), Provenance(0, task_text(self._items[vote.item_id].task)))
                drawn.append(StoredResponse(trial.id, response, 0.0))
                yield response
