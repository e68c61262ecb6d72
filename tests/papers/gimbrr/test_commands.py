"""What users do with GIMBRR's suite: a sheet to make images by, a folder of them, and files that are not right."""

import csv
from pathlib import Path

import pytest

from subitize.records import Stimulus
from subitize.stimuli.recipes import render
from tests.cases import Case
from tests.commands import call

SPEC = "gimbrr:tasks=counting,per_task=20,linked=true"
PNG = render(Stimulus("apples", 2, 1, 256)).png


def read(sheet: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(sheet.read_text(encoding="utf-8").splitlines()))


def test_a_sheet_names_the_files_by_which_a_folder_is_read(tmp_path: Path) -> None:
    sheet, images = tmp_path / "sheet.csv", tmp_path / "images"
    done = call("make", "prompts", SPEC, "--sheet", sheet)
    assert done.code == 0
    assert done.out == (
        f"{sheet}: 38 images to make; once they are in a folder: "
        f"subitize run {SPEC} --repeats 1 --model folder:FOLDER\n"
    )
    rows = read(sheet)
    assert (len(rows), rows[0]["file"]) == (38, "counting-001_0.png")
    images.mkdir()
    for row in rows:
        (images / row["file"]).write_bytes(PNG)
    run = call("run", SPEC, "--repeats", 1, "--model", f"folder:{images}", "--judge", "none", "--out", tmp_path / "run")
    assert run.out.splitlines()[0] == "layout items: 38 of 38 images found"


def test_a_sheet_has_a_row_per_repeat_and_lists_no_pictures_that_a_suite_shows(tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.csv"
    assert call("make", "prompts", "t2icountbench:numbers=2,objects=apple,scenes=home", "--sheet", sheet).code == 0
    files = [row["file"] for row in read(sheet)]
    assert files[:4] == [f"apple_home_plain_2_{repeat}.png" for repeat in range(4)]
    refused = call("make", "prompts", "naming:images=1", "--sheet", tmp_path / "other.csv")
    assert refused.code == 2
    assert "--sheet lists images to be made, and this suite shows pictures" in refused.err
    assert not (tmp_path / "other.csv").exists()


HEADER = "ID,Prompt,Representations,Auto_assessment,Task,Task_specific_label,img2img_instructions,Linked_prompts"
ROWS = [
    "489,a fork to the left of a cake,\"fork, cake\",False,Spatial relationships,to the right of,,",
    "801,two cats,cat,True,Counting,2,,1847",
    "1001,cat on a street,cat,False,img2img: Environments,,https://example.org/cat,",
]  # fmt: skip


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    path = tmp_path / "directory.csv"
    path.write_text("\n".join([HEADER, *ROWS]) + "\n", encoding="utf-8")
    return path


def test_the_authors_directory_is_taken_with_its_errors_told_or_corrected(directory: Path) -> None:
    kept = call("make", "prompts", "gimbrr", "--prompts", directory)
    assert kept.code == 0
    assert kept.err.splitlines() == [
        "subitize: directory.csv: left out 1 row of img2img, which start from a picture",
        "subitize: directory.csv: columns contradict the text of 1 prompt (489): kept as released; "
        "corrected=true corrects them",
    ]
    assert 'gimbrr/489,a fork to the left of a cake,spatial,"fork, cake",to the right of' in kept.out
    corrected = call("make", "prompts", "gimbrr:corrected=true", "--prompts", directory)
    assert "(489): corrected\n" in corrected.err
    assert 'spatial,"fork, cake",to the left of' in corrected.out


def test_images_named_as_the_authors_did_find_their_prompts(directory: Path, tmp_path: Path) -> None:
    images = tmp_path / "images"
    images.mkdir()
    (images / "p801_1_v0.0.5_pd230208.png").write_bytes(PNG)
    spec = f"gimbrr:tasks=counting,prompts={directory}"
    done = call("run", spec, "--model", f"folder:{images}", "--judge", "none", "--out", tmp_path / "run")
    assert "layout gimbrr: 1 of 1 images found" in done.out


def test_a_score_that_nobody_can_see_is_never_given_by_default(directory: Path, tmp_path: Path) -> None:
    images = tmp_path / "images"
    images.mkdir()
    (images / "801_0.png").write_bytes(PNG)
    done = call(
        "run", f"gimbrr:tasks=counting,prompts={directory}", "--model", f"folder:{images}", "--out", tmp_path / "run"
    )
    assert done.code == 2
    assert "gimbrr is judged by observer unless another judge is named" in done.err
    assert not (tmp_path / "run").exists()


def test_bad_input_is_told_with_line_and_remedy(case: Case, tmp_path: Path) -> None:
    bad = {
        "another version": (
            f"{HEADER}\n901,two cats,cat,True,Counting,2,,1847\n",
            "line 2: ID 901 is none of 'Counting'",
        ),
        "unknown task": (f"{HEADER}\n801,two cats,cat,True,Sums,2,,1847\n", "line 2: no task named 'Sums'; known: "),
        "missing column": ("ID,Prompt,Task\n801,two cats,Counting\n", "line 1: no column Representations"),
        "counts that do not fit": (
            f"{HEADER}\n801,two cats,cat,True,Counting,two,,1847\n",
            "line 2: Task_specific_label",
        ),
        "no class": (f"{HEADER}\n801,two cats,,True,Counting,2,,1847\n", "line 2: Representations"),
    }
    for name, (text, message) in bad.items():
        (tmp_path / "bad.csv").write_text(text, encoding="utf-8")
        with case(name):
            done = call("make", "prompts", "gimbrr", "--prompts", tmp_path / "bad.csv")
            assert (done.code, done.out) == (2, "")
            assert message in done.err
            assert "Traceback" not in done.err
    (tmp_path / "images").mkdir()
    (tmp_path / "images" / "hello.png").write_bytes(PNG)
    done = call(
        "run", "gimbrr", "--model", f"folder:{tmp_path / 'images'}", "--judge", "none", "--out", tmp_path / "run"
    )
    assert done.code == 2
    assert "'hello.png' is named like no layout; known: " in done.err
    assert "gimbrr: p801_1_v0.0.5_pd230208.png" in done.err
