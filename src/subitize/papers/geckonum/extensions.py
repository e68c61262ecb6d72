"""What GeckoNum's answers tell beyond the paper's tables: how images fail, what makes them right, who is better."""

from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from subitize.analysis.published import Cell, CellId, make_cell
from subitize.papers.geckonum.annotations import SEEDS, Annotations
from subitize.papers.geckonum.release import MANY
from subitize.papers.geckonum.shares import estimate_outcomes
from subitize.papers.geckonum.tables import Table, to_percent
from subitize.stats.compare import SharedClusters, compare_all, rank_models
from subitize.stats.regression import INTERCEPT, LogisticFit, build_design, fit_logistic

_IMAGE = ("model", "type", "prompt", "seed", "stratum", "cluster")


def failures_of_counts(annotations: Annotations) -> Iterator[Cell]:
    """How single counts come out: right, or nothing of the kind is there, or too few, or too many."""
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
    """How images of several things come out.

    All right; all numbers right but not where they belong; all there but not in the right numbers; one kind of thing
    left out, or several.
    """
    is_right = pl.col("right") == 1
    # Of things in colours, the kinds are the colours: red cats may be there, and black ones left out.
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
        yield to_percent(CellId(table, model, f"{type}: {outcome}"), share)


def number_distributions(annotations: Annotations) -> Iterator[Cell]:
    """The numbers asked for, and those that were drawn (Figure A12); 11 is more than ten."""
    counts = annotations.counts.filter(pl.col("seed") < SEEDS).with_columns(pl.col("label").clip(upper_bound=MANY))
    found = {kind: estimate_outcomes(counts, column, "model") for kind, column in _NUMBERS.items()}
    for model in counts["model"].unique(maintain_order=True):
        for kind, shares in found.items():
            for (of, number), share in shares.items():
                if of == model:
                    yield to_percent(CellId("A12", f"{model} {kind}", f"{number:g}"), share)


_NUMBERS = {"asked": "truth", "drawn": "label"}


def quantifier_counts(annotations: Annotations) -> Iterator[Cell]:
    """Which quantifiers go with a number of things: as people chose (Figure A16), as prompts had it (Figure A17)."""
    counted = annotations.label(annotations.of_task(2, is_relevant=False)).filter(pl.col("noun").is_not_null())
    chosen = annotations.lines.filter(pl.col("lines") == len(_WORDS))
    image = ["model", "prompt", "seed"]
    number = pl.col("label").round().clip(upper_bound=MANY)
    both = counted.select(*image, "stratum", "cluster", number.alias("number")).join(
        chosen.select(*image, pl.col("label").replace_strict(_WORDS).alias("chosen"), "quantifier"), on=image
    )
    for table, column in (("A16", "chosen"), ("A17", "quantifier")):
        for (at, word), share in estimate_outcomes(both, column, "number").items():
            yield to_percent(CellId(table, str(word), f"{at:g}"), share)


_WORDS = {0.0: "no", 2.0: "few", 3.0: "many"}


def regression(annotations: Annotations) -> Iterator[Cell]:
    """Odds of a right count by number, representation, frequency and type, standard errors clustered by prompt."""
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
    """Compare with simple prompts in digits about frequent nouns, as far as there are some."""
    wanted = {"type": "numeric_simple", "representation": "digits", "frequency": "frequent"}
    return {
        name: level for name, level in wanted.items() if (labels[name] == level).any() and labels[name].n_unique() > 1
    }


def paired_differences(annotations: Annotations) -> Iterator[Cell]:
    """How much more often one model is right than another, with Holm's correction of p, and how models rank.

    Models are compared on the images that all of them have, five of a prompt at most. Beside it stands the difference
    of the accuracies of Table 2, in which all labels weigh the same: of prompts without colours and places, which are
    the harder ones for it, imagen_c has ten images, so that they weigh twice as much in its accuracy as in others'.
    """
    tasks = {1: annotations.counts, 2: annotations.lines, 3: annotations.confirmations}
    for task, labels in tasks.items():
        models = labels["model"].unique().sort().to_list()
        if len(models) < 2:
            continue
        for weighting, shared in (("", share_images(labels, models)), (AS_PRINTED, _weigh_labels(labels, models))):
            if shared is not None:
                yield from _compare_models(f"task{task}{weighting}", shared, models)


AS_PRINTED = "_as_table2"
"""What marks the columns in which labels weigh as in Table 2."""


def _compare_models(what: str, shared: SharedClusters, models: Sequence[str]) -> Iterator[Cell]:
    from subitize.analysis.compare import write_rank  # it loads the database, which other tables do without

    found = compare_all(shared)
    for pair in found:
        place = CellId("paired", f"{models[pair.first]} - {models[pair.second]}", f"{what}_diff")
        yield to_percent(place, pair.estimate)
        yield Cell(place._replace(column=f"{what}_p_holm"), pair.p_holm, n=pair.estimate.n)
    means = np.average(shared.means, axis=1, weights=shared.weights).tolist()
    for model, mean, standing in zip(models, means, rank_models(found, means), strict=True):
        n = int(shared.weights.sum())
        yield Cell(CellId("ranks", model, f"{what}_acc"), 100 * mean, n=n)
        yield Cell(CellId("ranks", model, f"{what}_rank"), f"{write_rank(standing)} {standing.letters}", n=n)


def share_images(labels: pl.DataFrame, models: Sequence[str]) -> SharedClusters | None:
    """Average what models got of each prompt, over the questions about images that all of them have."""
    unit = [name for name in ("prompt", "key", "seed") if name in labels.columns]
    first = labels.filter(pl.col("seed") < SEEDS).unique([*unit, "model"], keep="first", maintain_order=True)
    common = first.filter(pl.len().over(unit) == len(models))
    if not common.height:
        return None
    cells = common.group_by("prompt", "model").agg(pl.col("right").mean(), pl.len(), pl.col("type").first())
    cells = cells.sort("prompt", "model")
    prompts = cells.gather_every(len(models))
    means = np.ascontiguousarray(cells["right"].to_numpy().reshape(-1, len(models)).T)
    return SharedClusters(means, prompts["len"].cast(pl.Float64).to_numpy(), _strata(prompts), most=1.0)


def _weigh_labels(labels: pl.DataFrame, models: Sequence[str]) -> SharedClusters:
    """Give each prompt the mean of a model's labels, moved by what the prompt's labels add to it."""
    prompts = labels.select("prompt", "type").unique("prompt", keep="first").sort("prompt")
    means = np.empty((len(models), prompts.height))
    for place, model in enumerate(models):
        own = labels.filter(pl.col("model") == model)
        mean = float(own.select(pl.col("right").mean()).item())
        excess = own.group_by("prompt").agg((pl.col("right") - mean).sum())
        joined = prompts.join(excess, on="prompt", how="left", maintain_order="left")["right"].fill_null(0.0)
        means[place] = mean + joined.to_numpy() * prompts.height / own.height
    return SharedClusters(means, np.ones(prompts.height), _strata(prompts), most=1.0)


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
    """Compute all of these."""
    return [cell for table in EXTENSIONS for cell in table(annotations)]
