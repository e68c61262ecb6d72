"""What observations share that are not independent of one another."""

import polars as pl

from subitize.analysis.observations import Observations
from subitize.records import Draw, Item, digest
from subitize.store import codec
from subitize.store.frames import make_frame

_SHORT = 12


def cluster_of(item: Item) -> str:
    """Name the prompt that an item draws, or else the picture that it shows: several wordings may ask about one."""
    if isinstance(item.task, Draw):
        return item.task.prompt
    return digest(codec.dump(codec.task, item.task)["picture"])[:_SHORT]


def add_clusters(observations: Observations) -> Observations:
    """Add a column `cluster`."""
    clusters = make_frame(
        ((item.id, cluster_of(item)) for item in observations.seen_items()),
        {"item": pl.String(), "cluster": pl.String()},
    )
    return Observations(observations.rows.join(clusters, on="item", maintain_order="left"), observations.items)
