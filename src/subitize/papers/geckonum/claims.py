"""GeckoNum's conclusions as computed claims: whether each holds, by how much, and how certainly.

Differences are over prompts, or over nouns that two groups of prompts share; where the paper tests labels as
independent, its p is given as well. What "most" and "all" models means depends on the comparisons of each claim."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
import polars as pl
from numpy.typing import NDArray

from subitize.analysis.claims import (
    ALPHA,
    SMALL,
    ByModel,
    Claim,
    Contrast,
    ModelContrast,
    Position,
    Verdict,
    adjust,
    all_drop,
    compare_drops,
    decide,
    most_drop,
    pooled_or_single,
    subtract,
)
from subitize.papers.geckonum.files import RATERS
from subitize.papers.geckonum.labels import Annotations, Shares, estimate_means
from subitize.papers.geckonum.prompts import TYPES
from subitize.papers.geckonum.tables import find_baselines, group_labels, share_images
from subitize.records import Estimate
from subitize.report.claims import Wording, describe_level, describe_margin, tell, write_p
from subitize.report.texts import estimate_text, list_names, number_of
from subitize.stats.compare import Difference, compare_all
from subitize.stats.significance import adjust_holm, chi_squared, one_way, permuted_one_way

Contrasts = dict[tuple[str, str | None], ModelContrast]
"""Contrasts by label and model; None pools all models."""
_NUMBERS = range(1, 11)


def missing_parts(labels: pl.DataFrame, task: int, models: Iterable[str] = ()) -> list[str]:
    """Name the types of prompts, and numbers of simple ones, that any of these models (or any there is) lacks."""
    types = dict(labels.group_by("model").agg(pl.col("type").unique()).iter_rows())
    found = set(TYPES).intersection(*(types.get(model, ()) for model in models or types)) if types else set()
    missing = [type for type, of in TYPES.items() if of == task and type not in found]
    return missing or (missing_numbers(labels.filter(pl.col("type") == "numeric_simple")) if task == 1 else [])


def missing_numbers(simple: pl.DataFrame) -> list[str]:
    """Name the numbers of simple prompts that any model lacks."""
    numbers = simple.group_by("model").agg(pl.col("truth").unique())["truth"]
    found = set(_NUMBERS).intersection(*numbers)
    missing = [f"{number}" for number in _NUMBERS if number not in found or not simple.height]
    return [f"simple prompts with {list_names(missing)}"] if missing else []


def values_of(labels: pl.DataFrame, *by: str) -> ByModel:
    """Average accuracy by model and name, such as that of a noun."""
    found: dict[str, dict[str, float]] = {}
    for model, *names, mean in (
        labels.group_by("model", *by, maintain_order=True).agg(pl.col("right").mean()).iter_rows()
    ):
        found.setdefault(model, {})["/".join(map(str, names))] = mean
    return found


def cluster_by_first(values: Iterable[ByModel]) -> dict[str, Position]:
    """Cluster names that share their first part, such as a noun."""
    names = dict.fromkeys(name for of in values for own in of.values() for name in own)
    clusters: dict[str, int] = {}
    return {name: Position(0, clusters.setdefault(name.partition("/")[0], len(clusters))) for name in names}


def subtract_kinds(labels: pl.DataFrame, column: str, kinds: Sequence[tuple[str, str, str, str]]) -> Contrasts:
    """Compare groups of prompts that do not overlap, by model and, if there are several, pooled."""
    models: list[str | None] = labels["model"].unique().sort().to_list()
    found: Contrasts = {}
    for model in [*models, *[None] * (len(models) > 1)]:
        means = estimate_means(labels if model is None else labels.filter(pl.col("model") == model), column)
        for first, one, second, other in kinds:
            if {(one,), (other,)} <= means.keys():
                found[f"{first} − {second}", model] = subtract(means[one,], means[other,])
    return found


def weigh_numbers_alike(labels: pl.DataFrame) -> Shares:
    """Estimate accuracy by type over the numbers that all types share, each number weighted equally."""
    types = labels["type"].n_unique()
    common = labels.filter(pl.col("type").n_unique().over("truth") == types)
    weight = pl.len().over("type") / (pl.len().over("type", "truth") * pl.col("truth").n_unique().over("type"))
    return estimate_means(common.with_columns(weight=weight), "type")


def compare_quantifiers(lines: pl.DataFrame, *pairs: tuple[str, str]) -> tuple[Contrast, ...]:
    """Compare quantifiers for the same things, for which the lines to choose from are the same."""
    of = {name: values_of(lines.filter(pl.col("quantifier") == name), "question") for pair in pairs for name in pair}
    return compare_drops([(one, of[one], other, of[other]) for one, other in pairs])


def compare_models(labels: pl.DataFrame, models: Sequence[str]) -> dict[tuple[str, str], Difference]:
    """Compare models on the images they share, at most five per prompt."""
    own = labels.filter(pl.col("model").is_in(models))
    there = own["model"].unique().sort().to_list()
    shared = share_images(own, there) if len(there) > 1 else None
    return {(there[one.first], there[one.second]): one for one in (compare_all(shared) if shared else ())}


WORDING = Wording(
    "claim",
    "claims",
    "Numbers are those of sections in the paper, letters are ours. Of most models means of more than half of them.",
    "Pairs or labels",
    "Two-sided: by flips of signs of the residuals of what is paired; of other prompts by the interval.",
)
CLAIMS: Mapping[str, str] = {
    "5a": "Set against chance, exact numbers are the easiest and parts of things the hardest, for every model.",
    "5b": "With parts of things every model is close to chance, or below.",
    "5c": "Even the best model draws fewer than half of the exact numbers right.",
    "5d": "One model is ahead of all others, with exact and with approximate numbers.",
    "5e": "A later version of a model is not always better than an earlier one.",
    "5.1a": "Only small numbers can be drawn: up to 4, counts are right more often than from 5 on, by every model.",
    "5.1b": "Each further number is drawn less accurately.",
    "5.1c": "Numbers in words are drawn more accurately than in digits, by most models.",
    "5.1d": "Numbers of frequent nouns are drawn more accurately than of rare ones, by most models.",
    "5.1e": "A number from 2 on is harder beside another number than alone, and beside two harder still.",
    "5.1f": "Numbers are harder with a spatial relation between the things, for most models.",
    "5.1g": "A colour makes numbers harder for some models only.",
    "5.2a": "Quantifiers of one kind of thing are easier than those that compare two.",
    "5.2b": "Of one kind of thing, “many” is the easiest and “no” the hardest, for every model.",
    "5.2c": "Of two kinds, “more” is the easiest and “as many as” the hardest, for most models.",
    "5.3a": "How well parts of things are drawn depends on the type of prompt, for most models.",
    "5.3b": "Simple fractions are easier than parts and wholes, and these than complex ones, for most models.",
    "C.2": "At least three of five annotators agree in more than 96 % of cases.",
}
"""The paper's conclusions in our words, by section; those about numbers (5.1a, b) are from its abstract and section 7.
"""

_FAMILIES = (("imagen_a", "imagen_b", "imagen_c", "imagen_d"), ("muse_a", "muse_b"))
"""Versions of the same model in the paper, earlier ones first (section 5)."""
_ROOM = 2 * SMALL
"""A number with a lower accuracy than this has no room to fall (our threshold)."""
_SMALL_NUMBERS = 4
_AGREED = 0.96
_PARTS = ("fractional-simple", "part-whole", "fractional-complex")
_Judge = Callable[[Sequence[Contrast]], Verdict]


def claims(annotations: Annotations) -> list[Claim]:
    """Evaluate the paper's conclusions on answers about any models' images."""
    simple = annotations.first_counts.filter(pl.col("type") == "numeric_simple")
    grouped = group_labels(annotations)
    return [
        tasks_differ(annotations),
        parts_are_near_chance(annotations.confirmations),
        less_than_half_is_right(annotations.counts),
        one_is_ahead(annotations),
        later_is_not_always_better(annotations),
        small_numbers_only(simple),
        falls_with_each_number(simple),
        words_beat_digits(grouped),
        frequent_nouns_are_easier(grouped),
        other_numbers_distract(annotations.first_counts),
        relations_are_hard(grouped),
        colours_matter_little(grouped),
        comparing_is_harder(annotations.lines),
        no_is_hardest(annotations.lines),
        equality_is_hardest(annotations.lines),
        types_of_parts_differ(annotations.confirmations),
        fractions_come_first(annotations.confirmations),
        annotators_agree(annotations),
    ]


def tasks_differ(annotations: Annotations) -> Claim:
    """Section 5: distance from chance by task; Task 1 over all labels, as in Table 2."""
    tasks = annotations.labels_by_task
    if missing := [part for task, labels in tasks.items() for part in missing_parts(labels, task, annotations.models)]:
        return _lack("5a", missing)
    chances = find_baselines(annotations)
    above = {
        (task, model): _move(mean, -chances[task] / 100)
        for task, labels in tasks.items()
        for (model,), mean in estimate_means(labels, "model").items()
    }
    contrasts: Contrasts = {
        (f"Task {first} − Task {second}", model): subtract(above[first, model], above[second, model])
        for model in annotations.models
        for first, second in ((1, 2), (2, 3))
    }
    return _judge_labels("5a", all_drop, contrasts, "answers to all three tasks")


def parts_are_near_chance(images: pl.DataFrame) -> Claim:
    """Section 5: Task 3, where chance is one half."""
    if missing := missing_parts(images, 3):
        return _lack("5b", missing)
    return _all_below("5b", images, 0.5 + SMALL, f"; closer than {SMALL} to chance is close, a margin of ours")


def less_than_half_is_right(counts: pl.DataFrame) -> Claim:
    """Section 5: Task 1 over all labels, as in Table 2."""
    if missing := missing_parts(counts, 1):
        return _lack("5c", missing)
    return _all_below("5c", counts, 0.5)


def one_is_ahead(annotations: Annotations) -> Claim:
    """Section 5: the best model of Task 1 against all others, in Tasks 1 and 2, on the images they share."""
    tasks = {1: annotations.counts, 2: annotations.lines}
    if missing := [part for task, labels in tasks.items() for part in missing_parts(labels, task, annotations.models)]:
        return _lack("5d", missing)
    means = {model: mean for (model,), mean in estimate_means(annotations.first_counts, "model").items()}
    best = max(means, key=lambda model: means[model].value, default="")
    comparisons = tuple(
        one for task, labels in tasks.items() for one in _compare_with(best, labels, annotations.models, f"Task {task}")
    )
    if not comparisons:
        return _state("5d", "undecided", "one model has no other to be ahead of")
    verdict = all_drop(comparisons)
    finding = "; ".join(tell(one, "label") for one in comparisons) + describe_margin(verdict, comparisons)
    return _state("5d", verdict, f"{best} is the best in Task 1; {finding}", comparisons)


def later_is_not_always_better(annotations: Annotations) -> Claim:
    """Section 5: versions of the paper's own models only; for others the order of versions is unknown."""
    contrasts: Contrasts = {}
    for family in _FAMILIES:
        versions = [model for model in family if model in annotations.models]
        for task, labels in annotations.labels_by_task.items():
            for (earlier, later), one in compare_models(labels, versions).items():
                contrasts[f"Task {task}: {earlier} − {later}", ""] = ModelContrast(one.estimate, one.p)
    if not contrasts:
        needs = "it needs two versions of one model of the paper, as imagen_a and imagen_b"
        return _state("5e", "undecided", f"{needs}; there are {list_names(annotations.models)}")
    comparisons = adjust(contrasts)
    trends = [one.trend for one in comparisons]
    verdict = decide(holds="drop" in trends, fails=set(trends) == {"rise"})
    finding = "; ".join(tell(one, "label") for one in comparisons)
    return _state("5e", verdict, f"{finding}; below 0 the later is better", comparisons)


