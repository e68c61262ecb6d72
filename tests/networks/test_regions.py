"""Region features from files: the right ones, padded, lazily, and one line for whatever is wrong with a file."""

import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from subitize.errors import BadFileError, BadValueError
from subitize.networks.joint import Regions
from tests.conftest import ROOT
from tests.networks.tiny_matchers import write_region_table, write_regions

NAMES = ["a.jpg", "b.jpg", "folder of.things.png", "d.jpg", "e.jpg"]
Arrays = dict[str, np.ndarray]


FORMATS = ["npz", pytest.param("safetensors", marks=pytest.mark.torch)]


@pytest.fixture(params=FORMATS)
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return write_regions(tmp_path / f"regions.{request.param}", NAMES)


def test_pictures_come_in_the_order_asked_for_padded_to_the_most_regions(path: Path) -> None:
    regions = Regions.open(path)
    features, boxes, mask = regions.of(["d.jpg", "a.jpg", "d.jpg"])
    assert (features.shape, boxes.shape, mask.shape) == ((3, 5, 20), (3, 5, 4), (3, 5))
    assert {features.dtype, boxes.dtype, mask.dtype} == {np.dtype(np.float32)}
    assert mask.tolist() == [[1] * 5, [1, 1, 0, 0, 0], [1] * 5]
    assert not features[1, 2:].any()
    assert not boxes[1, 2:].any()
    alone, alone_boxes, _ = regions.of(["a.jpg"])
    assert (features[1, :2] == alone[0]).all()
    assert (boxes[1, :2] == alone_boxes[0]).all()
    assert (features[0] == features[2]).all()


@pytest.mark.torch
def test_both_formats_hold_the_same(tmp_path: Path) -> None:
    files = [write_regions(tmp_path / name, NAMES) for name in ("r.npz", "r.safetensors")]
    one, other = (Regions.open(file).of(NAMES) for file in files)
    assert all((a == b).all() for a, b in zip(one, other, strict=True))


def test_a_picture_without_regions_is_named_with_three_that_have_some(path: Path) -> None:
    with pytest.raises(BadValueError) as caught:
        Regions.open(path).of(["a.jpg", "zebra.jpg"])
    assert str(caught.value) == f"{path.name} has no picture 'zebra.jpg'; it has 'a.jpg', 'b.jpg', 'd.jpg' and 2 more"


def test_only_what_is_asked_for_is_read(tmp_path: Path) -> None:
    path = write_regions(tmp_path / "large.npz", [f"{number}.jpg" for number in range(120)], width=256)
    tracemalloc.start()
    try:
        Regions.open(path).of(["3.jpg"])
        peak_bytes = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak_bytes < path.stat().st_size / 10


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        pytest.param(lambda a: a | {"a.boxes": a["a.boxes"] * 640}, "from 0 to 1; divide by", id="boxes-in-pixels"),
        pytest.param(
            lambda a: a | {"a.boxes": a["a.boxes"][:, ::-1]}, "left, top, right, bottom", id="corners-swapped"
        ),
        pytest.param(lambda a: a | {"a.boxes": a["a.boxes"][:1]}, "2 × 20 and boxes of 1 × 4", id="fewer-boxes"),
        pytest.param(lambda a: a | {"a.features": a["a.features"][0]}, "features of 20 and boxes", id="one-row"),
        pytest.param(
            lambda a: a | {"a.features": a["a.features"][:0], "a.boxes": a["a.boxes"][:0]}, "n × d", id="none"
        ),
        pytest.param(lambda a: a | {"a.features": a["a.features"] * np.nan}, "no finite number", id="nan"),
        pytest.param(lambda a: a | {"a.features": np.array([["x"]])}, "no finite number", id="words"),
        pytest.param(lambda a: {"a.features": a["a.features"]}, "has no 'a.boxes'", id="no-boxes"),
        pytest.param(lambda a: a | {"a.features": np.array([{}])}, "cannot be read", id="pickled"),
        pytest.param(lambda a: {"a": a["a.boxes"]}, "call them 'PICTURE.features'", id="other-names"),
        pytest.param(
            lambda a: a | {"b.features": a["a.features"][:, 1:], "b.boxes": a["a.boxes"]}, "19 and 20", id="widths"
        ),
    ],
)
def test_what_is_wrong_in_a_file_is_told_in_one_line(
    spoil: Callable[[Arrays], Arrays], told: str, tmp_path: Path
) -> None:
    with np.load(write_regions(tmp_path / "good.npz", ["a"])) as archive:
        spoilt = spoil(dict(archive))
    np.savez(tmp_path / "r.npz", **spoilt)  # type: ignore[arg-type]
    with pytest.raises(BadFileError, match=told) as caught:
        Regions.open(tmp_path / "r.npz").of(["a", "b"] if "b.boxes" in spoilt else ["a"])
    assert "\n" not in str(caught.value)
    assert "r.npz" in str(caught.value)


