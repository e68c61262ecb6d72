"""Serves the studies of one or several runs, and the page on which more are made: a form of a plan's fields."""

import asyncio
import os
import secrets
import threading
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager, suppress
from types import TracebackType
from typing import Annotated, Self, get_args

from fastapi import Depends, FastAPI, Request, Response
from pydantic import BaseModel, ConfigDict, Field
from starlette.applications import Starlette
from starlette.routing import Mount

from subitize.annotation.agreement import AgreementMonitor
from subitize.annotation.app import make_app
from subitize.annotation.pages import FORMS, PageSet, collect_pages
from subitize.annotation.people import Person
from subitize.annotation.plan import Group, StudyPlan, describe_options, list_options, plan_adapter
from subitize.annotation.sampling import list_samples
from subitize.annotation.study import (
    OWNER,
    OpenStudy,
    check_plan,
    describe_answered,
    open_study,
    pages_already_answered,
    read_plans,
)
from subitize.errors import BadValueError, SubitizeError
from subitize.records import digest
from subitize.store import RENEWAL_SECONDS, Folder, Lease, Location, Run
from subitize.store.rows import read_judges
from subitize.web import is_same, sign
from subitize.web.app import UNKNOWN_LINK, Sessions, identify, identify_changing, make_web_app, send_page
from subitize.web.hosting import hosts_at


class Host:
    """A server of studies, which closes them and returns their leases on exit."""

    def __init__(self, runs: Sequence[Location], address: str) -> None:
        self._locations = {_name_of(location): location for location in runs}
        self.address, self._hosts = address, hosts_at(address)
        self._stack, self._lock = ExitStack(), threading.RLock()
        self._runs: dict[str, Run] = {}
        self._leases: dict[tuple[str, str], Lease] = {}
        self._monitors: list[AgreementMonitor] = []
        self._served: set[tuple[str, str]] = set()
        self._secret = secrets.token_hex(32)
        self.app = Starlette(lifespan=self._live)
        self._mount(f"/{CREATOR_PATH}", make_creator_app(self, self._secret, self._hosts))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    @property
    def making_link(self) -> str:
        """The link for creating studies; it gives access to every served run."""
        return f"{self.address}/{CREATOR_PATH}/join/{creator_token(self._secret)}"

    @property
    def runs(self) -> list[str]:
        """The names of the runs."""
        return list(self._locations)

    def open_run(self, name: str) -> Run:
        """Open a run, once."""
        if name not in self._locations:
            raise BadValueError(f"no run {name!r} here; known: {', '.join(self._locations)}")
        with self._lock:
            if name not in self._runs:
                self._runs[name] = self._stack.enter_context(Run(self._locations[name]))
            return self._runs[name]

    def open_first(self, plan: StudyPlan) -> OpenStudy:
        """Serve a study of the first run at the root."""
        return self._open(next(iter(self._locations)), plan, "", self.making_link)

    def make_links(self, first: OpenStudy | None) -> dict[str, str]:
        """Make the links of the first study, if any, and the link for creating studies."""
        return {**(first.make_links(self.address) if first else {}), "make a study": self.making_link}

    def make(self, name: str, plan: StudyPlan, draw: tuple[int, Sequence[str]] | None) -> dict[str, str]:
        """Create a study of a run, serve it beside the others, and return its links."""
        path = _path_of(name, plan.name)
        with self._lock:
            run = self._check_free(name, plan)
            opened = open_study(run, self._take_lease(name, run, plan.judge), plan, draw, is_kept=True)
            self._serve(name, opened, path)
        return opened.make_links(self.address + path)

    def reopen_made(self) -> list[str]:
        """Serve earlier studies made in the browser again; return the problems."""
        faults: list[str] = []
        for name, plan in self._read_plans(faults):
            try:
                self._open(name, plan, _path_of(name, plan.name))
            except SubitizeError as error:
                faults.append(f"study {plan.name!r} of {name} is not served: {error}")
        return faults

    def _read_plans(self, faults: list[str]) -> Iterator[tuple[str, StudyPlan]]:
        """Yield the plans stored in runs, without keeping the runs open: a database may have many."""
        for name, location in self._locations.items():
            try:
                with Run(location) as run:
                    plans = read_plans(run)
            except SubitizeError as error:
                faults.append(f"{name} cannot be used: {error}")
            else:
                yield from ((name, plan) for plan in plans)

    def _open(self, name: str, plan: StudyPlan, path: str, making_link: str | None = None) -> OpenStudy:
        run = self._check_free(name, plan)
        opened = open_study(run, self._take_lease(name, run, plan.judge), plan)
        self._serve(name, opened, path, making_link)
        return opened

    def _check_free(self, name: str, plan: StudyPlan) -> Run:
        """Return a run whose study of this name is not served yet."""
        if (name, plan.name) in self._served:
            raise BadValueError(f"study {plan.name!r} of {name} is served already; name another")
        check_plan(plan)
        return self.open_run(name)

    def _serve(self, name: str, opened: OpenStudy, path: str, making_link: str | None = None) -> None:
        run, plan = self.open_run(name), opened.study.plan
        monitor = AgreementMonitor(run.location, plan.judge)
        self._monitors.append(monitor)
        self._served.add((name, plan.name))
        self._mount(path, make_app(opened.study, run.image_files, monitor, self._hosts, making_link))

    def _take_lease(self, name: str, run: Run, judge: str) -> Lease:
        with self._lock:
            if (name, judge) not in self._leases:
                self._leases[name, judge] = self._stack.enter_context(run.lease(f"judge {judge}"))
            return self._leases[name, judge]

    def _mount(self, path: str, app: FastAPI) -> None:
        """Mount an app at a path; the app at the root comes last."""
        routes = self.app.router.routes
        routes.insert(len(routes) if not path else 0, Mount(path, app=app))

    @asynccontextmanager
    async def _live(self, _: Starlette) -> AsyncIterator[None]:
        renewing = asyncio.create_task(self._keep_renewing())
        yield
        renewing.cancel()
        for monitor in self._monitors:
            monitor.close()

    async def _keep_renewing(self) -> None:
        while True:
            await asyncio.sleep(RENEWAL_SECONDS)
            for (name, _), lease in list(self._leases.items()):
                with suppress(SubitizeError):  # the next write reports a lost lease
                    await asyncio.to_thread(self._runs[name].renew, lease)


