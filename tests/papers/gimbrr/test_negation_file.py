"""The task of negation, rebuilt as a suite in a file: examples/negation.yaml."""

from pathlib import Path

import pytest

from subitize.records import Item
from subitize.registry import make_suite
from tests.commands import call

FILE = Path(__file__).parents[3] / "examples" / "negation.yaml"


def by_task(spec: str) -> dict[str, list[Item]]:
    found: dict[str, list[Item]] = {}
    for item in make_suite(spec).obj.items(0):
        found.setdefault(str(item.factors["task"]), []).append(item)
    return found


def shape(item: Item) -> list[tuple[object, ...]]:
    """What is asked about an item's picture, but for the words."""
    questions = [(ask, ask.question) for ask in item.asks]
    return [
        (question.kind, " ".join(question.id.split()[:3]), question.is_informed, ask.is_relevant, ask.expects)
        for ask, question in questions
    ]


def test_its_items_ask_what_the_task_asks() -> None:
    ours, theirs = by_task(str(FILE)), by_task("gimbrr:tasks=negation,linked=true")
    assert set(ours) == set(theirs) == {"negation", "single"}
    for task in ours:  # of the task some prompts are about what is not counted: "there is no snow"
        asked = {tuple(shape(item)) for item in ours[task]}
        assert len(asked) == 1
        assert asked <= {tuple(shape(item)) for item in theirs[task]}
    singles = {item.id.partition("/")[2] for item in ours["single"]}
    assert {item.factors["linked"] for item in ours["negation"]} == singles


@pytest.mark.slow
def test_who_draws_as_told_matches_and_who_draws_nothing_does_not(tmp_path: Path) -> None:
    run = tmp_path / "run"
    exact, empty = "painter:size_px=512", "painter:omit=1,size_px=512"
    made = call("run", FILE, "--model", exact, "--model", empty, "--out", run)
    assert made.code == 0, made.err
    scores = call("score", run, "--by", "task", "--json").json()
    found = {(one["model"], one["group"]): one for one in scores if one["measure"] == "accuracy"}
    assert {(model, one["value"], one["n"]) for (model, group), one in found.items() if group == "negation"} == {
        (exact, 1.0, 42),
        (empty, 0.0, 42),
    }
