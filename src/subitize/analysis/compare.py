"""Comparison of models, and of refined prompts with the original ones.

Models are compared on the items, repeats and questions they share; refined prompts are paired with their originals."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median_low
from typing import NamedTuple

import numpy as np
import polars as pl

from subitize.analysis.claims import Position, list_positions, pair
from subitize.analysis.design import UNITS, Prompts, assign_units, by_factor, check_factors, units_of, with_units
from subitize.analysis.frame import ReadOptions, RunFrame, observe_run
from subitize.analysis.overview import Names, read_names
from subitize.analysis.protocols import Protocol, differences, read_protocols
from subitize.analysis.provenance import read_contents, read_provenance
from subitize.analysis.score import (
    MEASURES,
    REFINEMENT_MEASURES,
    Measure,
    PromptResult,
    RefinementMeasure,
    estimate_results,
    gather_attempts,
    value_of,
)
from subitize.errors import BadValueError, NothingToDoError, UnknownNameError
from subitize.frame import NO_JUDGE, Frame, judges_of_refusals
from subitize.io.frames import group_rows
from subitize.records import REFINED, Design, Estimate, base_suite
from subitize.stats.compare import SharedClusters, Standing, compare_all, rank_models
from subitize.stats.estimate import SHARE, error_scale, share_levels
from subitize.stats.significance import adjust_holm
from subitize.store import Run

COMPARED = tuple(name for name in MEASURES if name not in ("coverage", "discarded", "refused", "unknown"))
"""The measures by which one model can be better than another."""


@dataclass(frozen=True, slots=True, eq=False)
class Contestant:
    """One judge's observations of one model on one suite, under a unique label."""

    label: str
    suite: str
    judge: str
    observations: Frame
    run: Run | None = None
    source: tuple[str, str, str, str] = ("", "", "", "")
    """The stored names of the run, the suite, the model and the judge."""


class Board(NamedTuple):
    """The subject of a ranking: one measure of one group of items, according to one judge."""

    suite: str
    judge: str
    factor: str
    group: str
    measure: str


@dataclass(frozen=True, slots=True)
class Ranked:
    """A model's figure over what all models share, the best and the worst rank that it may have, and its letters.

    Models of a board that share a letter cannot be told apart.
    """

    model: str
    estimate: Estimate
    best: int
    worst: int
    letters: str
    equals: tuple[str, ...] = ()
    """The other models of the board that it cannot be told apart from."""

    @property
    def rank(self) -> str:
        """The rank, or the range of ranks that it may have."""
        return write_rank(self)


@dataclass(frozen=True, slots=True)
class ModelPair:
    """The first model's figure minus the second's; `p_holm` is adjusted for all pairs of the board."""

    first: str
    second: str
    difference: Estimate
    p: float
    p_holm: float


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """Models compared by one measure, the best first."""

    board: Board
    models: tuple[Ranked, ...]
    pairs: tuple[ModelPair, ...]


@dataclass(frozen=True, slots=True)
class LeftOut:
    """The number of a model's observations in no comparison, because another model lacks them or they are excluded."""

    suite: str
    judge: str
    model: str
    count: int
    total: int


@dataclass(frozen=True, slots=True)
class Comparisons:
    """Leaderboards, the observations left out, and notes on differences between the protocols compared."""

    boards: tuple[Leaderboard, ...]
    left_out: tuple[LeftOut, ...]
    notes: tuple[str, ...] = ()


def compare_surveys(
    surveys: Mapping[str, RunFrame],
    measures: Sequence[str] = (),
    factors: Sequence[str] = (),
    names: Mapping[str, str] | None = None,
    *,
    prompts: Prompts = "sampled",
) -> Comparisons:
    """Compare the models of runs, given by name, on what all models share within a suite and judge."""
    protocols = _follow(surveys)
    entries = _name_judges_alike(list_entries(surveys, names), protocols)
    _check_comparable(entries)
    alone = (
        f"{one.suite}: {one.label} alone was judged by {one.judge}, and is compared with none there"
        for one, *others in _families(entries)
        if not others
    )
    notes = (*_compare_protocols(entries, protocols), *alone, *_note_stand_ins(entries))
    found = compare_entries(entries, measures, factors, prompts=prompts)
    if not found.boards and measures and compare_entries(entries).boards:
        listed = ", ".join(measures)
        raise NothingToDoError(
            f"these models have nothing that {listed} is of; leave out `measures` to see what they have"
        )
    if not found.boards:
        listed = ", ".join(f"{one.model} has {one.total} observations of {one.suite}" for one in found.left_out)
        raise NothingToDoError(
            f"no item and repeat is common to all models: {listed}; give all of them the same items: "
            "subitize run SUITE --model MODEL --out RUN, with the same options and seed"
        )
    return replace(found, notes=notes)


