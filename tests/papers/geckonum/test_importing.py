"""GeckoNum's release becomes a run: images as responses, annotators' answers as readings, all or none."""

import csv
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from shutil import copytree

import pytest

from subitize.errors import ConflictError
from subitize.imports.releases import ReleaseSummary
from subitize.language.questions import line_codes
from subitize.papers.geckonum.files import read_release
from subitize.papers.geckonum.importing import JUDGE, import_geckonum
from subitize.papers.geckonum.prompts import TYPES
from subitize.records import Choose, Confirm, Count, Drawn, Elsewhere, Known, Words
from subitize.store import Folder, Location, Run
from tests.commands import call
from tests.papers.geckonum.geckonum_release import PROMPTS as DESIGNED
from tests.papers.geckonum.geckonum_release import write_release

PROMPTS = tuple(next(prompt for prompt in DESIGNED if prompt.type == type) for type in TYPES)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_release(tmp_path_factory.mktemp("geckonum") / "release", prompts=PROMPTS)


@pytest.fixture(scope="module")
def imported(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ReleaseSummary]:
    """A run of the release that tests read, and what was said of its import."""
    path = tmp_path_factory.mktemp("imported") / "run"
    with Run(Folder(path), create=True) as run:
        return path, import_geckonum(run, read_release(folder))


@pytest.fixture
def run(imported: tuple[Path, ReleaseSummary], tmp_path: Path) -> Iterator[Run]:
    """A copy of the same to add to."""
    with Run(Folder(copytree(imported[0], tmp_path / "run"))) as run:
        yield run


def rows_of(folder: Path, task: int) -> list[dict[str, str]]:
    texts = (path.read_text(encoding="utf-8") for path in sorted(folder.glob(f"task_{task}_*.csv")))
    return [row for text in texts for row in csv.DictReader(text.splitlines())]


def test_every_row_is_a_reading_with_its_raw_answer_and_the_released_value(folder: Path, location: Location) -> None:
    with Run(location, create=True) as run:
        import_geckonum(run, read_release(folder))
        trials = {stored.trial_id: stored.response for stored in run.responses()}
        found: Counter[tuple[str, str, str, str, float]] = Counter()
        for stored in run.readings(JUDGE):
            reading = stored.reading
            response = trials[reading.subject.id]
            assert isinstance(response.outcome, Drawn)
            assert isinstance(response.outcome.picture, Elsewhere)
            assert isinstance(reading.evidence, Words)
            assert isinstance(reading.value, Known)
            value = reading.value.value
            if isinstance(reading.question, Choose):
                value = line_codes(reading.question)[int(value)]
            image, model = response.outcome.picture.name, response.trial.model
            found[image, model, reading.annotator, reading.evidence.text, float(value)] += 1
        expected: Counter[tuple[str, str, str, str, float]] = Counter()
        for task, raw, value_column in (
            (1, "raw_answer", "answer"),
            (2, "answer_text", "answer_num"),
            (3, "answer", "answer"),
        ):
            for row in rows_of(folder, task):
                key = (row["image_id"], row["model"], row["annot_id"], row[raw], float(row[value_column]))
                expected[key] += 1
        assert found == expected


def test_images_are_responses_with_the_seed_as_repeat(folder: Path, imported: tuple[Path, ReleaseSummary]) -> None:
    path, summary = imported
    with Run(Folder(path)) as run:
        responses = [stored.response for stored in run.responses()]
    names = {(r.trial.model, f"{r.trial.item_id.partition('/')[2]}_{r.trial.repeat}") for r in responses}
    rows = [row for task in (1, 2, 3) for row in rows_of(folder, task)]
    assert names == {(row["model"], row["image_id"]) for row in rows}
    assert (summary.responses, summary.readings) == (len(responses), len(rows))


