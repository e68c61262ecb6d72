"""Automatic assessment: every rule on pictures that are right and wrong, and how parts become one verdict.

Detectors are real and look at photographs; what CLIP and vision-language models answer is constructed, so that of these
the logic is tested and not their sight.
"""

import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from subitize.analysis.frame import ReadOptions, read_frame
from subitize.analysis.protocols import read_protocols
from subitize.analysis.provenance import read_provenance
from subitize.interfaces import Pixels, Request
from subitize.judges.clip import Clip
from subitize.labels.consensus import is_written
from subitize.models.stand_ins import Painter
from subitize.networks.collages import make_collage
from subitize.papers.gimbrr.prompts import ALL
from subitize.papers.gimbrr.suite import JUDGES, Gimbrr, TaskPrompt, join_parts, list_parts, make_item, name_waiting
from subitize.records import (
    Compared,
    Discarded,
    Draw,
    Drawn,
    Item,
    Known,
    MatchesPrompt,
    Question,
    Reading,
    Spec,
    Stored,
    Subject,
    Transcribe,
    Value,
    Words,
)
from subitize.registry import make_judge
from subitize.report.listing import listings
from subitize.store import Folder, Run
from tests.cases import Case
from tests.commands import call
from tests.judges.drawn_prompts import EXACT, made, open_rapidocr, store, write_lines
from tests.models.scripted_server import Answer, chat, scripting
from tests.networks.coco_network import ssd_folder
from tests.networks.tiny_weights import find_tiny
from tests.papers.gimbrr.prompt_reader import read_prompt
from tests.runs import judge_run
from tests.samples import trial

SUITE = Spec("gimbrr", {}, "gimbrr")
PROOF = pytest.mark.proof("subitize.papers.gimbrr", "subitize.networks.detectors", "subitize.labels")


def item(task: str, text: str, key: str = "1") -> Item:
    meaning = read_prompt(ALL[task], text)
    assert meaning is not None, text
    return make_item(TaskPrompt(key, ALL[task], text, meaning, ()))


def new_run(folder: Path, drawn: Sequence[tuple[Item, bytes]]) -> Run:
    """A run of items, each with its picture."""
    run = Run(Folder(folder), create=True)
    run.add_suite(SUITE, 0, [one for one, _ in drawn])
    store(run, [(trial(one, model=EXACT), data) for one, data in drawn])
    return run


def paint(text: str, seed: int = 1) -> bytes:
    reply = Painter(size_px=320).compute(Request("", Draw(text), 0, 0, seed, lambda _: b""))
    assert isinstance(reply.content, Pixels), reply.content
    return reply.content.data


def verdicts(run: Run, reader: ReadOptions | None = None) -> dict[str, bool | None]:
    """What is scored: by the item's key whether the picture matches, None where that is unknown."""
    rows = read_frame(run, reader).observations.rows
    assert set(rows["question"]) == {"matches-prompt"}
    return {
        key.removeprefix("gimbrr/"): None if status == "unknown" else bool(is_right)
        for key, status, is_right in rows.select("item", "status", "is_right").iter_rows()
    }