def list_entries(surveys: Mapping[str, RunFrame], names: Mapping[str, str] | None = None) -> list[Contestant]:
    """List the contestants; a label includes the name of the run if two runs have a model of that label.

    Labels are the given names of specs, or else the specs themselves.
    """
    names = names or {}
    parts = [
        (name, survey, key, own)
        for name, survey in surveys.items()
        for key, own in survey.observations.partition("suite", "model", "judge")
    ]
    places = {(suite, model, name) for name, _, (suite, model, _), _ in parts}
    runs = Counter((suite, names.get(model, model)) for suite, model, _ in places)
    found = []
    for name, survey, (suite, model, judge), own in parts:
        label = names.get(model, model)
        label += f" ({name})" * (runs[suite, label] > 1)
        found.append(Contestant(label, suite, judge, own, survey.run, (name, suite, model, judge)))
    return found


def compare_entries(
    entries: Sequence[Contestant],
    measures: Sequence[str] = (),
    factors: Sequence[str] = (),
    *,
    prompts: Prompts = "sampled",
) -> Comparisons:
    """Compare models, suite by suite and judge by judge; a single model, or no shared items, gives no board."""
    for name in measures:
        if name not in COMPARED:
            raise UnknownNameError("measure to compare by", name, COMPARED)
    boards: list[Leaderboard] = []
    left_out: list[LeftOut] = []
    for family in _families(entries):
        common, missing = _take_common(family)
        left_out += missing
        if len(family) > 1 and len(common):
            chosen = tuple(dict.fromkeys(measures)) or COMPARED
            boards += _compare_family(family, with_units(common, prompts), chosen, factors)
    return Comparisons(tuple(boards), tuple(left_out))


def rank_overall(entries: Sequence[Contestant], measure: str = "accuracy") -> dict[str, Ranked]:
    """Rank models by one measure overall, by label; models that cannot be compared are left out."""
    counts = MEASURES[measure].where.any()
    if not any(one.observations.rows.select(counts).item() for one in entries):
        return {}
    found = compare_entries(entries, [measure])
    return {one.model: one for board in found.boards for one in board.models}


def write_rank(one: Standing | Ranked) -> str:
    """Write the rank of a model, or the range of ranks that it may have."""
    return str(one.best) if one.best == one.worst else f"{one.best}–{one.worst}"


def _families(entries: Sequence[Contestant]) -> list[list[Contestant]]:
    """Group contestants by suite and judge."""
    judges = judges_of_refusals((one.suite, one.judge) for one in entries)
    adopted = (replace(one, judge=judge) for one in entries for judge in judges[one.suite, one.judge])
    families = group_rows(adopted, lambda one: (one.suite, one.judge))
    return [sorted(family, key=lambda one: one.label) for family in families.values()]


def _check_comparable(entries: Sequence[Contestant]) -> None:
    """Refuse to compare if no two models have the same suite and judge."""
    if any(len(family) > 1 for family in _families(entries)):
        return
    labels = sorted({one.label for one in entries})
    if len(labels) == 1:
        raise NothingToDoError(
            f"there is one model only, {labels[0]!r}; name a run of another one, too: subitize compare RUN RUN"
        )
    known = read_names(*{one.run for one in entries if one.run})
    seen = ", ".join(sorted({f"{one.label} in {one.suite} by {known.name_judge(one.judge)}" for one in entries}))
    raise NothingToDoError(
        f"no two models have the same suite and judge: {seen}; have them judged alike: subitize judge RUN --judge JUDGE"
    )


_KEY = ("item", "content", "repeat", "ask", "group")
_MEASURED = {
    name
    for one in MEASURES.values()
    for figure in (one.where, one.value, one.needs, one.step)
    if figure is not None
    for name in figure.meta.root_names()
}


