"""Agreement among people who answered the same questions, and of judges with people."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from subitize.analysis.design import Nouns, by_factor, check_factors, units_of, with_units
from subitize.analysis.frame import ReadOptions, check_judge, read_frame
from subitize.analysis.overview import read_names
from subitize.errors import BadValueError, NothingToDoError
from subitize.frame import IS_ANSWER, KNOWN, TIED, Frame, decode_columns, label_readings, read_scalar
from subitize.labels import ADJUDICATED, PLURALITY, Rule
from subitize.records import Count, Estimate, Scalar
from subitize.stats import agreement
from subitize.stats.estimate import error_scale, estimate
from subitize.stats.ratings import Ratings, count_ratings, find_cautions
from subitize.store import Run
from subitize.store.rows import decode_value

_UNIT = ["subject", "question"]
ALL_MODELS = "all models"
"""The name of votes on all models together; `is_pooled` distinguishes them from a model of that name."""


@dataclass(frozen=True, slots=True)
class RaterAgreement:
    """How far one judge's annotators agree on one kind of question.

    Units are responses, or groups of them, that at least two annotators answered; those with one answer are counted as
    `single` and are in no figure. A tie is a unit without a majority. κ, AC1 and α (nominal) are None where chance
    explains everything, for example because all answers are the same; `yes` is the mean share of yes among the votes on
    a unit, for yes-or-no questions. Counts have α at the other levels, too. `pairwise` is how often two annotators say
    the same. Intervals are for prompts and annotators like these, that of `unanimous` for exactly these annotators;
    `caution` says why they may not be reliable.
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


def agree_run(run: Run, judge: str | None = None, factors: Iterable[str] = ()) -> list[RaterAgreement]:
    """Measure agreement by suite, model (and all models), judge and kind of question, overall and by factor."""
    votes = gather_votes(run, judge)
    if not len(votes):
        raise NothingToDoError(
            f"{run.location} has no question that two people answered{f' as {judge!r}' if judge else ''}; "
            "first: subitize import votes CSV --run RUN"
        )
    return agree(votes, factors)


def gather_votes(run: Run, judge: str | None = None) -> Frame:
    """Find the answers to the questions that enter the score, by judges with several annotators.

    Each is a row of the frame with the value that its `annotator` gave and the `cluster` of its item; those without a
    value are left out.
    """
    survey = read_frame(run, ReadOptions(judge))
    observed = survey.observations.kept()
    several = survey.readings.filter(pl.col("annotator").n_unique().over("judge") > 1)
    answers = _lay_out_known(several).select("judge", *_UNIT, "annotator", "value", "value_text")
    places = _place_questions(observed, "judge", *_UNIT)
    votes = answers.join(places, on=["judge", *_UNIT], maintain_order="left")
    return with_units(Frame(votes, observed.items, observed.designs))


def _lay_out_known(readings: pl.DataFrame) -> pl.DataFrame:
    """Keep the readings that have a value, and decode it into columns."""
    return decode_columns(readings.rename({"value": "stored"}), "stored", decode_value).filter(pl.col("label") == KNOWN)


def _place_questions(observed: Frame, *by: str) -> pl.DataFrame:
    """List the item, model and kind of each question; two asks may share a question, which still has one answer."""
    different = observed.rows.unique(by, keep="last", maintain_order=True)
    return different.select(*by, "suite", "item", "model", "question_kind", "group")


def agree(votes: Frame, factors: Iterable[str] = ()) -> list[RaterAgreement]:
    """Measure agreement on answers; cells in which no unit has two answers are left out."""
    cells = _split_cells(Frame(_number_rows(votes.rows), votes.items), factors)
    return [concord for rows in cells if (concord := _agree(rows)) is not None]


def _split_cells(observations: Frame, factors: Iterable[str] = ()) -> list[pl.DataFrame]:
    """Split rows by suite, judge, kind of question and model (and all models), overall and by factor."""
    rows = pl.concat(by_factor(observations, check_factors(observations.seen_items(), factors)))
    by_model = rows.with_columns(is_pooled=pl.lit(value=False))
    pooled = rows.filter(pl.col("model").n_unique().over(*_CELL[:3], "factor", "level") > 1)
    pooled = pooled.with_columns(model=pl.lit(ALL_MODELS), is_pooled=pl.lit(value=True))
    cells = pl.concat([by_model, pooled]).partition_by(*_CELL)
    # All models together come before each of them.
    order = ("suite", "judge", "question_kind", ~pl.col("is_pooled"), "model", "order")
    return sorted(cells, key=lambda rows: rows.head(1).select(*order).row(0))


