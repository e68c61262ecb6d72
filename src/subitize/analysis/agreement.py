"""How far the people who answered the same questions agree: Fleiss' κ and what helps to read it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from subitize.analysis.levels import at_levels, check_factors
from subitize.analysis.observations import Observations, Reader, lay_out, survey_run
from subitize.errors import NothingToDoError
from subitize.records import Estimate
from subitize.stats.intervals import wilson_interval
from subitize.stats.kappas import Agreement, fleiss_kappa, gwet_ac
from subitize.stats.krippendorff import krippendorff_alpha
from subitize.stats.passes import average_passes
from subitize.stats.ratings import Ratings, tally
from subitize.store import Run
from subitize.store.rows import decode_value

_UNIT = ("subject", "question")
ALL_MODELS = "all models"
"""The name under which votes on all models together stand; `is_pooled` tells them from a model of that name."""


@dataclass(frozen=True, slots=True)
class Concord:
    """How far one judge's annotators agree on one kind of question.

    Units are responses, or groups of them, that at least two annotators answered; those with one answer are counted as
    `single` and are in no figure. A tie is a unit without a majority. κ, AC1 and α (nominal) are None where chance
    explains everything, as where all answers are the same; `yes` is the mean share of yes among the votes on a unit, of
    questions that are answered so.
    """

    suite: str
    model: str
    judge: str
    question: str
    factor: str
    group: str
    annotators: int
    units: int
    votes: int
    single: int
    ties: int
    unanimous: Estimate
    kappa: Estimate | None
    ac1: Estimate | None
    alpha: Estimate | None
    yes: Estimate | None
    is_pooled: bool = False


def agree_run(run: Run, judge: str | None = None, factors: Iterable[str] = ()) -> list[Concord]:
    """Measure agreement by suite, model (and all of them), judge and kind of question, on the whole and by factor."""
    votes = gather_votes(run, judge)
    if not len(votes):
        raise NothingToDoError(
            f"{run.location} has no question that two people answered{f' as {judge!r}' if judge else ''}; "
            "first: subitize import votes CSV --run RUN"
        )
    return agree(votes, factors)


def gather_votes(run: Run, judge: str | None = None) -> Observations:
    """Find the answers to the questions that figures are made of, of judges with several annotators.

    Each is a row of an observation, with the value that its `annotator` gave; those without a value are left out.
    """
    survey = survey_run(run, Reader(judge))
    observed = survey.observations.kept()
    several = survey.readings.filter(pl.col("annotator").n_unique().over("judge") > 1)
    answers = lay_out(several.rename({"value": "stored"}), "stored", decode_value).filter(pl.col("label") == "known")
    # Two asks may put one question, which has one vote of each annotator all the same.
    places = observed.rows.unique(_PLACE, keep="last", maintain_order=True)
    places = places.select(*_PLACE, "suite", "item", "model", "question_kind", "group")
    votes = answers.select(*_PLACE, "annotator", "value", "value_text").join(places, on=_PLACE, maintain_order="left")
    return Observations(votes, observed.items)


_PLACE = ["judge", "subject", "question"]


def agree(votes: Observations, factors: Iterable[str] = ()) -> list[Concord]:
    """Measure agreement on answers; nothing is said where no unit has two."""
    chosen = check_factors(votes.seen_items(), factors)
    found = []
    for rows in at_levels(votes, chosen):
        by_model = rows.with_columns(is_pooled=pl.lit(value=False))
        pooled = rows.filter(pl.col("model").n_unique().over("suite", "judge", "question_kind", "level") > 1)
        pooled = pooled.with_columns(model=pl.lit(ALL_MODELS), is_pooled=pl.lit(value=True))
        found += pl.concat([by_model, pooled]).partition_by(*_CELL)
    found.sort(key=lambda rows: _order(rows.row(0, named=True)))
    return [concord for rows in found if (concord := _agree(rows)) is not None]


_CELL = ("suite", "judge", "question_kind", "is_pooled", "model", "order")


def _order(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """Put all models together before each of them."""
    return row["suite"], row["judge"], row["question_kind"], not row["is_pooled"], row["model"], row["order"]


def _agree(votes: pl.DataFrame) -> Concord | None:
    units = votes.with_columns(votes=pl.len().over(_UNIT))
    paired = units.filter(pl.col("votes") > 1)
    if not paired.height:
        return None
    cell, ratings = votes.row(0, named=True), tally_votes(paired)
    most = ratings.counts.max(axis=1)
    is_unanimous, is_tied = most == ratings.raters, 2 * most <= ratings.raters
    kappa, ac1, alpha = fleiss_kappa(ratings), gwet_ac(ratings), krippendorff_alpha(ratings, "nominal")
    count = int(ratings.units.sum())
    return Concord(
        cell["suite"],
        cell["model"],
        cell["judge"],
        cell["question_kind"],
        cell["factor"],
        cell["level"],
        paired["annotator"].n_unique(),
        count,
        paired.height,
        units.height - paired.height,
        int(ratings.units[is_tied].sum()),
        wilson_interval(int(ratings.units[is_unanimous].sum()), count),
        None if kappa is None else _widen(kappa.coefficient, kappa),
        None if ac1 is None else _widen(ac1.coefficient, ac1),
        _widen(alpha, kappa) if alpha and kappa else alpha,
        _share_of_yes(paired),
        cell["is_pooled"],
    )


_IS_YES_OR_NO = pl.col("value_text").is_in(["True", "False"]) & pl.col("value").is_not_null()


def tally_votes(votes: pl.DataFrame) -> Ratings:
    """Count answers by unit, of the units that have two or more.

    Of yes or no both could have been given, of others those that were.
    """
    paired = votes.filter(pl.len().over(_UNIT) > 1)
    if paired.select(_IS_YES_OR_NO.all()).item():
        codes, domain = paired["value"].to_numpy(), np.array([0.0, 1.0])
    else:
        # Numbers ascend, and texts follow.
        answer = [pl.col("value"), pl.when(pl.col("value").is_null()).then("value_text").alias("text")]
        given = paired.select(answer).unique().sort("value", "text", nulls_last=True).with_row_index("code")
        read = paired.select(answer).join(given, on=["value", "text"], nulls_equal=True, maintain_order="left")
        codes, domain = read["code"].cast(pl.Float64).to_numpy(), given["code"].cast(pl.Float64).to_numpy()
    units = paired.select(_UNIT).unique(maintain_order=True).with_row_index("unit")
    places = paired.select(_UNIT).join(units, on=_UNIT, maintain_order="left")["unit"]
    return tally(places.cast(pl.Int64).to_numpy(), codes, domain=domain)


def _widen(coefficient: Estimate, seen: Agreement) -> Estimate:
    """Give an interval without width one: where all units are alike, as many as Wilson leaves possible may differ."""
    if coefficient.high - coefficient.low > 1e-9:
        return coefficient
    half = wilson_interval(0, coefficient.n).high / (1 - seen.expected)
    low, high = max(-1.0, coefficient.value - half), min(1.0, coefficient.value + half)
    name = coefficient.method.partition(", Student")[0].partition(", percentile")[0]
    method = f"{name}, units never vary: Wilson bound on the share of units that may differ"
    return replace(coefficient, low=low, high=high, method=method)


def _share_of_yes(votes: pl.DataFrame) -> Estimate | None:
    if not votes.select(_IS_YES_OR_NO.all()).item():
        return None
    shares = votes.group_by(_UNIT, maintain_order=True).agg(pl.col("value").mean())
    return average_passes(shares["value"].to_list(), votes.height)
