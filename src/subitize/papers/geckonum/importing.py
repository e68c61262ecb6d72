"""Imports GeckoNum's released answers into a run: images become responses, annotators' answers readings."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping

import polars as pl
from pydantic_core import from_json

from subitize import records
from subitize.errors import ConflictError
from subitize.imports.releases import ReleaseSummary
from subitize.io.memory import gc_paused
from subitize.labels import Rule, interpret
from subitize.papers.geckonum.files import GeckonumRelease, released_items
from subitize.papers.geckonum.suite import design_of
from subitize.store import Run
from subitize.store.reading import read_readings, read_responses

RELEASED_SUITE = records.Spec("geckonum", {"prompts": "as released"}, "geckonum (as released)")
JUDGE = "geckonum-annotators"
RULE = Rule("geckonum")


def import_geckonum(run: Run, release: GeckonumRelease, items: list[records.Item] | None = None) -> ReleaseSummary:
    """Add the answers of a release to a run, all or none; models and tasks already there are left alone.

    Pass items made beforehand to find faulty questions before there is a run.
    """
    items = released_items(release) if items is None else items
    with run.lease(f"judge {JUDGE}") as lease:
        is_known = any(suite.name == RELEASED_SUITE.name for suite in run.suites())
        run.add_suite(RELEASED_SUITE, 0, items, design_of(items))
        if is_known and run.items(RELEASED_SUITE.name) != items:
            raise ConflictError(f"{run.location} has other questions than this release; import it into a new run")
        run.add_judge(records.Spec(JUDGE, {}, JUDGE), is_stand_in=False)
        new, already_there = _find_new(run, release)
        specs = {name: records.Spec(name, {"released": "geckonum"}, name) for name, _ in new}
        for spec in specs.values():
            run.add_model(spec, is_stand_in=False)
        trials = _Trials(run, specs)
        asks = {(item.id, ask.wording): ask for item in items for ask in item.asks}
        tables = list(new.values())
        readings = (reading for table in tables for reading in _readings(table, trials.subjects, asks))
        with gc_paused():
            stored = run.add_judged(lease, trials.responses(tables), readings)
    return ReleaseSummary(*stored, already_there)


def _find_new(run: Run, release: GeckonumRelease) -> tuple[dict[tuple[str, int], pl.DataFrame], int]:
    """Find the models and tasks that the run has no answers about, and count its answers about the others."""
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
    """Collect the annotators' answers already in the run, by model and task."""
    tasks = {item.id: int(item.factors["task"]) for item in run.items(RELEASED_SUITE.name)}
    answers = read_readings(run, JUDGE, ("subject", "annotator", "evidence")).join(
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
    """The trials that drew the released images, each with its subject; trials already stored are not repeated."""

    def __init__(self, run: Run, specs: Mapping[str, records.Spec]) -> None:
        self._specs = specs
        self._finished = set().union(*(run.finished(name) for name in specs))
        self.subjects: dict[tuple[str, str, int], records.Subject] = {}

    def responses(self, tables: Iterable[pl.DataFrame]) -> Iterator[records.Response]:
        """Make the responses of all new images."""
        provenances: dict[int, records.Provenance] = {}
        for table in tables:
            for model, prompt, seed in table.select("model", "prompt", "seed").unique(maintain_order=True).iter_rows():
                spec = self._specs[model]
                trial = records.Trial(f"{RELEASED_SUITE.name}/{prompt}", spec.text, spec.options, seed)
                self.subjects[model, prompt, seed] = records.Subject((trial.id,))
                if trial.id not in self._finished:
                    self._finished.add(trial.id)
                    provenance = provenances.setdefault(seed, records.Provenance(seed, ""))
                    yield records.Response(trial, records.Drawn(records.Elsewhere(f"{prompt}_{seed}")), provenance)


def _readings(
    table: pl.DataFrame,
    subjects: Mapping[tuple[str, str, int], records.Subject],
    asks: Mapping[tuple[str, str], records.Ask],
) -> Iterator[records.Reading]:
    rule = str(RULE)
    questions = {(id.partition("/")[2], wording): ask.question for (id, wording), ask in asks.items()}
    known: dict[object, tuple[records.Words, records.Value]] = {}
    columns = table.select("model", "prompt", "seed", "question", "raw", "annotator")
    for model, prompt, seed, wording, raw, annotator in columns.iter_rows():
        question = questions[prompt, wording]
        # What a line means depends on the other lines offered; a number or a yes means the same everywhere.
        said = (question, raw) if isinstance(question, records.Choose) else raw
        if said not in known:
            words = records.Words(raw)
            known[said] = words, interpret(words, question, RULE)
        words, value = known[said]
        yield records.Reading(subjects[model, prompt, seed], question, JUDGE, words, rule, value, annotator)