@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.parametrize(
    "data", [b"", b"no archive", b"PK\x03\x04 cut short", b"\xff" * 64], ids=["empty", "text", "cut", "noise"]
)
def test_a_damaged_file_is_refused_in_one_line(suffix: str, data: bytes, tmp_path: Path) -> None:
    path = tmp_path / f"r.{suffix}"
    path.write_bytes(data)
    with pytest.raises(BadFileError, match="cannot be read as region features") as caught:
        Regions.open(path)
    assert "\n" not in str(caught.value)


def test_a_byte_that_changed_is_noticed(tmp_path: Path) -> None:
    path = write_regions(tmp_path / "r.npz", NAMES)
    data = bytearray(path.read_bytes())
    data[200] ^= 1
    path.write_bytes(data)
    with pytest.raises(BadFileError, match="write it again"):
        Regions.open(path).of(NAMES)


@pytest.mark.parametrize(("name", "told"), [("none.npz", "there is no file"), ("r.csv", r"write them as \.npz")])
def test_a_file_that_is_none_is_refused(name: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text("a,b\n")
    with pytest.raises(BadFileError, match=told):
        Regions.open(tmp_path / name)


@pytest.mark.parametrize("is_lxmert", [False, True], ids=["bottom-up attention", "LXMERT"])
def test_files_of_others_hold_the_same_by_the_numbers_of_their_pictures(is_lxmert: bool, tmp_path: Path) -> None:
    ids = ["2407890", "7", "150367"]
    regions = Regions.open(write_region_table(tmp_path / "r.tsv", ids, is_lxmert=is_lxmert))
    asked = ["v7w_2407890.jpg", "7.jpg", "COCO_val2014_000000150367.jpg"]
    found, wanted = regions.of(asked), Regions.open(tmp_path / "r.npz").of(ids)
    assert all(np.allclose(one, other, atol=1e-6) for one, other in zip(found, wanted, strict=True))
    assert all((one == other).all() for one, other in zip(regions.of(ids), found, strict=True))
    with pytest.raises(BadValueError, match=r"r\.tsv has no picture 'apples_7\.png'; it has '150367', '2407890', '7'"):
        regions.of(["apples_7.png"])


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        pytest.param(lambda line: line.rpartition("\t")[0], "7 has 5 columns instead of 6 or 10", id="columns"),
        pytest.param(lambda line: line[:-9], "cannot be read as region features", id="cut short"),
        pytest.param(lambda line: line.replace("\t640\t", "\t64\t"), "from 0 to 1", id="another size"),
        pytest.param(lambda line: line.replace("\t2\t", "\t3\t"), "cannot be read as region features", id="count"),
        pytest.param(lambda line: line.replace("\t2\t", "\ttwo\t"), "cannot be read as region features", id="words"),
        pytest.param(lambda _: "", "it is empty", id="empty"),
    ],
)
def test_what_is_wrong_in_files_of_others_is_told(spoil: Callable[[str], str], told: str, tmp_path: Path) -> None:
    path = write_region_table(tmp_path / "r.tsv", ["7"])
    path.write_text(spoil(path.read_text(encoding="ascii").rstrip("\n")), encoding="ascii")
    with pytest.raises(BadFileError, match=told):
        Regions.open(path).of(["7"])


def test_more_regions_than_networks_were_given_are_refused(tmp_path: Path) -> None:
    names = [f"{number}.jpg" for number in range(100)]
    regions = Regions.open(write_regions(tmp_path / "r.npz", names, width=1))
    assert regions.of(["98.jpg"])[0].shape == (1, 100, 1)
    with pytest.raises(BadFileError, match=r"'99\.jpg' has 101 regions; keep the surest 100 of a picture"):
        regions.of(["99.jpg"])


def test_the_lines_of_the_page_write_a_file_that_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (ROOT / "docs" / "matching.md").read_text(encoding="utf-8")
    lines = page.partition("```python\n")[2].partition("```")[0]
    monkeypatch.chdir(tmp_path)
    exec(lines, {"detected": [("a.jpg", np.ones((2, 8)), np.array([[0, 0, 320, 240], [64, 48, 640, 480]]), 640, 480)]})
    features, boxes, _ = Regions.open(tmp_path / "regions.npz").of(["a.jpg"])
    assert features.shape == (1, 2, 8)
    assert boxes[0].tolist() == [[0, 0, 0.5, 0.5], [pytest.approx(0.1), pytest.approx(0.1), 1, 1]]