def test_the_questions_of_an_item_are_those_that_were_put(folder: Path, run: Run) -> None:
    items = {item.id.partition("/")[2]: item for item in run.items()}
    for task, kind in ((1, Count), (3, Confirm)):
        for row in rows_of(folder, task):
            item = items[row["image_id"].rpartition("_")[0]]
            (ask,) = (ask for ask in item.asks if ask.wording == row["question"])
            assert isinstance(ask.question, kind)


def test_importing_again_adds_nothing(folder: Path, imported: tuple[Path, ReleaseSummary], run: Run) -> None:
    _, first = imported
    again = import_geckonum(run, read_release(folder))
    assert (again.responses, again.readings, again.already_there) == (0, 0, first.readings)
    assert len(list(run.readings(JUDGE))) == first.readings


def test_another_model_can_be_added_later(folder: Path, tmp_path: Path) -> None:
    with Run(Folder(tmp_path / "run"), create=True) as run:
        one = import_geckonum(run, read_release(folder, models=("imagen_c",)))
        both = import_geckonum(run, read_release(folder))
        assert both.already_there == one.readings
        assert {entry.spec for entry in run.models()} == {"dalle_3", "imagen_c"}


def test_other_answers_about_a_known_model_are_refused(run: Run, tmp_path: Path) -> None:
    other = write_release(tmp_path / "other", models=("dalle_3",), prompts=PROMPTS, seeds=1)
    with pytest.raises(ConflictError, match="import it into a new run"):
        import_geckonum(run, read_release(other))


def test_identical_rows_are_readings_of_their_own(tmp_path: Path) -> None:
    copy = write_release(tmp_path / "copy", models=("dalle_3",), prompts=PROMPTS)
    path = copy / "task_1_dalle_3.csv"
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join([*lines, *lines[1:6]]), encoding="utf-8")
    with Run(Folder(tmp_path / "run"), create=True) as run:
        release = read_release(copy)
        summary = import_geckonum(run, release)
        assert len(list(run.readings(JUDGE))) == summary.readings
        assert len(release.warnings) == 1


def test_a_bad_row_in_the_last_file_leaves_no_run_behind(tmp_path: Path) -> None:
    folder = write_release(tmp_path / "release", prompts=PROMPTS)
    path = folder / "task_3_imagen_c.csv"
    path.write_text(path.read_text(encoding="utf-8") + "geckonum_01011_0,imagen_c,0,Is", encoding="utf-8")
    done = call("import", "release", "geckonum", folder, "--out", tmp_path / "run")
    assert done.code == 2
    assert "task_3_imagen_c.csv line" in done.err
    assert not (tmp_path / "run").exists()


def test_a_line_that_is_none_of_its_prompt_leaves_no_run_behind(tmp_path: Path) -> None:
    folder = write_release(tmp_path / "release", models=("dalle_3",), prompts=PROMPTS)
    path = folder / "task_2_dalle_3.csv"
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join(lines[:1] + [line.replace("An image", "A picture", 2) for line in lines[1:]]))
    assert call("import", "release", "geckonum", folder, "--out", tmp_path / "run").code == 2
    assert not (tmp_path / "run").exists()


def test_the_same_number_of_other_answers_is_refused(run: Run, tmp_path: Path) -> None:
    other = write_release(tmp_path / "other", prompts=PROMPTS)
    path = other / "task_3_dalle_3.csv"
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    swapped = {"0\n": "1\n", "1\n": "0\n"}
    path.write_text("".join(lines[:1] + [line[:-2] + swapped[line[-2:]] for line in lines[1:]]), encoding="utf-8")
    with pytest.raises(ConflictError, match="other answers about dalle_3 in Task 3"):
        import_geckonum(run, read_release(other))


@pytest.mark.slow
def test_the_released_values_follow_from_the_raw_answers_in_every_row(shared_data: Path) -> None:
    release = read_release(shared_data / "geckonum")  # it refuses a row whose answer does not
    assert sum(answers.height for answers in release.answers.values()) == 222_546