def small_numbers_only(simple: pl.DataFrame) -> Claim:
    """Abstract and section 7: simple prompts, noun by noun."""
    if missing := missing_numbers(simple):
        return _lack("5.1a", missing)
    is_small = pl.col("truth") <= _SMALL_NUMBERS
    small, large = (values_of(simple.filter(where), "noun") for where in (is_small, ~is_small))
    comparisons = compare_drops([("1–4", small, "5–10", large)])
    return _judge("5.1a", all_drop, comparisons, "the same nouns with numbers to 4 and above")


def falls_with_each_number(simple: pl.DataFrame) -> Claim:
    """Abstract: from each number of simple prompts in digits to the next, noun by noun."""
    digits = simple.filter(pl.col("representation") == "digits")
    numbers = sorted({int(number) for number in digits["truth"]})
    at = {number: values_of(digits.filter(pl.col("truth") == number), "noun") for number in numbers}
    steps = [(number, number + 1) for number in numbers if number + 1 in at]
    comparisons = compare_drops([(str(one), at[one], str(other), at[other]) for one, other in steps])
    main = pooled_or_single(comparisons)
    shares = {f"{number:g} − {number + 1:g}": mean for (number,), mean in estimate_means(digits, "truth").items()}
    deciding = [one for one in main if shares[one.label].value >= _ROOM]
    if not deciding:
        return _state("5.1b", "undecided", "it needs the same nouns with numbers that follow each other, in digits")
    verdict = all_drop(deciding)
    left = [one for one in main if one not in deciding]
    floor = (
        f"; of {left[0].label.split(' ')[0]} and more fewer than {_ROOM:.2f} are right, too few to fall" if left else ""
    )
    finding = "; ".join(map(tell, deciding)) + floor + describe_margin(verdict, deciding)
    return _state("5.1b", verdict, finding, comparisons)


