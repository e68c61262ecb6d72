"""How often each framing of the counting probe finds the right number: by model, split and number, and by guessing."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeVar

from subitize.io.frames import group_rows
from subitize.papers.seeing_past_words.baselines import measure_baselines
from subitize.papers.seeing_past_words.metrics import PAIRWISE
from subitize.papers.seeing_past_words.runs import (
    ALIGNMENT,
    COUNTING,
    MASKED,
    VQA,
    Answered,
    Filled,
    Probed,
    RowT,
    TextScore,
    images_of,
    lay_out_texts,
    measure_texts,
)
from subitize.papers.seeing_past_words.tables import by_split, name_condition, take_counting
from subitize.records import Estimate
from subitize.report.table import RowKind
from subitize.stats.estimate import estimate_share

STATEMENT, QUESTION_AND_ANSWER, CAPTION = "statement", "question with answer", "caption"
GAP, FAITHFUL_GAP, QUESTION = "gap", "gap, as in the paper", "question"
SUITES = {
    STATEMENT: COUNTING,
    QUESTION_AND_ANSWER: COUNTING,
    GAP: MASKED,
    FAITHFUL_GAP: MASKED,
    QUESTION: VQA,
    CAPTION: ALIGNMENT,
}
"""The framings, in the order in which they are shown, each with its suite."""
_FORMATS = {"declarative": STATEMENT, "qa": QUESTION_AND_ANSWER}
_MASKS = {"neutral": GAP, "faithful": FAITHFUL_GAP}
_RANKED, _CHANCE = PAIRWISE["half"], 0.5
MOST_FREQUENT = "the most frequent answer"
_GUESSES = ("the smaller number", MOST_FREQUENT, "even numbers", "the number's prior")
LARGEST_ALONE = 10


class Share(NamedTuple):
    """How often a model finds the right number, on the whole (number None) or where it is a certain one."""

    framing: str
    split: str
    model: str
    number: int | None
    estimate: Estimate
    chance: float
    badge: RowKind = ""


def list_shares(probed: Probed) -> Iterator[Share]:
    """Give the shares of all framings; of the counting probe also what guessing gets."""
    for split, texts in _take_widest(by_split(take_counting(probed))).items():
        for form, own in group_rows(texts, lambda one: name_condition(one)[1]).items():
            yield from _rank_texts(_FORMATS[form], split, own)
    for split, gaps in _take_widest(by_split(probed.gaps)).items():
        for mask, filled in group_rows(gaps, lambda one: str(one.item.factors["mask"])).items():
            yield from _name_numbers(_MASKS[mask], split, filled)
    for split, answers in _take_widest(by_split(probed.answers)).items():
        yield from _name_numbers(QUESTION, split, answers)
    captions = [one for one in probed.texts if one.item.suite == ALIGNMENT]
    for (source, model), own in group_rows(captions, lambda one: (str(one.item.factors["source"]), one.model)).items():
        if ranked := measure_texts(own).get(_RANKED):
            yield Share(CAPTION, source, model, None, ranked, _CHANCE)


def _take_widest(found: dict[tuple[str, str], list[RowT]]) -> dict[str, list[RowT]]:
    """Take validation and test data together, where there are both."""
    both = {split for split, data in found if data == "validation + test"}
    return {
        f"{split}, {data}": rows
        for (split, data), rows in found.items()
        if split not in both or data == "validation + test"
    }


def _rank_texts(framing: str, split: str, texts: Sequence[TextScore]) -> Iterator[Share]:
    by_model = group_rows(texts, lambda one: one.model)
    for model, own in by_model.items():
        for number, some in _by_number(own).items():
            if ranked := measure_texts(some).get(_RANKED):
                yield Share(framing, split, model, number, ranked, _CHANCE)
    # Whoever guesses needs the numbers only, which are the same for every model.
    for number, some in _by_number(next(iter(by_model.values()))).items():
        found = measure_baselines(lay_out_texts(some))
        for name in _GUESSES if number is None else _GUESSES[:1]:
            if ranked := found[name].get(_RANKED):
                yield Share(framing, split, name, number, ranked, _CHANCE, "baseline")


NamedT = TypeVar("NamedT", Filled, Answered)


def _name_numbers(framing: str, split: str, rows: Sequence[NamedT]) -> Iterator[Share]:
    by_model = group_rows(rows, lambda one: one.model)
    first = next(iter(by_model.values()))
    counts = Counter(int(one.item.factors["number"]) for one in first)
    usual = min(counts, key=lambda number: (-counts[number], number))
    chance = counts[usual] / len(first)
    for model, own in by_model.items():
        for number, some in _by_number(own).items():
            yield Share(framing, split, model, number, _share([_is_right(one) for one in some], some), chance)
    for number, some in _by_number(first).items():
        hits = [one.item.factors["number"] == usual for one in some]
        yield Share(framing, split, MOST_FREQUENT, number, _share(hits, some), chance, "baseline")


def _is_right(one: Filled | Answered) -> bool:
    return one.rank <= 1 if isinstance(one, Filled) else one.said == one.item.factors["number"]


def _share(hits: Sequence[bool], rows: Sequence[Filled | Answered]) -> Estimate:
    return estimate_share([float(hit) for hit in hits], images_of(rows))


def _by_number(rows: Sequence[RowT]) -> dict[int | None, list[RowT]]:
    """Take all, then those of each number; large ones are taken together."""
    found: dict[int, list[RowT]] = group_rows(rows, lambda one: min(int(one.item.factors["number"]), LARGEST_ALONE + 1))
    all_and_each: dict[int | None, list[RowT]] = {None: list(rows)}
    return all_and_each | {number: found[number] for number in sorted(found)}
