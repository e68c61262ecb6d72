"""Pictures that are held back reach neither people nor exported projects, until they are released."""

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from subitize.annotation.assignment import AnswerRecord, Assignment
from subitize.annotation.exchange.files import export_ratings
from subitize.annotation.pages import collect_pages
from subitize.annotation.plan import StudyPlan
from subitize.annotation.screening import (
    check_held,
    find_flagged,
    find_images,
    hold_back,
    name_images,
    read_held,
    read_list,
    release,
)
from subitize.annotation.study import open_study
from subitize.errors import BadFileError, BadValueError, UnknownNameError
from subitize.imports.pictures import open_pictures, read_asks
from subitize.interfaces import NoEvents
from subitize.io.images import decode, encode_png
from subitize.store import Location, Run
from tests.annotation.studies import COUNTS, VOTE, add_gold, folder, make_run, opened
from tests.cases import Case
from tests.commands import call


def image_of(location: Location, item: str) -> str:
    """The name of an item's first image."""
    with Run(location) as run:
        page = next(page for page in collect_pages(run).pages if page.pictures and _is_of(run, page.subject.id, item))
        return f"{page.pictures[0].hash}.{page.pictures[0].format}"


def _is_of(run: Run, trial: str, item: str) -> bool:
    return any(one.trial_id == trial and one.item_id == item for one in run.responses())


def test_a_picture_that_is_held_back_is_on_no_page_until_it_is_released(location: Location) -> None:
    make_run(location, COUNTS)
    image = image_of(location, COUNTS[1].id)
    with Run(location) as run:
        assert hold_back(run, find_images(run, [image], "ugly")) == 1
        assert hold_back(run, {image: "again"}) == 0
        assert read_held(run) == {image: "ugly"}
        collected = collect_pages(run)
        assert (len(collected.pages), len(collected.held_back)) == (5, 1)
        check_held(run, [image])
        release(run, [image])
        assert len(collect_pages(run).pages) == 6
        with pytest.raises(UnknownNameError, match="held back"):
            check_held(run, [image])


def test_a_group_with_a_picture_that_is_held_back_is_not_shown(tmp_path: Path) -> None:
    make_run(folder(tmp_path), [*COUNTS[:1], VOTE], repeats=4)
    with Run(folder(tmp_path)) as run:
        (vote,) = collect_pages(run, ["match"]).pages
        hold_back(run, {f"{vote.pictures[2].hash}.png": "ugly"})
        assert len(collect_pages(run, ["match"]).held_back) == 1
        with run.lease("judge human") as lease, pytest.raises(BadValueError, match="all of its images are held back"):
            open_study(run, lease, StudyPlan(forms=("match",)))


def test_a_list_holds_back_what_it_names_and_bad_lines_are_named(tmp_path: Path, case: Case) -> None:
    make_run(folder(tmp_path), COUNTS)
    file = tmp_path / "held.csv"
    file.write_text(f"item,reason\n{COUNTS[0].id},blood\n{COUNTS[2].id},\n", encoding="utf-8")
    with Run(folder(tmp_path)) as run:
        assert list(read_list(run, file, "as agreed").values()) == ["blood", "as agreed"]
        bad = {"item\nsketches/none": "line 2: no response with item", f"item\n{COUNTS[0].id}": "line 2: no reason"}
        for text, message in bad.items():
            file.write_text(text, encoding="utf-8")
            with case(message), pytest.raises(BadFileError, match=message):
                read_list(run, file, "")
        assert read_held(run) == {}
    missing = call("annotate", "screen", tmp_path / "run", "--hold", "x.png")
    assert (missing.code, "--hold needs a --reason" in missing.err) == (2, True)
    done = call("annotate", "screen", tmp_path / "run", "--hold", "x.png", "--reason", "ugly")
    assert (done.code, "--hold name 1: no response with image 'x.png'" in done.err) == (2, True)


def test_what_people_flag_can_be_held_back(tmp_path: Path) -> None:
    make_run(folder(tmp_path), COUNTS)
    with opened(folder(tmp_path)) as study:
        study.save(
            study.people.invite("anna"),
            Assignment(3),
            0,
            AnswerRecord("flagged-", "2", is_flagged=True, comment="a knife"),
        )
        shown = study.pages[3].pictures[0]
    with Run(folder(tmp_path)) as run:
        assert find_flagged(run, name_images(run)) == {f"{shown.hash}.png": "flagged: a knife"}
    done = call("annotate", "screen", tmp_path / "run", "--flagged", "--json")
    assert list(done.json().values()) == ["flagged: a knife"]
    assert (
        call(
            "annotate", "screen", tmp_path / "run", "--release", "x.png", "--hold", COUNTS[0].id, "--reason", "ugly"
        ).code
        == 2
    )
    assert call("annotate", "screen", tmp_path / "run", "--release", f"{shown.hash}.png", "--json").json() == {}
    assert call("annotate", "screen", tmp_path / "run", "--flagged", "--json").json() == {}
    assert call("annotate", "screen", tmp_path / "run", "--hold", f"{shown.hash}.png", "--reason", "a knife").code == 0
    with Run(folder(tmp_path)) as run:
        export_ratings(run, "label-studio", tmp_path / "out", pictures="all")
    (task,) = json.loads((tmp_path / "out" / "tasks-1.json").read_text("utf-8"))
    assert task["data"]["picture_0"] == "withheld"
    assert not list(tmp_path.glob("out/pictures/*"))


