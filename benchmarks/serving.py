"""How long a served judge takes for a request, in times of the bare judge: at the median and at the 95th percentile.

The judge is the observer, our quickest. The bare one is called in this process, picture after picture, with bytes that
are there. The served one is `subitize serve` in a process of its own, asked over a connection that stays open, with a
body that is there. What it does beyond the bare judge: HTTP, JSON and base64, reading the prompt, sharing the work.
"""

import base64
import http.client
import json
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import count

import numpy as np
from numpy.typing import NDArray

from benchmarks.comparing import Comparison, Result
from benchmarks.processes import ROOT
from subitize.drawing.stimuli import render
from subitize.interfaces import Exhibit, Inquiry
from subitize.judges.observer import Observer
from subitize.records import Boxes, Count, Drawn, Stimulus, Stored

_NUMBER = 7
Ask = Callable[[str], list[int]]


@dataclass(frozen=True, slots=True)
class Size:
    """How many requests are timed after some that are not, and in how many parts; of how many pictures and pixels."""

    requests: int
    warm_up: int
    parts: int
    size_px: int
    several: int


# The observer goes on in worker processes once it has computed for two seconds, which the first pictures take.
FULL = Size(requests=300, warm_up=100, parts=5, size_px=1024, several=8)
TINY = Size(requests=2, warm_up=1, parts=1, size_px=128, several=2)


def measure(*, is_tiny: bool = False) -> Iterator[Result]:
    """Compare the times that requests of one picture take, and of several."""
    size = TINY if is_tiny else FULL
    with _serving() as ask:
        for pictures, requests in ((1, size.requests), (size.several, size.requests // size.several + 1)):
            yield from _compare_requests(ask, pictures, requests, size)


def _compare_requests(ask: Ask, pictures: int, requests: int, size: Size) -> Iterator[Comparison]:
    seeds = count(pictures)
    for _ in range(size.warm_up // pictures):
        _time_both(ask, [_draw(next(seeds), size.size_px)])
    drawn = [[_draw(next(seeds), size.size_px) for _ in range(pictures)] for _ in range(requests)]
    times = np.array([_time_both(ask, each) for each in drawn])
    for percent, name in ((50, "median"), (95, "95th percentile")):
        what = f"{pictures} of {size.size_px} px judged over HTTP, {name} of {requests}, in times of the bare judge's"
        yield _compare(what, times, percent, size.parts)


def _draw(seed: int, size_px: int) -> bytes:
    return render(Stimulus("apples", _NUMBER, seed=seed, size_px=size_px)).png


def _time_both(ask: Ask, pictures: Sequence[bytes]) -> tuple[float, float]:
    body = _write(pictures)
    start = time.perf_counter()
    served = ask(body)
    middle = time.perf_counter()
    bare = _count_bare(pictures)
    end = time.perf_counter()
    if served != bare or bare != [_NUMBER] * len(pictures):
        raise RuntimeError(f"{_NUMBER} apples in each picture were counted as {served} and {bare}")
    return middle - start, end - middle


def _compare(what: str, times: NDArray[np.float64], percent: int, parts: int) -> Comparison:
    ours, other = np.percentile(times, percent, axis=0)
    ratios = [
        ours / other for ours, other in (np.percentile(part, percent, axis=0) for part in np.array_split(times, parts))
    ]
    return Comparison(what, ours, other, ours / other, min(ratios), max(ratios), "<= 1.1")


def _count_bare(pictures: Sequence[bytes]) -> list[int]:
    return [_look_at(picture) for picture in pictures]


def _look_at(picture: bytes) -> int:
    asked = (Inquiry(Count("apple"), "How many apples are in the image?"),)
    (finding,) = Observer().compute(Exhibit((Drawn(Stored("0" * 64, "png")),), asked, lambda _: picture))
    return len(finding.evidence.boxes) if isinstance(finding.evidence, Boxes) else -1


@contextmanager
def _serving() -> Iterator[Ask]:
    """Serve the observer, and give a way to have it count."""
    command = [sys.executable, "-m", "subitize", "serve", "--judge", "observer", "--port", "0"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            port = re.search(r"127\.0\.0\.1:(\d+)", server.stdout.readline())
            if port is None:
                raise RuntimeError("the server did not start; its message is on stderr")
            with closing(http.client.HTTPConnection("127.0.0.1", int(port[1]))) as connection:
                yield partial(_count_served, connection)
        finally:
            server.terminate()


def _write(pictures: Sequence[bytes]) -> str:
    images = [base64.b64encode(picture).decode() for picture in pictures]
    return json.dumps({"prompts": [f"{_NUMBER} apples"] * len(images), "images": images})


def _count_served(connection: http.client.HTTPConnection, body: str) -> list[int]:
    connection.request("POST", "/compute", body, {"Content-Type": "application/json"})
    return [details["counts"]["apple"] for details in json.load(connection.getresponse())["details"]]