def words_beat_digits(grouped: pl.DataFrame) -> Claim:
    """Section 5.1, Table A3: numbers up to 4, each noun and number in words and digits; nouns are clusters."""
    labels = grouped.filter(pl.col("table") == "A3")
    digits, words = (values_of(labels.filter(pl.col("kind") == kind), "noun", "truth") for kind in ("D", "W"))
    comparisons = compare_drops([("words", words, "digits", digits)], cluster_by_first([digits, words]))
    needs = "the same nouns and numbers in words and in digits"
    return _judge("5.1c", most_drop, comparisons, needs, _describe_independent(labels))


def frequent_nouns_are_easier(grouped: pl.DataFrame) -> Claim:
    """Section 5.1, Table A4: numbers up to 4; nouns are clusters, since nouns were sampled."""
    labels = grouped.filter(pl.col("table") == "A4")
    nouns = pl.col("noun").rank("dense").cast(pl.Int64)
    contrasts = subtract_kinds(labels.with_columns(cluster=nouns, stratum=0), "kind", [("frequent", "F", "rare", "R")])
    return _judge_labels("5.1d", most_drop, contrasts, "frequent and rare nouns", _describe_independent(labels))


def other_numbers_distract(counts: pl.DataFrame) -> Claim:
    """Section 5.1, B.1.3: 2 to 5 alone, with another number, and with two; all numbers weigh the same."""
    labels = counts.filter(pl.col("truth").is_between(2, 5), pl.col("type").is_in(["numeric_simple", *_ADDED]))
    kinds = [
        ("alone", "numeric_simple", "with one other", _ADDED[0]),
        ("with one other", _ADDED[0], "with two", _ADDED[1]),
    ]
    contrasts: Contrasts = {}
    for (model,), own in labels.group_by("model", maintain_order=True):
        for first, one, second, other in kinds:
            means = weigh_numbers_alike(own.filter(pl.col("type").is_in([one, other])))
            if len(means) > 1:
                contrasts[f"{first} − {second}", str(model)] = subtract(means[one,], means[other,])
    return _judge_labels("5.1e", all_drop, contrasts, "numbers from 2 on, alone and beside others")


