"""What nobody can wait for is refused at once, with what it would take; nothing is made."""

from pathlib import Path

import pytest

from subitize.errors import BadValueError
from subitize.evaluate.plan import MOST_ANSWERS, MOST_ITEMS, check_size
from subitize.papers.numbersense.suite import Naming
from subitize.registry import make_suite
from tests.cases import Case
from tests.commands import call

HUGE = 100_000_000_000


def test_what_would_take_years_is_refused_with_what_it_takes(tmp_path: Path, case: Case) -> None:
    out = ["--out", tmp_path / "out"]
    for arguments, messages in (
        (
            ["run", "naming", "--model", "random", "--repeats", HUGE, *out],
            ("8,000 items so often are 800,000,000,000,000 answers, 800,000 TB", "25,368 years", "at most 100,000,000"),
        ),
        (
            ["make", "stimuli", "--images", HUGE, *out],
            ("has 16,000,000,000,000 items, 16,000 TB of disk", "507 years", "--limit"),
        ),
        (["run", f"naming:images={HUGE}", "--model", "random", *out], ("has 16,000,000,000,000 items",)),
        (["make", "prompts", f"naming:images={HUGE}"], ("has 16,000,000,000,000 items",)),
        (["run", "naming", "--model", "random", "--concurrency", HUGE, *out], ("should be at most 10,000",)),
        (["make", "plan", "accuracy", "--prompts", HUGE], ("should be from 2 to 100000",)),
    ):
        with case(" ".join(map(str, arguments[:2]))):
            finished = call(*arguments)
            assert (finished.code, finished.err.count("\n")) == (2, 1), finished
            for message in messages:
                assert message in finished.err
    assert list(tmp_path.iterdir()) == []


def test_a_limit_takes_of_a_suite_that_is_too_large(tmp_path: Path) -> None:
    pictures = ["--images", HUGE, "--numbers", "1-3", "--categories", "dots", "--limit", 3]
    assert call("make", "stimuli", *pictures, "--out", tmp_path / "out").code == 0
    assert len(list((tmp_path / "out").glob("*.png"))) == 3


def test_a_limit_above_what_a_suite_has_is_no_reason_to_refuse() -> None:
    few = make_suite("naming:images=1,numbers=1,categories=dots,wordings=things")
    check_size(few, 0, MOST_ITEMS, MOST_ANSWERS)
    with pytest.raises(BadValueError, match="`repeats` 100,000,001: 1 items so often are"):
        check_size(few, 0, None, MOST_ANSWERS + 1)


@pytest.mark.parametrize("control_question", [True, False])
def test_a_suite_counts_its_items_as_it_makes_them(control_question: bool) -> None:
    for categories in (("apples", "dots"), ("dots",)):
        suite = Naming(images=3, numbers=(1, 2), categories=categories, control_question=control_question)
        assert suite.count_items() == len(list(suite.items(0)))
