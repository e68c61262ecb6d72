"""Every table and number of GeckoNum (Kajić et al. 2024), computed from any answers to its questions.

Printed figures (published.csv) come from the paper, Evaluating Numerical Reasoning in Text-to-Image Models: Table 2,
Figure 5, Tables A2–A8 and A10, Appendix C.2. Percentages go from 0 to 100: 77 where the paper prints 0.77. The paper
does not name the level of measurement of Krippendorff's α; its .865 is the nominal one. Intervals are over prompts,
since labels of the same prompt are correlated. Standard errors and tests that the paper computes as if labels were
independent are kept next to ours, and marked. Tables that the paper lacks follow: how images fail, what makes them
right, and which models are better."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from subitize.analysis.design import UNITS, units_of
from subitize.analysis.published import (
    AS_THE_PAPER,
    Cell,
    CellId,
    ComparedCell,
    compare_cell,
    make_cell,
    read_published,
)
from subitize.errors import BadValueError
from subitize.interfaces import Tables
from subitize.papers.geckonum.labels import (
    SEEDS,
    Annotations,
    estimate_events,
    estimate_means,
    estimate_outcomes,
    read_released,
    read_run,
)
from subitize.papers.geckonum.release import LICENCE, MANY, MODELS, read_release
from subitize.records import Estimate
from subitize.stats.agreement import Level, krippendorff_alphas
from subitize.stats.compare import SharedClusters, compare_all, rank_models
from subitize.stats.estimate import share_levels, standard_error, subtract_independent
from subitize.stats.ratings import count_ratings
from subitize.stats.regression import INTERCEPT, LogisticFit, build_design, fit_logistic
from subitize.stats.significance import chi_squared, significant_shuffles

PUBLISHED: Mapping[CellId, str] = read_published(Path(__file__).with_name("published.csv"))
"""Every printed cell, by its place in `subitize report reproduce geckonum --json`."""

QUANTIFIERS: tuple[str, ...] = ("many", "few", "no", "fewer", "more", "as many")
GROUPS: Mapping[str, tuple[str, str]] = {
    "A3": ("D", "W"),
    "A4": ("R", "F"),
    "A6": ("NC", "C"),
    "A7": ("2A", "2AC"),
    "A8": ("NS", "S"),
}
"""The two groups of each table: digits and words, rare and frequent nouns, without and with colour, …"""

DROPS: tuple[tuple[str, str], ...] = (
    ("numeric_simple", "2-additive"),
    ("2-additive", "3-additive"),
    ("numeric_simple", "3-additive"),
)

# Expected accuracy of random answers: one of ten numbers; one of three lines in 24 prompts and one of
# five in 45; yes or no.
BASELINES: Mapping[int, float] = {1: 10.0, 2: 100 * (24 / 3 + 45 / 5) / 69, 3: 50.0}
_SMALL = 4  # Tables A3 to A8 only have numbers that most models can draw
_LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval")
_INDEPENDENT = f"{AS_THE_PAPER}: labels taken as independent"
_QUANTIFIERS = {word: word for word in ("no", "few", "many", "fewer")} | {"as many": "as many as", "more": "more"}


Table = Callable[[Annotations], Iterator[Cell]]


def compute_tables(annotations: Annotations) -> list[Cell]:
    """Compute all tables, in the order of the paper."""
    return [cell for table in TABLES for cell in table(annotations)]


def table_2(annotations: Annotations) -> Iterator[Cell]:
    """Accuracy by task with its standard error and its distance from chance; Task 1 over all seeds.

    The first standard error is the paper's, for independent labels. The one by prompt treats types and numbers as
    sampled with the prompts; the interval does not use it.
    """
    chances = find_baselines(annotations)
    for task, labels in annotations.labels_by_task.items():
        error = (pl.col("right").std() / pl.len().sqrt()).fill_null(float("nan"))
        errors, clustered = dict(labels.group_by("model").agg(error).iter_rows()), _clustered_errors(labels)
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
    """Return the accuracy of chance in percent; in Task 2 it depends on how many lines the prompts have."""
    lines = annotations.questions.filter((pl.col("task") == 2) & pl.col("lines").is_not_null())["lines"].to_numpy()
    return {**BASELINES, 2: 100 * float(np.mean(1 / lines))} if len(lines) else dict(BASELINES)


def figure_3(annotations: Annotations) -> Iterator[Cell]:
    """Accuracy by type of prompt."""
    for labels in (annotations.first_counts, annotations.lines, annotations.confirmations):
        for (type, model), mean in estimate_means(labels, "type", "model").items():
            yield to_percent(CellId("figure3_by_type", type, model), mean, model, type)


def figure_5(annotations: Annotations) -> Iterator[Cell]:
    """Accuracy by quantifier."""
    found = estimate_means(annotations.lines, "quantifier", "model")
    for quantifier in QUANTIFIERS:
        for model in annotations.models:
            if (quantifier, model) in found:
                yield to_percent(CellId("figure5", quantifier, model), found[quantifier, model], model, quantifier)


def number_curves(annotations: Annotations) -> Iterator[Cell]:
    """Accuracy by number and type of prompt (Figures 4, A2 and A4)."""
    for (type, model, number), mean in annotations.numbers.items():
        place = CellId(f"magnitude_{type.replace('-', '_')}", model, f"{number:g}")
        yield to_percent(place, mean, model, int(number))


def comparisons(annotations: Annotations) -> Iterator[Cell]:
    """Pairs of groups of prompts, by a chi-squared test on labels as if independent (Tables A3, A4, A6 to A8).

    The control is the share of significant results after shuffling labels between the groups; it should be about .05 or
    less.
    """
    shares = estimate_means(group_labels(annotations), "table", "model", "kind")
    for table, names in GROUPS.items():
        for model in annotations.models:
            found = {name: shares[table, model, name] for name in names if (table, model, name) in shares}
            if len(found) == len(names):
                yield from _comparison(CellId(table, model, ""), found)


def group_labels(annotations: Annotations) -> pl.DataFrame:
    """Collect the labels of the two groups (`kind`) that each table compares."""
    labels = annotations.first_counts.lazy()
    # The two tables about colours compare the same nouns with and without one.
    coloured = annotations.questions.filter(pl.col("type") == "attribute-color")["noun"].unique().to_list()
    kinds = [
        labels.filter(where).select(*_COMPARED, table=pl.lit(table), kind=pl.lit(name))
        for table, groups in _groups(coloured).items()
        for name, where in zip(GROUPS[table], groups, strict=True)
    ]
    return pl.concat(kinds).collect(engine="in-memory")


_COMPARED = ("model", "noun", "truth", "right", "observations", "stratum", "cluster")


def table_a5(annotations: Annotations) -> Iterator[Cell]:
    """The drop in accuracy when a number is requested together with others, in another prompt."""
    found = annotations.numbers
    for before, after in DROPS:
        for model in annotations.models:
            for number in (1, 2, 3):
                one, other = found.get((before, model, number)), found.get((after, model, number))
                if one and other:
                    place = CellId("A5", f"{before}->{after}", f"{model}_{number}")
                    yield to_percent(place, subtract_independent(other, one), model, before, after, number)


def table_a10(annotations: Annotations) -> Iterator[Cell]:
    """How many of the annotators gave the label of Task 1: of five in the paper."""
    labels = _seat(annotations.first_counts)
    found = {
        panel: estimate_events(own, {f"{votes}": pl.col("top") == votes for votes in range(1, panel + 1)}, "model")
        for panel, own in _panels(labels)
    }
    for model in labels["model"].unique(maintain_order=True):
        for panel, shares in found.items():
            for votes in range(1, panel + 1):
                if (model, f"{votes}") in shares:
                    place = CellId("A10", model, f"{votes}/{panel}")
                    yield to_percent(place, shares[model, f"{votes}"], model, (votes, panel))


def agreement(annotations: Annotations) -> Iterator[Cell]:
    """The share of questions to which at least a given number of annotators gave the same answer."""
    tops = {1: annotations.first_counts, 2: annotations.lines, 3: annotations.parts}
    for task, labels in tops.items():
        for panel, own in _panels(_seat(labels)):
            majorities = range(panel, panel // 2, -1)
            shares = estimate_events(own, {votes: pl.col("top") >= votes for votes in majorities})
            for votes in majorities:
                place = CellId("agreement", f"task{task}", f">={votes}/{panel}")
                yield to_percent(place, shares[votes,], f"task{task}", (votes, panel))


def krippendorff(annotations: Annotations) -> Iterator[Cell]:
    """Krippendorff's α at three levels of measurement; undefined for a single judge."""
    for task in (1, 2, 3):
        answers = annotations.of_task(task)
        answers = answers.filter(pl.col("seed") < SEEDS) if task == 1 else answers
        units, values, prompts, people = (answers[name].to_numpy() for name in ("unit", "value", "prompt", "person"))
        ratings = count_ratings(units, values, clusters=prompts, annotators=people)
        for level, alpha in krippendorff_alphas(ratings, _LEVELS).items():
            yield make_cell(CellId("krippendorff", f"task{task}", level), alpha)


