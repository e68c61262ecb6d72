"""The painter draws what the prompt says, or says that it does not understand; its slips follow their law."""

import asyncio
from collections import Counter
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from subitize.analysis.frame import ReadOptions, observe_run
from subitize.analysis.score import score
from subitize.errors import BadValueError
from subitize.interfaces import Finding, JudgeQuestion, JudgeRequest, Pixels, Request
from subitize.io.images import decode
from subitize.judges.observer import ObserverJudge
from subitize.language.clauses import read_graph, read_scene
from subitize.language.scene import NotUnderstood
from subitize.models.random import Random
from subitize.models.stand_ins import DrawnNumber, IdealHuman, Painter, draw
from subitize.records import Confirm, Draw, Drawn, Refused, Stored, Words
from subitize.registry import make_judge, make_model, make_suite
from subitize.stats.response_law import Slips, human_law
from subitize.stimuli.clipart import PALETTE
from subitize.stimuli.glyphs import GLYPHS
from subitize.stimuli.observing import holds, see, see_picture
from subitize.store import Folder, Run
from tests.cases import Case
from tests.language.geckonum_prompts import PROMPTS, read_rows, scene_of
from tests.language.prompt_cases import TOGETHER
from tests.models.painter_laws import painter_law
from tests.runs import run_suite

proof = pytest.mark.proof(
    "subitize.models.random",
    "subitize.models.stand_ins",
    "subitize.stats.response_law",
    "subitize.language",
    "subitize.stimuli",
)
one_and_three = pytest.mark.parametrize(
    ("seeds", "size_px"), [pytest.param(1, 512, id="some"), pytest.param(3, 1024, id="all", marks=proof)]
)


def request(prompt: str, seed: int = 0) -> Request:
    def no_picture(_: object) -> bytes:
        pytest.fail("there is nothing to look at")

    return Request("i", Draw(prompt), 0, 0, seed, no_picture)


def picture(model: Painter, prompt: str, seed: int = 0) -> bytes:
    content = model.compute(request(prompt, seed)).content
    assert isinstance(content, Pixels), content
    return content.data


def seen(data: bytes) -> Counter[str]:
    return Counter(box.label for box in see(decode(data)).boxes())


SAID: dict[str, dict[str, int]] = {
    "7 apples.": {"apple": 7},
    "Please draw a photo of exactly five ripe apples on a table, high quality.": {"apple": 5},
    "10 filled dots in white background": {"dot": 10},
    "three apples and four dots": {"apple": 3, "dot": 4},
    "three white dots": {"dot": 3},
    "twenty dots above an apple": {"dot": 20, "apple": 1},
    "zero apples": {},
    "200 dots": {"dot": 200},
}


@one_and_three
def test_what_the_prompt_says_is_seen_in_the_picture(seeds: int, size_px: int, case: Case) -> None:
    for (prompt, things), seed in product(SAID.items(), range(seeds)):
        with case(f"{prompt} {seed}"):
            assert seen(picture(Painter(size_px=size_px), prompt, seed)) == things


def test_colours_and_places_are_seen_in_the_picture() -> None:
    prompt = "There are 3 red apples to the left of 2 green apples."
    for seed in range(5):
        boxes = see(decode(picture(Painter(size_px=512), prompt, seed))).boxes()
        red, green = ([box for box in boxes if box.colour == colour] for colour in ("red", "green"))
        assert (len(red), len(green), len(boxes)) == (3, 2, 5)
        assert max(box.xyxy[2] for box in red) < min(box.xyxy[0] for box in green)


@pytest.mark.slow
def test_open_numbers_and_parts_are_seen_where_the_prompt_puts_them(case: Case) -> None:
    for prompt, _ in TOGETHER:
        with case(prompt):
            view = see_picture(picture(Painter(size_px=512), prompt))
            for node in read_graph(prompt, GLYPHS, PALETTE):
                statement = read_scene(node.ask.question.id.removeprefix("confirm:"), GLYPHS, PALETTE)
                assert not isinstance(statement, NotUnderstood)
                assert node.ask.expects == (holds(statement, view),), node.ask.wording


@pytest.mark.parametrize(
    ("prompt", "reason"),
    [
        ("seven unicorns", "not understood: no drawing of 'unicorn'; known: "),
        ("at least seven apples", "not understood: the word 'at' in 'at least'"),
        ("", "not understood: no number of things to draw"),
    ],
    ids=["noun", "bound", "nothing"],
)
def test_what_is_not_understood_is_refused_and_told(prompt: str, reason: str) -> None:
    content = Painter().compute(request(prompt)).content
    assert isinstance(content, Refused)
    assert content.reason.startswith(reason)


