"""What goes out of a run comes in again to the same readings, in every format that can carry it."""

import csv
import json
import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from subitize.annotation.assignment import AnswerRecord, Assignment
from subitize.annotation.exchange.files import RATING_FORMATS, RatingFormat, export_ratings, import_ratings
from subitize.annotation.exchange.ratings import Remark, read_remarks
from subitize.annotation.pages import collect_pages
from subitize.annotation.study import Study
from subitize.errors import BadFileError, BadValueError, NothingToDoError, SubitizeError
from subitize.records import Boxes, Count, Known, Reading, Spec, Transcribe, Words
from subitize.store import Location, Run
from tests.annotation.studies import COUNTS, LINES, STATEMENT, VOTE, folder, item, make_run, opened
from tests.cases import Case
from tests.commands import call
from tests.parts import LABEL_STUDIO

WRITTEN = item("sign", Transcribe(), "What is written in it?")
ITEMS = [*COUNTS[:2], LINES, STATEMENT, WRITTEN, VOTE]
FORMULA = "=cmd|' /C calc'!A0"
SAID = {
    "cats/0": ["3", "three"],
    "cats/1": ["'12", "2"],
    "lines": ["some cats", "many cats"],
    "statement": ["yes", "no"],
    "sign": [FORMULA, '\'=1+1 says "x",\nor so'],
}


def say(study: Study, person: str, place: int, text: str, **given: object) -> None:
    study.save(study.people.invite(person), Assignment(place), 0, AnswerRecord(f"key-{person}-{place}", text, **given))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def answered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two people's answers of every form: typed, chosen, clicked, skipped, with remarks."""
    path = tmp_path_factory.mktemp("answered")
    make_run(folder(path), ITEMS, repeats=4)
    blind = ["count", "choose", "yes-no", "text"]
    with opened(folder(path), forms=blind) as study:
        for place, page in enumerate(study.pages):
            with Run(folder(path)) as run:
                (trial,) = [one.response.trial for one in run.responses() if (one.trial_id,) == page.subject.trial_ids]
            if trial.repeat == 0:
                for person, text in zip(("anna", "ben"), SAID[trial.item_id.partition("/")[2]], strict=True):
                    say(study, person, place, text, is_unsure=person == "ben", comment="hm", seconds=2.5)
            elif trial.repeat == 1:
                say(study, "anna", place, "=too dark", is_skipped=True, is_flagged=True)
    with opened(folder(path), forms=["match"], name="matches") as study:
        for person, text in {"anna": "yes", "chris": "no"}.items():
            say(study, person, 0, text)
    with opened(folder(path), forms=["click"], name="clicks", earlier="count") as study:
        say(study, "dora", 0, "[[1.5, 2], [30, 12.2], [59.9, 0.1]]")
        say(study, "dora", 1, "[]")
    return path / "run"


def readings(run: Path, judge: str = "human") -> list[Reading]:
    with Run(folder(run.parent)) as stored:
        found = [replace(one.reading, judge="human") for one in stored.readings(judge)]
    return sorted(found, key=lambda one: (one.annotator, one.subject.id, one.question.id))


def export(run: Path, out: Path, format: RatingFormat, **options: object) -> Path:
    with Run(folder(run.parent)) as opened_run:
        return export_ratings(opened_run, format, out, **options).path  # type: ignore[arg-type]


NAMES: dict[RatingFormat, str] = {
    "csv": "out.csv",
    "parquet": "out.parquet",
    "label-studio": "out",
    "potato": "out",
}


@pytest.mark.slow
def test_what_goes_out_comes_in_again_to_the_same_readings(answered: Path, tmp_path: Path, case: Case) -> None:
    assert any(isinstance(one.evidence, Boxes) and len(one.evidence.boxes) == 3 for one in readings(answered))
    again = shutil.copytree(answered, tmp_path / "run")
    for format in RATING_FORMATS:
        with case(format), Run(folder(tmp_path)) as run:
            out = export(answered, tmp_path / format / NAMES[format], format, with_people=True)
            people = out / "people.csv" if out.is_dir() else out.with_name("out-people.csv")
            assert import_ratings(run, out, judge=format, people=people).added == len(readings(answered))
            assert import_ratings(run, out, judge=format, people=people).added == 0
            assert readings(again, format) == readings(answered)


