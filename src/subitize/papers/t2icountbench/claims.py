"""T2ICountBench's conclusions as computed claims: whether each holds, by how much, and how certainly."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction

import numpy as np
import polars as pl

from subitize.analysis.agreement import gather_votes, tally_votes
from subitize.analysis.claims import (
    ALPHA,
    ByModel,
    Claim,
    Claims,
    Conclusion,
    NeedsError,
    adjust,
    all_drop,
    average,
    compare_drops,
    decide,
    most_drop,
    pair,
    pooled_or_single,
)
from subitize.analysis.compare import is_fallback
from subitize.analysis.score import PromptResult
from subitize.papers.t2icountbench import tables
from subitize.papers.t2icountbench.suite import NAME as SUITE
from subitize.papers.t2icountbench.tables import Attempts
from subitize.records import REFINED, MatchesPrompt, base_suite
from subitize.report.claims import Wording, describe_level, describe_margin, tell, write_p
from subitize.report.texts import estimate_text, number_of
from subitize.stats.agreement import fleiss_kappa
from subitize.stats.ratings import Ratings, find_cautions
from subitize.stats.significance import average_ranks, interaction_test, kendall_w, resampled_w
from subitize.store import Run

STRONG = 0.7
"""Kendall's W from here on means strong agreement of rankings (Schmidt 1997, Decision Sciences 28)."""
NEARLY_ALL = Fraction(4, 5)
"""What "nearly all" models means (our choice). In the paper, 12 of 15 are below 10 % on hard prompts."""
KAPPA = "κ"
"""The number of the conclusion on annotators, which is of their votes."""
_APPLIED = ", where it applies"

WORDING = Wording("observation", "observations", "Numbers are those of the observations in the paper.")
claims_of = Claims()


def claims(rows: Attempts) -> list[Claim]:
    """Evaluate the paper's observations on what one judge saw; with annotators' votes, their κ too."""
    votes = read_votes(rows.run, rows.judge) if rows.run else None
    return [*observe(rows), *([claims_of.evaluate(KAPPA, votes)] if votes else ())]


def observe(rows: Attempts) -> list[Claim]:
    """Evaluate the observations on what models drew."""
    return claims_of(rows, (id for id in claims_of.functions if id != KAPPA))


def read_votes(run: Run, judge: str) -> Ratings | None:
    """Count annotators' votes on groups of images of unrefined prompts; None unless two voted on some group."""
    is_on_group = (pl.col("question_kind") == MatchesPrompt().kind) & (pl.col("group") > 1)
    found = tally_votes(gather_votes(run, judge).filter(is_on_group, pl.col("suite") == SUITE).rows)
    return found if len(found.units) else None


@claims_of.claim(
    "4.1", "Every model is right on fewer than half of the prompts, and the best is clearly better than the worst."
)
def low_and_unequal(rows: Attempts) -> Conclusion:
    """Observation 4.1: averages are below one half, and the best is well above the worst."""
    k, own = rows.k, rows.originals.results
    means = tables.average_by_model(own, k)
    if not means:
        return Conclusion("undecided", f"there are no attempts at {SUITE} itself")
    # A claim about all of m models is tested m times.
    means = tables.average_by_model(own, k, 1 - ALPHA / len(means))
    below = [model for model, mean in means.items() if mean.high < 0.5]
    above = [model for model, mean in means.items() if mean.low >= 0.5]
    finding = (
        f"success of {k}: {len(below)} of {number_of(len(means), 'model')} below .50 with the whole interval, "
        f"{len(above)} above ({describe_level(len(means))})"
    )
    part = _part_of_design(own, means, k)
    worst, best = min(means, key=lambda one: means[one].value), max(means, key=lambda one: means[one].value)
    if len(means) == 1:
        alone = f"{finding}: {best} {estimate_text(means[best])}; one model has no other to differ from{part}"
        return Conclusion("does not hold" if above and not part else "undecided", alone)
    values = _values(own, k, tables.prompt_of)
    models = sorted(means, key=lambda one: -means[one].value)
    pairs = {
        (better, worse): found
        for place, better in enumerate(models)
        for worse in models[place + 1 :]
        if (found := pair(values[better], values[worse]))
    }
    comparisons = adjust({(f"{better} − {worse}", ""): found for (better, worse), found in pairs.items()})
    widest = next((one for one in comparisons if one.label == f"{best} − {worst}"), None)
    trend = widest.trend if widest else None
    fails = bool(above) or trend == "none"
    verdict = decide(holds=not part and len(below) == len(means) and trend == "drop", fails=not part and fails)
    differences = "the only difference" if len(pairs) == 1 else f"chosen as the widest of {len(pairs)} differences"
    apart = f"; {tell(widest)}, {differences}" if widest else ""
    margin = describe_margin(verdict, [widest] if widest and not above else [])
    return Conclusion(verdict, finding + apart + part + margin, comparisons)


