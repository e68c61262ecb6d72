"""GeckoNum's released annotations as a run: its images as responses, its annotators' answers as readings."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import polars as pl
from pydantic_core import from_json

from subitize.errors import ConflictError
from subitize.garbage import uncollected
from subitize.importers.releases import ReleaseSummary
from subitize.labels import Rule, interpret
from subitize.papers.geckonum.items import STRATA
from subitize.papers.geckonum.release import LICENCE, Release, read_release
from subitize.papers.geckonum.released_questions import released_items
from subitize.records import (
    Ask,
    Choose,
    Design,
    Drawn,
    Elsewhere,
    Item,
    Provenance,
    Reading,
    Response,
    Spec,
    Subject,
    Trial,
    Value,
    Words,
)
from subitize.store import Run
from subitize.store.rows import read_answers, read_responses

SUITE = Spec("geckonum", {"prompts": "as released"}, "geckonum (as released)")
JUDGE = "geckonum-annotators"
RULE = Rule("geckonum")


@dataclass(frozen=True, slots=True)
class Importable:
    """A release that was read and found whole, before there is a run."""

    release: Release
    items: list[Item]

    @property
    def warnings(self) -> tuple[str, ...]:
        """What to know of the files, and whose they are."""
        return (*self.release.warnings, LICENCE)

    def store(self, run: Run) -> ReleaseSummary:
        """Add the answers to a run, all or none."""
        return import_geckonum(run, self.release, self.items)


def read_importable(folder: Path) -> Importable:
    """Read a release: what is wrong with its files leaves no run behind."""
    release = read_release(folder)
    return Importable(release, released_items(release))


def import_geckonum(run: Run, release: Release, items: list[Item] | None = None) -> ReleaseSummary:
    """Add the answers of a release to a run, all or none; those about a model and task that it has are left alone.

    The items can be made beforehand: what is wrong with the questions is found then, before there is a run.
    """
    items = released_items(release) if items is None else items
    with run.lease(f"judge {JUDGE}") as lease:
        _add_suite(run, items)
        run.add_judge(Spec(JUDGE, {}, JUDGE), is_stand_in=False)
        new, already_there = _find_new(run, release)
        specs = {name: Spec(name, {"released": "geckonum"}, name) for name, _ in new}
        for spec in specs.values():
            run.add_model(spec, is_stand_in=False)
        trials = _Trials(run, specs)
        asks = {(item.id, ask.wording): ask for item in items for ask in item.asks}
        tables = list(new.values())
        readings = (reading for table in tables for reading in _readings(table, trials, asks))
        with uncollected():
            stored = run.add_judged(lease, trials.responses(tables), readings)
    return ReleaseSummary(*stored, already_there)


def _add_suite(run: Run, items: list[Item]) -> None:
    is_known = any(suite.name == SUITE.name for suite in run.suites())
    run.add_suite(SUITE, 0, items, Design(strata=STRATA))
    if is_known and run.items(SUITE.name) != items:
        raise ConflictError(f"{run.location} has other questions than this release; import it into a new run")


def _find_new(run: Run, release: Release) -> tuple[dict[tuple[str, int], pl.DataFrame], int]:
    """Find the models and tasks that the run has no answers about, and how many answers about others it has."""
    there = _find_answers(run)
    new, known = {}, 0
    for task, answers in release.answers.items():
        for (name,), own in answers.group_by("model", maintain_order=True):
            model = str(name)
            if (model, task) not in there:
                new[model, task] = own
                continue
            if there[model, task] != Counter(own.select("prompt", "seed", "annotator", "raw").iter_rows()):
                message = f"has other answers about {model} in Task {task} than the release"
                raise ConflictError(f"{run.location} {message}; import it into a new run")
            known += own.height
    return new, known


def _find_answers(run: Run) -> dict[tuple[str, int], Counter[tuple[str, int, str, str]]]:
    """Find what annotators said before, by model and task."""
    tasks = {item.id: int(item.factors["task"]) for item in run.items(SUITE.name)}
    trials = {row.trial_id: row for row in read_responses(run) if row.item_id in tasks}
    found: dict[tuple[str, int], Counter[tuple[str, int, str, str]]] = defaultdict(Counter)
    for answer in read_answers(run, JUDGE):
        trial = trials[answer.subject_id]
        raw = str(from_json(answer.evidence)["text"])
        prompt = trial.item_id.partition("/")[2]
        found[trial.model, tasks[trial.item_id]][prompt, trial.repeat, answer.annotator, raw] += 1
    return found


class _Trials:
    """The trials that drew the released images, each with its subject; one that was stored before is not made again."""

    def __init__(self, run: Run, specs: Mapping[str, Spec]) -> None:
        self._specs = specs
        self._finished = set().union(*(run.finished(name) for name in specs))
        self._subjects: dict[tuple[str, str, int], Subject] = {}
        self._provenances: dict[int, Provenance] = {}

    def responses(self, tables: Iterable[pl.DataFrame]) -> Iterator[Response]:
        """Make the responses of all images that are new."""
        for table in tables:
            for model, prompt, seed in table.select("model", "prompt", "seed").unique(maintain_order=True).iter_rows():
                spec = self._specs[model]
                trial = Trial(f"{SUITE.name}/{prompt}", spec.shown, spec.options, seed)
                self._subjects[model, prompt, seed] = Subject((trial.id,))
                if trial.id not in self._finished:
                    self._finished.add(trial.id)
                    provenance = self._provenances.setdefault(seed, Provenance(seed, ""))
                    yield Response(trial, Drawn(Elsewhere(f"{prompt}_{seed}")), provenance)

    def subject(self, model: str, prompt: str, seed: int) -> Subject:
        """Find what an answer is about."""
        return self._subjects[model, prompt, seed]


def _readings(table: pl.DataFrame, trials: _Trials, asks: Mapping[tuple[str, str], Ask]) -> Iterator[Reading]:
    rule = str(RULE)
    questions = {(id.partition("/")[2], wording): ask.question for (id, wording), ask in asks.items()}
    known: dict[object, tuple[Words, Value]] = {}
    columns = table.select("model", "prompt", "seed", "question", "raw", "annotator")
    for model, prompt, seed, wording, raw, annotator in columns.iter_rows():
        question = questions[prompt, wording]
        # What a line means depends on the lines it stands among, a number and a yes do not.
        said = (question, raw) if isinstance(question, Choose) else raw
        if said not in known:
            words = Words(raw)
            known[said] = words, interpret(words, question, RULE)
        words, value = known[said]
        yield Reading(trials.subject(model, prompt, seed), question, JUDGE, words, rule, value, annotator)
