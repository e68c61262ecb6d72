"""GIMBRR's conclusions as computed claims: whether each holds for these ratings, by how much, and how certainly.

They are in our words and in the order of the paper, whose sections have no numbers. Tasks share no prompts, so their
shares are compared by intervals; models are compared on prompts that both drew. Regressions are the paper's own, with
points taken as independent."""

from collections.abc import Iterable, Sequence
from itertools import chain, pairwise
from typing import NoReturn

import polars as pl

from subitize.analysis.claims import (
    ALPHA,
    SMALL,
    Claims,
    Conclusion,
    Contrast,
    ModelContrast,
    NeedsError,
    adjust,
    all_drop,
    compare_drops,
    decide,
    list_positions,
    subtract,
)
from subitize.analysis.design import estimate_by
from subitize.analysis.papers import models_of
from subitize.papers.gimbrr import regressions
from subitize.papers.gimbrr.prompts import ALL, SINGLE, TASKS
from subitize.papers.gimbrr.regressions import MULTIPLE, RELATED, UNRELATED, RegressionLine, means_by, of
from subitize.papers.gimbrr.tables import MODELS, STEP_TITLES, benchmark
from subitize.report.claims import Wording, describe_margin, tell, write_p
from subitize.report.texts import estimate_text, list_names, number_text
from subitize.stats.estimate import p_of_interval, subtract_independent

claims = Claims()
WORDING = Wording(
    "claim",
    "claims",
    "Numbers are ours, in the order of the paper.",
    "Prompts or ratings",
    "Two-sided: by flips of signs of the residuals where prompts are the same; elsewhere by the interval.",
)
_ORDER = ("Dalle", "MJ", "SD2.1")
_NEAR_PERFECT = 0.95
_ELEVEN = tuple(task.key for task in TASKS)
_HARDEST = ("text", "arithmetic")
_SECOND = "compositional"
_TWO_KINDS = "controlled-two-counting"
_SMALL_NUMBER = 6
_SMALL_SET = 3
_MOST_LISTED = 2


@claims.claim("1", "DALL-E 2 is ahead of Midjourney, and Midjourney of Stable Diffusion 2.1.")
def models_are_ordered(rows: pl.DataFrame) -> Conclusion:
    """Compare the paper's models, prompt by prompt."""
    there = models_of(rows)
    if missing := [MODELS[model] for model in _ORDER if model not in there]:
        raise NeedsError(f"ratings of {list_names(missing)}")
    own = benchmark(rows)
    places = list_positions(own)
    values: dict[str, dict[str, float]] = {model: {} for model in _ORDER}
    for (model, item), mean in means_by(own.filter(pl.col("model").is_in(_ORDER)), "model", "item").items():
        values[model][item] = mean
    wanted = [(MODELS[one], {"": values[one]}, MODELS[other], {"": values[other]}) for one, other in pairwise(_ORDER)]
    return _drops(compare_drops(wanted, places), "prompt")


@claims.claim("2", "No model is near perfect in any of the eleven tasks.")
def nothing_is_near_perfect(rows: pl.DataFrame) -> Conclusion:
    """Check every task of every model."""
    found = estimate_by(_of_all(rows, _ELEVEN), "right", "task", "model")
    verdict = decide(
        holds=all(one.high < _NEAR_PERFECT for one in found.values()),
        fails=any(one.low >= _NEAR_PERFECT for one in found.values()),
    )
    (task, model), best = max(found.items(), key=lambda pair: pair[1].value)
    sentence = f"the highest share is that of {MODELS.get(model, model)} in {ALL[task].title}, {estimate_text(best)}"
    return Conclusion(verdict, f"{sentence}; near perfect is {_NEAR_PERFECT} or more, a margin of ours")


@claims.claim("3", "Single objects are drawn best, and next to them single objects with a given characteristic.")
def single_objects_are_drawn_best(rows: pl.DataFrame) -> Conclusion:
    """Compare single objects with those with a characteristic, and these with all other tasks."""
    others = [(_SECOND, other) for other in _ELEVEN if other != _SECOND]
    return _drops(_compare_tasks(rows, [(SINGLE.key, _SECOND), *others]))


