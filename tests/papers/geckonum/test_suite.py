"""The suite of GeckoNum's prompts: what it asks, under which conditions, and with which options."""

from collections import Counter
from pathlib import Path

import pytest

from subitize.errors import BadFileError, BadValueError, UnknownNameError
from subitize.interfaces import Suite
from subitize.papers.geckonum.prompts import TYPES, design
from subitize.papers.geckonum.sentences import OFFICIAL, ZIPF
from subitize.papers.geckonum.suite import Geckonum, items_of
from subitize.records import Choose, Confirm, Count, Item, task_text
from subitize.registry import make_suite
from subitize.suites.checks import interleave
from tests.cases import Case

ITEMS = {item.id: item for item in items_of(design(0))}


def item(index: int) -> Item:
    return ITEMS[f"geckonum/geckonum_{index:05d}"]


def texts(suite: Suite) -> list[str]:
    return [task_text(item.task) for item in suite.items(0)]


def test_each_prompt_is_drawn_five_times_and_never_again() -> None:
    suite = make_suite("geckonum").obj
    assert (suite.repeats, suite.max_attempts, suite.judge) == (5, 1, "observer")
    assert len(texts(suite)) == 1386
    assert list(suite.again([])) == []


def test_the_run_seed_changes_no_prompt_so_that_runs_compare() -> None:
    assert list(Geckonum().items(0)) == list(Geckonum().items(1))


FACTORS: list[tuple[int, dict[str, object]]] = [
    (0, {"task": 1, "type": "numeric_simple", "number": 1, "representation": "digits", "frequency": "frequent"}),
    (15, {"task": 1, "type": "numeric_simple", "number": 1, "representation": "words", "frequency": "rare"}),
    (800, {"task": 2, "type": "approx-2-entity", "quantifier": "fewer"}),
    (847, {"task": 2, "type": "approx-1-entity", "quantifier": "no"}),
    (872, {"task": 1, "type": "numeric_sentence", "number": 1, "representation": "digits"}),
    (969, {"task": 3, "type": "fractional-simple", "number": 1, "pieces": 3}),
    (972, {"task": 3, "type": "fractional-simple", "number": 1.5}),
    (1009, {"task": 3, "type": "part-whole", "number": 5, "pieces": 2}),
    (1021, {"task": 3, "type": "fractional-complex", "number": 1}),
    (1026, {"task": 1, "type": "attribute-color", "number": 1, "representation": "digits", "colour": "black"}),
]


def test_factors_are_the_conditions_of_the_prompt(case: Case) -> None:
    for index, factors in FACTORS:
        with case(index):
            assert item(index).factors == factors


def test_sampled_prompts_are_in_digits_in_words_or_mixed() -> None:
    own = [one for one in ITEMS.values() if one.factors["type"] == "3-additive"]
    assert {one.factors["representation"] for one in own} == {"digits", "words", "mixed"}
    spatial = [one for one in ITEMS.values() if one.factors["type"] == "attribute-spatial"]
    assert {one.factors["relation"] for one in spatial} == {"above", "below", "left of", "right of"}


def test_each_task_has_its_kind_of_question() -> None:
    kinds: dict[object, set[type]] = {1: {Count}, 2: {Choose}, 3: {Confirm}}
    for one in ITEMS.values():
        assert {type(ask.question) for ask in one.asks if ask.is_relevant} == kinds[one.factors["task"]]


def test_what_has_no_bearing_on_number_is_asked_out_of_the_score() -> None:
    aside = {ask.wording for one in ITEMS.values() for ask in one.asks if not ask.is_relevant}
    assert {"Is this an image?", "Is there a table?", "Are the forks on the table?"} <= aside
    assert {"How many flowers are in the image?", "How many grains of rice are in the image?"} <= aside
    counted = [one for one in ITEMS.values() if one.factors["task"] == 1]
    assert all(ask.is_relevant for one in counted for ask in one.asks)


