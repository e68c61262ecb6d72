"""Which number each policy takes, and why it takes none."""

import pytest

from subitize.language.final import POLICIES, Policy, read_number
from subitize.language.mentions import NoValue
from tests.cases import Case
from tests.language.numeral_policy_cases import POLICY_CASES, REASONS


def test_a_policy_takes_the_number_it_promises(case: Case) -> None:
    for policy, text, expected in POLICY_CASES:
        with case(f"{policy}: {text!r}"):
            got = read_number(text, policy)
            assert isinstance(got, NoValue) if expected is None else got == expected


def test_a_discarded_text_has_a_readable_reason(case: Case) -> None:
    for text, reason in REASONS:
        with case(repr(text)):
            assert read_number(text, "strict") == NoValue(reason)


def test_strict_is_the_policy_when_none_is_named() -> None:
    assert (
        read_number("2 + 3 = 5") == read_number("2 + 3 = 5", "strict") == NoValue("several different numbers: 2, 3, 5")
    )


def test_an_unknown_policy_is_named_with_those_that_are_known() -> None:
    with pytest.raises(ValueError, match=r"no policy named 'loose'; known: strict, total, final"):
        read_number("5", "loose")  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["-3", "\u22123", "minus three", "The answer is -3."])
@pytest.mark.parametrize("policy", POLICIES)
def test_a_count_below_nothing_is_discarded(text: str, policy: Policy) -> None:
    assert read_number(text, policy) == NoValue("less than nothing: -3")