def table_a2(annotations: Annotations) -> Iterator[Cell]:
    """The number of prompts by type, with their numbers or quantifiers."""
    for (type,), own in annotations.questions.filter("is_relevant").group_by("type", maintain_order=True):
        yield Cell(CellId("A2", str(type), "prompts"), own["prompt"].n_unique())
        if own["task"][0] == 1:
            numbers = ", ".join(f"{number:g}" for number in own["truth"].unique().sort())
            yield Cell(CellId("A2", str(type), "numbers"), numbers)
        elif own["task"][0] == 2:
            words = (written for word, written in _QUANTIFIERS.items() if (own["quantifier"] == word).any())
            yield Cell(CellId("A2", str(type), "numbers"), ", ".join(words))


def counts(annotations: Annotations) -> Iterator[Cell]:
    """The numbers of answers, images and labels."""
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
    # The question-answer pairs on which the paper trains and tests vision-language models (Section D).
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
    """Add the `panel`, the number of people asked; panels of one are left out, as agreement needs two.

    Eleven labels of the release have four or six people instead of five: panels this rare count as the usual size.
    """
    usual = labels["people"].mode().max()
    is_rare = pl.len().over("people") < _RARE * pl.len()
    panel = pl.when(is_rare).then(pl.lit(usual)).otherwise(pl.col("people")).cast(pl.Int64)
    return labels.with_columns(panel=panel).filter(pl.col("panel") > 1)


