"""How a study is done; it is stored with it, and a study goes on with the settings it was begun with."""

from dataclasses import dataclass
from typing import Literal, get_args

from subitize.annotation.answers import PRACTICE, Purpose
from subitize.annotation.people import Role
from subitize.errors import BadValueError
from subitize.imports.answers import check_judge
from subitize.labels import parse_rule
from subitize.labels.rules import word_rules

Adjudicator = Literal["reviewer", "owner"]


@dataclass(frozen=True, slots=True)
class Settings:
    """How a study is done: by which name and rule answers are kept, how many people see a page, and for how long."""

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
        """For how long a page is kept for whoever is shown it."""
        return 60 * self.lease_minutes

    def purposes_of(self, role: Role) -> tuple[Purpose, ...]:
        """Tell what people of a role are shown pages for: reviewers review before they settle anything."""
        if role == "annotator":
            return ("answer", *PRACTICE)
        reviews: tuple[Purpose, ...] = ("review",) if role == "reviewer" else ()
        return (*reviews, "adjudication") if role == self.adjudicator else reviews
