"""The final answer of a model, whatever else it says."""

import json
import math
import re
import tomllib
from collections.abc import Callable
from importlib.resources import files
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from subitize.language.answers import find_answer
from subitize.language.final import read_number
from subitize.language.languages import read_foreign
from subitize.language.mentions import NoValue
from subitize.language.numbers import LARGEST_IN_WORDS, in_words
from subitize.language.tokens import LONGEST_TEXT
from tests.cases import Case

proof = pytest.mark.proof("subitize.language")


def _read_table() -> dict[str, list[tuple[str, float | None]]]:
    """Answers as models give them, by heading: the number to be taken, or a dash, and the text as JSON."""
    groups: dict[str, list[tuple[str, float | None]]] = {}
    for line in Path(__file__).with_name("final_answers.tsv").read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            rows = groups.setdefault(line.removeprefix("# "), [])
            continue
        number, text = line.split("\t")
        rows.append((json.loads(text), None if number == "-" else float(number)))
    return groups


GROUPS = _read_table()
MISSES = GROUPS.pop("misses")  # every one that we know: what a reader would take, and `final` leaves unread


def test_the_table_is_as_large_as_is_claimed() -> None:
    assert sum(map(len, GROUPS.values())) >= 700
    assert len({text for rows in GROUPS.values() for text, _ in rows}) == sum(map(len, GROUPS.values()))


@pytest.mark.parametrize("cases", GROUPS.values(), ids=GROUPS)
def test_the_final_answer_is_taken_and_nothing_else(cases: list[tuple[str, float | None]], case: Case) -> None:
    for text, number in cases:
        with case(repr(text)):
            got = read_number(text, "final")
            assert isinstance(got, NoValue) if number is None else got == number


def test_what_is_missed_is_unread_never_misread(case: Case) -> None:
    for text, number in MISSES:
        with case(f"{text!r}, {number} to a reader"):
            assert isinstance(read_number(text, "final"), NoValue)


def test_reasoning_without_an_end_says_so() -> None:
    assert read_number("<think>I see 3", "final") == NoValue("reasoning without an end: no answer follows it")


def test_a_long_answer_counts_only_where_it_is_marked() -> None:
    talk = "The dogs play. " * LONGEST_TEXT
    assert read_number(f"{talk}Answer: 3", "final") == 3
    assert read_number(f"<think>{talk}</think>There are 3 dogs.", "final") == 3
    assert isinstance(read_number(f"{talk}There are 3 dogs.", "final"), NoValue)


PIECES = re.split(
    " ",
    '<think> </think> <answer> </answer> \\boxed{ } { "count" : 3 4 one two 12 three wait actually , . \n ```json ```'
    " Answer: final there are dogs red ( ) [ ] 1, 2, 3 neither nor no None <point> [1,2] x=3 total so = + hay tres"
    " y 三 个 तीन ثلاثة و пять ٣ ½ - — ? how many <|channel|>final<|message|> ◁think▷ ◁/think▷ more missed of"
    " which each rows 0.9 50% 2023",
)


TEXTS = (
    st.text(max_size=500)
    | st.lists(st.sampled_from(PIECES), max_size=40).map(" ".join)
    | st.lists(st.sampled_from(PIECES), max_size=40).map("".join)
)


@settings(max_examples=50)
@given(TEXTS)
def test_no_text_crashes_it(text: str) -> None:
    check_reading(text)


@proof
@settings(max_examples=1_000)
@given(TEXTS)
def test_none_of_many_texts_crashes_it(text: str) -> None:
    check_reading(text)


def check_reading(text: str) -> None:
    got = read_number(text, "final")
    assert isinstance(got, NoValue) or (math.isfinite(got) and got >= 0)
    assert isinstance(find_answer(text), str | NoValue)


@settings(deadline=None)
@given(
    st.integers(0, LARGEST_IN_WORDS),
    st.sampled_from(
        ["{}", "{}.", "{} apples", "There are {} dogs.", "**{}**", "I count {}.", "The image shows {} birds!"]
    ),
    st.booleans(),
)
def test_a_plain_short_answer_is_read_as_strict_reads_it(n: int, template: str, is_in_words: bool) -> None:
    text = template.format(in_words(n) if is_in_words else n)
    assert read_number(text, "final") == read_number(text, "strict") == n


@settings(deadline=None)
@given(
    st.lists(
        st.sampled_from([piece for piece in PIECES if "think" not in piece and "channel" not in piece]), max_size=20
    )
)
def test_whatever_was_thought_the_answer_is_the_same(thought: list[str]) -> None:
    assert read_number(f"<think>{' '.join(thought)}</think>\nThere are 7 dogs.", "final") == 7