def remarks(run: Path, judge: str = "human") -> dict[tuple[str, str, str], Remark]:
    with Run(folder(run.parent)) as stored:
        return dict(read_remarks(stored, judge))


LEFT_OUT: dict[RatingFormat, tuple[str, ...]] = {
    "csv": (),
    "parquet": (),
    "label-studio": ("answered_at",),
    "potato": ("seconds", "answered_at"),
}


@pytest.mark.slow
def test_remarks_come_in_again_as_far_as_the_format_has_room_for_them(
    answered: Path, tmp_path: Path, case: Case
) -> None:
    again, noted = shutil.copytree(answered, tmp_path / "run"), remarks(answered)
    assert {one.comment for one in noted.values()} == {"hm", ""}
    assert any(one.is_unsure for one in noted.values())
    assert any(one.is_flagged for one in noted.values())
    for format in RATING_FORMATS:
        with case(format), Run(folder(tmp_path)) as run:
            out = export(answered, tmp_path / format / NAMES[format], format, with_people=True)
            people = out / "people.csv" if out.is_dir() else out.with_name("out-people.csv")
            for _ in range(2):
                import_ratings(run, out, judge=format, people=people)
            lost: dict[str, Any] = dict.fromkeys(LEFT_OUT[format])
            left = {place: replace(one, **lost) for place, one in noted.items()}
            assert remarks(again, format) == {place: one for place, one in left.items() if one != Remark()}
            with run.reading() as connection:
                rows = connection.exec_driver_sql(f"SELECT count(*) FROM study_remarks WHERE judge = '{format}'")
                assert rows.scalar() == len(remarks(again, format))  # the second time nothing was new


def test_people_get_their_names_whatever_the_capitals_of_columns(answered: Path, tmp_path: Path, case: Case) -> None:
    shutil.copytree(answered, tmp_path / "run")
    csv = export(answered, tmp_path / "out.csv", "csv", with_people=True)
    csv.write_text(re.sub("^annotator", "Annotator", csv.read_text("utf-8")), "utf-8")
    parquet = export(answered, tmp_path / "out.parquet", "parquet")
    pl.read_parquet(parquet).rename(str.upper).write_parquet(parquet)
    for file in (csv, parquet):
        with case(file.name), Run(folder(tmp_path)) as run:
            import_ratings(run, file, judge=file.name, people=tmp_path / "out-people.csv")
            assert readings(tmp_path / "run", file.name) == readings(answered)


def test_a_table_that_came_in_goes_out_as_it_was(answered: Path, tmp_path: Path) -> None:
    shutil.copytree(answered, tmp_path / "run")
    out = export(answered, tmp_path / "out.csv", "csv", with_people=True)
    with Run(folder(tmp_path)) as run:
        import_ratings(run, out, judge="again", people=tmp_path / "out-people.csv")
        again = export_ratings(run, "csv", tmp_path / "again.csv", judge="again").path
        assert sorted(again.read_text("utf-8").split("\n")) == sorted(out.read_text("utf-8").split("\n"))
        import_ratings(run, out, judge="human", people=tmp_path / "out-people.csv")
    with Run(folder(tmp_path)) as run, run.reading() as connection:  # what stands there is not stored again
        query = "SELECT count(*) FROM study_remarks WHERE judge = 'human'"
        assert connection.exec_driver_sql(query).scalar() == 0


def test_people_are_numbers_unless_they_are_asked_for(answered: Path, tmp_path: Path, case: Case) -> None:
    for format in RATING_FORMATS:
        with case(format):
            out = export(answered, tmp_path / format / NAMES[format], format)
            files = [path for path in (out.rglob("*") if out.is_dir() else out.parent.iterdir()) if path.is_file()]
            assert not [path for path in files if "people" in path.name]
            text = " ".join(map(str, files)) + "".join(path.read_bytes().decode("latin-1") for path in files)
            assert not [name for name in ("anna", "ben", "chris", "dora") if name in text]
    for flag, is_named in (((), False), (("--with-people",), True)):
        assert call("export", answered, "--format", "csv", "--out", tmp_path / "tables", *flag).code == 0
        names = set(pl.read_csv(tmp_path / "tables" / "readings.csv")["annotator"])
        assert names == ({"anna", "ben", "chris", "dora"} if is_named else {f"person {n}" for n in range(1, 5)})


