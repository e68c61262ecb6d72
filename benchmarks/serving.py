"""How long a served judge takes for a request, in times of the bare judge: at the median and at the 95th percentile.

The judge is the observer, our quickest. The bare one is called in this process, picture after picture, with bytes that
are there. The served one is `subitize train serve` in a process of its own, asked over a connection that stays open,
with a body that is there. What it does beyond the bare judge: HTTP, JSON and base64, reading the prompt, sharing the
work.
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
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from benchmarks.comparing import Comparison, Result
from benchmarks.processes import ROOT
from subitize.interfaces import JudgeQuestion, JudgeRequest
from subitize.judges.observer import ObserverJudge
from subitize.records import Boxes, Count, Drawn, Stimulus, Stored
from subitize.stimuli.recipes import render

_NUMBER = 7
Ask = Callable[[str], list[int]]
AskedT = TypeVar("AskedT")


@dataclass(frozen=True, slots=True)
class Size:
    """How many turns both take, of how many pictures of which size; of these several stand in one request.

    The first turn is not timed: the observer goes on in worker processes, too, once it has computed for two seconds.
    """

    turns: int
    pictures: int
    size_px: int
    several: int


FULL = Size(turns=6, pictures=80, size_px=1024, several=8)
TINY = Size(turns=2, pictures=2, size_px=128, several=2)


def measure(*, is_tiny: bool = False) -> Iterator[Result]:
    """Compare the times that requests of one picture take, and of several."""
    size = TINY if is_tiny else FULL
    with _serving() as ask:
        for pictures in (1, size.several):
            turns = [_take_turn(ask, pictures, turn, size) for turn in range(size.turns)][1:]
            for percent, name in ((50, "median"), (95, "95th percentile")):
                what = (
                    f"a request of {pictures}, {size.size_px} px, judged over HTTP: {name} of {sum(map(len, turns))}, "
                    "in times of the bare judge's"
                )
                yield _compare(what, turns, percent)


Times = NDArray[np.float64]


def _take_turn(ask: Ask, pictures: int, turn: int, size: Size) -> Times:
    """Time some requests one after the other, served and then bare, so that neither is idle while it is timed."""
    recipes = (
        Stimulus("apples", _NUMBER, seed=turn * size.pictures + place, size_px=size.size_px) for place in count()
    )
    drawn = [[render(next(recipes)).png for _ in range(pictures)] for _ in range(size.pictures // pictures)]
    bodies = [_write(each) for each in drawn]
    served = [_time(ask, body, pictures) for body in bodies]
    return np.array([served, [_time(_count_bare, each, pictures) for each in drawn]]).T


def _time(way: Callable[[AskedT], list[int]], asked: AskedT, pictures: int) -> float:
    start = time.perf_counter()
    counts = way(asked)
    seconds = time.perf_counter() - start
    if counts != [_NUMBER] * pictures:
        raise RuntimeError(f"{_NUMBER} apples in each picture were counted as {counts}")
    return seconds


def _compare(what: str, turns: Sequence[Times], percent: int) -> Comparison:
    ours, other = np.percentile(np.concatenate(turns), percent, axis=0)
    ratios = [ours / other for ours, other in (np.percentile(turn, percent, axis=0) for turn in turns)]
    return Comparison(what, ours, other, ours / other, min(ratios), max(ratios), "<= 1.1")


def _count_bare(pictures: Sequence[bytes]) -> list[int]:
    return [_look_at(picture) for picture in pictures]


def _look_at(picture: bytes) -> int:
    asked = (JudgeQuestion(Count("apple"), "How many apples are in the image?"),)
    (finding,) = ObserverJudge().compute(JudgeRequest((Drawn(Stored("0" * 64, "png")),), asked, lambda _: picture))
    return len(finding.evidence.boxes) if isinstance(finding.evidence, Boxes) else -1


@contextmanager
def _serving() -> Iterator[Ask]:
    """Serve the observer, and give a way to have it count."""
    command = [sys.executable, "-m", "subitize", "train", "serve", "--judge", "observer", "--port", "0"]
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
