"""Opens studies from their plans, for the command line and the web page, and makes their links.

Plans made in the browser are stored in their runs."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from sqlalchemy import delete, insert, select

from subitize.annotation import tables
from subitize.annotation.pages import collect_pages
from subitize.annotation.people import RECRUITERS_DETAILS, check_name
from subitize.annotation.plan import SEED, StudyPlan, check_bounds, plan_adapter
from subitize.annotation.sampling import filter_to_sample, keep_quota
from subitize.annotation.study import Study
from subitize.errors import BadValueError
from subitize.imports.answers import check_judge
from subitize.labels import parse_rule
from subitize.labels.rules import word_rules
from subitize.language.numbers import count_noun
from subitize.store import Lease, Run

OWNER = "owner"


@dataclass(frozen=True, slots=True)
class OpenStudy:
    """A study ready to be served, and the number of images that are known by name only and cannot be shown."""

    study: Study
    without_image: int

    def describe(self) -> str:
        """Describe the number of pages, questions and people, and the rule for counts."""
        pages, people = self.study.shown_pages(), self.study.plan.people_wanted
        each = "one person" if people == 1 else f"{people} people"
        questions = count_noun(sum(len(page.asks) for page in pages), "question")
        return f"{count_noun(len(pages), 'page')}, {questions}, {each} for each; counts are read by {self.study.rule}"

    def warn(self) -> Iterator[str]:
        """List which images are not shown."""
        if held := len(self.study.pages) - len(self.study.shown_pages()):
            yield f"{count_noun(held, 'page')} held back; see: subitize annotate screen RUN"
        if self.without_image:
            unseen = count_noun(self.without_image, "image")
            yield f"not shown, as known by name only: {unseen}; see: subitize import attachments"

    def make_links(self, address: str) -> dict[str, str]:
        """Make a link for each invited person, then for the owner, then for a recruiter."""
        people, plan = self.study.people, self.study.plan
        invited = [
            *(people.invite(name) for name in plan.people),
            *(people.invite(name, "reviewer") for name in plan.reviewers),
            people.invite(OWNER, "owner"),
        ]
        links = {person.name: f"{address}/join/{people.join_token(person)}" for person in invited}
        if plan.is_recruiting:
            # Prolific fills in what is in braces.
            details = "&".join(f"{name}={{{{%{name}%}}}}" for name in RECRUITERS_DETAILS)
            links["everybody"] = f"{address}/study/{people.recruiting_token()}?{details}"
        return links


def open_study(run: Run, lease: Lease, plan: StudyPlan) -> OpenStudy:
    """Create a study of a run or continue the one of that name; reject a faulty plan first."""
    plan = check_plan(plan)
    collected = collect_pages(run, plan.forms)
    if plan.sample is not None:
        collected = filter_to_sample(run, plan.sample, collected)
    if plan.images_per_model is not None:
        collected = keep_quota(collected, plan.images_per_model, SEED)
    return OpenStudy(Study(run, lease, plan, collected), collected.without_image)


def check_plan(plan: StudyPlan) -> StudyPlan:
    """Return a plan that can be used as it is; raise an error for a value out of its bounds, or a faulty name."""
    plan = check_bounds(plan)
    for name in (plan.name, *plan.people, *plan.reviewers):
        check_name(name)
    for name, count in Counter((*plan.people, *plan.reviewers, OWNER)).items():
        if count > 1:
            raise BadValueError(f"person {name!r} is named twice; each has a link, and a role, of their own")
    if plan.reviewers and not plan.review and plan.adjudicator != "reviewer":
        raise BadValueError(
            f"reviewer {plan.reviewers[0]!r} has nothing to do; say which share of the answers they check "
            "(review .2), or let them settle disagreements (adjudicator reviewer)"
        )
    check_judge(plan.judge)
    if plan.rule and parse_rule(plan.rule).name not in word_rules():
        raise BadValueError(f"rule {plan.rule}: people's answers are words; take one of {', '.join(word_rules())}")
    return plan


def save_plan(run: Run, lease: Lease, plan: StudyPlan) -> None:
    """Store the plan of an existing study; replace one of the same name that could not be served."""
    with run.writing(lease) as connection:
        is_same = (tables.plans.c.run_id == run.run_id) & (tables.plans.c.study == plan.name)
        connection.execute(delete(tables.plans).where(is_same))
        row = {"run_id": run.run_id, "study": plan.name, "plan": plan_adapter().dump_json(plan).decode()}
        connection.execute(insert(tables.plans).values(**row))


def read_plans(run: Run) -> list[StudyPlan]:
    """List the plans of a run's studies."""
    query = select(tables.plans.c.plan).where(tables.plans.c.run_id == run.run_id).order_by(tables.plans.c.study)
    return [plan_adapter().validate_json(row.plan) for row in tables.read_rows(run, tables.plans, query)]
