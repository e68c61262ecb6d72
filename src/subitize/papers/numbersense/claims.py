"""Numbersense's conclusions as computed claims, about measured models or the printed tables.

Printed figures have no intervals; all that is known is that they were rounded."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf

from subitize.analysis.claims import ALPHA, Claim, Contrast, Verdict, adjust, all_drop, decide, pair, subtract
from subitize.analysis.measures import ALL, CountingReport
from subitize.analysis.published import PublishedCounts, PublishedRow
from subitize.papers.numbersense.tables import COUNTS, SPELLINGS
from subitize.records import Estimate
from subitize.report.claims import tell
from subitize.report.texts import estimate_text, number_of, number_text
from subitize.stats.answers import Direction, KnowerLevel
from subitize.stats.estimate import MEAN, estimate
from subitize.stats.weber import ScalarVariability

CLAIMS: Mapping[str, str] = {
    "1": "Size does not decide: a smaller model can do better than a larger one.",
    "3a": "No model is right throughout.",
    "3b": "No model knows more than the numbers up to 4.",
    "3c": "Some models answer in much the same way as people who estimate.",
    "3.1a": "How models name numbers depends on the things, for many of them.",
    "3.1b": "Some models do not even name one and two reliably.",
    "3.1c": "Models that name numbers tend to say too few.",
    "3.2a": "Models that draw are right in fewer than half of their images.",
    "3.2b": "To draw so many things is harder than to name how many there are.",
    "3.2c": "How models draw numbers depends on the things, for many of them.",
    "3.2d": "No model that draws knows more than the numbers up to 3.",
    "3.2e": "Models that draw tend to draw too many.",
    "4": "In the best models, responses spread in proportion to their mean (scalar variability).",
}
"""The paper's conclusions in our words, by section."""

STRONG = 0.7
"""Correlations from here on are called strong (our threshold)."""
PERFECT = 0.818
"""The correlation with the ideal human of a model that never errs on 1 to 10."""
_ALL_RIGHT = 0.9
"""Threshold (ours): a model with no errors counts as perfect if its lower bound exceeds this."""
_SLOPES = (-0.5, 0.5)
"""A slope of log sd on log mean counts as Weber's if it certainly deviates from the law's by no more than this (ours).
"""
_PRINTED = "as printed"
_ROUNDING = 0.005
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
    """Whether it was tested on all numbers and categories of the paper."""

    @property
    def size(self) -> float:
        """The number in `size_billion`; 0 if unknown."""
        return float(self.size_billion.strip("?>") or 0)


def claims(measured: Iterable[tuple[str, CountingReport]]) -> list[Claim]:
    """Evaluate the paper's conclusions for measured models, each under its name.

    Intervals are widened to hold simultaneously for all models of a task.
    """
    found = list(measured)
    models = Counter(one.suite for _, one in found)
    return _observe([_measure(name, one, models[one.suite]) for name, one in found])


def claims_of_printed() -> list[Claim]:
    """Evaluate the paper's conclusions on its printed tables."""
    return _observe([_take_printed(row, of) for of in COUNTS.values() for row in of.rows])


def _observe(given: Sequence[ModelSummary]) -> list[Claim]:
    """Evaluate the claims about the tasks that are there."""
    tasks = Counter(one.model for one in given)
    models = [replace(one, model=f"{one.model} ({one.suite})") if tasks[one.model] > 1 else one for one in given]
    naming, drawing = ([one for one in models if one.suite == suite] for suite in (NAMING, DRAWING))
    found = [
        size_does_not_decide(models),
        none_is_perfect(models),
        few_are_known("3b", models, 4),
        _of_whole_design(some_are_human, models),
    ]
    if naming:
        found += [things_matter("3.1a", naming), two_is_too_many(naming), _of_whole_design(say_too_few, naming)]
    if drawing:
        found += [
            _of_whole_design(less_than_half_is_right, drawing),
            _of_whole_design(drawing_is_harder, models),
            things_matter("3.2c", drawing),
            few_are_known("3.2d", drawing, 3),
            _of_whole_design(draw_too_many, drawing),
        ]
    return [*found, _of_whole_design(spread_is_scalar, models)]


def _of_whole_design(claim: Callable[[Sequence[ModelSummary]], Claim], models: Sequence[ModelSummary]) -> Claim:
    """Leave a claim undecided if a model lacks numbers or categories of the design."""
    found, partial = claim(models), [one.model for one in models if not one.is_whole]
    if not partial:
        return found
    lacking = f"the claim is of the whole design, of which these have a part: {', '.join(partial)}"
    return replace(found, verdict="undecided", sentence=f"{found.sentence}; {lacking}")


