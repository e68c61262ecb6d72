"""Groups of a frame are estimated as each would be by itself."""

import numpy as np
import polars as pl
import pytest

from subitize.analysis.design import (
    Estimand,
    assign_units,
    check_prompts,
    estimate_by,
    fix_levels,
    list_levels,
    units_of,
)
from subitize.errors import BadValueError
from subitize.records import Design, Draw, Item
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


def items(*prompts: str, **factors: str) -> list[Item]:
    return [Item(f"zoo/{place}", Draw(prompt), (), factors) for place, prompt in enumerate(prompts)]


def test_an_item_has_the_levels_that_its_factor_lists_or_the_words_in_its_prompt() -> None:
    words = Design(sampled={"noun": ("cat", "leaf", "cinnamon stick", "fish")})
    shown = items("Two cats and 3 leaves.", "A catfish.", "cinnamon sticks above a Cat", "3 fish")
    assert [list_levels(one, "noun", {"zoo": words}) for one in shown] == [
        "cat, leaf",
        "",
        "cat, cinnamon stick",
        "fish",
    ]
    (one,) = items("a", classes="dog, cat")
    assert list_levels(one, "noun", {"zoo": Design(sampled={"noun": "classes"})}) == "dog, cat"
    assert list_levels(one, "noun", {}) == ""


def test_items_have_units_of_all_that_was_sampled_and_none_where_nothing_was() -> None:
    shown = items("2 cats", "2 cats", "2 dogs")
    designs = {"zoo": Design(sampled={"noun": ("cat", "dog")})}
    placed = assign_units(shown, designs)
    units = units_of(placed)
    assert isinstance(units, dict)
    assert {name: list(own) for name, own in units.items()} == {"prompt": [0, 0, 1], "noun": ["cat", "cat", "dog"]}
    for fixed in (fix_levels(designs), {}):
        assert assign_units(shown, fixed).columns == ["item", "stratum", "cluster"]


def test_a_group_of_rows_is_estimated_over_all_that_was_sampled() -> None:
    rows = frame().with_columns(unit_prompt="cluster", unit_noun=pl.format("n{}", pl.col("cluster") // 2))
    found = estimate_by(rows, "right", "model")
    own = rows.filter(model="a")
    units = {"prompt": own["cluster"].to_numpy(), "noun": own["unit_noun"].to_numpy()}
    assert [found["a",]] == estimate(own["right"].to_numpy(), units, own["stratum"].to_numpy())


def test_what_figures_are_about_is_said() -> None:
    sampled = Estimand().over([Design(sampled={"noun": "noun", "template": "template"}), Design()])
    assert str(Estimand()) == "prompts (or pictures) like these"
    assert str(sampled) == "prompts (or pictures) and nouns and templates like these; the judge is held fixed"
    assert str(Estimand(nouns="fixed")).startswith("prompts (or pictures) like these, with exactly these nouns")
    assert Estimand().record() == {"prompts": "sampled"}
    assert sampled.record() == {"prompts": "sampled", "nouns": "sampled"}
    with pytest.raises(BadValueError, match="`nouns` three: should be sampled or fixed"):
        check_prompts("three", "nouns")