_CELL = ("suite", "judge", "question_kind", "is_pooled", "model", "order")


def _describe_cell(rows: pl.DataFrame) -> dict[str, Any]:
    """Describe the cell that figures belong to."""
    cell = rows.row(0, named=True)
    named = {"question": cell["question_kind"], "group": cell["level"]}
    return {**named, **{name: cell[name] for name in ("suite", "model", "judge", "factor", "is_pooled")}}


def _agree(votes: pl.DataFrame) -> RaterAgreement | None:
    ratings = _tally(votes)
    if not len(ratings.units):
        return None
    cell, answered = _describe_cell(votes), len(ratings.answers.row)
    is_tied = 2 * ratings.counts.max(axis=1) <= ratings.raters
    kappa, ac1 = agreement.fleiss_kappa(ratings), agreement.gwet_ac(ratings)
    are_counts = cell["question"] == Count("").kind and not votes["value"].null_count()
    alphas = agreement.krippendorff_alphas(ratings, agreement.LEVELS if are_counts else ("nominal",))
    return RaterAgreement(
        **cell,
        annotators=ratings.answers.cells.annotators,
        units=int(ratings.units.sum()),
        votes=answered,
        single=votes.height - answered,
        ties=int(ratings.units[is_tied].sum()),
        unanimous=_share_unanimous(ratings),
        kappa=kappa.coefficient if kappa else None,
        ac1=ac1.coefficient if ac1 else None,
        alpha=alphas.get("nominal"),
        yes=_share_of_yes(ratings) if votes.select(_IS_YES_OR_NO.all()).item() else None,
        alpha_ordinal=alphas.get("ordinal"),
        alpha_interval=alphas.get("interval"),
        alpha_ratio=alphas.get("ratio"),
        pairwise=agreement.pairwise_agreement(ratings),
        prompts=ratings.answers.cells.clusters,
        caution="; ".join(find_cautions(ratings, are_counts=are_counts)),
    )


_IS_YES_OR_NO = pl.col("value_text").is_in(["True", "False"]) & pl.col("value").is_not_null()


def tally_votes(votes: pl.DataFrame) -> Ratings:
    """Count answers by unit, for the units that have two or more.

    Both yes and no are possible values; otherwise only those given are. If there are texts, all values are numbered.
    """
    return _tally(_number_rows(votes))


def _number_rows(votes: pl.DataFrame) -> pl.DataFrame:
    """Number units, clusters and annotators once, as grouping by numbers is faster than by names."""
    for number, names in (("unit", _UNIT), ("prompt", ("cluster",)), ("person", ("annotator",))):
        different = votes.select(names).unique(maintain_order=True).with_row_index(number).cast({number: pl.Int64})
        votes = votes.join(different, on=names, maintain_order="left")
    return votes


def _tally(votes: pl.DataFrame) -> Ratings:
    """Count answers like `tally_votes`, given numbers of `unit`, `prompt` and, if known, `person`."""
    paired = votes.filter(pl.len().over("unit") > 1)
    values, domain = paired["value"], None
    if paired.select(_IS_YES_OR_NO.all()).item():
        domain = np.array([0.0, 1.0])
    elif values.null_count():  # numbers come first, then texts
        answers = paired.select("value", text=pl.when(pl.col("value").is_null()).then("value_text"))
        given = answers.unique().sort("value", "text", nulls_last=True).with_row_index("code")
        numbered = answers.join(given, on=["value", "text"], nulls_equal=True, maintain_order="left")
        values = numbered["code"].cast(pl.Float64)
    units, clusters = (paired[name].to_numpy() for name in ("unit", "prompt"))
    annotators = paired["person"].to_numpy() if "person" in paired.columns else None
    return count_ratings(units, values.to_numpy(), domain=domain, clusters=clusters, annotators=annotators)


def _share_unanimous(ratings: Ratings) -> Estimate:
    is_unanimous = ratings.counts.max(axis=1) == ratings.raters
    share = int(ratings.units[is_unanimous].sum()) / int(ratings.units.sum())
    spread = agreement.one_way_spread(ratings, (is_unanimous[ratings.answers.row] - share) * ratings.answers.weight)
    return agreement.crossed_share(share, ratings, spread, "share, for these annotators,")


