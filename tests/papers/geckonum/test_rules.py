"""GeckoNum's own rules: they give every released answer, and read nothing else than digits."""

import csv
import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from subitize.language.mentions import NoValue
from subitize.language.tokens import LONGEST_TEXT
from subitize.papers.geckonum.suite import read_answer
from tests.cases import Case

# (text, the number taken; None where there is none)
ANSWERS: list[tuple[str, float | None]] = [
    ("3", 3),
    ("3-4", 3.5),
    ("3-4-8", 3.5),
    ("10+", 11),
    ("10", 10),
    ("15", 11),
    ("9-15", 11),
    ("1,10+", 1),
    ("3,8", 3),
    ("o", 0),
    ("1O+", 11),
    ("6=7", 6.5),
    ("2q", 2),
    ("04", 4),
    ("0.5", 0.5),
    ("2.5-5", 3.75),
    ("9" * 5_000, 11),
    ("three", None),
    (",3", None),
    ("", None),
]


def test_an_answer_is_read_as_in_the_release(case: Case) -> None:
    for text, number in ANSWERS:
        with case(text[:20]):
            assert read_answer(text) == (NoValue("no number") if number is None else number)


@pytest.mark.slow
def test_the_rule_gives_every_released_answer(shared_data: Path) -> None:
    files = sorted((shared_data / "geckonum").glob("task_1_*.csv"))
    assert files, f"no task_1_*.csv in {shared_data / 'geckonum'}"
    pairs: set[tuple[str, str]] = set()
    for path in files:
        with path.open(encoding="utf-8", newline="") as lines:
            pairs.update((row["raw_answer"], row["answer"]) for row in csv.DictReader(lines))
    wrong = {(raw, answer, read_answer(raw)) for raw, answer in pairs if read_answer(raw) != float(answer)}
    assert not wrong


def test_text_beyond_the_longest_is_not_read() -> None:
    assert read_answer("5 " + "x" * LONGEST_TEXT + " 6") == 5


@settings(max_examples=100, deadline=None)
@given(
    st.text(max_size=LONGEST_TEXT)
    | st.lists(st.sampled_from(["0", "5", "10+", ",", ".", "-", "o", "O", "q", "99999"])).map("".join)
)
def test_no_text_crashes_it(text: str) -> None:
    got = read_answer(text)
    assert isinstance(got, NoValue) or (math.isfinite(got) and got >= 0)
