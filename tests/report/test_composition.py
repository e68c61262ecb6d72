"""What a report says where runs differ: each is scored by itself, and beside what it can be compared with."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from subitize.analysis.counting import write_range
from subitize.errors import NothingToDoError
from subitize.interfaces import NoEvents
from subitize.records import (
    Answer,
    Ask,
    Draw,
    Drawn,
    Elsewhere,
    Estimate,
    Item,
    Known,
    MatchesPrompt,
    Refused,
    Said,
    Spec,
    Stimulus,
)
from subitize.report.compose import build_report
from subitize.report.series import read_sources
from subitize.report.table import Document, Facts, Figure, Paragraph, Section, Table
from subitize.report.texts import slug
from subitize.store import Run
from tests.report.report_runs import STRANGE, composed, exact, fill, naming_items, new_run, unnumbered

SAME = Spec("sayer", {}, "sayer")
PAPER = ("apples", "people", "butterflies", "dots", "fastcards")
OTHER_DESIGN = "Published figures are for the numbers 1–10 and the paper’s five categories"


def table(document: Document, name: str) -> Table:
    tables = (*document.tables(), *(figure.data for figure in document.figures()))
    return next(table for table in tables if table.name == name)


def column(found: Table, name: str) -> dict[object, object]:
    place = [column.name for column in found.columns].index(name)
    return {row.cells[0]: row.cells[place] for row in found.rows}


def confusion(document: Document) -> Figure:
    return next(figure for figure in document.figures() if figure.name == "naming-confusion")


def max_response(figure: Figure) -> int:
    layers = figure.spec["vconcat"][0]["spec"]["layer"]
    return int(max(one["encoding"]["y"]["scale"]["domain"][0] for one in layers if "y" in one["encoding"]))


def texts(sections: Sequence[Section]) -> list[str]:
    return [
        text
        for section in sections
        for text in (
            *(block.text for block in section.blocks if isinstance(block, Paragraph)),
            *texts(section.sections),
        )
    ]


def counting(folder: Path, items: Sequence[Item], *, model: Spec = SAME) -> Run:
    run = new_run(folder, "naming", items)
    fill(run, items, model, exact)
    return run


def numbered(numbers: Sequence[int], categories: Sequence[str] = ("apples", "dots")) -> list[Item]:
    """Make items of these numbers and categories."""
    first = naming_items()[0]
    return [
        replace(
            first,
            id=f"naming/{category}/{number}/0/category",
            asks=tuple(replace(ask, expects=(number,)) for ask in first.asks),
            factors={**first.factors, "number": number, "category": category},
        )
        for category in categories
        for number in numbers
    ]


FEW = numbered([1, 2])


def strange(folder: Path, *, is_right: bool) -> Run:
    """Make a run as `unnumbered`, of the same model, always right or never."""
    with unnumbered(folder / "pattern") as pattern:
        items = pattern.items()
    run = new_run(folder / "run", STRANGE, items)
    fill(run, items, SAME, lambda _, place: (Said("yes"), Known(is_right)))
    return run


def exclude_all(run: Run) -> None:
    for item in run.items():
        run.exclude(item.id, "misprinted")


def accuracy(cell: object) -> tuple[float, int]:
    assert isinstance(cell, Estimate)
    return cell.value, cell.n


@pytest.mark.slow
def test_the_same_model_in_two_runs_is_scored_in_each(tmp_path: Path) -> None:
    with strange(tmp_path / "a", is_right=True) as one, strange(tmp_path / "b", is_right=False) as other:
        sources = read_sources([one, other])
        document = build_report(sources, NoEvents())
    labels = [f"sayer ({source.name})" for source in sources]
    found = column(table(document, f"{slug(STRANGE)}-leaderboard"), "Accuracy")
    assert [accuracy(found[label]) for label in labels] == [(1.0, 8), (0.0, 8)]
    found = column(table(document, f"{slug(STRANGE)}-by-{slug('kind of prompt')}"), "plain")
    assert [accuracy(found[label]) for label in labels] == [(1.0, 4), (0.0, 4)]


@pytest.mark.slow
def test_the_same_model_in_two_runs_is_told_apart_by_the_run(tmp_path: Path) -> None:
    with counting(tmp_path / "may", FEW) as may, counting(tmp_path / "june", FEW) as june:
        rows = table(composed(may, june), "naming-leaderboard").rows
    assert {row.cells[0] for row in rows if not row.badge} == {"sayer (may)", "sayer (june)"}


def test_an_excluded_suite_is_a_note_and_the_others_are_reported(tmp_path: Path) -> None:
    with counting(tmp_path / "named", FEW) as one, unnumbered(tmp_path / "odd") as other:
        exclude_all(other)
        document = composed(one, other)
    assert "sayer: all 8 observations are excluded by hand; it is in no figure." in texts(document.sections)
    assert "naming-leaderboard" in {table.name for table in document.tables()}


@pytest.mark.slow
def test_an_excluded_run_is_a_note_beside_the_other_of_its_suite(tmp_path: Path) -> None:
    with counting(tmp_path / "may", FEW) as may, counting(tmp_path / "june", FEW) as june:
        exclude_all(june)
        document = composed(may, june)
    assert "sayer (june): all 4 observations are excluded by hand; it is in no figure." in texts(document.sections)
    assert "sayer (may)" in column(table(document, "naming-leaderboard"), "Accuracy")


def test_a_report_of_nothing_is_refused_with_the_remedy(tmp_path: Path) -> None:
    with counting(tmp_path / "named", FEW) as one, unnumbered(tmp_path / "odd") as other:
        exclude_all(one)
        exclude_all(other)
        with pytest.raises(NothingToDoError, match="observations are excluded; take an exclusion back with"):
            composed(one, other)


@pytest.mark.slow
def test_each_set_of_numbers_has_its_baselines(tmp_path: Path) -> None:
    with counting(tmp_path / "a", numbered(range(1, 4))) as one, counting(tmp_path / "b", numbered([1, 2, 15])) as two:
        alone, both = composed(one), composed(one, two)
    shown = [
        {row.cells[0] for row in table(document, "naming-leaderboard").rows if row.badge == "baseline"}
        for document in (alone, both)
    ]
    assert shown[0] == {"perfect counter", "ideal human", "random"}
    assert shown[1] == {f"{name}, {numbers}" for name in shown[0] for numbers in ("1–3", "1–2, 15")}


@pytest.mark.parametrize(
    ("numbers", "text"), [(range(1, 11), "1–10"), ((1, 2, 4), "1–2, 4"), ((5,), "5")], ids=["one", "two", "single"]
)
def test_a_range_is_written_in_short(numbers: Sequence[int], text: str) -> None:
    assert write_range(numbers) == text


@pytest.mark.slow
def test_a_confusion_matrix_says_where_its_ceiling_is(tmp_path: Path) -> None:
    """Where no response comes near it, the matrix ends with the numbers of the task, and there is no ceiling."""
    beyond = Spec("beyond", {}, "beyond")
    with counting(tmp_path / "a", numbered(range(1, 4))) as one, counting(tmp_path / "b", numbered([1, 2, 15])) as two:
        figures = [confusion(composed(one))]
        fill(one, numbered(range(1, 4)), beyond, lambda _, place: (Said("99"), Known(99)))
        figures += [confusion(composed(one)), confusion(composed(one, two))]
    assert "counted in" not in figures[0].caption
    assert "Responses above 20 are counted in the top row." in figures[1].caption
    assert "counted in that row: 20 for sayer (a), beyond; 30 for sayer (b)." in figures[2].caption
    assert [max_response(figure) for figure in figures[:2]] == [3, 20]


@pytest.mark.slow
def test_the_first_number_not_known_is_one_that_was_shown_and_missed(tmp_path: Path) -> None:
    items = numbered([1, 2, 3, 5, 6])
    run = counting(tmp_path / "run", items, model=Spec("sure", {}, "sure"))
    wrong = Spec("weak", {}, "weak")
    fill(run, items, wrong, lambda item, _: (Said("1"), Known(5 if item.factors["number"] == 6 else 1)))
    fill(
        run,
        items,
        Spec("late", {}, "late"),
        lambda item, place: (Said("1"), Known(9)) if item.factors["number"] == 6 else exact(item, place),
    )
    with run:
        levels = table(composed(run), "naming-knower-levels")
    assert column(levels, "Level")["late"] == "3-knower"
    assert column(levels, "First number not known") == {"sure": None, "late": 6, "weak": 1}
    assert column(levels, "Margin, first not known")["sure"] is None
    assert len({column.name for column in levels.columns}) == len(levels.columns)


@pytest.mark.slow
def test_anchors_and_what_refusing_leaves_of_level_and_likeness_are_shown(tmp_path: Path) -> None:
    items = [
        replace(item, id=f"{item.id}/{seed}", task=Answer(Stimulus("dots", int(item.factors["number"]), seed), "?"))
        for item in numbered(range(1, 7), ["dots"])
        for seed in range(12)
    ]
    run = counting(tmp_path / "run", items, model=Spec("sure", {}, "sure"))
    fill(run, items, Spec("five", {}, "five"), lambda item, _: (Said("5"), Known(5)))
    fill(
        run,
        items,
        Spec("shy", {}, "shy"),
        lambda item, place: exact(item, place) if int(item.factors["number"]) <= 4 else (Refused("no"), None),
    )
    with run:
        document = composed(run)
    anchors, likeness = table(document, "naming-anchors"), table(document, "naming-likeness")
    assert column(anchors, "Answer") == {"sure": "none", "five": 5, "shy": "none"}
    assert column(anchors, "At home with")["five"] == "5–6"
    levels = table(document, "naming-leaderboard")
    assert (column(levels, "Counting level")["shy"], column(levels, "Counting level, answered")["shy"]) == (
        "4-knower [4, 4]",
        "4-knower [4, 4]",
    )
    of_all, answered = (
        column(likeness, "Corr. with human")["shy"],
        column(likeness, "Corr. with human, answered")["shy"],
    )
    assert isinstance(of_all, Estimate)
    assert isinstance(answered, Estimate)
    assert of_all.value < 0.8 < answered.value
    assert "perfect counter" in column(likeness, "Coverage")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("numbers", "categories", "differs"),
    [(range(1, 11), PAPER, False), (range(1, 10), PAPER, True), (range(1, 11), PAPER[:2], True)],
    ids=["as the paper", "other numbers", "other categories"],
)
def test_published_figures_beside_another_design_say_so(
    tmp_path: Path, numbers: Sequence[int], categories: Sequence[str], differs: bool
) -> None:
    with counting(tmp_path / "run", numbered(numbers, categories)) as run:
        document = composed(run)
    captions = [table(document, f"naming-{name}").caption for name in ("leaderboard", "bias", "abstraction")]
    assert [OTHER_DESIGN in caption for caption in captions] == [differs] * 3


@pytest.mark.slow
def test_published_models_are_shown_with_their_size(tmp_path: Path) -> None:
    with counting(tmp_path / "run", numbered(range(1, 4))) as run:
        sizes = column(table(composed(run), "naming-leaderboard"), "Size (billion)")
    assert (sizes["Qwen-72B"], sizes["GPT-4V"], sizes["sayer"], sizes["random"]) == ("72", ">1000?", "", "")


@pytest.mark.slow
def test_models_whose_parameters_were_counted_are_shown_with_their_size(tmp_path: Path) -> None:
    items = numbered(range(1, 4))
    others = [replace(item, id=item.id.replace("naming", "plain"), factors={"number": "1"}) for item in items]
    for suite, given in (("naming", items), ("plain", others)):
        with new_run(tmp_path / suite, suite, given) as run:
            fill(run, given, SAME, exact)
            assert ("Size (billion)" in headings(run, suite)) == (suite == "naming")  # for those that are published
            fill(run, given, Spec("vilt", {}, "vilt"), exact, parameter_count=87_400_000)
            document = composed(run)
            sizes = column(table(document, f"{suite}-leaderboard"), "Size (billion)")
        assert (sizes["vilt"], sizes["sayer"]) == ("0.0874", "")
        assert ("Size", ("87,400,000 parameters",)) in facts(document, "vilt")
        assert not [name for name, _ in facts(document, "sayer") if name == "Size"]


def headings(run: Run, suite: str) -> list[str]:
    return [column.name for column in table(composed(run), f"{suite}-leaderboard").columns]


def facts(document: Document, title: str) -> Sequence[tuple[str, Sequence[str]]]:
    blocks = [block for section in walk(document.sections) for block in section.blocks]
    return next(block.facts for block in blocks if isinstance(block, Facts) and block.title == title)


def walk(sections: Sequence[Section]) -> list[Section]:
    return [one for section in sections for one in (section, *walk(section.sections))]


def test_the_wording_kept_is_said_to_need_enough_answers(tmp_path: Path) -> None:
    items = numbered(range(1, 4))
    others = [
        replace(item, id=item.id.replace("/category", "/things"), factors={**item.factors, "wording": "things"})
        for item in items
    ]
    with counting(tmp_path / "run", [*items, *others]) as run:
        caption = table(composed(run), "naming-wordings").caption
    assert "smallest mean absolute error" in caption
    assert "with at least half as many usable answers as the most answered" in caption


def test_a_judge_that_knew_what_was_asked_for_is_marked(tmp_path: Path) -> None:
    ask = Ask(MatchesPrompt(), "Does it match?", (True,))
    items = [Item(f"{STRANGE}/{place}", Draw(f"prompt {place}"), (ask,), {}) for place in range(3)]
    with new_run(tmp_path / "run", STRANGE, items) as run:
        fill(run, items, SAME, lambda _, place: (Drawn(Elsewhere(f"{place}.png")), Known(True)))
        (leaderboard, *_) = composed(run).sections
    assert "Judged by parser (informed: it knew what was asked for)." in texts(leaderboard.sections)
