"""GIMBRR's conclusions as computed claims: whether each holds for these ratings, by how much, and how certainly.

Tasks share no prompts, so their shares are compared by intervals; models are compared on prompts that both drew.
Regressions are the paper's own, with points taken as independent."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

import polars as pl

from subitize.analysis.claims import (
    ALPHA,
    SMALL,
    Claim,
    Contrast,
    ModelContrast,
    Verdict,
    adjust,
    all_drop,
    compare_drops,
    decide,
    list_positions,
    subtract,
)
from subitize.analysis.design import estimate_by
from subitize.papers.gimbrr import regressions
from subitize.papers.gimbrr.prompts import ALL, SINGLE, TASKS
from subitize.papers.gimbrr.ratings import TaskRatings, means_by
from subitize.papers.gimbrr.release import MODELS
from subitize.papers.gimbrr.tables import STEP_TITLES
from subitize.records import Estimate
from subitize.report.claims import describe_margin, tell, write_p
from subitize.report.table import estimate_text, list_names, number_text
from subitize.stats.estimate import p_of_interval, subtract_independent

CLAIMS: Mapping[str, str] = {
    "1": "DALL-E 2 is ahead of Midjourney, and Midjourney of Stable Diffusion 2.1.",
    "2": "No model is near perfect in any of the eleven tasks.",
    "3": "Single objects are drawn best, and next to them single objects with a given characteristic.",
    "4": "Text and simple arithmetic are the hardest.",
    "5": "Two kinds of things cannot be counted, even where both can be drawn and one kind can be counted.",
    "6": "Arithmetic hardly adds to that: it fails because counting two kinds does.",
    "7": "Models that draw single objects better do not do significantly better in complex tasks.",
    "8": "Models that draw several objects better do better in tasks that need several.",
    "9": "They do not do significantly better in tasks that need one.",
    "10": "The two do not differ significantly: drawing several objects goes with a better performance in both.",
    "11": "Larger numbers are harder to draw.",
    "12": "More different objects are harder to draw.",
    "13": "With objects that are rarely seen together, further objects cost more than with common ones.",
}
"""The paper's conclusions in our words, in its order; its sections have no numbers."""

_ORDER = ("Dalle", "MJ", "SD2.1")
_NEAR_PERFECT = 0.95
_ELEVEN = tuple(task.key for task in TASKS)
_HARDEST = ("text", "arithmetic")
_SECOND = "compositional"
_TWO_KINDS = "controlled-two-counting"
_PAIRS: Mapping[str, Sequence[tuple[str, str]]] = {
    "3": [(SINGLE.key, _SECOND), *((_SECOND, other) for other in _ELEVEN if other != _SECOND)],
    "4": [(other, hard) for hard in _HARDEST for other in _ELEVEN if other not in _HARDEST],
    "5": [("controlled-multiple", _TWO_KINDS), ("controlled-counting", _TWO_KINDS)],
}
"""Pairs of tasks of which the first should be easier, by claim."""
_SMALL_NUMBER = 6
_SMALL_SET = 3
_MOST_LISTED = 2


def claims(ratings: TaskRatings) -> list[Claim]:
    """Evaluate the paper's conclusions on ratings of any models' images."""
    shares = {task: share for (task,), share in estimate_by(ratings.rows, "right", "task").items()}
    return [
        models_are_ordered(ratings),
        nothing_is_near_perfect(ratings),
        *(compare_tasks(id, shares) for id in _PAIRS),
        arithmetic_adds_little(shares),
        *regressions_show(ratings, shares),
        compare_sizes("11", ratings.of("counting"), pl.col("number") <= _SMALL_NUMBER, ("2–6", "7–12")),
        compare_sizes("12", ratings.of("multiple"), pl.col("objects") <= _SMALL_SET, ("2–3 objects", "4 objects")),
        uncommon_sets_lose_more(ratings),
    ]


