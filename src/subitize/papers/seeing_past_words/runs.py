"""What a run has of the probes: scores of texts, numbers in gaps, and answers, each with its item."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import NamedTuple, TypeVar

import numpy as np
import polars as pl

from subitize.analysis.frame import ReadOptions, find_one_judge, read_frame
from subitize.errors import NothingToDoError
from subitize.labels.interpretation import read_probability
from subitize.language.numbers import name_number
from subitize.papers.seeing_past_words import PAPER
from subitize.papers.seeing_past_words.baselines import Numbers
from subitize.papers.seeing_past_words.metrics import (
    PAIRWISE,
    Pairs,
    make_pairs,
    measure_pairs,
    rank_number,
)
from subitize.papers.seeing_past_words.published import BLIND
from subitize.papers.seeing_past_words.suites import RIGHT
from subitize.records import Answer, Estimate, Filed, Fill, Item, Match, Scored
from subitize.registry import TRAINED_ON
from subitize.store import Run

ALIGNMENT, COUNTING = "alignment-probe", "counting-probe"
MASKED, VQA = f"{COUNTING}-masked", f"{COUNTING}-vqa"
# What needs no threshold can be said of similarities, too.
_RANKED = (*PAIRWISE.values(), "tied_pairs", "auroc")


class TextScore(NamedTuple):
    """How well a text fits, and whether that is a probability: a similarity accepts or rejects nothing."""

    model: str
    item: Item
    score: float
    is_probability: bool


class Filled(NamedTuple):
    """The rank of the right number among the numerals in a gap, and the number that is most likely."""

    model: str
    item: Item
    rank: float
    said: int | None


class Answered(NamedTuple):
    """The number that was answered, if any."""

    model: str
    item: Item
    said: float | None


RowT = TypeVar("RowT", TextScore, Filled, Answered)


@dataclass(frozen=True, slots=True)
class Probed:
    """Everything that models did with the probes; `corpora` are what they were trained on, as far as it is declared."""

    texts: Sequence[TextScore] = ()
    gaps: Sequence[Filled] = ()
    answers: Sequence[Answered] = ()
    corpora: Mapping[str, frozenset[str]] = field(default_factory=dict)
    warnings: Sequence[str] = ()

    def rename(self, names: Mapping[str, str]) -> "Probed":
        """Put the names of models in the place of their specs."""

        def named(rows: Sequence[RowT]) -> list[RowT]:
            return [one._replace(model=_rename(one.model, names)) for one in rows]

        corpora = {_rename(model, names): own for model, own in self.corpora.items()}
        return Probed(named(self.texts), named(self.gaps), named(self.answers), corpora, self.warnings)

    def is_finetuned(self, model: str) -> bool:
        """Tell whether a model is declared to be finetuned on the counting probe."""
        return COUNTING in self.corpora.get(model.removesuffix(BLIND), ())


def read_probed(run: Run, judge: str | None) -> Probed:
    """Read what a run has of the probes; answers are those that the one judge that there is read, or the one named."""
    excluded = run.exclusions()
    items = {item.id: item for suite in PAPER.suites for item in run.items(suite) if item.id not in excluded}
    if not items:
        raise NothingToDoError(
            f"{run.location} has no probes; first: subitize run {COUNTING}:FILE --model MODEL --out RUN"
        )
    texts: dict[tuple[str, str], list[TextScore]] = defaultdict(list)
    gaps: list[Filled] = []
    lacking: Counter[str] = Counter()
    for one in run.responses():
        item, outcome = items.get(one.item_id), one.response.outcome
        if item is None or item.suite == VQA:
            continue
        if not isinstance(outcome, Scored) or (item.suite != MASKED and "match" not in outcome.scores):
            lacking[one.model] += 1
        elif item.suite == MASKED:
            number = int(item.factors["number"])
            rank, said = rank_number(outcome.scores, number), name_number(outcome.scores)
            gaps.append(Filled(_label(one.model, item), item, rank, said))
        else:
            texts[one.model, item.id].append(_read_score(_label(one.model, item), item, outcome.scores))
    corpora = {
        entry.spec: frozenset(entry.options[TRAINED_ON].split("+"))
        for entry in run.models()
        if TRAINED_ON in entry.options
    }
    names = run.model_names()
    told = "texts have no score, and are in no figure"
    warnings = [f"{names[model]}: {count:,} {told}" for model, count in lacking.items()]
    has_answers = any(item.suite == VQA for item in items.values())
    answers = list(_read_answers(run, items, judge)) if has_answers else []
    averages = [own[0]._replace(score=fmean(one.score for one in own)) for own in texts.values()]
    return Probed(averages, gaps, answers, corpora, warnings)


def _rename(label: str, names: Mapping[str, str]) -> str:
    spec = label.removesuffix(BLIND)
    return names.get(spec, spec) + label.removeprefix(spec)


def _label(model: str, item: Item) -> str:
    """Name a model, and say if it was shown another image than the probe's own."""
    match item.task:
        case Answer(picture=picture) | Match(picture=picture) | Fill(picture=picture):
            shown = picture.path if isinstance(picture, Filed) else getattr(picture, "name", "")
            is_blind = Path(shown).name != Path(str(item.factors["image"])).name
            return f"{model}{BLIND}" if is_blind else model
    return model


def _read_score(model: str, item: Item, scores: Mapping[str, float]) -> TextScore:
    """Take the probability of a match, or else the similarity."""
    probability = read_probability(scores)
    is_probability = probability is not None
    return TextScore(model, item, scores["match"] if probability is None else probability, is_probability)


def _read_answers(run: Run, items: Mapping[str, Item], judge: str | None) -> Iterator[Answered]:
    rows = read_frame(run, ReadOptions(judge)).observations.kept().rows.filter(pl.col("suite") == VQA)
    find_one_judge(run, rows, VQA)
    for model, id, value in rows.select("model", "item", "value").iter_rows():
        yield Answered(_label(model, items[id]), items[id], value)


def images_of(rows: Iterable[TextScore | Filled | Answered]) -> list[str]:
    """Name the images that rows are about, which are their clusters."""
    return [str(one.item.factors["image"]) for one in rows]


def measure_texts(texts: Sequence[TextScore]) -> dict[str, Estimate]:
    """Measure scores of texts; of similarities only what needs no threshold."""
    if not texts:
        return {}
    found = measure_pairs(make_text_pairs(texts))
    is_known = all(one.is_probability for one in texts)
    return found if is_known else {name: found[name] for name in _RANKED if name in found}


def make_text_pairs(texts: Sequence[TextScore]) -> Pairs:
    """Lay scores of texts out in columns."""
    return make_pairs(
        [one.score for one in texts],
        [one.item.factors["caption"] == RIGHT for one in texts],
        [one.item.id.rpartition("/")[0] for one in texts],  # without the number, or right and foil
        images_of(texts),
    )


def lay_out_texts(texts: Sequence[TextScore]) -> Numbers:
    """Lay the numbers of texts out in columns, for whoever guesses by them."""
    pairs = make_text_pairs(texts)
    numbers = np.array([one.item.factors["shown"] for one in texts], np.int64)
    return Numbers(numbers, pairs.is_right, pairs.probes, pairs.images)
