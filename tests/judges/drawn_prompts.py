"""A run of prompts that the painter drew here and now, and a model that answers yes or no by what is to be seen."""

import io
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from subitize.interfaces import Judge, Model, Pixels, Reply, Request
from subitize.judges.ocr import Ocr
from subitize.language.clauses import read_scene
from subitize.language.scene import Entity, NotUnderstood, Relation, Scene
from subitize.models.stand_ins import Painter
from subitize.records import (
    Ask,
    Confirm,
    Draw,
    Drawn,
    Failed,
    Item,
    Outcome,
    Provenance,
    Response,
    Said,
    Scalar,
    Spec,
    Trial,
)
from subitize.registry import Resolved
from subitize.stimuli.clipart import PALETTE
from subitize.stimuli.glyphs import GLYPHS
from subitize.stimuli.observing import holds, see_picture
from subitize.store import Folder, Run

SUITE = Spec("prompts", {}, "prompts")
EXACT = Spec("painter", {"omit": "0"}, "exact")
OMITTING = Spec("painter", {"omit": "0.5"}, "omitting")
SIZE_PX = 512


def item(index: int, prompt: str, asks: Sequence[Ask] = (), **factors: Scalar) -> Item:
    return Item(f"prompts/{index}", Draw(prompt), tuple(asks), factors)


def presence(noun: str) -> Ask:
    return Ask(Confirm(f"there are some {noun}", is_informed=False), f"Are there {noun}?", (True,))


def new_run(folder: Path, items: Sequence[Item]) -> Run:
    run = Run(Folder(folder), create=True)
    run.add_suite(SUITE, 0, items)
    return run


def paint_all(run: Run, model: Spec = EXACT, *, repeats: int = 1) -> None:
    """Have every prompt of the run drawn by a painter with the options of the spec."""
    painter = Painter(omit=float(model.options["omit"]), size_px=SIZE_PX)
    drawn: list[tuple[Trial, bytes]] = []
    for one in run.items():
        for repeat in range(repeats):
            trial = Trial(one.id, model.text, model.options, repeat)
            reply = painter.compute(Request(one.id, one.task, repeat, 0, trial.seed(3), lambda _: b""))
            assert isinstance(reply.content, Pixels), reply.content
            drawn.append((trial, reply.content.data))
    store(run, drawn, model)


def store(run: Run, drawn: Sequence[tuple[Trial, bytes]], model: Spec = EXACT) -> None:
    run.add_model(model, is_stand_in=True)
    answers: list[Response] = []
    for trial, data in drawn:
        outcome: Outcome = Drawn(run.image_files.save(data, "png"))
        answers.append(Response(trial, outcome, Provenance(seed=0, prompt_sent="")))
    with run.lease("model") as lease:
        run.add_responses(lease, answers)


def made(name: str, judge: Judge) -> Resolved[Judge]:
    return Resolved(Spec(name.partition(":")[0], {}, name), judge, name)


@cache
def open_rapidocr() -> Ocr:
    """Give a judge that reads text; its weights are loaded once."""
    return Ocr(engine="rapidocr")


def write_lines(*lines: str, size: int = 44) -> bytes:
    """Draw lines of text, one under the other, in the letters that Pillow brings along.

    The picture is square: rapidocr enlarges pictures until their shorter side has 736 pixels.
    """
    image = Image.new("RGB", (560, 560), "white")
    for place, line in enumerate(lines):
        ImageDraw.Draw(image).text((50, 50 + 120 * place), line, fill="black", font=ImageFont.load_default(size))
    file = io.BytesIO()
    image.save(file, "PNG")
    return file.getvalue()


class Seeing(Model):
    """Answers the questions of scene graphs as classical vision sees it; one can be made to fail."""

    tasks = frozenset({"answer"})
    is_stand_in = True

    def __init__(self, *, batch_size: int = 4, fails_on: str = "nothing", says: str | None = None) -> None:
        self.batch_size, self._fails_on, self._says = batch_size, fails_on, says
        self.asked: list[str] = []
        self.batches: list[int] = []

    def compute_all(self, requests: Sequence[Request], /) -> list[Reply]:
        self.batches.append(len(requests))
        return [self._answer(request) for request in requests]

    def _answer(self, request: Request) -> Reply:
        self.asked.append(request.text)
        if self._fails_on in request.text:
            return Reply(Failed("the lights went out", is_transient=False), request.provenance())
        statement = request.item_id.removeprefix("confirm:")
        answer = self._says or ("Yes." if holds(_scene(statement), see_picture(request.picture())) else "No.")
        return Reply(Said(answer), request.provenance())


_PLACED = re.compile(r"there are some (.+) (above|below|left of|right of) some (.+)")


def _scene(statement: str) -> Scene:
    placed = _PLACED.fullmatch(statement)
    if placed:
        subject, landmark = (_entity(placed[group]) for group in (1, 3))
        word = next(word for word in ("above", "below", "left of", "right of") if word == placed[2])
        return Scene((subject, landmark), (Relation(0, word, 1),))  # type: ignore[arg-type]
    scene = read_scene(statement, tuple(GLYPHS), tuple(PALETTE))
    assert not isinstance(scene, NotUnderstood), statement
    return scene


def _entity(things: str) -> Entity:
    (entity,) = _scene(f"there are some {things}").entities
    return entity