def _take_common(family: Sequence[Contestant]) -> tuple[Frame, list[LeftOut]]:
    """Keep the questions about items and repeats that all models share, and count the others."""
    first = family[0]
    columns = sorted({*_KEY, "model", "judge", "is_excluded", *_MEASURED})  # others would be copied several times
    is_common = pl.col("model").n_unique().over(_KEY) == len(family)
    common = (
        pl.concat(
            one.observations.rows.with_columns(model=pl.lit(one.label), content=content).select(*columns)
            for one, content in zip(family, _read_contents(family), strict=True)
        )
        .filter(~pl.col("is_excluded"))
        .filter(is_common)
        .with_columns(subject=pl.concat_str("item", "repeat", separator=" "))  # the same for all models
    )
    kept = dict(common.group_by("model").len().iter_rows())
    left_out = [
        LeftOut(first.suite, first.judge, one.label, len(one.observations) - kept.get(one.label, 0), total)
        for one in family
        for total in [len(one.observations)]
        if kept.get(one.label, 0) < total
    ]
    items = {id: item for one in family for id, item in one.observations.items.items()}
    return Frame(common, items, first.observations.designs), left_out


def _read_contents(family: Sequence[Contestant]) -> list[pl.Expr]:
    """Identify the contents of each contestant's items; within one run, equal ids mean equal items."""
    if len({id(one.run) for one in family}) == 1:
        return [pl.lit("")] * len(family)
    found = []
    for one in family:
        contents = read_contents(one.run, set(one.observations.rows["item"])) if one.run else {}
        hashes = {name: content.hash for name, content in contents.items()}
        found.append(pl.col("item").replace_strict(hashes, default="", return_dtype=pl.String()))
    return found


def _compare_family(
    family: Sequence[Contestant], common: Frame, measures: Sequence[str], factors: Sequence[str]
) -> Iterator[Leaderboard]:
    first, labels = family[0], [one.label for one in family]
    by = ("factor", "level", "order")
    for rows in by_factor(common, check_factors(common.seen_items(), factors)):
        for (factor, level, _), own in rows.sort("order", maintain_order=True).group_by(by, maintain_order=True):
            for name in measures:
                shared = _share_clusters(own, MEASURES[name], labels)
                if shared is not None:
                    board = Board(first.suite, first.judge, str(factor), str(level), name)
                    yield _make_board(board, shared, labels)


def _share_clusters(rows: pl.DataFrame, measure: Measure, labels: Sequence[str]) -> SharedClusters | None:
    """Average each model's values by cluster, over rows that count for all models; None if there are none."""
    if measure.needs is not None and not rows.select(measure.needs.any()).item():
        return None
    counted = rows.filter(measure.where).filter(pl.len().over(_KEY) == len(labels))
    if not counted.height:
        return None
    step = measure.step
    values = counted.select("cluster", "stratum", "model", UNITS, value=measure.value.cast(pl.Float64))
    cells = values.group_by("cluster", "model").agg(
        pl.col("value").mean(), pl.len(), pl.col("stratum").first(), UNITS.first()
    )
    cells = cells.sort("cluster", pl.col("model").cast(pl.Enum(labels)))
    means = cells["value"].to_numpy().reshape(-1, len(labels)).T
    of_first = cells.gather_every(len(labels))
    return SharedClusters(
        np.ascontiguousarray(means),
        of_first["len"].cast(pl.Float64).to_numpy(),
        of_first["stratum"].to_numpy(),
        most=1.0 if step is None else np.inf,
        are_shares=step is None,
        step=1.0 if step is None else float(counted.select(step.mean()).item()),
        shared=share_levels(units_of(of_first)),
    )


def _make_board(board: Board, shared: SharedClusters, labels: Sequence[str]) -> Leaderboard:
    is_error = MEASURES[board.measure].step is not None
    scale = error_scale(shared.step) if is_error else SHARE
    estimates = shared.estimate(scale)
    found = compare_all(shared)
    standings = rank_models(found, [one.value for one in estimates], is_error=is_error)
    letters = {label: set(one.letters) for label, one in zip(labels, standings, strict=True)}
    ranked = []
    for label, figure, one in zip(labels, estimates, standings, strict=True):
        equals = tuple(other for other in labels if other != label and letters[label] & letters[other])
        ranked.append(Ranked(label, figure, one.best, one.worst, one.letters, equals))
    ranked.sort(key=lambda one: one.estimate.value if is_error else -one.estimate.value)
    pairs = (ModelPair(labels[one.first], labels[one.second], one.estimate, one.p, one.p_holm) for one in found)
    return Leaderboard(board, tuple(ranked), tuple(pairs))


