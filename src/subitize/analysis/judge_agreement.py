"""How far a judge agrees with people about the same images, beside how far people agree with one another."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import polars as pl

from subitize.analysis.agreement import place_questions, split_cells, tally_numbered
from subitize.analysis.clusters import place_observations
from subitize.analysis.observations import (
    IS_ANSWER,
    TIED,
    Observations,
    Reader,
    check_judge,
    lay_out,
    make_labels,
    read_label,
    survey_run,
)
from subitize.analysis.overview import find_stand_ins
from subitize.errors import BadValueError, NothingToDoError
from subitize.labels import ADJUDICATED, PLURALITY, Rule
from subitize.records import Count, Estimate, Known, Scalar
from subitize.stats.estimator import estimate_errors, estimate_share, gather_clusters
from subitize.stats.kappas import fleiss_kappa
from subitize.stats.krippendorff import Level, krippendorff_alphas
from subitize.stats.scarcity import find_cautions
from subitize.store import Run
from subitize.store.rows import decode_value

_UNIT = ["subject", "question"]
_LEVELS: tuple[Level, ...] = ("ordinal", "interval")


@dataclass(frozen=True, slots=True)
class Confused:
    """How often one said this where the other said that."""

    against: Scalar
    said: Scalar
    n: int


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """How far the two answers of each pair agree; `error` is the mean of one less the other.

    `ties` are answers about which people are tied, `unusable` those of which one of both made nothing; they are in no
    figure. Counts alone have `within_one`, `error` and α. κ is Fleiss', of two answers each (Scott's π); κ and α are
    None where chance explains everything, as where all answers are the same. Intervals are over prompts.
    """

    pairs: int
    prompts: int
    ties: int
    unusable: int
    exact: Estimate
    within_one: Estimate | None
    error: Estimate | None
    kappa: Estimate | None
    alpha_ordinal: Estimate | None
    alpha_interval: Estimate | None
    confusion: tuple[Confused, ...]
    caution: str


@dataclass(frozen=True, slots=True)
class JudgeAgreement:
    """How far a judge agrees with what people say together, on one kind of question about one model's images.

    A pair is an answer, or a group of them, that both have a value of. `ceiling` is the same between people: each of
    them against the others together, about the answers that the judge has a value of; None where no two people looked
    at the same.
    """

    suite: str
    model: str
    judge: str
    against: str
    question: str
    factor: str
    group: str
    is_pooled: bool
    rule: str
    annotators: int
    agreement: PairAgreement
    ceiling: PairAgreement | None


@dataclass(frozen=True, slots=True)
class Sides:
    """Who is held against whom, by which rule several answers of one side become one, and the judge's evidence is read.

    None reads the evidence as it is stored.
    """

    judge: str
    against: str = "human"
    rule: str = PLURALITY
    read_by: Rule | None = None


def compare_with_people(run: Run, sides: Sides, factors: Iterable[str] = ()) -> list[JudgeAgreement]:
    """Measure agreement by suite, model (and all of them) and kind of question, on the whole and by factor."""
    if sides.judge == sides.against:
        raise BadValueError(f"--against {sides.against}: a judge is not set against itself; name another with --judge")
    check_judge(run, sides.judge)
    check_judge(run, sides.against)
    survey = survey_run(run, Reader(agreement=sides.rule))
    observed = survey.observations.kept()
    places = place_questions(observed, *_UNIT).with_columns(judge=pl.lit(sides.judge))
    votes = survey.votes
    anew = votes if sides.read_by is None else survey_run(run, Reader(sides.judge, sides.read_by, sides.rule)).votes
    by_judge, by_people = (
        some.filter(pl.col("judge") == name).join(places, on=_UNIT, how="semi", maintain_order="left")
        for name, some in ((sides.judge, anew), (sides.against, votes))
    )
    said = make_labels(by_judge, sides.rule).select(*_UNIT, *_SAID)
    pairs = said.join(_as_truth(make_labels(by_people, sides.rule)), on=_UNIT, maintain_order="left")
    if not pairs.height:
        raise NothingToDoError(_never_met(run, sides, by_judge, by_people))
    usable = said.filter(pl.col("label") == _KNOWN)
    own_answers = by_people.filter(IS_ANSWER).join(usable, on=_UNIT, how="semi", maintain_order="left")
    among_people = _pair_people(own_answers, PLURALITY if sides.rule == ADJUDICATED else sides.rule)
    rows = pl.concat(
        [pairs.with_columns(person=pl.lit(None, pl.String)), among_people.select(*pairs.columns, "person")]
    )
    placed = place_observations(
        Observations(rows.join(places, on=_UNIT, maintain_order="left"), observed.items, observed.designs)
    )
    found = [made for cell in split_cells(placed, factors) if (made := _compare(cell, sides)) is not None]
    if not found:
        raise NothingToDoError(
            f"{sides.judge!r} and {sides.against!r} looked at {pairs.height} of the same answers, and of none do both "
            f"have a value ({_count_ties(pairs)} ties)"
        )
    return found


_KNOWN = "known"
_SAID = ("label", "value", "value_text", "value_key")


def _as_truth(labels: pl.DataFrame) -> pl.DataFrame:
    return labels.select(*_UNIT, *(pl.col(name).alias(f"true_{name}") for name in _SAID))


def _pair_people(readings: pl.DataFrame, rule: str) -> pl.DataFrame:
    """Put beside what each person said what the others together said of the same."""
    votes = readings.select(*_UNIT, "annotator", "value")
    known = lay_out(votes.rename({"value": "stored"}), "stored", decode_value).filter(pl.col("label") == _KNOWN)
    own = known.unique([*_UNIT, "annotator"], keep="first", maintain_order=True).rename({"annotator": "person"})
    others = own.select(*_UNIT, "person").join(votes, on=_UNIT, maintain_order="left")
    others = others.filter(pl.col("annotator") != pl.col("person"))
    # Who is left out stands for the judge, so that the others' answers become one as any judge's do.
    together = make_labels(others.rename({"person": "judge"}), rule)
    truth = _as_truth(together).with_columns(person=together["judge"])
    return own.select(*_UNIT, "person", *_SAID).join(truth, on=[*_UNIT, "person"], maintain_order="left")


def _never_met(run: Run, sides: Sides, by_judge: pl.DataFrame, by_people: pl.DataFrame) -> str:
    judged, counted = (rows.select(_UNIT).n_unique() for rows in (by_judge, by_people))
    judge, against = (find_stand_ins(run).name_judge(one) for one in (sides.judge, sides.against))
    return (
        f"{run.location}: {judge!r} and {against!r} never answered the same question about the same: "
        f"{judge} has answered {judged}, {against} {counted}; have it judge what people saw with "
        "subitize judge, or add people's answers with subitize import readings"
    )


def _compare(cell: pl.DataFrame, sides: Sides) -> JudgeAgreement | None:
    of_judge, of_people = cell.filter(pl.col("person").is_null()), cell.filter(pl.col("person").is_not_null())
    agreement = _agree(of_judge)
    if agreement is None:
        return None
    place = cell.row(0, named=True)
    return JudgeAgreement(
        place["suite"],
        place["model"],
        sides.judge,
        sides.against,
        place["question_kind"],
        place["factor"],
        place["level"],
        place["is_pooled"],
        sides.rule,
        of_people["person"].n_unique(),
        agreement,
        _agree(of_people),
    )


def _agree(rows: pl.DataFrame) -> PairAgreement | None:
    pairs = rows.filter((pl.col("label") == _KNOWN) & (pl.col("true_label") == _KNOWN))
    if not pairs.height:
        return None
    ties = _count_ties(rows)
    clusters, strata = pairs["cluster"].to_numpy(), pairs["stratum"].to_numpy()
    are_counts = bool((pairs["question_kind"] == Count("").kind).all()) and not _has_text(pairs)
    ratings = tally_numbered(_list_answers(pairs))
    kappa = fleiss_kappa(ratings)
    alphas = krippendorff_alphas(ratings, _LEVELS if are_counts else ())
    within_one = error = None
    if are_counts:
        off = (pairs["value"] - pairs["true_value"]).to_numpy()
        within_one = estimate_share((np.abs(off) <= 1).astype(np.float64), clusters, strata)
        (error,) = estimate_errors(
            gather_clusters(off, clusters, strata), np.ones(1), what="mean signed error", least=-math.inf
        )
    return PairAgreement(
        pairs.height,
        ratings.answers.cells.clusters,
        ties,
        rows.height - pairs.height - ties,
        estimate_share((pairs["value_key"] == pairs["true_value_key"]).cast(pl.Float64).to_numpy(), clusters, strata),
        within_one,
        error,
        None if kappa is None else kappa.coefficient,
        alphas.get("ordinal"),
        alphas.get("interval"),
        _confuse(pairs),
        "; ".join(find_cautions(ratings)),
    )


def _count_ties(rows: pl.DataFrame) -> int:
    return int((rows["true_label"] == TIED).sum())


def _has_text(pairs: pl.DataFrame) -> bool:
    return bool(pairs["value"].null_count() + pairs["true_value"].null_count())


def _list_answers(pairs: pl.DataFrame) -> pl.DataFrame:
    """List both answers of each pair, which is a unit."""
    units = pairs.with_row_index("unit").cast({"unit": pl.Int64}).rename({"cluster": "prompt"})
    sides = ((prefix + "value", prefix + "value_text") for prefix in ("", "true_"))
    return pl.concat(units.select("unit", "prompt", value=value, value_text=text) for value, text in sides)


def _confuse(pairs: pl.DataFrame) -> tuple[Confused, ...]:
    told = pairs.group_by("true_value_key", "value_key").agg(
        pl.len(), pl.col("true_value", "true_value_text", "value", "value_text").first()
    )
    order = ["true_value", "true_value_key", "value", "value_key"]
    return tuple(
        Confused(
            _scalar(row["true_value"], row["true_value_text"]), _scalar(row["value"], row["value_text"]), row["len"]
        )
        for row in told.sort(order, nulls_last=True).iter_rows(named=True)
    )


def _scalar(value: float | None, text: str) -> Scalar:
    known = read_label(_KNOWN, value, text)
    assert isinstance(known, Known)
    return known.value