PAINTED: list[tuple[str, str, str, bool | None]] = [
    ("single", "cat", "a cat", True),
    ("single", "cat", "a dog", False),
    ("multiple", "cat, dog, apple", "a cat, a dog and an apple", True),
    ("multiple", "cat, dog, apple", "a cat and an apple", False),
    ("counting", "five apples", "five apples", True),
    ("counting", "five apples", "six apples", False),
    ("arithmetic", "three cats and twice as many cups", "three cats and twice as many cups", True),
    ("arithmetic", "three cats and twice as many cups", "three cats and three cups", False),
    ("arithmetic", "six cats and half as many cups", "three cats and six cups", False),
    ("spatial", "a cat to the left of a car", "a cat to the left of a car", True),
    ("spatial", "a cat to the left of a car", "a cat to the right of a car", False),
    ("spatial", "a cat on top of a car", "a cat on top of a car", True),
    ("spatial", "a cat on top of a car", "a cat under a car", False),
    ("spatial", "a cat under a car", "a cat under a car", True),
    ("spatial", "a cat under a car", "a cat on top of a car", False),
    ("spatial", "a cat behind a car", "a cat to the left of a car", None),
    ("spatial", "a cat behind a car", "a dog", False),
    ("negation", "a car without any apples", "a car", True),
    ("negation", "a car without any apples", "a car and two apples", False),
    ("negation", "a car without any apples", "a dog", False),
    ("conditional", "A banana or a cup - only render fruit", "a banana", True),
    ("conditional", "A banana or a cup - only render fruit", "a cup", False),
    ("conditional", "A banana or a cup - only render fruit", "a banana and a cup", False),
    ("controlled-multiple", "a fork and a dog", "a fork and a dog", True),
    ("controlled-two-counting", "two books and six spoons", "two books and five spoons", False),
]


@pytest.mark.slow
def test_painted_pictures_are_assessed_part_by_part(case: Case, tmp_path: Path) -> None:
    items = [(item(task, text, str(key)), paint(shown, key)) for key, (task, text, shown, _) in enumerate(PAINTED)]
    with new_run(tmp_path / "run", items) as run:
        judge_run(run, make_judge("observer"))
        found = verdicts(run)
        for key, (_, text, shown, told) in enumerate(PAINTED):
            with case(f"{text} -> {shown}"):
                assert found[str(key)] == told


@pytest.mark.slow
def test_what_is_hidden_is_unknown_to_the_observer_not_wrong(tmp_path: Path) -> None:
    items = [
        (item("spatial", text, text[:5]), paint(text)) for text in ("a dog behind a tree", "a cat in front of a car")
    ]
    with new_run(tmp_path / "run", items) as run:
        judge_run(run, make_judge("observer"))
        assert set(verdicts(run).values()) == {None}


TWO = item("counting", "two apples")
SIGN = item("text", 'A poster with the slogan "Plant One Tiny Tree"')


def test_all_parts_must_hold_and_one_that_is_wrong_settles_it(case: Case) -> None:
    chimera = item("chimeras", "a cat with the wings of a bat and the tail of a fox")
    ids = [ask.question.id for ask in list_parts(chimera)]
    assert len(ids) == 3
    unknown, useless = Discarded("cannot tell", is_refusal=True), Discarded("perhaps")
    cases: dict[str, tuple[tuple[Value, ...], Value | None]] = {
        "all": ((Known(True),) * 3, Known(True)),
        "one wrong": ((Known(True), Known(False), Known(True)), Known(False)),
        "one unknown": ((Known(True), unknown, Known(True)), Discarded("a part is unknown", is_refusal=True)),
        "unknown and wrong": ((Known(False), unknown, Known(True)), Known(False)),
        "of no use": ((Known(True), useless, Known(True)), Known(False)),
        "one not looked at": ((Known(True), Known(True)), None),
    }
    for name, (values, told) in cases.items():
        with case(name):
            assert join_parts(chimera, dict(zip(ids, values, strict=False))) == told


def test_counts_must_be_exact() -> None:
    (ask,) = list_parts(TWO)
    assert [join_parts(TWO, {ask.question.id: Known(number)}) for number in (1, 2, 3)] == [
        Known(False),
        Known(True),
        Known(False),
    ]


def test_text_must_be_there_word_by_word_whatever_carries_it(case: Case) -> None:
    for read, told in {
        "Plant One Tiny Tree": True,
        "PLANT ONE\ntiny tree!": True,
        "Our slogan: plant one tiny tree. Today": True,
        "Plant One Tiny Three": False,
        "Plant Tiny Tree": False,
        "Tiny Tree Plant One": False,
        "": False,
    }.items():
        with case(read):
            assert is_written("Plant One Tiny Tree", read) == told
            assert join_parts(SIGN, {Transcribe().id: Known(read)}) == Known(told)


