"""How fast chats are sent, answered and committed, against a bare client's gather and against inspect_ai.

A real local server answers (tests/models/openai_server.py, a process of its own). The bare client is AsyncOpenAI with a
semaphore, which appends every answer to a JSONL file. What ours does beyond it: plan, draw, pace, redact, keep
provenance, check, commit every answer so that a kill loses none, and read the number in it.
"""

import asyncio
import itertools
import json
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from benchmarks.bare_client import CONCURRENCY, QUESTION, gather
from benchmarks.comparing import Figure, Result, Unmeasured, compare_rates, compare_times
from benchmarks.processes import ROOT, peak_megabytes, run_python
from subitize.evaluate.pictures import recipe_of, render_png
from subitize.interfaces import Suite
from subitize.records import Answer, Ask, Count, Filed, Item, Spec
from subitize.registry import Resolved, make_model, make_suite
from subitize.store import Folder, Run
from tests.runs import run_suite

LIMIT_PER_SECOND = 100
SERVER = ROOT / "tests" / "models" / "openai_server.py"


@dataclass(frozen=True, slots=True)
class Size:
    """How many chats are sent when time is measured, and when memory is; and how many pairs are timed of what."""

    chats: int
    memory_chats: tuple[int, ...]
    pairs: int
    process_pairs: int


FULL = Size(chats=1_000, memory_chats=(1_000, 10_000), pairs=5, process_pairs=3)
TINY = Size(chats=5, memory_chats=(5,), pairs=1, process_pairs=1)

# 1,000 questions, each about a picture of its own.
_NAMING = "naming:images=20,size_px=256,wordings=category,control_question=false"
_OURS = """
import sys
from pathlib import Path
from benchmarks.runner import send_ours
url, picture, out, count = sys.argv[1:]
send_ours(url, Path(picture), Path(out), int(count))
"""
_INSPECT = f"""
import sys
from pathlib import Path
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageUser, ContentImage, ContentText, get_model
from inspect_ai.scorer import includes
url, pictures, out = sys.argv[1:]
texts = [ContentText(text={QUESTION!r})]
contents = [[ContentImage(image=str(picture)), *texts] for picture in sorted(Path(pictures).iterdir())]
samples = [Sample(input=[ChatMessageUser(content=content)], target="3") for content in contents]
model = get_model("openai/test-model", base_url=url, api_key="none", responses_api=False)
(log,) = eval(Task(dataset=samples, scorer=includes()), model=model, log_dir=out, display="none",
              max_connections={CONCURRENCY}, max_samples={CONCURRENCY})
assert log.status == "success", log.error
"""


def measure(*, is_tiny: bool = False) -> Iterator[Result]:
    """Compare rates and whole processes, then measure memory, and a limited server."""
    size = TINY if is_tiny else FULL
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        picture = _write_picture(place / "picture.png")
        with _serving() as url:
            yield _compare_rates(url, picture, place, size)
            yield from _compare_processes(url, place, size)
            for count in size.memory_chats:
                peak = peak_megabytes("-c", _OURS, url, picture, place / f"peak-{count}", count)
                yield Figure(f"peak memory of {count:,} chats", peak, "MB")
        with _serving(requests_per_second=float(LIMIT_PER_SECOND)) as url:
            yield from _measure_pace(url, picture, place / "paced", size.chats)


def send_ours(url: str, picture: Path, out: Path, count: int, *, more: str = "") -> None:
    """Send so many chats and commit the answers to a new run; `more` are options of the model."""
    shutil.rmtree(out, ignore_errors=True)
    suite: Resolved[Suite] = Resolved(Spec("questions", {}, "questions"), Questions(picture, count), "questions")
    model = make_model(f"openai:test-model,base_url={url},concurrency={CONCURRENCY}{more}")
    with Run(Folder(out), create=True) as run:
        summary = run_suite(run, suite, model)
    if summary.answered != count:
        raise RuntimeError(f"not all were answered: {summary}")


