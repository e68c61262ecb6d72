"""What GeckoNum's answers tell beyond the paper's tables: how images fail, what makes them right, who is better."""

from collections.abc import Iterator
from dataclasses import replace

import polars as pl

from subitize.analysis.reproduction import Cell, Place, make_cell
from subitize.papers.geckonum.annotations import SEEDS, Annotations
from subitize.papers.geckonum.release import MANY
from subitize.papers.geckonum.shares import estimate_outcomes
from subitize.papers.geckonum.tables import Table, to_percent
from subitize.stats.designs import INTERCEPT, build_design
from subitize.stats.logistic import LogisticFit, fit_logistic
from subitize.stats.pairs import compare_models

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
        yield to_percent(Place(table, model, f"{type}: {outcome}"), share)


def number_distributions(annotations: Annotations) -> Iterator[Cell]:
    """The numbers asked for, and those that were drawn (Figure A12); 11 is more than ten."""
    counts = annotations.counts.filter(pl.col("seed") < SEEDS).with_columns(pl.col("label").clip(upper_bound=MANY))
    found = {kind: estimate_outcomes(counts, column, "model") for kind, column in _NUMBERS.items()}
    for model in counts["model"].unique(maintain_order=True):
        for kind, shares in found.items():
            for (of, number), share in shares.items():
                if of == model:
                    yield to_percent(Place("A12", f"{model} {kind}", f"{number:g}"), share)


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
            yield to_percent(Place(table, str(word), f"{at:g}"), share)


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
                yield make_cell(Place("odds_ratios", str(model), term.name), ratio)
                yield Cell(Place("odds_ratios_p", str(model), term.name), term.p, n=ratio.n)


def _references(labels: pl.DataFrame) -> dict[str, str]:
    """Compare with simple prompts in digits about frequent nouns, as far as there are some."""
    wanted = {"type": "numeric_simple", "representation": "digits", "frequency": "frequent"}
    return {
        name: level for name, level in wanted.items() if (labels[name] == level).any() and labels[name].n_unique() > 1
    }


def paired_differences(annotations: Annotations) -> Iterator[Cell]:
    """How much more often one model is right than another on the same prompts, with Holm's correction of p."""
    tasks = {1: annotations.counts, 2: annotations.lines, 3: annotations.confirmations}
    for task, labels in tasks.items():
        if labels["model"].n_unique() < 2:
            continue
        columns = (labels[name].to_numpy() for name in ("right", "model", "prompt"))
        for pair in compare_models(*columns):
            place = Place("paired", f"{pair.first} - {pair.second}", f"task{task}_diff")
            within = replace(pair.difference, low=max(-1.0, pair.difference.low), high=min(1.0, pair.difference.high))
            yield to_percent(place, within)
            yield Cell(place._replace(column=f"task{task}_p_holm"), pair.p_holm, n=pair.difference.n)


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
