"""Serves the studies of one or several runs on a port until stopped, including those made in the browser."""

import asyncio
import os
import secrets
import threading
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager, suppress
from types import TracebackType
from typing import Self

from fastapi import FastAPI
from starlette.applications import Starlette
from starlette.routing import Mount

from subitize.annotation.agreement import AgreementMonitor
from subitize.annotation.app import make_app
from subitize.annotation.creation import CREATOR_PATH, StudyCreator, creator_token, make_creator_app
from subitize.annotation.plan import StudyPlan
from subitize.annotation.study import OpenStudy, open_study, read_plans, save_plan
from subitize.errors import BadValueError, SubitizeError
from subitize.records import digest
from subitize.store import RENEWAL_SECONDS, Folder, Lease, Location, Run
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
        creator = StudyCreator(self._locations, self.open_run, self.make)
        self._mount(f"/{CREATOR_PATH}", make_creator_app(creator, self._secret, self._hosts))

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

    def make(self, name: str, plan: StudyPlan) -> dict[str, str]:
        """Create a study of a run, serve it beside the others, and return its links."""
        path = _path_of(name, plan.name)
        with self._lock:
            opened = self._open(name, plan, path)
            save_plan(self.open_run(name), self._leases[name, plan.judge], plan)
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
        if (name, plan.name) in self._served:
            raise BadValueError(f"study {plan.name!r} of {name} is served already; name another")
        run = self.open_run(name)
        lease = self._take_lease(name, run, plan.judge)
        opened = open_study(run, lease, plan)
        monitor = AgreementMonitor(run.location, plan.judge)
        self._monitors.append(monitor)
        self._served.add((name, plan.name))
        self._mount(path, make_app(opened.study, run.images, monitor, self._hosts, making_link))
        return opened

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
