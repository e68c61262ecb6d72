"""Who is better in GeckoNum: on as many images each."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from subitize.analysis.published import Cell, CellId
from subitize.papers.geckonum.files import read_release
from subitize.papers.geckonum.labels import SEEDS, Annotations, read_released
from subitize.papers.geckonum.tables import paired_differences
from tests.papers.geckonum.geckonum_release import write_release


@pytest.fixture(scope="module")
def annotations(tmp_path_factory: pytest.TempPathFactory) -> Annotations:
    folder = write_release(tmp_path_factory.mktemp("paired") / "release", ["dalle_3", "imagen_c", "muse_a"], seeds=7)
    found = read_released(read_release(folder))
    # dalle_3 has fewer images of every other question, as a paper's model may have.
    is_lost = (pl.col("model") == "dalle_3") & (pl.col("seed") >= 3) & (pl.col("key") % 2 == 0)
    return Annotations(found.questions, found.answers.filter(~is_lost))


@pytest.fixture(scope="module")
def cells(annotations: Annotations) -> dict[CellId, Cell]:
    return {cell.place: cell for cell in paired_differences(annotations)}


def test_models_are_compared_on_the_images_that_all_have_five_at_most(
    annotations: Annotations, cells: dict[CellId, Cell]
) -> None:
    rows = annotations.counts.filter(pl.col("seed") < SEEDS).unique(["model", "key", "seed"])
    right = {
        (model, key, seed): value for model, key, seed, value in rows.select("model", "key", "seed", "right").rows()
    }
    models = ("dalle_3", "imagen_c", "muse_a")
    common = [unit for model, *unit in right if model == "dalle_3" and all((m, *unit) in right for m in models)]
    means = {model: 100 * np.mean([right[model, key, seed] for key, seed in common]) for model in models}
    for first, second in (("dalle_3", "imagen_c"), ("dalle_3", "muse_a"), ("imagen_c", "muse_a")):
        cell = cells[CellId("paired", f"{first} - {second}", "task1_diff")]
        assert cell.value == pytest.approx(means[first] - means[second], abs=1e-9)
        assert cell.n == len(common)
    assert len(common) < rows.height / 3


@pytest.mark.slow
def test_five_images_each_of_forty_nouns_tell_only_the_outer_shared_models_apart(shared_data: Path) -> None:
    annotations = read_released(read_release(shared_data / "geckonum"))
    found = {cell.place: cell.value for cell in paired_differences(annotations)}
    models = ("dalle_3", "imagen_c", "muse_a")
    assert [found[CellId("ranks", model, "task1_rank")] for model in models] == ["1–2 a", "1–3 ab", "2–3 b"]
    assert found[CellId("ranks", "imagen_c", "task1_acc")] == pytest.approx(37.1, abs=0.05)
