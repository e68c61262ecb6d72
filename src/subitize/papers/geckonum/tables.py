"""Every table and number of GeckoNum (Kajić and others 2024), a function each, of any answers to its questions.

Percentages go from 0 to 100. Intervals are over prompts, whose labels hang together (`shares`). What the paper computes
as if labels were independent, its standard errors and its tests, stands beside them and says so.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from subitize.analysis.published import AS_THE_PAPER, Cell, CellId, make_cell
from subitize.papers.geckonum.annotations import SEEDS, Annotations
from subitize.papers.geckonum.published import DROPS, GROUPS, QUANTIFIERS
from subitize.papers.geckonum.shares import estimate_events, estimate_means
from subitize.records import Estimate
from subitize.stats.agreement import Level, krippendorff_alphas
from subitize.stats.estimate import cluster_mean, subtract_independent
from subitize.stats.ratings import count_ratings
from subitize.stats.significance import chi_squared, significant_shuffles

# What an annotator gets right who answers at random: one of ten numbers; one of three lines in 24 prompts and one of
# five in 45; yes or no.
BASELINES: Mapping[int, float] = {1: 10.0, 2: 100 * (24 / 3 + 45 / 5) / 69, 3: 50.0}
_SMALL = 4  # Tables A3 to A8 keep to numbers that most models can draw
_LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval")
_INDEPENDENT = f"{AS_THE_PAPER}: labels taken as independent"
_QUANTIFIERS = {word: word for word in ("no", "few", "many", "fewer")} | {"as many": "as many as", "more": "more"}


Table = Callable[[Annotations], Iterator[Cell]]


def compute_tables(annotations: Annotations) -> list[Cell]:
    """Compute all tables, in the order of the paper."""
    return [cell for table in TABLES for cell in table(annotations)]


def table_2(annotations: Annotations) -> Iterator[Cell]:
    """Accuracy per task with its standard error, and its distance from chance; Task 1 over all seeds there are.

    The standard error is the paper's, of labels as if they were independent; that by prompt takes types and numbers as
    sampled with the prompts, and is not behind the interval.
    """
    tasks = {1: annotations.counts, 2: annotations.lines, 3: annotations.confirmations}
    chances = find_baselines(annotations)
    for task, labels in tasks.items():
        errors, clustered = _independent_errors(labels), _clustered_errors(labels)
        for (model,), mean in estimate_means(labels, "model").items():
            place = CellId("table2", model, f"task{task}_acc")
            yield to_percent(place, mean)
            sem = place._replace(column=f"task{task}_sem")
            yield Cell(sem, 100 * errors[model], n=mean.n, method=_INDEPENDENT)
            yield to_percent(place._replace(column=f"task{task}_diff"), mean, minus=chances[task])
            yield Cell(place._replace(column=f"task{task}_n"), mean.n, n=mean.n)
            yield Cell(place._replace(column=f"task{task}_sem_by_prompt"), 100 * clustered[model], n=mean.n)
    if annotations.has_graph:
        in_graph = annotations.confirmations.with_columns(right=pl.col("right_in_graph"))
        for (model,), mean in estimate_means(in_graph, "model").items():
            yield to_percent(CellId("table2", model, "task3_graph_acc"), mean)


def find_baselines(annotations: Annotations) -> dict[int, float]:
    """Tell what chance would get right, in percent: for Task 2 it depends on how many lines the prompts have."""
    lines = annotations.questions.filter((pl.col("task") == 2) & pl.col("lines").is_not_null())["lines"].to_numpy()
    return {**BASELINES, 2: 100 * float(np.mean(1 / lines))} if len(lines) else dict(BASELINES)


def figure_3(annotations: Annotations) -> Iterator[Cell]:
    """Accuracy per type of prompt."""
    for labels in (annotations.first_counts, annotations.lines, annotations.confirmations):
        for (type, model), mean in estimate_means(labels, "type", "model").items():
            yield to_percent(CellId("figure3_by_type", type, model), mean)


def figure_5(annotations: Annotations) -> Iterator[Cell]:
    """Accuracy per quantifier."""
    found = estimate_means(annotations.lines, "quantifier", "model")
    for quantifier in QUANTIFIERS:
        for model in annotations.models:
            if (quantifier, model) in found:
                yield to_percent(CellId("figure5", quantifier, model), found[quantifier, model])


def number_curves(annotations: Annotations) -> Iterator[Cell]:
    """Accuracy per number and type of prompt (Figures 4, A2 and A4)."""
    for (type, model, number), mean in annotations.numbers.items():
        yield to_percent(CellId(f"magnitude_{type.replace('-', '_')}", model, f"{number:g}"), mean)


def comparisons(annotations: Annotations) -> Iterator[Cell]:
    """Two groups of prompts each, by chi-squared of labels as if they were independent (Tables A3, A4 and A6 to A8).

    The control is the share of shuffles of the labels between the groups that come out significant; it should be
    about .05 or less.
    """
    shares = estimate_means(group_labels(annotations), "table", "model", "kind")
    for table, names in GROUPS.items():
        for model in annotations.models:
            found = {name: shares[table, model, name] for name in names if (table, model, name) in shares}
            if len(found) == len(names):
                yield from _comparison(CellId(table, model, ""), found)


def group_labels(annotations: Annotations) -> pl.DataFrame:
    """Take the labels of the two groups, `kind`, that each table compares."""
    labels = annotations.first_counts.lazy()
    # The two tables about colours compare the same nouns with and without.
    coloured = annotations.questions.filter(pl.col("type") == "attribute-color")["noun"].unique().to_list()
    kinds = [
        labels.filter(where).select(*_COMPARED, table=pl.lit(table), kind=pl.lit(name))
        for table, groups in _groups(coloured).items()
        for name, where in zip(GROUPS[table], groups, strict=True)
    ]
    return pl.concat(kinds).collect(engine="in-memory")


_COMPARED = ("model", "noun", "truth", "right", "observations", "stratum", "cluster")


def table_a5(annotations: Annotations) -> Iterator[Cell]:
    """How much accuracy drops when a number stands in a prompt with others, which is another prompt."""
    found = annotations.numbers
    for before, after in DROPS:
        for model in annotations.models:
            for number in (1, 2, 3):
                one, other = found.get((before, model, number)), found.get((after, model, number))
                if one and other:
                    place = CellId("A5", f"{before}->{after}", f"{model}_{number}")
                    yield to_percent(place, subtract_independent(other, one))


def table_a10(annotations: Annotations) -> Iterator[Cell]:
    """How many of the annotators asked gave the label of Task 1: of five in the paper."""
    labels = _seat(annotations.first_counts)
    found = {
        panel: estimate_events(own, {f"{votes}": pl.col("top") == votes for votes in range(1, panel + 1)}, "model")
        for panel, own in _panels(labels)
    }
    for model in labels["model"].unique(maintain_order=True):
        for panel, shares in found.items():
            for votes in range(1, panel + 1):
                if (model, f"{votes}") in shares:
                    yield to_percent(CellId("A10", model, f"{votes}/{panel}"), shares[model, f"{votes}"])


def agreement(annotations: Annotations) -> Iterator[Cell]:
    """The share of questions to which at least so many of the annotators asked gave the same answer."""
    tops = {1: annotations.first_counts, 2: annotations.lines, 3: annotations.parts}
    for task, labels in tops.items():
        for panel, own in _panels(_seat(labels)):
            events = {f">={votes}/{panel}": pl.col("top") >= votes for votes in range(panel, panel // 2, -1)}
            shares = estimate_events(own, events)
            for event in events:
                yield to_percent(CellId("agreement", f"task{task}", event), shares[event,])


def krippendorff(annotations: Annotations) -> Iterator[Cell]:
    """Krippendorff's α at three levels of measurement; of one judge alone there is none."""
    for task in (1, 2, 3):
        answers = annotations.of_task(task)
        answers = answers.filter(pl.col("seed") < SEEDS) if task == 1 else answers
        units, values, prompts, people = (answers[name].to_numpy() for name in ("unit", "value", "prompt", "person"))
        ratings = count_ratings(units, values, clusters=prompts, annotators=people)
        for level, alpha in krippendorff_alphas(ratings, _LEVELS).items():
            yield make_cell(CellId("krippendorff", f"task{task}", level), alpha)