def test_what_has_no_room_is_refused_and_told() -> None:
    content = Painter(size_px=128).compute(request("200 dots")).content
    assert isinstance(content, Refused)
    assert content.reason.startswith("not drawn: number 200: that many items")


def test_every_noun_that_has_a_glyph_is_drawn() -> None:
    for noun in GLYPHS:
        assert isinstance(Painter(size_px=128).compute(request(f"2 {noun}")).content, Pixels)


@pytest.mark.slow
def test_the_prompts_of_production_and_of_geckonum_are_drawn_where_their_nouns_have_glyphs(shared_data: Path) -> None:
    prompts = [item.task.prompt for item in make_suite("production").obj.items(0) if isinstance(item.task, Draw)]
    for row in (row for row in read_rows(shared_data) if row["prompt_type"] in PROMPTS):
        scene = scene_of(row)
        if all(entity.noun in GLYPHS for entity in scene.entities):
            prompts.append(row["prompt"])
            assert read_scene(row["prompt"], tuple(GLYPHS), ("black", "white", "red", "green")) == scene
    for prompt in prompts[::40]:
        assert isinstance(Painter(size_px=256).compute(request(prompt)).content, Pixels)


def test_the_same_seed_gives_the_same_bytes_and_another_seed_another_picture() -> None:
    painter = Painter(weber=0.3, size_px=256)
    assert picture(painter, "seven apples", 1) == picture(painter, "seven apples", 1)
    assert picture(painter, "seven apples", 1) != picture(painter, "seven apples", 2)


@pytest.mark.parametrize(
    ("options", "number"),
    [
        ({"over": 2}, 9),
        ({"under": 2}, 5),
        ({"under": 50}, 1),
        ({"highest": 4}, 4),
        ({"omit": 1.0}, 0),
        ({"merge": 1.0}, 1),
        ({"weber": 2.0, "subitizing": 7}, 7),
    ],
    ids=str,
)
def test_a_sure_slip_is_seen_in_the_picture(options: dict[str, float], number: int) -> None:
    painter = Painter(size_px=512, **options)  # type: ignore[arg-type]
    assert sum(seen(picture(painter, "seven dots", 3)).values()) == number


@pytest.mark.parametrize("options", [{"omit": 1.0}, {"over": 3}, {"weber": 1.0}], ids=str)
def test_none_are_drawn_where_none_are_asked_for(options: dict[str, float]) -> None:
    painter = Painter(size_px=256, **options)  # type: ignore[arg-type]
    assert seen(picture(painter, "zero apples")) == {}


@pytest.mark.parametrize("draws", [pytest.param(400, id="some"), pytest.param(4000, id="all", marks=proof)])
@pytest.mark.parametrize(
    "slips",
    [
        Slips(weber=0.2),
        Slips(weber=0.2, subitizing=4),
        Slips(omit=0.1),
        Slips(merge=0.2),
        Slips(weber=0.15, shift=2, omit=0.1, merge=0.1),
        Slips(weber=0.5, shift=-3, omit=0.3, merge=0.5, highest=12),
    ],
    ids=str,
)
def test_the_numbers_drawn_follow_the_law(slips: Slips, draws: int) -> None:
    painter = Painter(
        weber=slips.weber,
        subitizing=slips.subitizing,
        highest=slips.highest,
        over=max(slips.shift, 0),
        under=max(-slips.shift, 0),
        omit=slips.omit,
        merge=slips.merge,
    )
    random = np.random.default_rng(1)
    for target in (3, 8):
        law = painter_law(target, slips)
        drawn = np.bincount([painter.number(target, random).seen for _ in range(draws)], minlength=len(law))
        assert len(drawn) == len(law)
        is_frequent = law * draws >= 5
        assert drawn[law == 0].sum() == 0
        observed = np.append(drawn[is_frequent], drawn[~is_frequent].sum())
        expected = np.append(law[is_frequent], law[~is_frequent].sum()) * draws
        likely = expected > 0
        assert likely.sum() == 1 or stats.chisquare(observed[likely], expected[likely]).pvalue > 0.0005


def test_what_merges_lies_on_another_and_is_not_seen() -> None:
    plain = draw(request("seven dots"), lambda *_: DrawnNumber(4), size_px=256).content
    merged = draw(request("seven dots"), lambda *_: DrawnNumber(4, hidden=3), size_px=256).content
    assert isinstance(plain, Pixels)
    assert isinstance(merged, Pixels)
    assert seen(plain.data) == seen(merged.data) == {"dot": 4}
    assert plain.data != merged.data


