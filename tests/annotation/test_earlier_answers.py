"""A study goes on with the answers that its run has already."""

from pathlib import Path

import pytest

from subitize.annotation.assignment import AnswerRecord, Assignment
from subitize.errors import BadValueError
from subitize.papers.geckonum.prompts import TYPES
from subitize.records import Known
from subitize.store import Run
from tests.annotation.studies import COUNTS, folder, make_run, opened
from tests.commands import call
from tests.papers.geckonum.geckonum_release import SOME, write_images, write_release


def import_counts(path: Path, *said: tuple[str, int, str]) -> None:
    """Bring in answers: who said what of which item."""
    lines = [f"{person},{COUNTS[place].id},{text}" for person, place, text in said]
    (path / "said.csv").write_text("\n".join(["annotator,item,answer", *lines]), encoding="utf-8")
    assert call("import", "readings", path / "said.csv", "--run", path / "run").code == 0


def test_imported_answers_count_and_their_people_are_not_asked_again(tmp_path: Path) -> None:
    make_run(folder(tmp_path), COUNTS)
    import_counts(tmp_path, ("anna", 0, "2"), ("zoe", 0, "3"), ("anna", 1, "2"), ("zoe", 2, "many"))
    with opened(folder(tmp_path), people_per_image=2, earlier="count") as study:
        anna, ben = study.people.invite("anna"), study.people.invite("ben")
        assert study.progress(anna) == {"done": 2, "left": 4, "given": 3, "wanted": 12}
        assert study.progress(ben)["left"] == 5
        places = [task.page_index for task in study.next_tasks(ben, 8)]
        full = next(place for place, page in enumerate(study.pages) if page.factors and place not in places)
        study.save(anna, Assignment(full), 0, AnswerRecord("changed-", "5"))
    with Run(folder(tmp_path)) as run:
        values = [one.reading.value for one in run.readings("human") if one.reading.annotator == "anna"]
        assert sorted(values, key=str) == [Known(2), Known(5)]
    with opened(folder(tmp_path), people_per_image=2) as study:
        assert study.progress(study.people.invite("anna"))["given"] == 3


def test_whether_earlier_answers_count_is_asked_once_and_never_assumed(tmp_path: Path) -> None:
    make_run(folder(tmp_path), COUNTS)
    import_counts(tmp_path, *((name, place, "2") for name in ("anna", "ben") for place in range(6)))
    with (
        pytest.raises(BadValueError, match="6 images are answered already by anna and ben under 'human'; choose count"),
        opened(folder(tmp_path), people_per_image=1),
    ):
        pass
    with opened(folder(tmp_path), people_per_image=1, judge="again", name="again") as study:
        assert study.progress(study.people.invite("fritz"))["left"] == 6
    for _ in range(2):
        with opened(folder(tmp_path), people_per_image=1, earlier="ask") as study:
            assert study.progress(study.people.invite("fritz"))["left"] == 6
    with opened(folder(tmp_path), people_per_image=1) as study:  # as it was begun
        assert study.progress(study.people.invite("fritz"))["left"] == 6
        anna = study.people.invite("anna")
        study.save(anna, Assignment(0), 0, AnswerRecord("changed-", "5"))
    with Run(folder(tmp_path)) as run:
        own = [one.reading.value for one in run.readings("human") if one.reading.annotator == "anna"]
        assert sorted(own, key=str) == [Known(2)] * 5 + [Known(5)]


def test_answers_of_another_study_do_not_finish_one_that_began_without_them(tmp_path: Path) -> None:
    make_run(folder(tmp_path), COUNTS)
    with opened(folder(tmp_path), people_per_image=1, name="second") as second:
        assert second.progress(second.people.invite("fritz"))["left"] == 6
    with opened(folder(tmp_path), people_per_image=1, name="first") as first:
        for place in range(6):
            first.save(first.people.invite("anna"), Assignment(place), 0, AnswerRecord(f"answer-{place}", "2"))
    with opened(folder(tmp_path), people_per_image=1, name="second") as second:
        assert second.progress(second.people.invite("fritz"))["left"] == 6


def test_a_study_begun_before_this_was_a_choice_counts_earlier_answers(tmp_path: Path) -> None:
    make_run(folder(tmp_path), COUNTS)
    with opened(folder(tmp_path), people_per_image=1):
        pass
    with Run(folder(tmp_path)) as run, run.lease("judge human") as lease, run.writing(lease) as connection:
        connection.exec_driver_sql("UPDATE studies SET settings = json_remove(settings, '$.earlier')")
    import_counts(tmp_path, ("anna", 0, "2"))
    with opened(folder(tmp_path), people_per_image=1) as study:
        assert study.progress(study.people.invite("fritz"))["left"] == 5


def test_a_pilot_takes_no_account_of_answers_that_are_there(tmp_path: Path) -> None:
    make_run(folder(tmp_path), COUNTS)
    import_counts(tmp_path, ("anna", 0, "2"))
    with opened(folder(tmp_path), name="pilot", is_pilot=True) as study:
        assert study.progress(study.people.invite("anna"))["given"] == 0


def test_a_study_goes_on_with_the_ratings_of_a_release(tmp_path: Path) -> None:
    prompts = [prompt for prompt in SOME if TYPES[prompt.type] == 1][:2]
    write_release(tmp_path / "release", ["muse_a"], prompts=prompts, seeds=1)
    write_images(tmp_path / "images", ["muse_a"], prompts, seeds=1, size_px=128)
    for command in (
        ("import", "release", "geckonum", tmp_path / "release", "--out", tmp_path / "run"),
        ("import", "attachments", tmp_path / "run", tmp_path / "images"),
    ):
        assert call(*command).code == 0
    with opened(
        folder(tmp_path), judge="geckonum-annotators", rule="geckonum", people_per_image=6, earlier="count"
    ) as study:
        pages = len(study.pages)
        assert study.progress(study.people.invite("new")) == {
            "done": 0,
            "left": pages,
            "given": 5 * pages,
            "wanted": 6 * pages,
        }
