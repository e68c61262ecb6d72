"""The design that published figures rest on, and whether that of the models beside them is another."""

from collections.abc import Sequence

from subitize.analysis.papers.numbersense_published import TABLE_2, TABLE_3
from subitize.report.counted import Counted

# Section 2.1 of Testolin, Hou and Zorzi (2025).
_NUMBERS = tuple(range(1, 11))
# Table 2 calls "flashcards" what section 2.1.1 calls fast cards.
_OUR_NAMES = {"flashcards": "fastcards"}
_WORDS = {4: "four", 5: "five"}


def our_name(category: str) -> str:
    """Give the name that a category of the published tables has in subitize."""
    return _OUR_NAMES.get(category, category)


def differing_design(suite: str, models: Sequence[Counted]) -> str:
    """Say what published figures are for, where a model here has other numbers or categories; else nothing."""
    theirs = list(dict.fromkeys(our_name(one.category) for one in (*TABLE_2, *TABLE_3) if one.suite == suite))
    if not theirs or all(_is_like(model, theirs) for model in models):
        return ""
    return (
        f"Published figures are for the numbers {_NUMBERS[0]}–{_NUMBERS[-1]} and the paper’s {_WORDS[len(theirs)]} "
        f"categories ({', '.join(theirs)}); not all models here were given just these."
    )


def _is_like(model: Counted, categories: Sequence[str]) -> bool:
    return model.it.numbers == _NUMBERS and set(model.it.categories) == set(categories)
