"""The control question of naming, "What does the image represent?", which enters no other figure."""

import polars as pl

from subitize.analysis.clusters import place_observations
from subitize.analysis.observations import Observations
from subitize.records import Estimate
from subitize.stats.estimator import estimate_share

WORDING = "control"
# Section 2.1.1 takes these: "apple(s)" and "fruit".
_RIGHT = r"(?i)\b(apples?|fruits?)\b"


def score_controls(observations: Observations) -> dict[tuple[str, str, str], Estimate]:
    """Give the share of right answers to the control question by suite, model and judge; a refusal is wrong.

    It is among what enters no score, because it is not about number. Refusals stand for every judge of that suite and
    model, and for NO_JUDGE where there is nothing else.
    """
    controls = [item.id for item in observations.seen_items() if item.factors.get("wording") == WORDING]
    asked = place_observations(
        observations.kept().filter(
            pl.col("item").is_in(controls), pl.col("question_kind") == "name", pl.col("status") != "discarded"
        )
    )
    is_right = (pl.col("status") == "eligible") & pl.col("value_text").str.contains(_RIGHT)
    shares = asked.rows.group_by("suite", "model", "judge", maintain_order=True).agg(
        is_right.fill_null(value=False).cast(pl.Float64).alias("right"), "cluster", "stratum"
    )
    return {(suite, model, judge): estimate_share(*columns) for suite, model, judge, *columns in shares.iter_rows()}
