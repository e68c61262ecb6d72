"""`subitize agree calibrate`: a detector's threshold, found again from pictures, boxes and people's counts."""

import csv
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import cycle, product
from pathlib import Path
from shutil import copytree

import numpy as np
import pytest

import subitize
from subitize.analysis.calibration import Search, calibrate
from subitize.analysis.frame import ReadOptions, observe_run
from subitize.analysis.protocols import read_making
from subitize.analysis.score import score
from subitize.errors import BadValueError, NothingToDoError, UnknownNameError
from subitize.interfaces import NoEvents
from subitize.labels import Rule, calibrations, counted_boxes, interpret, make_rule, parse_rule
from subitize.records import Box, Boxes, Count, Known, Masks, Place, Reading, Spec, Subject
from subitize.store import Folder, Run
from tests.cases import Case
from tests.commands import Finished, call

PLANTED = 0.37
FINDER = Spec("finder", {"floor": "0.01"}, "finder")


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUBITIZE_HOME", str(tmp_path / "home"))


@pytest.fixture(scope="session")
def painted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pictures of the painter, seen by the observer, by a detector with scores, and by people who count them right."""
    folder = tmp_path_factory.mktemp("painted") / "run"
    suite = "production:numbers=1-6,categories=apples+butterflies"
    assert call("run", suite, "--model", "painter:size_px=256", "--repeats", 2, "--out", folder).code == 0
    with Run(Folder(folder)) as run:
        add_detector(run, FINDER)
    import_counts(folder, lambda number, _: str(number))
    return folder


@pytest.fixture
def run(painted: Path, tmp_path: Path) -> Iterator[Run]:
    with Run(Folder(copytree(painted, tmp_path / "run"))) as opened:
        yield opened


def add_detector(run: Run, judge: Spec, *, is_doubled: bool = False, rules: Sequence[str] = ("boxes@1",)) -> None:
    """Store what a detector would have found: what is there above the planted score, and other things below it.

    The readings are read by the rules in turn. Every other has masks, which change nothing.
    """
    random = np.random.default_rng(8)
    readings: list[Reading] = []
    for stored, rule in zip(list(run.readings("observer")), cycle(rules), strict=False):
        seen = stored.reading.evidence
        assert isinstance(seen, Boxes)
        boxes = []
        for box in seen.boxes:
            boxes.append(replace(box, score=round(random.uniform(PLANTED, 1), 5)))
            if is_doubled:
                left, top, right, bottom = box.xyxy
                boxes.append(replace(boxes[-1], score=boxes[-1].score - 0.001, xyxy=(left + 1, top, right, bottom)))
        for _ in range(random.integers(0, 6)):
            left, top = random.uniform(0, 900, 2).round(2)
            score = round(random.uniform(0.01, PLANTED - 0.01), 5)
            boxes.append(Box(boxes[0].label, score, (left, top, left + 50, top + 50), "red"))
        boxes.append(Box("table", 0.99, (0, 0, 900, 900)))
        question, evidence = stored.reading.question, Boxes(tuple(boxes))
        if len(readings) % 2:
            evidence = Masks(tuple(boxes), masks=("1024",) * len(boxes))
        value = interpret(evidence, question, parse_rule(rule))
        readings.append(Reading(stored.reading.subject, question, judge.text, evidence, rule, value))
    run.add_judge(judge, is_stand_in=False)
    with run.lease("test") as lease:
        run.add_readings(lease, readings)


def import_counts(
    folder: Path, answer: Callable[[int, int], str], judge: str = "human", annotator: str = "ann"
) -> None:
    """Write down what people say of the number in each picture, as a user does."""
    with Run(Folder(folder)) as run:
        seen = {one.reading.subject.id: one.reading.value for one in run.readings("observer")}
        trials = [stored.response.trial for stored in run.responses()]
    file = folder.parent / f"{judge}-{annotator}.csv"
    with file.open("w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(["annotator", "item", "repeat", "model", "answer"])
        for place, trial in enumerate(trials):
            value = seen[trial.id]
            assert isinstance(value, Known)
            writer.writerow([annotator, trial.item_id, trial.repeat, trial.model, answer(int(value.value), place)])
    finished = call("import", "readings", file, "--run", folder, "--judge", judge)
    assert finished.code == 0, finished.err


@pytest.mark.slow
def test_the_planted_threshold_is_found_again(run: Run) -> None:
    found = calibrate(run, Search("finder"), NoEvents())
    assert found.result.threshold == pytest.approx(PLANTED, abs=0.02)
    assert (found.result.n, found.items, found.result.folds, found.result.iou) == (24, 12, 10, 1.0)
    assert found.best.nae is not None
    assert found.best.nae.value == 0
    assert found.result.nae is not None
    assert 0 <= found.result.nae.low <= found.result.nae.value < 0.05
    assert found.result.accuracy.value > 0.9
    assert all(threshold == pytest.approx(PLANTED, abs=0.03) for threshold in found.fold_thresholds)
    assert [point.threshold for point in found.curve] == [step / 100 for step in range(1, 100)]
    assert found.notes == ()


def test_accuracy_finds_it_too_and_the_same_seed_finds_the_same(run: Run) -> None:
    found = calibrate(run, Search("finder", metric="accuracy", folds=4, seed=3), NoEvents())
    assert found.result.threshold == pytest.approx(PLANTED, abs=0.02)
    assert (found.result.metric, len(found.fold_thresholds)) == ("accuracy", 4)
    assert calibrate(run, Search("finder", metric="accuracy", folds=4, seed=3), NoEvents()) == found


def test_the_curve_is_what_the_rule_reads_of_the_evidence(run: Run) -> None:
    found = calibrate(run, Search("finder"), NoEvents())
    readings = [one.reading for one in run.readings("finder")]
    truth = {one.reading.subject.id: one.reading.value for one in run.readings("human")}
    for point in found.curve[::14]:
        values = [interpret(one.evidence, one.question, Rule("boxes", point.threshold)) for one in readings]
        right = [value == truth[one.subject.id] for value, one in zip(values, readings, strict=True)]
        assert point.accuracy.value == pytest.approx(np.mean(right))


@pytest.mark.slow
def test_things_found_twice_are_told_by_the_overlap(run: Run) -> None:
    add_detector(run, Spec("doubling", {}, "doubling"), is_doubled=True)
    alone, jointly = (calibrate(run, Search("doubling", with_iou=is_joint), NoEvents()) for is_joint in (False, True))
    assert (alone.result.iou, alone.result.accuracy.value < 0.5) == (1.0, True)
    assert jointly.result.iou < 1
    assert jointly.result.threshold == pytest.approx(PLANTED, abs=0.02)
    assert jointly.result.accuracy.value > 0.9
    assert str(make_rule(jointly.result)).startswith("boxes@1>=0.3")
    readings = [one.reading for one in run.readings("doubling")]
    truth = {one.reading.subject.id: one.reading.value for one in run.readings("human")}
    for point in jointly.curve[::14]:
        rule = Rule("boxes", point.threshold, jointly.result.iou)
        right = [interpret(one.evidence, one.question, rule) == truth[one.subject.id] for one in readings]
        assert point.accuracy.value == pytest.approx(np.mean(right))


def test_the_overlap_is_the_judges_own_whatever_rules_were_tried(run: Run) -> None:
    rules = ("boxes@1>=0.4,iou=0.45", "boxes@1>=0.4,iou=0.9")
    add_detector(run, Spec("own", {"iou": "0.45"}, "own"), is_doubled=True, rules=rules)
    assert calibrate(run, Search("own"), NoEvents()).result.iou == 0.45
    add_detector(run, Spec("unknown", {}, "unknown"), is_doubled=True, rules=rules)
    with pytest.raises(BadValueError, match=r"boxes@1>=0.4,iou=0.45, boxes@1>=0.4,iou=0.9; search .*`iou`"):
        calibrate(run, Search("unknown"), NoEvents())
    assert calibrate(run, Search("unknown", with_iou=True), NoEvents()).result.iou < 1
    add_detector(
        run, Spec("settled", {}, "settled"), is_doubled=True, rules=("boxes@1>=0.1,iou=0.7", "boxes@1,iou=0.7")
    )
    assert calibrate(run, Search("settled"), NoEvents()).result.iou == 0.7


def test_several_people_have_one_say_each(run: Run, tmp_path: Path) -> None:
    import_counts(tmp_path / "run", lambda number, _: str(number), annotator="bea")
    import_counts(tmp_path / "run", lambda number, _: str(number + 3), annotator="cem")
    assert calibrate(run, Search("finder"), NoEvents()).best.accuracy.value == 1.0


def test_what_has_no_number_is_left_out_and_said(run: Run, tmp_path: Path) -> None:
    answers = ("a few", "0")
    import_counts(
        tmp_path / "run", lambda number, place: answers[place] if place < 2 else str(number), judge="careful people"
    )
    run.exclude(next(run.responses()).response.trial.item_id, "a bad one")
    found = calibrate(run, Search("finder", against="careful people"), NoEvents())
    said = "; ".join(found.notes)
    assert "2 readings of finder are of excluded items: left out" in said
    assert found.result.n == 22
    run.include(next(run.responses()).response.trial.item_id, "not so bad")
    said = "; ".join(calibrate(run, Search("finder", against="careful people"), NoEvents()).notes)
    assert "1 readings of finder have no number from careful people: left out" in said
    assert "1 pictures have a true count of 0" in said


def test_a_search_starts_at_the_floor_of_the_judge(run: Run) -> None:
    add_detector(run, Spec("picky", {"floor": "0.6"}, "picky"))
    found = calibrate(run, Search("picky"), NoEvents())
    assert found.curve[0].threshold == 0.6
    assert found.notes[0] == "picky kept no boxes below 0.6: the search starts there"
    assert "judge again with a lower floor" in found.notes[1]


@pytest.mark.parametrize(
    ("search", "kind", "message"),
    [
        (Search("nobody"), NothingToDoError, "no readings by 'nobody'; judges with readings: finder, human, observer"),
        (Search("human", "finder"), NothingToDoError, "'human' have no boxes"),
        (Search("finder", "nobody"), NothingToDoError, "no readings by 'nobody'; judges with readings: finder, human"),
        (Search("finder", "finder"), BadValueError, "not set against itself"),
        (Search("finder", metric="mae"), UnknownNameError, "no metric named 'mae'; known: accuracy, nae"),
        (Search("finder", folds=1), BadValueError, "`folds` 1: cross-validation needs at least 2"),
    ],
    ids=lambda value: value.judge if isinstance(value, Search) else "",
)
def test_what_cannot_be_searched_says_why(run: Run, search: Search, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        calibrate(run, search, NoEvents())


def few_readings(run: Run, items: int, number: int = 1) -> None:
    """Have someone count the pictures of a few items only."""
    some = sorted({stored.response.trial.item_id for stored in run.responses()})[:items]
    readings = [
        Reading(Subject((stored.trial_id,)), one.asks[0].question, "few", Boxes(()), "boxes@1", Known(number))
        for one in run.items()
        if one.id in some
        for stored in run.responses()
        if stored.response.trial.item_id == one.id
    ]
    run.add_judge(Spec("few", {}, "few"), is_stand_in=False)
    with run.lease("test") as lease:
        run.add_readings(lease, readings)


def test_too_few_pictures_are_refused(run: Run) -> None:
    few_readings(run, 4)
    with pytest.raises(NothingToDoError, match=r"8 pictures have both boxes and a true count; .* at least 10"):
        calibrate(run, Search("finder", "few"), NoEvents())


def test_fewer_items_than_folds_make_fewer_folds(run: Run) -> None:
    few_readings(run, 6)
    found = calibrate(run, Search("finder", "few"), NoEvents())
    assert found.result.folds == 6
    assert "6 folds instead of 10, as there are no more items with a true count above 0" in found.notes
    by_accuracy = calibrate(run, Search("finder", "few", metric="accuracy"), NoEvents())
    assert "6 folds instead of 10, as there are no more items" in by_accuracy.notes


def test_nothing_but_0_has_no_nae_but_an_accuracy(run: Run) -> None:
    few_readings(run, 6, number=0)
    with pytest.raises(NothingToDoError, match=r"item with a true count above 0 .*`metric` accuracy"):
        calibrate(run, Search("finder", "few"), NoEvents())
    found = calibrate(run, Search("finder", "few", metric="accuracy"), NoEvents())
    assert (found.result.nae, found.best.nae) == (None, None)


def random_boxes(seed: int) -> list[Box]:
    random = np.random.default_rng(seed)
    boxes = []
    for _ in range(int(random.integers(0, 25))):
        left, top, width, height = random.integers(0, 12, 4)
        corners = (float(left), float(top), float(left + width + 4), float(top + height + 4))
        label, colour = str(random.choice(["cat", "dog"])), str(random.choice(["red", "blue"]))
        boxes.append(Box(label, round(float(random.uniform()), 1), corners, colour))
    return boxes


QUESTIONS = (Count("cat"), Count("cat", "red"), Count("cat", place=Place("left of", "dog")))


@pytest.mark.parametrize(
    "pictures", [3, pytest.param(40, marks=pytest.mark.proof("subitize.labels", "subitize.stats.boxes"))]
)
def test_the_boxes_counted_are_as_many_as_the_rule_says(pictures: int, case: Case) -> None:
    for seed, question, iou, threshold in product(range(pictures), QUESTIONS, (0.3, 0.7, 1.0), (0.0, 0.3, 0.5, 0.9)):
        boxes, rule = random_boxes(seed), Rule("boxes", threshold, iou)
        with case(f"{question.id} by {rule}, seed {seed}"):
            assert Known(len(counted_boxes(boxes, question, rule))) == interpret(Boxes(tuple(boxes)), question, rule)


def test_equal_boxes_are_told_apart() -> None:
    twin = Box("cat", 0.5, (0.0, 0.0, 9.0, 9.0))
    assert counted_boxes([twin, twin], Count("cat"), Rule("boxes", 0.0, 0.5)) == [twin]
    assert counted_boxes([twin, twin], Count("cat"), Rule("boxes")) == [twin, twin]


def command(run: Run, *arguments: object) -> Finished:
    return call("agree", "calibrate", run.location, *arguments)


def save(run: Run, name: str = "finder") -> None:
    """Do what the command does, without its figure, which takes longer than the rest."""
    calibrations.save(name, calibrate(run, Search("finder"), NoEvents()).result)


@pytest.mark.slow
def test_the_command_says_what_it_found_saves_and_draws_it(run: Run, tmp_path: Path) -> None:
    found = command(run, "--judge", "finder", "--against", "human")
    assert found.code == 0, found.err
    assert "finder against human: count boxes with a score of 0.3" in found.out
    assert f"as a rule: boxes@1>={calibrations.load('finder').threshold:g},iou=1\n" in found.out
    assert f"boxes@1>={calibrations.load('finder').threshold:g},iou=1" in call("list", "calibrations").out
    assert "n: 24 pictures of 12 items" in found.out
    assert "thresholds chosen by fold: 0.3" in found.out
    picture, kept = tmp_path / "run" / "calibration-finder.png", tmp_path / "home" / "calibrations" / "finder.json"
    assert f"saved in {kept}, drawn in {picture}; use it with: subitize score RUN --rule calibrated:finder" in found.out
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert calibrations.load("finder").judge == "finder"


@pytest.mark.slow
def test_the_command_gives_everything_as_json(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "curve.svg"
    found = command(run, "--judge", "finder", "--save", "mine", "--figure", file, "--json").json()
    assert found["rule"] == f"boxes@1>={found['result']['threshold']},iou=1"
    assert (len(found["curve"]), len(found["fold_thresholds"])) == (99, 10)
    svg = file.read_text()
    assert all(text in svg for text in ("finder against human", "Numbersense 0.40", "chosen 0.3", "accuracy", "NAE"))


@pytest.mark.slow
def test_a_saved_threshold_is_a_rule_wherever_one_is_written(run: Run) -> None:
    raw = call("score", run.location, "--judge", "finder", "--json").json()
    rule = ("--rule", "calibrated:finder")
    missing = call("score", run.location, "--judge", "finder", *rule)
    assert (missing.code, missing.err) == (2, "subitize: no calibration named 'finder'; known: none\n")
    save(run)
    good = call("score", run.location, "--judge", "finder", *rule, "--json")
    assert good.err == ""
    by_rule = [
        next(one["value"] for one in found if (one["factor"], one["measure"]) == ("all", "accuracy"))
        for found in (raw, good.json())
    ]
    assert by_rule[0] < 0.5 < by_rule[1]
    assert call("measure", run.location, "--judge", "finder", *rule).code == 0
    other = call("score", run.location, "--judge", "observer", *rule)
    assert "calibrated:finder was calibrated for judge 'finder', not 'observer'" in other.err


def test_a_judge_reads_by_a_saved_threshold(run: Run, tmp_path: Path) -> None:
    save(run)
    fresh = tmp_path / "fresh"
    suite = "production:numbers=1,categories=apples"
    assert (
        call("run", suite, "--model", "painter:size_px=128", "--judge", "none", "--repeats", 1, "--out", fresh).code
        == 0
    )
    judged = call("judge", fresh, "--judge", "observer", "--rule", "calibrated:finder")
    assert judged.code == 0, judged.err
    with Run(Folder(fresh)) as opened:
        threshold = calibrations.load("finder").threshold
        assert {one.reading.rule for one in opened.readings()} == {str(Rule("boxes", threshold))}


@pytest.mark.slow
def test_what_a_rule_does_not_name_stays_as_it_was(run: Run) -> None:
    add_detector(run, Spec("doubling", {}, "doubling"), is_doubled=True, rules=("boxes@1>=0.37,iou=0.5",))

    def accuracy(rule: Rule | None = None) -> float:
        seen = observe_run(run, ReadOptions("doubling", rule))
        return next(one.estimate.value for one in score(seen, []) if one.measure == "accuracy")

    assert accuracy() == 1.0
    for rule in ("boxes", "boxes>=0.37", "boxes,iou=0.5", "boxes>=0.365"):
        assert accuracy(parse_rule(rule)) == 1.0
    for rule in ("boxes>=0.37,iou=1", "boxes,iou=1", "boxes@1>=0.37", "boxes>=0"):
        assert accuracy(parse_rule(rule)) < 0.5


def test_the_protocol_names_the_rule_in_full(run: Run) -> None:
    add_detector(run, Spec("doubling", {}, "doubling"), is_doubled=True, rules=("boxes@1>=0.37,iou=0.5",))
    in_part, whole, other = (
        read_making(run, ReadOptions("doubling", parse_rule(rule))).fingerprints
        for rule in ("boxes>=0.4", "boxes>=0.4,iou=0.5", "boxes>=0.4,iou=1")
    )
    assert in_part == whole != other


@pytest.mark.slow
def test_a_threshold_below_the_floor_is_refused(run: Run) -> None:
    add_detector(run, Spec("picky", {"floor": "0.2"}, "picky"))
    for name in ("score", "measure"):
        for judge in (("--judge", "picky"), ()):
            refused = call(name, run.location, *judge, "--rule", "boxes>=0.1")
            assert (refused.code, refused.err) == (
                2,
                "subitize: rule boxes>=0.1: judge 'picky' keeps no boxes with a score below 0.2, its floor; count from "
                "boxes>=0.2, or judge with floor=0.1\n",
            )
        assert call(name, run.location, "--judge", "picky", "--rule", "boxes>=0.2").code == 0
        assert call(name, run.location, "--judge", "finder", "--rule", "boxes>=0.1").code == 0


@pytest.mark.slow
def test_a_calibration_is_for_the_judge_it_was_made_for(run: Run) -> None:
    save(run)
    for name in ("score", "measure"):
        found = call(name, run.location, "--rule", "calibrated:finder", "--json")
        assert found.code == 0, found.err
        assert {one["judge"] for one in found.json()} == {"finder"}
        assert found.err == (
            "subitize: --rule calibrated:finder: only the readings of 'finder', which it was made for; others with "
            "--judge\n"
        )
    with pytest.warns(UserWarning, match="only the readings of 'finder'"):
        scored = subitize.score(run, rule="calibrated:finder")
    told = call("score", run.location, "--rule", "calibrated:finder", "--json").json()
    assert scored.frame["value"].to_list() == [one["value"] for one in told]


def test_a_rule_that_cannot_read_all_judges_asks_for_one(run: Run) -> None:
    refused = call("score", run.location, "--rule", "boxes>=0.4")
    assert refused.code == 2
    assert "'boxes' cannot read words" in refused.err
    assert "as 'human' has; name a judge with --judge: finder, human, observer" in refused.err
    named = call("score", run.location, "--judge", "human", "--rule", "boxes>=0.4")
    assert "--judge" not in named.err


def test_what_was_read_before_by_another_rule_is_said(run: Run) -> None:
    again = call("judge", run.location, "--judge", "observer", "--rule", "boxes>=0.3")
    assert again.code == 0
    assert "0 new readings" in again.out
    assert "what was read before keeps its rule, boxes@1; to read it again: subitize score" in again.err
    assert "--judge observer --rule 'boxes@1>=0.3,iou=1'" in again.err
    assert call("judge", run.location, "--judge", "observer", "--rule", "boxes").err == ""
    assert call("judge", run.location, "--judge", "observer").err == ""


@pytest.mark.parametrize(
    ("judge", "rule", "message"),
    [
        ("observer", "strict", "rule 'strict' cannot read what judge 'observer' finds; for it: boxes"),
        ("observer", "compared", "rule 'compared' cannot read what judge 'observer' finds; for it: boxes"),
        (
            "parser",
            "boxes>=0.4",
            "rule 'boxes' cannot read what judge 'parser' finds; for it: final, geckonum, strict, total",
        ),
        pytest.param(
            "ssd:nowhere,floor=0.2",
            "total",
            "rule 'total' cannot read what judge 'ssd:nowhere,floor=0.2' finds",
            marks=pytest.mark.detect,
        ),
        pytest.param(
            "ssd:nowhere,floor=0.2",
            "boxes>=0.1",
            "keeps no boxes with a score below 0.2, its floor",
            marks=pytest.mark.detect,
        ),
    ],
)
def test_a_rule_that_a_judge_cannot_use_is_refused_before_it_looks(
    run: Run, judge: str, rule: str, message: str
) -> None:
    refused = call("judge", run.location, "--judge", judge, "--rule", rule)
    assert (refused.code, refused.err.count("\n")) == (2, 1)
    assert message in refused.err


def test_an_endless_interval_is_null_in_json_and_kept(run: Run, tmp_path: Path) -> None:
    first = next(run.responses()).response.trial.item_id
    ones = {stored.trial_id for stored in run.responses() if stored.response.trial.item_id == first}
    places = [stored.trial_id in ones for stored in run.responses()]
    import_counts(tmp_path / "run", lambda number, place: str(number if places[place] else 0), judge="choosy")
    options = ("--judge", "finder", "--against", "choosy", "--metric", "accuracy", "--json")
    found = command(run, *options, "--figure", tmp_path / "curve.svg").json()
    assert found["result"]["nae"]["high"] is None
    kept = calibrations.load("finder")
    assert kept.nae is not None
    assert kept.nae.high == float("inf")
    assert "1,000" not in (tmp_path / "curve.svg").read_text()
    calibrations.save("finder", kept)  # it may be replaced


def test_saved_ones_are_listed(run: Run) -> None:
    assert call("list", "calibrations").code == 0
    save(run, "mine")
    found = call("list", "calibrations")
    assert "calibrated:mine" in found.out
    assert call("list", "calibrations", "--json").json()["mine"]["judge"] == "finder"
    (calibrations.folder() / "bad.json").write_text("{")
    broken = call("list", "calibrations")
    assert "calibrated:mine" in broken.out
    assert "bad.json" in broken.err


@pytest.mark.slow
def test_another_judges_calibration_is_not_replaced_by_the_way(run: Run) -> None:
    save(run, "mine")
    other = ("--judge", "observer", "--save", "mine")
    refused = command(run, *other)
    assert refused.code == 2
    assert "calibration 'mine' is of judge 'finder', not 'observer'" in refused.err
    assert calibrations.load("mine").judge == "finder"
    assert command(run, *other, "--force").code == 0
    assert calibrations.load("mine").judge == "observer"


BAD_INPUT: list[tuple[tuple[object, ...], str]] = [
    (("--judge", "nobody"), "has no readings by 'nobody'"),
    (("--judge", "human"), "not set against itself"),
    (("--judge", "finder", "--against", "x"), "has no readings by 'x'"),
    (("--judge", "finder", "--metric", "x"), "no metric named 'x'"),
    (("--judge", "finder", "--save", "../x"), "calibration name '../x'"),
    (("--judge", "finder", "--save", ""), "calibration name ''"),
    (("--judge", "finder", "--folds", "0"), "--folds 0"),
    (("--judge", "finder", "--seed", "-1"), "--seed -1: should be from 0 to 9223372036854775807"),
    (("--judge", "finder", "--seed", 2**63), "should be from 0 to 9223372036854775807"),
    (("--judge", "finder", "--figure", "x.gif"), "should end in .png or .svg"),
    (("--judge", "finder", "--figure", "nowhere/x.png"), "there is no folder nowhere"),
    (("--judge", "finder", "--figure", "run.sqlite"), "a run's database"),
]


def test_bad_input_is_one_line_and_exit_code_2(run: Run, case: Case) -> None:
    for arguments, message in BAD_INPUT:
        with case(arguments):
            found = command(run, *arguments)
            assert found.code == 2
            assert message in found.err
            assert found.err.count("\n") == 1
            assert calibrations.names() == []


def test_a_run_that_is_not_there_is_named(tmp_path: Path) -> None:
    found = call("agree", "calibrate", tmp_path / "none", "--judge", "finder")
    assert (found.code, found.err.count("\n")) == (2, 1)