def models_are_ordered(ratings: TaskRatings) -> Claim:
    """Compare the paper's models, prompt by prompt."""
    missing = [MODELS[model] for model in _ORDER if model not in ratings.models]
    if missing:
        return _lack("1", f"ratings of {list_names(missing)}")
    rows = ratings.benchmark
    places = list_positions(rows)
    values: dict[str, dict[str, float]] = {model: {} for model in _ORDER}
    for (model, item), mean in means_by(rows.filter(pl.col("model").is_in(_ORDER)), "model", "item").items():
        values[model][item] = mean
    wanted = [(MODELS[one], {"": values[one]}, MODELS[other], {"": values[other]}) for one, other in pairwise(_ORDER)]
    return _judge("1", compare_drops(wanted, places), "prompt")


def nothing_is_near_perfect(ratings: TaskRatings) -> Claim:
    """Check every task of every model."""
    found = estimate_by(ratings.of(*_ELEVEN), "right", "task", "model")
    if missing := _missing(_ELEVEN, (task for task, _ in found)):
        return _lack("2", missing)
    verdict = decide(
        holds=all(one.high < _NEAR_PERFECT for one in found.values()),
        fails=any(one.low >= _NEAR_PERFECT for one in found.values()),
    )
    (task, model), best = max(found.items(), key=lambda pair: pair[1].value)
    finding = f"the highest share is that of {MODELS.get(model, model)} in {ALL[task].title}, {estimate_text(best)}"
    return _state("2", verdict, f"{finding}; near perfect is {_NEAR_PERFECT} or more, a margin of ours")


def compare_tasks(id: str, shares: Mapping[str, Estimate]) -> Claim:
    """Compare tasks, with all models pooled."""
    if missing := _missing((task for pair in _PAIRS[id] for task in pair), shares):
        return _lack(id, missing)
    return _judge(id, _contrast(shares, _PAIRS[id]))


def arithmetic_adds_little(shares: Mapping[str, Estimate]) -> Claim:
    """Compare counting two kinds with arithmetic on the same numbers."""
    pair = (_TWO_KINDS, "controlled-arithmetic")
    if missing := _missing(pair, shares):
        return _lack("6", missing)
    (one,) = _contrast(shares, [pair])
    verdict = decide(holds=one.difference.high < SMALL, fails=one.trend == "drop" and one.difference.low > SMALL)
    return _state("6", verdict, f"{tell(one, 'rating')}; less than {SMALL} is little, a margin of ours", (one,))


def regressions_show(ratings: TaskRatings, there: Iterable[str]) -> Iterator[Claim]:
    """Regress shares of complex tasks on those of simpler ones, if the run has all tasks of the paper."""
    known = set(there)
    related, unrelated = (
        regressions.point_at_multiple(ratings, tasks) for tasks in (regressions.RELATED, regressions.UNRELATED)
    )
    effects = regressions.analyse(related, unrelated) if related and unrelated else None
    wanted: Mapping[str, tuple[Sequence[str], Claim | None]] = {
        "7": (
            (*regressions.COMPLEX, SINGLE.key),
            _find_nothing("7", regressions.fit_line(regressions.point_at_singles(ratings))),
        ),
        "8": ((regressions.MULTIPLE, *regressions.RELATED), _find_rise("8", regressions.fit_line(related))),
        "9": ((regressions.MULTIPLE, *regressions.UNRELATED), _find_nothing("9", regressions.fit_line(unrelated))),
        "10": ((regressions.MULTIPLE, *regressions.RELATED, *regressions.UNRELATED), _find_one_slope("10", effects)),
    }
    for id, (tasks, found) in wanted.items():
        missing = _missing(tasks, known)
        yield found if found and not missing else _lack(id, missing or "models that differ, two at least")


def compare_sizes(id: str, rows: pl.DataFrame, is_small: pl.Expr, levels: tuple[str, str]) -> Claim:
    """Compare smaller numbers or sets with larger ones, with all models pooled."""
    found = estimate_by(rows.with_columns(is_small=is_small), "right", "is_small")
    if not {(True,), (False,)} <= found.keys():
        return _lack(id, f"prompts with {' and '.join(levels)}")
    return _judge(id, adjust({(" − ".join(levels), None): subtract(found[True,], found[False,])}))


