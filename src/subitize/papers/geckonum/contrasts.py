"""What GeckoNum's conclusions compare: groups of its prompts, quantifiers of the same things, and models."""

from collections.abc import Iterable, Sequence

import polars as pl

from subitize.analysis.claims import ByModel, Comparison, ModelContrast, Position, compare_drops, subtract
from subitize.papers.geckonum.extensions import share_images
from subitize.papers.geckonum.prompts import TYPES
from subitize.papers.geckonum.shares import Shares, estimate_means
from subitize.stats.compare import Difference, compare_all

Contrasts = dict[tuple[str, str | None], ModelContrast]
"""By what is compared, and of which model; None is all together."""
_NUMBERS = range(1, 11)


def missing_parts(labels: pl.DataFrame, task: int, models: Iterable[str] = ()) -> list[str]:
    """Name the types, and the numbers of simple prompts, that one of these models lacks, or of those there are."""
    types = dict(labels.group_by("model").agg(pl.col("type").unique()).iter_rows())
    found = set(TYPES).intersection(*(types.get(model, ()) for model in models or types)) if types else set()
    missing = [type for type, of in TYPES.items() if of == task and type not in found]
    return missing or (missing_numbers(labels.filter(pl.col("type") == "numeric_simple")) if task == 1 else [])


def missing_numbers(simple: pl.DataFrame) -> list[str]:
    """Name the numbers of simple prompts that a model lacks."""
    numbers = simple.group_by("model").agg(pl.col("truth").unique())["truth"]
    found = set(_NUMBERS).intersection(*numbers)
    missing = [f"{number}" for number in _NUMBERS if number not in found or not simple.height]
    return [f"simple prompts with {join_names(missing)}"] if missing else []


def values_of(labels: pl.DataFrame, *by: str) -> ByModel:
    """Average what is right by model and name, such as that of a noun."""
    found: dict[str, dict[str, float]] = {}
    for model, *names, mean in (
        labels.group_by("model", *by, maintain_order=True).agg(pl.col("right").mean()).iter_rows()
    ):
        found.setdefault(model, {})["/".join(map(str, names))] = mean
    return found


def cluster_by_first(values: Iterable[ByModel]) -> dict[str, Position]:
    """Put names that begin alike, such as those of one noun, into one cluster."""
    names = dict.fromkeys(name for of in values for own in of.values() for name in own)
    clusters: dict[str, int] = {}
    return {name: Position(0, clusters.setdefault(name.partition("/")[0], len(clusters))) for name in names}


def subtract_kinds(labels: pl.DataFrame, column: str, kinds: Sequence[tuple[str, str, str, str]]) -> Contrasts:
    """Compare groups of prompts that have none in common, by model and, where there are several, of all together."""
    models: list[str | None] = labels["model"].unique().sort().to_list()
    found: Contrasts = {}
    for model in [*models, *[None] * (len(models) > 1)]:
        means = estimate_means(labels if model is None else labels.filter(pl.col("model") == model), column)
        for first, one, second, other in kinds:
            if {(one,), (other,)} <= means.keys():
                found[f"{first} − {second}", model] = subtract(means[one,], means[other,])
    return found


def weigh_numbers_alike(labels: pl.DataFrame) -> Shares:
    """Estimate what is right by type, over the numbers that all types here have."""
    types = labels["type"].n_unique()
    common = labels.filter(pl.col("type").n_unique().over("truth") == types)
    weight = pl.len().over("type") / (pl.len().over("type", "truth") * pl.col("truth").n_unique().over("type"))
    return estimate_means(common.with_columns(weight=weight), "type")


def compare_quantifiers(lines: pl.DataFrame, *pairs: tuple[str, str]) -> tuple[Comparison, ...]:
    """Compare quantifiers of the same things, which is where the lines to choose from are the same."""
    of = {name: values_of(lines.filter(pl.col("quantifier") == name), "question") for pair in pairs for name in pair}
    return compare_drops([(one, of[one], other, of[other]) for one, other in pairs])


def compare_models(labels: pl.DataFrame, models: Sequence[str]) -> dict[tuple[str, str], Difference]:
    """Compare models on the images that all have, five of a prompt at most."""
    own = labels.filter(pl.col("model").is_in(models))
    there = own["model"].unique().sort().to_list()
    shared = share_images(own, there) if len(there) > 1 else None
    return {(there[one.first], there[one.second]): one for one in (compare_all(shared) if shared else ())}


def join_names(names: Sequence[str]) -> str:
    """List names as a sentence does."""
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)