_ADDED = ("2-additive", "3-additive")


def relations_are_hard(grouped: pl.DataFrame) -> Claim:
    """Section 5.1 and Table A8: numbers up to 4 of two things, without and with a relation."""
    labels = grouped.filter(pl.col("table") == "A8")
    contrasts = subtract_kinds(labels, "kind", [("without", "NS", "with a relation", "S")])
    needs = "prompts of two things with and without a relation"
    return _judge_labels("5.1f", most_drop, contrasts, needs, _describe_independent(labels))


def colours_matter_little(grouped: pl.DataFrame) -> Claim:
    """Section 5.1, Tables A6 and A7: the same nouns without and with a colour, one or two per prompt."""
    single, two = (grouped.filter(pl.col("table") == table) for table in ("A6", "A7"))
    plain, coloured = (values_of(single.filter(pl.col("kind") == kind), "noun", "truth") for kind in ("NC", "C"))
    paired = compare_drops([("one noun", plain, "in a colour", coloured)])
    contrasts: Contrasts = {
        (one.label, one.model): ModelContrast(one.difference, one.p) for one in paired if not one.is_pooled
    }
    contrasts |= {
        key: one
        for key, one in subtract_kinds(two, "kind", [("two nouns", "2A", "in colours", "2AC")]).items()
        if key[1] is not None
    }
    if not contrasts:
        return _state("5.1g", "undecided", "it needs the same nouns without and with a colour")
    comparisons = adjust(contrasts)
    trends = [one.trend for one in comparisons]
    surely_none = trends.count("none") + trends.count("rise")
    verdict = decide(holds=surely_none > len(trends) / 2, fails=trends.count("drop") >= len(trends) / 2)
    finding = "; ".join(tell(one, "pair" if one.label.startswith("one") else "label") for one in comparisons)
    tests = [*_describe_independent(single), *_describe_independent(two)]
    return _state("5.1g", verdict, "; ".join([finding, *tests]), comparisons)


