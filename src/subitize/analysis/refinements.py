"""Do refined prompts do better than the prompts they are made of? A paired comparison, for any suite."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median_low
from typing import Literal

from subitize.analysis.attempts import Attempt, gather_attempts
from subitize.analysis.claims import Pairing, Place, adjust_pairings, pair
from subitize.analysis.clusters import Rate, cluster_of, place_items
from subitize.analysis.observations import Reader, adopt_refusals, observe_run
from subitize.errors import NothingToDoError
from subitize.io.frames import group_rows
from subitize.records import REFINED, Design, base_suite
from subitize.store import Run

Measure = Literal["success", "accuracy"]
MEASURES: tuple[Measure, ...] = ("success", "accuracy")
"""Whether one of k images of a prompt is right, and how many of its images are."""


@dataclass(frozen=True, slots=True)
class Refinement:
    """What a refinement does to a model's success of k images, or accuracy per image: refined minus original.

    `fallbacks` of the pairs have the original prompt twice, as the refinement did not apply; `applied` is without them.
    `unpaired` prompts were judged refined only, or original only although others were refined.
    """

    suite: str
    refinement: str
    model: str
    judge: str
    measure: Measure
    k: int
    pairing: Pairing
    applied: Pairing | None
    fallbacks: int
    unpaired: int


def compare(
    attempts: Iterable[Attempt], k: int | None = None, designs: Mapping[str, Design] | None = None
) -> list[Refinement]:
    """Compare each refinement with the original, by suite, judge and model; k as `usual_k` has it if not given.

    `designs` are those of the suites, as far as they are known.
    Holm's adjustment is over the models and refinements of one suite, judge and measure; the comparisons without
    fallbacks are adjusted among themselves. What was only ever refused is wrong for every judge.
    """
    made = [(base_suite(one.item.suite), one) for one in attempts]
    judges = adopt_refusals((suite, one.judge) for suite, one in made)
    adopted = [replace(one, judge=judge) for suite, one in made for judge in judges[suite, one.judge]]
    by_suite = group_rows(adopted, lambda one: (base_suite(one.item.suite), one.judge))
    originals = {one.item.id: one.item for one in adopted if one.item.base is None}
    places = {id: Place(*place) for id, *place in place_items(originals.values(), designs or {}).iter_rows()}
    found: list[Refinement] = []
    for own in by_suite.values():
        chosen = k or usual_k(own)
        by_place = group_rows(own, lambda one: (one.model, one.item.suite))
        for measure in MEASURES:
            compared = (
                _compare(by_place.get((model, base_suite(suite)), []), refined, measure, chosen, places)
                for (model, suite), refined in by_place.items()
                if REFINED in suite
            )
            found += _adjust([row for row in compared if row])
    return found


def compare_run(run: Run, reader: Reader) -> list[Refinement]:
    """Compare each refinement with the original, for all suites, models and judges of a run."""
    observations = observe_run(run, reader)
    found = compare(gather_attempts(observations), designs=observations.designs)
    if not found:
        raise NothingToDoError(
            f"{run.location} has no refined prompts that were judged beside the original ones; first: "
            "subitize run SUITE --refine NAME --model MODEL --out RUN"
        )
    return found


def usual_k(attempts: Sequence[Attempt], most: int | None = None) -> int:
    """Choose k: as many images as at least half of the prompts have, at most so many; where fewer are, none counts."""
    usual = median_low([one.most for one in attempts])
    return usual if most is None else min(usual, most)


def value_of(attempt: Attempt, measure: Measure, k: int) -> float | None:
    """Give an attempt's success of k images, or the share of its images that are right; None if it has too few."""
    if measure == "success":
        return attempt.pass_at(k)
    return attempt.right / attempt.images if attempt.images else None


def choices_of(attempt: Attempt, measure: Measure, k: int) -> float:
    """Tell how many choices of images that have none in common `value_of` rests on."""
    return attempt.choices(k) if measure == "success" else attempt.images


def is_fallback(attempt: Attempt) -> bool:
    """Tell whether a refinement did not apply, so that the prompt is the original one."""
    return attempt.item.factors.get("is_refined") is False


def _compare(
    originals: Sequence[Attempt], refined: Sequence[Attempt], measure: Measure, k: int, places: Mapping[str, Place]
) -> Refinement | None:
    first = refined[0]
    before = _rates({one.item.id: one for one in originals}, measure, k)
    after = _rates({one.item.base or "": one for one in refined}, measure, k)
    fallen_back = {one.item.base for one in refined if is_fallback(one)}
    pairing = pair(after, before, places)
    if pairing is None:
        return None
    suite, _, name = first.item.suite.partition(REFINED)
    applied = pair({base: rate for base, rate in after.items() if base not in fallen_back}, before, places)
    fallbacks = sum(base in fallen_back for base in after if base in before)
    unpaired = len(before.keys() ^ after.keys())
    return Refinement(suite, name, first.model, first.judge, measure, k, pairing, applied, fallbacks, unpaired)


def _rates(attempts: Mapping[str, Attempt], measure: Measure, k: int) -> dict[str, Rate]:
    return {
        name: Rate(cluster_of(one.item), one.stratum, value, choices_of(one, measure, k))
        for name, one in attempts.items()
        if (value := value_of(one, measure, k)) is not None
    }


def _adjust(rows: Sequence[Refinement]) -> list[Refinement]:
    pairings = adjust_pairings([row.pairing for row in rows])
    applied = iter(adjust_pairings([row.applied for row in rows if row.applied]))
    return [
        replace(row, pairing=pairing, applied=next(applied) if row.applied else None)
        for row, pairing in zip(rows, pairings, strict=True)
    ]