_RARE = 0.01


def _panels(labels: pl.DataFrame) -> list[tuple[int, pl.DataFrame]]:
    sizes = labels["panel"].unique().sort(descending=True).to_list()
    return [(panel, labels.filter(pl.col("panel") == panel)) for panel in sizes]


def _clustered_errors(labels: pl.DataFrame) -> dict[str, float]:
    """Compute standard errors with prompts as clusters."""
    return {
        str(model): standard_error(own["right"].to_numpy(), own["prompt"].rank("dense").to_numpy())
        for (model,), own in labels.group_by("model")
    }


def to_percent(place: CellId, mean: Estimate, *parts: object, minus: float = 0.0) -> Cell:
    """Convert a share to a cell in percent."""
    value, low, high = (100 * bound - minus for bound in (mean.value, mean.low, mean.high))
    return make_cell(place, replace(mean, value=value, low=low, high=high), *parts)


_IS_SMALL = pl.col("truth") <= _SMALL
_SIMPLE = (pl.col("type") == "numeric_simple") & _IS_SMALL
_TWO = (pl.col("type") == "2-additive") & _IS_SMALL
# Table A7 only reproduces if this one question is excluded. The reason is unknown.
_LEFT_OUT = (
    (pl.col("prompt") == "geckonum_01209")
    & (pl.col("wording") == "How many cats are in the image?")
    & (pl.col("truth") == 4)
)