def comparing_is_harder(lines: pl.DataFrame) -> Claim:
    """Section 5.2 and Figure 3: prompts about one kind of thing against prompts about two."""
    kinds = [("one kind", "approx-1-entity", "two kinds", "approx-2-entity")]
    comparisons = adjust(subtract_kinds(lines, "type", kinds))
    main = pooled_or_single(comparisons)
    if not main:
        return _state("5.2a", "undecided", "it needs both types of Task 2")
    verdict = all_drop(main)
    finding = "; ".join(tell(one, "label") for one in main) + describe_margin(verdict, main)
    return _state("5.2a", verdict, finding, comparisons)


def no_is_hardest(lines: pl.DataFrame) -> Claim:
    """Section 5.2 and Figure 5: the three quantifiers of one kind of thing."""
    comparisons = compare_quantifiers(lines, ("many", "few"), ("few", "no"))
    needs = "the same things with “many”, “few” and “no”"
    return _judge("5.2b", all_drop, comparisons, needs, _describe_orders(comparisons))


def equality_is_hardest(lines: pl.DataFrame) -> Claim:
    """Section 5.2 and Figure 5: the three comparisons of two kinds of things."""
    comparisons = compare_quantifiers(lines, ("more", "fewer"), ("fewer", "as many"))
    needs = "the same things with “more”, “fewer” and “as many as”"
    return _judge("5.2c", _judge_orders, comparisons, needs, _describe_orders(comparisons))


def types_of_parts_differ(images: pl.DataFrame) -> Claim:
    """Section 5.3: a test among the three types.

    The paper names no test. With images taken as independent, analysis of variance finds what the paper does; since
    images of the same prompt are correlated, a second test permutes the types of prompts.
    """
    tests: dict[str, tuple[str, float]] = {}
    means = estimate_means(images, "model", "type")
    for (model,), own in images.group_by("model", maintain_order=True):
        prompts = own.group_by("prompt", maintain_order=True).agg(pl.col("type").first(), pl.col("right").mean())
        as_images, as_prompts = one_way(*_take(own)), permuted_one_way(*_take(prompts))
        if as_images and as_prompts and own["type"].n_unique() == len(_PARTS):
            shares = ", ".join(f"{type} {estimate_text(means[model, type])}" for type in _PARTS)
            text = f"F {as_prompts.f:.2f} over {number_of(as_prompts.n, 'prompt')}"
            paper = f"images taken as independent, F {as_images.f:.2f}, p {write_p(as_images.p)}, {as_images.n} images"
            tests[str(model)] = f"{text}, {paper}, {shares}", as_prompts.p
    if not tests:
        return _state("5.3a", "undecided", f"it needs two prompts of each of {list_names(_PARTS)}")
    adjusted = adjust_holm(np.array([p for _, p in tests.values()])).tolist()
    differ = sum(p < ALPHA for p in adjusted)
    verdict = decide(holds=differ > len(tests) / 2, fails=False)
    parts = [
        f"{model}: p {write_p(p)} (Holm), {text}" for (model, (text, _)), p in zip(tests.items(), adjusted, strict=True)
    ]
    return _state("5.3a", verdict, f"types differ for {differ} of {number_of(len(tests), 'model')}; {'; '.join(parts)}")


def fractions_come_first(images: pl.DataFrame) -> Claim:
    """Section 5.3: the order of the three types."""
    kinds = [(one, one, other, other) for one, other in pairwise(_PARTS)]
    comparisons = adjust(subtract_kinds(images, "type", kinds))
    return _judge("5.3b", _judge_orders, comparisons, list_names(_PARTS), _describe_orders(comparisons), "image")


def annotators_agree(annotations: Annotations) -> Claim:
    """Section 4 and appendix C.2: all three tasks together, where five people answered."""
    tasks = (annotations.first_counts, annotations.lines, annotations.parts)
    labels = pl.concat([own.select("people", "top", "stratum", "cluster", "observations") for own in tasks])
    labels = labels.filter(pl.col("people") == RATERS)
    if not labels.height:
        return _state("C.2", "undecided", f"it needs {RATERS} annotators of a question")
    right = (pl.col("top") >= 3).cast(pl.Float64)
    share = estimate_means(labels.with_columns(right=right, all=1), "all")[1,]
    verdict = decide(holds=share.low > _AGREED, fails=share.high < _AGREED)
    return _state("C.2", verdict, f"{estimate_text(share)} of {number_of(share.n, 'question')} about images")


