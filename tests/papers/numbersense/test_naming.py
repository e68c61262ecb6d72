"""The naming and production suites are the paper's."""

from collections import Counter

import pytest

from subitize.errors import BadValueError, UnknownNameError
from subitize.papers.numbersense.suite import Naming, Production
from subitize.records import Answer, Control, Stimulus, task_text
from subitize.registry import make_suite
from tests.cases import Case

CATEGORIES = ("apples", "people", "butterflies", "dots", "fastcards")


def test_there_are_2500_pictures_fifty_per_category_and_number() -> None:
    pictures = {item.task.picture for item in Naming().items(0) if isinstance(item.task, Answer)}
    cells = Counter((p.category, p.number) for p in pictures if isinstance(p, Stimulus))
    assert cells == {(category, number): 50 for category in CATEGORIES for number in range(1, 11)}


def test_every_picture_is_asked_about_in_three_wordings_and_apples_in_the_control_question_too() -> None:
    wordings = Counter((item.factors["category"], item.factors["wording"]) for item in Naming(images=1).items(0))
    assert wordings == {(c, w): 10 for c in CATEGORIES for w in ("category", "objects", "things")} | {
        ("apples", "control"): 10
    }


def test_the_control_question_is_kept_apart_from_the_score() -> None:
    item = next(item for item in Naming(images=1).items(0) if item.factors["wording"] == "control")
    assert task_text(item.task) == "What does the image represent?"
    assert item.asks[0].expects == ("apple", "fruit")
    assert not item.asks[0].is_relevant
    assert not [item for item in Naming(control_question=False).items(0) if item.factors["wording"] == "control"]


@pytest.mark.parametrize(
    ("category", "things"), list(zip(CATEGORIES, ("apples", "people", "butterflies", "dots", "shapes"), strict=True))
)
def test_the_category_wording_is_the_papers(category: str, things: str) -> None:
    item = next(iter(Naming(categories=(category,), wordings=("category",)).items(0)))
    assert task_text(item.task) == f"How many {things} are there in the picture?"


@pytest.mark.slow
def test_ranges_controls_and_looks_are_options() -> None:
    suite = make_suite("naming:numbers=1-50,control=hull,background=grey,overlap=.2,size_px=512,images=1").obj
    pictures = [item.task.picture for item in suite.items(0) if isinstance(item.task, Answer)]
    assert {p.number for p in pictures if isinstance(p, Stimulus)} == set(range(1, 51))
    looks = {(p.control, p.background, p.overlap, p.size_px) for p in pictures if isinstance(p, Stimulus)}
    assert looks == {(Control("hull", 50), "grey", 0.2, 512)}


def test_each_picture_is_asked_about_in_each_wording() -> None:
    suite = Naming(images=1, numbers=(4,), categories=("dots",))
    tasks = [item.task for item in suite.items(0)]
    assert all(isinstance(task, Answer) for task in tasks)
    assert [task.question for task in tasks if isinstance(task, Answer)] == [
        "How many dots are there in the picture?",
        "How many objects are there in the picture?",
        "How many things are there in the picture?",
    ]
    assert len({task.picture for task in tasks if isinstance(task, Answer)}) == 1


def test_the_picture_shows_what_the_ask_expects() -> None:
    for item in Naming(control_question=False).items(9):
        assert isinstance(item.task, Answer)
        assert isinstance(item.task.picture, Stimulus)
        assert item.asks[0].expects == (item.task.picture.number,)


def test_no_two_pictures_of_a_run_are_the_same() -> None:
    suite = Naming(wordings=("things",), control_question=False)
    pictures = [item.task.picture for item in suite.items(0) if isinstance(item.task, Answer)]
    assert len(set(pictures)) == len(pictures) == 2500


@pytest.mark.parametrize(
    ("category", "number", "prompt"),
    [
        ("apples", 1, "An image with 1 apple"),
        ("apples", 10, "An image with 10 apples"),
        ("people", 1, "An image with 1 person"),
        ("people", 3, "An image with 3 persons"),
        ("butterflies", 7, "An image with 7 butterflies"),
        ("dots", 1, "1 filled dot in white background"),
        ("dots", 2, "2 filled dots in white background"),
    ],
)
def test_production_prompts_are_worded_as_in_the_paper(category: str, number: int, prompt: str) -> None:
    (item,) = Production(categories=(category,), numbers=(number,)).items(0)
    assert task_text(item.task) == prompt
    assert item.asks[0].expects == (number,)


def test_production_gives_every_prompt_a_hundred_times() -> None:
    assert Production().repeats == 100
    cells = {(item.factors["category"], item.factors["number"]) for item in Production().items(0)}
    assert cells == {(category, number) for category in CATEGORIES[:4] for number in range(1, 11)}


REFUSED = {
    "categories=pears": "no category named 'pears'; known: apples, butterflies, dots",
    "control=ink": "no control named 'ink'; known: area, density, hull, none, size",
    "background=lava": "no background named 'lava'",
    "overlap=.9": "overlap 0.9",
    "control=area,numbers=1000": "number 1000",
    "wordings=stuff": "no wording named 'stuff'; known: category, objects, things",
    "images=0": "images=0: should be at least 1",
    "numbers=0-1": "numbers=0: should be at least 1",
    "size_px=64": "size_px 64",
    "numbers=5000": "5000",
}


def test_what_cannot_be_shown_is_refused_at_once(case: Case) -> None:
    for options, message in REFUSED.items():
        with case(options), pytest.raises((BadValueError, UnknownNameError), match=message):
            make_suite(f"naming:{options}")
