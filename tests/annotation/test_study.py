"""What people say is stored once, as readings of the run, and outlives a restart."""

from dataclasses import replace
from pathlib import Path

import pytest

from subitize.annotation.assignment import AnswerRecord, Assignment
from subitize.annotation.pages import collect_pages
from subitize.annotation.study import Study, UnreadAnswerError, default_rule
from subitize.errors import BadValueError, ConflictError, UnknownNameError
from subitize.labels import interpret, parse_rule
from subitize.records import (
    Answer,
    Ask,
    Boxes,
    Discarded,
    Draw,
    Drawn,
    Item,
    Known,
    MatchesPrompt,
    Name,
    Reading,
    Spec,
    Stimulus,
    Transcribe,
    Words,
)
from subitize.store import Location, Run
from tests.annotation.studies import COUNTS, LINES, STATEMENT, VOTE, folder, item, make_run, opened


@pytest.fixture
def run(location: Location) -> Location:
    """Six drawings, in SQLite and in PostgreSQL."""
    make_run(location, COUNTS)
    return location


def readings(location: Location) -> list[Reading]:
    with Run(location) as run:
        return [stored.reading for stored in run.readings("human")]


def say(study: Study, person: str, text: str, *, key: str = "a" * 8, place: int | None = None) -> int:
    """Answer the first question of a page, the next one unless a place is given."""
    who = study.people.invite(person)
    shown = place if place is not None else study.next_tasks(who, 1)[0].page_index
    study.save(who, Assignment(shown), 0, AnswerRecord(key, text))
    return shown


def test_an_answer_is_a_reading_of_the_run(run: Location) -> None:
    with opened(run) as study:
        say(study, "anna", "3")
    (reading,) = readings(run)
    assert (reading.judge, reading.annotator, reading.value) == ("human", "anna", Known(3))


def test_an_answer_that_is_sent_again_is_stored_once(run: Location) -> None:
    with opened(run) as study:
        place = say(study, "anna", "3")
        say(study, "anna", "3", place=place)
    with opened(run) as study:  # the browser did not hear of it before the server was gone
        say(study, "anna", "3", place=place)
    assert len(readings(run)) == 1


def test_a_changed_mind_replaces_what_was_said_and_the_raw_row_stays(run: Location) -> None:
    with opened(run) as study:
        place = say(study, "anna", "3", key="first---")
    with opened(run) as study:
        say(study, "anna", "4", key="second--", place=place)
        say(study, "anna", "5", key="third---", place=place)
    with Run(run) as stored:
        (standing,) = stored.readings("human")
        assert standing.reading.value == Known(5)
        assert standing.reading.replaces is not None
        with stored.reading() as connection:
            assert connection.exec_driver_sql("SELECT count(*) FROM readings").scalar() == 3


def test_a_restart_goes_on_where_everybody_was(run: Location) -> None:
    with opened(run, people_per_image=2) as study:
        done = [say(study, "anna", "2", key=f"answer-{turn}") for turn in range(4)]
        say(study, "ben", "2")
    with opened(run, people_per_image=2) as study:
        anna = study.people.invite("anna")
        assert [task.page_index for task in study.finished_tasks(anna)] == done
        assert study.progress(anna) == {"done": 4, "left": 2, "given": 5, "wanted": 12}
        assert study.next_tasks(anna, 1)[0].page_index not in done
        assert study.last_answer(anna, Assignment(done[0]), 0) == AnswerRecord("answer-0", "2")


def test_a_skipped_question_has_no_value_and_takes_back_what_was_said(run: Location) -> None:
    with opened(run) as study:
        place = say(study, "anna", "3", key="answered")
        study.save(
            study.people.invite("anna"),
            Assignment(place),
            0,
            AnswerRecord("skipped-", "I cannot tell", is_skipped=True),
        )
    (reading,) = readings(run)
    assert reading.value == Discarded("cannot tell: I cannot tell", is_refusal=True)


def test_the_answers_of_somebody_who_is_left_out_are_kept_and_enter_no_figure(run: Location) -> None:
    with opened(run, people_per_image=2) as study:
        for person in ("anna", "bot"):
            say(study, person, "3", place=0)
        study.withdraw(study.people.invite("bot"), "answers within a second")
        assert study.people.invite("bot").is_withdrawn
    with Run(run) as stored:
        values = {one.reading.annotator: one.reading.value for one in stored.readings("human")}
        assert values["anna"] == Known(3)
        assert isinstance(values["bot"], Discarded)
        with stored.reading() as connection:
            assert connection.exec_driver_sql("SELECT count(*) FROM readings").scalar() == 3
        for rule in ("strict", "boxes"):
            evidence = next(one.reading for one in stored.readings("human") if one.reading.annotator == "bot")
            assert isinstance(interpret(evidence.evidence, evidence.question, parse_rule(rule)), Discarded)