# The first must be equal; differences in the second are noted. The numbers of items and repeats do not matter, as only
# shared ones are compared.
_READ_ALIKE = ("judge_options", "rules", "agreement", "scoring_version")
_NOTED = ("asking_again", "prompts", "is_rewritten", "has_own_seeds", "parameters", "judge_revisions", "readings")


_Protocols = Mapping[tuple[str, str, str, str], Protocol]


def _follow(surveys: Mapping[str, RunFrame]) -> _Protocols:
    """Read the protocols, by the names of the run, the suite, the model and the judge."""
    return {
        (name, *place): one.protocol
        for name, survey in surveys.items()
        for trails in [read_provenance(survey.run, survey.reader.judge)]
        for place, one in read_protocols(survey.run, trails, survey.reader).items()
    }


def _name_judges_alike(entries: Sequence[Contestant], protocols: _Protocols) -> list[Contestant]:
    """Name judges without their rule and address, unless one model then has two judges of one name."""
    named = [replace(one, judge=protocols[one.source].judge) for one in entries]
    count = Counter((one.label, one.suite, one.judge) for one in named)
    return [
        new if count[new.label, new.suite, new.judge] == 1 else old for new, old in zip(named, entries, strict=True)
    ]


def _compare_protocols(entries: Sequence[Contestant], protocols: _Protocols) -> Iterator[str]:
    """Refuse models whose answers were read differently, and describe other differences in protocol."""
    for family in _families(entries):
        first, *others = family
        judged = [one for one in family if one.source[-1] != NO_JUDGE]
        for one in judged[1:]:
            how = _differ(protocols[judged[0].source], protocols[one.source], _READ_ALIKE)
            if how:
                raise BadValueError(
                    f"{judged[0].label} and {one.label} of {one.suite} were read differently: {how}; read all by one "
                    "rule with `rule` RULE, or have them judged with the same options"
                )
        for one in others:
            how = _differ(protocols[first.source], protocols[one.source], _NOTED)
            if how:
                yield f"{one.suite}: {first.label} and {one.label} differ in protocol: {how}"


def _note_stand_ins(entries: Sequence[Contestant]) -> Iterator[str]:
    for one in entries:
        stand_ins = read_names(one.run) if one.run else Names()
        if one.source[3] in stand_ins.judges and one.source[2] not in stand_ins.models:
            knows = "is a stand-in that knows only the drawings of subitize"
            yield f"{one.judge} {knows}: no rank of {one.label} by it counts"


def _differ(one: Protocol, other: Protocol, names: Sequence[str]) -> str:
    return "; ".join(differences(one, replace(one, **{name: getattr(other, name) for name in names})))


@dataclass(frozen=True, slots=True)
class PairedContrast:
    """The mean of the first minus that of the second over what both have (n pairs), with a two-sided p.

    p is below .05 exactly where the interval of the difference excludes 0. `p_holm` is adjusted for all contrasts of
    the same family.
    """

    first: Estimate
    second: Estimate
    difference: Estimate
    p: float
    p_holm: float


@dataclass(frozen=True, slots=True)
class RefinementEffect:
    """The effect of a refinement on a model's success with k images, or accuracy per image: refined minus original.

    `fallbacks` counts pairs with the original prompt twice, as the refinement did not apply; `applied` leaves them out.
    `unpaired` counts prompts of which only the refined or only the original version was judged.
    """

    suite: str
    refinement: str
    model: str
    judge: str
    measure: RefinementMeasure
    k: int
    pairing: PairedContrast
    applied: PairedContrast | None
    fallbacks: int
    unpaired: int


