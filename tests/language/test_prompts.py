"""A prompt is understood rightly or not at all."""

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from subitize.language.clauses import read_scene
from subitize.language.numbers import count_noun
from subitize.language.scene import MOST_THINGS, Entity, NotUnderstood, Relation, Scene
from subitize.language.tokens import LONGEST_TEXT
from tests.cases import Case
from tests.language.geckonum_prompts import PROMPTS, read_rows, scene_of
from tests.language.prompt_cases import (
    COLOURS,
    NO_QUANTITIES,
    NOT_UNDERSTOOD,
    NOUNS,
    OF_QUANTITIES,
    TOGETHER,
    UNDERSTOOD,
)


def read(prompt: str) -> Scene | NotUnderstood:
    return read_scene(prompt, NOUNS, COLOURS)


def is_understood(prompt: str) -> bool:
    return isinstance(read(prompt), Scene)


def test_a_prompt_asks_for_its_scene(case: Case) -> None:
    for prompt, scene in [*UNDERSTOOD, *TOGETHER]:
        with case(prompt):
            assert read(prompt) == scene


def test_what_could_mean_something_else_is_not_understood(case: Case) -> None:
    for prompt in NOT_UNDERSTOOD:
        with case(prompt):
            found = read(prompt)
            assert isinstance(found, NotUnderstood)
            assert found.reason


def test_the_tables_are_large_and_say_nothing_twice() -> None:
    assert len({prompt for prompt, _ in UNDERSTOOD}) == len(UNDERSTOOD) >= 300
    assert len(set(NOT_UNDERSTOOD)) == len(NOT_UNDERSTOOD) >= 120
    assert len(OF_QUANTITIES) >= 120
    assert len(NO_QUANTITIES) >= 60


def test_every_noun_is_counted_in_digits_and_words_in_the_singular_and_the_plural() -> None:
    for noun in NOUNS:
        for number in (0, 1, 2, 11, 99):
            assert read(f"{count_noun(number, noun)}.") == Scene((Entity(noun, number),))
            assert read(f"An image with {count_noun(number, noun, 'words')}") == Scene((Entity(noun, number),))


def test_every_colour_is_read_of_every_noun() -> None:
    for noun in NOUNS:
        for colour in COLOURS:
            assert read(f"3 {colour} {count_noun(3, noun)[2:]}") == Scene((Entity(noun, 3, colour),))


Table = list[tuple[str, Scene]]
some_and_all = pytest.mark.parametrize(
    "table",
    [
        pytest.param([*UNDERSTOOD[::30], *TOGETHER[::10]], id="some"),
        pytest.param([*UNDERSTOOD, *TOGETHER], id="all", marks=pytest.mark.proof("subitize.language")),
    ],
)


@some_and_all
@pytest.mark.parametrize("word", ["blorple", "not", "or", "except", "roughly", "🍎"])
def test_a_word_that_does_not_belong_is_noticed_wherever_it_stands(word: str, table: Table) -> None:
    for prompt, _ in table:
        words = prompt.split()
        for place in range(len(words) + 1):
            changed = " ".join([*words[:place], word, *words[place:]])
            assert not is_understood(changed), changed


def test_the_prompts_of_geckonum_with_whole_numbers_are_all_understood_rightly(shared_data: Path) -> None:
    rows = [row for row in read_rows(shared_data) if row["prompt_type"] in PROMPTS]
    assert len(rows) == sum(PROMPTS.values())
    assert [row["prompt"] for row in rows if read(row["prompt"]) != scene_of(row)] == []


@some_and_all
@pytest.mark.parametrize("word", ["few", "a quarter of", "cut into two pieces"])
def test_a_word_for_an_open_number_or_a_part_is_never_overlooked(word: str, table: Table) -> None:
    for prompt, scene in table:
        words = prompt.split()
        for place in range(len(words) + 1):
            found = read(" ".join([*words[:place], word, *words[place:]]))
            is_said_twice = "few" in word and "few" in words
            assert isinstance(found, NotUnderstood) or found != scene or is_said_twice, (prompt, place)


