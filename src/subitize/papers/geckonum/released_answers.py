"""GeckoNum's answers straight from the released files."""

import polars as pl

from subitize.papers.geckonum.annotations import ANSWERS, Annotations, list_questions
from subitize.papers.geckonum.release import Release
from subitize.papers.geckonum.released_questions import released_items


def read_released(release: Release) -> Annotations:
    """Take the answers of a release as they are."""
    questions = list_questions(released_items(release))
    keys = questions.select(
        "key", pl.col("prompt").cast(pl.Categorical), pl.col("wording").cast(pl.Categorical).alias("question")
    )
    found = [
        answers.join(keys, on=["prompt", "question"], maintain_order="left")
        .select(ANSWERS)
        .cast({"model": pl.String, "annotator": pl.String})
        for answers in release.answers.values()
    ]
    return Annotations(questions, pl.concat(found))
