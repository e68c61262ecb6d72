"""GeckoNum's images as questions: only what people agree on is asked, and the answer is theirs."""

from pathlib import Path

import pytest

from subitize.errors import BadFileError, SubitizeError
from subitize.evaluate.pictures import Loader
from subitize.records import Answer, Filed
from subitize.registry import make_suite
from subitize.store.images import Images
from tests.commands import call
from tests.papers.geckonum.geckonum_release import PROMPTS, write_images, write_prompts, write_release

MODELS = ("imagen_c", "muse_b")
FEW = [prompt for prompt in PROMPTS if prompt.type in ("numeric_simple", "attribute-spatial")][::90]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A release in which every image is right, and the images."""
    folder = tmp_path_factory.mktemp("vqa")
    release = write_release(folder / "release", MODELS, prompts=FEW, accuracy=1.0)
    write_prompts(release, FEW)  # all of them take longer to read than the rest
    return release, write_images(folder / "images", MODELS, FEW)


def test_questions_are_those_that_enough_people_answered_alike(files: tuple[Path, Path]) -> None:
    release, images = files
    sizes = [
        len(list(make_suite(f"geckonum-vqa:{release},images={images},agreeing={n}").obj.items(0))) for n in (5, 4, 1)
    ]
    assert 0 < sizes[0] < sizes[1] <= sizes[2]


def test_an_item_asks_how_many_are_in_the_image_and_never_where(files: tuple[Path, Path]) -> None:
    release, images = files
    for item in make_suite(f"geckonum-vqa:{release},images={images}").obj.items(0):
        assert isinstance(item.task, Answer)
        assert item.task.question.endswith("are in the image?")
        assert isinstance(item.task.picture, Filed)
        assert Path(item.task.picture.path).stem in item.id
        assert item.factors["source"] in MODELS
        assert item.factors["number"] == item.asks[0].expects[0]


@pytest.mark.slow
def test_the_observer_answers_as_people_do_and_is_scored_by_number(files: tuple[Path, Path], tmp_path: Path) -> None:
    release, images = files
    spec, out = f"geckonum-vqa:{release},images={images},models=muse_b", tmp_path / "run"
    done = call("run", spec, "--model", "observer", "--out", out)
    assert done.code == 0, done.err
    rows = call("score", out, "--by", "number", "--json").json()
    whole = next(row for row in rows if row["group"] == "all" and row["measure"] == "accuracy")
    assert whole["value"] == 1.0
    assert whole["n"] >= 10
    assert {row["group"] for row in rows} > {"all"}
    assert call("report", out, "-o", tmp_path / "report.html").code == 0
    assert "geckonum-vqa" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_images_that_are_not_there_are_left_out(files: tuple[Path, Path], tmp_path: Path) -> None:
    release, _ = files
    images = write_images(tmp_path / "images", MODELS[:1], FEW)
    items = list(make_suite(f"geckonum-vqa:{release},images={images}").obj.items(0))
    assert {item.factors["source"] for item in items} == {"imagen_c"}
    gone = Path(items[0].task.picture.path)  # type: ignore[union-attr]
    gone.unlink()
    left = list(make_suite(f"geckonum-vqa:{release},images={images}").obj.items(0))
    assert {item.id for item in left} == {item.id for item in items if gone.stem not in item.id}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("", "needs the folder of the images"),
        (",images=nowhere", "nowhere: no such folder"),
        (",images={empty}", "no image of imagen_c, muse_b"),
        (",images={images},agreeing=6", "agreeing=6: should be from 1 to 5"),
        (",images={images},models=sdxl", "'sdxl'"),
        (",images={images},models=dalle_3", "no task_1_dalle_3.csv"),
    ],
)
def test_wrong_options_are_refused(files: tuple[Path, Path], tmp_path: Path, options: str, message: str) -> None:
    release, images = files
    with pytest.raises(SubitizeError, match=message):
        make_suite(f"geckonum-vqa:{release}" + options.format(images=images, empty=tmp_path))


def test_a_picture_that_is_gone_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadFileError, match=r"gone\.png"):
        Loader(Images(tmp_path))(Filed(str(tmp_path / "gone.png")))
