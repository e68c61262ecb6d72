"""GeckoNum's prompts as the painter draws them, and how the observer answers the questions about them."""

import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from PIL import Image

from subitize.interfaces import JudgeQuestion, JudgeRequest, Pixels, Request
from subitize.judges.observer import ObserverJudge
from subitize.labels import interpret, parse_rule
from subitize.models.stand_ins import Painter
from subitize.papers.geckonum.suite import Geckonum
from subitize.records import Ask, Drawn, Item, Known, Picture, Stored, task_text

_DRAWN = Drawn(Stored("0" * 64, "png"))


@dataclass(frozen=True, slots=True)
class Judged:
    """One picture: its prompt's type, whether all answers about it were right, and otherwise what was wrong."""

    type: str
    is_right: bool
    wrong: str


def judge_pictures(
    pictures: int, seed: int, tasks: tuple[int, ...], distort: Callable[[Image.Image], Image.Image]
) -> Iterator[Judged]:
    """Draw prompts in turn, distort the pictures, and ask the observer everything that is scored."""
    items = list(Geckonum(tasks=tasks).items(0))
    for index in range(pictures):
        item = items[index % len(items)]
        data = _drawn(item, seed * 100_000 + index, distort)
        wrong = [told for ask in item.asks if ask.is_relevant for told in _wrong(ask, data)]
        yield Judged(str(item.factors["type"]), not wrong, "; ".join([task_text(item.task), *wrong]))


def _drawn(item: Item, seed: int, distort: Callable[[Image.Image], Image.Image]) -> bytes:
    reply = Painter().compute(Request(item.id, item.task, 0, 0, seed, _no_picture)).content
    if not isinstance(reply, Pixels):
        raise TypeError(f"{item.id} was not drawn: {reply}")
    file = io.BytesIO()
    distort(Image.open(io.BytesIO(reply.data)).convert("RGB")).save(file, "PNG", compress_level=1)
    return file.getvalue()


def _no_picture(picture: Picture) -> bytes:
    raise TypeError(f"there is nothing to look at: {picture}")


def _wrong(ask: Ask, data: bytes) -> Iterator[str]:
    """Tell the question and the answer if it is wrong."""
    judge = ObserverJudge()
    if not judge.can_answer(ask.question, [_DRAWN]):
        yield f"{ask.question.id}: cannot be answered"
        return
    (finding,) = judge.compute(JudgeRequest((_DRAWN,), (JudgeQuestion(ask.question, ask.wording),), lambda _: data))
    value = interpret(finding.evidence, ask.question, parse_rule(judge.rule))
    if not isinstance(value, Known) or value.value not in ask.expects:
        yield f"{ask.question.id}: {value}, not {ask.expects}"