class Questions(Suite):
    """The same question about one picture file, so many times."""

    title = "Questions"
    judge = "parser"

    def __init__(self, picture: Path, count: int) -> None:
        self._picture, self._count = picture, count

    def items(self, seed: int) -> Iterator[Item]:
        """Make the items."""
        ask = Ask(Count("apple"), QUESTION, (3,))
        task = Answer(Filed(str(self._picture)), QUESTION)
        return (Item(f"questions/{number}", task, (ask,), {}) for number in range(self._count))


def _compare_rates(url: str, picture: Path, place: Path, size: Size) -> Result:
    what = f"{size.chats:,} chats with an 8 kB image, sent to committed, as a share of AsyncOpenAI's rate"
    if not find_spec("openai"):
        return Unmeasured(what, "openai")
    return compare_rates(
        what,
        lambda: send_ours(url, picture, place / "run", size.chats),
        lambda: asyncio.run(gather(url, [picture] * size.chats, place / "bare.jsonl")),
        aim=">= .85",
        pairs=size.pairs,
    )


def _compare_processes(url: str, place: Path, size: Size) -> Iterator[Result]:
    """Compare whole processes: ours draws the pictures on the way, the others find them ready."""
    pictures = place / "pictures"
    pictures.mkdir()
    for number, item in enumerate(itertools.islice(make_suite(_NAMING).obj.items(0), size.chats)):
        recipe = recipe_of(item.task)
        assert recipe is not None
        (pictures / f"{number:04}.png").write_bytes(render_png(recipe))
    ours = ("-m", "subitize", "run", _NAMING, "--limit", size.chats, "--no-sight-check")
    model = ("--model", f"openai:test-model,base_url={url},concurrency={CONCURRENCY}")
    fresh = (place / f"whole-{number}" for number in itertools.count())
    for name, aim, needs, other in (
        ("AsyncOpenAI's gather", "<= 1.5", ("openai",), ("-m", "benchmarks.bare_client", url, pictures, place / "out")),
        ("inspect_ai", "<= .2", ("inspect_ai", "openai"), ("-c", _INSPECT, url, pictures, place / "logs")),
    ):
        what = f"{size.chats:,} chats of naming, drawn on the way, whole process, in times of {name} on ready pictures"
        if not all(map(find_spec, needs)):
            yield Unmeasured(what, " and ".join(needs))
            continue
        yield compare_times(
            what,
            lambda: run_python(*ours, *model, "--out", next(fresh)),
            partial(run_python, *other),
            aim=aim,
            pairs=size.process_pairs,
        )


def _measure_pace(url: str, picture: Path, out: Path, chats: int) -> Iterator[Figure]:
    """Send to a server that declines with 429 what is sent beyond its limit."""
    start = time.perf_counter()
    send_ours(url, picture, out, chats, more=f",requests_per_minute={60 * LIMIT_PER_SECOND}")
    seconds = time.perf_counter() - start
    what = f"a server limited to {LIMIT_PER_SECOND} requests/s"
    yield Figure(f"{what}: chats answered", chats / seconds, "per second", f">= {0.95 * LIMIT_PER_SECOND:g}")
    yield Figure(f"{what}: requests sent", _read_counters(url)["received"] / chats, "per chat", "<= 1.02")


def _write_picture(path: Path) -> Path:
    """Write a picture of about 8 kB: noise does not compress."""
    side = 52
    noise = np.random.default_rng(0).integers(0, 256, (side, side, 3), dtype=np.uint8)
    Image.fromarray(noise).save(path)
    return path


@contextmanager
def _serving(**behaviour: object) -> Iterator[str]:
    command = [sys.executable, "-I", "-S", str(SERVER), "--port", "0", "--ends-with-stdin"]
    command += ["--behaviour", json.dumps(behaviour)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(process.stdout.readline())}/v1"
        finally:
            process.kill()


def _read_counters(url: str) -> Any:  # noqa: ANN401
    with urllib.request.urlopen(f"{url.removesuffix('/v1')}/_control/counters") as answer:
        return json.load(answer)