def readings(run: Run, judge: str, values: Mapping[Question, Value]) -> None:
    (one,) = run.items()
    subject = Subject((trial(one, model=EXACT).id,))
    run.add_judge(Spec(judge, {}, judge), is_stand_in=True)
    with run.lease("judge") as lease:
        run.add_readings(
            lease, [Reading(subject, asked, judge, Words(""), "strict@1", value) for asked, value in values.items()]
        )


def test_who_answers_the_whole_has_their_say_and_each_judge_its_own(tmp_path: Path) -> None:
    one = item("negation", "a car without any apples")
    presence, absence = (ask.question for ask in list_parts(one))
    with new_run(tmp_path / "run", [(one, paint("a car"))]) as run:
        readings(run, "seer", {presence: Known(True), absence: Known(True)})
        readings(run, "both", {presence: Known(True), absence: Known(True), MatchesPrompt(): Known(False)})
        readings(run, "half", {presence: Known(True)})
        rows = read_frame(run).observations.rows
        found = {judge: tuple(told) for judge, *told in rows.select("judge", "is_right", "is_informed").iter_rows()}
        assert found == {"seer": (True, False), "both": (False, True)}
        assert verdicts(run, ReadOptions("seer")) == {"1": True}
        exported = read_frame(run).whole.rows.filter(judge="half")
        assert exported["question"].to_list() == [presence.id]


def test_a_verdict_is_informed_where_a_part_says_as_much_as_the_prompt(tmp_path: Path) -> None:
    drawn = [
        (item("single", "car", "single"), paint("a car")),
        (item("negation", "a car with no cups", "no"), paint("a car")),
    ]
    with new_run(tmp_path / "run", drawn) as run:
        judge_run(run, make_judge("observer"))
        rows = read_frame(run).observations.rows
        assert dict(rows.select("item", "is_informed").iter_rows()) == {"gimbrr/single": True, "gimbrr/no": False}


def test_what_follows_from_parts_is_neither_unanswerable_nor_unread(tmp_path: Path) -> None:
    drawn = [
        (item("counting", "two apples", "two"), paint("two apples")),
        (item("actions", "Dog biting a cup"), paint("a dog")),
    ]
    with new_run(tmp_path / "run", drawn) as run:
        summary = judge_run(run, make_judge("observer"))
        assert (summary.readings, summary.unanswerable) == (3, 2)  # of the action its deed and the whole
        (followed,) = read_protocols(run, read_provenance(run)).values()
        assert followed.protocol.rules == ("boxes@1", "gimbrr-parts@1")
        assert (followed.protocol.unread.wholly, followed.protocol.unread.partly) == (1, 0)


def test_the_table_of_judges_names_every_task_and_only_judges_that_exist() -> None:
    assert set(JUDGES) == set(ALL)
    assert {judge for judges in JUDGES.values() for judge in judges} <= {one.name for one in listings("judges")}


def test_a_judge_named_for_a_task_can_answer_all_of_its_parts() -> None:
    everything = list(Gimbrr(per_task=1).items(0))
    parts = make_judge("parts:observer").obj
    picture = [Drawn(Stored("0" * 64, "png"))]
    assert not parts.can_answer(MatchesPrompt(), picture)
    assert name_waiting(everything, lambda question: parts.can_answer(question, picture)) == ""
    text_only = name_waiting(everything, lambda question: isinstance(question, Transcribe))
    assert "text" not in text_only
    assert "actions, unusual, compositional, chimeras (by parts)" in text_only


def test_a_task_that_no_judge_at_hand_can_serve_says_so(tmp_path: Path) -> None:
    drawn = [(item("actions", "Dog biting a cup"), paint("a dog and a cup"))]
    new_run(tmp_path / "run", drawn).close()
    done = call("judge", tmp_path / "run", "--judge", "observer")
    assert "tasks that wait for people or another judge: actions (by parts)" in done.out
    scored = call("score", tmp_path / "run")
    assert scored.code == 2
    assert "no readings of the suites' own questions yet" in scored.err