SEVERAL_COUNTS = [
    "{a} dogs, {b} cats and {c} birds",
    "I see {a} dogs. I see {b} cats. I see {c} birds.",
    "There are {a} dogs and {b} cats. There are {c} birds.",
    "{a} dogs on the left, {b} on the right and {c} in the middle",
    "There are {a} dogs on the left. {b} are on the right. {c} are in the middle.",
    "{a} cats on the mat; {b} cats on the bed; {c} cats on the rug.",
    "Dogs: {a}, cats: {b}, birds: {c}",
    "Dogs: {a}\nCats: {b}\nBirds: {c}",
    "| Dogs | {a} |\n| Cats | {b} |\n| Birds | {c} |",
    "- {a} dogs\n- {b} cats\n- {c} birds",
    "{a} dogs play with {b} cats near {c} birds.",
]
WITH_TOTAL = [
    "{whole} apples: {a} red and {b} green",
    "There are {whole} apples ({a} red, {b} green).",
    "There are {whole} apples, {a} red and {b} green.",
    "I see {a} dogs on the left and {b} dogs on the right. There are {whole} dogs.",
    "{a} on the left, {b} on the right: {whole}",
    "{a} red ones, {b} green ones, so {whole}.",
    "{a} + {b} = {whole}",
    "<think>{a} or {b}?</think>{whole}",
    "{a} and {b}. Answer: {whole}",
]


@pytest.mark.parametrize("highest", [pytest.param(4, id="some"), pytest.param(6, id="all", marks=proof)])
@pytest.mark.parametrize("write", [str, in_words], ids=["digits", "words"])
@pytest.mark.parametrize("template", SEVERAL_COUNTS)
def test_of_several_counts_none_is_taken_even_where_they_happen_to_add_up(
    template: str, write: Callable[[int], str], highest: int
) -> None:
    for a, b, c in product(range(1, highest + 1), repeat=3):
        text = template.format(a=write(a), b=write(b), c=write(c))
        assert isinstance(read_number(text, "final"), NoValue), text


@pytest.mark.parametrize("write", [str, in_words], ids=["digits", "words"])
@pytest.mark.parametrize("template", WITH_TOTAL)
def test_the_total_is_taken_whatever_its_parts_are(template: str, write: Callable[[int], str]) -> None:
    for a, b in product(range(1, 7), repeat=2):
        text = template.format(a=write(a), b=write(b), whole=write(a + b))
        assert read_number(text, "final") == a + b, text


HOSTILE = [
    *("1, 2, 3, ", "<think>", "<think></think>", "</think>", "<answer>", "\\boxed{", "{", '{"a":', "[[", "[{", "{'"),
    *("answer: ", "The answer is ", "#### 3\n", "wait ", "no, ", "```think\n", "how many ", "neither a nor ", "三个"),
    *("(1, 2)", "<", "<p", "<|channel|>", "number of a is ", "1. a\n", "3 dogs: 1 red and 2 green. ", "one two three "),
]


@pytest.mark.parametrize(
    ("pieces", "length"),
    [
        pytest.param(HOSTILE[:3], 100_000, id="some"),
        *(pytest.param(HOSTILE, length, marks=pytest.mark.slow) for length in (LONGEST_TEXT - 1, 100_000)),
    ],
)
def test_hostile_text_is_read_in_one_pass(pieces: list[str], length: int, case: Case) -> None:
    """What takes more than one pass would not come back from these."""
    for piece in pieces:
        with case(repr(piece)):
            text = (piece * length)[:length]
            assert isinstance(read_number(text, "final"), float | NoValue)
            assert isinstance(find_answer(text), str | NoValue)


LANGUAGES = tomllib.loads((files("subitize.language") / "languages.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_number_words_stand_for_their_numbers(language: str) -> None:
    table = LANGUAGES[language]
    doubtful = table.get("doubtful", "").split()
    numbers = dict(enumerate(table["numbers"].split())) | {
        10 * n: words for n, words in enumerate(table["tens"].split(), 3)
    }
    wrong = {
        word: got
        for n, words in numbers.items()
        for word in words.split("/")
        if word != "-" and word not in doubtful
        if (got := read_number(word.replace("+", " "), "final")) != n
    }
    assert len(numbers) >= 28
    assert wrong == {}


@pytest.mark.parametrize("word", ["once", "sept", "quince", "doze", "seize", "elf", "acht", "null"])
def test_a_word_of_two_languages_is_not_read_by_itself(word: str) -> None:
    assert isinstance(read_number(word, "final"), NoValue)


def test_english_is_left_to_the_english_reader() -> None:
    assert read_foreign("There are six dogs and one cat.") is None