@pytest.mark.parametrize(
    ("prompt", "reason"),
    [
        ("seven unicorns", r"no drawing of 'unicorn'; known: apple, egg, .*, ball"),
        ("seven red unicorns on a table", r"no drawing of 'unicorn'"),
        ("apples", r"'apples' has no number"),
        ("7 apples (8 apples)", r"'apple' is counted twice: 7 and 8"),
        ("maybe seven apples", r"the word 'maybe' in 'maybe seven'"),
        ("1.5 apples", r"'1\.5' is no whole number of things"),
        ("201 apples", r"more than 200 things: '201'"),
        ("101 apples and 100 dogs", r"more than 200 things"),
        ("seven apples, two red and two green", r"the parts do not make up the 7 of 'apple'"),
        ("x" * (LONGEST_TEXT + 1), r"a prompt of 10,001 characters; 10,000 are read"),
    ],
    ids=["noun", "coloured noun", "no number", "twice", "word", "fraction", "many", "together", "parts", "long"],
)
def test_the_reason_names_what_is_in_the_way(prompt: str, reason: str) -> None:
    found = read(prompt)
    assert isinstance(found, NotUnderstood)
    assert re.match(reason, found.reason), found.reason


def test_only_the_given_nouns_and_colours_are_known() -> None:
    assert read_scene("seven pears", ["pear"], []) == Scene((Entity("pear", 7),))
    assert isinstance(read_scene("seven apples", ["pear"], []), NotUnderstood)
    assert isinstance(read_scene("seven red pears", ["pear"], []), NotUnderstood)
    assert isinstance(read_scene("two airplanes", ["pear"], []), NotUnderstood)


def test_as_many_things_as_allowed_are_understood() -> None:
    assert read(f"{MOST_THINGS} apples") == Scene((Entity("apple", MOST_THINGS),))


def test_a_relation_holds_between_all_before_and_all_after_it() -> None:
    found = read("a dog and a cat to the left of a cup and a plate")
    assert isinstance(found, Scene)
    assert found.relations == tuple(Relation(one, "left of", other) for one in (0, 1) for other in (2, 3))


_ENTITIES = st.lists(
    st.builds(Entity, st.sampled_from(NOUNS), st.integers(0, 30), st.none() | st.sampled_from(COLOURS)),
    min_size=1,
    max_size=5,
    unique_by=lambda entity: entity.noun,
)


@pytest.mark.slow
@given(_ENTITIES, st.sampled_from(["digits", "words"]), st.sampled_from([", ", " and ", ". ", "; ", " & ", "\n"]))
@settings(max_examples=150, deadline=None)
def test_a_scene_that_is_written_out_is_read_back(entities: list[Entity], style: str, joint: str) -> None:
    things = []
    for entity in entities:
        number, _, noun = count_noun(
            entity.exact_number, entity.noun, "words" if style == "words" else "digits"
        ).partition(" ")
        things.append(" ".join(filter(None, [number, entity.colour, noun])))
    assert read(joint.join(things)) == Scene(tuple(entities))


@pytest.mark.slow
@given(st.text(max_size=200))
@settings(max_examples=300, deadline=None)
def test_no_text_makes_it_stumble(text: str) -> None:
    found = read(text)
    assert isinstance(found, Scene | NotUnderstood)


_SCRAPS = sorted({word for prompt, _ in UNDERSTOOD for word in prompt.split()}) + list("()-+=:;,.?!&x×½~")


@pytest.mark.slow
@given(st.lists(st.sampled_from(_SCRAPS), max_size=12))
@settings(max_examples=500, deadline=None)
def test_a_shuffle_of_known_words_is_a_scene_that_can_be_drawn_or_nothing(words: list[str]) -> None:
    found = read(" ".join(words))
    if isinstance(found, Scene):
        numbers = [entity.number for entity in found.entities if isinstance(entity.number, int)]
        assert all(number >= 0 for number in numbers)
        assert all(entity.noun in NOUNS for entity in found.entities)
        assert sum(numbers) <= MOST_THINGS
        assert all(max(one.subject, one.landmark) < len(found.entities) for one in found.relations)
