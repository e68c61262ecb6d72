"""GeckoNum's released annotations as a run: its images as responses, its annotators' answers as readings."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import polars as pl
from pydantic_core import from_json

from subitize.errors import ConflictError
from subitize.imports.releases import Importable, ReleaseSummary
from subitize.io.memory import gc_paused
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
from subitize.store.frames import read_readings, read_responses

SUITE = Spec("geckonum", {"prompts": "as released"}, "geckonum (as released)")
JUDGE = "geckonum-annotators"
RULE = Rule("geckonum")


def read_importable(folder: Path) -> Importable:
    """Read a release: what is wrong with its files leaves no run behind."""
    release = read_release(folder)
    items = released_items(release)
    return Importable((*release.warnings, LICENCE), lambda run: import_geckonum(run, release, items))


def import_geckonum(run: Run, release: Release, items: list[Item] | None = None) -> ReleaseSummary:
    """Add the answers of a release to a run, all or none; those about a model and task that it has are left alone.

    The items can be made beforehand: what is wrong with the questions is found then, before there is a run.
    """
    items = released_items(release) if items is None else items
    with run.lease(f"judge {JUDGE}") as lease:
        is_known = any(suite.name == SUITE.name for suite in run.suites())
        run.add_suite(SUITE, 0, items, Design(strata=STRATA))
        if is_known and run.items(SUITE.name) != items:
            raise ConflictError(f"{run.location} has other questions than this release; import it into a new run")
        run.add_judge(Spec(JUDGE, {}, JUDGE), is_stand_in=False)
        new, already_there = _find_new(run, release)
        specs = {name: Spec(name, {"released": "geckonum"}, name) for name, _ in new}
        for spec in specs.values():
            run.add_model(spec, is_stand_in=False)
        trials = _Trials(run, specs)
        asks = {(item.id, ask.wording): ask for item in items for ask in item.asks}
        tables = list(new.values())
        readings = (reading for table in tables for reading in _readings(table, trials.subjects, asks))
        with gc_paused():
            stored = run.add_judged(lease, trials.responses(tables), readings)
    return ReleaseSummary(*stored, already_there)


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
    answers = read_readings(run, JUDGE, with_evidence=True).join(
        read_responses(run), left_on="subject", right_on="trial"
    )
    found: dict[tuple[str, int], Counter[tuple[str, int, str, str]]] = defaultdict(Counter)
    for model, item, repeat, annotator, evidence in answers.select(
        "model", "item", "repeat", "annotator", "evidence"
    ).iter_rows():
        said = str(from_json(evidence)["text"])
        found[model, tasks[item]][item.partition("/")[2], repeat, annotator, said] += 1
    return found


class _Trials:
    """The trials that drew the released images, each with its subject; one that was stored before is not made again."""

    def __init__(self, run: Run, specs: Mapping[str, Spec]) -> None:
        self._specs = specs
        self._finished = set().union(*(run.finished(name) for name in specs))
        self.subjects: dict[tuple[str, str, int], Subject] = {}

    def responses(self, tables: Iterable[pl.DataFrame]) -> Iterator[Response]:
        """Make the responses of all images that are new."""
        provenances: dict[int, Provenance] = {}
        for table in tables:
            for model, prompt, seed in table.select("model", "prompt", "seed").unique(maintain_order=True).iter_rows():
                spec = self._specs[model]
                trial = Trial(f"{SUITE.name}/{prompt}", spec.shown, spec.options, seed)
                self.subjects[model, prompt, seed] = Subject((trial.id,))
                if trial.id not in self._finished:
                    self._finished.add(trial.id)
                    provenance = provenances.setdefault(seed, Provenance(seed, ""))
                    yield Response(trial, Drawn(Elsewhere(f"{prompt}_{seed}")), provenance)


def _readings(
    table: pl.DataFrame, subjects: Mapping[tuple[str, str, int], Subject], asks: Mapping[tuple[str, str], Ask]
) -> Iterator[Reading]:
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
        yield Reading(subjects[model, prompt, seed], question, JUDGE, words, rule, value, annotator)
