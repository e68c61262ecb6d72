"""How well drawings fit their prompts: scores per drawing, means with intervals, groups, and what is left out."""

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from subitize.analysis.alignment import Alignment, align_run, estimate_scores, score_graph
from subitize.errors import NothingToDoError, UnknownNameError
from subitize.judges.asking import graph_of
from subitize.language.clauses import read_graph
from subitize.records import (
    Count,
    Discarded,
    Fit,
    Item,
    Known,
    Question,
    Reading,
    Scalar,
    Subject,
    Transcribe,
    Trial,
    Value,
    Words,
    task_text,
)
from subitize.stats.estimate import MEAN, SHARE, Scale
from subitize.stimuli.clipart import PALETTE
from subitize.stimuli.glyphs import GLYPHS
from subitize.store import Run
from tests.commands import call
from tests.judges.drawn_prompts import EXACT, OMITTING, item, new_run, paint_all, store
from tests.samples import trial

PROMPT = "2 red dogs above a cat."
GRAPH = read_graph(PROMPT, tuple(GLYPHS), tuple(PALETTE))
IDS = [node.ask.question.id for node in GRAPH]
ITEMS = [
    item(0, PROMPT, number=2, kind="dogs"),
    item(1, "Three apples.", number=3, kind="apples"),
    item(2, 'A sign that says "Open now"', number=1, kind="signs"),
]
BLANK = b"\x89PNG"


def answers(**changed: Value) -> dict[str, Value]:
    """Right answers to the graph of the prompt, but for some, named by their place."""
    right: dict[str, Value] = {node.ask.question.id: Known(node.ask.expects[0]) for node in GRAPH}
    return right | {IDS[int(place.removeprefix("q"))]: value for place, value in changed.items()}


NO = Known(False)