def size_does_not_decide(models: Sequence[ModelSummary]) -> Claim:
    """Sections 1 and 5: some smaller model is right more often than a larger one in the same task."""
    sized = [(one, one.size, one.accuracy) for one in models if one.size and one.accuracy]
    pairs = [
        (small, large)
        for small, size, accuracy in sized
        for large, other_size, other in sized
        if small.suite == large.suite and size < other_size and accuracy.low > other.high
    ]
    if len(sized) < 2:
        return _state("1", "undecided", "it needs the sizes of two models of a task, which are not known here")
    if not pairs:
        return _state("1", "undecided", f"no smaller one of {number_of(len(sized), 'model')} is surely better")
    finding = [
        f"{small.model} with {small.size_billion} billion parameters {_write(small.accuracy)}, "
        f"{large.model} with {large.size_billion} {_write(large.accuracy)}"
        for small, large in pairs
    ]
    return _state("1", "holds", "; ".join(finding))


def none_is_perfect(models: Sequence[ModelSummary]) -> Claim:
    """Section 3: every model errs; a single error proves it."""
    known = {one.model: one.accuracy for one in models if one.accuracy}
    never_wrong = [(one, one.accuracy) for one in models if one.accuracy and one.accuracy.value == 1]
    is_perfect = any(one.is_whole and accuracy.low >= _ALL_RIGHT for one, accuracy in never_wrong)
    verdict = decide(holds=bool(known) and not never_wrong, fails=is_perfect)
    finding = f"accuracy: {_list(known)}"
    return _state("3a", verdict, f"{finding}; {len(never_wrong)} of {number_of(len(known), 'model')} never wrong")


def few_are_known(id: str, models: Sequence[ModelSummary], most: int) -> Claim:
    """Sections 3 and 3.2: the counting level."""
    levels = {one.model: one.level for one in models if one.level}
    if not levels:
        return _state(id, "undecided", "it needs answers to one thing and to more")
    verdict = decide(
        holds=all(level.high <= most for level in levels.values()),
        fails=any(level.low > most for level in levels.values()),
    )
    return _state(id, verdict, f"level: {_list_levels(levels)}")


def some_are_human(models: Sequence[ModelSummary]) -> Claim:
    """Section 3: the correlation with the ideal human's matrix."""
    known = {one.model: one.human_correlation for one in models if one.human_correlation}
    verdict = decide(
        holds=any(one.low >= STRONG for one in known.values()),
        fails=bool(known) and all(one.high < STRONG for one in known.values()),
    )
    finding = f"correlation with the ideal human: {_list(known) or 'not known'}"
    bounds = f"from {STRONG} on it is strong, a bound of ours; one who never errs has {PERFECT}"
    return _state("3c", verdict, f"{finding}; {bounds}: it tells little of how errors go")


def things_matter(id: str, models: Sequence[ModelSummary]) -> Claim:
    """Sections 3.1 and 3.2: the correlation of the two least similar categories; "many" means at least half."""
    known = {one.model: one.likeness for one in models if one.likeness}
    differ = sum(one.high < STRONG for one in known.values())
    alike = sum(one.low >= STRONG for one in known.values())
    if not known:
        return _state(id, "undecided", "it needs two categories of things")
    verdict = decide(holds=2 * differ >= len(known), fails=2 * alike > len(known))
    finding = f"least correlation of two categories: {_list(known)}"
    return _state(
        id, verdict, f"{finding}; surely below {STRONG}, a bound of ours, are {differ} of {len(known)}, above {alike}"
    )


def two_is_too_many(models: Sequence[ModelSummary]) -> Claim:
    """Section 3.1: models whose level is below 2."""
    levels = {one.model: one.level for one in models if one.level}
    if not levels:
        return _state("3.1b", "undecided", "it needs answers to one thing and to two")
    verdict = decide(
        holds=any(level.high < 2 for level in levels.values()), fails=all(level.low >= 2 for level in levels.values())
    )
    return _state("3.1b", verdict, f"level: {_list_levels(levels)}")


def say_too_few(models: Sequence[ModelSummary]) -> Claim:
    """Section 3.1 and Table 2: biases in naming."""
    return _go_one_way("3.1c", models, "under")


def draw_too_many(models: Sequence[ModelSummary]) -> Claim:
    """Section 3.2 and Table 3: biases in drawing."""
    return _go_one_way("3.2e", models, "over")


def _go_one_way(id: str, models: Sequence[ModelSummary], way: Direction) -> Claim:
    """Compare the shares of categories biased this way and the other; with several models, models are units."""
    by_model = {one.model: [direction for name, direction in one.biases.items() if name != ALL] for one in models}
    by_model = {model: directions for model, directions in by_model.items() if directions}
    other: Direction = "over" if way == "under" else "under"
    cells = [direction for directions in by_model.values() for direction in directions]
    counts = f"{way} in {cells.count(way)} of {number_of(len(cells), 'cell')}, {other} in {cells.count(other)}"
    if len(by_model) > 1:
        ours, theirs = ({model: own.count(of) / len(own) for model, own in by_model.items()} for of in (way, other))
        compared = pair(ours, theirs)
        assert compared is not None
        comparisons = adjust({(f"{way} − {other}", ""): compared})
        finding = f"shares of categories, {tell(comparisons[0], 'model')}"
        return _state(id, all_drop(comparisons), f"{counts}; {finding}", comparisons)
    whole = next((one.biases.get(ALL) for one in models if one.model in by_model), None)
    verdict = decide(holds=whole == way, fails=whole == other)
    return _state(id, verdict, f"{counts}; {f'on the whole: {whole}' if whole else 'a tendency needs two models'}")