def _share_of_yes(ratings: Ratings) -> Estimate:
    is_yes = ratings.values[ratings.answers.value]
    share = float(is_yes @ ratings.answers.weight)
    influence = agreement.Influence(np.zeros(len(is_yes)), (is_yes - share) * ratings.answers.weight)
    return agreement.crossed_share(share, ratings, agreement.two_way_spread(ratings, influence), "mean share")


@dataclass(frozen=True, slots=True)
class Confused:
    """How often one side said `said` where the other said `against`."""

    against: Scalar
    said: Scalar
    n: int


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """How far the two answers of each pair agree; `error` is the mean difference of the first and the second.

    `ties` counts answers on which people are tied, `unusable` those without a value on either side; they are in no
    figure. Only counts have `within_one`, `error` and α. κ is Fleiss' for two answers each (Scott's π); κ and α are
    None where chance explains everything, for example because all answers are the same. Intervals are over prompts.
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
    """How far a judge agrees with people's combined answers, on one kind of question about one model's images.

    A pair is a response, or a group of them, for which both have a value. `ceiling` is the same among people: each one
    against the others combined, on the responses for which the judge has a value; None if no two people looked at the
    same one.
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
class JudgePair:
    """The two sides of a comparison, the consensus rule for several answers of one side, and a rule for evidence.

    Without `read_by`, the judge's evidence is read as stored.
    """

    judge: str
    against: str = "human"
    rule: str = PLURALITY
    read_by: Rule | None = None
    nouns: Nouns = "sampled"


def compare_judge(run: Run, sides: JudgePair, factors: Iterable[str] = ()) -> list[JudgeAgreement]:
    """Measure agreement by suite, model (and all models) and kind of question, overall and by factor."""
    if sides.judge == sides.against:
        raise BadValueError(f"`against` {sides.against}: a judge is not set against itself; name another with `judge`")
    check_judge(run, sides.judge)
    check_judge(run, sides.against)
    survey = read_frame(run, ReadOptions(agreement=sides.rule, nouns=sides.nouns))
    observed = survey.observations.kept()
    places = _place_questions(observed, *_UNIT).with_columns(judge=pl.lit(sides.judge))
    votes = survey.votes
    reread = (
        votes if sides.read_by is None else read_frame(run, ReadOptions(sides.judge, sides.read_by, sides.rule)).votes
    )
    by_judge, by_people = (
        some.filter(pl.col("judge") == name).join(places, on=_UNIT, how="semi", maintain_order="left")
        for name, some in ((sides.judge, reread), (sides.against, votes))
    )
    said = label_readings(by_judge, sides.rule).select(*_UNIT, *_SAID)
    pairs = said.join(_as_truth(label_readings(by_people, sides.rule)), on=_UNIT, maintain_order="left")
    if not pairs.height:
        raise NothingToDoError(_never_met(run, sides, by_judge, by_people))
    usable = said.filter(pl.col("label") == KNOWN)
    own_answers = by_people.filter(IS_ANSWER).join(usable, on=_UNIT, how="semi", maintain_order="left")
    among_people = _pair_people(own_answers, PLURALITY if sides.rule == ADJUDICATED else sides.rule)
    rows = pl.concat(
        [pairs.with_columns(person=pl.lit(None, pl.String)), among_people.select(*pairs.columns, "person")]
    )
    placed = with_units(Frame(rows.join(places, on=_UNIT, maintain_order="left"), observed.items, observed.designs))
    found = [made for cell in _split_cells(placed, factors) if (made := _hold_against(cell, sides)) is not None]
    if not found:
        raise NothingToDoError(
            f"{sides.judge!r} and {sides.against!r} looked at {pairs.height} of the same answers, and of none do both "
            f"have a value ({_count_ties(pairs)} ties)"
        )
    return found


_SAID = ("label", "value", "value_text", "value_key")


def _as_truth(labels: pl.DataFrame) -> pl.DataFrame:
    return labels.select(*_UNIT, *(pl.col(name).alias(f"true_{name}") for name in _SAID))