def _groups(coloured: Sequence[str]) -> dict[str, tuple[pl.Expr, pl.Expr]]:
    """Select the labels that each table compares."""
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


_IMAGE = ("model", "type", "prompt", "seed", "stratum", "cluster")


def failures_of_counts(annotations: Annotations) -> Iterator[Cell]:
    """Outcomes of single counts: right, absent, too few or too many."""
    label, truth = pl.col("label"), pl.col("truth")
    outcome = (
        pl.when(label == truth)
        .then(pl.lit("right"))
        .when(label == 0)
        .then(pl.lit("absent"))
        .when(label < truth)
        .then(pl.lit("too few"))
        .otherwise(pl.lit("too many"))
    )
    counts = annotations.counts.filter(pl.col("place").is_null()).with_columns(outcome.alias("outcome"))
    return _shares("failures_of_counts", counts)


def failures_of_images(annotations: Annotations) -> Iterator[Cell]:
    """Outcomes of images with several kinds of things.

    All right; all numbers right but something misplaced; all present in wrong numbers; one kind of thing left out, or
    several.
    """
    is_right = pl.col("right") == 1
    # With colours, kinds are told apart by colour: red cats may be present and black ones left out.
    is_kind = pl.col("place").is_null() & (pl.col("colour").is_not_null() | ~pl.col("type").str.ends_with("-color"))
    images = (
        annotations.counts.filter(
            pl.col("type").is_in(["2-additive", "3-additive", "2-additive-color", "attribute-spatial"])
        )
        .unique([*_IMAGE, "key"])
        .group_by(_IMAGE)
        .agg(
            is_right.all().alias("all_right"),
            (is_right | pl.col("place").is_not_null()).all().alias("numbers_right"),
            ((pl.col("label") == 0) & is_kind).sum().alias("left_out"),
        )
    )
    outcome = (
        pl.when("all_right")
        .then(pl.lit("all right"))
        .when("numbers_right")
        .then(pl.lit("numbers right, relation wrong"))
        .when(pl.col("left_out") == 0)
        .then(pl.lit("numbers wrong"))
        .when(pl.col("left_out") == 1)
        .then(pl.lit("one omitted"))
        .otherwise(pl.lit("several omitted"))
    )
    return _shares("failures_of_images", images.with_columns(outcome.alias("outcome")))


def _shares(table: str, rows: pl.DataFrame) -> Iterator[Cell]:
    for (model, type, outcome), share in estimate_outcomes(rows, "outcome", "model", "type").items():
        yield to_percent(CellId(table, model, f"{type}: {outcome}"), share, model, type, outcome)


def number_distributions(annotations: Annotations) -> Iterator[Cell]:
    """The numbers requested and the numbers drawn (Figure A12); 11 means more than ten."""
    counts = annotations.counts.filter(pl.col("seed") < SEEDS).with_columns(pl.col("label").clip(upper_bound=MANY))
    found = {kind: estimate_outcomes(counts, column, "model") for kind, column in _NUMBERS.items()}
    for model in counts["model"].unique(maintain_order=True):
        for kind, shares in found.items():
            for (of, number), share in shares.items():
                if of == model:
                    yield to_percent(CellId("A12", f"{model} {kind}", f"{number:g}"), share, model, kind, int(number))


_NUMBERS = {"asked": "truth", "drawn": "label"}


def quantifier_counts(annotations: Annotations) -> Iterator[Cell]:
    """Quantifiers by number of things: chosen by people (Figure A16), and used in prompts (Figure A17)."""
    counted = annotations.label(annotations.of_task(2, is_relevant=False)).filter(pl.col("noun").is_not_null())
    chosen = annotations.lines.filter(pl.col("lines") == len(_WORDS))
    image = ["model", "prompt", "seed"]
    number = pl.col("label").round().clip(upper_bound=MANY)
    both = counted.select(*image, "stratum", "cluster", number.alias("number")).join(
        chosen.select(*image, pl.col("label").replace_strict(_WORDS).alias("chosen"), "quantifier"), on=image
    )
    for table, column in (("A16", "chosen"), ("A17", "quantifier")):
        for (at, word), share in estimate_outcomes(both, column, "number").items():
            yield to_percent(CellId(table, str(word), f"{at:g}"), share, word, int(at))


