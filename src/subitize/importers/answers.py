"""People's answers from elsewhere, line by line of a CSV, and which of them are new to a run."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from subitize import registry
from subitize.errors import BadValueError
from subitize.io.files import CsvRow
from subitize.labels import Rule, interpret
from subitize.labels.interpretation import CANNOT_TELL
from subitize.language.numbers import count_noun
from subitize.records import (
    Ask,
    Count,
    Discarded,
    Evidence,
    Failed,
    Question,
    Reading,
    Response,
    Spec,
    Subject,
    Words,
)
from subitize.store import Run, StoredReading, StoredResponse, group_answers, is_refused, latest_attempts, subject_of
from subitize.store.leases import Lease

_FRACTION = re.compile(r"[0-9]+[.,][0-9]*[1-9][0-9]*")


@dataclass(frozen=True, slots=True)
class ImportSummary:
    """What an import added: new readings, answers that were there, changed minds, answers without a value.

    `named_images` are responses that were made because answers are about them, known by name only.
    """

    added: int
    already_there: int
    changed: int
    discarded: tuple[str, ...]
    named_images: int = 0

    def __str__(self) -> str:
        parts = [f"{count_noun(self.added, 'reading')} added"]
        if self.changed:
            parts.append(f"{self.changed} of them replace earlier ones")
        if self.already_there:
            parts.append(f"{self.already_there} were there already")
        if self.discarded:
            parts.append(f"{len(self.discarded)} have no value, the first at {self.discarded[0]}")
        if self.named_images:
            parts.append(f"{count_noun(self.named_images, 'image')} added, known by name only")
        return ", ".join(parts)


def check_judge(judge: str) -> None:
    """Refuse the name of a judge of ours for people's answers, and none at all."""
    if not judge.strip():
        raise BadValueError("--judge is empty; call people's answers something, as human")
    if judge in registry.names("judges"):
        raise BadValueError(
            f"--judge {judge}: this is the name of a judge of ours; call people's answers something else"
        )


class Ledger:
    """What a judge's annotators said before, and what the lines of a file add to it."""

    def __init__(self, judge: str, before: Iterable[StoredReading] = ()) -> None:
        self._judge = judge
        self._said: dict[tuple[str, str, str], StoredReading | None] = {}
        for said in before:
            self._said[said.reading.annotator, said.reading.subject.id, said.reading.question.id] = said

    def enter(self, line: CsvRow, about: tuple[Subject, Question], evidence: Evidence, rule: Rule) -> Reading | None:
        """Make the reading of a line, or None if its annotator said just that before."""
        (subject, question), annotator = about, line.get("annotator")
        key = (annotator, subject.id, question.id)
        before = self._said.get(key)
        if key in self._said and before is None:
            raise line.error(f"{annotator!r} answers {question.id!r} of this response a second time in this file")
        self._said[key] = None
        if before is not None and before.reading.evidence == evidence:
            return None
        replaces = before.id if before else None
        value = _read_skipped(evidence) or interpret(evidence, question, rule)
        if isinstance(question, Count) and rule.name == "strict" and not line.get("rule"):
            _check_whole(line, question, evidence)
        return Reading(subject, question, self._judge, evidence, str(rule), value, annotator, replaces)


def _check_whole(line: CsvRow, question: Count, evidence: Evidence) -> None:
    """Refuse half a thing, unless a rule that people answered by is named: some allow it."""
    if isinstance(evidence, Words) and _FRACTION.fullmatch(evidence.text):
        raise line.error(f"answer {evidence.text!r} to {question.id!r}: should be a whole number")


def _read_skipped(evidence: Evidence) -> Discarded | None:
    """Read what the annotation page keeps of a question that was skipped."""
    text = evidence.text if isinstance(evidence, Words) else ""
    return Discarded(text, is_refusal=True) if text.startswith(CANNOT_TELL) else None


@dataclass(frozen=True, slots=True)
class Answers:
    """What the lines of a file add to a run: readings, and responses that they are about and that it does not have."""

    read: Sequence[tuple[CsvRow, Reading | None]]
    """Each line with its reading; None where the annotator said just that before."""
    responses: Sequence[Response] = ()

    def add(self, run: Run, lease: Lease, judge: str) -> ImportSummary:
        """Add them all, and sum them up."""
        new = [(line, reading) for line, reading in self.read if reading is not None]
        run.add_judge(Spec(judge, {}, judge), is_stand_in=False)
        run.add_judged(lease, self.responses, [reading for _, reading in new])
        changed = sum(reading.replaces is not None for _, reading in new)
        discarded = tuple(
            f"{line.kind} {line.number}: {reading.value.reason}"
            for line, reading in new
            if isinstance(reading.value, Discarded)
        )
        return ImportSummary(len(new), len(self.read) - len(new), changed, discarded, len(self.responses))


def read_place(line: CsvRow, column: Literal["group", "repeat"] = "group") -> int | None:
    """Read the column `group`, or `repeat`: both count the images of an item and model from 0, the first by groups."""
    text = line.get(column)
    if not text:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) < 7):
        which = "images" if column == "group" else "image"
        raise line.error(f"{column} {text!r}: should be a whole number, 0 for the first {which} of the item")
    return int(text)


def find_group(line: CsvRow, ask: Ask, responses: Iterable[StoredResponse], place: int | None) -> Subject:
    """Find the group of images of one item and model that a line is about; `place` counts groups from 0."""
    own = latest_attempts(responses)
    groups = {members[0].repeat // ask.group: members for members in group_answers(own, ask.group)}
    begun = sorted({stored.repeat // ask.group for stored in own})
    if place is None and len(begun) > 1:
        raise line.error(
            f"there are {len(begun)} groups of {ask.group} images; name one in the column group: "
            f"{', '.join(map(str, begun))}"
        )
    wanted = (begun or [0])[0] if place is None else place
    if wanted not in groups:
        raise line.error(f"group {wanted} is not complete: {_what_is_missing(ask.group, wanted, own)}")
    if is_refused(groups[wanted]):
        raise line.error(f"all {ask.group} images of group {wanted} were refused: there is nothing to vote on")
    return subject_of(groups[wanted])


def _what_is_missing(size: int, place: int, responses: Iterable[StoredResponse]) -> str:
    by_repeat = {stored.response.trial.repeat: stored.response.outcome for stored in responses}
    wanted = range(place * size, (place + 1) * size)
    missing = [str(repeat) for repeat in wanted if repeat not in by_repeat]
    failed = [str(repeat) for repeat in wanted if isinstance(by_repeat.get(repeat), Failed)]
    told = [f"{what} {', '.join(which)}" for what, which in (("missing", missing), ("failed", failed)) if which]
    return f"of the repeats {wanted[0]} to {wanted[-1]} {'; '.join(told)}; finish the run, or leave the line out"
