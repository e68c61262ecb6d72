"""Images that come after their names are joined with them, once, and are then looked at like any others."""

import hashlib
import io
import os
import shutil
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from subitize.errors import BadFileError, BusyError, NothingToDoError, UnknownNameError
from subitize.imports.attachments import AttachResult, attach_images
from subitize.interfaces import NoEvents
from subitize.io.images import LARGEST_FILE_BYTES
from subitize.records import Attached, Drawn, Elsewhere, Picture, task_text
from subitize.registry import make_suite
from subitize.store import Folder, Run
from tests.commands import call, start, subitize
from tests.papers.geckonum.geckonum_release import PROMPTS, write_images, write_release
from tests.papers.numbersense.numbersense_names import touch

MODELS = ("dalle_3", "imagen_c")
# Counts of one kind of thing, which the observer knows.
SOME = tuple(prompt for prompt in PROMPTS if prompt.type == "numeric_simple")[:12:3]
SEEDS = 2
IMAGES = len(SOME) * SEEDS


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("attached")
    release = write_release(folder / "release", MODELS, prompts=SOME, seeds=SEEDS, accuracy=0.8)
    write_images(folder / "images", MODELS, SOME, SEEDS, size_px=128)
    assert call("import", "release", "geckonum", release, "--out", folder / "run").code == 0
    return folder


@pytest.fixture
def run(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made / "run", tmp_path / "run"))


@pytest.fixture
def images(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made / "images", tmp_path / "images"))


def attach(run: Path, folder: Path, model: str | None = None, layout: str = "auto") -> list[AttachResult]:
    with Run(Folder(run)) as opened:
        return attach_images(opened, folder, NoEvents(), model=model, layout=layout)


def pictures(run: Path, model: str | None = None) -> list[Picture]:
    with Run(Folder(run)) as opened:
        outcomes = [stored.response.outcome for stored in opened.responses(model)]
    return [outcome.picture for outcome in outcomes if isinstance(outcome, Drawn)]


def files_of(run: Path) -> set[str]:
    return {path.name for path in (run / "images").rglob("*") if path.is_file()}


def rows(run: Path, table: str) -> list[object]:
    with closing(sqlite3.connect(run / "run.sqlite")) as database:
        return database.execute(f"SELECT * FROM {table} ORDER BY 1, 2").fetchall()


