"""Which number each policy takes, and why it takes none."""

import csv
from pathlib import Path

import pytest

from cases import Case
from numeral_policy_cases import POLICY_CASES, REASONS
from subitize.numerals import Policy, Unread, value


def test_a_policy_takes_the_number_it_promises(case: Case) -> None:
    for policy, text, expected in POLICY_CASES:
        with case(f"{policy}: {text!r}"):
            got = value(text, policy)
            assert isinstance(got, Unread) if expected is None else got == expected


def test_a_discarded_text_has_a_readable_reason(case: Case) -> None:
    for text, reason in REASONS:
        with case(repr(text)):
            assert value(text, "strict") == Unread(reason)


def test_strict_is_the_policy_when_none_is_named() -> None:
    assert value("2 + 3 = 5") == value("2 + 3 = 5", "strict") == Unread("several different numbers: 2, 3, 5")


def test_an_unknown_policy_is_named_with_those_that_are_known() -> None:
    with pytest.raises(ValueError, match=r"no policy named 'loose'; known: strict, total, geckonum"):
        value("5", "loose")  # type: ignore[arg-type]


def test_geckonum_policy_equals_every_released_answer(shared_data: Path) -> None:
    files = sorted((shared_data / "geckonum").glob("task_1_*.csv"))
    assert files, f"no task_1_*.csv in {shared_data / 'geckonum'}"
    pairs: set[tuple[str, str]] = set()
    for path in files:
        with path.open(encoding="utf-8", newline="") as lines:
            pairs.update((row["raw_answer"], row["answer"]) for row in csv.DictReader(lines))
    wrong = {(raw, answer, value(raw, "geckonum")) for raw, answer in pairs if value(raw, "geckonum") != float(answer)}
    assert not wrong


@pytest.mark.parametrize("text", ["-3", "\u22123", "minus three", "The answer is -3."])
@pytest.mark.parametrize("policy", ["strict", "total"])
def test_a_count_below_nothing_is_discarded(text: str, policy: Policy) -> None:
    assert value(text, policy) == Unread("less than nothing: -3")