def less_than_half_is_right(models: Sequence[ModelSummary]) -> Claim:
    """Section 3.2: accuracy in drawing."""
    known = {one.model: one.accuracy for one in models if one.accuracy}
    verdict = decide(
        holds=bool(known) and all(one.high < 0.5 for one in known.values()),
        fails=any(one.low >= 0.5 for one in known.values()),
    )
    return _state("3.2a", verdict, f"accuracy: {_list(known) or 'not known'}")


def drawing_is_harder(models: Sequence[ModelSummary]) -> Claim:
    """Section 3.2: mean accuracies of both tasks; with several models of each, models are units."""
    known = [[one.accuracy for one in models if one.accuracy and one.suite == suite] for suite in (NAMING, DRAWING)]
    if not all(known):
        needs = "it needs models that name and models that draw, in one run: subitize report tables"
        return _state("3.2b", "undecided", needs)
    are_several = all(len(own) > 1 for own in known)
    if not are_several and max(map(len, known)) > 1:
        return _state("3.2b", "undecided", "it needs one model of each task, or several of both")
    means = [estimate([one.value for one in own], scale=MEAN)[0] if are_several else own[0] for own in known]
    comparisons = adjust({("naming − drawing", ""): subtract(*means)})
    unit = "model" if are_several else "answer"
    return _state("3.2b", all_drop(comparisons), tell(comparisons[0], unit), comparisons)


def spread_is_scalar(models: Sequence[ModelSummary]) -> Claim:
    """Section 4: the slope of log sd on log mean of each task's best model, relative to the law's prediction."""
    tasks = dict.fromkeys(one.suite for one in models)
    best = [
        max((one for one in models if one.suite == task), key=lambda one: one.accuracy.value if one.accuracy else -1)
        for task in tasks
    ]
    known = {one.model: one.slope for one in best if one.slope}
    if not known:
        return _state("4", "undecided", "it needs a Weber fraction, and four numbers whose responses vary")
    low, high = _SLOPES
    verdict = decide(
        holds=len(known) == len(best) and all(low < one.low and one.high < high for one in known.values()),
        fails=any(one.high < low or one.low > high for one in known.values()),
    )
    finding = f"slope of log sd on log mean, minus the one that Weber's law predicts: {_list(known)}"
    return _state("4", verdict, f"{finding}; within {low} and {high} it is broadly in proportion, a margin of ours")


def _state(id: str, verdict: Verdict, sentence: str, comparisons: tuple[Contrast, ...] = ()) -> Claim:
    return Claim(id, verdict, sentence, comparisons, CLAIMS[id])


def _measure(name: str, one: CountingReport, models: int) -> ModelSummary:
    design = COUNTS[one.suite]
    return ModelSummary(
        suite=one.suite,
        model=name,
        accuracy=_widen(one.accuracy_read, models, 0),  # the paper leaves out what could not be counted
        level=_bound_level(one.knower),
        human_correlation=_widen(one.human_correlation, models, -1),
        likeness=_widen(one.abstraction.estimate if one.abstraction else None, models, -1),
        biases={bias.category: bias.direction for bias in one.biases},
        slope=_widen(_deviate(one.scalar), models, -inf, inf),
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


def _take_printed(row: PublishedRow, of: PublishedCounts) -> ModelSummary:
    likeness = {SPELLINGS[model]: value for model, value in of.abstractions.items()}.get(row.model)
    return ModelSummary(
        suite=row.suite,
        model=row.model,
        accuracy=_rounded(row.accuracy),
        level=Level(row.level, row.level, row.level),
        human_correlation=_rounded(row.human_correlation),
        likeness=None if likeness is None else _rounded(likeness),
        biases={one.category: one.direction for one in of.biases if SPELLINGS[one.model] == row.model},
        size_billion=row.size_billion,
    )


def _rounded(value: float) -> Estimate:
    return Estimate(value, value - _ROUNDING, value + _ROUNDING, 0, _PRINTED)


def _write(one: Estimate | None) -> str:
    return number_text(one.value, 2) if one and one.method == _PRINTED else estimate_text(one)


def _list(known: Mapping[str, Estimate]) -> str:
    """List figures by model, with the confidence of their intervals where unusual."""
    if all(one.method == _PRINTED for one in known.values()):
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
