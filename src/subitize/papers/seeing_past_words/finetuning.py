"""Finetuning on the counting probe, as for Table 3: what is learnt of counting, what is kept of matching.

The paper reports the best of 20 evaluations on validation and test data together, which were not held out for choosing;
so the last evaluation is shown beside the best, and test data beside both."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from statistics import fmean, stdev
from typing import Any, NamedTuple

from subitize.analysis.published import CellId
from subitize.errors import BadValueError, NothingToDoError
from subitize.interfaces import Events
from subitize.io.outputs import make_folder, write_atomic
from subitize.networks import weights
from subitize.networks.vilbert import ViLBertNetwork
from subitize.papers.seeing_past_words import measures
from subitize.papers.seeing_past_words.build import find_images
from subitize.papers.seeing_past_words.probes import CaptionPair, Probe, read_records
from subitize.papers.seeing_past_words.suite import FORMATS
from subitize.papers.seeing_past_words.tables import PRINTED, find_model
from subitize.report.charts import COLOURS, field, lay_out, layer
from subitize.report.table import Column, Document, Figure, Result, Section, Table
from subitize.report.writers import to_html
from subitize.suites.checks import check_known
from subitize.training.checkpoints import keep_settings
from subitize.training.loop import Figures, Progress, TrainingPlan, train
from subitize.training.matching import MatchingTask, Pair, Parent, TrainedPictures, refuse_overlap
from subitize.training.recipes import TrainingRecipe

BOTH, ALIGNMENT = "validation + test", "alignment"
HEADLINE = f"{BOTH} · accuracy"
_COLUMNS = {
    "acc": "accuracy",
    "p_c": "precision_right",
    "p_f": "precision_foiled",
    "acc_r": "pairwise_accuracy_ties_win",
}
_SHOWN = (*_COLUMNS.values(), "recall_right", "recall_foiled", "balanced_accuracy", "pairwise_accuracy", "auroc")
_SHOWN_OF_PARITIES = ("accuracy", "pairwise_accuracy_ties_win", "pairwise_accuracy")
_PARITIES = {"even": 0, "odd": 1}
NUMBERS = ("all", *_PARITIES)


RECIPE = TrainingRecipe("seeing-past-words", 16, 20, 4e-5, 0.01, 0.1, head_rate=1e-4, epsilon=1e-6, corrects_bias=False)


@dataclass(frozen=True, slots=True)
class ProbeTraining:
    """What to train on: a split of the probes in a format, of all answers or of even or odd ones; and how."""

    recipe: TrainingRecipe = RECIPE
    split: str = "standard"
    form: str = "declarative"
    numbers: str = "all"
    seeds: Sequence[int] = (0, 1, 2)
    images: Path | None = None
    alignment: Path | None = None
    patience: int = 0
    precision: str = "no"
    is_on_cpu: bool = False

    def __post_init__(self) -> None:
        check_known("format", [self.form], FORMATS)
        check_known("numbers", [self.numbers], NUMBERS)
        if not self.seeds or len(set(self.seeds)) < len(self.seeds):
            raise BadValueError(f"`seeds` {', '.join(map(str, self.seeds))}: should be different numbers")


def train_probe(model: str, file: Path, out: Path, training: ProbeTraining, events: Events) -> Result:
    """Finetune a model from each seed, and write its folders, the figures and a page of them."""
    pairs = _read_pairs(file, training)
    parent = Parent.load(model, training.seeds[0])
    pictures = _find_pictures(pairs, parent, training)
    refuse_overlap(*pairs, pictures.hashes)
    settings = _describe(parent, training, _hash(pairs, pictures.hashes))
    keep_settings(out, settings)
    events.warn(f"the accuracy on {BOTH} chooses the best epoch, as in the paper; these data are not held out then")
    told = {**settings, "versions": weights.name_versions("torch", "transformers", "accelerate")}
    found: dict[int, Progress] = {}
    for seed in training.seeds:
        make_folder(out / f"seed-{seed}")
        task = MatchingTask(Parent.load(model, seed), pairs, pictures, _measure, HEADLINE)
        plan = TrainingPlan(training.recipe, seed, 1, training.patience, training.precision, training.is_on_cpu)
        found[seed] = train(task, plan, out / f"seed-{seed}", told, events)
    result = _compare(_name_model(parent), training, found)
    title = f"{model}, {training.split}, {training.form}."
    page = Document("Finetuning on the counting probe", title, _sections(result, found))
    write_atomic(out / "report.html", (text.encode() for text in to_html(page)))
    return result.say(f"models: {out}/seed-{training.seeds[0]}/best and so on; learning curves: {out}/report.html")


def _describe(parent: Parent, training: ProbeTraining, data: str) -> dict[str, Any]:
    """Describe what is trained and how, for the folder and its models."""
    return {
        "model": parent.spec,
        "parent_weights_sha256": weights.hash_weights(parent.folder),
        "head": parent.head,
        "split": training.split,
        "format": training.form,
        "numbers": training.numbers,
        "recipe": asdict(training.recipe),
        "patience": training.patience,
        "precision": training.precision,
        "data_sha256": data,
    }


def _name_model(parent: Parent) -> str | None:
    """Name the paper's model, if it is one of them."""
    is_multi_task = isinstance(parent.network, ViLBertNetwork) and parent.network.task is not None
    return find_model(parent.spec.partition(":")[0] + " 12-in-1" * is_multi_task)