def _state(id: str, verdict: Verdict, sentence: str, comparisons: tuple[Contrast, ...] = ()) -> Claim:
    return Claim(id, verdict, sentence, comparisons, CLAIMS[id])


def _lack(id: str, missing: Sequence[str]) -> Claim:
    needs = f"the claim is of the whole design, and there is nothing of {list_names(missing)}"
    return _state(id, "undecided", needs)


def _judge(
    id: str,
    judge: _Judge,
    comparisons: tuple[Contrast, ...],
    needs: str,
    notes: Iterable[str] = (),
    unit: str = "pair",
) -> Claim:
    """Decide by the comparisons within models; pooled ones are kept for reference."""
    deciding = [one for one in comparisons if not one.is_pooled]
    if not deciding:
        return _state(id, "undecided", f"it needs {needs}")
    verdict = judge(deciding)
    finding = "; ".join([*(tell(one, unit) for one in deciding), *notes])
    return _state(id, verdict, finding + describe_margin(verdict, deciding), comparisons)


def _judge_labels(id: str, judge: _Judge, contrasts: Contrasts, needs: str, notes: Iterable[str] = ()) -> Claim:
    return _judge(id, judge, adjust(contrasts), needs, notes, "label")


def _judge_orders(comparisons: Sequence[Contrast]) -> Verdict:
    """Hold if most models show every drop of their order; fail if at least half certainly lack one."""
    models = dict.fromkeys(one.model for one in comparisons)
    verdicts = [all_drop(one for one in comparisons if one.model == model) for model in models]
    return decide(
        holds=verdicts.count("holds") > len(verdicts) / 2, fails=verdicts.count("does not hold") >= len(verdicts) / 2
    )


def _describe_orders(comparisons: Iterable[Contrast]) -> list[str]:
    """Say how many models are in the claimed order by their point estimates, however uncertain."""
    single = [one for one in comparisons if not one.is_pooled]
    models = dict.fromkeys(one.model for one in single)
    in_order = [model for model in models if all(one.difference.value > 0 for one in single if one.model == model)]
    return [f"by the figures alone, {len(in_order)} of {number_of(len(models), 'model')} are in this order"]


def _compare_with(best: str, labels: pl.DataFrame, models: Sequence[str], what: str) -> Iterator[Contrast]:
    """Compare one model with all others; Holm's adjustment covers all pairs."""
    for (first, second), one in compare_models(labels, models).items():
        if best in (first, second):
            other, difference = (second, one.estimate) if first == best else (first, _negate(one.estimate))
            yield Contrast(f"{what}: {best} − {other}", "", difference, one.p, one.p_holm, difference.n)


def _negate(one: Estimate) -> Estimate:
    return replace(one, value=-one.value, low=-one.high, high=-one.low)


def _describe_independent(labels: pl.DataFrame) -> list[str]:
    """Write the paper's own test of the two groups, which takes labels as independent."""
    counts = labels.group_by("model", "kind").agg(pl.col("right").sum(), wrong=(1 - pl.col("right")).sum())
    tests = []
    for (model,), own in counts.sort("model", "kind").group_by("model", maintain_order=True):
        test = chi_squared(own.select("right", "wrong").to_numpy().astype(np.int64))
        if own.height == 2 and np.isfinite(test.p):
            tests.append(f"{model} χ² {float(test.statistic):.2f}, p {write_p(float(test.p))}")
    if not tests:
        return []
    return [f"as the paper tests it (Table {labels['table'][0]}), labels taken as independent: {', '.join(tests)}"]


def _take(rows: pl.DataFrame) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    return rows["right"].to_numpy(), rows["type"].rank("dense").cast(pl.Int64).to_numpy()


def _all_below(id: str, labels: pl.DataFrame, bound: float, note: str = "") -> Claim:
    """Decide whether the accuracy of every model is below a bound; the intervals hold simultaneously."""
    models = labels["model"].n_unique()
    found = estimate_means(labels, "model", confidence=1 - ALPHA / max(1, models))
    means = {model: mean for (model,), mean in found.items()}
    verdict = decide(
        holds=all(mean.high < bound for mean in means.values()), fails=any(mean.low >= bound for mean in means.values())
    )
    finding = "; ".join(f"{model} {estimate_text(mean)}, {number_of(mean.n, 'label')}" for model, mean in means.items())
    return _state(id, verdict, f"{finding}; intervals: {describe_level(len(means))}{note}")


def _move(mean: Estimate, by: float) -> Estimate:
    return replace(mean, value=mean.value + by, low=mean.low + by, high=mean.high + by)
