"""What a report says of the probes: framings side by side, by number and split, beside what guessing gets."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from subitize.analysis.frame import ReadOptions
from subitize.interfaces import NoEvents
from subitize.papers.seeing_past_words.measures import PAIRWISE
from subitize.papers.seeing_past_words.probes import write_records
from subitize.papers.seeing_past_words.tables import tabulate_run
from subitize.records import Estimate, Known, Reading, Spec, Subject, Words
from subitize.report.compose import build_report
from subitize.report.series import list_series, read_sources
from subitize.report.table import Document, Figure, Paragraph, Row, Section, Table
from subitize.store import Folder, Run
from tests.papers.seeing_past_words.probe_files import make_probes
from tests.papers.seeing_past_words.probe_runs import ANSWERS, Rule, know, probe, probe_all, resemble, say_two
from tests.report.report_runs import check_charts, composed

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    with probe_all(tmp_path_factory.mktemp("probed")) as run:
        yield run


@pytest.fixture(scope="module")
def document(run: Run) -> Document:
    return composed(run)


def find_section(sections: tuple[Section, ...], title: str) -> Section:
    every = [*sections]
    for one in every:
        every += one.sections
    return next(one for one in every if one.title == title)


def find_rows(section: Section, place: int) -> list[Row]:
    block = section.blocks[place]
    assert isinstance(block, Figure | Table)
    return list(block.data.rows if isinstance(block, Figure) else block.rows)


def test_framings_stand_side_by_side_for_each_split_with_the_figures_of_the_tables(
    run: Run, document: Document
) -> None:
    records = tabulate_run(run, None, extensions=False).records
    assert isinstance(records, list)
    cells = {(one.table, one.row, one.column): one.ours for one in records}
    for split, data in (("standard", "test"), ("hard", "validation + test")):
        rows = find_rows(find_section(document.sections, f"Framings: {split}, {data}"), 0)
        shares = {row.cells[:2]: row.cells[2] for row in rows}
        assert {framing for _, framing in shares} == {
            "statement", "question with answer", "gap", "gap, as in the paper", "question",
        }  # fmt: skip
        wanted = {
            "statement": (f"table2, {data}", f"{split} · declarative", PAIRWISE["half"]),
            "gap": (f"table4, neutral, {data}", "overall", f"recall@1 {split}"),
            "question": (f"table5, {data}", "overall", f"accuracy {split}"),
        }
        for model in ("knower", "two-sayer"):
            for framing, (table, row, column) in wanted.items():
                share = shares[model, framing]
                assert isinstance(share, Estimate)
                assert 100 * share.value == pytest.approx(cells[table, f"{model} · {row}", column]), framing
        assert ("CLIP", "statement") in shares
        assert ("CLIP", "gap") not in shares


def test_baselines_are_drawn_in(document: Document) -> None:
    rows = find_rows(find_section(document.sections, "Framings: standard, test"), 0)
    guesses = {row.cells[:2]: row.cells[2] for row in rows if row.badge == "baseline"}
    assert {name for name, framing in guesses if framing == "statement"} == {
        "the smaller number", "the most frequent answer", "even numbers", "the number's prior",
    }  # fmt: skip
    majority = guesses["the most frequent answer", "question"]
    assert isinstance(majority, Estimate)
    assert majority.value == ANSWERS.count(2) / len(ANSWERS)


def test_a_model_that_says_two_is_seen_to_by_number(document: Document) -> None:
    rows = find_rows(find_section(document.sections, "Framings: standard, test"), 1)
    said = {row.cells[2]: row.cells[3] for row in rows if row.cells[:2] == ("two-sayer", "question")}
    assert {number: one.value for number, one in said.items() if isinstance(one, Estimate)} == {
        1: 0, 2: 1, 3: 0, ">10": 0,
    }  # fmt: skip


def test_measures_of_texts_are_set_out_and_a_similarity_has_those_that_rank(document: Document) -> None:
    section = find_section(document.sections, "All measures")
    table = section.blocks[0]
    assert isinstance(table, Table)
    rows = {row.cells[:2]: dict(zip([one.name for one in table.columns], row.cells, strict=True)) for row in table.rows}
    assert rows["CLIP", "coco"]["Accuracy"] is None
    ranked = rows["CLIP", "coco"]["Pairs ranked right"]
    assert isinstance(ranked, Estimate)
    assert ranked.value == 1


def test_the_summary_has_titles_and_says_who_is_best_and_what_guessing_gets(document: Document) -> None:
    assert document.title.startswith("Image-sentence alignment probe, Counting probe as image-sentence alignment, ")
    assert "In counting-probe-vqa, knower does best (question, standard, test): 100 % [" in document.summary
    assert "; the most frequent answer, without a look, gets 43 %" in document.summary


def test_the_charts_are_valid(document: Document) -> None:
    check_charts(document.figures())


def test_a_run_of_similarities_alone_has_a_report_and_many_models_have_panels(tmp_path: Path) -> None:
    write_records(tmp_path / "probes.jsonl", make_probes(tmp_path, ANSWERS))
    with Run(Folder(tmp_path / "run"), create=True) as run:
        models: dict[str, Rule] = {f"clip {place}": resemble for place in range(7)}
        probe(run, tmp_path, models, {"counting-probe": "probes.jsonl"})
        found = composed(run)
    (figure,) = (one for one in found.figures() if one.title == "By number")
    assert figure.spec["facet"]["field"] == "model"


def test_what_is_excluded_by_hand_is_in_no_figure(tmp_path: Path) -> None:
    write_records(tmp_path / "probes.jsonl", make_probes(tmp_path, ANSWERS))
    with Run(Folder(tmp_path / "run"), create=True) as run:
        probe(run, tmp_path, {"two-sayer": say_two}, {"counting-probe-masked": "probes.jsonl"})
        for item in list(run.items("counting-probe-masked")):
            if item.factors["number"] != 2:
                run.exclude(item.id, "no two")
        rows = find_rows(find_section(composed(run).sections, "Framings: standard, test"), 0)
    shares = [row.cells[2] for row in rows if row.cells[0] == "two-sayer"]
    assert [one.value for one in shares if isinstance(one, Estimate)] == [1, 1]


@pytest.mark.parametrize(("agreement", "share"), [("plurality", 0.0), ("median", 1.0)])
def test_several_people_agree_in_the_figures_as_in_the_report(agreement: str, share: float, tmp_path: Path) -> None:
    """Five people say of all answers one less, one less, the right number, and one or two more."""
    write_records(tmp_path / "probes.jsonl", make_probes(tmp_path, ANSWERS))
    with Run(Folder(tmp_path / "run"), create=True) as run:
        probe(run, tmp_path, {"knower": know}, {"counting-probe-vqa": "probes.jsonl"})
        add_people(run, (-1, -1, 0, 1, 2))
        options = ReadOptions("people", agreement=agreement)
        rows = find_rows(find_section(composed_with(run, options).sections, "Framings: standard, test"), 0)
        said = " ".join(texts_of(composed_with(run, ReadOptions(agreement=agreement))))
    assert [one.value for row in rows if row.cells[0] == "knower" and isinstance(one := row.cells[2], Estimate)] == [
        share
    ]
    assert "figures of counting-probe-vqa are as parser read the answers, not people" in said


def add_people(run: Run, differences: Sequence[int]) -> None:
    """Have people read every answer as the right number plus these differences."""
    items = {item.id: item for item in run.items()}
    readings = []
    for stored in run.responses():
        (ask,) = items[stored.item_id].asks
        numbers = [int(ask.expects[0]) + more for more in differences]
        readings += [
            Reading(
                Subject((stored.trial_id,)), ask.question, "people", Words(""), "test@1", Known(number), f"P{place}"
            )
            for place, number in enumerate(numbers)
        ]
    run.add_judge(Spec("people", {}, "people"), is_stand_in=False)
    with run.lease("test") as lease:
        run.add_readings(lease, readings)


def composed_with(run: Run, options: ReadOptions) -> Document:
    return build_report(read_sources([run], options), NoEvents())


def texts_of(document: Document) -> list[str]:
    every = [*document.sections]
    for one in every:
        every += one.sections
    return [block.text for one in every for block in one.blocks if isinstance(block, Paragraph)]


def test_framings_of_different_runs_have_sections_of_their_own(tmp_path: Path) -> None:
    write_records(tmp_path / "probes.jsonl", make_probes(tmp_path, ANSWERS))
    runs = [Run(Folder(tmp_path / name), create=True) for name in ("gaps", "questions", "both")]
    suites = ({"counting-probe-masked"}, {"counting-probe-vqa"}, {"counting-probe-masked", "counting-probe-vqa"})
    for run, own in zip(runs, suites, strict=True):
        probe(run, tmp_path, {"knower": know}, dict.fromkeys(sorted(own), "probes.jsonl"))
    apart, together = composed(*runs[:2]), composed(runs[0], runs[2])
    for run in runs:
        run.close()
    names = [figure.name for figure in apart.figures()]
    assert len(names) == len({*names})
    assert sum("-framings-" in name for name in names) == 4
    rows = find_rows(find_section(together.sections, "Framings: standard, test"), 0)
    assert {row.cells[:2] for row in rows if row.badge != "baseline"} == {
        ("knower (gaps)", "gap"), ("knower (gaps)", "gap, as in the paper"),
        ("knower (both)", "gap"), ("knower (both)", "gap, as in the paper"), ("knower (both)", "question"),
    }  # fmt: skip


def test_whoever_reads_an_answer_is_not_called_informed(run: Run) -> None:
    assert not any(series.is_informed for series in list_series(read_sources([run])))