Pairs = tuple[Sequence[Pair], Sequence[Pair]]


def _read_pairs(file: Path, training: ProbeTraining) -> Pairs:
    """Read what is trained on, and what is tested on: counting, and matching if that is given."""
    probes = [probe for probe in read_records(file, Probe) if probe.split == training.split]
    check_known("split", [training.split], {probe.split for probe in probes} or {"none in the file"})
    train_on: list[Pair] = []
    tests: list[Pair] = []
    for probe in probes:
        is_wanted = training.numbers == "all" or probe.answer % 2 == _PARITIES[training.numbers]
        if probe.part != "train":
            tests += _pairs(probe, training.form)
        elif is_wanted:
            train_on += _pairs(probe, training.form)
    if not train_on or not tests:
        raise NothingToDoError(
            f"{file}: the split {training.split} has {len(train_on)} texts to train on and {len(tests)} to test on; "
            "make probes of the released files of all parts"
        )
    for one in read_records(training.alignment, CaptionPair) if training.alignment else ():
        for text, is_right in ((one.caption, True), (one.foil, False)):
            tests.append(Pair(one.id, one.image, text, is_right, ALIGNMENT))
    return train_on, tests


def _pairs(probe: Probe, form: str) -> Iterator[Pair]:
    for one in probe.candidates():
        text = probe.question_with(one.number) if form == "qa" else one.statement
        yield Pair(probe.id, probe.image, text, one.is_right, f"{probe.part} {probe.answer}")


def _find_pictures(pairs: Pairs, parent: Parent, training: ProbeTraining) -> TrainedPictures:
    names = [pair.picture for own in pairs for pair in own]
    if parent.regions is None and training.images is None:
        raise BadValueError(f"{parent.spec} looks at pixels; name the folder of the pictures: `images`")
    files = find_images(names, training.images) if training.images and parent.regions is None else {}
    return TrainedPictures.of(names, parent.regions, files)


def _hash(pairs: Pairs, hashes: Mapping[str, str]) -> str:
    """Hash what is trained and tested on: texts, answers, and what is in pictures."""
    rows = [[*pair, hashes[pair.picture]] for own in pairs for pair in own]
    return sha256(json.dumps([rows, len(pairs[0])]).encode()).hexdigest()


def _measure(tests: Sequence[Pair], scores: Sequence[float]) -> Figures:
    """Compute figures in percent: of both parts, of test data, of even and odd answers, and of matching."""
    rows = list(zip(tests, scores, strict=True))
    counting = [row for row in rows if row[0].group != ALIGNMENT]
    chosen = {
        BOTH: counting,
        "test": [row for row in counting if row[0].group.startswith("test")],
        ALIGNMENT: [row for row in rows if row[0].group == ALIGNMENT],
    }
    for name, rest in _PARITIES.items():
        chosen[f"{BOTH}, {name}"] = [row for row in counting if int(row[0].group.split()[1]) % 2 == rest]
    found: Figures = {}
    for name, own in chosen.items():
        if own:
            texts = measures.make_pairs(
                [score for _, score in own],
                [pair.is_right for pair, _ in own],
                [f"{pair.group.split()[0]} {pair.key}" for pair, _ in own],
                [pair.picture for pair, _ in own],
            )
            measured = measures.measure_pairs(texts)
            shown = _SHOWN_OF_PARITIES if name.endswith(tuple(_PARITIES)) else _SHOWN
            found |= {f"{name} · {key}": 100 * measured[key].value for key in shown if key in measured}
    return found


