"""A report in one paragraph: what was done, with what, when, and what came out."""

from collections.abc import Mapping, Sequence

from subitize.analysis.comparisons import Ranked
from subitize.analysis.scoring import measure
from subitize.frames import group_rows
from subitize.records import base_suite
from subitize.report.document.blocks import Badge
from subitize.report.document.cells import number_of, percent_text, printable
from subitize.report.sections.counted import Counted, level_text
from subitize.report.sections.leaderboard import describe_standing, take_real
from subitize.report.sections.provenance import days
from subitize.report.sections.sources import Series, Source


def summarize(
    sources: Sequence[Source],
    series: Sequence[Series],
    counted: Mapping[str, Sequence[Counted]],
    headlines: Mapping[str, str],
    standings: Mapping[str, Mapping[str, Ranked]],
) -> str:
    """Say it in words.

    By suite are given the models that count, best first, a sentence of the suite's own, and where models stand.
    """
    told = [_covered(sources, series)]
    # Refined prompts are told of with those that they are made of.
    originals = (one for one in series if base_suite(one.suite) == one.suite)
    for suite, own in group_rows(originals, lambda one: one.suite).items():
        fit = take_real([one for one in own if one.badge != "stand-in judge"])
        if not fit:
            told.append(f"In {suite}, nothing can be said: a stand-in judged what real models drew.")
            continue
        ranked = take_real([one for one in counted[suite] if one.it.accuracy and one.badge != "stand-in judge"])
        stand = standings[suite]
        general = _headline(suite, ranked, stand) if ranked else _accuracies(suite, fit, stand)
        has_unfit = any(one.badge == "stand-in judge" for one in own)
        told.append(general if has_unfit else headlines[suite] or general)
    return " ".join(filter(None, told))


def _covered(sources: Sequence[Source], series: Sequence[Series]) -> str:
    names = [printable(source.name) for source in sources]
    models = {one.model: one.badge for one in series}
    items = {(own.source.name, id) for own in series for id in own.observations.rows["item"].unique()}
    made = [trail for source in sources for trail in source.trails.responses.values()]
    responses = sum(trail.responses for trail in made)
    when = days(min(trail.first_at for trail in made), max(trail.last_at for trail in made))
    whole = f"{number_of(len(names), 'run')} ({', '.join(names)}) with {number_of(len(models), 'model')}"
    return (
        f"This report covers {whole}{_stand_ins(list(models.values()))}: {number_of(len(items), 'scored item')} and "
        f"{number_of(responses, 'response')}, stored {'from' if ' to ' in when else 'on'} {when}."
    )


def _stand_ins(badges: Sequence[Badge]) -> str:
    count = badges.count("stand-in")
    if not count:
        return ""
    if len(badges) == 1:
        return ", an embedded stand-in"
    return f", {'all' if count == len(badges) else count} of them embedded stand-ins"


def _headline(suite: str, ranked: Sequence[Counted], standings: Mapping[str, Ranked]) -> str:
    best, worst = ranked[0], ranked[-1]
    level = level_text(best.it.knower_all)
    counts = "" if level is None else f" (counting level: {level})"
    right = f"{percent_text(best.it.accuracy)} of its answers are right{counts}"
    if len(ranked) == 1:
        return f"In {suite}, {best.label} was measured: {right}."
    if best.it.accuracy and not best.it.accuracy.value:
        return f"In {suite}, no model is ever right."
    others = f"{worst.label} is right least often, in {percent_text(worst.it.accuracy)}."
    return f"In {suite}, {best.label} is right most often: {right}.{describe_standing(best.label, standings)} {others}"


def _accuracies(suite: str, series: Sequence[Series], standings: Mapping[str, Ranked]) -> str:
    found = {one.label: estimate for one in series if (estimate := measure(one.observations, "accuracy"))}
    if not found:
        return ""
    best = max(found, key=lambda label: found[label].value)
    if not found[best].value:
        return f"In {suite}, no model is ever right."
    return (
        f"In {suite}, {best} is right most often: in {percent_text(found[best])}.{describe_standing(best, standings)}"
    )