def test_somebody_else_is_asked_in_place_of_a_person_who_is_left_out(run: Location) -> None:
    with opened(run, people_per_image=2) as study:
        for person in ("anna", "bot"):
            for place in range(6):
                say(study, person, "3", place=place, key=f"answer-{place}")
        chris = study.people.invite("chris")
        assert study.next_tasks(chris, 1) == []
        study.withdraw(study.people.invite("bot"), "spam")
        assert study.progress(chris) == {"done": 0, "left": 6, "given": 6, "wanted": 12}
        with pytest.raises(ConflictError, match="withdrawn"):
            say(study, "bot", "4", place=0, key="too-late")
        say(study, "chris", "2", key="replaced")
    with opened(run, people_per_image=2) as study:
        assert study.progress(study.people.invite("chris")) == {"done": 1, "left": 5, "given": 7, "wanted": 12}


def test_a_closed_link_lets_the_pages_go_that_were_reserved(run: Location) -> None:
    with opened(run, people_per_image=1) as study:
        study.next_tasks(study.people.invite("anna"), 6)
        assert study.next_tasks(study.people.invite("ben"), 6) == []
        study.withdraw(study.people.invite("anna"))
        assert len(study.next_tasks(study.people.invite("ben"), 6)) == 6


def test_the_key_of_another_answer_is_refused(run: Location) -> None:
    for _ in range(2):
        with opened(run) as study:
            say(study, "anna", "3", place=0)
            say(study, "ben", "3", place=1)
            for place, text in ((1, "3"), (0, "4")):
                with pytest.raises(ConflictError, match="key 'aaaaaaaa' is that of another answer"):
                    say(study, "anna", text, place=place)
    assert len(readings(run)) == 2


@pytest.mark.parametrize("rule", ["strict", "total"])
def test_what_was_skipped_or_withdrawn_has_no_value_under_any_rule(tmp_path: Path, rule: str) -> None:
    make_run(folder(tmp_path), [COUNTS[0], item("sign", Transcribe(), "What is written?"), item("it", Name(), "What?")])
    with opened(folder(tmp_path)) as study:
        for place in range(3):
            for person in ("anna", "bot"):
                reason = AnswerRecord(f"skip-{place:04}", "3 dogs hide it", is_skipped=person == "anna")
                study.save(study.people.invite(person), Assignment(place), 0, reason)
        study.withdraw(study.people.invite("bot"), "spam")
    for one in readings(folder(tmp_path)):
        assert interpret(one.evidence, one.question, parse_rule(rule)) == one.value
        assert isinstance(one.value, Discarded)


@pytest.mark.parametrize("text", ["<script>alert('x')</script>1", "<b>3", "alert(1)", "3;", "{3}", "x" * 101 + " 3"])
def test_what_is_no_number_is_not_taken_for_the_digit_in_it(run: Location, text: str) -> None:
    with opened(run) as study, pytest.raises(UnreadAnswerError, match="a count is typed as a number"):
        say(study, "anna", text)
    assert readings(run) == []


@pytest.mark.parametrize("text", ["3", "three", "about 3", "~3", "three cats", "3."])
def test_a_count_may_be_written_in_words(run: Location, text: str) -> None:
    with opened(run) as study:
        say(study, "anna", text)
    assert [one.value for one in readings(run)] == [Known(3)]


def test_half_of_one_may_be_written_without_a_nought(run: Location) -> None:
    with opened(run) as study:
        say(study, "anna", ".5")
    (reading,) = readings(run)
    assert (reading.value, reading.evidence) == (Known(0.5), Words("0.5"))


def test_a_run_without_drawings_is_told_what_would_help(tmp_path: Path) -> None:
    asked = Item("naming/1", Answer(Stimulus("apples", 3, seed=1), "How many?"), COUNTS[0].asks, {})
    with Run(folder(tmp_path), create=True) as run:
        run.add_suite(Spec("naming", {}, "naming"), 0, [asked])
    told = "its suites ask models to answer; people answer about what models drew"
    with pytest.raises(BadValueError, match=told), opened(folder(tmp_path)):
        pass


def test_what_the_rule_cannot_read_is_not_stored(run: Location) -> None:
    with opened(run) as study, pytest.raises(UnreadAnswerError, match="range"):
        say(study, "anna", "2-5")
    assert readings(run) == []


def test_clicks_are_kept_as_positions_and_counted(run: Location) -> None:
    with opened(run, forms=["click"]) as study:
        say(study, "anna", "[[1.5, 2], [30, 12.2]]")
        say(study, "anna", "[]", key="no-cats-")
    two, none = readings(run)
    assert isinstance(two.evidence, Boxes)
    assert [(box.label, box.xyxy) for box in two.evidence.boxes] == [
        ("cat", (1.5, 2, 1.5, 2)),
        ("cat", (30, 12.2, 30, 12.2)),
    ]
    assert (two.value, none.value) == (Known(2), Known(0))


