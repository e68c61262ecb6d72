"""Captions whose numbers disagree with their images."""

from pathlib import Path

import pytest

from subitize.interfaces import Pixels, Request
from subitize.models.stand_ins import Painter
from subitize.records import Draw
from tests.commands import call

pytestmark = pytest.mark.spacy


def draw(prompt: str, path: Path) -> None:
    """Have the painter draw an image."""
    reply = Painter(size_px=256).compute(Request("", Draw(prompt), 0, 0, 1, lambda _: b""))
    assert isinstance(reply.content, Pixels)
    path.write_bytes(reply.content.data)


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    """Four images, two of which have captions that tell the truth; one file is missing, one is no image."""
    images = tmp_path / "images"
    images.mkdir()
    for number in (1, 2, 3, 4):
        draw(f"{number} apples" if number > 1 else "1 apple", images / f"{number}.png")
    (images / "text.png").write_text("no image")
    captions = {
        "1.png": "1 apple on a table",
        "2.png": "two apples",
        "3.png": "a photo of 5 apples",
        "4.png": "two apples and two apples",
        "missing.png": "two apples",
        "text.png": "two apples",
        "../pairs.csv": "two apples",
        "none.png": "no number at all",
    }
    file = tmp_path / "pairs.csv"
    file.write_text("image,caption\n" + "".join(f"{image},{caption}\n" for image, caption in captions.items()))
    return file


def test_captions_that_disagree_are_listed_with_rates_by_numerosity(pairs: Path) -> None:
    arguments = ("corpus", "pairs", pairs, "--images", pairs.parent / "images", "--judge", "observer")
    found = call(*arguments, "--json").json()
    assert (found["captions"], found["pairs"], found["unknown"]) == (8, 7, 3)
    rates = {rate["numerosity"]: (rate["disagreeing"]["value"], rate["disagreeing"]["n"]) for rate in found["rates"]}
    assert rates == {None: (0.25, 4), 1: (0, 1), 2: (0, 1), 4: (0, 1), 5: (1, 1)}
    (pair,) = found["disagreeing"]
    assert (pair["image"], pair["named"], pair["counted"]) == ("3.png", {"apple": 5}, {"apple": 3})
    text = call(*arguments).out
    assert "a photo of 5 apples" in text
    assert "outside the folder of images" in text
    assert call(*arguments, "--limit", 2, "--json").json()["pairs"] == 2


def test_what_is_wrong_is_said(pairs: Path, tmp_path: Path) -> None:
    images = tmp_path / "images"
    (tmp_path / "plain.csv").write_text("image,caption\n1.png,a cat\n")
    (tmp_path / "odd.csv").write_text("image,caption\n1.png,two sousaphones\n")
    for file, folder, options, message in (
        (pairs, tmp_path / "nowhere", (), "there is no such folder"),
        (pairs, images, ("--judge", "obsever"), "no judge named 'obsever'"),
        (pairs, images, ("--image", "path"), "no column 'path'; there are: image, caption"),
        (pairs, images, ("--max-cost", 0), "--max-cost 0: should be a sum in US dollars above 0"),
        (tmp_path / "plain.csv", images, (), "none of 1 captions names a number of things"),
        (tmp_path / "odd.csv", images, (), "judge observer counted in none of 1 images"),
    ):
        found = call("corpus", "pairs", file, "--images", folder, "--judge", "observer", *options)
        assert (found.code, found.out) == (2, ""), message
        assert message in found.err


def test_what_was_counted_is_not_counted_again(pairs: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept.jsonl"
    arguments = ("corpus", "pairs", pairs, "--images", pairs.parent / "images", "--judge", "observer", "--json")
    found = call(*arguments).json()
    assert call(*arguments, "--out", kept).json() == found
    lines = kept.read_text().splitlines(keepends=True)
    assert len(lines) == 4
    kept.write_text("".join(lines[:3]).replace('{"apple": 3.0}', '{"apple": 7.0}') + lines[3][:20])
    again = call(*arguments, "--out", kept).json()
    assert [pair["counted"] for pair in again["disagreeing"]] == [{"apple": 7.0}]
    assert kept.read_text().splitlines()[3] + "\n" == lines[3]


def test_a_file_of_something_else_is_left_alone(pairs: Path, tmp_path: Path) -> None:
    arguments = ("corpus", "pairs", pairs, "--images", pairs.parent / "images", "--judge", "observer")
    for text in ("image,caption\n1.png,one\n", "a word"):
        (tmp_path / "other").write_text(text)
        ended = call(*arguments, "--out", tmp_path / "other")
        assert ended.code == 2
        assert f"--out {tmp_path / 'other'} line 1: this is no file of counted pairs; name another" in ended.err
        assert (tmp_path / "other").read_text() == text
    assert "is no file" in call(*arguments, "--out", tmp_path).err
