"""The requests and responses of the annotation API."""

from collections.abc import Mapping
from importlib.resources import files
from typing import Annotated, Literal

from fastapi import Depends
from pydantic import BaseModel, ConfigDict, Field

from subitize.annotation.people import Person, Role
from subitize.annotation.plan import Purpose
from subitize.web.sessions import identify, identify_changing

PAGES = files("subitize.annotation") / "static"
WithoutNul = Annotated[str, Field(pattern=r"^[^\x00]*$")]
"""A text that every database can hold."""
SignedIn = Annotated[Person, Depends(identify)]
Changing = Annotated[Person, Depends(identify_changing)]
ShownPurpose = Literal["question", "training", "review", "adjudication"]
SHOWN_AS: Mapping[Purpose, ShownPurpose] = {
    "answer": "question",
    "again": "question",  # people do not learn that it is a second look
    "training": "training",
    "review": "review",
    "adjudication": "adjudication",
}


class QuestionShown(BaseModel):
    """A question as the browser gets it, with this person's earlier answer.

    Reviewers and adjudicators also see the answers of others, and are asked only some questions of a page.
    """

    wording: str
    form: str
    lines: list[str]
    said: "AnswerShown | None"
    others: "list[OthersAnswer]"
    is_asked: bool


class OthersAnswer(BaseModel):
    """An answer of others, anonymous: as typed, as read, and by how many people."""

    text: str
    value: str
    people: int


class AnswerShown(BaseModel):
    """A person's earlier answer."""

    text: str
    is_skipped: bool
    is_unsure: bool
    is_flagged: bool
    comment: str


class PageShown(BaseModel):
    """A page as the browser gets it; prompt and linked pictures are present only where the form needs them."""

    id: str
    pictures: list[str]
    questions: list[QuestionShown]
    prompt: str | None
    linked: "list[LinkedShown]"
    purpose: ShownPurpose


class LinkedShown(BaseModel):
    """A picture of a part of the prompt."""

    picture: str
    prompt: str


class StudyProgress(BaseModel):
    """The progress of a person and of the study."""

    done: int
    left: int
    given: int
    wanted: int


class Saved(StudyProgress):
    """The progress after an answer is stored; in training with the right answer."""

    expected: str | None


class PagesShown(BaseModel):
    """The next pages, and the progress."""

    pages: list[PageShown]
    progress: StudyProgress


class Me(BaseModel):
    """The signed-in person, their CSRF token, the texts to read and agree to first, and the pages finished so far."""

    name: str
    role: Role
    csrf_token: str
    instructions: list[str]
    consent: str | None
    finished: list[str]
    has_failed: bool


class AnswerGiven(BaseModel):
    """An answer as the browser sends it; resent under the same key, it is stored once."""

    model_config = ConfigDict(extra="forbid")

    key: str = Field(pattern=r"^[A-Za-z0-9-]{8,64}$")
    text: WithoutNul = Field(max_length=40_000)
    is_skipped: bool = False
    is_unsure: bool = False
    is_flagged: bool = False
    comment: WithoutNul = Field(default="", max_length=2000)
    seconds: float = Field(default=0, ge=0, le=86_400, allow_inf_nan=False)


class Completion(BaseModel):
    """The address to return to at the end, if any."""

    url: str | None


class ReadAs(BaseModel):
    """The value of an answer, or why it has none."""

    value: str | None
    reason: str | None