def test_what_somebody_flags_is_held_back_from_others_at_once(location: Location) -> None:
    make_run(location, COUNTS)
    with opened(location, holds_flagged=True) as study:
        anna, ben = study.people.invite("anna"), study.people.invite("ben")
        shown = {task.page_index for task in study.next_tasks(ben, 6)}
        study.save(anna, Assignment(3), 0, AnswerRecord("flagged-", "2", is_flagged=True))
        assert {task.page_index for task in study.next_tasks(ben, 6)} == shown - {3}
        assert study.progress(ben) == {"done": 0, "left": 5, "given": 0, "wanted": 25}
        image = f"{study.pages[3].pictures[0].hash}.png"
    with Run(location) as run:
        assert read_held(run) == {image: "flagged"}
    with opened(location, holds_flagged=True) as study:
        assert len(study.shown_pages()) == 5
        assert study.progress(study.people.invite("anna")) == {"done": 1, "left": 5, "given": 0, "wanted": 25}


def test_a_flag_counts_until_it_is_taken_back(tmp_path: Path) -> None:
    make_run(folder(tmp_path), COUNTS)
    with opened(folder(tmp_path)) as study:
        anna = study.people.invite("anna")
        study.save(anna, Assignment(3), 0, AnswerRecord("flagged-", "2", is_flagged=True))
        assert list(study.list_flagged().values()) == ["flagged"]
        study.save(anna, Assignment(3), 0, AnswerRecord("by-mistake", "2"))
        assert study.list_flagged() == {}


def test_the_owner_holds_back_and_shows_again_while_people_answer(location: Location) -> None:
    make_run(location, COUNTS)
    with opened(location, people_per_image=2, review=1.0) as study:
        anna, ben, ruth = (study.people.invite(name) for name in ("anna", "ben", "ruth"))
        reviewer = study.people.invite("rolf", "reviewer")
        for person, text in ((anna, "2"), (ben, "3")):
            study.save(person, Assignment(3), 0, AnswerRecord(f"{person.name}-said", text))
        assert {task.page_index for task in study.next_tasks(reviewer, 8)} == {3}
        before = study.progress(ruth)
        (image,) = study.pages[3].images
        study.hold_back({image: "ugly"})
        assert study.next_tasks(reviewer, 8) == study.finished_tasks(anna) == []
        assert study.progress(ruth) == {"done": 0, "left": 5, "given": 0, "wanted": 10}
        assert {task.page_index for task in study.next_tasks(study.people.invite("dora"), 6)} == {0, 1, 2, 4, 5}
    with opened(location, people_per_image=2, review=1.0) as study:
        reviewer = study.people.invite("rolf", "reviewer")
        assert study.next_tasks(reviewer, 8) == []
        study.show_again(image)  # although it was held back when the study was opened
        assert study.progress(study.people.invite("ruth")) == before
        place = [page.images for page in study.pages].index([image])
        assert {task.page_index for task in study.next_tasks(reviewer, 8)} == {place}


def test_training_goes_on_without_a_page_that_is_held_back(tmp_path: Path) -> None:
    make_run(folder(tmp_path), COUNTS)
    add_gold(folder(tmp_path), 3)
    with opened(folder(tmp_path), gold="gold", training=2) as study:
        anna = study.people.invite("anna")
        first, second = study.gold.training
        study.hold_back(dict.fromkeys(study.pages[first].images, "ugly"))
        assert study.next_tasks(anna, 1) == [Assignment(second, "training")]
        study.hold_back(dict.fromkeys(study.pages[second].images, "ugly"))
        assert [task.purpose for task in study.next_tasks(anna, 6)] == ["answer"] * 4


@pytest.mark.detect
def test_faces_are_found_blurred_or_withheld(tmp_path: Path) -> None:
    import skimage.data

    portrait, coffee = skimage.data.astronaut(), skimage.data.coffee()
    (tmp_path / "photos").mkdir()
    for name, pixels in {"portrait": portrait, "coffee": coffee}.items():
        (tmp_path / "photos" / f"{name}.png").write_bytes(encode_png(Image.fromarray(pixels)))
    said = "annotator,image,answer\nann,portrait.png,1\nann,coffee.png,0\n"
    (tmp_path / "said.csv").write_text(said, encoding="utf-8")
    with Run(folder(tmp_path), create=True) as run:
        open_pictures(tmp_path / "photos").store(run, read_asks(["How many people are there?"]), NoEvents())
    assert call("import", "readings", tmp_path / "said.csv", "--run", tmp_path / "run").code == 0
    with Run(folder(tmp_path)) as run:
        for choice in ("all", "blur-faces", "without-faces"):
            export_ratings(run, "potato", tmp_path / choice, pictures=choice)
    as_is, blurred = (
        decode((tmp_path / choice / "pictures" / "1.png").read_bytes()) for choice in ("all", "blur-faces")
    )
    assert np.array_equal(as_is, portrait)
    face = np.s_[80:180, 180:270]  # of the astronaut
    assert np.unique(blurred[face].reshape(-1, 3), axis=0).shape[0] < 40
    assert np.array_equal(blurred[300:], portrait[300:])
    assert [path.name for path in (tmp_path / "without-faces" / "pictures").iterdir()] == ["2.png"]
    held = call("annotate", "screen", tmp_path / "run", "--faces", "--json").json()
    assert [reason.endswith(("face", "faces")) for reason in held.values()] == [True]
