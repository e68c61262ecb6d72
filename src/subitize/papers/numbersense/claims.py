"""Numbersense's conclusions as computed claims, about measured models or the printed tables.

Printed figures have no intervals; all that is known is that they were rounded."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf

from subitize.analysis.claims import (
    ALPHA,
    Claim,
    Claims,
    Conclusion,
    NeedsError,
    adjust,
    all_drop,
    decide,
    pair,
    subtract,
)
from subitize.analysis.measures import ALL, CountingReport
from subitize.analysis.papers import CountingModels
from subitize.io.frames import group_rows
from subitize.papers.numbersense.tables import COUNTS
from subitize.records import Estimate
from subitize.report.claims import Wording, tell
from subitize.report.texts import billions, estimate_text, number_of, number_text
from subitize.stats.answers import Direction, KnowerLevel
from subitize.stats.estimate import MEAN, estimate
from subitize.stats.weber import ScalarVariability

STRONG = 0.7
"""Correlations from here on are called strong (our threshold)."""
PERFECT = 0.818
"""The correlation with the ideal human of a model that never errs on 1 to 10."""
_ALL_RIGHT = 0.9
"""Threshold (ours): a model with no errors counts as perfect if its lower bound exceeds this."""
_SLOPES = (-0.5, 0.5)
"""A slope of log sd on log mean counts as Weber's if it certainly deviates from the law's by no more than this (ours).
"""
PRINTED = "as printed"
"""The method of printed figures, which have no intervals."""
_UNBOUNDED = 1000
"""The upper bound of a level when all numbers tried may be known."""
NAMING, DRAWING = "naming", "production"


@dataclass(frozen=True, slots=True)
class Level:
    """A counting level with its lowest and highest plausible value."""

    low: int
    value: int
    high: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSummary:
    """The figures of one model that claims use; unknown ones are None."""

    suite: str
    model: str
    accuracy: Estimate | None
    level: Level | None
    human_correlation: Estimate | None
    likeness: Estimate | None
    """The smallest correlation between two categories."""
    biases: Mapping[str, Direction]
    """By category, and for ALL where known."""
    slope: Estimate | None = None
    """Of log sd on log mean, minus the slope that the fitted law predicts."""
    size_billion: str = ""
    """As printed, with the paper's question marks."""
    is_whole: bool = True
    goes_beyond: bool = False
    """Whether it was tested on numbers that the paper has not."""
    """Whether it was tested on all numbers and categories of the paper."""

    @property
    def size(self) -> float:
        """The number in `size_billion`; 0 if unknown."""
        return float(self.size_billion.strip("?>") or 0)


CLAIMS = Claims()
_TASKS: dict[str, tuple[str, Sequence[str]]] = {}
_OF_WHOLE_DESIGN: set[str] = set()
WORDING = Wording("claim", "claims", "Numbers are those of sections in the paper, letters are ours.")

ModelsClaim = Callable[[Sequence[ModelSummary]], Conclusion]


def claim(
    id: str, text: str, task: str = "", *, of: Sequence[str] = (), is_of_whole_design: bool = False
) -> Callable[[ModelsClaim], ModelsClaim]:
    """Register a claim about models of these tasks, made where there are models of one (by default all and any).

    A claim about the whole design is undecided if a model lacks numbers or categories.
    """
    _TASKS[id] = task, of or ([task] if task else [NAMING, DRAWING])
    _OF_WHOLE_DESIGN.update([id] * is_of_whole_design)
    return CLAIMS.claim(id, text)


def claims(rows: CountingModels) -> list[Claim]:
    """Evaluate the paper's conclusions for measured models.

    Intervals are widened to hold simultaneously for all models of a task.
    """
    models = Counter(one.suite for one in rows.reports)
    return evaluate([_measure(one, models[one.suite], rows.sizes.get(one.model)) for one in rows.reports])


def evaluate(given: Sequence[ModelSummary]) -> list[Claim]:
    """Evaluate the claims about the tasks that are there."""
    tasks, suites = Counter(one.model for one in given), {one.suite for one in given}
    models = [replace(one, model=f"{one.model} ({one.suite})") if tasks[one.model] > 1 else one for one in given]
    found = []
    for id, (task, of) in _TASKS.items():
        own = [one for one in models if one.suite in of]
        if not task or task in suites:
            found.append(CLAIMS.evaluate(id, own))
        partial = [one.model for one in own if not one.is_whole] if id in _OF_WHOLE_DESIGN else []
        if partial and found[-1].id == id:
            lacking = f"the claim is of the whole design, of which these have a part: {', '.join(partial)}"
            found[-1] = replace(found[-1], verdict="undecided", sentence=f"{found[-1].sentence}; {lacking}")
    return found


