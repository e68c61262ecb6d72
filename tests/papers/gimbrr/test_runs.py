"""GIMBRR's ratings from a run of any models: what counts as a rating, what is wrong, and what is in no figure."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from subitize.analysis.papers import read_judged, tabulate
from subitize.errors import NothingToDoError
from subitize.labels import Rule, interpret
from subitize.papers.gimbrr import PAPER, tables
from subitize.papers.gimbrr.suite import MATCH
from subitize.records import (
    Draw,
    Drawn,
    Elsewhere,
    Item,
    Provenance,
    Reading,
    Refused,
    Response,
    Spec,
    Subject,
    Trial,
    Words,
)
from subitize.store import Folder, Run
from tests.commands import call

ANSWERS: Mapping[str, Sequence[str]] = {
    "counting-1": ["yes"],
    "counting-2": ["no"],
    "counting-3": ["yes", "no"],  # two people who disagree
    "counting-4": ["who knows"],
    "counting-5": [],
    "counting-6": ["yes"],
}
REFUSED = "counting-7"


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    keys = [*ANSWERS, REFUSED]
    items = [Item(f"gimbrr/{key}", Draw(key), (MATCH,), {"task": "counting", "number": 2}) for key in keys]
    with Run(Folder(tmp_path / "run"), create=True) as made:
        made.add_suite(Spec("gimbrr", {}, "gimbrr"), 0, items)
        made.add_model(Spec("m", {}, "m"), is_stand_in=False)
        made.add_judge(Spec("human", {}, "human"), is_stand_in=False)
        trials = {key: Trial(item.id, "m", {}) for key, item in zip(keys, items, strict=True)}
        with made.lease("test") as lease:
            made.add_judged(
                lease,
                (
                    Response(trial, Refused("no") if key == REFUSED else Drawn(Elsewhere(key)), Provenance(0, key))
                    for key, trial in trials.items()
                ),
                (read(trials[key], said, person) for key, own in ANSWERS.items() for person, said in enumerate(own)),
            )
        yield made


def test_tables_show_names_and_programs_get_specs_too(run: Run) -> None:
    run.add_model(Spec("m", {}, "m"), is_stand_in=False, name="Mine")
    assert all(warning.startswith("Mine: ") for warning in warnings(run, run.model_names()))
    folder = run.location.path  # type: ignore[union-attr]
    printed = call("report", "tables", folder, "--paper", "gimbrr")
    assert printed.code == 0, printed.err
    assert "Mine" in printed.out
    rows = call("report", "tables", folder, "--paper", "gimbrr", "--json").json()
    assert {(row["column"], row.get("column_name")) for row in rows if row["table"] == "overall"} == {
        ("m", "Mine"),
        ("pooled", None),
    }


def read(trial: Trial, said: str, person: int) -> Reading:
    evidence, question, rule = Words(said), MATCH.question, Rule("votes")
    value = interpret(evidence, question, rule)
    return Reading(Subject((trial.id,)), question, "human", evidence, str(rule), value, str(person))


def warnings(run: Run, names: Mapping[str, str] | None = None) -> list[str]:
    seen = read_judged(run, "gimbrr", PAPER, None)
    return [*tabulate(PAPER, tables.rows(seen), seen, extensions=False, names=names).warnings]


def rated(run: Run) -> dict[str, list[float]]:
    rows = tables.rows(read_judged(run, "gimbrr", PAPER, None))
    return {key: rows.filter(rows["key"] == key)["right"].to_list() for key in rows["key"].unique(maintain_order=True)}


def test_every_answer_is_a_rating_and_a_refusal_does_not_match(run: Run) -> None:
    """An answer that says nothing is wrong, as anywhere; what nobody looked at is in no figure, and told."""
    assert rated(run) == {
        "counting-1": [1.0],
        "counting-2": [0.0],
        "counting-3": [1.0, 0.0],
        "counting-4": [0.0],
        "counting-6": [1.0],
        REFUSED: [0.0],
    }
    doubled, unrated = warnings(run)
    assert doubled.startswith("m: more than one rating of 1 image, 1 of them once yes and once no (counting-3)")
    assert unrated == "m: no certain rating, and so no place in any figure, for 1 image"


def test_what_is_excluded_by_hand_is_in_no_figure_and_no_warning(run: Run) -> None:
    for key in ("counting-5", "counting-6"):
        run.exclude(f"gimbrr/{key}", "blurred")
    assert "counting-6" not in rated(run)
    assert len(warnings(run)) == 1


def test_a_run_of_which_nothing_is_rated_says_so(tmp_path: Path) -> None:
    item = Item("gimbrr/1", Draw("x"), (MATCH,), {"task": "counting"})
    with Run(Folder(tmp_path / "new"), create=True) as made:
        made.add_suite(Spec("gimbrr", {}, "gimbrr"), 0, [item])
        with pytest.raises(NothingToDoError, match="has no responses yet"):
            read_judged(made, "gimbrr", PAPER, None)