def uncommon_sets_lose_more(ratings: TaskRatings) -> Claim:
    """Compare the loss from two objects to four between common and uncommon sets."""
    found = estimate_by(ratings.of("multiple"), "right", "common", "objects")
    if not {(is_common, size) for is_common in (True, False) for size in (2, 4)} <= found.keys():
        return _lack("13", "common and uncommon sets of two and of four objects")
    uncommon, common = (subtract_independent(found[is_common, 2], found[is_common, 4]) for is_common in (False, True))
    difference = subtract_independent(uncommon, common)
    label = "loss from 2 to 4, uncommon − common"
    return _judge("13", adjust({(label, None): ModelContrast(difference, p_of_interval(difference))}))


def _contrast(shares: Mapping[str, Estimate], pairs: Iterable[tuple[str, str]]) -> tuple[Contrast, ...]:
    return adjust(
        {(f"{_name(one)} − {_name(other)}", None): subtract(shares[one], shares[other]) for one, other in pairs}
    )


def _name(task: str) -> str:
    return STEP_TITLES.get(task, ALL[task].key)


def _judge(id: str, comparisons: tuple[Contrast, ...], unit: str = "rating") -> Claim:
    """Hold if all are drops; of more than two, only the smallest is described."""
    verdict = all_drop(comparisons)
    shown = comparisons
    if len(comparisons) > _MOST_LISTED:
        shown = (min(comparisons, key=lambda one: one.difference.value),)
    finding = "; ".join(tell(one, unit) for one in shown) + describe_margin(verdict, comparisons)
    drops = sum(one.trend == "drop" for one in comparisons)
    least = (
        f"{drops} of {len(comparisons)} differences are certain; the least is this: " if shown != comparisons else ""
    )
    return _state(id, verdict, least + finding, comparisons)


def _find_nothing(id: str, line: regressions.RegressionLine | None) -> Claim | None:
    if line is None:
        return None
    verdict = decide(holds=line.p >= ALPHA, fails=line.p < ALPHA)
    caution = "; this is no proof that there is no relation" if line.p >= ALPHA else ""
    return _state(id, verdict, _describe_line(line) + caution)


def _find_rise(id: str, line: regressions.RegressionLine | None) -> Claim | None:
    if line is None:
        return None
    is_certain = line.p < ALPHA
    verdict = decide(holds=is_certain and line.slope.value > 0, fails=is_certain and line.slope.value < 0)
    return _state(id, verdict, _describe_line(line))


def _find_one_slope(id: str, effects: tuple[regressions.VarianceTerm, regressions.VarianceTerm] | None) -> Claim | None:
    if effects is None:
        return None
    main, interaction = effects
    rises = main.p < ALPHA and main.coefficient.value > 0
    verdict = decide(holds=rises and interaction.p >= ALPHA, fails=interaction.p < ALPHA)
    finding = (
        f"interaction p {write_p(interaction.p)}; main effect b {estimate_text(main.coefficient)}, "
        f"p {write_p(main.p)} by F (type I) and p {write_p(main.p_coefficient)} by t of its coefficient; "
        f"{interaction.df} residual degrees of freedom; the sum of squares, which the paper prints as b, is "
        f"{number_text(main.squares, 3)}"
    )
    return _state(id, verdict, finding)


def _describe_line(line: regressions.RegressionLine) -> str:
    return f"b is {estimate_text(line.slope)}, p {write_p(line.p)}, {line.slope.n} points of models and tasks"


def _missing(wanted: Iterable[str], there: Iterable[str]) -> str:
    known = set(there)
    return list_names([ALL[task].title for task in dict.fromkeys(wanted) if task not in known])


def _lack(id: str, needed: str) -> Claim:
    return _state(id, "undecided", f"it needs {needed}")


def _state(id: str, verdict: Verdict, sentence: str, comparisons: tuple[Contrast, ...] = ()) -> Claim:
    return Claim(id, verdict, sentence, comparisons, CLAIMS[id])