@claim("1", "Size does not decide: a smaller model can do better than a larger one.")
def size_does_not_decide(models: Sequence[ModelSummary]) -> Conclusion:
    """Sections 1 and 5: some smaller model is right more often than a larger one in the same task."""
    sized = [(one, one.size, one.accuracy) for one in models if one.size and one.accuracy]
    if len(sized) < 2:
        raise NeedsError("the sizes of two models of a task, which are not known here")
    better = [
        f"{small.model} with {small.size_billion} billion parameters {_write(accuracy)}, "
        f"{large.model} with {large.size_billion} {_write(other)}"
        for small, size, accuracy in sized
        for large, other_size, other in sized
        if small.suite == large.suite and size < other_size and accuracy.low > other.high
    ]
    if better:
        return Conclusion("holds", "; ".join(better))
    return Conclusion("undecided", f"no smaller one of {number_of(len(sized), 'model')} is surely better")


@claim("3a", "No model is right throughout.")
def none_is_perfect(models: Sequence[ModelSummary]) -> Conclusion:
    """Section 3: every model errs; a single error proves it."""
    known = {one.model: one.accuracy for one in models if one.accuracy}
    never_wrong = [(one, one.accuracy) for one in models if one.accuracy and one.accuracy.value == 1]
    is_perfect = any(one.is_whole and accuracy.low >= _ALL_RIGHT for one, accuracy in never_wrong)
    verdict = decide(holds=bool(known) and not never_wrong, fails=is_perfect)
    count = f"{len(never_wrong)} of {number_of(len(known), 'model')} never wrong"
    return Conclusion(verdict, f"accuracy: {_list(known)}; {count}")


@claim("3b", "No model knows more than the numbers up to 4.")
def four_is_the_most(models: Sequence[ModelSummary]) -> Conclusion:
    """Section 3: the counting level."""
    return _few_are_known(models, 4)


@claim("3c", "Some models answer in much the same way as people who estimate.", is_of_whole_design=True)
def some_are_human(models: Sequence[ModelSummary]) -> Conclusion:
    """Section 3: the correlation with the ideal human's matrix."""
    known = {one.model: one.human_correlation for one in models if one.human_correlation and not one.goes_beyond}
    if not known and any(one.goes_beyond for one in models):
        raise NeedsError("answers to just the numbers of the paper: its bound is of these")
    verdict = decide(
        holds=any(one.low >= STRONG for one in known.values()),
        fails=bool(known) and all(one.high < STRONG for one in known.values()),
    )
    bounds = f"from {STRONG} on it is strong, a bound of ours; one who never errs has {PERFECT}"
    correlations = f"correlation with the ideal human: {_list(known) or 'not known'}"
    return Conclusion(verdict, f"{correlations}; {bounds}: it tells little of how errors go")


@claim("3.1a", "How models name numbers depends on the things, for many of them.", NAMING)
def things_matter_in_naming(models: Sequence[ModelSummary]) -> Conclusion:
    """Section 3.1: the correlation of the two least similar categories."""
    return _things_matter(models)


@claim("3.1b", "Some models do not even name one and two reliably.", NAMING)
def two_is_too_many(models: Sequence[ModelSummary]) -> Conclusion:
    """Section 3.1: models whose level is below 2."""
    levels = _levels(models, "one thing and to two")
    verdict = decide(
        holds=any(level.high < 2 for level in levels.values()), fails=all(level.low >= 2 for level in levels.values())
    )
    return Conclusion(verdict, f"level: {_list_levels(levels)}")


@claim("3.1c", "Models that name numbers tend to say too few.", NAMING, is_of_whole_design=True)
def say_too_few(models: Sequence[ModelSummary]) -> Conclusion:
    """Section 3.1 and Table 2: biases in naming."""
    return _go_one_way(models, "under", "over")


@claim("3.2a", "Models that draw are right in fewer than half of their images.", DRAWING, is_of_whole_design=True)
def less_than_half_is_right(models: Sequence[ModelSummary]) -> Conclusion:
    """Section 3.2: accuracy in drawing."""
    known = {one.model: one.accuracy for one in models if one.accuracy}
    verdict = decide(
        holds=bool(known) and all(one.high < 0.5 for one in known.values()),
        fails=any(one.low >= 0.5 for one in known.values()),
    )
    return Conclusion(verdict, f"accuracy: {_list(known) or 'not known'}")


