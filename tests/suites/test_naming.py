"""The naming suite is the paper's, for the categories there are."""

from collections import Counter

import pytest

from subitize.errors import BadValueError, UnknownNameError
from subitize.records import Answer, Stimulus, task_text
from subitize.registry import make_suite
from subitize.suites.naming import Naming
from subitize.suites.production import Production


def test_there_are_fifty_pictures_per_category_and_number() -> None:
    cells = Counter((item.factors["category"], item.factors["number"]) for item in Naming().items(0))
    assert cells == {(category, number): 50 for category in ("apples", "dots") for number in range(1, 11)}


def test_each_picture_is_asked_about_in_each_wording() -> None:
    suite = Naming(wordings=("category", "objects", "things"), images=1, numbers=(4,), categories=("dots",))
    tasks = [item.task for item in suite.items(0)]
    assert all(isinstance(task, Answer) for task in tasks)
    assert [task.question for task in tasks if isinstance(task, Answer)] == [
        "How many dots are there in the picture?",
        "How many objects are there in the picture?",
        "How many things are there in the picture?",
    ]
    assert len({task.picture for task in tasks if isinstance(task, Answer)}) == 1


def test_the_picture_shows_what_the_ask_expects() -> None:
    for item in Naming().items(9):
        assert isinstance(item.task, Answer)
        assert isinstance(item.task.picture, Stimulus)
        assert item.asks[0].expects == (item.task.picture.number,)


def test_no_two_pictures_of_a_run_are_the_same() -> None:
    pictures = [item.task.picture for item in Naming().items(0) if isinstance(item.task, Answer)]
    assert len(set(pictures)) == 1000


@pytest.mark.parametrize(
    ("category", "number", "prompt"),
    [
        ("apples", 1, "An image with 1 apple"),
        ("apples", 10, "An image with 10 apples"),
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


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("categories=pears", "no category named 'pears'; known: apples, dots"),
        ("wordings=stuff", "no wording named 'stuff'; known: category, objects, things"),
        ("images=0", "images=0: should be at least 1"),
        ("numbers=0-1", "numbers=0: should be at least 1"),
        ("size_px=64", "size_px 64"),
        ("numbers=5000", "5000"),
    ],
)
def test_what_cannot_be_shown_is_refused_at_once(options: str, message: str) -> None:
    with pytest.raises((BadValueError, UnknownNameError), match=message):
        make_suite(f"naming:{options}")
