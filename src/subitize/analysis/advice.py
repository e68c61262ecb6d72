"""Advice on figures: answers that another rule could read, and judges that rewarded the training of a model."""

import shlex
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

from subitize.io import codec
from subitize.labels import Rule, interpret
from subitize.labels.rules import find_word_rule
from subitize.language.final import POLICIES
from subitize.papers import papers_by_name
from subitize.records import Evidence, Known, Match, Question, Words, base_suite
from subitize.registry import TRAINED_WITH, same_target
from subitize.store import Run
from subitize.store.rows import count_by_source, decode_question, look_up_readings, read_discarded

if TYPE_CHECKING:
    from subitize.analysis.overview import Names
    from subitize.frame import Frame

_WORTH_TELLING = 0.1
_MOST_READ = 200
_MOST_READ_OF_A_MODEL = 50


def advise_rules(run: Run, name: str, judge: str | None = None) -> list[str]:
    """For every judge that discards more than a tenth of the answers, name another rule that reads some of them."""
    counts, found = count_by_source(run, annotators=False), list[str]()
    is_alone = len({one.judge for one in counts}) == 1
    for one in counts:
        rule = one.rule.partition("@")[0]
        is_worth_telling = one.unusable > _WORTH_TELLING * one.readings and judge in (None, one.judge)
        if not is_worth_telling or find_word_rule(rule) is None:
            continue
        discarded = read_discarded(run, one.judge, one.rule, _MOST_READ)
        reads: Counter[str] = Counter()
        for evidence, question in discarded:
            asked, words = decode_question(question), codec.evidence.validate_json(evidence)
            for other in POLICIES:
                reads[other] += other != rule and isinstance(interpret(words, asked, Rule(other)), Known)
        best, count = max(reversed(reads.items()), key=lambda entry: entry[1], default=("", 0))
        if count:
            of = "them" if len(discarded) == one.unusable else f"the first {len(discarded)}"
            shown = run.judge_names().get(one.judge, one.judge)
            again = ["score", name, *([] if is_alone else ["--judge", shown]), "--rule", best]
            found.append(
                f"{one.unusable} of {one.readings} answers were discarded by {rule}; {best} reads {count} of {of}: "
                f"subitize {shlex.join(again)}"
            )
    return found


def describe_unread(run: Run, observations: "Frame", names: "Names") -> list[str]:
    """For every model most of whose answers a rule discards although `final` reads most of these, say what that means.

    At most so many of a model's answers are read by `final`, and the others are taken to be like them.
    """
    import polars as pl

    found = []
    for (suite, model, judge), own in observations.partition("suite", "model", "judge"):
        left = own.filter(pl.col("status") == "discarded")
        if 2 * len(left) <= len(own):
            continue
        some = [left.row(row) for row in left.rows.head(_MOST_READ_OF_A_MODEL).to_dicts()]
        readings = look_up_readings(run, [one.subject for one in some])
        read = 0
        for one in some:
            question = one.ask.question
            of_judge = (each for each in readings.get((one.subject, question.id), ()) if each.judge == judge)
            read += any(_is_read(each.evidence, question) for each in of_judge)
        if 2 * read > len(some):
            count = f"{len(left)} of {len(own)} answers in {suite} are discarded"
            what = "its figures say how it writes, not how it counts; see: subitize score RUN --rule final"
            found.append(f"{names.name_model(model)}: {count}, of which final reads {read} of {len(some)}: {what}")
    return found


def _is_read(evidence: Evidence, question: Question) -> bool:
    return isinstance(evidence, Words) and isinstance(interpret(evidence, question, Rule("final")), Known)


def advise_tables(observations: "Frame", name: str) -> list[str]:
    """For every suite with similarities of texts, name the command that computes their figures."""
    import polars as pl  # a run asks only for advice on its rules, which needs no frames

    unknown = observations.filter(pl.col("status") == "unknown").seen_items()
    suites = dict.fromkeys(base_suite(item.suite) for item in unknown if isinstance(item.task, Match))
    return [
        f"{suite}: similarities rank texts, and accept or reject none; for their figures: subitize report tables "
        f"{shlex.quote(name)} --paper {paper}"
        for suite in suites
        for paper, found in papers_by_name().items()
        if suite in found.suites and "tables" in found.parts
    ]


def is_reward_judge(judge: str, model_options: Mapping[str, str]) -> bool:
    """Return whether a judge, whatever its options, is the one that a model was trained with."""
    trained_with = model_options.get(TRAINED_WITH)
    return trained_with is not None and same_target(trained_with, judge)


def warn_of_reward_judges(run: Run, judge: str | None = None) -> list[str]:
    """Name the models of a run that were judged by the judge they were trained with; `judge` limits it to one."""
    models, judges = run.model_names(), run.judge_names()
    return [
        describe_reward_judge(models[model.spec], name)
        for model in run.models()
        for spec, name in judges.items()
        if judge in (None, spec) and is_reward_judge(spec, model.options)
    ]


def describe_reward_judge(model: str, judge: str) -> str:
    """Say what is wrong with figures of a model by the judge it was trained with."""
    return f"{model} was trained with {judge}, which judges it here: the figures may flatter it; take another judge"