@claims.claim("4", "Text and simple arithmetic are the hardest.")
def text_and_arithmetic_are_hardest(rows: pl.DataFrame) -> Conclusion:
    """Compare all other tasks with these two."""
    pairs = [(other, hard) for hard in _HARDEST for other in _ELEVEN if other not in _HARDEST]
    return _drops(_compare_tasks(rows, pairs))


@claims.claim("5", "Two kinds of things cannot be counted, even where both can be drawn and one kind can be counted.")
def two_kinds_cannot_be_counted(rows: pl.DataFrame) -> Conclusion:
    """Compare drawing two kinds, and counting one, with counting two."""
    pairs = [("controlled-multiple", _TWO_KINDS), ("controlled-counting", _TWO_KINDS)]
    return _drops(_compare_tasks(rows, pairs))


@claims.claim("6", "Arithmetic hardly adds to that: it fails because counting two kinds does.")
def arithmetic_adds_little(rows: pl.DataFrame) -> Conclusion:
    """Compare counting two kinds with arithmetic on the same numbers."""
    (one,) = _compare_tasks(rows, [(_TWO_KINDS, "controlled-arithmetic")])
    verdict = decide(holds=one.difference.high < SMALL, fails=one.trend == "drop" and one.difference.low > SMALL)
    return Conclusion(verdict, f"{tell(one, 'rating')}; less than {SMALL} is little, a margin of ours", (one,))


@claims.claim("7", "Models that draw single objects better do not do significantly better in complex tasks.")
def single_objects_do_not_carry_over(rows: pl.DataFrame) -> Conclusion:
    """Regress complex tasks on the single objects they contain."""
    _of_all(rows, (*regressions.COMPLEX, SINGLE.key))
    return _no_rise(regressions.fit_line(regressions.point_at_singles(rows)))


@claims.claim("8", "Models that draw several objects better do better in tasks that need several.")
def several_objects_carry_over(rows: pl.DataFrame) -> Conclusion:
    """Regress tasks that need several objects on multiple objects."""
    _of_all(rows, (MULTIPLE, *RELATED))
    line = _line(regressions.fit_line(regressions.point_at_multiple(rows, RELATED)))
    is_certain = line.p < ALPHA
    verdict = decide(holds=is_certain and line.slope.value > 0, fails=is_certain and line.slope.value < 0)
    return Conclusion(verdict, _describe(line))


@claims.claim("9", "They do not do significantly better in tasks that need one.")
def they_do_not_help_with_one(rows: pl.DataFrame) -> Conclusion:
    """Regress tasks that need one object on multiple objects."""
    _of_all(rows, (MULTIPLE, *UNRELATED))
    return _no_rise(regressions.fit_line(regressions.point_at_multiple(rows, UNRELATED)))


@claims.claim(
    "10", "The two do not differ significantly: drawing several objects goes with a better performance in both."
)
def one_slope_is_enough(rows: pl.DataFrame) -> Conclusion:
    """Test the interaction of multiple objects with relatedness."""
    _of_all(rows, (MULTIPLE, *RELATED, *UNRELATED))
    effects = regressions.analyse(*(regressions.point_at_multiple(rows, tasks) for tasks in (RELATED, UNRELATED)))
    main, interaction = effects or _lack_models()
    rises = main.p < ALPHA and main.coefficient.value > 0
    verdict = decide(holds=rises and interaction.p >= ALPHA, fails=interaction.p < ALPHA)
    sentence = (
        f"interaction p {write_p(interaction.p)}; main effect b {estimate_text(main.coefficient)}, "
        f"p {write_p(main.p)} by F (type I) and p {write_p(main.p_coefficient)} by t of its coefficient; "
        f"{interaction.df} residual degrees of freedom; the sum of squares, which the paper prints as b, is "
        f"{number_text(main.squares, 3)}"
    )
    return Conclusion(verdict, sentence)


