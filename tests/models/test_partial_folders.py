"""Folders as people have them: named by prompts in any way, listed in a CSV, and with a part of the images."""

import io
from collections.abc import Mapping
from pathlib import Path

import pytest
from PIL import Image

from subitize.errors import BadFileError
from subitize.models.folder import FolderModel
from subitize.records import Draw, Item
from subitize.store import Folder as RunFolder
from subitize.store import Run
from tests.cases import Case
from tests.commands import call
from tests.suites.own_tables import write_lines

SUITE = "production:numbers=3-4,categories=apples"


def put(folder: Path, *names: str) -> Path:
    """Write an image under each name."""
    file = io.BytesIO()
    Image.new("RGB", (4, 4), "white").save(file, "PNG")
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(file.getvalue())
    return folder


def place(path: Path, *prompts: str, layout: str = "auto", repeats: int = 3) -> Mapping[tuple[str, int], str]:
    by_id = {f"some/item-{number}": prompt for number, prompt in enumerate(prompts)}
    items = [Item(id, Draw(prompt), (), {}) for id, prompt in by_id.items()]
    found = FolderModel(str(path), layout=layout).match(items, repeats).files
    return {(by_id[id], repeat): name for (id, repeat), name in found.items()}


def test_a_name_is_a_prompt_with_any_seed_after_it(tmp_path: Path, case: Case) -> None:
    names = {
        "few digits": ("three apples_42.png", "three apples"),
        "many digits": ("three apples_1234567890123.png", "three apples"),
        "a space": ("three apples 7.png", "Three apples."),
        "underscores": ("three_apples_42.jpg", "three apples"),
        "a hash": ("three apples_3fa9c2d1.png", "three apples"),
        "seed and index": ("three apples_seed42_0.png", "three apples"),
        "seed with an underscore": ("three apples seed_7.png", "three apples"),
        "a UUID": ("three apples_550e8400-e29b-41d4-a716-446655440000.png", "three apples"),
        "in brackets": ("three apples (2).png", "three apples"),
        "no seed": ("three apples.webp", "three apples"),
        "a dash": ("three apples-00001.png", "three apples"),
        "a number of its own": ("apples 3_17.png", "apples 3"),
        "only a number of its own": ("apples 3.png", "apples 3"),
        "a folder": ("three apples/whatever.png", "three apples"),
        "a folder and a seed": ("Three_apples/three apples_42.png", "three apples"),
    }
    for number, (name, (file, prompt)) in enumerate(names.items()):
        with case(name):
            folder = put(tmp_path / str(number), file)
            assert place(folder, "a cat", prompt) == {(prompt, 0): file}
            assert place(folder, "a cat", prompt, layout="prompts") == {(prompt, 0): file}


def test_seeds_of_a_prompt_become_its_repeats_in_their_order(tmp_path: Path) -> None:
    put(tmp_path / "names", "two cups_10.png", "two cups_9.png", "two cups 123456.png", "a cat_000001.png")
    found = place(tmp_path / "names", "two cups", "a cat")
    assert [found["two cups", repeat] for repeat in range(3)] == [
        "two cups 123456.png",
        "two cups_9.png",
        "two cups_10.png",
    ]
    assert found["a cat", 0] == "a cat_000001.png"
    put(tmp_path / "folders", "two cups/10.png", "two cups/9.png", "a cat/x.png", "other/0.png")
    assert place(tmp_path / "folders", "two cups", "a cat") == {
        ("two cups", 0): "two cups/9.png",
        ("two cups", 1): "two cups/10.png",
        ("a cat", 0): "a cat/x.png",
    }


def test_a_prompt_to_the_letter_goes_before_a_shorter_one_with_a_seed(tmp_path: Path) -> None:
    put(tmp_path, "draw apples 3.png", "draw apples 3_3.png")
    assert place(tmp_path, "draw apples", "draw apples 3") == {
        ("draw apples 3", 0): "draw apples 3.png",
        ("draw apples 3", 1): "draw apples 3_3.png",
    }


def test_names_of_items_are_not_taken_for_prompts(tmp_path: Path) -> None:
    put(tmp_path, "apples_3_0.png", "apples_3_1.png")
    items = [Item("some/apples/3", Draw("apples"), (), {})]
    assert FolderModel(str(tmp_path)).match(items, 2).layout == "items"