@pytest.mark.slow
def test_authors_labels_are_set_against_a_judge_of_their_images(
    run: Path, images: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUBITIZE_HOME", str(tmp_path / "home"))
    assert "0 new readings" in call("judge", run, "--judge", "observer").out
    done = call("import", "attachments", run, images)
    assert done.code == 0, done.err
    assert f"dalle_3: {IMAGES} of {IMAGES} images attached (by names)" in done.out
    assert f"{2 * IMAGES} new readings" in call("judge", run, "--judge", "observer").out
    (whole,) = (
        row["value"]
        for row in call("score", run, "--judge", "observer", "--json").json()
        if (row["model"], row["measure"], row["group"]) == ("dalle_3", "accuracy", "all")
    )
    assert whole == 1.0  # the images are right, and were looked at
    agreed = call("agree", run, "--json").json()
    assert {row["judge"] for row in agreed} == {"geckonum-annotators"}
    found = call("agree", "calibrate", run, "--judge", "observer", "--against", "geckonum-annotators", "--json")
    assert found.code == 0, found.err
    assert found.json()["result"]["n"] >= 10


@pytest.mark.slow
@pytest.mark.usefixtures("undrawn")
def test_an_attached_image_is_shown_under_the_name_it_has_elsewhere(run: Path, images: Path, tmp_path: Path) -> None:
    call("import", "attachments", run, images)
    story = call("show", run, f"geckonum/{SOME[0].id}").out
    assert f"drew {SOME[0].id}_0, attached: " in story
    (first, *_) = call("show", run, f"geckonum/{SOME[0].id}", "--json").json()["responses"]
    assert first["response"]["outcome"]["picture"]["name"] == f"{SOME[0].id}_0"
    assert call("report", run, "-o", tmp_path / "report.html").code == 0
    report = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "data:image/webp" in report
    assert "known by name only" not in report
    assert call("export", run, "--format", "csv", "--out", tmp_path / "tables").code == 0
    assert str(run / "images") in (tmp_path / "tables" / "responses.csv").read_text(encoding="utf-8")


def test_a_second_time_adds_nothing_and_no_row_is_overwritten(run: Path, images: Path) -> None:
    before = rows(run, "responses"), rows(run, "readings")
    first = attach(run, images)
    stored, files = rows(run, "attachments"), files_of(run)
    again = attach(run, images)
    assert [(one.attached, one.already_attached) for one in first] == [(IMAGES, 0)] * 2
    assert [(one.attached, one.already_attached) for one in again] == [(0, IMAGES)] * 2
    assert (rows(run, "attachments"), files_of(run)) == (stored, files)
    assert (rows(run, "responses"), rows(run, "readings")) == before
    assert all(isinstance(picture, Attached) for picture in pictures(run))


def test_what_is_missing_unknown_and_unreadable_is_told_and_picked_up_later(run: Path, images: Path) -> None:
    folder = images / "dalle_3"
    lacking, broken = folder / f"{SOME[0].id}_1.png", folder / f"{SOME[1].id}_0.png"
    kept = {path: path.read_bytes() for path in (lacking, broken)}
    lacking.unlink()
    broken.write_bytes(kept[broken][:200])
    (folder / "cover.png").write_bytes(b"a cover")
    (one,) = attach(run, images, "dalle_3")
    assert (one.attached, one.missing) == (IMAGES - 2, (f"{SOME[0].id}_1",))
    assert [(file.name, file.reason) for file in one.unknown] == [("cover.png", "no response is called so")]
    (fault,) = one.unreadable
    assert fault.name == broken.name
    assert "truncated or damaged" in fault.reason
    told = one.lines()
    assert told[0] == f"dalle_3: {IMAGES - 2} of {IMAGES} images attached (by names)"
    assert told[1] == f"missing: 1 ({SOME[0].id}_1)"
    assert told[2] == "unknown, left alone: 1 (cover.png: no response is called so)"
    assert told[3].startswith(f"unreadable: 1 ({broken.name}: ")
    for path, data in kept.items():
        path.write_bytes(data)
    (one,) = attach(run, images, "dalle_3")
    assert (one.attached, one.already_attached, one.missing, one.unreadable) == (2, IMAGES - 2, (), ())


@pytest.mark.parametrize("size", [0, LARGEST_FILE_BYTES + 1], ids=["empty", "too large"])
def test_a_file_that_no_image_can_be_is_not_read(size: int, run: Path, images: Path) -> None:
    os.truncate(images / "dalle_3" / f"{SOME[0].id}_0.png", size)
    (one,) = attach(run, images, "dalle_3")
    (fault,) = one.unreadable
    assert f"{size:,} bytes" in fault.reason
    assert one.attached == IMAGES - 1


def test_a_folder_of_one_model_is_taken_whole_and_others_are_left(run: Path, images: Path) -> None:
    (one,) = attach(run, images / "imagen_c", "imagen_c")
    assert one.attached == IMAGES
    assert all(isinstance(picture, Attached) for picture in pictures(run, "imagen_c"))
    assert all(isinstance(picture, Elsewhere) for picture in pictures(run, "dalle_3"))


def test_a_models_folder_is_known_however_it_is_set_and_one_without_is_told(run: Path, images: Path) -> None:
    shutil.rmtree(images / "imagen_c")
    (images / "dalle_3").rename(images / "DALLE-3")
    one, other = attach(run, images)
    assert (one.model, one.attached) == ("dalle_3", IMAGES)
    assert (other.model, len(other.missing), other.matched_by) == ("imagen_c", IMAGES, "no folder named like it")


def test_an_empty_folder_of_one_model_does_not_keep_the_others_out(run: Path, images: Path) -> None:
    shutil.rmtree(images / "imagen_c")
    (images / "imagen_c").mkdir()
    one, other = attach(run, images)
    assert (one.attached, other.attached, len(other.missing)) == (IMAGES, 0, IMAGES)
    assert "has no images" in other.unknown[0].reason


def test_another_file_for_the_same_response_is_left_alone(run: Path, images: Path) -> None:
    attach(run, images, "dalle_3")
    before = pictures(run)
    png = images / "dalle_3" / f"{SOME[0].id}_0.png"
    png.rename(png.with_suffix(".webp"))
    (one,) = attach(run, images, "dalle_3")
    assert [(file.name, file.reason) for file in one.unknown] == [
        (f"{SOME[0].id}_0.webp", f"{SOME[0].id}_0 has {png.name} attached")
    ]
    assert pictures(run) == before


def test_two_files_that_are_called_alike_are_both_left_alone(run: Path, images: Path) -> None:
    png = images / "dalle_3" / f"{SOME[0].id}_0.png"
    shutil.copy(png, png.with_suffix(".jpg"))
    (one,) = attach(run, images, "dalle_3")
    assert one.missing == (f"{SOME[0].id}_0",)
    assert {file.reason for file in one.unknown} == {"several files are called so"}


def test_people_may_still_name_an_attached_image_as_it_was_published(run: Path, images: Path, tmp_path: Path) -> None:
    attach(run, images)
    answers = tmp_path / "answers.csv"
    answers.write_text(f"annotator,image,model,answer\nann,{SOME[0].id}_0,dalle_3,3\n", encoding="utf-8")
    done = call("import", "readings", answers, "--run", run)
    assert done.code == 0, done.err


def test_images_of_votes_are_found_by_a_layout_and_further_votes_come_in(made: Path, tmp_path: Path) -> None:
    item, run = "t2icountbench/apple/home/plain/3", tmp_path / "voted"
    votes = tmp_path / "votes.csv"
    votes.write_text(f"annotator,model,item,vote\nann,imagen-3,{item},yes\n", encoding="utf-8")
    suite = "t2icountbench:objects=apple+cat,numbers=3"
    assert call("import", "votes", votes, "--run", run, "--suite", suite).code == 0
    drawn = sorted((made / "images" / "dalle_3").iterdir())
    (tmp_path / "images").mkdir()
    for repeat in (0, 1, 3):
        shutil.copy(drawn[repeat], tmp_path / "images" / f"apple_home_plain_3_{repeat}.png")
    (one,) = attach(run, tmp_path / "images")
    assert (one.matched_by, one.attached, one.missing) == ("layout items", 3, (f"imagen-3/{item}/2",))
    with Run(Folder(run)) as opened:
        found = {stored.response.trial.repeat: stored.response.outcome for stored in opened.responses()}
        for repeat in (0, 1, 3):
            outcome = found[repeat]
            assert isinstance(outcome, Drawn)
            assert isinstance(outcome.picture, Attached)
            assert opened.image_files.load(outcome.picture) == drawn[repeat].read_bytes()
    other = item.replace("apple", "cat")
    votes.write_text(f"annotator,model,item,vote\nann,imagen-3,{other},no\n", encoding="utf-8")
    assert call("import", "votes", votes, "--run", run, "--suite", suite).code == 0


def test_files_in_order_are_joined_only_if_there_is_one_for_each_response(made: Path, tmp_path: Path) -> None:
    item, run, images = "t2icountbench/apple/home/plain/3", tmp_path / "voted", tmp_path / "images"
    votes = tmp_path / "votes.csv"
    votes.write_text(f"annotator,model,item,vote\nann,imagen-3,{item},yes\n", encoding="utf-8")
    assert call("import", "votes", votes, "--run", run, "--suite", "t2icountbench:objects=apple,numbers=3").code == 0
    images.mkdir()
    drawn = sorted((made / "images" / "dalle_3").iterdir())
    (drawing,) = make_suite("t2icountbench:objects=apple,numbers=3,scenes=home,styles=plain").obj.items(0)
    prompt = task_text(drawing.task)
    for number, file in enumerate(drawn[:3]):
        shutil.copy(file, images / f"{prompt}_{number:06}.png")
    with pytest.raises(BadFileError, match=f"3 files for 4 responses to {item}: which is whose is not told"):
        attach(run, images)
    shutil.copy(drawn[3], images / f"{prompt}_000007.png")
    (one,) = attach(run, images)
    assert (one.matched_by, one.attached, one.missing) == ("layout t2i-compbench", 4, ())


def test_images_with_counts_in_their_names_are_found_in_their_folders(made: Path, tmp_path: Path) -> None:
    drawn = sorted((made / "images" / "dalle_3").iterdir())
    names = ["FLUX/apples/3_4_apples_17.png", "FLUX/apples/3_3_apples new2.png", "FLUX/dots/1_1_dots_0.png"]
    touch(tmp_path / "names", *names)
    assert call("import", "release", "numbersense", tmp_path / "names", "--out", tmp_path / "run").code == 0
    touch(tmp_path / "images", *names)
    for name, file in zip(names, drawn, strict=False):
        shutil.copy(file, tmp_path / "images" / name)
    (one,) = attach(tmp_path / "run", tmp_path / "images")
    assert (one.matched_by, one.attached, one.missing) == ("names", 3, ())
    assert call("import", "release", "numbersense", tmp_path / "names", "--out", tmp_path / "run").out.startswith(
        "0 images"
    )


def test_what_cannot_be_attached_is_named_and_stores_nothing(run: Path, images: Path, tmp_path: Path) -> None:
    other = touch(tmp_path / "other", "cat.png")
    with pytest.raises(BadFileError, match="nowhere is not a folder of images"):
        attach(run, Path("nowhere"))
    with pytest.raises(UnknownNameError, match="no model in this run named 'dalle'; known: dalle_3, imagen_c"):
        attach(run, images, "dalle")
    with pytest.raises(UnknownNameError, match="no layout named 'odd'"):
        attach(run, other, "dalle_3", layout="odd")
    with pytest.raises(BadFileError, match=r"no folder named like a model of this run \(dalle_3, imagen_c\); name the"):
        attach(run, other)
    with pytest.raises(BadFileError, match=r"has no image of this run: dalle_3: nothing called geckonum_0.*cat.png"):
        attach(run, other, "dalle_3")
    drawn = tmp_path / "drawn"
    call("run", "production:numbers=1,categories=dots", "--model", "painter", "--repeats", 1, "--out", drawn)
    with pytest.raises(NothingToDoError, match="has no images that are known by name only"):
        attach(drawn, images)
    assert rows(run, "attachments") == []
    done = call("import", "attachments", run, "nowhere")
    assert (done.code, done.err.count("\n")) == (2, 1)


def test_two_do_not_attach_to_one_model_at_once(run: Path, images: Path) -> None:
    with Run(Folder(run)) as opened, opened.lease("attach dalle_3"):
        with pytest.raises(BusyError):
            attach_images(opened, images, NoEvents())
        assert rows(run, "attachments") == []


@pytest.mark.slow
def test_attaching_that_was_killed_goes_on_and_leaves_nothing_behind(tmp_path: Path) -> None:
    names = [f"FLUX/{number}_{number}_dots_{index}.png" for number in range(1, 11) for index in range(40)]
    images, run = touch(tmp_path / "images", *names), tmp_path / "run"
    assert call("import", "release", "numbersense", images, "--out", run).code == 0
    for place, name in enumerate(names):
        (images / name).write_bytes(noise(place))
    process = start("import", "attachments", run, images)
    deadline = time.monotonic() + 60
    while not rows(run, "attachments"):
        assert time.monotonic() < deadline, "it does not get on"
        assert process.poll() is None, process.communicate()
    process.kill()
    process.communicate()
    before = len(rows(run, "attachments"))
    assert 0 < before < len(names), "the kill must hit it at work"
    check_images(run, is_done=False)
    done = subitize("import", "attachments", run, images)
    assert done.code == 0, done.err
    assert done.out.startswith(f"FLUX: {len(names) - before} of {len(names)} images attached, {before} before")
    assert len(rows(run, "attachments")) == len(names)
    check_images(run, is_done=True)


def noise(seed: int) -> bytes:
    file = io.BytesIO()
    Image.fromarray(np.random.default_rng(seed).integers(0, 256, (64, 64, 3), np.uint8)).save(file, "PNG")
    return file.getvalue()


def check_images(run: Path, *, is_done: bool) -> None:
    """Every image that a row names is there, whole; and if all is done, no other file is."""
    attached = {f"{one.hash}.{one.format}" for one in pictures(run) if isinstance(one, Attached)}
    paths = {path.name: path for path in (run / "images").rglob("*") if path.is_file()}
    for name in attached:
        assert hashlib.sha256(paths[name].read_bytes()).hexdigest() == Path(name).stem
    assert not is_done or paths.keys() == attached
