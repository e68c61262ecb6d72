"""Imports people's votes on groups of images, success or failure, from a CSV as readings of a run."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path

from subitize import records
from subitize.errors import BadFileError, BadValueError, NotARunError
from subitize.imports.answers import AnswerLines, AnswerLog, ImportSummary, check_judge, find_group, read_place
from subitize.interfaces import Suite
from subitize.io.files import CsvRow, read_lines
from subitize.labels import Rule, interpret
from subitize.labels.interpretation import VOTES_AGAINST, VOTES_FOR
from subitize.registry import Resolved, make_items
from subitize.store import Location, Run, StoredResponse

COLUMNS = "annotator, model, item, vote; optional: group"
_NEEDED = tuple((name,) for name in ("annotator", "model", "item", "vote"))
_RULE = Rule("votes")


def _read_votes(path: Path) -> list[CsvRow]:
    """Read the votes of a file; the first bad line raises an error."""
    seen: dict[tuple[str | int, ...], int] = {}
    votes = list(read_lines(path, _NEEDED, COLUMNS, allow_pipe=True))
    for line in votes:
        annotator, model, item, vote = (line.get(name) for (name,) in _NEEDED)
        if empty := [name for (name,) in _NEEDED if not line.get(name)]:
            raise line.error(f"{empty[0]} should not be empty")
        if isinstance(interpret(records.Words(vote), records.MatchesPrompt(), _RULE), records.Discarded):
            known = f"{', '.join(VOTES_FOR)}, or {', '.join(VOTES_AGAINST)}"
            raise line.error(f"vote {vote!r}: should be one of {known}")
        first = seen.setdefault((annotator, model, item, read_place(line) or 0), line.number)
        if first != line.number:
            raise line.error(f"{annotator!r} votes on this group a second time, first in line {first}")
    if not votes:
        raise BadFileError(f"{path.name}: no votes in it; a line each: {COLUMNS}")
    return votes


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
            run.add_model(records.Spec(model, {}, model), is_stand_in=False)
        return answers.add(run, lease, judge)


_Suites = dict[str, tuple[records.Spec, int, list[records.Item], records.Design]]


def _check(
    path: Path, judge: str, suites: Iterable[Resolved[Suite]], run: Run | None
) -> tuple[list[CsvRow], dict[str, records.Item], _Suites]:
    """Read and check the votes of a file and the items they may be about, made with the seeds of the run."""
    check_judge(judge)
    votes = _read_votes(path)
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
            raise BadValueError(f"`suite` {name}: none of its items has a yes-or-no question about a group of images")
    return votes, items, made


def _check_item(line: CsvRow, items: Mapping[str, records.Item]) -> None:
    """Refuse a vote on an unknown item, or one without exactly one question about a group of images."""
    name = line.get("item")
    if name not in items:
        near = get_close_matches(name, items, n=1, cutoff=0.0)
        hint = f"the nearest is {near[0]!r}" if near else "there are none; name their suite with `suite`"
        raise line.error(f"no item {name!r}; {hint}")
    asks = _group_asks(items[name])
    if len(asks) != 1:
        remedy = "`subitize import readings` takes answers to any question"
        raise line.error(f"item {name!r} has {len(asks)} yes-or-no questions about a group of images, not 1; {remedy}")


def _group_asks(item: records.Item) -> list[records.Ask]:
    return [
        ask for ask in item.asks if ask.group > 1 and isinstance(ask.question, records.MatchesPrompt | records.Confirm)
    ]


class _Votes:
    """The votes of a file, the groups they are about, and the images to be added by name.

    A model that ran here, as its options or stored images show, gets no images by name.
    """

    def __init__(
        self,
        votes: Sequence[CsvRow],
        items: Mapping[str, records.Item],
        suites: _Suites,
        log: AnswerLog,
        drawn: Iterable[StoredResponse] = (),
        run_here: Iterable[str] = (),
    ) -> None:
        self._log, self._votes, self._items, self._run_here = log, votes, items, set(run_here)
        self._named = [line for line in votes if items[line.get("item")].suite in suites]
        self._asks = {id: _group_asks(items[id])[0] for id in {line.get("item") for line in votes}}
        self._drawn: dict[tuple[str, str], list[StoredResponse]] = defaultdict(list)
        for stored in drawn:
            trial, outcome = stored.response.trial, stored.response.outcome
            self._drawn[trial.item_id, trial.model].append(stored)
            picture = outcome.picture if isinstance(outcome, records.Drawn) else None
            if not isinstance(picture, records.Elsewhere | records.Attached):
                self._run_here.add(trial.model)

    def answers(self) -> AnswerLines:
        """Make the readings of all votes; raise an error for the first vote on images that do not exist."""
        named = list(self._name_images())
        return AnswerLines([(line, self._reading(line)) for line in self._votes], named)

    def _reading(self, line: CsvRow) -> records.Reading | None:
        item, model = line.get("item"), line.get("model")
        ask, drawn = self._asks[item], self._drawn.get((item, model), [])
        if not drawn:
            known = sorted(one for (item_id, one), own in self._drawn.items() if own and item_id == item)
            remedy = "for images that are elsewhere name the suite with `suite`"
            if model in self._run_here:
                remedy = "it was run here: let it draw the item, or leave the line out"
            raise line.error(
                f"model {model!r} has no images of item {item!r} in this run (models that have: "
                f"{', '.join(known) or 'none'}); {remedy}"
            )
        subject = find_group(line, ask, drawn, read_place(line))
        return self._log.enter(line, (subject, ask.question), records.Words(line.get("vote")), _RULE)

    def _name_images(self) -> Iterator[records.Response]:
        """Make responses for groups of which the run has no image."""
        for line in self._named:
            item, model, place = line.get("item"), line.get("model"), read_place(line) or 0
            size, drawn = self._asks[item].group, self._drawn[item, model]
            repeats = range(place * size, (place + 1) * size)
            is_there = any(stored.response.trial.repeat in repeats for stored in drawn)
            if is_there or model in self._run_here:
                continue
            for repeat in repeats:
                trial = records.Trial(item, model, {}, repeat)
                name = records.Elsewhere(f"{model}/{item}/{repeat}")
                response = records.Response(
                    trial, records.Drawn(name), records.Provenance(0, records.task_text(self._items[item].task))
                )
                drawn.append(StoredResponse(trial.id, response, 0.0))
                yield response
