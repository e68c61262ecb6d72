"""The seven samples of docs/walkthrough.md can be built, stored, read back, and mean what the page says."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from subitize.analysis.frame import ReadOptions, observe_run
from subitize.analysis.score import score
from subitize.records import Item, Spec, Trial
from subitize.store import Folder, Location, Run

PAGE = (Path(__file__).parents[2] / "docs" / "walkthrough.md").read_text(encoding="utf-8")
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


def _store(names: dict[str, Any], location: Location) -> Run:
    item: Item = names["item"]
    run = Run(location, create=True)
    run.add_suite(Spec(item.suite, {}, item.suite), 0, [item])
    for trial in {response.trial.model: response.trial for response in names["responses"]}.values():
        run.add_model(Spec(trial.model, trial.model_options, trial.model), is_stand_in=False)
    with run.lease("sample") as lease:
        run.add_responses(lease, names["responses"])
        run.add_readings(lease, names["readings"])
    return run


@pytest.mark.parametrize("number", range(1, 8), ids=TITLES)
def test_a_sample_survives_the_store(number: int, location: Location) -> None:
    names = list(_sections())[number]
    with _store(names, location) as run:
        assert run.items() == [names["item"]]
        assert [stored.response for stored in run.responses()] == names["responses"] != []
        assert [stored.reading for stored in run.readings()] == names["readings"] != []


# How each sample's readings become a label, and whether that is right.
SCORED = {1: ("mode", 1.0), 2: ("mode", 1.0), 3: ("geckonum", 1.0), 4: ("mode", 0.0), 5: ("mode", 1.0)}
SCORED |= {6: ("majority", 1.0), 7: ("geckonum", 1.0)}


@pytest.mark.parametrize("number", range(1, 8), ids=TITLES)
def test_a_sample_is_scored(number: int, tmp_path: Path) -> None:
    agreement, accuracy = SCORED[number]
    with _store(list(_sections())[number], Folder(tmp_path / "run")) as run:
        scores = score(observe_run(run, ReadOptions(agreement=agreement)), [])
    (found,) = [one.estimate for one in scores if one.measure == ("success" if number == 6 else "accuracy")]
    assert (found.value, found.n) == (accuracy, 1)


def test_a_trial_that_is_asked_again_is_another_trial() -> None:
    names = list(_sections())[2]
    first, second = names["first"], names["second"]
    assert isinstance(first, Trial)
    assert (first.attempt, second.attempt) == (0, 1)
    assert first.seed(0) != second.seed(0)
