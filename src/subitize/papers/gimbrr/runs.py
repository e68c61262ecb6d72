"""GIMBRR's ratings in a run: whether images match their prompts, as one judge says."""

import polars as pl

from subitize.analysis.frame import NO_JUDGE, ReadOptions, RunFrame, decode_columns, find_one_judge, read_frame
from subitize.errors import NothingToDoError
from subitize.papers.gimbrr.items import MATCH, NAME
from subitize.papers.gimbrr.ratings import ROWS, Ratings, describe_ratings
from subitize.report.table import number_of
from subitize.store import Run
from subitize.store.reading import decode_value

_QUESTION = MATCH.question.id


def read_run(run: Run, judge: str | None = None) -> tuple[Ratings, list[str]]:
    """Take the ratings of a run, by the one judge that there is or by the one named; say what has none."""
    if not any(entry.name == NAME for entry in run.suites()):
        raise NothingToDoError(
            f"{run.location} has no items of {NAME}; first: subitize run {NAME} --model MODEL --out RUN, "
            f"or: subitize import {NAME} DIR --out RUN"
        )
    survey = read_frame(run, ReadOptions(judge))
    asked = survey.whole.filter(pl.col("suite") == NAME, pl.col("question") == _QUESTION)
    ratings = take_ratings(survey, find_one_judge(run, asked.rows))
    if not ratings.rows.height:
        raise NothingToDoError(
            f"{run.location} has no image of {NAME} of which a judge could tell whether it matches its prompt; "
            "subitize judge RUN --judge JUDGE"
        )
    return ratings, [*ratings.rename(run.model_names()).warnings(), *_tell_unrated(survey, ratings)]


def take_ratings(survey: RunFrame, judge: str = NO_JUDGE) -> Ratings:
    """Take what a judge says of the images of a run; what was excluded by hand stays out.

    Every answer is a rating. Where a judge has none but saw all parts of an image, these are joined. What was refused,
    or of no use, does not match.
    """
    is_own = (pl.col("suite") == NAME) & pl.col("judge").is_in([judge, NO_JUDGE])
    seen = survey.whole.kept().filter(is_own, pl.col("question") == _QUESTION, pl.col("group") == 1)
    answers = survey.readings.filter(pl.col("question") == _QUESTION).select("subject", "judge", stored="value")
    votes = decode_columns(answers, "stored", decode_value).filter(pl.col("label") == "known")
    rows = seen.rows.join(
        votes.select("subject", "judge", vote="value"), on=["subject", "judge"], how="left", maintain_order="left_right"
    )
    joined = pl.when(pl.col("status") != "unknown").then(pl.col("is_right").cast(pl.Float64))
    rated = rows.with_columns(right=pl.coalesce("vote", joined)).drop_nulls("right")
    return describe_ratings(rated.select(*ROWS), seen.seen_items())


def _tell_unrated(survey: RunFrame, ratings: Ratings) -> list[str]:
    drawn = survey.responses.filter(pl.col("item").str.starts_with(f"{NAME}/"), pl.col("kind") == "drawn")
    kept = drawn.filter(~pl.col("item").is_in(list(survey.run.exclusions())))
    left = kept.join(ratings.rows, on=["model", "item", "repeat"], how="anti")
    counts = left.group_by("model").len().sort("model").iter_rows()
    told = "no certain rating, and so no place in any figure"
    names = survey.run.model_names()
    return [f"{names[model]}: {told}, for {number_of(count, 'image')}" for model, count in counts]
