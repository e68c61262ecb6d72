"""Which observations are not independent, and which conditions the design fixes: what every interval rests on."""

from collections.abc import Hashable, Iterable, Mapping
from typing import Literal

import polars as pl

from subitize.analysis.observations import Observations
from subitize.errors import BadValueError, NothingToDoError
from subitize.records import Design, Draw, Item, Scalar
from subitize.store.frames import make_frame

Prompts = Literal["sampled", "fixed"]
ESTIMANDS: dict[Prompts, str] = {
    "sampled": "prompts (or pictures) like these",
    "fixed": "exactly these prompts (or pictures), with new images (or answers)",
}
"""What figures are about."""


def check_prompts(text: str) -> Prompts:
    """Refuse anything else that figures could be about."""
    match text:
        case "sampled" | "fixed":
            return text
    raise BadValueError(f"--prompts {text}: should be sampled or fixed")


def cluster_of(item: Item) -> Hashable:
    """Give what answers share that are not independent: the prompt's text, or the picture that was shown."""
    return item.task.prompt if isinstance(item.task, Draw) else item.task.picture


def stratum_of(item: Item, design: Design) -> tuple[Scalar, ...]:
    """Give the levels of the factors that the suite's design fixes, as far as the item has them."""
    return tuple(item.factors[name] for name in design.strata if name in item.factors)


def place_items(items: Iterable[Item], designs: Mapping[str, Design]) -> pl.DataFrame:
    """Number the stratum and the cluster of each item; strata that differ least have neighbouring numbers."""
    none = Design()
    places = [(item.id, stratum_of(item, designs.get(item.suite, none)), cluster_of(item)) for item in items]
    strata = {level: code for code, level in enumerate(sorted({stratum for _, stratum, _ in places}, key=_in_order))}
    clusters: dict[Hashable, int] = {}
    return make_frame(
        ((id, strata[stratum], clusters.setdefault(cluster, len(clusters))) for id, stratum, cluster in places),
        {"item": pl.String(), "stratum": pl.Int64(), "cluster": pl.Int64()},
    )


def _in_order(levels: tuple[Scalar, ...]) -> tuple[tuple[bool, float, str], ...]:
    return tuple((isinstance(one, str), 0.0 if isinstance(one, str) else float(one), str(one)) for one in levels)


def place_observations(observations: Observations, prompts: Prompts = "sampled") -> Observations:
    """Put the numbers of stratum and cluster beside each row.

    Of exactly these prompts, each is a stratum, and its images are what varies.
    """
    places = place_items(observations.seen_items(), observations.designs)
    rows = observations.rows.join(places, on="item", how="left", maintain_order="left")
    if prompts == "fixed":
        rows = rows.with_columns(stratum="cluster", cluster=pl.col("subject").rank("dense").cast(pl.Int64))
        _check_repeated(rows)
    return Observations(rows, observations.items, observations.designs)


def _check_repeated(rows: pl.DataFrame) -> None:
    if rows.select((pl.col("cluster").n_unique().over("model", "judge", "stratum") < 2).all()).item():
        raise NothingToDoError(
            "--prompts fixed needs two images of a prompt, or two answers about a picture, and there is one of each; "
            "run it again with --repeats 2 or more, or leave it at --prompts sampled"
        )