def test_the_answers_of_somebody_who_is_left_out_do_not_go_out(answered: Path, tmp_path: Path) -> None:
    shutil.copytree(answered, tmp_path / "run")
    with opened(folder(tmp_path), forms=["match"], name="matches") as study:
        study.withdraw(study.people.invite("chris"), "did not look")
    with Run(folder(tmp_path)) as run:
        assert export_ratings(run, "csv", tmp_path / "out.csv").people == 3


def test_a_spreadsheet_runs_nothing_that_people_typed(answered: Path, tmp_path: Path) -> None:
    out = export(answered, tmp_path / "out.csv", "csv")
    with out.open(encoding="utf-8", newline="") as file:
        cells = [cell for row in csv.reader(file) for cell in row]
    assert f"'{FORMULA}" in cells
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))]


def test_a_long_table_names_the_times_and_remarks_of_the_page(answered: Path, tmp_path: Path) -> None:
    table = pl.read_parquet(export(answered, tmp_path / "out.parquet", "parquet"))
    ben = table.filter(pl.col("value") == "False", pl.col("pictures") == 1)
    assert ben.select("is_unsure", "comment", "seconds").rows() == [(True, "hm", 2.5)]
    assert set(table.filter("is_flagged")["answer"]) == {"cannot tell: =too dark"}


def change_task(change: Callable[[dict[str, object]], None]) -> Callable[[Path], None]:
    def edit(out: Path) -> None:
        tasks = json.loads((out / "tasks-1.json").read_text(encoding="utf-8"))
        change(tasks[1])
        (out / "tasks-1.json").write_text(json.dumps(tasks), encoding="utf-8")

    return edit


def set_points(task: dict[str, object]) -> None:
    task["annotations"] = [{"completed_by": 1, "result": [{"from_name": "clicks_0", "value": {"x": "left"}}]}]


def change_state(old: str, new: str) -> Callable[[Path], None]:
    def edit(out: Path) -> None:
        for path in out.rglob("user_state.json"):
            path.write_text(path.read_text("utf-8").replace(old, new), encoding="utf-8")

    return edit


BAD: dict[str, tuple[RatingFormat, Callable[[Path], object], str]] = {
    "no JSON": ("label-studio", lambda out: (out / "tasks-1.json").write_text("{"), r"tasks-1\.json: the whole: "),
    "no tasks": ("label-studio", lambda out: (out / "tasks-1.json").write_text("{}"), r"valid array; export tasks"),
    "another run": (
        "label-studio",
        change_task(lambda task: task.update(data={"subject": "x", "question_0": "count:cat", "form_0": "count"})),
        r"tasks-1\.json task 2: subject 'x' is not in this run",
    ),
    "no place": ("label-studio", change_task(set_points), r"1\.annotations\.0\.result\.0\.value\.x: .* valid number"),
    "no state": (
        "potato",
        lambda out: [path.write_text("[]") for path in out.rglob("user_state.json")],
        "as Potato wrote",
    ),
    "no pages": (
        "potato",
        lambda out: [path.write_text("x") for path in out.rglob("pages.jsonl")],
        r"pages\.jsonl line 1",
    ),
    "other pages": (
        "potato",
        lambda out: [path.write_text('{"id": 1}') for path in out.rglob("pages.jsonl")],
        "keep them together",
    ),
    "no number": ("potato", change_state('"3"', '"inf"'), r"user_state\.json page 1: no answer: .* finite number"),
    "no such line": ("potato", change_state('"2"\n', '"9"\n'), r"no line '9' on page"),
    "no parquet": ("parquet", lambda out: out.write_text("x"), r"out\.parquet: no Parquet that can be read"),
    "no clicks": (
        "csv",
        lambda out: out.write_text(out.read_text("utf-8").replace('"[[1.5,2.0]', '"[[1.5]'), "utf-8"),
        r"out\.csv line \d+: clicks '\[\[1\.5\]",
    ),
    "no flag": (
        "csv",
        lambda out: out.write_text(out.read_text("utf-8").replace(",true,", ",perhaps,"), "utf-8"),
        r"out\.csv line \d+: is_(unsure|flagged) 'perhaps': should be true or false",
    ),
    "no time": (
        "csv",
        lambda out: out.write_text(out.read_text("utf-8").replace(",2.5,", ",soon,"), "utf-8"),
        r"out\.csv line \d+: seconds 'soon': should be a number of seconds",
    ),
    "unknown rule": (
        "csv",
        lambda out: out.write_text(out.read_text("utf-8").replace("strict@2", "lenient@1"), "utf-8"),
        r"out\.csv line 2: no rule named 'lenient@1'.*`rule`",
    ),
}


