"""How far the people who answered the same questions agree: Fleiss' κ and what helps to read it."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from subitize.analysis.levels import Level, check_factors, in_order, levels_of
from subitize.analysis.observations import Observation, Reader, observe_run
from subitize.errors import NothingToDoError
from subitize.records import Estimate, Known, Scalar
from subitize.stats.intervals import wilson_interval
from subitize.stats.kappas import Agreement, fleiss_kappa, gwet_ac
from subitize.stats.krippendorff import krippendorff_alpha
from subitize.stats.passes import average_passes
from subitize.stats.ratings import Ratings, tally
from subitize.store import Run
from subitize.store.rows import decode_value, read_answers

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
    if not votes:
        raise NothingToDoError(
            f"{run.location} has no question that two people answered{f' as {judge!r}' if judge else ''}; "
            "first: subitize import votes CSV --run RUN"
        )
    return agree(votes, factors)


class Vote(NamedTuple):
    """One answer with a value, by somebody."""

    observation: Observation
    annotator: str
    value: Scalar


def gather_votes(run: Run, judge: str | None = None) -> list[Vote]:
    """Find the answers to the questions that figures are made of, of judges with several annotators."""
    places: dict[str, dict[tuple[str, str], Observation]] = defaultdict(dict)
    for one in observe_run(run, Reader(judge)):
        if one.subject is not None and not one.is_excluded:
            places[one.judge][one.subject.id, one.ask.question.id] = one
    return [vote for name, own in places.items() for vote in _votes_by(run, name, own)]


def _votes_by(run: Run, judge: str, places: Mapping[tuple[str, str], Observation]) -> Iterator[Vote]:
    answers = read_answers(run, judge)
    if len({answer.annotator for answer in answers}) < 2:
        return
    for answer in answers:
        value, place = decode_value(answer.value), places.get((answer.subject_id, answer.question_id))
        if place is not None and isinstance(value, Known):
            yield Vote(place, answer.annotator, value.value)


def agree(votes: Sequence[Vote], factors: Iterable[str] = ()) -> list[Concord]:
    """Measure agreement on answers; nothing is said where no unit has two."""
    chosen = check_factors((vote.observation.item for vote in votes), factors)
    cells: dict[_Key, list[Vote]] = defaultdict(list)
    for vote in votes:
        one = vote.observation
        for level in levels_of(one.item, chosen):
            for model in (one.model, None):
                cells[_Key(one.item.suite, one.judge, one.ask.question.kind, model, level)].append(vote)
    models = {key: {vote.observation.model for vote in own} for key, own in cells.items() if key.model is None}
    kept = [key for key in cells if key not in models or len(models[key]) > 1]
    kept.sort(key=lambda key: (*key[:3], key.model is not None, key.model or "", in_order(key.level, chosen)))
    return [found for key in kept if (found := _agree(key, cells[key])) is not None]


class _Key(NamedTuple):
    suite: str
    judge: str
    question: str
    model: str | None
    """None are all together."""
    level: Level


def _agree(key: _Key, votes: Sequence[Vote]) -> Concord | None:
    units = _by_unit(votes)
    paired = [own for own in units if len(own) > 1]
    if not paired:
        return None
    counted = [vote for own in paired for vote in own]
    ratings = _tally(paired)
    most = ratings.counts.max(axis=1)
    is_unanimous, is_tied = most == ratings.raters, 2 * most <= ratings.raters
    kappa, ac1, alpha = fleiss_kappa(ratings), gwet_ac(ratings), krippendorff_alpha(ratings, "nominal")
    return Concord(
        key.suite,
        ALL_MODELS if key.model is None else key.model,
        key.judge,
        key.question,
        key.level.factor,
        str(key.level.level),
        len({vote.annotator for vote in counted}),
        len(paired),
        len(counted),
        len(units) - len(paired),
        int(ratings.units[is_tied].sum()),
        wilson_interval(int(ratings.units[is_unanimous].sum()), len(paired)),
        None if kappa is None else _widen(kappa.coefficient, kappa),
        None if ac1 is None else _widen(ac1.coefficient, ac1),
        _widen(alpha, kappa) if alpha and kappa else alpha,
        _share_of_yes(paired),
        key.model is None,
    )


def tally_votes(votes: Iterable[Vote]) -> Ratings:
    """Count answers by unit, of the units that have two or more."""
    return _tally([own for own in _by_unit(votes) if len(own) > 1])


def _by_unit(votes: Iterable[Vote]) -> list[list[Vote]]:
    units: dict[tuple[str, str], list[Vote]] = defaultdict(list)
    for vote in votes:
        subject = vote.observation.subject
        units[subject.id if subject else "", vote.observation.ask.question.id].append(vote)
    return list(units.values())


def _tally(units: Sequence[Sequence[Vote]]) -> Ratings:
    """Count answers by unit; of yes or no both could have been given, of others those that were."""
    values = [vote.value for own in units for vote in own]
    is_yes_or_no = all(isinstance(value, bool) for value in values)
    distinct = [False, True] if is_yes_or_no else sorted(set(values), key=lambda value: (isinstance(value, str), value))
    codes = {value: place for place, value in enumerate(distinct)}
    places = np.repeat(np.arange(len(units)), [len(own) for own in units])
    given = np.array([codes[value] for value in values], dtype=np.float64)
    return tally(places, given, domain=np.arange(len(distinct), dtype=np.float64))


def _widen(coefficient: Estimate, seen: Agreement) -> Estimate:
    """Give an interval without width one: where all units are alike, as many as Wilson leaves possible may differ."""
    if coefficient.high - coefficient.low > 1e-9:
        return coefficient
    half = wilson_interval(0, coefficient.n).high / (1 - seen.expected)
    low, high = max(-1.0, coefficient.value - half), min(1.0, coefficient.value + half)
    name = coefficient.method.partition(", Student")[0].partition(", percentile")[0]
    method = f"{name}, units never vary: Wilson bound on the share of units that may differ"
    return replace(coefficient, low=low, high=high, method=method)


def _share_of_yes(units: Sequence[Sequence[Vote]]) -> Estimate | None:
    if not all(isinstance(vote.value, bool) for own in units for vote in own):
        return None
    shares = [sum(vote.value is True for vote in own) / len(own) for own in units]
    return average_passes(shares, sum(map(len, units)))