@pytest.mark.weights
@pytest.mark.parametrize("seeds", [1, pytest.param(3, marks=PROOF)])
def test_a_real_detector_assesses_collages_of_photographs(tmp_path: Path, seeds: int) -> None:
    """None of 30 verdicts by SSD-MobileNet at 0.5 was wrong when this was written; another OpenCV may err once."""
    cases = [
        ("counting", "two cats", ["cat", "cat"], True),
        ("counting", "two cats", ["cat"], False),
        ("counting", "three motorcycles", ["motorcycle"] * 3, True),
        ("counting", "two motorcycles", ["motorcycle"] * 3, False),
        ("arithmetic", "two cats and half as many motorcycles", ["cat", "cat", "motorcycle"], True),
        ("arithmetic", "two cats and half as many motorcycles", ["cat", "motorcycle"], False),
        ("multiple", "cat, motorcycle", ["cat", "motorcycle"], True),
        ("multiple", "cat, motorcycle", ["motorcycle"], False),
        ("negation", "a cat without any motorcycles", ["cat"], True),
        ("negation", "a cat without any motorcycles", ["cat", "motorcycle"], False),
    ]
    drawn, told = [], {}
    for place, (task, text, nouns, is_right) in enumerate(cases):
        for seed in range(seeds):
            key = f"{place}-{seed}"
            drawn.append((item(task, text, key), _png(make_collage(nouns, seed).pixels)))
            told[key] = is_right
    with new_run(tmp_path / "run", drawn) as run:
        judge_run(run, make_judge(f"ssd:{ssd_folder()},threshold=0.5"))
        found = verdicts(run)
    assert set(found) == set(told)
    assert sum(found[key] != told[key] for key in told) <= seeds // 3


@pytest.mark.weights
@pytest.mark.parametrize("seeds", [3, pytest.param(6, marks=PROOF)])
def test_a_real_detector_tells_left_from_right(tmp_path: Path, seeds: int) -> None:
    drawn, told = [], {}
    for seed in range(seeds):
        collage = make_collage(["cat", "motorcycle"], seed, cells=4)
        centres = {one.noun: one.xyxy[0] + one.xyxy[2] for one in collage.pasted}
        is_left = centres["cat"] < centres["motorcycle"]
        for side, is_there in (("left", is_left), ("right", not is_left)):
            key = f"{side}-{seed}"
            drawn.append((item("spatial", f"a cat to the {side} of a motorcycle", key), _png(collage.pixels)))
            told[key] = is_there
    with new_run(tmp_path / "run", drawn) as run:
        judge_run(run, make_judge(f"ssd:{ssd_folder()},threshold=0.5"))
        found = verdicts(run)
    assert sum(found[key] != told[key] for key in told) <= seeds // 6
    assert {True, False} <= set(found.values())


@pytest.mark.weights
@pytest.mark.parametrize("seeds", [1, pytest.param(3, marks=PROOF)])
def test_a_real_detector_tells_top_from_bottom_and_that_it_cannot_tell_depth(tmp_path: Path, seeds: int) -> None:
    drawn, told = [], {}
    for seed in range(seeds):
        photographs = {noun: make_collage([noun], seed).pixels for noun in ("cat", "motorcycle")}
        for over, under in (("cat", "motorcycle"), ("motorcycle", "cat")):
            picture = _png(np.vstack([photographs[over], photographs[under]]))
            for word, verdict in (("on top of", over == "cat"), ("under", over != "cat"), ("behind", None)):
                key = f"{word}-{over}-{seed}"
                drawn.append((item("spatial", f"a cat {word} a motorcycle", key), picture))
                told[key] = verdict
    with new_run(tmp_path / "run", drawn) as run:
        judge_run(run, make_judge(f"ssd:{ssd_folder()},threshold=0.5"))
        found = verdicts(run)
    assert sum(found[key] != told[key] for key in told) <= seeds // 3


