"""How long people wait at the annotation page: for what comes next, a picture, a stored answer, the owner's page.

Measured from the first request on, for a new study and for one that is nine tenths done.

Simulated people answer one after the other, each with a pause as if they looked. The other is a bare FastAPI endpoint
that stores a row in SQLite, as safely, under the same load; it chooses nothing, knows nobody and checks nothing.
"""

import asyncio
import re
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from itertools import cycle
from pathlib import Path
from typing import Any, NamedTuple

import aiohttp
import numpy as np
from sqlalchemy import insert

from benchmarks.comparing import Comparison, Figure, Result, Unmeasured
from benchmarks.processes import ROOT
from subitize.annotation import tables
from subitize.annotation.assignment import AnswerRecord
from subitize.annotation.plan import StudyPlan
from subitize.annotation.study import open_study
from subitize.records import (
    Ask,
    Count,
    Draw,
    Drawn,
    Item,
    Known,
    Provenance,
    Reading,
    Response,
    Spec,
    Stimulus,
    Trial,
    Words,
)
from subitize.stimuli.recipes import render
from subitize.store import Folder, Run

_MODEL = Spec("artist", {}, "artist")
_PERCENT = 95


@dataclass(frozen=True, slots=True)
class Size:
    """How many images, each answered by how many of how many people, who take how many turns, so long apart."""

    images: int
    pictures: int
    people_per_image: int
    people: int
    turns: int
    pause_seconds: float


FULL = Size(images=20_000, pictures=200, people_per_image=5, people=50, turns=20, pause_seconds=2.0)
TINY = Size(images=200, pictures=2, people_per_image=2, people=3, turns=2, pause_seconds=0.01)


def measure(*, is_tiny: bool = False) -> Iterator[Result]:
    """Compare waiting times at the 95th percentile."""
    size = TINY if is_tiny else FULL
    if not all(find_spec(module) for module in ("fastapi", "uvicorn", "itsdangerous")):
        yield Unmeasured("waiting at the annotation page, against a bare FastAPI endpoint", "subitize[annotate]")
        return
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        _make_run(run, size)
        with _serving(_annotate(run, size)) as (server, told):
            links, people = _links(told)
            times = asyncio.run(_answer_all(people, size, "cold"))
            owner = asyncio.run(_look(links["owner"], size))
            before = _memory_mb(server.pid)
            times += asyncio.run(_answer_all(people, size, "warm"))
            after = _memory_mb(server.pid)
        _answer_most(run, size)
        with _serving(_annotate(run, size)) as (_, told):
            late = asyncio.run(_answer_all(_links(told)[1], size, "late"))
        with _serving([sys.executable, "-m", "benchmarks.annotation", str(Path(folder) / "bare.sqlite")]) as (_, told):
            bare = asyncio.run(_store_all(told.strip(), size))
    load = f"{size.people} people, {size.images:,} images × {size.people_per_image}, 95th percentile"
    late_load = f"the same, nine tenths done, {_PERCENT}th percentile"
    for name, own, later in zip(("what comes next", "storing an answer", "a picture"), times, late, strict=True):
        ours, other = (float(np.percentile(each, _PERCENT)) for each in (own, bare))
        what = f"{name}, {load}, in times of a bare FastAPI endpoint's"
        yield Comparison(what, ours, other, ours / other, ours / other, ours / other, "<= 4")
        yield Figure(f"{name}, {load}", 1000 * ours, "ms", "<= 50")
        yield Figure(f"{name}, {late_load}", 1000 * float(np.percentile(later, _PERCENT)), "ms", "<= 50")
    yield Figure(f"the owner's page, {load}", 1000 * float(np.percentile(owner, _PERCENT)), "ms", "<= 300")
    yield Figure("memory at the end, in times of that at the beginning", after / before, "", "<= 1.2")


class Times(NamedTuple):
    """How long each request took, in seconds."""

    next: list[float]
    save: list[float]
    picture: list[float]

    def __add__(self, other: "Times") -> "Times":  # type: ignore[override]
        return Times(*(own + more for own, more in zip(self, other, strict=True)))


def _links(told: str) -> tuple[dict[str, str], list[str]]:
    """Read the links that are told, and those of people who answer."""
    links = dict(re.findall(r"^(\w+): (http://\S+)$", told, re.MULTILINE))
    return links, [link for name, link in links.items() if name != "owner"]


def _make_run(path: Path, size: Size) -> None:
    """Make a run of as many drawings, of a few pictures."""
    asks = (Ask(Count("apple"), "How many apples are there?", (3,)),)
    items = [Item(f"drawn/{place}", Draw(f"{place} apples"), asks, {}) for place in range(size.images)]
    with Run(Folder(path), create=True) as run, run.lease("model artist") as lease:
        run.add_suite(Spec("drawn", {}, "drawn"), 0, items)
        run.add_model(_MODEL, is_stand_in=False)
        drawn = (render(Stimulus("apples", 3, seed=seed, size_px=256)).png for seed in range(size.pictures))
        pictures = cycle([run.image_files.save(png, "png") for png in drawn])
        trials = (Trial(item.id, _MODEL.text, _MODEL.options) for item in items)
        run.add_responses(lease, [Response(trial, Drawn(next(pictures)), Provenance(0, "")) for trial in trials])