_WORDS = {0.0: "no", 2.0: "few", 3.0: "many"}


def regression(annotations: Annotations) -> Iterator[Cell]:
    """Odds ratios of a right count by number, representation, frequency and type, clustered by prompt."""
    for (model,), own in annotations.counts.group_by("model", maintain_order=True):
        if own["prompt"].n_unique() < 2:
            continue
        factors = {
            name: own[name].fill_null("not varied").to_numpy()
            for name in ("type", "representation", "frequency")
            if own[name].n_unique() > 1
        }
        design = build_design({"number": own["truth"].to_numpy()}, factors, _references(own))
        fit = fit_logistic(design, own["right"].to_numpy(), own["prompt"].to_numpy())
        if isinstance(fit, LogisticFit):
            for term in (term for term in fit.terms if term.name != INTERCEPT):
                ratio = term.odds_ratio
                yield make_cell(CellId("odds_ratios", str(model), term.name), ratio)
                yield Cell(CellId("odds_ratios_p", str(model), term.name), term.p, n=ratio.n)


def _references(labels: pl.DataFrame) -> dict[str, str]:
    """Use simple prompts in digits about frequent nouns as reference levels, where they exist."""
    wanted = {"type": "numeric_simple", "representation": "digits", "frequency": "frequent"}
    return {
        name: level for name, level in wanted.items() if (labels[name] == level).any() and labels[name].n_unique() > 1
    }


def paired_differences(annotations: Annotations) -> Iterator[Cell]:
    """Differences in accuracy between models, with Holm-adjusted p, and ranks.

    Models are compared on the images they share, at most five per prompt. The difference of the accuracies in Table 2
    is given as well; there all labels weigh the same, so imagen_c, which has ten images of prompts without colours and
    places (the harder ones for it), is judged on another mixture than other models.
    """
    for task, labels in annotations.labels_by_task.items():
        models = labels["model"].unique().sort().to_list()
        if len(models) < 2:
            continue
        for weighting, shared in (("", share_images(labels, models)), (AS_PRINTED, _weigh_labels(labels, models))):
            if shared is not None:
                yield from _compare_models(f"task{task}{weighting}", shared, models)


AS_PRINTED = "_as_table2"
"""The suffix of columns whose labels are weighted as in Table 2."""


def _compare_models(what: str, shared: SharedClusters, models: Sequence[str]) -> Iterator[Cell]:
    from subitize.analysis.compare import write_rank  # it loads the database, which no other table needs

    found = compare_all(shared)
    for pair in found:
        first, second = models[pair.first], models[pair.second]
        place = CellId("paired", f"{first} - {second}", f"{what}_diff")
        yield to_percent(place, pair.estimate, first, second, what)
        p = place._replace(column=f"{what}_p_holm")
        yield Cell(p, pair.p_holm, n=pair.estimate.n, parts=(first, second, what, "p"))
    means = np.average(shared.means, axis=1, weights=shared.weights).tolist()
    for model, mean, standing in zip(models, means, rank_models(found, means), strict=True):
        n = int(shared.weights.sum())
        yield Cell(CellId("ranks", model, f"{what}_acc"), 100 * mean, n=n)
        yield Cell(CellId("ranks", model, f"{what}_rank"), f"{write_rank(standing)} {standing.letters}", n=n)


def share_images(labels: pl.DataFrame, models: Sequence[str]) -> SharedClusters | None:
    """Average each model by prompt over the questions about images that all models share."""
    unit = [name for name in ("prompt", "key", "seed") if name in labels.columns]
    first = labels.filter(pl.col("seed") < SEEDS).unique([*unit, "model"], keep="first", maintain_order=True)
    common = first.filter(pl.len().over(unit) == len(models))
    if not common.height:
        return None
    cells = common.group_by("prompt", "model").agg(
        pl.col("right").mean(), pl.len(), pl.col("type").first(), UNITS.first()
    )
    cells = cells.sort("prompt", "model")
    prompts = cells.gather_every(len(models))
    means = np.ascontiguousarray(cells["right"].to_numpy().reshape(-1, len(models)).T)
    weights, shared = prompts["len"].cast(pl.Float64).to_numpy(), share_levels(units_of(prompts))
    return SharedClusters(means, weights, _strata(prompts), most=1.0, shared=shared)


