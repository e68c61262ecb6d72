"""Browsers without a screen, at the server of a study."""

import multiprocessing
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import takewhile
from multiprocessing.process import BaseProcess
from multiprocessing.reduction import DupFd
from pathlib import Path
from typing import Any

from subitize.annotation.people import Role
from subitize.annotation.study import Study
from subitize.cli import main
from subitize.records import Item
from subitize.store.images import Images
from tests.annotation.studies import COUNTS, folder, make_run, opened
from tests.commands import environment

_FORKED = multiprocessing.get_context("forkserver")
_FORKED.set_forkserver_preload(
    [
        "subitize.annotation.host",
        "subitize.api.people",
        "subitize.papers.geckonum.suite",
        # What these import only when they are used.
        "anyio._backends._asyncio",
        "numpy.random",
        "pydantic.v1",
        "sqlalchemy.dialects.sqlite",
        "uvicorn.lifespan.on",
        "uvicorn.loops.auto",
        "uvicorn.protocols.http.auto",
        "uvicorn.protocols.websockets.auto",
    ]
)


class Visitor:
    """A browser without a screen."""

    def __init__(
        self,
        study: Study,
        path: Path,
        *,
        hosts: frozenset[str] | None = None,
    ) -> None:
        from starlette.testclient import TestClient

        from subitize.annotation.agreement import AgreementMonitor
        from subitize.annotation.app import make_app

        images, monitor = Images(path / "run" / "images"), AgreementMonitor(folder(path), "human")
        self.client = TestClient(make_app(study, images, monitor, hosts))
        self.csrf = ""

    def join(self, study: Study, name: str, role: Role = "annotator") -> "Visitor":
        joined = self.client.get(f"/join/{study.people.join_token(study.people.invite(name, role))}")
        assert joined.status_code == 200
        self.csrf = self.client.get("/api/me").json()["csrf_token"]
        return self

    def next_page(self) -> dict[str, Any]:
        page: dict[str, Any] = self.client.get("/api/pages").json()["pages"][0]
        return page

    def answer(self, page: str, text: str = "2", *, number: int = 0, csrf: str | None = None, **given: object) -> Any:  # noqa: ANN401
        body = {"key": "12345678", "text": text, **given}
        headers = {b"X-CSRF-Token": (self.csrf if csrf is None else csrf).encode("latin-1")}
        return self.client.put(f"/api/pages/{page}/questions/{number}", json=body, headers=headers)


@contextmanager
def visited(
    path: Path,
    items: list[Item] = COUNTS,
    *,
    prompt_in_file: str = "",
    repeats: int = 1,
    **settings: Any,  # noqa: ANN401
) -> Iterator[tuple[Study, Visitor]]:
    make_run(folder(path), items, prompt_in_file=prompt_in_file, repeats=repeats)
    with opened(folder(path), **settings) as study:
        yield study, Visitor(study, path)


@contextmanager
def served(*arguments: object) -> Iterator[dict[str, str]]:
    """Serve studies by `subitize annotate`, and give the links that are told, by name."""
    with served_by_process(*arguments) as (_, links):
        yield links


@contextmanager
def served_by_process(*arguments: object) -> Iterator[tuple[BaseProcess, dict[str, str]]]:
    """Serve studies by `subitize annotate`, and give its process, too."""
    told, telling = os.pipe()
    with os.fdopen(told) as lines:
        with os.fdopen(telling, "w") as output:
            server = _FORKED.Process(target=_annotate, args=(DupFd(output.fileno()), [*map(str, arguments)]))
            server.start()
        try:
            read = list(takewhile(lambda line: not line.startswith("Ctrl-C"), lines))
            links = {found[1]: found[2] for line in read if (found := re.fullmatch(r"(.+): (http://\S+)\n", line))}
            assert links, "".join(read)
            yield server, links
        finally:
            server.terminate()
            server.join()


def _annotate(output: Any, arguments: list[str]) -> None:  # noqa: ANN401
    """Run the command in a process that was forked from one in which it is imported: starting takes no second."""
    told = output.detach()
    sys.stdout = sys.stderr = os.fdopen(told, "w", buffering=1)
    os.environ |= environment()
    sys.argv = ["subitize", "annotate", *arguments, "--no-browser", "--port", "0"]
    main()