@pytest.mark.parametrize(
    "text", ["", "3", "[[1]]", "[[1, 2, 3]]", "[[NaN, 1]]", "[[-1, 2]]", '[["a", 1]]', f"[{'[1, 1],' * 1000}[1, 1]]"]
)
def test_clicks_that_are_none_are_refused(run: Location, text: str) -> None:
    with opened(run, forms=["click"]) as study, pytest.raises(UnreadAnswerError, match=r"list of \[x, y\]"):
        say(study, "anna", text)


def test_lines_statements_and_groups_are_read_as_chosen(tmp_path: Path) -> None:
    make_run(folder(tmp_path), [LINES, STATEMENT, VOTE], repeats=4)
    for form, text, value in (("choose", "some cats", 1), ("yes-no", "no", False), ("match", "yes", True)):
        with opened(folder(tmp_path), forms=[form], name=form) as study:
            say(study, "anna", text)
        assert readings(folder(tmp_path))[-1].value == Known(value)
    assert len(readings(folder(tmp_path))[-1].subject.trial_ids) == 4


def test_questions_that_show_the_prompt_are_not_mixed_with_blind_ones(tmp_path: Path) -> None:
    make_run(folder(tmp_path), [*COUNTS, VOTE], repeats=4)
    with Run(folder(tmp_path)) as run:
        with pytest.raises(BadValueError, match=r"several forms \(count, match\).*choose some forms"):
            collect_pages(run)
        assert {form for page in collect_pages(run, ["count"]).pages for form in page.forms} == {"count"}
        with pytest.raises(UnknownNameError, match="no form named 'counting'; known: choose, click, count"):
            collect_pages(run, ["counting"])
        with pytest.raises(BadValueError, match="choose one"):
            collect_pages(run, ["count", "click"])


def test_excluded_items_are_not_shown(run: Location) -> None:
    with Run(run) as opened_run:
        opened_run.exclude(COUNTS[0].id, "a fly sat on it")
        assert len(collect_pages(opened_run).pages) == 5


def test_a_study_goes_on_only_as_it_was_begun(run: Location) -> None:
    with opened(run, people_per_image=2):
        pass
    with (
        pytest.raises(BadValueError, match="people_per_page 2, not 3; go on as it was begun"),
        opened(run, people_per_image=3),
    ):
        pass
    with opened(run, people_per_image=3, name="another"):
        pass


@pytest.mark.parametrize("name", ["", " anna", "x" * 61, "an\nna", "\x00"])
def test_names_that_could_not_stand_in_a_table_are_refused(run: Location, name: str) -> None:
    with opened(run) as study, pytest.raises(BadValueError, match="1 to 60 printable characters"):
        study.people.invite(name)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"people_per_image": 0}, "`people_per_image` 0: should be greater than or equal to 1"),
        ({"images_per_model": 0}, "`images_per_model` 0: should be greater than or equal to 1"),
        ({"lease_minutes": 0}, "`lease_minutes` 0: should be greater than 0"),
        ({"rule": "boxes"}, "answers are words"),
        ({"judge": "observer"}, "name of a judge of ours"),
    ],
)
def test_settings_that_cannot_work_are_refused(run: Location, settings: dict[str, object], message: str) -> None:
    with pytest.raises(BadValueError, match=message), opened(run, **settings):  # type: ignore[arg-type]
        pass


def test_counts_are_read_by_the_rule_of_the_suites_paper(run: Location, tmp_path: Path) -> None:
    with Run(run) as opened_run:
        assert default_rule(opened_run) == "strict"
    with Run(folder(tmp_path / "geckonum"), create=True) as made:
        made.add_suite(Spec("geckonum", {}, "geckonum"), 0, [])
        assert default_rule(made) == "geckonum"


def test_pages_that_show_the_prompt_have_what_the_same_model_drew_of_its_parts(tmp_path: Path) -> None:
    whole = Item(
        "sketches/both", Draw("a cat and a dog"), (Ask(MatchesPrompt(), "?", (True,)),), {"linked": "cat,dog,owl"}
    )
    parts = [Item(f"sketches/{noun}", Draw(f"a {noun}"), VOTE.asks, {}) for noun in ("cat", "dog")]
    counted = replace(whole, id="sketches/counted", asks=COUNTS[0].asks)
    make_run(folder(tmp_path), [whole, *parts, counted])
    with Run(folder(tmp_path)) as run:
        pictures = {stored.item_id: stored.response.outcome for stored in run.responses()}
        (page,) = collect_pages(run, ["match"]).pages
        assert [(one.prompt, Drawn(one.picture)) for one in page.linked] == [
            (f"a {noun}", pictures[f"sketches/{noun}"]) for noun in ("cat", "dog")
        ]
        (blind,) = collect_pages(run, ["count"]).pages
        assert blind.linked == ()
