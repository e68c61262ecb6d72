"""GIMBRR's tables: the authors' figures to the digits, and of any other ratings what plain counting gives."""

from collections import defaultdict
from pathlib import Path

import pytest

from subitize.analysis.design import estimate_by
from subitize.analysis.published import ComparedCell
from subitize.papers.gimbrr.prompts import ALL
from subitize.papers.gimbrr.ratings import TaskRatings, add_pooled
from subitize.papers.gimbrr.release import read_release, take_released
from subitize.papers.gimbrr.tables import compare, compute_tables
from tests.cases import Case
from tests.commands import call
from tests.papers.gimbrr.gimbrr_release import DIRECTORY, RATINGS, read_rows

MODELS = ("Dalle", "MJ", "SD1.5", "SD2.1")
BY_TASK = {
    "chimeras": (19, 18, 5, 17),
    "compositional": (70, 71, 49, 62),
    "conditional": (37, 25, 43, 43),
    "counting": (29, 44, 6, 21),
    "actions": (51, 41, 10, 10),
    "multiple": (53, 28, 10, 12),
    "negation": (66, 23, 42, 53),
    "arithmetic": (0, 0, 0, 0),
    "single": (97.61, 93.63, 75.10, 61.16),
    "spatial": (34, 8, 14, 12),
    "text": (5, 0, 2, 3),
    "unusual": (23, 16, 4, 10),
}
CONTROLLED = {
    "controlled-single": (98, 93, 100, 55),
    "controlled-multiple": (76, 77, 90, 20),
    "controlled-counting": (46, 48, 5, 32),
    "controlled-two-counting": (0, 0, 0, 1),
    "controlled-arithmetic": (0, 0, 0, 0),
}
POOLED = {
    "counting-by-number": dict(
        zip(map(str, range(2, 13)), (60.0, 61.1, 50.0, 22.2, 22.2, 13.9, 13.9, 11.1, 5.6, 2.8, 8.3), strict=True)
    ),
    "multiple-by-size": {
        "common|2": 36.8,
        "common|3": 29.7,
        "common|4": 20.6,
        "uncommon|2": 34.4,
        "uncommon|3": 23.5,
        "uncommon|4": 10.3,
    },
    "covariates": {
        "target|first": 45.3,
        "target|second": 29.3,
        "adjective|no": 41.5,
        "adjective|yes": 31.9,
        "features|2": 25.5,
        "features|3": 4.0,
        "relation|on top of": 22.5,
        "relation|under": 20.8,
        "relation|behind": 13.2,
        "relation|in front of": 23.7,
        "relation|to the left of": 4.2,
        "relation|to the right of": 10.4,
        "controlled-counting|2": 65.0,
        "controlled-counting|4": 50.0,
        "controlled-counting|6": 22.5,
        "controlled-counting|8": 18.8,
        "controlled-counting|12": 7.5,
    },
}
REGRESSIONS = {
    "single": {"b": 0.394, "p": 0.0970, "n": 36},
    "single|first-ratings": {"b": 0.398, "p": 0.092},
    "single|links-repeated": {"b": 0.363, "p": 0.110},
    "related": {"b": 0.621, "p": 0.0047, "n": 12},
    "unrelated": {"p": 0.7894, "n": 8},
    "interaction": {"p": 0.1644, "df": 16, "n": 20},
    "main": {"b": 0.361, "p": 0.0312, "p-coefficient": 0.0602, "sum-of-squares": 0.101, "df": 16},
}

Cells = dict[tuple[str, str, str], ComparedCell]


@pytest.fixture(scope="module")
def cells(released_ratings: TaskRatings) -> Cells:
    found = compare(compute_tables(released_ratings), released_ratings.models)
    return {(cell.table, cell.row, cell.column): cell for cell in found}


def value(cell: ComparedCell) -> float:
    assert isinstance(cell.ours, float | int)
    return float(cell.ours)


def test_the_authors_figures_come_out_to_the_digits_known(cells: Cells, case: Case) -> None:
    for model, share in zip(MODELS, (54.74, 46.44, 35.08, 34.33), strict=True):
        with case(model):
            assert value(cells["overall", "all", model]) == pytest.approx(share, abs=0.005)
    for table, known in (("tasks", BY_TASK), ("controlled", CONTROLLED)):
        for task, shares in known.items():
            for model, share in zip(MODELS, shares, strict=True):
                with case((task, model)):
                    assert value(cells[table, ALL[task].title, model]) == pytest.approx(share, abs=0.005)
    for table, rows in POOLED.items():
        assert {row for of, row, _ in cells if of == table} == set(rows)
        for row, share in rows.items():
            with case((table, row)):
                assert value(cells[table, row, "pooled"]) == pytest.approx(share, abs=0.0501)


def test_the_authors_regressions_come_out_to_the_digits_known(cells: Cells, case: Case) -> None:
    for row, figures in REGRESSIONS.items():
        for column, figure in figures.items():
            with case((row, column)):
                digits = len(str(figure).partition(".")[2]) or 4
                assert value(cells["regressions", row, column]) == pytest.approx(figure, abs=0.5001 * 10**-digits)
    assert "links" not in str(cells["regressions", "single", "convention"].ours)
    assert "sum of squares as b" in str(cells["regressions", "main", "convention"].ours)