def compare(
    attempts: Iterable[PromptResult], k: int | None = None, designs: Mapping[str, Design] | None = None
) -> list[RefinementEffect]:
    """Compare each refinement with the original, by suite, judge and model; by default k is that of `default_k`.

    `designs` are those of the suites, as far as they are known.
    Holm's adjustment covers the models and refinements of one suite, judge and measure; comparisons without fallbacks
    are adjusted among themselves. Prompts that were only ever refused are wrong for every judge.
    """
    made = [(base_suite(one.item.suite), one) for one in attempts]
    judges = judges_of_refusals((suite, one.judge) for suite, one in made)
    adopted = [replace(one, judge=judge) for suite, one in made for judge in judges[suite, one.judge]]
    by_suite = group_rows(adopted, lambda one: (base_suite(one.item.suite), one.judge))
    originals = {one.item.id: one.item for one in adopted if one.item.base is None}
    places = list_positions(assign_units(originals.values(), designs or {}))
    found: list[RefinementEffect] = []
    for own in by_suite.values():
        chosen = k or default_k(own)
        by_place = group_rows(own, lambda one: (one.model, one.item.suite))
        for measure in REFINEMENT_MEASURES:
            compared = (
                _compare(by_place.get((model, base_suite(suite)), []), refined, measure, chosen, places)
                for (model, suite), refined in by_place.items()
                if REFINED in suite
            )
            found += _adjust([row for row in compared if row])
    return found


def compare_run(run: Run, reader: ReadOptions) -> list[RefinementEffect]:
    """Compare each refinement with the original, for all suites, models and judges of a run."""
    observations = observe_run(run, reader)
    found = compare(gather_attempts(observations), designs=observations.designs)
    if not found:
        raise NothingToDoError(
            f"{run.location} has no refined prompts that were judged beside the original ones; first: "
            "subitize run SUITE --refine NAME --model MODEL --out RUN"
        )
    return found


def default_k(attempts: Sequence[PromptResult], most: int | None = None) -> int:
    """Choose k: the number of images that at least half of the prompts have, and no more than `most`."""
    usual = median_low([one.most for one in attempts])
    return usual if most is None else min(usual, most)


def is_fallback(attempt: PromptResult) -> bool:
    """Return whether the refinement did not apply, so the prompt is the original one."""
    return attempt.item.factors.get("is_refined") is False


def _compare(
    originals: Sequence[PromptResult],
    refined: Sequence[PromptResult],
    measure: RefinementMeasure,
    k: int,
    places: Mapping[str, Position],
) -> RefinementEffect | None:
    first = refined[0]
    before = {one.item.id: one for one in originals if value_of(one, measure, k) is not None}
    after = {one.item.base or "": one for one in refined if value_of(one, measure, k) is not None}
    pairing = _pair(after, before, measure, k, places)
    if pairing is None:
        return None
    suite, _, name = first.item.suite.partition(REFINED)
    changed = {base: one for base, one in after.items() if not is_fallback(one)}
    applied = _pair(changed, before, measure, k, places)
    fallbacks = len((after.keys() - changed.keys()) & before.keys())
    unpaired = len(before.keys() ^ after.keys())
    return RefinementEffect(suite, name, first.model, first.judge, measure, k, pairing, applied, fallbacks, unpaired)


_Results = Mapping[str, PromptResult]


def _pair(
    after: _Results, before: _Results, measure: RefinementMeasure, k: int, places: Mapping[str, Position]
) -> PairedContrast | None:
    ours, theirs = ({name: value_of(one, measure, k) or 0.0 for name, one in of.items()} for of in (after, before))
    found = pair(ours, theirs, places)
    if found is None:
        return None
    common = [name for name in ours if name in theirs]
    first, second = (estimate_results([of[name] for name in common], measure, k) for of in (after, before))
    return PairedContrast(first, second, found.difference, found.p, found.p)


def _adjust(rows: Sequence[RefinementEffect]) -> list[RefinementEffect]:
    pairings = _adjust_pairings([row.pairing for row in rows])
    applied = iter(_adjust_pairings([row.applied for row in rows if row.applied]))
    return [
        replace(row, pairing=pairing, applied=next(applied) if row.applied else None)
        for row, pairing in zip(rows, pairings, strict=True)
    ]


def _adjust_pairings(pairings: Sequence[PairedContrast]) -> list[PairedContrast]:
    adjusted = adjust_holm(np.array([one.p for one in pairings]))
    return [replace(one, p_holm=float(p)) for one, p in zip(pairings, adjusted, strict=True)]
