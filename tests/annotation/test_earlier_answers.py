"""A study goes on with the answers that its run has already."""

from pathlib import Path

from subitize.annotation.assignment import AnswerRecord, Assignment
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
    with opened(folder(tmp_path), people_per_image=2) as study:
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
    with opened(folder(tmp_path), judge="geckonum-annotators", rule="geckonum", people_per_image=6) as study:
        pages = len(study.pages)
        assert study.progress(study.people.invite("new")) == {
            "done": 0,
            "left": pages,
            "given": 5 * pages,
            "wanted": 6 * pages,
        }
