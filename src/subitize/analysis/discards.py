"""Which rule would read the answers that another one discards, and where figures are of what no rule reads."""

import shlex
from collections import Counter
from typing import TYPE_CHECKING

from subitize.labels import Rule, interpret
from subitize.labels.rules import find_word_rule
from subitize.numerals import POLICIES
from subitize.plugins import papers_by_name
from subitize.records import Known, Match, base_suite
from subitize.store import Run, codec
from subitize.store.counts import Discards, count_discards
from subitize.store.rows import decode_question, read_discarded

if TYPE_CHECKING:
    from subitize.analysis.observations import Observations

_WORTH_TELLING = 0.1
_MOST_READ = 200


def advise_rules(run: Run, name: str, judge: str | None = None) -> list[str]:
    """Say of every judge that discards more than a tenth of the answers by which other rule some of them are read."""
    counts = count_discards(run)
    return [
        advice
        for one in counts
        if one.discarded > _WORTH_TELLING * one.readings and judge in (None, one.judge)
        if (advice := _advise(run, name, one, is_alone=len({other.judge for other in counts}) == 1))
    ]


def advise_tables(observations: "Observations", name: str) -> list[str]:
    """Say of every suite with similarities of texts which command has figures of them."""
    import polars as pl  # a run asks for advice on its rules alone, and does without frames

    unknown = observations.filter(pl.col("status") == "unknown").seen_items()
    suites = dict.fromkeys(base_suite(item.suite) for item in unknown if isinstance(item.task, Match))
    return [
        f"{suite}: similarities rank texts, and accept or reject none; for their figures: subitize tables "
        f"{shlex.quote(name)} --paper {paper}"
        for suite in suites
        for paper, found in papers_by_name().items()
        if suite in found.suites and found.tabulate
    ]


def _advise(run: Run, name: str, one: Discards, *, is_alone: bool) -> str:
    rule = one.rule.partition("@")[0]
    if find_word_rule(rule) is None:
        return ""
    discarded = read_discarded(run, one.judge, one.rule, _MOST_READ)
    reads: Counter[str] = Counter()
    for evidence, question in discarded:
        asked, words = decode_question(question), codec.evidence.validate_json(evidence)
        for other in POLICIES:
            reads[other] += other != rule and isinstance(interpret(words, asked, Rule(other)), Known)
    best, count = max(reversed(reads.items()), key=lambda entry: entry[1], default=("", 0))
    if not count:
        return ""
    of = "them" if len(discarded) == one.discarded else f"the first {len(discarded)}"
    judge = run.judge_names().get(one.judge, one.judge)
    again = ["score", name, *([] if is_alone else ["--judge", judge]), "--rule", best]
    return (
        f"{one.discarded} of {one.readings} answers were discarded by {rule}; {best} reads {count} of {of}: "
        f"subitize {shlex.join(again)}"
    )