def table_a2(annotations: Annotations) -> Iterator[Cell]:
    """The types of prompts: how many there are, and for exact numbers and quantifiers which."""
    for (type,), own in annotations.questions.filter("is_relevant").group_by("type", maintain_order=True):
        yield Cell(CellId("A2", str(type), "prompts"), own["prompt"].n_unique())
        if own["task"][0] == 1:
            numbers = ", ".join(f"{number:g}" for number in own["truth"].unique().sort())
            yield Cell(CellId("A2", str(type), "numbers"), numbers)
        elif own["task"][0] == 2:
            words = (written for word, written in _QUANTIFIERS.items() if (own["quantifier"] == word).any())
            yield Cell(CellId("A2", str(type), "numbers"), ", ".join(words))


def counts(annotations: Annotations) -> Iterator[Cell]:
    """How many answers, images and labels there are."""
    of_task = {number: annotations.of_task(number) for number in (1, 2, 3)}
    found = {f"annotations_task{number}": own.height for number, own in of_task.items()}
    found["annotations_total"] = sum(found.values())
    image = ("model", "prompt", "seed")
    images = (own.select("unit", *image).unique("unit").select(image).n_unique() for own in of_task.values())
    found["images"] = sum(images)
    found["prompts"] = annotations.questions["prompt"].n_unique()
    labels = annotations.counts
    found["labels_task1_5seeds"] = annotations.first_counts.height
    found["labels_task1_all"] = labels.height
    found["labels_task2"] = annotations.lines.height
    # The question-answer pairs that the paper trains and tests vision-language models on (Section D).
    found["qa_imagen_all"] = labels.filter(pl.col("model").str.starts_with("imagen")).height
    found["qa_highagree_nodalle"] = labels.filter((pl.col("top") >= 4) & (pl.col("model") != "dalle_3")).height
    for name, number in found.items():
        yield Cell(CellId("counts", name, "n"), number)


