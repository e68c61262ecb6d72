"""How far the people who answered the same questions agree: Fleiss' κ, and figures that help to read it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from subitize.analysis.clusters import place_observations
from subitize.analysis.levels import at_levels, check_factors
from subitize.analysis.observations import Observations, Reader, lay_out, survey_run
from subitize.errors import NothingToDoError
from subitize.records import Count, Estimate
from subitize.stats.crossed import Influence, cluster_spread, crossed_share, crossed_spread
from subitize.stats.kappas import fleiss_kappa, gwet_ac, pairwise_agreement
from subitize.stats.krippendorff import LEVELS, krippendorff_alphas
from subitize.stats.ratings import Ratings, tally
from subitize.stats.scarcity import find_cautions
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
    questions that are answered so. Counts have α at the other levels, too. `pairwise` is how often two annotators say
    the same. Intervals are for prompts and annotators like these, that of `unanimous` for these annotators; `caution`
    says what there is too little of to rely on them.
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
    alpha_ordinal: Estimate | None = None
    alpha_interval: Estimate | None = None
    alpha_ratio: Estimate | None = None
    pairwise: Estimate | None = None
    prompts: int = 0
    caution: str = ""


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

    Each is a row of an observation, with the value that its `annotator` gave and the `cluster` of its item; those
    without a value are left out.
    """
    survey = survey_run(run, Reader(judge))
    observed = survey.observations.kept()
    several = survey.readings.filter(pl.col("annotator").n_unique().over("judge") > 1)
    answers = lay_out(several.rename({"value": "stored"}), "stored", decode_value).filter(pl.col("label") == "known")
    places = place_questions(observed, *_PLACE)
    votes = answers.select(*_PLACE, "annotator", "value", "value_text").join(places, on=_PLACE, maintain_order="left")
    return place_observations(Observations(votes, observed.items, observed.designs))


_PLACE = ["judge", "subject", "question"]


def place_questions(observed: Observations, *by: str) -> pl.DataFrame:
    """Tell what each question is about; two asks may put one question, which has one answer all the same."""
    different = observed.rows.unique(by, keep="last", maintain_order=True)
    return different.select(*by, "suite", "item", "model", "question_kind", "group")


def agree(votes: Observations, factors: Iterable[str] = ()) -> list[Concord]:
    """Measure agreement on answers; nothing is said where no unit has two."""
    cells = split_cells(Observations(_number_rows(votes.rows), votes.items), factors)
    return [concord for rows in cells if (concord := _agree(rows)) is not None]


def split_cells(observations: Observations, factors: Iterable[str] = ()) -> list[pl.DataFrame]:
    """Split rows by suite, judge, kind of question and model (and all of them), on the whole and by factor."""
    chosen = check_factors(observations.seen_items(), factors)
    found = []
    for rows in at_levels(observations, chosen):
        by_model = rows.with_columns(is_pooled=pl.lit(value=False))
        pooled = rows.filter(pl.col("model").n_unique().over("suite", "judge", "question_kind", "level") > 1)
        pooled = pooled.with_columns(model=pl.lit(ALL_MODELS), is_pooled=pl.lit(value=True))
        found += pl.concat([by_model, pooled]).partition_by(*_CELL)
    return sorted(found, key=lambda rows: _order(rows.row(0, named=True)))


_CELL = ("suite", "judge", "question_kind", "is_pooled", "model", "order")