@claims.claim("11", "Larger numbers are harder to draw.")
def larger_numbers_are_harder(rows: pl.DataFrame) -> Conclusion:
    """Compare smaller numbers with larger ones."""
    return _compare_sizes(of(rows, "counting"), pl.col("number") <= _SMALL_NUMBER, ("2–6", "7–12"))


@claims.claim("12", "More different objects are harder to draw.")
def larger_sets_are_harder(rows: pl.DataFrame) -> Conclusion:
    """Compare smaller sets with larger ones."""
    return _compare_sizes(of(rows, "multiple"), pl.col("objects") <= _SMALL_SET, ("2–3 objects", "4 objects"))


@claims.claim("13", "With objects that are rarely seen together, further objects cost more than with common ones.")
def uncommon_sets_lose_more(rows: pl.DataFrame) -> Conclusion:
    """Compare the loss from two objects to four between common and uncommon sets."""
    found = estimate_by(of(rows, "multiple"), "right", "common", "objects")
    if not {(is_common, size) for is_common in (True, False) for size in (2, 4)} <= found.keys():
        raise NeedsError("common and uncommon sets of two and of four objects")
    uncommon, common = (subtract_independent(found[is_common, 2], found[is_common, 4]) for is_common in (False, True))
    difference = subtract_independent(uncommon, common)
    label = "loss from 2 to 4, uncommon − common"
    return _drops(adjust({(label, None): ModelContrast(difference, p_of_interval(difference))}))


def _of_all(rows: pl.DataFrame, tasks: Iterable[str]) -> pl.DataFrame:
    """Return the rows of these tasks, all of which must be there."""
    wanted, there = dict.fromkeys(tasks), set(rows["task"])
    if missing := [ALL[task].title for task in wanted if task not in there]:
        raise NeedsError(list_names(missing))
    return of(rows, *wanted)


def _compare_tasks(rows: pl.DataFrame, pairs: Sequence[tuple[str, str]]) -> tuple[Contrast, ...]:
    """Compare the first task of each pair, which should be easier, with the second, with all models pooled."""
    found = estimate_by(_of_all(rows, chain(*pairs)), "right", "task")
    shares = {f"{_name(a)} − {_name(b)}": subtract(found[a,], found[b,]) for a, b in pairs}
    return adjust({(label, None): one for label, one in shares.items()})


def _name(task: str) -> str:
    return STEP_TITLES.get(task, ALL[task].key)


def _compare_sizes(rows: pl.DataFrame, is_small: pl.Expr, levels: tuple[str, str]) -> Conclusion:
    found = estimate_by(rows.with_columns(is_small=is_small), "right", "is_small")
    if not {(True,), (False,)} <= found.keys():
        raise NeedsError(f"prompts with {' and '.join(levels)}")
    return _drops(adjust({(" − ".join(levels), None): subtract(found[True,], found[False,])}))


def _drops(comparisons: tuple[Contrast, ...], unit: str = "rating") -> Conclusion:
    """Hold if all are drops; of more than two, only the smallest is described."""
    verdict, least, shown = all_drop(comparisons), "", comparisons
    if len(comparisons) > _MOST_LISTED:
        shown = (min(comparisons, key=lambda one: one.difference.value),)
        drops = sum(one.trend == "drop" for one in comparisons)
        least = f"{drops} of {len(comparisons)} differences are certain; the least is this: "
    sentence = "; ".join(tell(one, unit) for one in shown) + describe_margin(verdict, comparisons)
    return Conclusion(verdict, least + sentence, comparisons)


def _no_rise(found: RegressionLine | None) -> Conclusion:
    line = _line(found)
    caution = "; this is no proof that there is no relation" if line.p >= ALPHA else ""
    return Conclusion(decide(holds=line.p >= ALPHA, fails=line.p < ALPHA), _describe(line) + caution)


def _line(found: RegressionLine | None) -> RegressionLine:
    return found or _lack_models()


def _lack_models() -> NoReturn:
    raise NeedsError("models that differ, two at least")


def _describe(line: RegressionLine) -> str:
    return f"b is {estimate_text(line.slope)}, p {write_p(line.p)}, {line.slope.n} points of models and tasks"