def _pair_people(readings: pl.DataFrame, rule: str) -> pl.DataFrame:
    """Pair each person's answer with the combined answer of the others to the same question."""
    votes = readings.select(*_UNIT, "annotator", "value")
    known = _lay_out_known(votes)
    own = known.unique([*_UNIT, "annotator"], keep="first", maintain_order=True).rename({"annotator": "person"})
    others = own.select(*_UNIT, "person").join(votes, on=_UNIT, maintain_order="left")
    others = others.filter(pl.col("annotator") != pl.col("person"))
    # The person left out takes the judge's place, so the others' answers are combined as any judge's are.
    together = label_readings(others.rename({"person": "judge"}), rule)
    truth = _as_truth(together).with_columns(person=together["judge"])
    return own.select(*_UNIT, "person", *_SAID).join(truth, on=[*_UNIT, "person"], maintain_order="left")


def _never_met(run: Run, sides: JudgePair, by_judge: pl.DataFrame, by_people: pl.DataFrame) -> str:
    judged, counted = (rows.select(_UNIT).n_unique() for rows in (by_judge, by_people))
    judge, against = (read_names(run).name_judge(one) for one in (sides.judge, sides.against))
    return (
        f"{run.location}: {judge!r} and {against!r} never answered the same question about the same: "
        f"{judge} has answered {judged}, {against} {counted}; have it judge what people saw with "
        "subitize judge, or add people's answers with subitize import readings"
    )


def _hold_against(cell: pl.DataFrame, sides: JudgePair) -> JudgeAgreement | None:
    of_judge, of_people = cell.filter(pl.col("person").is_null()), cell.filter(pl.col("person").is_not_null())
    agreed = _agree_in_pairs(of_judge)
    if agreed is None:
        return None
    return JudgeAgreement(
        **_describe_cell(cell),
        against=sides.against,
        rule=sides.rule,
        annotators=of_people["person"].n_unique(),
        agreement=agreed,
        ceiling=_agree_in_pairs(of_people),
    )


def _agree_in_pairs(rows: pl.DataFrame) -> PairAgreement | None:
    pairs = rows.filter((pl.col("label") == KNOWN) & (pl.col("true_label") == KNOWN))
    if not pairs.height:
        return None
    ties = _count_ties(rows)
    clusters, strata = units_of(pairs), pairs["stratum"].to_numpy()
    are_counts = bool((pairs["question_kind"] == Count("").kind).all())
    are_counts &= not pairs["value"].null_count() + pairs["true_value"].null_count()
    ratings = _tally(_list_answers(pairs))
    kappa = agreement.fleiss_kappa(ratings)
    alphas = agreement.krippendorff_alphas(ratings, ("ordinal", "interval") if are_counts else ())
    within_one = error = None
    if are_counts:
        off = (pairs["value"] - pairs["true_value"]).to_numpy()
        (within_one,) = estimate((np.abs(off) <= 1).astype(np.float64), clusters, strata)
        (error,) = estimate(off, clusters, strata, scale=error_scale(low=-math.inf), what="mean signed error")
    is_exact = (pairs["value_key"] == pairs["true_value_key"]).cast(pl.Float64).to_numpy()
    return PairAgreement(
        pairs=pairs.height,
        prompts=ratings.answers.cells.clusters,
        ties=ties,
        unusable=rows.height - pairs.height - ties,
        exact=estimate(is_exact, clusters, strata)[0],
        within_one=within_one,
        error=error,
        kappa=kappa.coefficient if kappa else None,
        alpha_ordinal=alphas.get("ordinal"),
        alpha_interval=alphas.get("interval"),
        confusion=_confuse(pairs),
        caution="; ".join(find_cautions(ratings)),
    )


def _count_ties(rows: pl.DataFrame) -> int:
    return int((rows["true_label"] == TIED).sum())


def _list_answers(pairs: pl.DataFrame) -> pl.DataFrame:
    """List both answers of each pair; a pair is a unit."""
    units = pairs.with_row_index("unit").cast({"unit": pl.Int64}).rename({"cluster": "prompt"})
    sides = ((prefix + "value", prefix + "value_text") for prefix in ("", "true_"))
    return pl.concat(units.select("unit", "prompt", value=value, value_text=text) for value, text in sides)


def _confuse(pairs: pl.DataFrame) -> tuple[Confused, ...]:
    values = ("true_value", "true_value_text", "value", "value_text")
    counted = pairs.group_by("true_value_key", "value_key").agg(pl.col(values).first(), pl.len())
    counted = counted.sort("true_value", "true_value_key", "value", "value_key", nulls_last=True)
    return tuple(
        Confused(read_scalar(true_value, true_text), read_scalar(value, text), count)
        for true_value, true_text, value, text, count in counted.select(*values, "len").iter_rows()
    )