@pytest.mark.slow
def test_bad_input_is_named_with_its_place_and_nothing_is_stored(answered: Path, tmp_path: Path, case: Case) -> None:
    run = shutil.copytree(answered, tmp_path / "run")
    for name, (format, damage, message) in BAD.items():
        out = export(answered, tmp_path / name / NAMES[format], format)
        damage(out)
        with case(name), Run(folder(run.parent)) as stored, pytest.raises(BadFileError, match=message):
            import_ratings(stored, out, judge="again")
    assert readings(run, "again") == []


def test_what_cannot_be_exported_says_why(answered: Path, tmp_path: Path) -> None:
    make_run(folder(tmp_path), COUNTS)
    with Run(folder(tmp_path)) as run, run.lease("judge machine") as lease:
        run.add_judge(Spec("machine", {}, "machine"), is_stand_in=False)
        subject = collect_pages(run).pages[0].subject
        run.add_readings(lease, [Reading(subject, Count("cat"), "machine", Words("2"), "strict@2", Known(2))])
        with pytest.raises(BadValueError, match="its readings are nobody's; people's are: none"):
            export_ratings(run, "csv", tmp_path / "out.csv", judge="machine")
        with pytest.raises(NothingToDoError, match="no people's answers yet"):
            export_ratings(run, "csv", tmp_path / "out.csv")
    with pytest.raises(BadValueError, match="`pictures` go with label-studio and potato"):
        export(answered, tmp_path / "out.csv", "csv", pictures="all")
    (tmp_path / "out").mkdir()
    with pytest.raises(BadValueError, match="is there already"):
        export(answered, tmp_path / "out", "potato")
    for arguments in (
        ("--format", "xml"),
        ("--pictures", "some"),
        ("--judge", "nobody"),
        ("-o", answered / "run.sqlite"),
    ):
        done = call("export", "ratings", answered, *arguments)
        assert (done.code, done.out) == (2, "")
    assert not list(tmp_path.glob(".*"))
    with pytest.raises(SubitizeError, match="cannot write"):
        export(answered, Path("/proc/none/out"), "label-studio")


def find_faults(out: Path) -> list[str]:
    """Have Label Studio's SDK look at what was written."""
    command = [LABEL_STUDIO, Path(__file__).with_name("label_studio_check.py"), out]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    faults: list[str] = json.loads(done.stdout)
    return faults


@pytest.mark.slow
@pytest.mark.label_studio
def test_label_studios_own_sdk_validates_the_export(answered: Path, tmp_path: Path) -> None:
    out = export(answered, tmp_path / "out", "label-studio", pictures="all")
    shapes = {path.read_text("utf-8") for path in out.glob("config-*.xml")}
    tags = {
        tag
        for tag in ("Number", "KeyPointLabels", "Choices", "TextArea", "picture_3")
        if any(tag in one for one in shapes)
    }
    assert len(tags) == 5
    assert find_faults(out) == []
    text = (out / "tasks-1.json").read_text("utf-8")
    (out / "tasks-1.json").write_text(text.replace('"type": "number"', '"type": "rating"'), encoding="utf-8")
    assert "does not match expected type 'number'" in find_faults(out)[0]


def test_remarks_and_what_a_recruiter_sent_go_out_of_every_database(location: Location, tmp_path: Path) -> None:
    make_run(location, COUNTS[:1])
    with opened(location) as study:
        person, _ = study.people.recruit({"PROLIFIC_PID": "abc"})
        study.save(
            person, Assignment(0), 0, AnswerRecord("the-key-", "2", is_flagged=True, comment="a knife", seconds=4)
        )
    with Run(location) as run:
        export_ratings(run, "csv", tmp_path / "out.csv", with_people=True)
    (row,) = pl.read_csv(tmp_path / "out.csv").iter_rows(named=True)
    assert [row[name] for name in ("annotator", "value", "is_flagged", "comment", "seconds")] == [
        1,
        2,
        True,
        "a knife",
        4,
    ]
    people = (tmp_path / "out-people.csv").read_text("utf-8")
    assert people == "annotator,name,PROLIFIC_PID,STUDY_ID,SESSION_ID\n1,p1,abc,,\n"