def _order(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """Put all models together before each of them."""
    return row["suite"], row["judge"], row["question_kind"], not row["is_pooled"], row["model"], row["order"]


def _agree(votes: pl.DataFrame) -> Concord | None:
    ratings = tally_numbered(votes)
    if not len(ratings.units):
        return None
    cell, answered = votes.row(0, named=True), len(ratings.answers.row)
    is_tied = 2 * ratings.counts.max(axis=1) <= ratings.raters
    kappa, ac1 = fleiss_kappa(ratings), gwet_ac(ratings)
    are_counts = cell["question_kind"] == Count("").kind and not votes["value"].null_count()
    alphas = krippendorff_alphas(ratings, LEVELS if are_counts else ("nominal",))
    return Concord(
        cell["suite"],
        cell["model"],
        cell["judge"],
        cell["question_kind"],
        cell["factor"],
        cell["level"],
        ratings.answers.cells.annotators,
        int(ratings.units.sum()),
        answered,
        votes.height - answered,
        int(ratings.units[is_tied].sum()),
        _share_unanimous(ratings),
        None if kappa is None else kappa.coefficient,
        None if ac1 is None else ac1.coefficient,
        alphas.get("nominal"),
        _share_of_yes(ratings) if votes.select(_IS_YES_OR_NO.all()).item() else None,
        cell["is_pooled"],
        alphas.get("ordinal"),
        alphas.get("interval"),
        alphas.get("ratio"),
        pairwise_agreement(ratings),
        ratings.answers.cells.clusters,
        "; ".join(find_cautions(ratings, are_counts=are_counts)),
    )


_IS_YES_OR_NO = pl.col("value_text").is_in(["True", "False"]) & pl.col("value").is_not_null()


def tally_votes(votes: pl.DataFrame) -> Ratings:
    """Count answers by unit, of the units that have two or more.

    Of yes or no both could have been given, of others those that were. If there are texts, all are numbered.
    """
    return tally_numbered(_number_rows(votes))


def _number_rows(votes: pl.DataFrame) -> pl.DataFrame:
    """Number units, clusters and annotators once, as numbers are faster to group by than names."""
    for number, names in (("unit", _UNIT), ("prompt", ("cluster",)), ("person", ("annotator",))):
        different = votes.select(names).unique(maintain_order=True).with_row_index(number).cast({number: pl.Int64})
        votes = votes.join(different, on=names, maintain_order="left")
    return votes


def tally_numbered(votes: pl.DataFrame) -> Ratings:
    """Count answers as `tally_votes` does, where `unit`, `prompt` and, if it is known, `person` are numbered."""
    paired = votes.filter(pl.len().over("unit") > 1)
    values, domain = paired["value"], None
    if paired.select(_IS_YES_OR_NO.all()).item():
        domain = np.array([0.0, 1.0])
    elif values.null_count():
        values = _number_answers(paired)
    units, clusters = (paired[name].to_numpy() for name in ("unit", "prompt"))
    annotators = paired["person"].to_numpy() if "person" in paired.columns else None
    return tally(units, values.to_numpy(), domain=domain, clusters=clusters, annotators=annotators)


def _number_answers(votes: pl.DataFrame) -> pl.Series:
    """Number the answers: numbers ascend, and texts follow."""
    answer = votes.select("value", text=pl.when(pl.col("value").is_null()).then("value_text"))
    given = answer.unique().sort("value", "text", nulls_last=True).with_row_index("code")
    read = answer.join(given, on=["value", "text"], nulls_equal=True, maintain_order="left")
    return read["code"].cast(pl.Float64)


def _share_unanimous(ratings: Ratings) -> Estimate:
    is_unanimous = ratings.counts.max(axis=1) == ratings.raters
    share = int(ratings.units[is_unanimous].sum()) / int(ratings.units.sum())
    spread = cluster_spread(ratings, (is_unanimous[ratings.answers.row] - share) * ratings.answers.weight)
    return crossed_share(share, ratings, spread, "share, for these annotators,")


def _share_of_yes(ratings: Ratings) -> Estimate:
    is_yes = ratings.values[ratings.answers.value]
    share = float(is_yes @ ratings.answers.weight)
    influence = Influence(np.zeros(len(is_yes)), (is_yes - share) * ratings.answers.weight)
    return crossed_share(share, ratings, crossed_spread(ratings, influence), "mean share")