def _part_of_design(own: Sequence[PromptResult], models: Iterable[str], k: int) -> str:
    """Say what is missing for a claim about the whole benchmark, if anything is."""
    missing: dict[str, None] = {} if k >= tables.IMAGES else {f"the success of {tables.IMAGES} images": None}
    for model in models:
        found = tables.missing_levels([one for one in own if one.model == model], k)
        missing |= dict.fromkeys([*found["category"], *found["difficulty"]])
    return f"; the claim is of the whole design, and there is nothing of {', '.join(missing)}" if missing else ""


@claims_of.claim(
    "4.2", "The more things are asked for, the rarer it is right; of 11 to 15 nearly all models are below 10 %."
)
def falls_with_number(rows: Attempts) -> Conclusion:
    """Observation 4.2: accuracy falls from easy to medium to hard, where nearly all models are below 10 %."""
    k, own = rows.k, rows.originals.results
    levels = {
        level: _values(tables.having(own, difficulty=level), k, _by("object", "scene", "style"))
        for level in ("easy", "medium", "hard")
    }
    comparisons = compare_drops(
        [("easy", levels["easy"], "medium", levels["medium"]), ("medium", levels["medium"], "hard", levels["hard"])]
    )
    at_hard = tables.having(own, difficulty="hard")
    hard = list(tables.average_by_model(at_hard, k).values())
    count = len(hard)
    # "Nearly all are below" is wrongly confirmed only if several intervals miss; "one more is above" if one does.
    wider = tables.average_by_model(at_hard, k, 1 - ALPHA / max(1, count)).values()
    if len({one.label for one in comparisons}) < 2:
        raise NeedsError("the same objects and scenes at all three levels of difficulty")
    below, above = sum(one.high < 0.1 for one in hard), sum(one.low >= 0.1 for one in wider)
    main = pooled_or_single(comparisons)
    falls = all_drop(main)
    verdict = decide(
        holds=falls == "holds" and below >= NEARLY_ALL * count,
        fails=falls == "does not hold" or above > (1 - NEARLY_ALL) * count,
    )
    lower = sum(one.value < 0.1 for one in hard)
    finding = (
        f"{'; '.join(map(tell, main))}; {lower} of {number_of(count, 'model')} below .10 on hard prompts, "
        f"{below} with the whole interval (95 %), and {above} above ({describe_level(count)})"
    )
    return Conclusion(verdict, finding + describe_margin(falls, main), comparisons)


@claims_of.claim("5.1", "Refining the prompt makes counting worse, by most refinements.")
def refinements_do_not_help(rows: Attempts) -> Conclusion:
    """Observation 5.1: refined prompts do worse than the original, at home in plain style."""
    k = rows.k
    there = [
        one for one in tables.having(rows.results, scene="home", style="plain") if base_suite(one.item.suite) == SUITE
    ]
    original = _values([one for one in there if one.item.suite == SUITE], k, tables.prompt_of)
    names = dict.fromkeys(one.item.suite.partition(REFINED)[2] for one in there if REFINED in one.item.suite)
    refined = {name: [one for one in there if one.item.suite == f"{SUITE}{REFINED}{name}"] for name in names}
    drops = [("original", original, name, _values(own, k, tables.prompt_of)) for name, own in refined.items()]
    for name, own in refined.items():
        applied = [one for one in own if not is_fallback(one)]
        if len(applied) < len(own):
            drops.append(("original", original, f"{name}{_APPLIED}", _values(applied, k, tables.prompt_of)))
    comparisons = compare_drops(drops)
    if not comparisons:
        return Conclusion("undecided", "no refined prompts were judged beside the original ones")
    main = [one for one in pooled_or_single(comparisons) if not one.label.endswith(_APPLIED)]
    verdict = most_drop(main)
    fallen_back = {tables.prompt_of(one) for own in refined.values() for one in own if is_fallback(one)}
    common = len(fallen_back & {name for values in original.values() for name in values})
    finding = "; ".join(map(tell, main))
    tail = f"; {number_of(common, 'prompt')} could not be refined by all, and stayed the original" if common else ""
    return Conclusion(verdict, finding + tail + describe_margin(verdict, main), comparisons)


@claims_of.claim("C.1", "Nature and the city are harder than home.")
def scenes_matter(rows: Attempts) -> Conclusion:
    """Observation C.1: nature and city are harder than home, in plain style."""
    at = {scene: _at(rows, scene, "plain") for scene in tables.SCENES}
    comparisons = compare_drops([("home", at["home"], scene, at[scene]) for scene in tables.SCENES[1:]])
    if not comparisons:
        needs = "the same objects and numbers, in plain style, at home and elsewhere"
        raise NeedsError(needs)
    main = pooled_or_single(comparisons)
    verdict = all_drop(main)
    return Conclusion(verdict, "; ".join(map(tell, main)) + describe_margin(verdict, main), comparisons)