def _name_of(location: Location) -> str:
    """Name a run without revealing its path to browsers."""
    return os.path.basename(os.path.realpath(location.path)) if isinstance(location, Folder) else location.run_id


def _path_of(run: str, study: str) -> str:
    """Return the path of a study made in the browser, stable across restarts."""
    return f"/s/{digest(run, study)[:12]}"


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
    """The choices for a study of a run: forms, images per model, factors, samples, and judges for known answers.

    `answered` says by judge what people have answered already.
    """

    forms: list[FormShown]
    models: dict[str, int]
    factors: list[str]
    samples: list[str]
    judges: list[str]
    answered: dict[str, str]


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


def describe_run(run: Run) -> RunShown:
    """Describe the choices for a study of a run."""
    collected = {form: collect_pages(run, [form]) for form in FORMS}
    models = {page.subject.id: page.model for one in collected.values() for page in one.pages}
    judges = read_judges(run)
    answered = {judge: _find_answered(run, judge, collected.values()) for judge in judges}
    return RunShown(
        forms=[
            FormShown(name=form, told=FORMS[form], images=len(one.pages))
            for form, one in collected.items()
            if one.pages
        ],
        models=dict(sorted(Counter(models.values()).items())),
        factors=sorted({factor for one in collected.values() for page in one.pages for factor in page.factors}),
        samples=list_samples(run),
        judges=judges,
        answered={judge: describe_answered(found) for judge, found in answered.items() if found},
    )


def _find_answered(run: Run, judge: str, forms: Iterable[PageSet]) -> set[tuple[str, str]]:
    """Find who has answered about which image already, in any form."""
    return {
        (annotator, form.pages[page_index].subject.id)
        for form in forms
        for annotator, page_index in pages_already_answered(run, judge, form.pages)
    }


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


def make_creator_app(host: Host, secret: str, hosts: frozenset[str] | None) -> FastAPI:
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
        return CreatorShown(csrf_token=sessions.csrf_token(person), runs=host.runs)

    def plan(_: Creator) -> list[FieldShown]:
        """Describe the fields of a plan."""
        return list(describe_fields())

    def look(run: str, _: Creator) -> RunShown:
        """Describe the choices for a study of a run."""
        return describe_run(host.open_run(run))

    def make(wanted: StudyWanted, _: CreatorChanging) -> dict[str, dict[str, str]]:
        """Create a study."""
        draw = (wanted.draw.size, wanted.draw.by) if wanted.draw else None
        return {"links": host.make(wanted.run, wanted.plan, draw)}

    app = make_web_app("subitize.annotation", hosts)
    app.state.sessions = sessions
    app.add_api_route("/", index, include_in_schema=False)
    app.add_api_route("/join/{token}", join, include_in_schema=False)
    app.add_api_route("/api/me", me)
    app.add_api_route("/api/plan", plan)
    app.add_api_route("/api/run", look)
    app.add_api_route("/api/studies", make, methods=["POST"])
    return app
