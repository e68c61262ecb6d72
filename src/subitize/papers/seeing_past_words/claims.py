"""The paper's conclusions as claims about the models of a run; declared training data says what a model is.

Training data is in no claim, and each is computed on one split and one wording, so that each probe counts once."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from subitize.analysis.claims import SMALL, Claim, decide
from subitize.io.frames import group_rows
from subitize.papers.seeing_past_words import tables
from subitize.papers.seeing_past_words.measures import compare_foils, measure_said, prefer_smaller
from subitize.records import Estimate
from subitize.report.claims import Wording
from subitize.report.texts import estimate_text
from subitize.stats.estimate import MEAN, estimate, subtract_independent

CHANCE = 0.5
NEAR = 0.1
"""A share that certainly differs by less than this from chance counts as near it (our margin)."""
WORDING = Wording("claim", "claims", "Numbers are those of sections in the paper.", "Observations")
CLAIMS: Mapping[str, str] = {
    "3.2": "models tell an image's own caption from one of another image",
    "4.2.1 chance": "models that are not finetuned on it do the counting probe hardly better than by chance",
    "4.2.1 words": "what they get, words give away: whoever takes the smaller number for right gets as much (ours)",
    "4.2.1 hard": "where large numbers are as frequent as small ones it is harder",
    "4.2.1 interpolated": "models that are finetuned on even numbers fail on odd ones",
    "4.2.2 small": "small numbers are named rightly more often than larger ones",
    "4.2.2 bias": "models that name a wrong number mostly name two",
}
_NEEDS: Mapping[str, str] = {
    "3.2": "the alignment probe",
    "4.2.1 chance": "the counting probe outside training data, and probabilities of models not finetuned on it",
    "4.2.1 words": "the counting probe of models that are not finetuned on it, outside training data",
    "4.2.1 hard": "the counting probe in its standard and its hard split, outside training data",
    "4.2.1 interpolated": (
        "the interpolated counting probe of models that were run as trained on counting-probe, outside training data"
    ),
    "4.2.2 small": "the masked probe or the questions, with answers up to 2 and from 5 to 20, outside training data",
    "4.2.2 bias": "wrong answers to the masked probe or to the questions, outside training data",
}
_SMALL_NUMBERS, _LARGER_NUMBERS = range(3), range(5, 21)
_TWO = 2


class _Found(NamedTuple):
    """The finding about one model in words, and whether the claim certainly holds or fails for it."""

    finding: str
    holds: bool
    fails: bool


def claims(probed: tables.Probed) -> list[Claim]:
    """Evaluate the paper's conclusions as far as the run's data allow."""
    aligned = [one for one in probed.texts if one.item.suite == tables.ALIGNMENT]
    counting = _hold_out(tables.take_counting(probed))
    tuned = [one for one in counting if probed.is_finetuned(one.model)]
    others = [one for one in counting if not probed.is_finetuned(one.model)]
    gaps, answers = _hold_out(probed.gaps), _hold_out(probed.answers)
    found = {
        "3.2": _ask_each(aligned, _tells_captions),
        "4.2.1 chance": _ask_each(others, _is_near_chance),
        "4.2.1 words": _ask_each(others, _gets_no_more_than_words),
        "4.2.1 hard": _ask_each(counting, _finds_hard_harder),
        "4.2.1 interpolated": _ask_each(tuned, _fails_on_odd),
        "4.2.2 small": [*_ask_each(gaps, _names_small), *_ask_each(answers, _names_small)],
        "4.2.2 bias": [*_ask_each(gaps, _says_two), *_ask_each(answers, _says_two)],
    }
    return [_state(id, own) for id, own in found.items()]


def _state(id: str, found: Sequence[_Found]) -> Claim:
    """Decide a claim: it holds if it holds for every model, and fails if it fails for one."""
    if not found:
        return Claim(id, "undecided", f"it needs {_NEEDS[id]}", claim=CLAIMS[id])
    verdict = decide(holds=all(one.holds for one in found), fails=any(one.fails for one in found))
    return Claim(id, verdict, "; ".join(one.finding for one in found), claim=CLAIMS[id])


def _ask_each(rows: Sequence[tables.RowT], ask: Callable[[Sequence[tables.RowT]], _Found | None]) -> list[_Found]:
    seeing = [one for one in rows if not one.model.endswith(tables.BLIND)]
    asked = {model: ask(own) for model, own in group_rows(seeing, lambda one: one.model).items()}
    return [found._replace(finding=f"{model}: {found.finding}") for model, found in asked.items() if found]


def _hold_out(rows: Sequence[tables.RowT]) -> list[tables.RowT]:
    return [one for one in rows if one.item.factors["part"] != "train"]


def _choose(rows: Sequence[tables.RowT], *splits: str) -> list[tables.RowT]:
    """Return the rows of the first of these splits that exists, preferably as statements, with neutral gaps."""
    for split in splits:
        own = [one for one in rows if one.item.factors["split"] == split]
        wordings = group_rows(own, lambda one: one.item.factors.get("format", one.item.factors.get("mask")))
        if own:
            return wordings.get("declarative") or wordings.get("neutral") or own
    return []


def _choose_numbers(rows: Sequence[tables.NamedNumber]) -> list[tables.NamedNumber]:
    return _choose(rows, "standard", "hard", *(str(one.item.factors["split"]) for one in rows))


def _rank(texts: Sequence[tables.TextScore]) -> Estimate | None:
    return tables.measure_texts(texts).get("pairwise_accuracy") if texts else None


def _tells_captions(texts: Sequence[tables.TextScore]) -> _Found | None:
    share = _rank(texts)
    if share is None:
        return None
    return _Found(f"own caption above the other {estimate_text(share)}", share.low > CHANCE, share.high < CHANCE)


def _is_near_chance(texts: Sequence[tables.TextScore]) -> _Found | None:
    share = tables.measure_texts(_choose(texts, "standard", "hard")).get("balanced_accuracy")
    if share is None:
        return None
    is_near = share.low > CHANCE - NEAR and share.high < CHANCE + NEAR
    return _Found(f"balanced accuracy {estimate_text(share)}", is_near, share.low > CHANCE + NEAR)


def _gets_no_more_than_words(texts: Sequence[tables.TextScore]) -> _Found | None:
    """Compare, pair by pair, with always preferring the smaller number."""
    own = _choose(texts, "standard", "hard")
    if not own:
        return None
    numbers = tables.numbers_of_texts(own)
    margins, images = compare_foils(tables.make_text_pairs(own))
    guesses, _ = compare_foils(replace(numbers, scores=prefer_smaller(numbers, numbers)))
    if not len(margins):
        return None
    (more,) = estimate((np.sign(margins) - np.sign(guesses)) / 2, images, scale=MEAN)
    return _Found(f"more pairs right than so {estimate_text(more)}", more.high < SMALL, more.low > 0)


def _finds_hard_harder(texts: Sequence[tables.TextScore]) -> _Found | None:
    standard, hard = (_rank(_choose(texts, split)) for split in ("standard", "hard"))
    if standard is None or hard is None:
        return None
    drop = subtract_independent(standard, hard)  # they share images, so the interval is too wide, if anything
    return _Found(f"pairs right, standard − hard {estimate_text(drop)}", drop.low > 0, drop.high < SMALL)


def _fails_on_odd(texts: Sequence[tables.TextScore]) -> _Found | None:
    share = _rank(_choose(texts, "interpolated"))
    if share is None:
        return None
    return _Found(f"pairs right {estimate_text(share)}", share.high < CHANCE, share.low >= CHANCE)


def _names_small(rows: Sequence[tables.NamedNumber]) -> _Found | None:
    chosen, shares = _choose_numbers(rows), []
    for numbers in (_SMALL_NUMBERS, _LARGER_NUMBERS):
        own = [one for one in chosen if one.item.factors["number"] in numbers]
        if not own:
            return None
        is_right = [float(one.said == one.item.factors["number"]) for one in own]
        shares += estimate(is_right, tables.images_of(own))
    drop = subtract_independent(*shares)
    return _Found(f"0 to 2 − 5 to 20 {estimate_text(drop)}", drop.low > 0, drop.high < SMALL)


def _says_two(rows: Sequence[tables.NamedNumber]) -> _Found | None:
    chosen = _choose_numbers(rows)
    wrong = [one for one in chosen if one.said != one.item.factors["number"]]
    found = measure_said(
        [one.said for one in chosen], [int(one.item.factors["number"]) for one in chosen], tables.images_of(chosen)
    )
    if not found:
        return None
    first = next(iter(found))
    finding = f"of wrong numbers {estimate_text(found[first])} are {first}"
    (unnamed,) = estimate([0.0] * len(wrong), tables.images_of(wrong))  # also of any number that nobody named
    two = found.pop(_TWO, unnamed)
    is_most = all(two.low > share.high for share in (unnamed, *found.values()))
    return _Found(finding, is_most, any(share.low > two.high for share in found.values()))
