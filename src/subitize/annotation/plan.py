"""Creates studies and their links from plans, for the command line and the web page.

Plans made in the browser are stored in their runs."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from typing import ClassVar

from pydantic import ConfigDict, TypeAdapter
from sqlalchemy import delete, insert, select

from subitize.annotation import tables
from subitize.annotation.pages import collect_pages
from subitize.annotation.people import RECRUITERS_DETAILS, check_name
from subitize.annotation.sampling import filter_to_sample, keep_quota
from subitize.annotation.settings import Adjudicator, StudySettings, Texts, default_instructions, split_paragraphs
from subitize.annotation.study import Study, default_rule
from subitize.errors import BadValueError, MissingPartError
from subitize.language.numbers import count_noun
from subitize.store import Lease, Run

OWNER = "owner"
_PEOPLE_PER_PAGE = 5  # as in GeckoNum and T2ICountBench


@dataclass(frozen=True, slots=True)
class StudyPlan:
    """A study as requested; `None` or an empty text means: use the default.

    `forms` selects questions by their form. `images_per_model` limits the images per model, drawn at random.
    """

    name: str = "study"
    judge: str = "human"
    rule: str | None = None
    forms: tuple[str, ...] = ()
    sample: str | None = None
    images_per_model: int | None = None
    people: tuple[str, ...] = ()
    reviewers: tuple[str, ...] = ()
    people_per_image: int | None = None
    images_per_person: int | None = None
    lease_minutes: float = 30.0
    gold: str | None = None
    training: int = 0
    pass_mark: float = 0.8
    second_look: float = 0.0
    review: float = 0.0
    adjudicator: Adjudicator = "owner"
    is_pilot: bool = False
    holds_flagged: bool = False
    instructions: str = ""
    consent: str = ""
    is_recruiting: bool = False
    completion_code: str | None = None
    failure_code: str | None = None

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")


@dataclass(frozen=True, slots=True)
class OpenStudy:
    """A study ready to be served, and the number of images that are known by name only and cannot be shown."""

    study: Study
    texts: Texts
    plan: StudyPlan
    without_image: int

    def describe(self) -> str:
        """Describe the number of pages, questions and people, and the rule for counts."""
        pages, settings = self.study.shown_pages(), self.study.settings
        each = "one person" if settings.people_per_page == 1 else f"{settings.people_per_page} people"
        questions = count_noun(sum(len(page.asks) for page in pages), "question")
        return f"{count_noun(len(pages), 'page')}, {questions}, {each} for each; counts are read by {settings.rule}"

    def warn(self) -> Iterator[str]:
        """List which images are not shown."""
        if held := len(self.study.pages) - len(self.study.shown_pages()):
            yield f"{count_noun(held, 'page')} held back; see: subitize screen RUN"
        if self.without_image:
            yield f"not shown, as known by name only: {count_noun(self.without_image, 'image')}; see: subitize attach"

    def make_links(self, address: str) -> dict[str, str]:
        """Make a link for each invited person, then for the owner, then for a recruiter."""
        people = self.study.people
        invited = [
            *(people.invite(name) for name in self.plan.people),
            *(people.invite(name, "reviewer") for name in self.plan.reviewers),
            people.invite(OWNER, "owner"),
        ]
        links = {person.name: f"{address}/join/{people.join_token(person)}" for person in invited}
        if self.plan.is_recruiting:
            # Prolific fills in what is in braces.
            details = "&".join(f"{name}={{{{%{name}%}}}}" for name in RECRUITERS_DETAILS)
            links["everybody"] = f"{address}/study/{people.recruiting_token()}?{details}"
        return links


def open_study(run: Run, lease: Lease, plan: StudyPlan) -> OpenStudy:
    """Create a study of a run or continue the one of that name; reject a faulty plan first."""
    _check_people(plan)
    settings = StudySettings(
        judge=plan.judge,
        rule=plan.rule or default_rule(run),
        people_per_page=_count_people(plan) if plan.people_per_image is None else plan.people_per_image,
        lease_minutes=plan.lease_minutes,
        pages_per_person=plan.images_per_person,
        gold=plan.gold,
        training=plan.training,
        pass_mark=plan.pass_mark,
        second_look=plan.second_look,
        is_pilot=plan.is_pilot,
        holds_flagged=plan.holds_flagged,
        review=plan.review,
        adjudicator=plan.adjudicator,
    )
    collected = collect_pages(run, plan.forms)
    if plan.sample is not None:
        collected = filter_to_sample(run, plan.sample, collected)
    if plan.images_per_model is not None:
        collected = keep_quota(collected, plan.images_per_model, settings.seed)
    instructions = (
        split_paragraphs("instructions", plan.instructions)
        if plan.instructions
        else default_instructions(collected.pages)
    )
    consent = "\n\n".join(split_paragraphs("consent", plan.consent)) if plan.consent else None
    texts = Texts(instructions, consent, plan.is_recruiting, plan.completion_code, plan.failure_code)
    study = Study(run, lease, plan.name, settings, collected)
    return OpenStudy(study, texts, plan, collected.without_image)


def _check_people(plan: StudyPlan) -> None:
    for name in (plan.name, *plan.people, *plan.reviewers):
        check_name(name)
    for name, count in Counter((*plan.people, *plan.reviewers, OWNER)).items():
        if count > 1:
            raise BadValueError(f"person {name!r} is named twice; each has a link, and a role, of their own")
    if plan.reviewers and not plan.review and plan.adjudicator != "reviewer":
        raise BadValueError(
            f"reviewer {plan.reviewers[0]!r} has nothing to do; say which share of the answers they check "
            "(--review .2), or let them settle disagreements (--adjudicator reviewer)"
        )


def _count_people(plan: StudyPlan) -> int:
    """Show each image to all named people, at most five; recruited people join later, so expect five."""
    are_all_known = plan.people and not plan.is_recruiting
    return min(_PEOPLE_PER_PAGE, len(plan.people)) if are_all_known else _PEOPLE_PER_PAGE


_PLAN = TypeAdapter(StudyPlan)


def save_plan(run: Run, lease: Lease, plan: StudyPlan) -> None:
    """Store the plan of an existing study; replace one of the same name that could not be served."""
    with run.writing(lease) as connection:
        is_same = (tables.plans.c.run_id == run.run_id) & (tables.plans.c.study == plan.name)
        connection.execute(delete(tables.plans).where(is_same))
        row = {"run_id": run.run_id, "study": plan.name, "plan": _PLAN.dump_json(plan).decode()}
        connection.execute(insert(tables.plans).values(**row))


def read_plans(run: Run) -> list[StudyPlan]:
    """List the plans of a run's studies."""
    query = select(tables.plans.c.plan).where(tables.plans.c.run_id == run.run_id).order_by(tables.plans.c.study)
    return [_PLAN.validate_json(row.plan) for row in tables.read_rows(run, tables.plans, query)]


def require_parts() -> None:
    """Raise an error unless the packages of the web app are installed."""
    for module in ("fastapi", "uvicorn", "itsdangerous"):
        if find_spec(module) is None:
            raise MissingPartError("the annotation page", module, "annotate")
