"""GIMBRR's ratings as a frame, from a release or a run: one row per rating of an image, by one judge.

Images that were rated twice have two rows; a refusal counts as wrong."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from subitize.analysis.design import assign_units
from subitize.analysis.frame import ReadOptions, RunFrame, find_one_judge, read_frame
from subitize.errors import NothingToDoError
from subitize.frame import NO_JUDGE, decode_columns
from subitize.io.frames import make_frame
from subitize.papers.gimbrr.prompts import ALL, CONTROLLED, SAMPLED, STRATA
from subitize.papers.gimbrr.suite import MATCH, NAME
from subitize.records import Design, Estimate, Item
from subitize.report.table import number_of
from subitize.store import Run
from subitize.store.rows import decode_value

POOLED = "pooled"
"""The name of all models together."""
_FACTORS: dict[str, pl.DataType] = {
    "task": pl.String(),
    **dict.fromkeys(("number", "objects", "features", "target_position"), pl.Int64()),
    **dict.fromkeys(("common", "adjective"), pl.Boolean()),
    **dict.fromkeys(("relation", "linked"), pl.String()),
}
_CONTROLLED = [task.key for task in CONTROLLED]
ROWS: dict[str, pl.DataType] = {
    **dict.fromkeys(("model", "item"), pl.String()),
    "repeat": pl.Int64(),
    "right": pl.Float64(),
}
"""The columns of ratings, whose rows keep the order in which they were given."""
_IMAGE = ("model", "item", "repeat")
_MOST_NAMED = 20

Shares = dict[tuple[Any, ...], Estimate]


@dataclass(frozen=True, slots=True, eq=False)
class TaskRatings:
    """Ratings with the key, cluster (the prompt's text), stratum and factors of their items."""

    rows: pl.DataFrame

    @property
    def models(self) -> list[str]:
        """The models, sorted by name."""
        return self.rows["model"].unique(maintain_order=True).to_list()

    @property
    def benchmark(self) -> pl.DataFrame:
        """The ratings of the eleven tasks and of single objects, without the controlled ones."""
        return self.rows.filter(~pl.col("task").is_in(_CONTROLLED))

    def of(self, *tasks: str) -> pl.DataFrame:
        """Return the ratings of some tasks, by their keys."""
        return self.rows.filter(pl.col("task").is_in(tasks))

    def rename(self, names: Mapping[str, str]) -> "TaskRatings":
        """Replace the specs of models by names."""
        return TaskRatings(self.rows.with_columns(pl.col("model").replace(names)))

    def warnings(self) -> list[str]:
        """List images rated more than once, and those with contradictory ratings."""
        images = self.rows.group_by(*_IMAGE, "key", maintain_order=True).agg(pl.len(), pl.col("right").n_unique())
        found = []
        for (model,), own in images.filter(pl.col("len") > 1).group_by("model", maintain_order=True):
            divided = own.filter(pl.col("right") > 1)["key"].sort().to_list()
            contradictions = f", {len(divided)} of them once yes and once no ({shorten(divided)})" if divided else ""
            count = number_of(own.height, "image")
            found.append(f"{model}: more than one rating of {count}{contradictions}; every rating counts")
        return found


def describe_ratings(
    rows: pl.DataFrame, items: Iterable[Item], sampled: Mapping[str, str | tuple[str, ...]] = SAMPLED
) -> TaskRatings:
    """Join ratings to their items; `is_first` marks the first rating of an image."""
    known = list(items)
    described = make_frame(
        ((one.id, one.id.partition("/")[2], *map(one.factors.get, _FACTORS)) for one in known),
        {"item": pl.String(), "key": pl.String(), **_FACTORS},
    )
    design = Design(strata=STRATA, sampled=sampled)
    places = assign_units(known, dict.fromkeys((one.suite for one in known), design))
    of_items = described.join(places, on="item").filter(pl.col("task").is_in(list(ALL)))
    numbered = rows.with_columns(is_first=pl.int_range(pl.len()).over(_IMAGE) == 0)
    return TaskRatings(numbered.join(of_items, on="item", maintain_order="left").sort("model", maintain_order=True))


def shorten(keys: Iterable[object]) -> str:
    """List the keys of prompts, cut short if there are many."""
    known = list(map(str, keys))
    more = f" and {len(known) - _MOST_NAMED} more" if len(known) > _MOST_NAMED else ""
    return ", ".join(known[:_MOST_NAMED]) + more


def add_pooled(rows: pl.DataFrame) -> pl.DataFrame:
    """Append a copy of all ratings, as of one pooled model."""
    return pl.concat([rows, rows.with_columns(model=pl.lit(POOLED))])


def means_by(rows: pl.DataFrame, *by: str) -> Mapping[tuple[Any, ...], float]:
    """Average accuracy by group."""
    found = rows.group_by(by, maintain_order=True).agg(pl.col("right").mean())
    return {tuple(names): mean for *names, mean in found.iter_rows()}


_QUESTION = MATCH.question.id


def read_run(run: Run, judge: str | None = None) -> tuple[TaskRatings, list[str]]:
    """Read the ratings of a run by its only judge or the one named, with warnings about unrated images."""
    if not any(entry.name == NAME for entry in run.suites()):
        raise NothingToDoError(
            f"{run.location} has no items of {NAME}; first: subitize run {NAME} --model MODEL --out RUN, "
            f"or: subitize import release {NAME} DIR --out RUN"
        )
    survey = read_frame(run, ReadOptions(judge))
    asked = survey.whole.filter(pl.col("suite") == NAME, pl.col("question") == _QUESTION)
    ratings = take_ratings(survey, find_one_judge(run, asked.rows))
    if not ratings.rows.height:
        raise NothingToDoError(
            f"{run.location} has no image of {NAME} of which a judge could tell whether it matches its prompt; "
            "subitize judge RUN --judge JUDGE"
        )
    return ratings, [*ratings.rename(run.model_names()).warnings(), *_describe_unrated(survey, ratings)]


def take_ratings(survey: RunFrame, judge: str = NO_JUDGE) -> TaskRatings:
    """Return a judge's ratings of the images in a run, without excluded items.

    Every answer is a rating. If a judge gave none but saw all parts of an image, these are joined. Refused and unusable
    answers count as no match.
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
    sampled = seen.designs[NAME].sampled if NAME in seen.designs else SAMPLED
    return describe_ratings(rated.select(*ROWS), seen.seen_items(), sampled)


def _describe_unrated(survey: RunFrame, ratings: TaskRatings) -> list[str]:
    drawn = survey.responses.filter(pl.col("item").str.starts_with(f"{NAME}/"), pl.col("kind") == "drawn")
    kept = drawn.filter(~pl.col("item").is_in(list(survey.run.exclusions())))
    left = kept.join(ratings.rows, on=["model", "item", "repeat"], how="anti")
    counts = left.group_by("model").len().sort("model").iter_rows()
    reason = "no certain rating, and so no place in any figure"
    names = survey.run.model_names()
    return [f"{names[model]}: {reason}, for {number_of(count, 'image')}" for model, count in counts]