@claim(
    "3.2b",
    "To draw so many things is harder than to name how many there are.",
    DRAWING,
    of=(NAMING, DRAWING),
    is_of_whole_design=True,
)
def drawing_is_harder(models: Sequence[ModelSummary]) -> Conclusion:
    """Section 3.2: mean accuracies of both tasks; with several models of each, models are units."""
    known = [[one.accuracy for one in models if one.accuracy and one.suite == suite] for suite in (NAMING, DRAWING)]
    if not all(known):
        raise NeedsError("models that name and models that draw, in one run: subitize report tables")
    are_several = all(len(own) > 1 for own in known)
    if not are_several and max(map(len, known)) > 1:
        raise NeedsError("one model of each task, or several of both")
    means = [estimate([one.value for one in own], scale=MEAN)[0] if are_several else own[0] for own in known]
    comparisons = adjust({("naming − drawing", ""): subtract(*means)})
    return Conclusion(all_drop(comparisons), tell(comparisons[0], "model" if are_several else "answer"), comparisons)


@claim("3.2c", "How models draw numbers depends on the things, for many of them.", DRAWING)
def things_matter_in_drawing(models: Sequence[ModelSummary]) -> Conclusion:
    """Section 3.2: the correlation of the two least similar categories."""
    return _things_matter(models)


@claim("3.2d", "No model that draws knows more than the numbers up to 3.", DRAWING)
def three_is_the_most(models: Sequence[ModelSummary]) -> Conclusion:
    """Section 3.2: the counting level."""
    return _few_are_known(models, 3)


@claim("3.2e", "Models that draw tend to draw too many.", DRAWING, is_of_whole_design=True)
def draw_too_many(models: Sequence[ModelSummary]) -> Conclusion:
    """Section 3.2 and Table 3: biases in drawing."""
    return _go_one_way(models, "over", "under")


@claim(
    "4",
    "In the best models, responses spread in proportion to their mean (scalar variability).",
    is_of_whole_design=True,
)
def spread_is_scalar(models: Sequence[ModelSummary]) -> Conclusion:
    """Section 4: the slope of log sd on log mean of each task's best model, relative to the law's prediction."""
    best = [
        max(own, key=lambda one: one.accuracy.value if one.accuracy else -1)
        for own in group_rows(models, lambda one: one.suite).values()
    ]
    known = {one.model: one.slope for one in best if one.slope}
    if not known:
        raise NeedsError("a Weber fraction, and four numbers whose responses vary")
    low, high = _SLOPES
    verdict = decide(
        holds=len(known) == len(best) and all(low < one.low and one.high < high for one in known.values()),
        fails=any(one.high < low or one.low > high for one in known.values()),
    )
    slopes = f"slope of log sd on log mean, minus the one that Weber's law predicts: {_list(known)}"
    return Conclusion(verdict, f"{slopes}; within {low} and {high} it is broadly in proportion, a margin of ours")


def _levels(models: Sequence[ModelSummary], what: str) -> dict[str, Level]:
    if levels := {one.model: one.level for one in models if one.level}:
        return levels
    raise NeedsError(f"answers to {what}")


def _few_are_known(models: Sequence[ModelSummary], most: int) -> Conclusion:
    levels = _levels(models, "one thing and to more")
    verdict = decide(
        holds=all(level.high <= most for level in levels.values()),
        fails=any(level.low > most for level in levels.values()),
    )
    return Conclusion(verdict, f"level: {_list_levels(levels)}")


def _things_matter(models: Sequence[ModelSummary]) -> Conclusion:
    """Hold if at least half of the models ("many") differ between two categories."""
    known = {one.model: one.likeness for one in models if one.likeness}
    if not known:
        raise NeedsError("two categories of things")
    differ = sum(one.high < STRONG for one in known.values())
    alike = sum(one.low >= STRONG for one in known.values())
    verdict = decide(holds=2 * differ >= len(known), fails=2 * alike > len(known))
    counts = f"surely below {STRONG}, a bound of ours, are {differ} of {len(known)}, above {alike}"
    return Conclusion(verdict, f"least correlation of two categories: {_list(known)}; {counts}")


