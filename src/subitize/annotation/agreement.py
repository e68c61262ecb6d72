"""Agreement between the people of a study: overall, by person, and the questions on which they differ."""

import asyncio
import time
from dataclasses import dataclass

import polars as pl

from subitize.analysis.agreement import RaterAgreement, agree, gather_votes
from subitize.analysis.design import estimate_by
from subitize.errors import RunError, SubitizeError
from subitize.evaluate.processes import Pool, result_of
from subitize.frame import Frame
from subitize.records import Estimate
from subitize.store import Location, Run

MOST_AGE_SECONDS = 30.0
_MOST_DISAGREEMENTS = 50
_UNIT = ("subject", "question")


@dataclass(frozen=True, slots=True)
class PersonAgreement:
    """How often a person agrees with another about the same picture."""

    name: str
    agreement: Estimate


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A question with different answers, by person."""

    subject_id: str
    question_id: str
    answers: dict[str, str]


@dataclass(frozen=True, slots=True)
class AgreementSnapshot:
    """Measures of agreement, when they were computed (seconds since 1970), and how long it took."""

    at: float
    took_seconds: float
    agreements: list[RaterAgreement]
    people: list[PersonAgreement]
    disagreements: list[Disagreement]


def measure_agreement(location: Location, judge: str, without: str | None = None) -> AgreementSnapshot:
    """Measure the agreement of a study's people, optionally without one of them."""
    at = time.time()
    with Run(location) as run:
        votes = gather_votes(run, judge)
    if without is not None:
        votes = Frame(votes.rows.filter(pl.col("annotator") != without), votes.items, votes.designs)
    paired = votes.rows.filter(pl.len().over(_UNIT) > 1)
    measures = (agree(votes) if paired.height else [], compare_people(paired), _list_disagreements(paired))
    return AgreementSnapshot(at, time.time() - at, *measures)


def compare_people(votes: pl.DataFrame) -> list[PersonAgreement]:
    """Estimate for each annotator how many answers of others are the same; prompts count as sampled."""
    same, others = pl.len().over(*_UNIT, "value", "value_text") - 1, pl.len().over(_UNIT) - 1
    shares = votes.with_columns(share=same / others).sort("annotator")
    return [PersonAgreement(name, share) for (name,), share in estimate_by(shares, "share", "annotator").items()]


def _list_disagreements(votes: pl.DataFrame) -> list[Disagreement]:
    """List the questions with the most different answers first, then by the number of people."""
    units = (
        votes.group_by(_UNIT, maintain_order=True)
        .agg("annotator", "value_text", different=pl.col("value_text").n_unique())
        .filter(pl.col("different") > 1)
        .sort("different", pl.col("annotator").list.len(), descending=True, maintain_order=True)
        .head(_MOST_DISAGREEMENTS)
    )
    return [
        Disagreement(row["subject"], row["question"], dict(zip(row["annotator"], row["value_text"], strict=True)))
        for row in units.iter_rows(named=True)
    ]


class AgreementMonitor:
    """Keeps measures of agreement up to date, computed in a separate process so that requests do not wait."""

    def __init__(self, location: Location, judge: str) -> None:
        self._location, self._judge = location, judge
        self._process = Pool(1)
        self._latest: AgreementSnapshot | None = None
        self._refreshing: asyncio.Task[None] | None = None

    @property
    def latest(self) -> AgreementSnapshot | None:
        """The latest measures, unless there are none or they are too old."""
        latest = self._latest
        is_old = latest is not None and time.time() - latest.at > MOST_AGE_SECONDS + latest.took_seconds
        return None if is_old else latest

    def refresh(self) -> None:
        """Start computing the measures again if they are old and no computation is running."""
        is_fresh = self._latest is not None and time.time() - self._latest.at < MOST_AGE_SECONDS / 2
        if not is_fresh and (self._refreshing is None or self._refreshing.done()):
            self._refreshing = asyncio.create_task(self._compute())

    async def without(self, name: str) -> AgreementSnapshot:
        """Compute the measures without one person."""
        return await self._measure(name)

    async def _compute(self) -> None:
        try:
            self._latest = await self._measure(None)
        except SubitizeError:
            self._latest = None  # nothing to compare yet

    async def _measure(self, without: str | None) -> AgreementSnapshot:
        try:
            return await result_of(self._process.submit(measure_agreement, self._location, self._judge, without))
        except RunError:  # it died, perhaps out of memory
            self._process = Pool(1)
            raise

    def close(self) -> None:
        """Stop the process."""
        self._process.shutdown()
