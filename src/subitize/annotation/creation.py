"""The page on which studies are made: a form of a plan's fields, and what a run offers for them."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from typing import Annotated, get_args

from fastapi import Depends, FastAPI, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from subitize.annotation.pages import FORMS, collect_pages
from subitize.annotation.people import Person
from subitize.annotation.plan import Group, StudyPlan, describe_options, list_options, plan_adapter
from subitize.annotation.sampling import draw_sample, list_samples, store_sample
from subitize.annotation.study import OWNER, check_plan
from subitize.errors import BadValueError
from subitize.store import Run
from subitize.store.rows import read_judges
from subitize.web import is_same, sign
from subitize.web.app import make_web_app, send_page
from subitize.web.sessions import UNKNOWN_LINK, Sessions, identify, identify_changing

CREATOR_PATH = "studies"
"""The path of the app that creates studies."""
_CREATOR = Person(0, OWNER, "owner")
Creator = Annotated[Person, Depends(identify)]
CreatorChanging = Annotated[Person, Depends(identify_changing)]


class CreatorShown(BaseModel):
    """The CSRF token and the names of the runs."""

    csrf_token: str
    runs: list[str]


class FieldShown(BaseModel):
    """A field of a plan: its group, what it means, what leaving it empty means, and its JSON schema."""

    name: str
    group: Group
    label: str
    empty: str
    kind: dict[str, object]


class FormShown(BaseModel):
    """A form of questions that a run has: what people do, and the number of images."""

    name: str
    told: str
    images: int


class RunShown(BaseModel):
    """The choices for a study of a run: forms, images per model, factors, samples, and judges for known answers."""

    forms: list[FormShown]
    models: dict[str, int]
    factors: list[str]
    samples: list[str]
    judges: list[str]


class SampleRequest(BaseModel):
    """A sample to draw: its size, and the factors to stratify by."""

    model_config = ConfigDict(extra="forbid")

    size: int = Field(ge=1, le=10_000_000)
    by: list[str] = Field(default=[], max_length=20)


class StudyWanted(BaseModel):
    """A study to create: its run, its plan, and a sample to draw, which gets the study's name."""

    model_config = ConfigDict(extra="forbid")

    run: str
    plan: StudyPlan
    draw: SampleRequest | None = None


class StudyCreator:
    """Creates studies of runs; `open_run` opens a run by name, `make` creates a study and returns its links."""

    def __init__(
        self, runs: Collection[str], open_run: Callable[[str], Run], make: Callable[[str, StudyPlan], dict[str, str]]
    ) -> None:
        self.runs, self._open_run, self._make = runs, open_run, make

    def describe_run(self, name: str) -> RunShown:
        """Describe the choices for a study of a run."""
        run = self._open_run(name)
        collected = {form: collect_pages(run, [form]) for form in FORMS}
        models = {page.subject.id: page.model for one in collected.values() for page in one.pages}
        return RunShown(
            forms=[
                FormShown(name=form, told=FORMS[form], images=len(one.pages))
                for form, one in collected.items()
                if one.pages
            ],
            models=dict(sorted(Counter(models.values()).items())),
            factors=sorted({factor for one in collected.values() for page in one.pages for factor in page.factors}),
            samples=list_samples(run),
            judges=read_judges(run),
        )

    def make(self, wanted: StudyWanted) -> dict[str, dict[str, str]]:
        """Create a study, after drawing its sample if requested."""
        plan = check_plan(wanted.plan)
        if wanted.draw is not None:
            if plan.sample is not None:
                raise BadValueError(f"sample {plan.sample!r}: choose one that was drawn, or draw another, not both")
            run = self._open_run(wanted.run)
            drawn = draw_sample(collect_pages(run, plan.forms), plan.name, wanted.draw.size, wanted.draw.by, seed=0)
            store_sample(run, drawn)
            plan = replace(plan, sample=drawn.name)
        return {"links": self._make(wanted.run, plan)}


def describe_fields() -> Iterator[FieldShown]:
    """Describe the fields of a plan, from which a form is made."""
    kinds = plan_adapter().json_schema()["properties"]
    groups = get_args(Group)
    for name, option in sorted(list_options().items(), key=lambda one: groups.index(one[1].group)):
        kind, (label, _, empty) = kinds[name], describe_options()[name].partition(" [")
        kind |= kind.pop("anyOf", ({},))[0]  # without null, for which a field is left empty
        yield FieldShown(name=name, group=option.group, label=label, empty=empty.rstrip("]"), kind=kind)


def creator_token(secret: str) -> str:
    """Make the secret part of the link for creating studies."""
    return sign(secret, "join")


def make_creator_app(creator: StudyCreator, secret: str, hosts: frozenset[str] | None) -> FastAPI:
    """Make the app that creates studies, for anybody with its link."""
    sessions = Sessions(secret, lambda number: _CREATOR if number == _CREATOR.id else None)

    def index(_: Creator) -> Response:
        """Show the page, or how to sign in."""
        return send_page("subitize.annotation", "making.html")

    def join(token: str, request: Request) -> Response:
        """Sign in by the link."""
        if is_same(token, creator_token(secret)):
            return sessions.let_in(_CREATOR, request)
        sessions.slow_down(request)
        raise UNKNOWN_LINK

    def me(person: Creator) -> CreatorShown:
        """List the runs."""
        return CreatorShown(csrf_token=sessions.csrf_token(person), runs=list(creator.runs))

    def plan(_: Creator) -> list[FieldShown]:
        """Describe the fields of a plan."""
        return list(describe_fields())

    def describe_run(run: str, _: Creator) -> RunShown:
        """Describe the choices for a study of a run."""
        return creator.describe_run(run)

    def make(wanted: StudyWanted, _: CreatorChanging) -> dict[str, dict[str, str]]:
        """Create a study."""
        return creator.make(wanted)

    app = make_web_app("subitize.annotation", hosts)
    app.state.sessions = sessions
    app.add_api_route("/", index, include_in_schema=False)
    app.add_api_route("/join/{token}", join, include_in_schema=False)
    app.add_api_route("/api/me", me)
    app.add_api_route("/api/plan", plan)
    app.add_api_route("/api/run", describe_run)
    app.add_api_route("/api/studies", make, methods=["POST"])
    return app