def test_options_out_of_range_are_refused_by_name(case: Case) -> None:
    for key, value in [
        ("weber", -1.0), ("weber", 11.0), ("subitizing", -1), ("highest", 0), ("highest", 201), ("over", -1),
        ("under", 201), ("omit", 1.5), ("merge", -0.1), ("size_px", 100), ("size_px", 5000),
    ]:  # fmt: skip
        message = rf"model 'painter': {key}={value:g}: should be from"
        with case(f"{key}={value}"), pytest.raises(BadValueError, match=message):
            Painter(**{key: value})  # type: ignore[arg-type]


@pytest.mark.slow
def test_the_measured_accuracy_covers_the_true_one(tmp_path: Path) -> None:
    numbers = (3, 6, 9)
    laws = [painter_law(number, Slips(weber=0.15, omit=0.05)) for number in numbers]
    truth = float(np.mean([law[number] for law, number in zip(laws, numbers, strict=True)]))
    assert 0.2 < truth < 0.6
    with Run(Folder(tmp_path / "run"), create=True) as run:
        suite = make_suite("production:categories=apples+dots,numbers=3+6+9")
        model = make_model("painter:weber=.15,omit=.05,size_px=256")
        run_suite(run, suite, model, make_judge("observer"), seed=3, repeats=20)
        found = {one.measure: one.estimate for one in score(observe_run(run, ReadOptions()), []) if one.group == "all"}
    assert found["accuracy"].n == 120
    assert found["accuracy"].low <= truth <= found["accuracy"].high


@pytest.mark.slow
@pytest.mark.parametrize("pictures", [pytest.param(6, id="some"), pytest.param(30, id="all", marks=proof)])
def test_random_draws_any_number_whatever_the_prompt_says(pictures: int) -> None:
    model = Random(low=1, high=4)
    drawn = Counter[int]()
    for seed in range(pictures):
        content = asyncio.run(model.respond(request("9 dots and 2 apples", seed))).content
        assert isinstance(content, Pixels)
        drawn.update(seen(content.data).values())
    assert set(drawn) == {1, 2, 3, 4}
    assert stats.chisquare(list(drawn.values())).pvalue > 0.001


def test_random_refuses_what_it_does_not_understand() -> None:
    content = asyncio.run(Random().respond(request("seven unicorns"))).content
    assert isinstance(content, Refused)


@pytest.mark.slow
@pytest.mark.parametrize("pictures", [pytest.param(6, id="some"), pytest.param(40, id="all", marks=proof)])
def test_the_ideal_human_draws_by_the_human_law(pictures: int) -> None:
    model = IdealHuman()
    drawn = []
    for seed in range(pictures):
        content = model.compute(request("8 dots", seed)).content
        assert isinstance(content, Pixels)
        drawn.append(sum(seen(content.data).values()))
    law = human_law(8)
    mean = float(law @ np.arange(1, 21))
    spread = float(np.sqrt(law @ (np.arange(1, 21) - mean) ** 2))
    assert len(set(drawn)) > 2
    assert abs(np.mean(drawn) - mean) < 4 * spread / np.sqrt(len(drawn))


CONFIRMED = {
    "An image of a cake. There are many candles on the cake.": (
        "An image of a cake. There are many candles on the cake."
    ),
    "An image of a vase. There are no flowers in the vase.": "An image of a vase. There are no flowers in the vase.",
    "There are two pizzas and half of another pizza on the table.": "there is half of a pizza",
    "There are 3 forks on the table, but one fork is broken into two pieces.": "there is 1 fork in 2 pieces",
    "A pencil broken into two pieces. One piece is twice the size of the other.": "there is 1 pencil in 2 pieces",
    "An image of a banana where one half of it is red and the other half is blue.": "one half of a banana is red",
    "An image with some dogs and some ants. There are fewer dogs than ants.": (
        "An image with some dogs and some ants. There are fewer dogs than ants."
    ),
}


@pytest.mark.slow
@one_and_three
def test_quantities_places_and_parts_are_seen_in_the_picture(seeds: int, size_px: int, case: Case) -> None:
    for (prompt, statement), seed in product(CONFIRMED.items(), range(seeds)):
        with case(f"{prompt} {seed}"):
            inquiry = JudgeQuestion(Confirm(statement, is_informed=False), statement)
            data = picture(Painter(size_px=size_px), prompt, seed)
            exhibit = JudgeRequest((Drawn(Stored("0" * 64, "png")),), (inquiry,), partial(answer_with, data))
            assert ObserverJudge().compute(exhibit) == (Finding(Words("yes")),)


def answer_with(data: bytes, _: object) -> bytes:
    return data


def test_slips_apply_to_things_in_and_on_others() -> None:
    content = picture(Painter(over=2, size_px=512), "An image of a cake. There are 4 candles on the cake.", 1)
    assert seen(content) == {"cake": 3, "candle": 6}