def _go_one_way(models: Sequence[ModelSummary], way: Direction, other: Direction) -> Conclusion:
    """Compare the shares of categories biased this way and the other; with several models, models are units."""
    by_model = {one.model: [direction for name, direction in one.biases.items() if name != ALL] for one in models}
    by_model = {model: directions for model, directions in by_model.items() if directions}
    cells = [direction for directions in by_model.values() for direction in directions]
    counts = f"{way} in {cells.count(way)} of {number_of(len(cells), 'cell')}, {other} in {cells.count(other)}"
    if len(by_model) > 1:
        ours, theirs = ({model: own.count(of) / len(own) for model, own in by_model.items()} for of in (way, other))
        compared = pair(ours, theirs)
        assert compared is not None
        comparisons = adjust({(f"{way} − {other}", ""): compared})
        shares = f"shares of categories, {tell(comparisons[0], 'model')}"
        return Conclusion(all_drop(comparisons), f"{counts}; {shares}", comparisons)
    whole = next((one.biases.get(ALL) for one in models if one.model in by_model), None)
    verdict = decide(holds=whole == way, fails=whole == other)
    return Conclusion(verdict, f"{counts}; {f'on the whole: {whole}' if whole else 'a tendency needs two models'}")


def _measure(one: CountingReport, models: int, size: int | None) -> ModelSummary:
    design = COUNTS[one.suite]
    return ModelSummary(
        suite=one.suite,
        model=one.model,
        accuracy=_widen(one.accuracy_read, models, 0),  # the paper leaves out what could not be counted
        level=_bound_level(one.knower),
        human_correlation=_widen(one.human_correlation, models, -1),
        likeness=_widen(one.abstraction.estimate if one.abstraction else None, models, -1),
        biases={bias.category: bias.direction for bias in one.biases},
        slope=_widen(_deviate(one.scalar), models, -inf, inf),
        size_billion=billions(size) if size else "",
        goes_beyond=bool({*one.numbers} - {*design.numbers}),
        is_whole={*design.numbers} <= {*one.numbers} and {*design.categories} <= {*one.categories},
    )


def _deviate(scalar: ScalarVariability | None) -> Estimate | None:
    """Subtract the slope that the fitted law predicts; None without a law."""
    if scalar is None or scalar.law is None:
        return None
    slope, predicted = scalar.law.slope, scalar.law.predicted
    return replace(slope, value=slope.value - predicted, low=slope.low - predicted, high=slope.high - predicted)


def _widen(one: Estimate | None, models: int, least: float, most: float = 1.0) -> Estimate | None:
    """Widen an interval to hold simultaneously for a number of models, within bounds."""
    from scipy.special import ndtri

    if one is None or models == 1:
        return one
    confidence = 1 - ALPHA / models
    times = float(ndtri((1 + confidence) / 2) / ndtri((1 + one.confidence) / 2))
    low, high = one.value - times * (one.value - one.low), one.value + times * (one.high - one.value)
    return replace(one, low=max(low, least), high=min(high, most), confidence=confidence)


def _bound_level(knower: KnowerLevel | None) -> Level | None:
    """Return the level with its interval, unbounded above where all numbers tried may be known."""
    if knower is None or knower.level is None or knower.low is None or knower.high is None:
        return None
    has_end = knower.high < max(number.number for number in knower.numbers)
    return Level(knower.low, knower.level, knower.high if has_end else _UNBOUNDED)


def _write(one: Estimate | None) -> str:
    return number_text(one.value, 2) if one and one.method == PRINTED else estimate_text(one)


def _list(known: Mapping[str, Estimate]) -> str:
    """List figures by model, with the confidence of their intervals where unusual."""
    if all(one.method == PRINTED for one in known.values()):
        return ", ".join(f"{model} {_write(one)}" for model, one in known.items())
    finding = [f"{model} {_write(one)}, n {one.n}" for model, one in known.items()]
    levels = sorted({f"{100 * one.confidence:.1f} %" for one in known.values() if one.confidence != 1 - ALPHA})
    finding += [f"intervals: {', '.join(levels)}, 95 % for all models of a task together"] if levels else []
    return "; ".join(finding)


def _list_levels(levels: Mapping[str, Level]) -> str:
    return ", ".join(f"{model} {_write_level(level)}" for model, level in levels.items())


def _write_level(level: Level) -> str:
    if level.low == level.high:
        return str(level.value)
    high = "no end" if level.high == _UNBOUNDED else str(level.high)
    return f"{level.value} [{level.low}, {high}]"
