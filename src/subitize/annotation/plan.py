"""A study's plan: each option is declared once, for the command line, the form in the browser and the store."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from inspect import getdoc
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, get_type_hints

from annotated_types import Ge, Gt, Le, Lt, MaxLen

from subitize.errors import BadValueError

if TYPE_CHECKING:
    from pydantic import TypeAdapter

    from subitize.annotation.people import Role

Purpose = Literal["answer", "training", "again", "review", "adjudication"]
"""Why a page is shown: for its answer, as training with known answers, again to the same person, to review somebody's
answer, or to settle a disagreement."""
PRACTICE: tuple[Purpose, ...] = ("training", "again")
"""Purposes that are excluded from every result."""
Group = Literal["Study", "Images", "People", "Texts", "Checks", "More"]
SEED = 0
"""The seed of everything that a study draws at random."""
_STORED = (
    *("judge", "rule", "people_per_page", "lease_minutes", "pages_per_person", "seed", "gold", "training", "pass_mark"),
    *("second_look", "is_pilot", "holds_flagged", "review", "adjudicator"),
)  # the order in which settings are stored; later ones follow
_PEOPLE_PER_IMAGE = 5  # as in GeckoNum and T2ICountBench


@dataclass(frozen=True, slots=True)
class PlanOption:
    """How a field of a plan is shown: its group in the form, and its flag, unless the flag is the field's name.

    What has a `key` stays as it was when the study began, and is stored under that key.
    """

    group: Group
    flag: str = ""
    key: str = ""


_Whole = Annotated[int, Ge(0)]
_Positive = Annotated[int, Ge(1)]
_Minutes = Annotated[float, Gt(0), Le(24 * 60)]
_Share = Annotated[float, Ge(0), Le(1)]
_Text = Annotated[str, MaxLen(50_000)]
_Code = Annotated[str, MaxLen(500)]
Recruiter = Literal["prolific", "mturk", "cloudresearch"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyPlan:
    """A study as requested; `None` or an empty text means: use the default, which is in brackets.

    Args:
        name: The study's name; the same name goes on.
        forms: Only questions of this form: count, click, choose, yes-no, match, text [all that enter the score].
        earlier: Whether answers given before count, or everybody is asked again [to be chosen where there are any].
        sample: Only the images of this sample [all images].
        images_per_model: At most how many images of each model are shown, chosen at random [all].
        people: Who answers; a link for each.
        reviewers: Who checks a share of the answers.
        judge: What to call this way of looking.
        rule: How counts are read [the suite's own, else strict].
        people_per_image: How many people answer about each image [everybody, at most 5].
        lease_minutes: Minutes an image stays reserved for the person viewing it.
        images_per_person: At most how many images a person is shown [all].
        gold: Whose readings of this run are known to be right [nobody's].
        training: Pages with known answers that are shown first, with the right answer.
        pass_mark: The share of them to get right, by the second chance.
        second_look: The share of pages that a person is shown again.
        is_pilot: A pilot: its answers enter no result.
        holds_flagged: Hold back from others what somebody flags.
        review: The share of the answered pages that reviewers check.
        adjudicator: Who settles what people disagree about.
        instructions: What people are told, as text [ours, by form].
        consent: What people agree to first, as text [they are not asked].
        is_recruiting: One link for everybody, for a recruiter.
        recruiter: Who sends people.
        prolific_audience: The audience in Prolific's signed links, which then say who comes [links are not signed].
        completion_code: What Prolific hears when all is answered.
        failure_code: What Prolific hears when the training is not passed.
        screened_out_code: What Prolific hears when nobody is needed any more.
        no_consent_code: What Prolific hears when somebody does not agree to take part.
        done_url: CloudResearch's address for those who have finished.
        partial_url: CloudResearch's address for all others.
    """

    name: Annotated[str, PlanOption("Study", "--study")] = "study"
    judge: Annotated[str, PlanOption("More", key="judge")] = "human"
    rule: Annotated[str | None, PlanOption("More", key="rule")] = None
    forms: Annotated[tuple[str, ...], PlanOption("Study", "--form")] = ()
    earlier: Annotated[Literal["count", "ask"] | None, PlanOption("Study", key="earlier")] = None
    sample: Annotated[str | None, PlanOption("Images")] = None
    images_per_model: Annotated[_Positive | None, PlanOption("Images")] = None
    people: Annotated[tuple[str, ...], PlanOption("People", "--person")] = ()
    reviewers: Annotated[tuple[str, ...], PlanOption("Checks", "--reviewer")] = ()
    people_per_image: Annotated[_Positive | None, PlanOption("People", key="people_per_page")] = None
    images_per_person: Annotated[_Positive | None, PlanOption("More", key="pages_per_person")] = None
    lease_minutes: Annotated[_Minutes, PlanOption("More", key="lease_minutes")] = 30.0
    gold: Annotated[str | None, PlanOption("Checks", key="gold")] = None
    training: Annotated[_Whole, PlanOption("Checks", key="training")] = 0
    pass_mark: Annotated[_Share, PlanOption("Checks", key="pass_mark")] = 0.8
    second_look: Annotated[float, Ge(0), Lt(1), PlanOption("Checks", key="second_look")] = 0.0
    review: Annotated[_Share, PlanOption("Checks", key="review")] = 0.0
    adjudicator: Annotated[Literal["reviewer", "owner"], PlanOption("Checks", key="adjudicator")] = "owner"
    is_pilot: Annotated[bool, PlanOption("Checks", "--pilot", "is_pilot")] = False
    holds_flagged: Annotated[bool, PlanOption("Checks", "--hold-flagged", "holds_flagged")] = False
    instructions: Annotated[_Text, PlanOption("Texts")] = ""
    consent: Annotated[_Text, PlanOption("Texts")] = ""
    is_recruiting: Annotated[bool, PlanOption("More", "--recruit")] = False
    recruiter: Annotated[Recruiter, PlanOption("More")] = "prolific"
    prolific_audience: Annotated[_Code | None, PlanOption("More")] = None
    completion_code: Annotated[_Code | None, PlanOption("More")] = None
    failure_code: Annotated[_Code | None, PlanOption("More")] = None
    screened_out_code: Annotated[_Code | None, PlanOption("More")] = None
    no_consent_code: Annotated[_Code | None, PlanOption("More")] = None
    done_url: Annotated[_Code | None, PlanOption("More")] = None
    partial_url: Annotated[_Code | None, PlanOption("More")] = None

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    @property
    def people_wanted(self) -> int:
        """How many people answer about each image.

        By default all who are named, at most five; recruited people join later, so expect five.
        """
        if self.people_per_image is not None:
            return self.people_per_image
        are_all_known = self.people and not self.is_recruiting
        return min(_PEOPLE_PER_IMAGE, len(self.people)) if are_all_known else _PEOPLE_PER_IMAGE

    @property
    def lease_seconds(self) -> float:
        """How long a page stays reserved for the person it is shown to."""
        return 60 * self.lease_minutes

    def purposes_of(self, role: "Role") -> tuple[Purpose, ...]:
        """List why people of a role are shown pages; reviewers review before they adjudicate."""
        if role == "annotator":
            return ("answer", *PRACTICE)
        reviews: tuple[Purpose, ...] = ("review",) if role == "reviewer" else ()
        return (*reviews, "adjudication") if role == self.adjudicator else reviews

    def list_settings(self, rule: str) -> dict[str, object]:
        """List what stays as it was when the study began, by the keys under which it is stored."""
        resolved: dict[str, object] = {"rule": rule, "people_per_page": self.people_wanted}
        keys = {option.key: name for name, option in list_options().items() if option.key}
        return dict.fromkeys(_STORED, SEED) | {key: getattr(self, name) for key, name in keys.items()} | resolved


@cache
def list_options() -> Mapping[str, PlanOption]:
    """Map the fields of a plan to how they are shown, in their order."""
    hints = get_type_hints(StudyPlan, include_extras=True)
    described = ((name, one) for name, hint in hints.items() for one in getattr(hint, "__metadata__", ()))
    return {name: one for name, one in described if isinstance(one, PlanOption)}


@cache
def describe_options() -> Mapping[str, str]:
    """Map the fields of a plan to what they mean."""
    _, _, listed = (getdoc(StudyPlan) or "").partition("Args:\n")
    return {name: text.rstrip(".") for name, _, text in (line.strip().partition(": ") for line in listed.splitlines())}


@cache
def plan_adapter() -> "TypeAdapter[StudyPlan]":
    """Make what reads, checks and writes plans."""
    from pydantic import TypeAdapter

    return TypeAdapter(StudyPlan)


def check_bounds(plan: StudyPlan) -> StudyPlan:
    """Return a plan whose values are within their bounds; raise an error if one is not."""
    from pydantic import ValidationError

    try:
        return plan_adapter().validate_python(asdict(plan))
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        right = fault["msg"].removeprefix("Input ").removeprefix("String ")
        raise BadValueError(f"`{fault['loc'][0]}` {fault['input']!r:.60}: {right}") from None
