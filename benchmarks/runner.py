"""How fast chats are sent, answered and committed, against a bare client's gather and against inspect_ai.

A real local server answers (tests/openai_server.py, a process of its own). The bare client is AsyncOpenAI with a
semaphore, which appends every answer to a JSONL file. What ours does beyond it: plan, pace, redact, keep provenance,
check, and commit every answer so that a kill loses none.
"""

import asyncio
import json
import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from benchmarks.comparing import compare_rates, compare_times
from subitize.interfaces import Suite, Tried
from subitize.records import Answer, Ask, Count, Filed, Item, Spec
from subitize.registry import Made, make_model
from subitize.runner.progress import Silent
from subitize.runner.running import Settings, run_suite
from subitize.store import Folder, Run

CHATS = 1_000
CONCURRENCY = 32
QUESTION = "How many apples are there? Answer with a number."
SERVER = Path(__file__).parent.parent / "tests" / "openai_server.py"


class Questions:
    """The same question about one picture file, so many times."""

    title = "Questions"
    judge = "parser"
    max_attempts = 1
    repeats = 1

    def __init__(self, picture: Path, count: int) -> None:
        self._picture, self._count = picture, count

    def items(self, seed: int) -> Iterator[Item]:
        """Make the items."""
        ask = Ask(Count("apple"), QUESTION, (3,))
        task = Answer(Filed(str(self._picture)), QUESTION)
        return (Item(f"questions/{number}", task, (ask,), {}) for number in range(self._count))

    def again(self, tried: object) -> Iterator[Tried]:
        """Ask nothing again."""
        return iter(())


def measure() -> Iterator[object]:
    """Compare rates, whole processes, a limited server, and memory."""
    os.environ.setdefault("OPENAI_API_KEY", "none")
    with tempfile.TemporaryDirectory() as folder, _serving() as url:
        place = Path(folder)
        picture = _write_picture(place / "picture.png")
        yield compare_rates(
            f"{CHATS:,} chats with an 8 kB image, sent to committed, as a share of AsyncOpenAI's rate",
            lambda: _run_ours(place / "run", picture, url),
            _prepare_bare(place / "bare.jsonl", picture, url),
            aim=">= .85",
        )
        if find_spec("inspect_ai"):
            yield compare_times(
                f"{CHATS:,} chats, whole process, in times of inspect_ai",
                lambda: _run_process(_OURS, url, str(picture), str(place / "whole")),
                lambda: _run_process(_INSPECT, url, str(picture), str(place / "logs")),
                aim="<= .25",
                pairs=3,
            )
        else:
            yield "inspect_ai is not installed: no comparison with it"
        yield _compare_memory(place, picture, url)
    with tempfile.TemporaryDirectory() as folder, _serving(requests_per_second=100.0) as url:
        picture = _write_picture(Path(folder) / "picture.png")
        yield _pace(Path(folder) / "run", picture, url)


def _run_ours(out: Path, picture: Path, url: str, more: str = "", count: int = CHATS) -> None:
    shutil.rmtree(out, ignore_errors=True)
    suite: Made[Suite] = Made(Spec("questions", {}, "questions"), Questions(picture, count), "questions")
    model = make_model(f"openai:test-model,base_url={url},concurrency={CONCURRENCY}{more}")
    with Run(Folder(out), create=True) as run:
        summary = run_suite(run, Settings(suite, model), Silent())
    if summary.answered != count:
        raise RuntimeError(f"not all were answered: {summary}")


def _prepare_bare(out: Path, picture: Path, url: str) -> Callable[[], None]:
    from openai import AsyncOpenAI

    from subitize.vision.pixels import data_url

    async def gather() -> None:
        slots = asyncio.Semaphore(CONCURRENCY)
        out.unlink(missing_ok=True)
        async with AsyncOpenAI(base_url=url, max_retries=0) as client:
            with out.open("a") as file:

                async def ask(number: int) -> None:
                    async with slots:
                        image = {"type": "image_url", "image_url": {"url": data_url(picture.read_bytes())}}
                        content: Any = [image, {"type": "text", "text": QUESTION}]
                        answer = await client.chat.completions.create(
                            model="test-model", messages=[{"role": "user", "content": content}]
                        )
                        row = {"id": number, "answer": answer.choices[0].message.content}
                        file.write(json.dumps(row) + "\n")
                        file.flush()

                await asyncio.gather(*(ask(number) for number in range(CHATS)))

    return lambda: asyncio.run(gather())


_OURS = """
    import sys
    from pathlib import Path
    from benchmarks.runner import _run_ours
    _run_ours(Path(sys.argv[3]), Path(sys.argv[2]), sys.argv[1])
"""
_INSPECT = f"""
    import sys
    from inspect_ai import Task, eval
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ChatMessageUser, ContentImage, ContentText, get_model
    from inspect_ai.scorer import includes
    content = [ContentImage(image=sys.argv[2]), ContentText(text={QUESTION!r})]
    samples = [Sample(input=[ChatMessageUser(content=content)], target="3") for _ in range({CHATS})]
    model = get_model("openai/test-model", base_url=sys.argv[1], api_key="none", responses_api=False)
    (log,) = eval(Task(dataset=samples, scorer=includes()), model=model, log_dir=sys.argv[3], display="none",
                  max_connections={CONCURRENCY}, max_samples={CONCURRENCY})
    assert log.status == "success", log.error
"""


def _run_process(program: str, *arguments: str) -> None:
    subprocess.run([sys.executable, "-c", textwrap.dedent(program), *arguments], check=True)


def _pace(out: Path, picture: Path, url: str) -> str:
    """Send to a server that takes 100 requests a second; what is sent beyond that is declined with 429."""
    before = _ask(url, "counters")
    start = time.perf_counter()
    _run_ours(out, picture, url, ",requests_per_minute=6000")
    seconds = time.perf_counter() - start
    after = _ask(url, "counters")
    declined = after["by_status"].get("429", 0) - before["by_status"].get("429", 0)
    received = after["received"] - before["received"]
    return (
        f"a server limited to 100 requests/s: {CHATS / seconds:.1f} calls/s (aim >= 95), "
        f"{declined} of {received} declined with 429 (aim <= 2 %)"
    )


def _compare_memory(place: Path, picture: Path, url: str) -> str:
    peaks = [_peak_mb(place / f"peak-{count}", picture, url, count) for count in (CHATS, 10 * CHATS)]
    return f"peak memory: {peaks[0]:.0f} MB for {CHATS:,} trials, {peaks[1]:.0f} MB for {10 * CHATS:,}"


def _peak_mb(out: Path, picture: Path, url: str, count: int) -> float:
    program = f"""
        import resource, sys
        from pathlib import Path
        from benchmarks.runner import _run_ours
        _run_ours(Path(sys.argv[3]), Path(sys.argv[2]), sys.argv[1], count={count})
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    """
    command = [sys.executable, "-c", textwrap.dedent(program), url, str(picture), str(out)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


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


def _ask(url: str, what: str) -> Any:  # noqa: ANN401
    with urllib.request.urlopen(f"{url.removesuffix('/v1')}/_control/{what}") as answer:
        return json.load(answer)