def test_items_keep_the_order_of_the_prompts_and_the_suite_mixes_them() -> None:
    assert list(ITEMS) == sorted(ITEMS)
    mixed = interleave(ITEMS.values(), "type")
    assert Counter(one.id for one in mixed) == Counter(list(ITEMS))
    assert {one.factors["type"] for one in mixed[:60]} == set(TYPES)


CHOSEN = {
    "tasks=1": 1260,
    "tasks=2": 69,
    "tasks=3": 57,
    "tasks=2-3": 126,
    "types=part-whole": 15,
    "types=part-whole+numeric_simple,tasks=1": 600,
    "types=numeric_simple,numbers=1-4": 4 * 2 * 40,
    "types=numeric_simple+part-whole,numbers=10": 40 + 15,
    "types=attribute-color,colours=red+green": 80,
    "types=fractional-complex,colours=red+blue": 4,
    "tasks=2,quantifiers=no+more": 8 + 15,
    "tasks=2,quantifiers=as many": 15,
    "tasks=3,fresh=7": 57,
    "fresh=7": 1386,
}


@pytest.mark.slow
def test_options_choose_among_the_prompts(case: Case) -> None:
    for options, number in CHOSEN.items():
        with case(options):
            assert len(texts(make_suite(f"geckonum:{options}").obj)) == number


def test_a_choice_keeps_the_ids() -> None:
    chosen = {one.id for one in make_suite("geckonum:tasks=3").obj.items(0)}
    assert chosen == {f"geckonum/geckonum_{index:05d}" for index in range(969, 1026)}


def test_the_official_file_takes_the_place_of_the_drawn_prompts(shared_data: Path) -> None:
    path = shared_data / "geckonum" / "prompts.csv"
    official, own = texts(make_suite(f"geckonum:prompts={path}").obj), texts(make_suite("geckonum").obj)
    assert len(official) == 1386
    assert "2 parsnips and three pizzas." in official
    assert len(set(official) & set(own)) < 1050


SENSELESS = {
    "tasks=4": "no task named '4'; known: 1, 2, 3",
    "types=gecko": "no type named 'gecko'; known: 2-additive, 2-additive-color",
    "colours=mauve": "no colour named 'mauve'; known: black, blue",
    "quantifiers=several": "no quantifier named 'several'; known: as many, few",
    "tasks=1,types=part-whole": "no prompt is left with these options",
    "prompts=a.csv,fresh=1": "take the official file or fresh prompts",
    "fresh=-1": "fresh=-1: should be a seed from 1",
    "nouns=nouns.txt": "nouns= are no longer taken; fresh=1 draws other nouns, of ours",
    "prompts=nowhere.csv": "cannot read nowhere.csv",
}


def test_options_that_make_no_sense_are_refused_at_once(case: Case) -> None:
    for options, message in SENSELESS.items():
        with case(options), pytest.raises((BadValueError, UnknownNameError, BadFileError), match=message):
            make_suite(f"geckonum:{options}")


NOUNS = [f"{first}{second}ol" for first in ("b", "d", "f", "g", "k", "l", "m") for second in "aeiou" + "y"]


@pytest.mark.parametrize(
    ("options", "prompts"),
    [
        ("types=attribute-color,colours=red", 40),
        ("types=numeric_simple,numbers=1-20", 1200),
        ("types=2-additive,numbers=1-3", 100),
        ("types=2-additive-color,numbers=1,colours=red", 80),
    ],
)
def test_fresh_prompts_are_drawn_of_the_wanted_numbers_and_colours(options: str, prompts: int) -> None:
    items = list(make_suite(f"geckonum:fresh=3,{options}").obj.items(0))
    assert len(items) == prompts
    if "1-20" in options:
        words = {item.factors["number"] for item in items if item.factors["representation"] == "words"}
        assert words == set(range(1, 11))


def test_the_papers_nouns_are_parted_by_their_frequency_as_in_the_release() -> None:
    assert {noun: zipf > 3.78 for noun, zipf in ZIPF.items()} == OFFICIAL.nouns