def _weigh_labels(labels: pl.DataFrame, models: Sequence[str]) -> SharedClusters:
    """Give each prompt a model's mean label, shifted by the prompt's own contribution to it."""
    prompts = labels.select("prompt", "type", UNITS).unique("prompt", keep="first").sort("prompt")
    means = np.empty((len(models), prompts.height))
    for place, model in enumerate(models):
        own = labels.filter(pl.col("model") == model)
        mean = float(own.select(pl.col("right").mean()).item())
        excess = own.group_by("prompt").agg((pl.col("right") - mean).sum())
        joined = prompts.join(excess, on="prompt", how="left", maintain_order="left")["right"].fill_null(0.0)
        means[place] = mean + joined.to_numpy() * prompts.height / own.height
    shared = share_levels(units_of(prompts))
    return SharedClusters(means, np.ones(prompts.height), _strata(prompts), most=1.0, shared=shared)


def _strata(prompts: pl.DataFrame) -> NDArray[np.int64]:
    return prompts["type"].rank("dense").cast(pl.Int64).to_numpy()


EXTENSIONS: tuple[Table, ...] = (
    failures_of_counts,
    failures_of_images,
    number_distributions,
    quantifier_counts,
    regression,
    paired_differences,
)


def compute_extensions(annotations: Annotations) -> list[Cell]:
    """Compute the tables that the paper does not have."""
    return [cell for table in EXTENSIONS for cell in table(annotations)]


if TYPE_CHECKING:
    from subitize.analysis.claims import Claim
    from subitize.store import Run


def reproduce_release(folder: Path | None, *, extensions: bool) -> Tables:
    """Compute the tables from the released files."""
    if folder is None:
        raise BadValueError("geckonum needs its release: subitize report reproduce geckonum DIR")
    release = read_release(folder)
    return _tabulate(read_released(release), (*release.warnings, LICENCE), extensions=extensions)


def tabulate_run(run: "Run", judge: str | None, *, extensions: bool) -> Tables:
    """Compute the tables from the answers in a run."""
    return _tabulate(read_run(run, judge), extensions=extensions)


def _tabulate(annotations: Annotations, warnings: Sequence[str] = (), *, extensions: bool) -> Tables:
    found = reproduce(annotations, extensions=extensions)
    return Tables(found, warnings, lambda: _observe(annotations))


def _observe(annotations: Annotations) -> "Sequence[Claim]":
    from subitize.papers.geckonum.claims import claims

    return claims(annotations)


def reproduce(annotations: Annotations, *, extensions: bool = False) -> list[ComparedCell]:
    """Compute the tables, on request with our extensions, and compare them with the printed figures."""
    cells = compute_tables(annotations)
    if extensions:
        cells += compute_extensions(annotations)
    return compare(cells, annotations.models)


def compare(cells: Iterable[Cell], models: Iterable[str] = ()) -> list[ComparedCell]:
    """Compare cells with the printed ones; pooled tables only if all models are the paper's."""
    is_pooled = () if set(models) <= set(MODELS) else ("agreement", "krippendorff", "counts")
    printed = {place: text for place, text in PUBLISHED.items() if place.table not in is_pooled}
    return [compare_cell(cell, printed.get(cell.place), points=_points(cell.place)) for cell in cells]


def _points(place: CellId) -> float:
    """Return how many percentage points one unit of a cell is; infinite for counts and test statistics."""
    if place.table in ("counts", "A2") or place.column in ("N", "chi2"):
        return float("inf")
    is_share = place.table == "krippendorff" or (place.table in GROUPS and place.column == "p")
    return 100.0 if is_share else 1.0
