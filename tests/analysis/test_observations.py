"""What counts as an observation: the latest attempt, one label per judge, refusals and exclusions marked."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from subitize.analysis.counting import measure_counting
from subitize.analysis.frame import Missing, ReadOptions, observe_run, read_frame
from subitize.analysis.score import score
from subitize.errors import BadValueError, NothingToDoError, UnknownNameError
from subitize.frame import COLUMNS, NO_JUDGE, Frame, FrameRow, frame_seen
from subitize.labels import interpret, parse_rule
from subitize.records import (
    Ask,
    Box,
    Boxes,
    Choose,
    Confirm,
    Count,
    Design,
    Discarded,
    Draw,
    Evidence,
    Failed,
    Item,
    Known,
    MatchesPrompt,
    Name,
    Outcome,
    Question,
    Reading,
    Refused,
    Said,
    Scalar,
    Spec,
    Subject,
    Task,
    Trial,
    Words,
)
from subitize.store import Folder, Location, Run
from tests.analysis.observed import look_at
from tests.cases import Case
from tests.samples import MODEL, SUITE, naming_item, reading, response, trial

ITEMS = [naming_item(index) for index in range(4)]
OTHER = Spec("other", {}, "other")


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    with Run(Folder(tmp_path / "run"), create=True) as run:
        run.add_suite(SUITE, 0, ITEMS)
        run.add_model(MODEL, is_stand_in=True)
        run.add_model(OTHER, is_stand_in=False)
        yield run


def answer(run: Run, *given: tuple[Trial, Outcome]) -> None:
    with run.lease("model") as lease:
        run.add_responses(lease, [response(one, outcome) for one, outcome in given])


def read(
    run: Run, of: Trial, evidence: Evidence, *, judge: str = "parser", who: str = "", rule: str = "strict"
) -> None:
    value = interpret(evidence, Count("apple"), parse_rule(rule))
    with run.lease("judge") as lease:
        subject = Subject((of.id,))
        stored_rule = str(parse_rule(rule))
        run.add_readings(lease, [Reading(subject, Count("apple"), judge, evidence, stored_rule, value, who)])


def say(run: Run, of: Trial, text: str) -> None:
    answer(run, (of, Said(text)))
    read(run, of, Words(text))


def seen(observations: Frame) -> list[tuple[str, str, object]]:
    return [(one.judge, one.status, one.value) for one in look_at(observations)]


def test_an_answer_with_a_reading_is_an_observation(run: Run) -> None:
    say(run, trial(ITEMS[0]), "3")
    say(run, trial(ITEMS[1]), "4")
    found = observe_run(run, ReadOptions())
    right, _ = look_at(found)
    expected = FrameRow(ITEMS[0], ITEMS[0].asks[0], "eligible", 3, "random", "parser", subject=trial(ITEMS[0]).id)
    assert right == expected
    assert found.rows["is_right"].to_list() == [True, False]


def test_what_a_rule_makes_no_value_of_is_discarded_and_not_right(run: Run) -> None:
    say(run, trial(ITEMS[0]), "a few")
    found = observe_run(run, ReadOptions())
    assert seen(found) == [("parser", "discarded", None)]
    assert found.rows["is_right"].to_list() == [False]


def test_a_failure_is_no_observation(run: Run) -> None:
    say(run, trial(ITEMS[0]), "3")
    answer(run, (trial(ITEMS[1]), Failed("400", False)), (trial(ITEMS[2]), Failed("503", True)))
    assert len(observe_run(run, ReadOptions())) == 1


def test_only_the_latest_attempt_counts(run: Run) -> None:
    first, second = trial(ITEMS[0]), trial(ITEMS[0], attempt=1)
    say(run, second, "3")
    say(run, first, "a few")
    assert seen(observe_run(run, ReadOptions())) == [("parser", "eligible", 3)]


def test_a_latest_attempt_that_is_not_judged_yet_leaves_nothing_of_the_one_before(run: Run) -> None:
    say(run, trial(ITEMS[0]), "5")
    say(run, trial(ITEMS[1]), "3")
    answer(run, (trial(ITEMS[0], attempt=1), Said("3")))
    assert [one.item for one in look_at(observe_run(run, ReadOptions()))] == [ITEMS[1]]


def test_repeats_are_observations_of_their_own(run: Run) -> None:
    for repeat, text in enumerate(["3", "4", "3"]):
        say(run, trial(ITEMS[0], repeat=repeat), text)
    assert [(one.repeat, one.value) for one in look_at(observe_run(run, ReadOptions()))] == [(0, 3), (1, 4), (2, 3)]


VOTES = {
    "plurality": ("3 4 4", "plurality", ("eligible", 4)),
    "tie": ("4 3", "plurality", ("unknown", None)),
    "tie: first stored": ("4 3", "first", ("eligible", 4)),
    "tie: by the earlier rule": ("4 3", "mode", ("eligible", 4)),
    "median": ("4 3 9", "median", ("eligible", 4)),
    "majority": ("3 3 4", "majority", ("eligible", 3)),
    "none": ("3 4 5", "majority", ("discarded", None)),
    "discarded have no vote": ("several 3 several", "majority", ("eligible", 3)),
    "nobody has a value": ("several many", "plurality", ("discarded", None)),
}


@pytest.mark.slow
def test_several_annotators_come_to_one_label(run: Run, case: Case) -> None:
    for repeat, (name, (answers, agreement, expected)) in enumerate(VOTES.items()):
        answer(run, (trial(ITEMS[0], repeat=repeat), Said("?")))
        for who, text in enumerate(answers.split()):
            read(run, trial(ITEMS[0], repeat=repeat), Words(text), judge="human", who=f"annotator {who}")
        with case(name):
            assert seen(observe_run(run, ReadOptions(agreement=agreement)))[repeat] == ("human", *expected)


def test_ties_are_counted_and_lines_to_choose_from_have_no_median(run: Run) -> None:
    lines = Choose(("none", "few", "many", "all"))
    draw = Item("lines/few", Draw("A few apples"), (Ask(lines, "Which?", (1,)),), {})
    run.add_suite(Spec("lines", {}, "lines"), 0, [draw])
    given: dict[Question, tuple[Item, list[tuple[int, ...]]]] = {
        lines: (draw, [(0, 2, 3, 3), (0, 0, 3, 3)]),
        Count("apple"): (ITEMS[0], [(0, 2, 3, 3), (0, 0, 3, 3)]),
    }
    for question, (item, votes) in given.items():
        for repeat, values in enumerate(votes):
            of = trial(item, repeat=repeat)
            answer(run, (of, Said("?")))
            with run.lease("people") as lease:
                made = [
                    reading(of, str(vote), annotator=f"{who}", question=question) for who, vote in enumerate(values)
                ]
                run.add_readings(lease, made)
    survey = read_frame(run, ReadOptions(agreement="median"))
    found = {(one.item.id, one.repeat): (one.status, one.value) for one in look_at(survey.observations)}
    assert found == {
        (ITEMS[0].id, 0): ("eligible", 2.5),
        (ITEMS[0].id, 1): ("eligible", 1.5),
        (draw.id, 0): ("eligible", 3),
        (draw.id, 1): ("unknown", None),
    }
    assert survey.gaps().tied == 1
    assert read_frame(run).gaps().tied == 2
    assert read_frame(run, ReadOptions(agreement="first")).gaps().tied == 0


def test_geckonums_ranges_are_rounded_after_the_vote(run: Run) -> None:
    answer(run, (trial(ITEMS[0]), Said("?")))
    for who, text in enumerate(["2-3", "2-3", "3"]):
        read(run, trial(ITEMS[0]), Words(text), judge="human", who=str(who), rule="geckonum")
    assert seen(observe_run(run, ReadOptions(agreement="geckonum"))) == [("human", "eligible", 2)]
    assert seen(observe_run(run, ReadOptions(agreement="plurality"))) == [("human", "eligible", 2.5)]


def test_a_changed_mind_has_one_vote(run: Run) -> None:
    answer(run, (trial(ITEMS[0]), Said("?")))
    for who, text in [("ada", "5"), ("bob", "3")]:
        read(run, trial(ITEMS[0]), Words(text), judge="human", who=who)
    assert seen(observe_run(run, ReadOptions(agreement="first"))) == [("human", "eligible", 5)]
    first, _ = run.readings()
    changed = replace(first.reading, evidence=Words("3"), value=Known(3), replaces=first.id)
    with run.lease("judge") as lease:
        run.add_readings(lease, [changed])
    assert seen(observe_run(run, ReadOptions(agreement="majority"))) == [("human", "eligible", 3)]


def test_each_judge_has_its_own_observation_and_one_can_be_chosen(run: Run) -> None:
    say(run, trial(ITEMS[0]), "3")
    read(run, trial(ITEMS[0]), Words("4"), judge="human", who="ada")
    assert seen(observe_run(run, ReadOptions())) == [("parser", "eligible", 3), ("human", "eligible", 4)]
    assert seen(observe_run(run, ReadOptions(judge="human"))) == [("human", "eligible", 4)]


@pytest.mark.parametrize(
    ("evidence", "stored", "anew", "expected"),
    [
        (Words("2 red and 3 blue, 5 in total"), "strict", "total", ("eligible", 5)),
        (Words("3-4"), "strict", "geckonum", ("eligible", 3.5)),
        (Words("2 and 3, 5 in total"), "total", "strict", ("discarded", None)),
        (
            Boxes(tuple(Box("apple", score, (0.0, 0.0, 1.0, 1.0)) for score in (0.9, 0.5, 0.2))),
            "boxes",
            "boxes>=0.4",
            ("eligible", 2),
        ),
    ],
    ids=["total", "geckonum", "stricter", "threshold"],
)
def test_evidence_is_read_anew_without_judging_again(
    run: Run, evidence: Evidence, stored: str, anew: str, expected: tuple[str, object]
) -> None:
    answer(run, (trial(ITEMS[0]), Said("?")))
    read(run, trial(ITEMS[0]), evidence, rule=stored)
    before = list(run.readings())
    assert seen(observe_run(run, ReadOptions(rule=parse_rule(anew)))) == [("parser", *expected)]
    assert list(run.readings()) == before


def test_a_rule_that_cannot_read_the_evidence_is_an_error(run: Run) -> None:
    say(run, trial(ITEMS[0]), "3")
    with pytest.raises(BadValueError, match="rule 'boxes' cannot read words"):
        observe_run(run, ReadOptions(rule=parse_rule("boxes")))


def test_an_unknown_agreement_is_an_error_even_where_nothing_has_a_value(run: Run) -> None:
    say(run, trial(ITEMS[0]), "a few")
    with pytest.raises(UnknownNameError, match="no consensus rule named 'mean'"):
        observe_run(run, ReadOptions(agreement="mean"))


def test_a_refusal_stands_for_every_judge_of_its_model(run: Run) -> None:
    say(run, trial(ITEMS[0]), "3")
    read(run, trial(ITEMS[0]), Words("3"), judge="human", who="ada")
    answer(run, (trial(ITEMS[1]), Refused("no")))
    assert [(one.item.id, one.judge, one.status, one.value) for one in look_at(observe_run(run, ReadOptions()))] == [
        (ITEMS[0].id, "parser", "eligible", 3),
        (ITEMS[0].id, "human", "eligible", 3),
        (ITEMS[1].id, "parser", "refused", None),
        (ITEMS[1].id, "human", "refused", None),
    ]


def test_a_model_that_refuses_everything_needs_no_judge(run: Run) -> None:
    answer(run, *((trial(item), Refused("no")) for item in ITEMS[:2]), (trial(ITEMS[2]), Failed("503", True)))
    assert seen(observe_run(run, ReadOptions())) == [(NO_JUDGE, "refused", None)] * 2
    assert seen(observe_run(run, ReadOptions(judge="parser"))) == [(NO_JUDGE, "refused", None)] * 2


def test_a_refusal_among_answers_that_nobody_judged_is_no_result(run: Run) -> None:
    answer(run, (trial(ITEMS[0]), Refused("no")), (trial(ITEMS[1]), Said("3")))
    with pytest.raises(NothingToDoError, match="no readings yet"):
        observe_run(run, ReadOptions())


def test_a_model_that_is_not_judged_does_not_disturb_one_that_is(run: Run) -> None:
    say(run, trial(ITEMS[0]), "3")
    answer(run, (trial(ITEMS[0], model=OTHER), Said("3")), (trial(ITEMS[1], model=OTHER), Refused("no")))
    assert observe_run(run, ReadOptions()).rows["model"].to_list() == ["random"]


def test_a_wrong_judge_is_an_error_even_beside_a_model_that_refuses_everything(run: Run) -> None:
    say(run, trial(ITEMS[0]), "3")
    answer(run, (trial(ITEMS[0], model=OTHER), Refused("no")))
    with pytest.raises(NothingToDoError, match="no readings by 'pasrer'; judges with readings: parser"):
        observe_run(run, ReadOptions(judge="pasrer"))


def test_an_excluded_item_is_kept_and_marked(run: Run) -> None:
    say(run, trial(ITEMS[0]), "3")
    say(run, trial(ITEMS[1]), "3")
    run.exclude(ITEMS[0].id, "a smudge")
    assert observe_run(run, ReadOptions()).rows["is_excluded"].to_list() == [True, False]
    run.include(ITEMS[0].id, "dust")
    assert observe_run(run, ReadOptions()).rows["is_excluded"].to_list() == [False, False]


def test_an_irrelevant_question_stays_out(tmp_path: Path) -> None:
    table = Ask(Confirm("there is a table", is_informed=False), "Is there a table?", (True,), is_relevant=False)
    item = replace(ITEMS[0], asks=(*ITEMS[0].asks, table))
    with Run(Folder(tmp_path / "other"), create=True) as run:
        run.add_suite(SUITE, 0, [item])
        run.add_model(MODEL, is_stand_in=True)
        say(run, trial(item), "3")
        with run.lease("judge") as lease:
            value = Discarded("unclear")
            run.add_readings(
                lease, [Reading(Subject((trial(item).id,)), table.question, "parser", Words("?"), "strict@1", value)]
            )
        answer(run, (trial(item, repeat=1), Refused("no")))
        assert observe_run(run, ReadOptions()).rows["question"].to_list() == ["count:apple"] * 2


FORK, BROKEN, TWO = (Confirm(text, is_informed=False) for text in ("a fork", "it is broken", "in two pieces"))


@pytest.mark.parametrize(
    ("answers", "right", "right_by_itself"),
    [
        ((True, True, True), 3, 3),
        ((True, False, True), 1, 2),
        ((False, True, True), 0, 2),
        ((True, True, False), 2, 2),
    ],
    ids=["all", "the middle one is wrong", "the root is wrong", "a leaf is wrong"],
)
def test_an_answer_counts_only_if_what_it_rests_on_is_right(
    tmp_path: Path, answers: tuple[bool, ...], right: int, right_by_itself: int
) -> None:
    parents = (None, FORK.id, BROKEN.id)
    asks = [Ask(one, "?", (True,), parent) for one, parent in zip((FORK, BROKEN, TWO), parents, strict=True)]
    item = replace(ITEMS[0], asks=tuple(asks))
    with Run(Folder(tmp_path / "graph"), create=True) as run:
        run.add_suite(SUITE, 0, [item])
        run.add_model(MODEL, is_stand_in=True)
        answer(run, (trial(item), Said("a fork")))
        readings = [
            Reading(Subject((trial(item).id,)), ask.question, "parser", Words(str(said)), "strict@1", Known(said))
            for ask, said in zip(asks, answers, strict=True)
        ]
        with run.lease("judge") as lease:
            run.add_readings(lease, readings)
        observations = observe_run(run, ReadOptions())
    shares = {one.measure: one.estimate for one in score(observations) if one.factor == "all"}
    assert observations.rows["is_right"].sum() == right
    assert shares["accuracy"].value == pytest.approx(right / 3)
    assert shares["accuracy_by_itself"].value == pytest.approx(right_by_itself / 3)


def test_an_empty_run_says_what_to_do_first(location: Location) -> None:
    with Run(location, create=True) as run, pytest.raises(NothingToDoError) as caught:
        observe_run(run, ReadOptions())
    name = location.path if isinstance(location, Folder) else location.run_id
    assert str(caught.value) == (
        f"{location} has no responses yet; first: subitize run SUITE --model MODEL --out {name}"
    )


def test_a_run_without_readings_says_what_to_do_first(location: Location) -> None:
    with Run(location, create=True) as run:
        run.add_suite(SUITE, 0, ITEMS)
        run.add_model(MODEL, is_stand_in=True)
        answer(run, (trial(ITEMS[0]), Said("3")))
        with pytest.raises(NothingToDoError) as caught:
            observe_run(run, ReadOptions())
    name = location.path if isinstance(location, Folder) else location.run_id
    assert (
        str(caught.value) == f"{location} has no readings yet; finish its run, or: subitize judge {name} --judge JUDGE"
    )


def test_a_run_where_everything_failed_says_so(run: Run) -> None:
    answer(run, (trial(ITEMS[0]), Failed("503", True)))
    with pytest.raises(NothingToDoError, match=r"all 1 trials of .* failed"):
        observe_run(run, ReadOptions())


ASKS_AGAIN, TAKES_WHAT_COMES = Design(asks_again=True), Design()


@pytest.mark.parametrize(
    ("design", "task", "count", "status"),
    [
        pytest.param(ASKS_AGAIN, Draw("An image with 3 apples"), 0, "discarded", id="nothing drawn"),
        pytest.param(ASKS_AGAIN, Draw("An image with 3 apples"), 0.4, "discarded", id="as good as nothing"),
        pytest.param(ASKS_AGAIN, Draw("An image with 3 apples"), 0.5, "discarded", id="none or one"),
        pytest.param(ASKS_AGAIN, Draw("An image with 3 apples"), 1, "eligible", id="something drawn"),
        pytest.param(ASKS_AGAIN, ITEMS[0].task, 0, "eligible", id="an answer of 0"),
        pytest.param(
            TAKES_WHAT_COMES, Draw("An image with 3 apples"), 0, "eligible", id="a suite that takes what comes"
        ),
    ],
)
def test_a_drawing_with_nothing_to_count_is_discarded_in_every_figure_of_a_suite_that_asks_again(
    tmp_path: Path, design: Design, task: Task, count: float, status: str
) -> None:
    factors: dict[str, Scalar] = {"category": "apples", "number": 3}
    item = replace(ITEMS[0], task=task, asks=(replace(ITEMS[0].asks[0], expects=(3,)),), factors=factors)
    one = trial(item)
    with Run(Folder(tmp_path / "drawn"), create=True) as run:
        run.add_suite(SUITE, 0, [item], design)
        run.add_model(MODEL, is_stand_in=True)
        answer(run, (one, Said("drawn elsewhere")))
        with run.lease("judge") as lease:
            counted = Reading(
                Subject((one.id,)), item.asks[0].question, "parser", Words(str(count)), "total@1", Known(count)
            )
            run.add_readings(lease, [counted])
        found = observe_run(run, ReadOptions())
    assert seen(found) == [("parser", status, count)]
    scores = {of.measure: of.estimate.value for of in score(found)}
    (enumeration,) = measure_counting({"run": found})
    assert scores["discarded"] == enumeration.discarded == (status == "discarded")
    assert ("accuracy_read" in scores) == (enumeration.accuracy_read is not None) == (status == "eligible")
    assert scores["accuracy"] == 0.0


def test_a_missing_entity_of_several_is_not_an_empty_drawing(tmp_path: Path) -> None:
    item = replace(ITEMS[0], task=Draw("3 apples and 2 dots"), factors={"entities": 2})
    one = trial(item)
    with Run(Folder(tmp_path / "drawn"), create=True) as run:
        run.add_suite(SUITE, 0, [item])
        run.add_model(MODEL, is_stand_in=True)
        say(run, one, "0")
        found = observe_run(run, ReadOptions()).rows
    assert found.select("status", "is_right").rows() == [("eligible", False)]


def test_a_survey_is_the_observations_the_asides_and_the_gaps(run: Run) -> None:
    say(run, trial(ITEMS[0]), "5")
    say(run, trial(ITEMS[1]), "4")
    answer(run, (trial(ITEMS[2]), Refused("no")), (trial(ITEMS[3]), Failed("HTTP 400", False)))
    survey = read_frame(run)
    assert survey.observations.rows.equals(observe_run(run, ReadOptions()).rows)
    assert seen(survey.observations)[-1] == ("parser", "refused", None)
    assert survey.observations.rows["subject"].to_list() == [trial(item).id for item in ITEMS[:3]]
    assert survey.whole.rows.equals(survey.observations.rows)
    assert survey.gaps() == Missing(unasked=0, failed=1, unread=0)


def test_what_does_not_enter_the_score_is_observed_aside(location: Location) -> None:
    ask = Ask(Name(), "What is it?", ("apple",), is_relevant=False)
    items = [ITEMS[0], Item("naming/control", ITEMS[0].task, (ask,), {})]
    with Run(location, create=True) as run:
        run.add_suite(SUITE, 0, items)
        run.add_model(MODEL, is_stand_in=True)
        with run.lease("test") as lease:
            run.add_responses(lease, [response(trial(item)) for item in items])
            run.add_readings(lease, [reading(trial(items[0])), reading(trial(items[1]), question=Name())])
        survey = read_frame(run)
    assert survey.observations.rows["item"].to_list() == [ITEMS[0].id]
    assert survey.whole.filter(~pl.col("is_relevant")).rows["item"].to_list() == ["naming/control"]


TOGETHER = Ask(MatchesPrompt(), "Is one of them right?", (True,), group=4)
DRAWN = [replace(item, task=Draw("An image with 3 apples"), asks=(*item.asks, TOGETHER)) for item in ITEMS[:2]]


@pytest.fixture
def drawings(tmp_path: Path) -> Iterator[Run]:
    """Two items, each with a question about every image and one about four of them together."""
    with Run(Folder(tmp_path / "drawn"), create=True) as run:
        run.add_suite(SUITE, 0, DRAWN)
        run.add_model(MODEL, is_stand_in=True)
        yield run


def draw(run: Run, item: Item, *, refusals: int) -> list[Trial]:
    trials = [trial(item, repeat=repeat) for repeat in range(4)]
    answer(run, *((one, Refused("no") if one.repeat < refusals else Said("elsewhere")) for one in trials))
    return trials


def vote(run: Run, trials: Sequence[Trial]) -> None:
    subject = Subject(tuple(one.id for one in trials))
    with run.lease("judge human") as lease:
        said = Reading(subject, TOGETHER.question, "human", Words("yes"), "strict@2", Known(True), annotator="a1")
        run.add_readings(lease, [said])


def test_who_counts_images_is_not_taken_to_vote_on_groups_of_them(drawings: Run) -> None:
    trials = draw(drawings, DRAWN[0], refusals=1)
    read(drawings, trials[1], Words("3"))
    vote(drawings, trials)
    found = {
        (one.judge, one.ask.group, one.repeat): one.status for one in look_at(observe_run(drawings, ReadOptions()))
    }
    assert found == {("human", 4, 0): "eligible", ("parser", 1, 0): "refused", ("parser", 1, 1): "eligible"}


def test_a_group_of_refusals_only_is_refused_for_those_who_vote_on_groups(drawings: Run) -> None:
    vote(drawings, draw(drawings, DRAWN[0], refusals=3))
    read(drawings, draw(drawings, DRAWN[1], refusals=4)[0], Words("3"))
    found = observe_run(drawings, ReadOptions()).filter(pl.col("group") == 4)
    assert seen(found) == [("human", "eligible", True), ("human", "refused", None)]
    (success,) = [one for one in score(found, []) if one.measure == "success"]
    assert (success.judge, success.estimate.value, success.estimate.n) == ("human", 0.5, 2)


def test_accuracy_is_of_images_and_success_of_groups(drawings: Run) -> None:
    trials = draw(drawings, DRAWN[0], refusals=0)
    vote(drawings, trials)
    for one, text in zip(trials, ("3", "4", "5", "6"), strict=True):
        read(drawings, one, Words(text), judge="human")
    figures = {one.measure: one.estimate for one in score(observe_run(drawings, ReadOptions()), [])}
    right = sum(3 in ask.expects for ask in DRAWN[0].asks)
    assert (figures["accuracy"].value, figures["accuracy"].n) == (right / 4, 4)
    assert (figures["success"].value, figures["success"].n) == (1.0, 1)


def test_an_item_may_ask_one_question_twice(tmp_path: Path) -> None:
    asks = (ITEMS[0].asks[0], replace(ITEMS[0].asks[0], expects=(4,)))
    item = replace(ITEMS[0], asks=asks)
    with Run(Folder(tmp_path / "twice"), create=True) as run:
        run.add_suite(SUITE, 0, [item])
        run.add_model(MODEL, is_stand_in=True)
        say(run, trial(item), "4")
        found = observe_run(run)
    assert [(one.ask, one.value) for one in look_at(found)] == [(asks[0], 4), (asks[1], 4)]
    assert found.rows["ask"].to_list() == [0, 1]
    assert found.rows["is_right"].to_list() == [False, True]


def test_a_group_with_a_refused_member_is_looked_at_and_names_all_its_trials(drawings: Run) -> None:
    trials = draw(drawings, DRAWN[0], refusals=1)
    vote(drawings, trials)
    survey = read_frame(drawings)
    (row,) = survey.observations.rows.iter_rows(named=True)
    assert (row["status"], row["is_right"], row["group"], row["repeat"]) == ("eligible", True, 4, 0)
    assert row["subject"] == Subject(tuple(one.id for one in trials)).id
    assert survey.trials(row) == tuple(one.id for one in trials)


def test_a_group_is_left_out_until_none_of_its_trials_is_missing_or_failed(drawings: Run) -> None:
    trials = [trial(DRAWN[0], repeat=repeat) for repeat in range(8)]
    answer(drawings, *((one, Said("elsewhere")) for one in trials[:6]), (trials[6], Failed("503", True)))
    vote(drawings, trials[:4])
    found = observe_run(drawings).rows
    assert found.select("group", "repeat").rows() == [(4, 0)]
    answer(drawings, (trials[6], Said("elsewhere")), (trials[7], Refused("no")))
    vote(drawings, trials[4:])
    assert observe_run(drawings).rows.select("group", "repeat").rows() == [(4, 0), (4, 4)]


def graph(*answers: bool, is_root_relevant: bool = True) -> Frame:
    """Answer a chain of questions, each of which rests on the one before."""
    questions = [Confirm(f"statement {place}", is_informed=False) for place in range(len(answers))]
    parents = [None, *(one.id for one in questions)]
    asks = tuple(Ask(one, "?", (True,), parent) for one, parent in zip(questions, parents, strict=False))
    asks = (replace(asks[0], is_relevant=is_root_relevant), *asks[1:])
    item = replace(ITEMS[0], asks=asks)
    # The last come first: an answer may stand before those it rests on.
    return frame_seen(
        FrameRow(item, ask, "eligible", said) for ask, said in reversed(list(zip(asks, answers, strict=True)))
    )


def test_a_wrong_grandparent_makes_all_below_it_wrong() -> None:
    found = graph(True, False, True, True).rows
    assert found["is_right"].to_list() == [False, False, False, True]
    assert found["is_right_by_itself"].to_list() == [True, True, False, True]
    assert graph(False, True, True, True).rows["is_right"].to_list() == [False] * 4
    assert graph(True, True, True, True).rows["is_right"].to_list() == [True] * 4


def test_what_enters_no_score_makes_nothing_wrong_that_does() -> None:
    assert graph(False, True, True, is_root_relevant=False).rows["is_right"].to_list() == [True, True, False]


def test_each_repeat_and_judge_rests_on_its_own_answers() -> None:
    asks = (Ask(FORK, "?", (True,)), Ask(BROKEN, "?", (True,), FORK.id))
    item = replace(ITEMS[0], asks=asks)
    roots = {("ada", 0): True, ("ada", 1): False, ("bob", 0): False, ("bob", 1): True}
    found = frame_seen(
        FrameRow(item, ask, "eligible", root if ask is asks[0] else True, judge=judge, repeat=repeat)
        for (judge, repeat), root in roots.items()
        for ask in asks
    ).rows
    assert found.filter(pl.col("question") == BROKEN.id)["is_right"].to_list() == list(roots.values())


def test_of_several_right_numbers_the_nearest_is_the_target_and_the_first_where_nothing_was_read() -> None:
    ask = Ask(Count("apple"), "?", (6, 2, 4))
    item = replace(ITEMS[0], asks=(ask,))
    values = (1, 3, 4, 5.5, 100)
    eligible = [FrameRow(item, ask, "eligible", value) for value in values]
    found = frame_seen([*eligible, FrameRow(item, ask, "refused", None), FrameRow(item, ask, "eligible", "some")]).rows
    assert found["target"].to_list() == [2, 2, 4, 6, 6, 6, 6]
    assert found["is_right"].to_list() == [False, False, True, False, False, False, False]
    assert set(found["expected"]) == {"6 or 2 or 4"}


MIXED: list[tuple[Scalar, tuple[Scalar, ...], bool]] = [
    (3, (3,), True),
    (3.0, (3,), True),
    ("3", (3,), False),
    (3, ("3",), False),
    ("3", ("3", 4), True),
    ("True", (True,), False),
    (True, (True,), True),
    (True, (1,), True),
    (-2, (2, -2), True),
    (2.5, (2.5,), True),
    ("", ("",), True),
    ("", (), False),
]


def test_texts_stand_beside_numbers_and_are_never_taken_for_them(case: Case) -> None:
    asks = [Ask(Name(), "?", expects) for _, expects, _ in MIXED]
    items = [replace(ITEMS[0], id=f"naming/{place}", asks=(ask,)) for place, ask in enumerate(asks)]
    found = frame_seen(
        FrameRow(item, ask, "eligible", value) for item, ask, (value, *_) in zip(items, asks, MIXED, strict=True)
    )
    rows = found.rows.iter_rows(named=True)
    for row, (value, expects, is_right) in zip(rows, MIXED, strict=True):
        with case(f"{value!r} of {expects}"):
            assert row["is_right"] is is_right
            assert row["value_text"] == str(value)
            assert row["value"] == (None if isinstance(value, str) else value)
            assert (found.row(row).value, type(found.row(row).value)) == (value, type(value))


def test_a_suite_that_was_only_refused_has_no_judge_though_another_has(tmp_path: Path) -> None:
    others = [replace(item, id=item.id.replace("naming", "other")) for item in ITEMS[:2]]
    with Run(Folder(tmp_path / "two"), create=True) as run:
        run.add_suite(SUITE, 0, ITEMS)
        run.add_suite(OTHER, 0, others)
        run.add_model(MODEL, is_stand_in=True)
        run.add_model(OTHER, is_stand_in=False)
        say(run, trial(ITEMS[0]), "3")
        answer(run, *((trial(item), Refused("no")) for item in (ITEMS[1], *others)))
        answer(run, (trial(ITEMS[2], model=OTHER), Refused("no")))
        found = observe_run(run).rows
        chosen = observe_run(run, ReadOptions(judge="parser")).rows
    expected = [
        (ITEMS[0].id, "random", "parser", "eligible"),
        (ITEMS[1].id, "random", "parser", "refused"),
        (ITEMS[2].id, "other", NO_JUDGE, "refused"),
        *((item.id, "random", NO_JUDGE, "refused") for item in others),
    ]
    assert found.select("item", "model", "judge", "status").rows() == expected
    assert chosen.equals(found)


def test_a_trial_that_failed_twice_and_then_answered_is_one_observation(run: Run) -> None:
    for _ in range(2):
        answer(run, (trial(ITEMS[0]), Failed("503", True)))
    answer(run, (trial(ITEMS[1]), Said("3")))
    say(run, trial(ITEMS[0]), "3")
    read(run, trial(ITEMS[1]), Words("3"))
    survey = read_frame(run)
    assert survey.observations.rows["item"].to_list() == [ITEMS[0].id, ITEMS[1].id]
    assert survey.responses["item"].to_list() == [ITEMS[0].id, ITEMS[1].id]
    assert survey.gaps() == Missing(unasked=2, failed=0, unread=0)


def test_asking_again_that_failed_does_not_undo_what_was_answered(run: Run) -> None:
    say(run, trial(ITEMS[0]), "a few")
    say(run, trial(ITEMS[0], attempt=1), "5")
    answer(run, (trial(ITEMS[0], attempt=2), Failed("503", True)))
    answer(run, *((trial(ITEMS[1], attempt=attempt), Failed("503", True)) for attempt in (0, 1)))
    survey = read_frame(run)
    assert survey.observations.rows.select("item", "attempt", "value").rows() == [(ITEMS[0].id, 1, 5.0)]
    assert survey.responses.select("item", "attempt", "kind").rows() == [
        (ITEMS[0].id, 1, "said"),
        (ITEMS[1].id, 1, "failed"),
    ]
    assert survey.gaps() == Missing(unasked=2, failed=1, unread=0)


def test_rows_are_in_the_order_of_items_asks_responses_and_of_judges_as_they_are_met(tmp_path: Path) -> None:
    """What is stored first of an item comes first, and a judge that is first met later comes later, refusals too."""
    table = Ask(Confirm("there is a table", is_informed=False), "Is there a table?", (True,))
    aside = Ask(Name(), "What is it?", ("apple",), is_relevant=False)
    items = [replace(item, asks=(aside, *item.asks, table)) for item in ITEMS[:2]]
    given = [trial(items[1]), trial(items[0], repeat=1), trial(items[0], model=OTHER), trial(items[0])]
    with Run(Folder(tmp_path / "order"), create=True) as run:
        run.add_suite(SUITE, 0, items)
        run.add_model(MODEL, is_stand_in=True)
        run.add_model(OTHER, is_stand_in=False)
        answer(run, *((one, Said("3")) for one in given), (trial(items[1], repeat=1), Refused("no")))
        for of in given:
            for judge in ("zoe", "ada") if of.repeat == 0 else ("ada",):
                read(run, of, Words("3"), judge=judge)
        said = [Reading(Subject((given[0].id,)), table.question, "eve", Words("yes"), "strict@1", Known(True))]
        said.append(Reading(Subject((given[3].id,)), Name(), "eve", Words("apple"), "strict@1", Known("apple")))
        with run.lease("judge") as lease:
            run.add_readings(lease, said)
        found = read_frame(run).whole.rows
    apples, first, second = "count:apple", items[0].id, items[1].id
    assert found.select("item", "question", "model", "repeat", "judge", "status").rows() == [
        (first, apples, "random", 1, "ada", "eligible"),
        (first, apples, "other", 0, "zoe", "eligible"),
        (first, apples, "other", 0, "ada", "eligible"),
        (first, apples, "random", 0, "ada", "eligible"),
        (first, apples, "random", 0, "zoe", "eligible"),
        (second, apples, "random", 0, "ada", "eligible"),
        (second, apples, "random", 0, "zoe", "eligible"),
        *((second, apples, "random", 1, judge, "refused") for judge in ("ada", "zoe", "eve")),
        (second, table.question.id, "random", 0, "eve", "eligible"),
        *((second, table.question.id, "random", 1, judge, "refused") for judge in ("ada", "zoe", "eve")),
        (first, "name", "random", 0, "eve", "eligible"),
        (second, "name", "random", 1, "eve", "refused"),
    ]


def test_nothing_observed_is_an_empty_frame_with_all_columns() -> None:
    assert frame_seen([]).rows.schema == COLUMNS
    assert frame_seen([FrameRow(ITEMS[0], ITEMS[0].asks[0], "eligible", 3)]).rows.schema == COLUMNS
