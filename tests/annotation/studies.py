"""Studies of small runs, for the tests of the annotation app."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from PIL import Image, PngImagePlugin

from subitize.annotation.plan import StudyPlan
from subitize.annotation.study import Study, open_study
from subitize.labels import parse_rule
from subitize.records import (
    Ask,
    Choose,
    Confirm,
    Count,
    Draw,
    Drawn,
    Item,
    Known,
    MatchesPrompt,
    Provenance,
    Question,
    Reading,
    Response,
    Spec,
    Stored,
    Subject,
    Trial,
    Words,
)
from subitize.store import Folder, Location, Run

MODEL = Spec("artist", {}, "artist")
SUITE = Spec("sketches", {}, "sketches")


def item(key: str, question: Question, wording: str, *, prompt: str = "two cats", group: int = 1) -> Item:
    return Item(f"sketches/{key}", Draw(prompt), (Ask(question, wording, (2,), group=group),), {"number": 2})


COUNTS = [item(f"cats/{place}", Count("cat"), "How many cats are there?") for place in range(6)]
LINES = item("lines", Choose(("no cats", "some cats", "many cats")), "Which line describes the picture?")
STATEMENT = item(
    "statement", Confirm("there are more cats than dogs", is_informed=False), "Are there more cats than dogs?"
)
VOTE = item("vote", MatchesPrompt(), "Does at least one show the prompt?", group=4)


def make_run(location: Location, items: Sequence[Item], *, repeats: int = 1, prompt_in_file: str = "") -> None:
    """Make a run of drawings, each of its own colour."""
    with Run(location, create=True) as run:
        run.add_suite(SUITE, 0, items)
        run.add_model(MODEL, is_stand_in=False)
        responses = []
        for place, one in enumerate(items):
            for repeat in range(repeats):
                stored = run.image_files.save(_png((place * 37 % 256, repeat * 60, 90), prompt_in_file), "png")
                responses.append(_response(one, stored, repeat))
        with run.lease("model artist") as lease:
            run.add_responses(lease, responses)


@contextmanager
def opened(
    location: Location, *, forms: Sequence[str] = (), name: str = "study", **settings: object
) -> Iterator[Study]:
    """Open a study of a run."""
    with Run(location) as run, run.lease("judge human") as lease:
        plan = StudyPlan(name=name, forms=tuple(forms), **settings)  # type: ignore[arg-type]
        yield open_study(run, lease, plan).study


def add_gold(location: Location, number: int, nouns: Sequence[str] = ("cat",)) -> None:
    """Say that the first pictures show two of each."""
    with Run(location) as run, run.lease("judge gold") as lease:
        run.add_judge(Spec("gold", {}, "gold"), is_stand_in=False)
        responses = sorted(run.responses(), key=lambda stored: stored.item_id)[:number]
        run.add_readings(
            lease,
            [
                Reading(subject, Count(noun), "gold", Words("2"), str(parse_rule("strict")), Known(2), "author")
                for subject in (Subject((stored.trial_id,)) for stored in responses)
                for noun in nouns
            ],
        )


def folder(path: Path) -> Location:
    return Folder(path / "run")


def _png(colour: tuple[int, int, int], text: str) -> bytes:
    import io

    file = io.BytesIO()
    told = PngImagePlugin.PngInfo()
    told.add_text("parameters", text)
    Image.fromarray(np.full((40, 60, 3), colour, dtype=np.uint8)).save(file, "PNG", pnginfo=told if text else None)
    return file.getvalue()


def _response(of: Item, stored: Stored, repeat: int) -> Response:
    trial = Trial(of.id, MODEL.text, MODEL.options, repeat)
    return Response(trial, Drawn(stored), Provenance(0, "two cats"))
