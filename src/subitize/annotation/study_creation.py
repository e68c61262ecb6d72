"""Studies made in the browser: which run, which questions, how many people, which texts."""

from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import replace

from fastapi import FastAPI, HTTPException, Request, Response
from fastapi.responses import FileResponse, PlainTextResponse
from pydantic import BaseModel, ConfigDict, Field

from subitize.annotation.pages import FORMS, collect_pages
from subitize.annotation.people import Person, sign
from subitize.annotation.plans import OWNER, StudyPlan
from subitize.annotation.samples import draw_sample, list_samples, store_sample
from subitize.annotation.security import STATIC, UNKNOWN_LINK, guarded_app
from subitize.annotation.sessions import Sessions, is_same
from subitize.errors import BadValueError
from subitize.store import Run
from subitize.store.reading import read_judges

MAKING = "studies"
"""Below which path studies are made."""
_MAKER = Person(0, OWNER, "owner")


class MakerShown(BaseModel):
    """The token that changes need, and the runs that there are."""

    csrf_token: str
    runs: list[str]


class FormShown(BaseModel):
    """A form that a run has questions for: what people do, and about how many images."""

    name: str
    told: str
    images: int


class RunShown(BaseModel):
    """What a study of a run can be made of: forms, images of each model, factors, samples, and judges as gold."""

    forms: list[FormShown]
    models: dict[str, int]
    factors: list[str]
    samples: list[str]
    judges: list[str]


class Drawing(BaseModel):
    """A sample to be drawn: of how many images, spread over which factors."""

    model_config = ConfigDict(extra="forbid")

    size: int = Field(ge=1, le=10_000_000)
    by: list[str] = Field(default=[], max_length=20)


class StudyWanted(BaseModel):
    """A study to be made: of which run, like what; where a sample is drawn, it goes by the study's name."""

    model_config = ConfigDict(extra="forbid")

    run: str
    plan: StudyPlan
    draw: Drawing | None = None


class StudyMade(BaseModel):
    """The links of a study, by name."""

    links: dict[str, str]


class Maker:
    """What can be made: of the runs by name; `open_run` opens one, `make` makes a study of it and gives its links."""

    def __init__(
        self, runs: Collection[str], open_run: Callable[[str], Run], make: Callable[[str, StudyPlan], dict[str, str]]
    ) -> None:
        self.runs, self._open_run, self._make = runs, open_run, make

    def look(self, name: str) -> RunShown:
        """Tell what a study of a run can be made of."""
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

    def make(self, wanted: StudyWanted) -> StudyMade:
        """Make a study, with its sample if one is to be drawn."""
        plan = wanted.plan
        if wanted.draw is not None:
            if plan.sample is not None:
                raise BadValueError(f"sample {plan.sample!r}: choose one that was drawn, or draw another, not both")
            run = self._open_run(wanted.run)
            drawn = draw_sample(collect_pages(run, plan.forms), plan.name, wanted.draw.size, wanted.draw.by, seed=0)
            store_sample(run, drawn)
            plan = replace(plan, sample=drawn.name)
        return StudyMade(links=self._make(wanted.run, plan))


def making_token(secret: str) -> str:
    """Make the secret part of the link by which studies are made."""
    return sign(secret, "join")


def make_making_app(maker: Maker, secret: str, hosts: frozenset[str] | None) -> FastAPI:
    """Make the application in which whoever has the link makes studies."""
    sessions = Sessions(secret, lambda number: _MAKER if number == _MAKER.id else None)

    def index(request: Request) -> Response:
        """Show the page, or how to come in."""
        try:
            sessions.identify(request)
        except HTTPException as error:
            return PlainTextResponse(str(error.detail), error.status_code)
        return FileResponse(str(STATIC / "making.html"))

    def join(token: str, request: Request) -> Response:
        """Come in by the link."""
        if is_same(token, making_token(secret)):
            return sessions.let_in(_MAKER, request)
        sessions.slow_down(request)
        raise UNKNOWN_LINK

    def me(request: Request) -> MakerShown:
        """Tell which runs there are."""
        return MakerShown(csrf_token=sessions.csrf_token(sessions.identify(request)), runs=list(maker.runs))

    def look(run: str, request: Request) -> RunShown:
        """Tell what a study of a run can be made of."""
        sessions.identify(request)
        return maker.look(run)

    def make(wanted: StudyWanted, request: Request) -> StudyMade:
        """Make a study."""
        sessions.identify_changing(request)
        return maker.make(wanted)

    app = guarded_app(hosts)
    app.add_api_route("/", index, include_in_schema=False)
    app.add_api_route("/join/{token}", join, include_in_schema=False)
    app.add_api_route("/api/me", me)
    app.add_api_route("/api/run", look)
    app.add_api_route("/api/studies", make, methods=["POST"])
    return app