def _answer_most(path: Path, size: Size) -> None:
    """Store answers to nine tenths of the images, as the study would have."""
    names = [f"person{number}" for number in range(size.people)]
    plan = StudyPlan(people=tuple(names), people_per_image=size.people_per_image)
    with Run(Folder(path)) as run, run.lease("judge human") as lease:
        study = open_study(run, lease, plan).study
        readings, rows, study_key = [], [], {"run_id": run.run_id, "study": plan.name}
        for place, page in enumerate(study.pages[: len(study.pages) * 9 // 10]):
            for turn in range(size.people_per_image):
                person, question = study.people.invite(names[(place + turn) % len(names)]), page.asks[0].question
                about = {"subject_id": page.subject.id, "question_id": question.id, "purpose": "answer"}
                given = asdict(AnswerRecord(f"most-{place:07}", "3", seconds=2.0))
                rows.append({**study_key, "person": person.id, **about, **given, "at": 0.0})
                said = Words("3"), study.rule, Known(3), person.name
                readings.append(Reading(page.subject, question, "human", *said))
        with run.writing(lease) as connection:
            connection.execute(insert(tables.answers), rows)
            run.add_readings(lease, readings, connection)


def _annotate(run: Path, size: Size) -> list[str]:
    people = [option for number in range(size.people) for option in ("--person", f"person{number}")]
    command = [sys.executable, "-m", "subitize", "annotate", str(run), *people, "--no-browser", "--port", "0"]
    return [*command, "--people-per-image", str(size.people_per_image)]


@contextmanager
def _serving(command: Sequence[str]) -> Iterator[tuple["subprocess.Popen[str]", str]]:
    """Start a server, and give what it tells until it is ready: an address, or links and a last line."""
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            told = [server.stdout.readline()]
            while told[-1] and not told[-1].startswith(("Ctrl-C", "http")):
                told.append(server.stdout.readline())
            yield server, "".join(told)
        finally:
            server.terminate()


async def _answer_all(links: Sequence[str], size: Size, what_for: str) -> Times:
    times = Times([], [], [])
    await asyncio.gather(*(_answer(link, size, what_for, times) for link in links))
    return times


async def _answer(link: str, size: Size, what_for: str, times: Times) -> None:
    address = link.partition("/join")[0]
    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as session:
        await _get(session, link)
        headers = {"X-CSRF-Token": (await _get(session, f"{address}/api/me"))["csrf_token"]}
        for turn in range(size.turns):
            await asyncio.sleep(size.pause_seconds * (0.5 + hash((link, turn)) % 100 / 100))
            start = time.perf_counter()
            page = (await _get(session, f"{address}/api/pages?count=4"))["pages"][0]
            times.next.append(time.perf_counter() - start)
            start = time.perf_counter()
            async with session.get(f"{address}/{page['pictures'][0]}") as picture:
                await picture.read()
            times.picture.append(time.perf_counter() - start)
            answer = {"key": f"{what_for}-{turn:05}", "text": "3", "seconds": 2}
            start = time.perf_counter()
            url = f"{address}/api/pages/{page['id']}/questions/0"
            async with session.put(url, json=answer, headers=headers) as stored:
                stored.raise_for_status()
            times.save.append(time.perf_counter() - start)


async def _look(link: str, size: Size) -> list[float]:
    """Open the owner's page until its figures are there, then look at it a few times more."""
    address, times = link.partition("/join")[0], []
    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as session:
        await _get(session, link)
        for _ in range(size.turns):
            start = time.perf_counter()
            await _get(session, f"{address}/api/study")
            times.append(time.perf_counter() - start)
            await asyncio.sleep(size.pause_seconds / 4)
    return times


async def _get(session: aiohttp.ClientSession, url: str) -> dict[str, Any]:
    async with session.get(url) as answer:
        answer.raise_for_status()
        is_json = answer.content_type == "application/json"
        return dict(await answer.json()) if is_json else {"text": await answer.text()}


async def _store_all(address: str, size: Size) -> list[float]:
    times: list[float] = []

    async def store(person: int) -> None:
        async with aiohttp.ClientSession() as session:
            for turn in range(size.turns):
                await asyncio.sleep(size.pause_seconds * (0.5 + hash((person, turn)) % 100 / 100) / 2)
                start = time.perf_counter()
                async with session.put(f"{address}/answers/{person}", json={"text": "3"}) as stored:
                    stored.raise_for_status()
                times.append(time.perf_counter() - start)

    await asyncio.gather(*(store(person) for person in range(size.people)))
    return times


def _memory_mb(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(re.findall(r"VmRSS:\s+(\d+)", status)[0]) / 1000


def _serve_bare(path: str) -> None:
    """Serve an endpoint that stores a row, and nothing else."""
    import socket
    import threading

    import uvicorn
    from fastapi import FastAPI
    from pydantic import BaseModel

    class Answer(BaseModel):
        text: str

    database, lock = sqlite3.connect(path, check_same_thread=False), threading.Lock()
    database.executescript("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE answers (person, text)")
    app = FastAPI()

    @app.put("/answers/{person}")
    def store(person: int, answer: Answer) -> dict[str, int]:
        with lock, database:
            database.execute("INSERT INTO answers VALUES (?, ?)", (person, answer.text))
        return {"person": person}

    listening = socket.create_server(("127.0.0.1", 0))
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # as uvicorn's own sockets have it
    print(f"http://127.0.0.1:{listening.getsockname()[1]}", flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="critical")).run(sockets=[listening])


if __name__ == "__main__":
    _serve_bare(sys.argv[1])
