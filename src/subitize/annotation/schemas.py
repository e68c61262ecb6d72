"""The schemas of the annotation API: what its requests and responses hold."""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from subitize.annotation.people import Role
from subitize.annotation.settings import Purpose

WithoutNul = Annotated[str, Field(pattern=r"^[^\x00]*$")]
"""A text that every database can hold."""
ShownPurpose = Literal["question", "training", "review", "adjudication"]
SHOWN_AS: Mapping[Purpose, ShownPurpose] = {
    "answer": "question",
    "again": "question",  # nobody learns that they look a second time
    "training": "training",
    "review": "review",
    "adjudication": "adjudication",
}


class QuestionShown(BaseModel):
    """A question as the browser gets it, with what this person said to it before.

    Reviewers and adjudicators see what others answered; of a page they are asked only some of the questions.
    """

    wording: str
    form: str
    lines: list[str]
    said: "AnswerShown | None"
    others: "list[OthersAnswer]"
    is_asked: bool


class OthersAnswer(BaseModel):
    """What others answered, as they typed it and as it is read, and how many of them did; nobody is named."""

    text: str
    value: str
    people: int


class AnswerShown(BaseModel):
    """What a person said before."""

    text: str
    is_skipped: bool
    is_unsure: bool
    is_flagged: bool
    comment: str


class PageShown(BaseModel):
    """A page as the browser gets it. Prompt, and what is linked with it, are there only where the form needs them."""

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
    """How far a person is, and the study."""

    done: int
    left: int
    given: int
    wanted: int


class Saved(StudyProgress):
    """How far it is once an answer is stored; in training with the right answer."""

    expected: str | None


class PagesShown(BaseModel):
    """What comes next, and how far it is."""

    pages: list[PageShown]
    progress: StudyProgress


class Me(BaseModel):
    """Who is here, the token that changes need, what to read and to agree to first, and the pages finished so far."""

    name: str
    role: Role
    csrf_token: str
    instructions: list[str]
    consent: str | None
    finished: list[str]
    has_failed: bool


class AnswerGiven(BaseModel):
    """An answer as the browser sends it; sent again under the same key, it is the same."""

    model_config = ConfigDict(extra="forbid")

    key: str = Field(pattern=r"^[A-Za-z0-9-]{8,64}$")
    text: WithoutNul = Field(max_length=40_000)
    is_skipped: bool = False
    is_unsure: bool = False
    is_flagged: bool = False
    comment: WithoutNul = Field(default="", max_length=2000)
    seconds: float = Field(default=0, ge=0, le=86_400, allow_inf_nan=False)


class Completion(BaseModel):
    """Where to go when all is answered; None if nowhere."""

    url: str | None


class ReadAs(BaseModel):
    """How an answer would be read, or why it is not."""

    value: str | None
    reason: str | None