def test_verdicts_know_what_is_cut_and_what_is_not_printed(cells: Cells, case: Case) -> None:
    verdicts = {
        ("overall", "all", "Dalle"): "truncated",
        ("overall", "all", "MJ"): "exact",
        ("overall", "all", "SD2.1"): "exact",
        ("overall", "all", "SD1.5"): "not published",
        ("regressions", "single", "p"): "truncated",
        ("regressions", "related", "b"): "exact",
        ("regressions", "related", "p"): "exact",
        ("regressions", "unrelated", "p"): "truncated",
        ("regressions", "interaction", "p"): "exact",
        ("regressions", "interaction", "df"): "exact",
        ("regressions", "main", "b"): "differs",
        ("regressions", "main", "p"): "exact",
    }
    for place, verdict in verdicts.items():
        with case(place):
            assert cells[place].verdict == verdict
    assert cells["regressions", "related", "p"].published == "<0.01"
    printed = {place for place, cell in cells.items() if cell.verdict != "not published"}
    assert printed == {place for place, verdict in verdicts.items() if verdict != "not published"}


def test_shares_have_intervals_over_prompts(cells: Cells) -> None:
    """Controlled single objects are twenty prompts, five times each: a hundred ratings that are not independent."""
    one = cells["controlled", "Controlled single object", "SD2.1"]
    other = cells["tasks", "Compositional characteristics", "SD2.1"]
    assert (one.n, other.n) == (100, 100)
    assert "20 prompts and 20 nouns" in one.method
    assert one.low is not None
    assert one.high is not None
    assert one.high - one.low > 1.5 * (float(other.high or 0) - float(other.low or 0))
    assert all(cell.low is not None for cell in cells.values() if cell.table != "regressions")


def test_other_models_are_not_held_against_the_papers_regressions(released_ratings: TaskRatings) -> None:
    rows = released_ratings.rows
    some = TaskRatings(rows.filter(rows["model"] != "SD1.5"))
    found = compare(compute_tables(some), some.models)
    assert all(cell.published is None for cell in found if cell.table == "regressions")
    assert {cell.published for cell in found if cell.table == "overall"} == {54.0, 46.0, 34.0, None}


def test_shares_are_those_of_plain_counting(made_up: Path) -> None:
    counted: dict[tuple[str, str], list[bool]] = defaultdict(list)
    extras = {row["ID"]: row for row in read_rows(made_up / DIRECTORY)}
    for row in read_rows(made_up / RATINGS):
        is_right = row["annotation"] == "True"
        counted["tasks", f"{row['Task']} {row['Algorithm']}"].append(is_right)
        if not row["Task"].startswith("Controlled"):
            counted["overall", f"all {row['Algorithm']}"].append(is_right)
        if row["Task"] == "Multiple objects":
            kind = "common" if extras[row["ID"]]["Common"] == "True" else "uncommon"
            counted["multiple-by-size", f"{kind}|{extras[row['ID']]['Num_objects'][0]} pooled"].append(is_right)
    cells = call("report", "reproduce", "gimbrr", made_up, "--json").json()
    found = {(cell["table"].replace("controlled", "tasks"), f"{cell['row']} {cell['column']}"): cell for cell in cells}
    for place, ratings in counted.items():
        assert found[place]["ours"] == pytest.approx(100 * sum(ratings) / len(ratings)), place
        assert found[place]["n"] == len(ratings)
        assert found[place]["low"] <= found[place]["ours"] <= found[place]["high"]


@pytest.mark.slow
def test_the_tables_of_an_imported_run_are_those_of_the_files(made_up: Path, tmp_path: Path) -> None:
    done = call("import", "release", "gimbrr", made_up, "--out", tmp_path / "run")
    assert done.code == 0, done.err
    assert "MIT licence" in done.err
    from_files = call("report", "reproduce", "gimbrr", made_up, "--json", "--extensions")
    from_run = call("report", "tables", tmp_path / "run", "--paper", "gimbrr", "--json", "--extensions")
    assert from_files.out == from_run.out
    assert {"correlations", "regressions", "linked-singles"} <= {cell["table"] for cell in from_files.json()}


def test_tables_are_printed_with_the_models_full_names(made_up: Path) -> None:
    text = call("report", "reproduce", "gimbrr", made_up).out
    for expected in ("DALL-E 2", "Midjourney", "SD 1.5", "pooled", "(54)", "verdicts", "single: least squares"):
        assert expected in text
    assert "Dalle" not in text.partition("claims")[0]


def test_one_model_has_tables_but_no_regression_on_multiple_objects(made_up: Path) -> None:
    ratings = take_released(read_release(made_up))
    one = TaskRatings(ratings.rows.filter(ratings.rows["model"] == "MJ"))
    rows = {cell.place.row for cell in compute_tables(one) if cell.place.table == "regressions"}
    assert rows == {"single", "single|first-ratings", "single|links-repeated"}
    shares = estimate_by(add_pooled(one.benchmark), "right", "model")
    assert shares["MJ",].value == shares["pooled",].value