@pytest.mark.parametrize(
    ("given", "wrong"),
    [
        ({}, set()),
        ({"q1": NO}, {1, 2, 5}),
        ({"q2": NO}, {2}),
        ({"q3": NO}, {3, 4, 5}),
        ({"q0": NO}, {0, 1, 2, 5}),
        ({"q5": Discarded("maybe")}, {5}),
        ({"q0": NO, "q3": NO}, {0, 1, 2, 3, 4, 5}),
    ],
    ids=["all right", "no red ones", "another number", "no landmark", "none at all", "unclear", "nothing there"],
)
def test_an_answer_counts_only_if_all_that_it_rests_on_are_right(given: Mapping[str, Value], wrong: set[int]) -> None:
    assert [id.removeprefix("confirm:") for id in IDS] == [
        "there are some dogs",
        "there are some red dogs",
        "there are 2 red dogs",
        "there are some cats",
        "there is 1 cat",
        "there are some red dogs above some cats",
    ]
    assert score_graph(GRAPH, answers(**given)) == pytest.approx(1 - len(wrong) / 6)


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Two drawings of each of three prompts, of which nobody has said anything."""
    run = new_run(tmp_path / "run", ITEMS)
    store(run, [(trial(one, model=EXACT, repeat=repeat), BLANK) for one in ITEMS for repeat in (0, 1)])
    return run


def read(run: Run, of: Trial, given: Mapping[Question, Value], judge: str = "a judge", who: str = "") -> None:
    subject = Subject((of.id,))
    readings = [Reading(subject, one, judge, Words(""), "strict@2", value, who) for one, value in given.items()]
    with run.lease("judge") as lease:
        run.add_readings(lease, readings)


def graph_answers(of: Item, *wrong: int) -> dict[Question, Value]:
    nodes = graph_of(of)
    return {
        node.ask.question: Known(node.ask.expects[0] if place not in wrong else not node.ask.expects[0])
        for place, node in enumerate(nodes)
    }


def by_group(found: list[Alignment]) -> dict[tuple[str, str], tuple[float, int]]:
    return {(one.measure, one.group): (one.estimate.value, one.estimate.n) for one in found}


def test_every_measure_is_a_mean_over_drawings(run: Run) -> None:
    dogs, apples, sign = ITEMS
    for repeat, wrong in ((0, ()), (1, (1,))):
        read(run, trial(apples, model=EXACT, repeat=repeat), graph_answers(apples, *wrong))
    read(run, trial(dogs, model=EXACT), graph_answers(dogs))
    read(run, trial(dogs, model=EXACT), {Fit(PROMPT): Known(0.5)})
    read(run, trial(apples, model=EXACT), {Fit("Three apples."): Known(1.5), Fit("another text"): Known(9.0)})
    read(run, trial(sign, model=EXACT), {Transcribe(): Known("OPEN\nnow")})
    read(run, trial(sign, model=EXACT, repeat=1), {Transcribe(): Known("Open")})
    assert by_group(align_run(run)) == {
        ("graph", "all"): (pytest.approx((1 + 0.5 + 1) / 3), 3),
        ("fit", "all"): (1.0, 2),
        ("text", "all"): (pytest.approx((1 + 0.5) / 2), 2),
        ("text_words", "all"): (pytest.approx((1 + 0.5) / 2), 2),
        ("text_exact", "all"): (0.5, 2),
    }


def test_a_score_that_is_no_finite_number_is_discarded(run: Run) -> None:
    dogs, apples, _ = ITEMS
    read(run, trial(dogs, model=EXACT), {Fit(PROMPT): Known(0.5)})
    read(run, trial(apples, model=EXACT), {Fit("Three apples."): Known(10**400)})
    (found,) = align_run(run)
    assert (found.estimate.value, found.estimate.n, found.discarded) == (0.5, 1, 1)


def test_by_a_factor_its_levels_stand_in_order(run: Run) -> None:
    for one in ITEMS[:2]:
        read(run, trial(one, model=EXACT), graph_answers(one))
    found = align_run(run, factors=["number", "kind"])
    assert [(one.factor, one.group) for one in found] == [
        ("all", "all"),
        ("number", "2"),
        ("number", "3"),
        ("kind", "apples"),
        ("kind", "dogs"),
    ]
    with pytest.raises(UnknownNameError, match="no factor named 'size'; known: kind, number"):
        align_run(run, factors=["size"])


def test_a_drawing_of_which_not_all_is_asked_is_left_out_and_counted(run: Run) -> None:
    dogs, apples, _ = ITEMS
    read(run, trial(apples, model=EXACT), graph_answers(apples))
    some = dict(list(graph_answers(dogs).items())[:3])
    read(run, trial(dogs, model=EXACT), some)
    (found,) = align_run(run)
    assert (found.estimate.n, found.incomplete, found.estimate.value) == (1, 1, 1.0)


def test_only_the_latest_attempt_counts(run: Run) -> None:
    apples = ITEMS[1]
    read(run, trial(apples, model=EXACT), graph_answers(apples, 0))
    store(run, [(trial(apples, model=EXACT, attempt=1), BLANK)])
    read(run, trial(apples, model=EXACT, attempt=1), graph_answers(apples))
    (found,) = align_run(run)
    assert (found.estimate.value, found.estimate.n) == (1.0, 1)


def test_excluded_items_are_in_no_figure(run: Run) -> None:
    dogs, apples, _ = ITEMS
    read(run, trial(dogs, model=EXACT), graph_answers(dogs, 0))
    read(run, trial(apples, model=EXACT), graph_answers(apples))
    run.exclude(dogs.id, "a mistake in the prompt")
    (found,) = align_run(run)
    assert (found.estimate.value, found.estimate.n, found.excluded) == (1.0, 1, 1)


def test_what_several_people_say_is_what_most_of_them_say(run: Run) -> None:
    apples = ITEMS[1]
    for who, wrong in (("ann", ()), ("bob", ()), ("cid", (0, 1))):
        read(run, trial(apples, model=EXACT), graph_answers(apples, *wrong), "human", who)
    (found,) = align_run(run, "human")
    assert found.estimate.value == 1


def test_other_questions_are_no_alignment_and_it_says_what_to_do(run: Run) -> None:
    read(run, trial(ITEMS[1], model=EXACT), {Count("apple"): Known(3)})
    with pytest.raises(NothingToDoError, match=r"no readings of how well .*: subitize judge RUN .*dsg:MODEL.*a judge"):
        align_run(run)
    read(run, trial(ITEMS[1], model=EXACT), graph_answers(ITEMS[1]), "graph judge")
    with pytest.raises(NothingToDoError, match="no readings by 'a judge'"):
        align_run(run, "a judge")


def test_a_changed_mind_replaces_what_was_said(run: Run) -> None:
    apples = ITEMS[1]
    read(run, trial(apples, model=EXACT), graph_answers(apples, 1))
    (wrong,) = [stored for stored in run.readings() if stored.reading.value == NO]
    again = replace(wrong.reading, value=Known(True), replaces=wrong.id)
    with run.lease("judge") as lease:
        run.add_readings(lease, [again])
    assert align_run(run)[0].estimate.value == 1


def test_drawings_of_one_item_are_taken_together() -> None:
    """Ten copies of each of two scores say no more than the two."""
    many = estimate_scores([0.2] * 10 + [0.6] * 10, ["a"] * 10 + ["b"] * 10, [0] * 20, MEAN)
    two = estimate_scores([0.2, 0.6], ["a", "b"], [0, 0], MEAN)
    assert [many.low, many.high] == pytest.approx([two.low, two.high])
    assert (many.n, two.n) == (20, 2)


def test_an_interval_stays_in_bounds_and_has_a_width_where_scores_never_vary() -> None:
    spread = estimate_scores([0.1, 1.0], ["a", "b"], [0, 0], SHARE)
    assert 0 < spread.low < 0.01
    assert 0.99 < spread.high < 1
    assert spread.caution == "only 2 clusters"
    alike = estimate_scores([1.0] * 8, [str(place) for place in range(8)], [0] * 8, SHARE)
    assert (alike.value, alike.high) == (1.0, 1.0)
    assert 0.6 < alike.low < 0.7
    of_one = estimate_scores([1.0] * 8, ["a"] * 8, [0] * 8, SHARE)
    assert of_one.low < alike.low


@pytest.mark.parametrize("scale", [MEAN, Scale("mean", 0.0, 2.5)], ids=["unknown range", "CLIPScore"])
@pytest.mark.parametrize(
    ("scores", "items"), [([0.3, 0.3], ["a", "b"]), ([0.3, 0.4], ["a", "a"])], ids=["all alike", "one item"]
)
def test_where_nothing_tells_how_far_a_score_may_be_off_the_interval_has_no_ends(
    scores: list[float], items: list[str], scale: Scale
) -> None:
    found = estimate_scores(scores, items, [0, 0], scale)
    assert (found.low, found.high, found.n) == (-np.inf, np.inf, 2)


@pytest.mark.parametrize(
    ("judge", "low"),
    [("clipscore:w/clip", 0.0), ("clipscore", 0.0), ("fit:transformers:w/clip", -0.565), ("my-clipscore", -0.565)],
)
def test_an_interval_ends_where_the_scores_of_a_judge_do(run: Run, judge: str, low: float) -> None:
    for one, score in zip(ITEMS, (0.0, 0.1, 0.6), strict=True):
        read(run, trial(one, model=EXACT), {Fit(task_text(one.task)): Known(score)}, judge)
    (found,) = align_run(run)
    assert found.estimate.low == pytest.approx(low, abs=0.005)
    assert found.estimate.high == pytest.approx(1.03, abs=0.005)


def test_a_score_that_never_varies_is_printed_without_an_interval(run: Run) -> None:
    for one in ITEMS:
        read(run, trial(one, model=EXACT), {Fit(task_text(one.task)): Known(0.0)}, "clipscore:w/clip")
        read(run, trial(one, model=EXACT), graph_answers(one), "observer")
    run.close()
    printed = call("score", run.location, "--alignment").out
    assert re.search(r"fit +0\.000 +3$", printed, re.MULTILINE), printed
    assert "inf" not in printed.replace("† informed", "")
    assert "There is no interval where all scores are the same" in printed
    (row,) = [row for row in call("score", run.location, "--alignment", "--json").json() if row["measure"] == "fit"]
    assert (row["value"], row["low"], row["high"], row["n"]) == (0.0, None, None, 3)


def test_intervals_cover_the_true_mean() -> None:
    """Of 400 runs with 30 items of 3 drawings each, about 95 % have the true mean in their interval."""
    random = np.random.default_rng(4)
    items = [str(place) for place in range(30) for _ in range(3)]
    hits = 0
    for _ in range(400):
        of_item = np.repeat(random.normal(0, 0.1, 30), 3)
        scores = (0.6 + of_item + random.normal(0, 0.1, 90)).tolist()
        found = estimate_scores(scores, items, [0] * 90, MEAN)
        hits += found.low <= 0.6 <= found.high
    assert 0.92 <= hits / 400 <= 0.98


@pytest.mark.slow
def test_the_observer_sees_that_a_painter_that_omits_fits_less(tmp_path: Path) -> None:
    """The questions of GeckoNum's parts are those of their graphs: whoever answered them is scored."""
    prompts = [
        "There are 3 forks on the table, but one fork is broken into two pieces.",
        "A loaf of bread cut into thirds.",
    ]
    folder = tmp_path / "run"
    with new_run(folder, [_with_graph(item(place, prompt)) for place, prompt in enumerate(prompts)]) as run:
        paint_all(run)
        paint_all(run, OMITTING, repeats=3)
    judged = call("judge", folder, "--judge", "observer")
    assert judged.code == 0, judged.err
    rows = call("score", folder, "--alignment", "--json").json()
    values = {row["model"]: row["value"] for row in rows}
    assert values["exact"] == 1
    assert values["omitting"] < 0.8
    assert all(row["is_stand_in"] and row["is_stand_in_judge"] and row["is_informed"] for row in rows)
    printed = call("score", folder, "--alignment").out
    assert "observer *" in printed
    assert "† informed" in printed
    assert "graph: share of the yes-or-no questions" in printed
    page = tmp_path / "report.html"
    reported = call("report", folder, "-o", page, "--tables", tmp_path / "tables")
    assert reported.code == 0, reported.err
    assert "How well drawings fit their prompts" in page.read_text(encoding="utf-8")
    table = (tmp_path / "tables" / "alignment.csv").read_text(encoding="utf-8")
    assert {line.split(",")[0] for line in table.splitlines()[1:]} == {"exact", "omitting"}


def _with_graph(one: Item) -> Item:
    asks = tuple(node.ask for node in graph_of(one))
    factors: dict[str, Scalar] = {}
    return Item(one.id, one.task, asks, factors)


def test_what_cannot_be_aligned_is_one_line_and_exit_code_2(run: Run) -> None:
    finished = call("score", run.location, "--alignment")
    assert (finished.code, finished.err.count("\n")) == (2, 1)
    assert "first: subitize judge RUN --judge dsg:MODEL" in finished.err
