"""The seven samples of docs/walkthrough.md can be built, stored, read back, and mean what the page says."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from subitize.records import Item, Reading, Response, Spec, Trial
from subitize.store import Location, Run

PAGE = (Path(__file__).parent.parent / "docs" / "walkthrough.md").read_text(encoding="utf-8")
SECTIONS = re.split(r"^## ", PAGE, flags=re.MULTILINE)
TITLES = [section.splitlines()[0] for section in SECTIONS[1:]]


def _sections() -> Iterator[dict[str, Any]]:
    """Run the page from top to bottom and give the names that stand after each section."""
    names: dict[str, Any] = {}
    for section in SECTIONS:
        for code in re.findall(r"```python\n(.*?)```", section, flags=re.DOTALL):
            exec(compile(code, section.splitlines()[0], "exec"), names)
        yield dict(names)


def test_the_page_has_the_seven_samples() -> None:
    assert [title[0] for title in TITLES] == list("1234567")


def test_every_word_is_used_on_the_page() -> None:
    words = "item ask picture trial response question subject judge evidence reading label estimate"
    assert [word for word in words.split() if f"**{word}**" not in PAGE] == []


@pytest.mark.parametrize("number", range(1, 8), ids=TITLES)
def test_a_sample_survives_the_store(number: int, location: Location) -> None:
    names = list(_sections())[number]
    item: Item = names["item"]
    responses: list[Response] = names["responses"]
    readings: list[Reading] = names["readings"]
    with Run(location, create=True) as run:
        run.add_suite(Spec(item.suite, {}, item.suite), 0, [item])
        for trial in {response.trial.model: response.trial for response in responses}.values():
            run.add_model(Spec(trial.model, trial.model_options, trial.model), is_stand_in=False)
        with run.lease("sample") as lease:
            run.add_responses(lease, responses)
            run.add_readings(lease, readings)
        assert run.items() == [item]
        assert [stored.response for stored in run.responses()] == responses
        assert [stored.reading for stored in run.readings()] == readings


def test_a_trial_that_is_asked_again_is_another_trial() -> None:
    names = list(_sections())[2]
    first, second = names["first"], names["second"]
    assert isinstance(first, Trial)
    assert (first.attempt, second.attempt) == (0, 1)
    assert first.seed(0) != second.seed(0)
