"""A study's settings, the records of its answers, and its texts.

Settings are stored with the study and stay as they were when it began. Texts are the instructions, the consent form,
and the addresses to return to at the end."""

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Literal, NamedTuple, get_args
from urllib.parse import quote

from subitize.annotation.pages import Page
from subitize.annotation.people import Role
from subitize.errors import BadFileError, BadValueError
from subitize.imports.answers import check_judge
from subitize.io.files import read_text
from subitize.labels import parse_rule
from subitize.labels.rules import word_rules

Purpose = Literal["answer", "training", "again", "review", "adjudication"]
"""Why a page is shown: for its answer, as training with known answers, again to the same person, to review somebody's
answer, or to settle a disagreement."""
PRACTICE: tuple[Purpose, ...] = ("training", "again")
"""Purposes that are excluded from every result."""


class Assignment(NamedTuple):
    """A page to show, why, and for reviews the ID of the person who answered."""

    page_index: int
    purpose: Purpose = "answer"
    author: int | None = None


@dataclass(frozen=True, slots=True)
class AnswerRecord:
    """A person's answer to a question, as typed or chosen, or the reason for skipping it."""

    key: str
    text: str
    is_skipped: bool = False
    is_unsure: bool = False
    is_flagged: bool = False
    comment: str = ""
    seconds: float = 0.0


class UnreadAnswerError(BadValueError):
    """The study's rule cannot read this answer, so it is not stored."""


Adjudicator = Literal["reviewer", "owner"]


@dataclass(frozen=True, slots=True)
class StudySettings:
    """How a study works: the judge's name and rule for its answers, people per page, leases, and checks."""

    judge: str = "human"
    rule: str = "strict"
    people_per_page: int = 5
    lease_minutes: float = 30.0
    pages_per_person: int | None = None
    seed: int = 0
    gold: str | None = None
    training: int = 0
    pass_mark: float = 0.8
    second_look: float = 0.0
    is_pilot: bool = False
    holds_flagged: bool = False
    review: float = 0.0
    adjudicator: Adjudicator = "owner"

    def __post_init__(self) -> None:
        if self.people_per_page < 1:
            raise BadValueError(f"--people-per-image {self.people_per_page}: should be at least 1")
        if self.pages_per_person is not None and self.pages_per_person < 1:
            raise BadValueError(f"--images-per-person {self.pages_per_person}: should be at least 1")
        if not 0 < self.lease_minutes <= 60 * 24:
            raise BadValueError(f"--lease-minutes {self.lease_minutes:g}: should be above 0, at most a day (1440)")
        if self.training < 0:
            raise BadValueError(f"--training {self.training}: should be at least 0")
        if not 0 <= self.pass_mark <= 1:
            raise BadValueError(f"--pass-mark {self.pass_mark:g}: a share of the pages, from 0 to 1")
        if not 0 <= self.second_look < 1:
            raise BadValueError(f"--second-look {self.second_look:g}: a share of the pages, from 0 to below 1")
        if not 0 <= self.review <= 1:
            raise BadValueError(f"--review {self.review:g}: a share of the answered pages, from 0 to 1")
        if self.adjudicator not in get_args(Adjudicator):
            raise BadValueError(f"--adjudicator {self.adjudicator}: take {' or '.join(get_args(Adjudicator))}")
        check_judge(self.judge)
        if parse_rule(self.rule).name not in word_rules():
            raise BadValueError(
                f"--rule {self.rule}: people's answers are words; take one of {', '.join(word_rules())}"
            )

    @property
    def lease_seconds(self) -> float:
        """How long a page stays reserved for the person it is shown to."""
        return 60 * self.lease_minutes

    def purposes_of(self, role: Role) -> tuple[Purpose, ...]:
        """List why people of a role are shown pages; reviewers review before they adjudicate."""
        if role == "annotator":
            return ("answer", *PRACTICE)
        reviews: tuple[Purpose, ...] = ("review",) if role == "reviewer" else ()
        return (*reviews, "adjudication") if role == self.adjudicator else reviews


_PROLIFIC = "https://app.prolific.com/submissions/complete?cc={code}"
_MOST_CHARACTERS = 50_000


@dataclass(frozen=True, slots=True)
class Texts:
    """The texts of a study; without `consent`, people are not asked to agree to anything."""

    instructions: tuple[str, ...] = ()
    consent: str | None = None
    is_recruiting: bool = False
    completion_code: str | None = None
    failure_code: str | None = None

    def completion_url(self, *, has_failed: bool) -> str | None:
        """Return the Prolific address for a completed study, or for a failed training."""
        code = self.failure_code if has_failed else self.completion_code
        return code and _PROLIFIC.format(code=quote(code, safe=""))


def read_text_file(path: Path) -> str:
    """Read a text to show to people."""
    text = read_text(path)
    if not text.strip():
        raise BadFileError(f"{path} is empty; write what people should read, or leave the option out")
    return text


def split_paragraphs(what: str, text: str) -> tuple[str, ...]:
    """Split a text into paragraphs at empty lines."""
    if not 0 < len(text.strip()) <= _MOST_CHARACTERS:
        raise BadValueError(f"{what}: should have 1 to {_MOST_CHARACTERS:,} characters, and has {len(text.strip()):,}")
    return tuple(" ".join(part.split()) for part in text.strip().split("\n\n") if part.strip())


def default_instructions(pages: Iterable[Page]) -> tuple[str, ...]:
    """Return our own instructions for the forms of these pages."""
    known = _read_instructions()
    return tuple(known[form] for form in sorted({form for page in pages for form in page.forms}))


def describe_role(purposes: Iterable[str]) -> tuple[str, ...]:
    """Return the instructions for reviewing and adjudicating; plain answering needs none."""
    known = _read_instructions()
    return tuple(known[purpose] for purpose in purposes if purpose in known)


@cache
def _read_instructions() -> dict[str, str]:
    return tomllib.loads((files("subitize.annotation") / "instructions.toml").read_text(encoding="utf-8"))