def test_a_folder_with_nothing_for_a_suite_says_what_it_has(tmp_path: Path) -> None:
    put(tmp_path / "images", "00000/samples/0000.png")
    (tmp_path / "images" / "00000" / "metadata.jsonl").write_text('{"prompt": "a cat"}')
    done = call("run", SUITE, "--model", f"folder:{tmp_path / 'images'}", "--judge", "none", "--out", tmp_path / "run")
    assert done.code == 2
    assert "has nothing for suite 'production': layout geneval: 0 of" in done.err


def test_a_csv_lists_images_by_prompt_or_id(tmp_path: Path, case: Case) -> None:
    put(tmp_path, "a.png", "sub/b.png")
    for header in ("path,prompt,id", "file;prompt;id", "image_path,prompt,id"):
        with case(header):
            between = ";" if ";" in header else ","
            rows = (("a.png", "two cups", ""), ("sub/b.png", "", "some/item-1"))
            file = write_lines(tmp_path / "images.csv", header, *(between.join(row) for row in rows))
            assert place(file, "two cups", "a cat") == {("two cups", 0): "a.png", ("a cat", 0): "sub/b.png"}
    file = write_lines(tmp_path / "images.tsv", "Path\tPrompt", "sub\\b.png\ttwo cups")  # as Windows writes it
    assert place(file, "two cups") == {("two cups", 0): "sub/b.png"}
    bad = {
        "no path": (("prompt",), "two cups", "no column path or image_path or file"),
        "out": (("path,prompt",), "../x.png,two cups", "line 2: image_path '../x.png' leads out"),
        "no prompt": (("path,prompt",), "a.png,", "line 2: no id or prompt"),
        "nothing": (("path,prompt",), "", "lists no images"),
    }
    for name, (header_line, row, message) in bad.items():
        with case(name), pytest.raises(BadFileError, match=message):
            FolderModel(str(write_lines(tmp_path / "bad.csv", *header_line, row)))


def test_the_sheet_of_images_to_make_lists_those_that_are_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert call("make", "prompts", f"{SUITE}", "--sheet", "sheet.csv").code == 0
    put(tmp_path, "apples_3_0.png")
    done = call("run", SUITE, "--model", "folder:sheet.csv", "--repeats", 1, "--judge", "none", "--only-found")
    assert (done.code, done.err) == (0, "")
    assert "layout csv: 1 of 2 images found" in done.out
    assert "missing: 1 (production/apples/4 repeat 0); 1 item without any" in done.out
    assert "unreadable: 1 (apples_4_0.png: cannot be read: No such file or directory)" in done.out
    assert "1 answered, 0 refused, 0 failed" in done.out


def test_a_part_of_the_images_is_enough_if_one_says_so(tmp_path: Path) -> None:
    images = put(tmp_path / "images", "an image with 3 apples_5.png", "an image with 3 apples_6.png")
    command = [
        "run",
        SUITE,
        "--model",
        f"folder:{images}",
        "--repeats",
        3,
        "--judge",
        "none",
        "--out",
        tmp_path / "run",
    ]
    done = call(*command, "--only-found")
    assert (done.code, done.err) == (0, "")
    missing = [line for line in done.out.splitlines() if line.startswith("missing: ")]
    assert missing == [
        "missing: 4 (production/apples/3 repeat 2, production/apples/4 repeat 0, production/apples/4 repeat 1, …); "
        "1 item without any"
    ]
    assert "2 answered, 0 refused, 0 failed" in done.out
    put(images, "an image with 4 apples_1.png")
    done = call(*command, "--only-found")
    assert "1 answered, 0 refused, 0 failed, 2 done before" in done.out
    with Run(RunFolder(tmp_path / "run")) as run:
        assert len(list(run.responses())) == 3
    done = call(*command)
    assert done.code == 2
    assert "only those that are there: --only-found" in done.err


def test_only_what_is_found_is_for_models_that_have_their_images(tmp_path: Path) -> None:
    done = call("run", SUITE, "--model", "painter", "--only-found", "--out", tmp_path / "run")
    assert done.code == 2
    assert "--only-found is for models that have their images ready, as folder:PATH; not painter" in done.err
    assert not (tmp_path / "run").exists()
