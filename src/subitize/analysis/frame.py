"""Reads a run as a frame: which readings are used, how they are read, and what no figure covers."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import polars as pl

from subitize.analysis.design import Nouns, fix_levels
from subitize.errors import BadValueError, NothingToDoError
from subitize.frame import (
    IS_ANSWER,
    NO_JUDGE,
    Frame,
    build_frame,
    group_trials,
    latest_attempts,
)
from subitize.io import codec
from subitize.labels import ADJUDICATED, PLURALITY, Rule, check_floor, interpret
from subitize.records import FAILED, REFUSED, SIGHT_CHECK
from subitize.store import Database, Run
from subitize.store.reading import VOTE, read_readings, read_responses, read_trials_looked_at
from subitize.store.rows import decode_question, read_designs, read_judges


def find_one_judge(run: Run, rows: pl.DataFrame, of: str = "") -> str:
    """Find the one judge of these rows (NO_JUDGE if everything was refused); `of` names the suite in the error."""
    judges = sorted({*rows["judge"]} - {NO_JUDGE})
    if len(judges) > 1:
        names = ", ".join(run.judge_names().get(name, name) for name in judges)
        raise NothingToDoError(
            f"{run.location} has several judges{f' of {of}' * bool(of)}: {names}; name one with `judge`"
        )
    return judges[0] if judges else NO_JUDGE


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """Which readings to use, how to interpret their evidence (None: as stored), and how several become one.

    Anything that a rule leaves open is taken from the rule that a reading was stored with.
    """

    judge: str | None = None
    rule: Rule | None = None
    agreement: str = PLURALITY
    nouns: Nouns = "sampled"
    """Whether figures are about nouns (or what else a suite samples) like these, or exactly these."""


@dataclass(frozen=True, slots=True)
class Missing:
    """What no figure covers: items that a model was not given, failed trials, and answers without a reading.

    Answers whose readings are tied have no value, and are unknown.
    """

    unasked: int
    failed: int
    unread: int
    tied: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class RunFrame:
    """The data behind all figures, read at once: the responses that count, and the frame.

    `whole` includes the asks that do not enter the score; their values are as stored, as rules are for counts. Failed
    trials are left out; refusals count for every judge of that model. Labels come from the `votes`: the readings and,
    under the rule `adjudicated`, what reviewers and adjudicators said about them.
    """

    run: Run
    reader: ReadOptions
    responses: pl.DataFrame
    votes: pl.DataFrame
    whole: Frame
    ties: int = 0
    """The number of observations without a value because their readings are tied."""

    @property
    def readings(self) -> pl.DataFrame:
        """The independent answers of judges and people."""
        return self.votes.filter(IS_ANSWER) if self.reader.agreement == ADJUDICATED else self.votes

    @property
    def observations(self) -> Frame:
        """The rows that enter the score."""
        return self.whole.filter(pl.col("is_relevant"))

    def gaps(self) -> Missing:
        """Count what no figure covers; sight checks do not matter here."""
        latest = self.responses.filter(~pl.col("item").str.starts_with(f"{SIGHT_CHECK}/"))
        asked = latest.select("model", "item").unique()
        begun = asked.select("model", suite=pl.col("item").str.splitn("/", 2).struct.field("field_0")).unique()
        sizes = Counter(item.suite for item in self.whole.items.values())
        given = sum(sizes[suite] for suite in begun["suite"])
        failed = latest.filter(pl.col("kind") == FAILED).height
        answered = latest.filter(~pl.col("kind").is_in([FAILED, REFUSED]))["trial"]
        unread = (~answered.is_in(read_trials_looked_at(self.run).implode())).sum()
        return Missing(given - asked.height, failed, int(unread), self.ties)

    def trials(self, row: Mapping[str, Any]) -> tuple[str, ...]:
        """List the trials that a row is about: for a group, those of its repeats."""
        answered = self.responses.filter(
            pl.col("item") == row["item"], pl.col("model") == row["model"], pl.col("kind") != FAILED
        )
        groups = group_trials(answered, row["group"])
        return tuple(groups.filter(pl.col("subject") == row["subject"])["trials"].item())


def read_frame(run: Run, reader: ReadOptions | None = None) -> RunFrame:
    """Read a run once, for all figures."""
    reader = reader or ReadOptions()
    if reader.judge is not None:
        reader = replace(reader, judge=run.find_judge(reader.judge))
    latest = latest_attempts(read_responses(run, per="response"))
    votes = _read(run, reader)
    stored = None if reader.rule is None else _read(run, replace(reader, rule=None))
    items, designs = {item.id: item for item in run.items()}, read_designs(run)
    whole, ties = build_frame(
        *(items, latest, votes, designs if reader.nouns == "sampled" else fix_levels(designs)),
        agreement=reader.agreement,
        stored=stored,
        excluded=frozenset(run.exclusions()),
    )
    found = RunFrame(run, reader, latest, votes, whole, ties)
    if not len(found.observations) or (reader.judge is not None and not votes.height and read_judges(run)):
        raise NothingToDoError(_what_is_missing(run, reader, latest))
    return found


def observe_run(run: Run, reader: ReadOptions | None = None) -> Frame:
    """Read the rows of a run that enter the score."""
    return read_frame(run, reader).observations


def check_judge(run: Run, judge: str) -> None:
    """Refuse a judge without readings, and name those that have some."""
    if judge not in read_judges(run):
        raise NothingToDoError(
            f"{run.location} has no readings by {judge!r}; judges with readings: {list_judges(run)}; add some with "
            "subitize judge, or people's with subitize import readings"
        )


def list_judges(run: Run) -> str:
    """Name the judges that have readings."""
    names = run.judge_names()
    return ", ".join(names.get(judge, judge) for judge in read_judges(run)) or "none"


def _read(run: Run, reader: ReadOptions) -> pl.DataFrame:
    with_reviews = reader.agreement == ADJUDICATED
    columns = (*VOTE, *("id", "reviews", "purpose") * with_reviews)
    if reader.rule is None:
        read = read_readings(run, reader.judge, columns, with_reviews=with_reviews)
        return read if with_reviews else read.with_columns(purpose=pl.lit(None, pl.String))
    for entry in run.judges():
        if reader.judge in (None, entry.spec):
            check_floor(reader.rule, entry.options, entry.spec)
    of = ("judge", "rule", "evidence", "question_record")
    rows = read_readings(run, reader.judge, (*dict.fromkeys((*columns, *of)),), with_reviews=with_reviews)
    different = rows.select(*of).unique(maintain_order=True)
    reread = [_reinterpret(run, reader, *stored) for stored in different.iter_rows()]
    values = different.with_columns(pl.Series("reread", reread, pl.String()))
    return rows.join(values, on=of, maintain_order="left").with_columns(value=pl.col("reread"))


def _reinterpret(run: Run, reader: ReadOptions, judge: str, stored: str, evidence: str, question: str) -> str:
    assert reader.rule is not None
    rule = _whole_rule(reader.rule, stored)
    try:
        value = interpret(codec.evidence.validate_json(evidence), decode_question(question), rule)
    except BadValueError as error:
        judge = run.judge_names().get(judge, judge)
        remedy = f", as {judge!r} has; name a judge with `judge`: {list_judges(run)}" if reader.judge is None else ""
        raise BadValueError(f"{error}{remedy}") from None
    return codec.encode(codec.value, value)


_whole_rule = lru_cache(1_000)(Rule.over_stored)


def _what_is_missing(run: Run, reader: ReadOptions, latest: pl.DataFrame) -> str:
    if latest.height and (latest["kind"] == FAILED).all():
        return f"all {latest.height} trials of {run.location} failed; run the same command again to try them again"
    name = run.location.run_id if isinstance(run.location, Database) else run.location
    if not latest.height:
        return f"{run.location} has no responses yet; first: subitize run SUITE --model MODEL --out {name}"
    if reader.judge is not None:
        return f"{run.location} has no readings by {reader.judge!r}; judges with readings: {list_judges(run)}"
    if read_judges(run):
        return (
            f"{run.location} has no readings of the suites' own questions yet: subitize judge {name} --judge JUDGE; "
            f"for those of judges that ask their own: subitize score {name} --alignment"
        )
    return f"{run.location} has no readings yet; finish its run, or: subitize judge {name} --judge JUDGE"