class _Spread(NamedTuple):
    """The mean over seeds, and the standard deviation, with n − 1."""

    mean: float
    sd: float | None

    def __str__(self) -> str:
        return f"{self.mean:.1f}" + ("" if self.sd is None else f" ({self.sd:.1f})")


def _spread(values: Sequence[float]) -> _Spread:
    return _Spread(fmean(values), stdev(values) if len(values) > 1 else None)


def _compare(model: str | None, training: ProbeTraining, found: Mapping[int, Progress]) -> Result:
    """Compare what came before with the last and the best evaluation, and with the printed cell of Table 3."""
    moments = {
        "before": [one.history[0] for one in found.values()],
        "last": [one.history[-1] for one in found.values()],
        "best": [one.best(HEADLINE) for one in found.values()],
    }
    given = {name for rows in moments.values() for row in rows for name in row if "·" in name}
    data = dict.fromkeys(name.split(" · ")[0] for name in moments["last"][0] if "·" in name)
    names = [f"{of} · {measure}" for of in data for measure in _SHOWN if f"{of} · {measure}" in given]
    printed = _find_printed(model, training)
    records: list[dict[str, Any]] = []
    for name in names:
        record: dict[str, Any] = {"data": name.split(" · ")[0], "measure": name.split(" · ")[1]}
        for moment, rows in moments.items():
            values = [row[name] for row in rows if name in row]
            spread = _spread(values) if values else None
            record |= {moment: spread and spread.mean, f"{moment}_sd": spread and spread.sd, f"{moment}_n": len(values)}
            record[f"_{moment}"] = "" if spread is None else str(spread)
        record["published"] = printed.get(record["measure"], "") if record["data"] == BOTH else ""
        records.append(record)
    seeds = ", ".join(f"{seed}: epoch {one.best(HEADLINE)['epoch']:g}" for seed, one in found.items())
    table = Table.of(
        "finetuning",
        f"Counting probe, {training.split}, {training.form}, %",
        [Column.text(name) for name in ("Data", "Measure", "Before", "Last", "Best", "Table 3")],
        [(*(one[key] for key in ("data", "measure", "_before", "_last", "_best", "published")),) for one in records],
        f"Mean over {len(found)} seeds, with the standard deviation (n − 1) in brackets. Best is the evaluation with "
        f"the highest accuracy on {BOTH} ({seeds}), as the paper has it; ties count as wins where it says so.",
    )
    plain = [{key: value for key, value in one.items() if not key.startswith("_")} for one in records]
    return Result((table,), plain)


def _find_printed(model: str | None, training: ProbeTraining) -> dict[str, str]:
    """Find the printed cells, by measure; they are of the authors' recipe."""
    if model is None or training.numbers != "all" or "changed" in training.recipe.name:
        return {}
    row = f"{model} · {training.split} · {training.form}"
    cells = {
        measure: [PRINTED.get(CellId("table3", row, name)) for name in (column, f"{column}_sd")]
        for column, measure in _COLUMNS.items()
    }
    return {measure: f"{mean} ({sd})" for measure, (mean, sd) in cells.items() if mean is not None}


def _sections(result: Result, found: Mapping[int, Progress]) -> tuple[Section, ...]:
    """Lay out the table and the learning curves."""
    shown = (HEADLINE, f"{BOTH} · pairwise_accuracy", f"{ALIGNMENT} · accuracy", "loss")
    figures = [_draw_curve(place, name, found) for place, name in enumerate(shown)]
    section = Section.of("finetuning", "Finetuning", *result.tables, *figures)
    return (section,) if section else ()


def _draw_curve(place: int, name: str, found: Mapping[int, Progress]) -> Figure | None:
    points = [(str(seed), row["epoch"], row[name]) for seed, one in found.items() for row in one.history if name in row]
    if not points:
        return None
    rows = [{"seed": seed, "epoch": epoch, "value": value} for seed, epoch, value in points]
    encoding = {
        "x": field("epoch", "quantitative", title="epoch"),
        "y": field("value", "quantitative", title=name, scale={"zero": False}),
        "color": field("seed", "nominal", title="seed", scale={"range": COLOURS}),
    }
    chart = lay_out(rows, [layer("line", encoding), layer("point", encoding)], height=220)
    data = Table.of(f"curve-{place}", name, ("Seed", "Epoch", "Value"), points)
    alt = f"A line for each seed: {name} by epoch."
    return Figure(f"curve-{place}", name, chart, f"{name}, by epoch and seed.", alt, data)
