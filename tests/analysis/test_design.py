"""Groups of a frame are estimated as each would be by itself."""

import numpy as np
import polars as pl
import pytest

from subitize.analysis.design import estimate_by
from subitize.stats.estimate import SHARE, Scale, error_scale, estimate


def frame() -> pl.DataFrame:
    random = np.random.default_rng(1)
    return pl.DataFrame(
        {
            "model": random.choice(["b", "a", "c"], 90),
            "number": random.integers(0, 4, 90),
            "cluster": random.integers(0, 12, 90),
            "right": random.integers(0, 2, 90).astype(float),
            "images": random.integers(1, 5, 90),
        }
    ).with_columns(pl.col("number").replace(0, None), stratum=pl.col("cluster") % 3)


@pytest.mark.parametrize("scale", [SHARE, error_scale()], ids=["share", "error"])
@pytest.mark.parametrize("by", [("model",), ("number", "model")], ids="-".join)
def test_a_group_of_rows_is_estimated_as_by_itself(by: tuple[str, ...], scale: Scale) -> None:
    found = estimate_by(frame(), "right", *by, weight="images", count="images", scale=scale)
    known = frame().drop_nulls(by)
    assert list(found) == list(known.select(by).unique(maintain_order=True).iter_rows())
    for levels, share in found.items():
        own = known.filter(pl.col(name) == level for name, level in zip(by, levels, strict=True))
        columns = (own[name].to_numpy() for name in ("right", "cluster", "stratum", "images"))
        assert [share] == estimate(*columns, count=own["images"].to_numpy(), scale=scale)


def test_rows_without_a_cluster_are_clusters_and_a_value_may_be_an_expression() -> None:
    rows = frame().drop("cluster")
    found = estimate_by(rows, (pl.col("right") == 0).cast(pl.Float64), "model")
    own = rows.filter(model="a")
    assert [found["a",]] == estimate(1 - own["right"].to_numpy(), None, own["stratum"].to_numpy())


def test_no_rows_have_no_groups() -> None:
    assert estimate_by(frame().clear(), "right", "model") == {}