TABLES: tuple[Table, ...] = (
    table_2,
    figure_3,
    figure_5,
    number_curves,
    comparisons,
    table_a5,
    table_a10,
    agreement,
    krippendorff,
    table_a2,
    counts,
)


def _seat(labels: pl.DataFrame) -> pl.DataFrame:
    """Add the `panel`, how many people were asked; where it was one, there is nobody to agree with.

    Eleven labels of the release have four or six people instead of five: a panel as rare as that counts as the usual.
    """
    usual = labels["people"].mode().max()
    is_rare = pl.len().over("people") < _RARE * pl.len()
    panel = pl.when(is_rare).then(pl.lit(usual)).otherwise(pl.col("people")).cast(pl.Int64)
    return labels.with_columns(panel=panel).filter(pl.col("panel") > 1)


_RARE = 0.01


def _panels(labels: pl.DataFrame) -> list[tuple[int, pl.DataFrame]]:
    sizes = labels["panel"].unique().sort(descending=True).to_list()
    return [(panel, labels.filter(pl.col("panel") == panel)) for panel in sizes]


def _independent_errors(labels: pl.DataFrame) -> dict[str, float]:
    error = pl.col("right").std() / pl.len().sqrt()
    return dict(labels.group_by("model").agg(error.fill_null(float("nan"))).iter_rows())


def _clustered_errors(labels: pl.DataFrame) -> dict[str, float]:
    """Get the standard errors that take into account that labels of one prompt are not independent."""
    return {
        str(model): cluster_mean(own["right"].to_numpy(), own["prompt"].rank("dense").to_numpy()).standard_error
        for (model,), own in labels.group_by("model")
    }


def to_percent(place: CellId, mean: Estimate, *, minus: float = 0.0) -> Cell:
    """Write a share as a percentage."""
    value, low, high = (100 * bound - minus for bound in (mean.value, mean.low, mean.high))
    return make_cell(place, replace(mean, value=value, low=low, high=high))


_IS_SMALL = pl.col("truth") <= _SMALL
_SIMPLE = (pl.col("type") == "numeric_simple") & _IS_SMALL
_TWO = (pl.col("type") == "2-additive") & _IS_SMALL
# The one question that must be left out for Table A7 to come out; nobody knows why.
_LEFT_OUT = (
    (pl.col("prompt") == "geckonum_01209")
    & (pl.col("wording") == "How many cats are in the image?")
    & (pl.col("truth") == 4)
)


def _groups(coloured: Sequence[str]) -> dict[str, tuple[pl.Expr, pl.Expr]]:
    """Tell which labels each table compares."""
    is_coloured_noun = pl.col("noun").is_in(list(coloured))
    return {
        "A3": (_SIMPLE & (pl.col("representation") == "digits"), _SIMPLE & (pl.col("representation") == "words")),
        "A4": (_SIMPLE & (pl.col("frequency") == "rare"), _SIMPLE & (pl.col("frequency") == "frequent")),
        "A6": (_SIMPLE & is_coloured_noun, pl.col("type") == "attribute-color"),
        "A7": (_TWO & is_coloured_noun, (pl.col("type") == "2-additive-color") & _IS_SMALL & ~_LEFT_OUT),
        "A8": (_TWO, (pl.col("type") == "attribute-spatial") & _IS_SMALL),
    }


def _comparison(place: CellId, groups: Mapping[str, Estimate]) -> Iterator[Cell]:
    right = [round(share.value * share.n) for share in groups.values()]
    table = np.array([[count, share.n - count] for count, share in zip(right, groups.values(), strict=True)])
    n = int(table.sum())
    test = chi_squared(table)
    yield Cell(place._replace(column="p"), float(test.p), n=n, method=_INDEPENDENT)
    for name, share in groups.items():
        yield to_percent(place._replace(column=f"acc_{name}"), share)
    yield Cell(place._replace(column="N"), n, n=n)
    yield Cell(place._replace(column="chi2"), float(test.statistic), n=n, method=_INDEPENDENT)
    shuffled = significant_shuffles(table)
    if shuffled is not None:
        yield make_cell(place._replace(column="shuffled"), shuffled)
