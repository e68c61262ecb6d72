"""The painter draws every prompt of T2ICountBench and its refinements, and the observer counts what it drew."""

from collections import Counter
from functools import partial

import pytest

from subitize.interfaces import Finding, JudgeQuestion, JudgeRequest, Pixels, Request
from subitize.io.images import decode
from subitize.judges.observer import ObserverJudge
from subitize.language.clauses import read_scene
from subitize.language.scene import Scene
from subitize.models.stand_ins import Painter
from subitize.records import Confirm, Count, Draw, Drawn, Item, Stored, Words
from subitize.registry import make_suite
from subitize.stimuli.clipart import PALETTE
from subitize.stimuli.glyphs import GLYPHS
from subitize.stimuli.observing import see

REFINEMENTS = ("", "~multiplicative", "~additive", "~grid", "~position", "~list", "~positions")
proof = pytest.mark.proof(
    "subitize.papers.t2icountbench",
    "subitize.suites",
    "subitize.models.stand_ins",
    "subitize.language",
    "subitize.stimuli",
)


def suite_items(refinement: str, numbers: str = "1-15") -> list[Item]:
    return list(make_suite(f"t2icountbench{refinement}:numbers={numbers}").obj.items(0))


def asked(item: Item) -> dict[str, int]:
    question, (number,) = item.asks[0].question, item.asks[0].expects
    assert isinstance(question, Count)
    assert isinstance(number, int)
    return {question.noun: number}


def told(item: Item) -> dict[str, int] | None:
    assert isinstance(item.task, Draw)
    scene = read_scene(item.task.prompt, tuple(GLYPHS), tuple(PALETTE))
    if not isinstance(scene, Scene):
        return None
    numbers = Counter[str]()
    for entity in scene.entities:
        numbers[entity.noun] += entity.exact_number
    return dict(numbers)


def picture(painter: Painter, prompt: str, seed: int) -> bytes:
    content = painter.compute(Request("i", Draw(prompt), 0, 0, seed, lambda _: b"")).content
    assert isinstance(content, Pixels), content
    return content.data


@pytest.mark.parametrize("numbers", [pytest.param("1+7+15", id="some"), pytest.param("1-50", id="all", marks=proof)])
@pytest.mark.parametrize("refinement", REFINEMENTS, ids=lambda name: name or "unrefined")
def test_every_prompt_is_understood_and_says_its_number(refinement: str, numbers: str) -> None:
    assert [item.id for item in suite_items(refinement, numbers) if told(item) != asked(item)] == []


@pytest.mark.slow
@pytest.mark.parametrize("step", [pytest.param(300, id="some"), pytest.param(5, id="all", marks=proof)])
@pytest.mark.parametrize("refinement", REFINEMENTS, ids=lambda name: name or "unrefined")
def test_the_observer_counts_exactly_what_is_drawn(refinement: str, step: int) -> None:
    wrong = {}
    for seed, item in enumerate(suite_items(refinement)[::step]):
        assert isinstance(item.task, Draw)
        seen = Counter(box.label for box in see(decode(picture(Painter(size_px=512), item.task.prompt, seed))).boxes())
        if seen != asked(item):
            wrong[item.id] = seen
    assert wrong == {}


@pytest.mark.parametrize(
    ("prompt", "number"),
    [
        ("3 times 4 cats", 14),
        ("5 plus 7 cats", 14),
        ("12 cats, with a 3 row 4 column grid", 14),
        ("5 cats on the left, 7 cats on the right", 16),
        ("a cat, a cat and a cat", 9),
    ],
)
def test_slips_befall_each_count_of_a_prompt_by_itself(prompt: str, number: int) -> None:
    assert len(see(decode(picture(Painter(over=2, size_px=512), prompt, 1))).boxes()) == number


@pytest.mark.parametrize(
    ("prompt", "answer"),
    [
        ("12 apples, with a 3 row 4 column grid", "yes"),
        ("12 apples, with a 4 row 3 column grid", "no"),
        ("12 apples, with a 1 row 12 column grid", "no"),
        ("12 apples", "no"),
    ],
)
def test_the_observer_tells_things_in_a_grid_from_others(prompt: str, answer: str) -> None:
    statement = "there are 12 apples in a 3 row 4 column grid"
    for seed in range(3):
        data = picture(Painter(size_px=512), prompt, seed)
        exhibit = JudgeRequest(
            (Drawn(Stored("0" * 64, "png")),),
            (JudgeQuestion(Confirm(statement, is_informed=False), statement),),
            partial(answer_with, data),
        )
        assert ObserverJudge().compute(exhibit) == (Finding(Words(answer)),)


@pytest.mark.parametrize("statement", ["an apple, an apple and an apple", "there are two apples and one apple"])
def test_the_observer_adds_up_what_is_told_in_parts(statement: str) -> None:
    for number, answer in ((3, "yes"), (2, "no"), (1, "no")):
        data = picture(Painter(size_px=512), f"{number} apples", 1)
        exhibit = JudgeRequest(
            (Drawn(Stored("0" * 64, "png")),),
            (JudgeQuestion(Confirm(statement, is_informed=False), statement),),
            partial(answer_with, data),
        )
        assert ObserverJudge().compute(exhibit) == (Finding(Words(answer)),)


def answer_with(data: bytes, _: object) -> bytes:
    return data
