"""The category factor: measures compare all pairs of categories, so their number is limited."""

from collections.abc import Iterable
from dataclasses import replace

from subitize.records import Item

MOST_CATEGORIES = 20
_ALL = "things"


def pool_categories(items: Iterable[Item]) -> list[Item]:
    """Keep the categories if they are few; otherwise they become the factor `noun`, and all things one category."""
    every = list(items)
    if len({item.factors.get("category") for item in every}) <= MOST_CATEGORIES:
        return every
    return [_pool(item) if "category" in item.factors else item for item in every]


def _pool(item: Item) -> Item:
    return replace(item, factors={**item.factors, "category": _ALL, "noun": item.factors["category"]})