def _png(pixels: np.ndarray[Any, Any]) -> bytes:
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "PNG", compress_level=1)
    return file.getvalue()


@pytest.mark.ocr
def test_text_that_is_rendered_is_read_and_told_from_other_text(tmp_path: Path) -> None:
    drawn = [
        (item("text", 'A banner that says "Welcome to Mapleton"', "right"), write_lines("Welcome to", "Mapleton")),
        (item("text", 'A banner that says "Welcome to Eastport"', "wrong"), write_lines("Welcome to", "Mapleton")),
        (item("text", 'A banner that says "Reunion"', "none"), write_lines("")),
    ]
    with new_run(tmp_path / "run", drawn) as run:
        judge_run(run, made("ocr", open_rapidocr()))
        assert verdicts(run) == {"right": True, "wrong": False, "none": False}


QUESTIONS = {
    "actions": ("Dog biting a cup", "Is the dog biting a cup?"),
    "unusual": ("a teapot reading a map", "Is the teapot reading a map?"),
    "compositional": ("A horse with a golden mane", "Does the horse have a golden mane?"),
    "chimeras": ("a cat with the wings of a bat", "Does the animal have the wings of a bat?"),
}


@pytest.mark.parametrize("answer", ["Yes.", "No."])
def test_a_vision_language_model_is_asked_one_question_per_part(answer: str, tmp_path: Path) -> None:
    """All parts hold but the last, about which the server says what it is told: logic, not sight."""
    drawn = [(item(task, text, task), paint("a dog")) for task, (text, _) in QUESTIONS.items()]
    last = {question for _, question in QUESTIONS.values()}

    def reply(_: int, body: Any) -> Answer:  # noqa: ANN401
        asked = json.dumps(body)
        return 200, {}, chat({"role": "assistant", "content": answer if any(one in asked for one in last) else "Yes."})

    with scripting(reply) as server, new_run(tmp_path / "run", drawn) as run:
        judge_run(run, make_judge(f"parts:openai:seer,base_url={server.base_url}"))
        asked = [json.dumps(body) for _, _, body in server.requests]
        assert verdicts(run) == dict.fromkeys(QUESTIONS, answer == "Yes.")
    assert len(asked) == sum(len(one.asks) - 1 for one, _ in drawn)
    assert not any("asked for in these words" in one for one in asked)


@pytest.mark.torch
def test_presence_and_absence_by_clip_follow_from_who_wins(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The weights are random, so that of the verdicts the logic is tested: they are made anew here from the scores."""
    prompts = [("negation", "a kitchen without any chairs"), ("conditional", "A pear or a bee - only render fruit")]
    prompts += [("multiple", "violin, harp"), ("actions", "Otter biting a drum")]
    prompts += [("single", noun) for noun in ("walrus", "lantern", "teapot", "zebra", "kite", "ladder", "tent", "owl")]
    shown = ("a cat", "three apples")
    drawn = [
        (item(task, text, f"{place}-{seed}"), paint(picture, seed))
        for place, (task, text) in enumerate(prompts)
        for seed, picture in enumerate(shown)
    ]
    judge = Clip(str(find_tiny("clip", tmp_path_factory)), distractors=1, absence_distractors=1)
    with new_run(tmp_path / "run", drawn) as run:
        judge_run(run, made("clip:tiny", judge))
        wins: dict[str, list[bool]] = {one.id: [] for one, _ in drawn}
        items = {trial(one, model=EXACT).id: one.id for one, _ in drawn}
        for reading in (stored.reading for stored in run.readings()):
            assert isinstance(reading.evidence, Compared)
            first, rival = reading.evidence.scores.values()
            is_negated = " no " in reading.question.id
            wins[items[reading.subject.id]].append((first > rival) != is_negated)
        found = verdicts(run)
    wins = {id.removeprefix("gimbrr/"): won for id, won in wins.items()}
    assert found == {key: all(won) for key, won in wins.items() if not key.startswith("3-")}  # an action is not seen
    assert set(found.values()) == {True, False}