@claims_of.claim("C.2", "Models change their ranks from scene to scene.")
def ranks_change(rows: Attempts) -> Conclusion:
    """Observation C.2: a model good in one scene need not be in others; Kendall's W of the rankings."""
    at = {scene: _at(rows, scene, "plain") for scene in tables.SCENES}
    at = {scene: values for scene, values in at.items() if values}
    models = [model for model in next(iter(at.values()), {}) if all(model in values for values in at.values())]
    if len(at) < 2 or len(models) < 3:
        raise NeedsError(f"3 models and 2 scenes, and there are {len(models)} and {len(at)}")
    names = [set(values[model]) for values in at.values() for model in models]
    common = sorted(set.intersection(*names))
    if not common:
        return Conclusion("undecided", "no object and number was judged of all models in all scenes")
    values = np.array([[[of[model][name] for model in models] for of in at.values()] for name in common])
    whole, estimate = kendall_w(values.mean(axis=0)), resampled_w(values)
    if whole is None or estimate is None:
        return Conclusion("undecided", "all models do equally well in each scene, so that none has a rank")
    interaction = interaction_test(values)
    assert interaction is not None
    verdict = decide(holds=estimate.high < STRONG and interaction.p < ALPHA, fails=estimate.low >= STRONG)
    ranks = average_ranks(-values.mean(axis=0))
    mover = int(np.argmax(np.ptp(ranks, axis=0)))
    places = ", ".join(f"{rank:g} in {scene}" for scene, rank in zip(at, ranks[:, mover].tolist(), strict=True))
    moved = f"{models[mover]} moves most: rank {places}" if np.ptp(ranks[:, mover]) else "no model changes its rank"
    finding = (
        f"Kendall's W of {len(models)} models over {len(at)} scenes is {estimate_text(estimate)} over "
        f"{number_of(len(common), 'object')} and number{'s' * (len(common) > 1)} ({STRONG} is strong agreement); "
        f"Friedman's χ² {whole.chi_squared:.2f}, p {write_p(whole.p)}; chance alone makes W less than 1: models differ "
        f"from scene to scene with p {write_p(interaction.p)} ({interaction.permutations} permutations of scenes); "
        f"{moved}"
    )
    return Conclusion(verdict, finding)


@claims_of.claim("C.3", "Watercolor and cartoon cost less accuracy than nature and the city do.")
def styles_matter_less(rows: Attempts) -> Conclusion:
    """Observation C.3: styles matter less than scenes."""
    plain = _at(rows, "home", "plain")
    styles = {style: _at(rows, "home", style) for style in ("watercolor", "cartoon")}
    scenes = {scene: _at(rows, scene, "plain") for scene in tables.SCENES[1:]}
    # The loss by scenes minus the loss by styles: home in plain style, the baseline of both, cancels out.
    both = ("styles", _mean_of_conditions([*styles.values()]), "scenes", _mean_of_conditions([*scenes.values()]))
    drops = [*(("plain", plain, style, values) for style, values in styles.items()), both]
    comparisons = compare_drops(drops)
    decisive = [one for one in pooled_or_single(comparisons) if one.label == "styles − scenes"]
    if not decisive:
        needs = "the same objects and numbers in all three scenes and all three styles"
        raise NeedsError(needs)
    finding = "; ".join(map(tell, pooled_or_single(comparisons)))
    said = f"{finding}; styles − scenes is how much more scenes cost than styles"
    verdict = all_drop(decisive)
    return Conclusion(verdict, said + describe_margin(verdict, decisive), comparisons)


@claims_of.claim(
    KAPPA,
    f"Annotators agree moderately that one of four images is right (κ of .41 to .60; the paper's: {tables.KAPPA}).",
)
def annotators_agree(votes: Ratings) -> Conclusion:
    """Section 4.3: Fleiss' κ of annotators' votes on groups of images."""
    found = fleiss_kappa(votes)
    if found is None:
        raise NeedsError("two votes on a group, and votes that are not all the same")
    kappa = found.coefficient
    verdict = decide(holds=kappa.low >= 0.4 and kappa.high <= 0.6, fails=kappa.high < 0.4 or kappa.low > 0.6)
    prompts = number_of(votes.answers.cells.clusters, "prompt")
    finding = f"Fleiss' κ is {estimate_text(kappa)} over {number_of(kappa.n, 'group')} of images of {prompts}"
    return Conclusion(verdict, "; ".join([finding, *find_cautions(votes)]))


def _values(attempts: Iterable[PromptResult], k: int, name: Callable[[PromptResult], str]) -> ByModel:
    """Average success by model and name."""
    found: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for one in attempts:
        value = one.pass_at(k)
        if value is not None:
            found[one.model][name(one)].append(value)
    return {model: {key: sum(own) / len(own) for key, own in named.items()} for model, named in found.items()}


def _at(rows: Attempts, scene: str, style: str) -> ByModel:
    """Return the success of unrefined prompts in a scene and style, by model, object and number."""
    there = tables.having(rows.originals.results, scene=scene, style=style)
    return _values(there, rows.k, _by("object", "number"))


def _mean_of_conditions(conditions: Sequence[ByModel]) -> ByModel:
    models = [model for model in conditions[0] if all(model in values for values in conditions)]
    return {model: average([values[model] for values in conditions]) for model in models}


def _by(*factors: str) -> Callable[[PromptResult], str]:
    """Return a function that names results by these factors."""
    return lambda attempt: "/".join(str(attempt.item.factors.get(name)) for name in factors)
