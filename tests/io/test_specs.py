"""Specs as users write them."""

import pytest

from subitize.errors import BadValueError
from subitize.io.specs import drop_address, split_name, with_address
from tests.cases import Case

NAMED = {
    "Claude=openai:m,base_url=http://h/v1": ("Claude", "openai:m,base_url=http://h/v1"),
    "a b (c) <d> [e] é=random": ("a b (c) <d> [e] é", "random"),
    "x=painter:weber=0.3": ("x", "painter:weber=0.3"),
    "painter:weber=0.3": ("", "painter:weber=0.3"),
    "random": ("", "random"),
    "vlm:openai:m": ("", "vlm:openai:m"),
}
BAD = ["=random", " =random", " a=random", "a =random", "a\nb=random", "a\x1b[31m=random", "a\u202eb=random"]


def test_a_name_stands_before_a_spec(case: Case) -> None:
    for text, parts in NAMED.items():
        with case(text):
            assert split_name(text) == parts


def test_a_name_that_could_not_be_shown_is_refused(case: Case) -> None:
    for text in [*BAD, "painter,weber=0.3", f"{'x' * 61}=random"]:
        with case(text), pytest.raises(BadValueError, match=r"the name .* should be 1 to 60 printable characters"):
            split_name(text)


def test_an_address_is_written_into_a_spec_and_taken_out_again(case: Case) -> None:
    address = "https://h/openai?api-version=2026-01-01"
    for spec in ("openai:m", "openai:m,temperature=0", "vlm:openai:org/m:tag,policy=total", "openai:m,system=a, b"):
        with case(spec):
            assert drop_address(with_address(spec, address)) == spec
            assert drop_address(spec) == spec
    assert with_address("openai:m,temperature=0", "http://h/v1") == "openai:m,base_url=http://h/v1,temperature=0"
