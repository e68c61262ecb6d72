"""Reviews and adjudications settle labels where that is asked for, and are nobody's independent answer."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from subitize.analysis.agreement import JudgePair, agree_run, compare_judge
from subitize.analysis.frame import ReadOptions, read_frame
from subitize.labels import CANNOT_TELL, parse_rule
from subitize.records import Count, Discarded, Known, Reading, Spec, Subject, Words
from subitize.store import Run
from subitize.store.rows import count_by_source
from tests.annotation.studies import folder, item, make_run
from tests.commands import call

PAGES = 30
PEOPLE = ("anna", "ben", "chris")
RULE = str(parse_rule("strict"))


def _reading(trial: str, judge: str, annotator: str, value: int) -> Reading:
    return Reading(Subject((trial,)), Count("cat"), judge, Words(str(value)), RULE, Known(value), annotator)


@pytest.fixture(scope="module")
def settled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, list[int | None]]]:
    """Three people and a machine; a reviewer looks at some answers, an adjudicator at some pictures.

    The labels that follow are worked out here, one by one.
    """
    path = tmp_path_factory.mktemp("adjudication")
    make_run(folder(path), [item(f"cats/{place:02}", Count("cat"), "?", prompt=f"{place}") for place in range(PAGES)])
    lot = np.random.default_rng(3)
    labels: dict[str, list[int | None]] = {"plurality": [], "adjudicated": []}
    with Run(folder(path)) as run, run.lease("judge human") as lease:
        for judge in ("human", "machine"):
            run.add_judge(Spec(judge, {}, judge), is_stand_in=False)
        for stored in sorted(run.responses(), key=lambda one: one.item_id):
            trial, said = stored.trial_id, [int(value) for value in lot.integers(1, 4, len(PEOPLE))]
            own = [_reading(trial, "human", name, value) for name, value in zip(PEOPLE, said, strict=True)]
            run.add_readings(lease, [*own, _reading(trial, "machine", "", 2)])
            labels["plurality"].append(_most_frequent(said))
            number = {one.reading.annotator: one.id for one in run.readings("human", [stored.item_id])}
            for place, name in enumerate(PEOPLE):
                if lot.random() < 0.3:
                    said[place] = int(lot.integers(1, 4))
                    review = replace(own[place], annotator="ruth", purpose="review", reviews=number[name])
                    wrong = replace(review, evidence=Words("9"), value=Known(9))
                    first = [] if lot.random() < 0.5 else [wrong]  # of two reviews the later one stands
                    right = replace(review, evidence=Words(str(said[place])), value=Known(said[place]))
                    run.add_readings(lease, [*first, right])
            label = _most_frequent(said)
            if lot.random() < 0.3:
                label = 7
                run.add_readings(lease, [replace(_reading(trial, "human", "otto", 7), purpose="adjudication")])
            elif lot.random() < 0.5:
                told = f"{CANNOT_TELL}withdrawn"
                undecided = replace(_reading(trial, "human", "otto", 8), evidence=Words(told), value=Discarded(told))
                run.add_readings(lease, [replace(undecided, purpose="adjudication")])
            labels["adjudicated"].append(label)
    return path, labels


def _most_frequent(said: list[int]) -> int | None:
    (winner, count), *others = Counter(said).most_common()
    return None if any(count == other for _, other in others) else winner


@pytest.mark.parametrize("rule", ["plurality", "adjudicated"])
def test_labels_are_those_worked_out_one_by_one(settled: tuple[Path, dict[str, list[int | None]]], rule: str) -> None:
    path, labels = settled
    with Run(folder(path)) as run:
        rows = read_frame(run, ReadOptions("human", agreement=rule)).observations.rows.sort("item")
        anew = read_frame(run, ReadOptions("human", parse_rule("total"), rule)).observations.rows.sort("item")
    found = [None if value is None else int(value) for value in rows["value"]]
    assert found == [None if value is None else int(value) for value in anew["value"]] == labels[rule]
    assert labels["plurality"] != labels["adjudicated"]


def test_reviewers_and_adjudicators_are_no_annotators_in_agreement(
    settled: tuple[Path, dict[str, list[int | None]]],
) -> None:
    path, labels = settled
    with Run(folder(path)) as run:
        (concord,) = agree_run(run, "human")
        assert (concord.annotators, concord.votes) == (len(PEOPLE), PAGES * len(PEOPLE))
        own = {one.annotator: one.readings for one in count_by_source(run) if one.judge == "human"}
        assert own == dict.fromkeys(PEOPLE, PAGES)
        assert sum(one.readings for one in count_by_source(run)) == PAGES * (len(PEOPLE) + 1)
        by_rule = {rule: compare_judge(run, JudgePair("machine", "human", rule))[0] for rule in labels}
    for rule, expected in labels.items():
        known = [label for label in expected if label is not None]
        assert by_rule[rule].agreement.exact.value == pytest.approx(known.count(2) / len(known))
        assert by_rule[rule].annotators == len(PEOPLE)
    assert by_rule["adjudicated"].ceiling == by_rule["plurality"].ceiling


def test_the_rule_is_reached_from_the_commands(settled: tuple[Path, dict[str, list[int | None]]]) -> None:
    path, labels = settled
    run = path / "run"
    known = [label for label in labels["adjudicated"] if label is not None]
    rows = call("score", run, "--judge", "human", "--agreement", "adjudicated", "--json").json()
    (accuracy,) = [row for row in rows if row["measure"] == "accuracy" and row["group"] == "all"]
    assert accuracy["value"] == pytest.approx(known.count(2) / len(known))
    agreed = call("agree", run, "--judge", "machine", "--against", "human", "--agreement", "adjudicated", "--json")
    assert agreed.json()[0]["rule"] == "adjudicated"
    adjudicated = labels["adjudicated"].index(7)
    assert (
        "by human otto of artist, repeat 0: count:cat = 7" in call("show", run, f"sketches/cats/{adjudicated:02}").out
    )


@pytest.mark.slow
def test_a_report_is_made_by_the_rule_that_is_named(
    settled: tuple[Path, dict[str, list[int | None]]], tmp_path: Path
) -> None:
    path, labels = settled
    for rule, expected in labels.items():
        page, tables = tmp_path / f"{rule}.html", tmp_path / rule
        assert call("report", path / "run", "-o", page, "--tables", tables, "--agreement", rule).code == 0
        board = {row["Model"]: row for row in pl.read_csv(tables / "sketches-leaderboard.csv").iter_rows(named=True)}
        known = [label for label in expected if label is not None]
        assert board["artist · human"]["Accuracy"] == pytest.approx(known.count(2) / len(known))
        assert f'several readings</dt><dd><bdi class="line">{rule}</bdi>' in page.read_text("utf-8")
    unknown = call("report", path / "run", "-o", tmp_path / "none.html", "--agreement", "none")
    assert (unknown.code, unknown.out, (tmp_path / "none.html").exists()) == (2, "", False)
    assert "no consensus rule named 'none'" in unknown.err
