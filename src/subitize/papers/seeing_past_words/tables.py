"""Tables 1 to 5 from what models did with the probes, next to the printed figures and the success of guessing.

Each is computed on the test data, and on validation and test data together: the paper has both, and does not always say
which. Shares are in percent. Source of the printed figures (published.csv): Parcalabescu, Gatt, Frank and Calixto
(2021), Seeing past words: Tables 1 to 7, and what section 4.2.2 says about wrong answers. Rows 8-10 and 10-20 of Table
7 are named by what they count."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import fmean
from typing import NamedTuple, TypeVar

import numpy as np
import polars as pl

from subitize.analysis import published
from subitize.analysis.frame import ReadOptions, RunFrame, find_one_judge, read_frame
from subitize.analysis.papers import Tabulated
from subitize.errors import NothingToDoError
from subitize.frame import NO_JUDGE
from subitize.io.frames import group_rows
from subitize.labels.interpretation import read_probability
from subitize.language.numbers import name_number
from subitize.papers.seeing_past_words import PAPER, measures
from subitize.papers.seeing_past_words.suite import RIGHT
from subitize.records import Answer, Estimate, Filed, Fill, Item, Match, Scored
from subitize.registry import TRAINED_ON
from subitize.stats.estimate import estimate, subtract_independent
from subitize.store import Run

BLIND = " (blind)"
"""The suffix of models that were shown other images."""
PRINTED = published.read_published(Path(__file__).with_name("published.csv"))
"""Every printed cell, by place; shares are in percent."""


class PrintedRow(NamedTuple):
    """A row of a table: its labels, data and model, under the paper's name if it has one.

    Nothing is printed for other than the released data.
    """

    table: str
    of: tuple[str, ...]
    data: str = ""
    model: str = ""
    is_printed: bool = True

    def compare(self, column: str, figure: Estimate | float | str, *, method: str = "") -> published.ComparedCell:
        """Compare a figure with the printed one; shares are in percent, counts as they are."""
        place = published.CellId(_join(", ", self.table, self.data), _join(" · ", self.model, *self.of), column)
        is_rank = column.startswith("mean_rank")
        is_share = isinstance(figure, Estimate) and not is_rank
        if isinstance(figure, Estimate):
            cell = published.make_cell(place, figure, scale=1 if is_rank else 100)
        else:
            cell = published.Cell(place, figure)
        cell = replace(cell, method=method or cell.method)
        return published.compare_cell(cell, self._find_printed(column), points=1.0 if is_share else float("inf"))

    def _find_printed(self, column: str) -> str | None:
        theirs = find_model(self.model) if self.model else ""
        if theirs is None or self.model.endswith(BLIND) or not self.is_printed:
            return None
        return PRINTED.get(published.CellId(self.table, _join(" · ", theirs, *self.of), column))


def find_model(name: str) -> str | None:
    """Match a model name or spec to a model of the paper, or return None."""
    plain = name.lower()
    if "vilbert" in plain:
        return "ViLBERT 12-in-1" if "12" in plain or "multi" in plain else "ViLBERT"
    return "LXMERT" if "lxmert" in plain else None


def _join(between: str, *parts: str) -> str:
    return between.join(filter(None, parts))


ALIGNMENT, COUNTING = "alignment-probe", "counting-probe"
MASKED, VQA = f"{COUNTING}-masked", f"{COUNTING}-vqa"
# Measures that need no threshold, and so apply to similarities, too.
_RANKED = (*measures.PAIRWISE.values(), "tied_pairs", "auroc")


class TextScore(NamedTuple):
    """How well a text fits, and whether that is a probability: similarities neither accept nor reject."""

    model: str
    item: Item
    score: float
    is_probability: bool


class NamedNumber(NamedTuple):
    """The number answered, if any, or the most likely one in a gap; there, also the rank of the right one."""

    model: str
    item: Item
    said: float | None
    rank: float = 0.0
    """From 1 on; 0 for an answer."""


RowT = TypeVar("RowT", TextScore, NamedNumber)


@dataclass(frozen=True, slots=True)
class Probed:
    """Everything models did with the probes; `corpora` are their declared training data."""

    texts: Sequence[TextScore] = ()
    gaps: Sequence[NamedNumber] = ()
    answers: Sequence[NamedNumber] = ()
    corpora: Mapping[str, frozenset[str]] = field(default_factory=dict)
    warnings: Sequence[str] = ()

    def rename(self, names: Mapping[str, str]) -> "Probed":
        """Replace the specs of models by names."""

        def named(rows: Sequence[RowT]) -> list[RowT]:
            return [one._replace(model=_rename(one.model, names)) for one in rows]

        corpora = {_rename(model, names): own for model, own in self.corpora.items()}
        return Probed(named(self.texts), named(self.gaps), named(self.answers), corpora, self.warnings)

    def is_finetuned(self, model: str) -> bool:
        """Return whether a model is declared to be finetuned on the counting probe."""
        return COUNTING in self.corpora.get(model.removesuffix(BLIND), ())


def read_probed(run: Run, judge: str | None, survey: RunFrame | None = None) -> Probed:
    """Read a run's results on the probes; answers are those read by its only judge or the one named.

    They are taken from `survey`, if the run has been read already, as its options say.
    """
    excluded = run.exclusions()
    items = {item.id: item for suite in PAPER.suites for item in run.items(suite) if item.id not in excluded}
    if not items:
        raise NothingToDoError(
            f"{run.location} has no probes; first: subitize run {COUNTING}:FILE --model MODEL --out RUN"
        )
    texts: dict[tuple[str, str], list[TextScore]] = defaultdict(list)
    gaps: list[NamedNumber] = []
    lacking: Counter[str] = Counter()
    for one in run.responses():
        item, outcome = items.get(one.item_id), one.response.outcome
        if item is None or item.suite == VQA:
            continue
        if not isinstance(outcome, Scored) or (item.suite != MASKED and "match" not in outcome.scores):
            lacking[one.model] += 1
        elif item.suite == MASKED:
            number = int(item.factors["number"])
            rank, said = measures.rank_number(outcome.scores, number), name_number(outcome.scores)
            gaps.append(NamedNumber(_label(one.model, item), item, said, rank))
        else:
            texts[one.model, item.id].append(_read_score(_label(one.model, item), item, outcome.scores))
    corpora = {
        entry.spec: frozenset(entry.options[TRAINED_ON].split("+"))
        for entry in run.models()
        if TRAINED_ON in entry.options
    }
    names = run.model_names()
    reason = "texts have no score, and are in no figure"
    warnings = [f"{names[model]}: {count:,} {reason}" for model, count in lacking.items()]
    has_answers = any(item.suite == VQA for item in items.values())
    answers = list(_read_answers(run, items, judge, survey)) if has_answers else []
    averages = [own[0]._replace(score=fmean(one.score for one in own)) for own in texts.values()]
    return Probed(averages, gaps, answers, corpora, warnings)


def _rename(label: str, names: Mapping[str, str]) -> str:
    spec = label.removesuffix(BLIND)
    return names.get(spec, spec) + label.removeprefix(spec)


def _label(model: str, item: Item) -> str:
    """Name a model, and mark it if it was shown another image than the probe's own."""
    match item.task:
        case Answer(picture=picture) | Match(picture=picture) | Fill(picture=picture):
            shown = picture.path if isinstance(picture, Filed) else getattr(picture, "name", "")
            is_blind = Path(shown).name != Path(str(item.factors["image"])).name
            return f"{model}{BLIND}" if is_blind else model
    return model


def _read_score(model: str, item: Item, scores: Mapping[str, float]) -> TextScore:
    """Return the probability of a match, or else the similarity."""
    probability = read_probability(scores)
    is_probability = probability is not None
    return TextScore(model, item, scores["match"] if probability is None else probability, is_probability)


def _read_answers(
    run: Run, items: Mapping[str, Item], judge: str | None, survey: RunFrame | None
) -> Iterator[NamedNumber]:
    seen = survey or read_frame(run, ReadOptions(judge))
    rows = seen.observations.kept().rows.filter(pl.col("suite") == VQA)
    if judge is not None:
        rows = rows.filter(pl.col("judge").is_in([judge, NO_JUDGE]))
    find_one_judge(run, rows, VQA)
    for model, id, value in rows.select("model", "item", "value").iter_rows():
        yield NamedNumber(_label(model, items[id]), items[id], value)


def images_of(rows: Iterable[TextScore | NamedNumber]) -> list[str]:
    """List the images of rows, which are their clusters."""
    return [str(one.item.factors["image"]) for one in rows]


def measure_texts(texts: Sequence[TextScore]) -> dict[str, Estimate]:
    """Measure scores of texts; of similarities only what needs no threshold."""
    if not texts:
        return {}
    found = measures.measure_pairs(make_text_pairs(texts))
    is_known = all(one.is_probability for one in texts)
    return found if is_known else {name: found[name] for name in _RANKED if name in found}


def make_text_pairs(texts: Sequence[TextScore]) -> measures.ScoredTexts:
    """Put scores of texts into columns."""
    return measures.make_pairs(
        [one.score for one in texts],
        [one.item.factors["caption"] == RIGHT for one in texts],
        [one.item.id.rpartition("/")[0] for one in texts],  # without the number, or "right" and "foil"
        images_of(texts),
    )


def numbers_of_texts(texts: Sequence[TextScore]) -> measures.ScoredTexts:
    """Put texts into columns with their numbers, to guess by them."""
    numbers = np.array([one.item.factors["shown"] for one in texts], np.int64)
    return replace(make_text_pairs(texts), numbers=numbers)


Columns = Mapping[str, tuple[str, str]]
"""For each column of a table: the measure, and the paper's method where the name does not say it."""
_RECALLS: Columns = {
    "acc": ("accuracy", ""),
    "p_c": ("recall_right", f"{published.AS_THE_PAPER}: the recall of right texts"),
    "p_f": ("recall_foiled", f"{published.AS_THE_PAPER}: the recall of foils"),
}
_RANKING: Columns = {"acc_r": ("pairwise_accuracy_ties_win", f"{published.AS_THE_PAPER}: ties win")}
_PRECISIONS: Columns = {
    "acc": ("accuracy", ""),
    "p_c": ("precision_right", f"{published.AS_THE_PAPER}: the precision of accepting"),
    "p_f": ("precision_foiled", f"{published.AS_THE_PAPER}: the precision of rejecting"),
}
_BALANCED: Columns = {"acc": ("balanced_accuracy", f"{published.AS_THE_PAPER}: the mean of p_c and p_f, for LXMERT")}
_MOST_SAID = 5
_LARGEST_ALONE = 13  # the last number of Tables 4 and 5


def table_1(probed: Probed) -> Iterator[published.ComparedCell]:
    """Image–text alignment, by the source of the captions."""
    texts = [one for one in probed.texts if one.item.suite == ALIGNMENT]
    for (model, source), own in group_rows(texts, lambda one: (one.model, str(one.item.factors["source"]))).items():
        row = PrintedRow("table1", (source,), model=model)
        yield row.compare("zero_shot", _describe_zero_shot(probed, model, source))
        yield from _compare(row, measure_texts(own), _RECALLS)


def table_2_and_3(probed: Probed) -> Iterator[published.ComparedCell]:
    """Counting as alignment: without finetuning, and for models declared to be finetuned on the probe."""
    for (split, data), chosen in by_split(take_counting(probed)).items():
        for (model, form), own in group_rows(chosen, name_condition).items():
            is_tuned = probed.is_finetuned(model)
            row = PrintedRow("table3" if is_tuned else "table2", (split, form), data, model)
            yield row.compare("zero_shot", _describe_zero_shot(probed, model, "visual7w"))
            columns = _PRECISIONS if is_tuned else {**_RECALLS, **(_BALANCED if find_model(model) == "LXMERT" else {})}
            yield from _compare(row, measure_texts(own), {**columns, **_RANKING})


def _compare(row: PrintedRow, found: Mapping[str, Estimate], columns: Columns) -> Iterator[published.ComparedCell]:
    """Yield the paper's columns, then every measure under its own name."""
    for column, (measure, method) in columns.items():
        if measure in found:
            yield row.compare(column, found[measure], method=method)
    yield from (row.compare(name, estimate) for name, estimate in found.items())


def _describe_zero_shot(probed: Probed, model: str, corpus: str) -> str:
    corpora = probed.corpora.get(model.removesuffix(BLIND))
    return "undeclared" if corpora is None else "no" if {corpus, COUNTING} & corpora else "yes"


def table_4(probed: Probed) -> Iterator[published.ComparedCell]:
    """Counting as masked language modelling, by number, with the wrong numbers named."""
    for (split, data), chosen in by_split(probed.gaps).items():
        for (model, mask), own in group_rows(chosen, lambda one: (one.model, str(one.item.factors["mask"]))).items():
            where, is_faithful = f"{mask}, {data}", mask == "faithful"
            for number, some in _by_number(own).items():
                row = PrintedRow("table4", (number,), where, model, is_faithful)
                found = measures.measure_ranks([one.rank for one in some], images_of(some))
                yield from (row.compare(f"{name} {split}", estimate) for name, estimate in found.items())
            yield from _said_instead(own, PrintedRow("said_instead", (split,), where, model, is_faithful))


def table_5(probed: Probed) -> Iterator[published.ComparedCell]:
    """Counting as visual question answering, by number, with the wrong numbers named."""
    for (split, data), chosen in by_split(probed.answers).items():
        for model, own in group_rows(chosen, lambda one: one.model).items():
            for number, some in _by_number(own).items():
                is_right = [float(one.said == one.item.factors["number"]) for one in some]
                (accuracy,) = estimate(is_right, images_of(some))
                yield PrintedRow("table5", (number,), data, model).compare(f"accuracy {split}", accuracy)
            yield from _said_instead(
                own, PrintedRow("said_instead", (split,), f"questions, {data}", model, is_printed=False)
            )


def _said_instead(own: Sequence[NamedNumber], row: PrintedRow) -> Iterator[published.ComparedCell]:
    answers = [int(one.item.factors["number"]) for one in own]
    found = measures.measure_said([one.said for one in own], answers, images_of(own))
    for number, share in list(found.items())[:_MOST_SAID]:
        yield row.compare(str(number), share)


def guessing(probed: Probed) -> Iterator[published.ComparedCell]:
    """The success of guessing on the same probes, which is the same for every model and format."""
    for (split, data), chosen in by_split(take_counting(probed)).items():
        texts = next(iter(group_rows(chosen, name_condition).values()))
        for name, found in measures.measure_baselines(numbers_of_texts(texts)).items():
            row = PrintedRow("guessing", (name,), f"{split}, {data}")
            yield from (row.compare(measure, estimate) for measure, estimate in found.items())


def by_number(probed: Probed) -> Iterator[published.ComparedCell]:
    """Counting as alignment by the right number, and the gain of even numbers over odd ones (ours)."""
    for (split, data), chosen in by_split(take_counting(probed)).items():
        for (model, form), own in group_rows(chosen, name_condition).items():
            for number, some in _by_number(own).items():
                found = measure_texts(some)
                row = PrintedRow("by_number", (split, form, number), data, model)
                for name in ("recall_right", "recall_foiled", "pairwise_accuracy"):
                    if name in found:
                        yield row.compare(name, found[name])
            yield from _compare_parity(own, PrintedRow("parity", (split, form), data, model))


def _compare_parity(texts: Sequence[TextScore], row: PrintedRow) -> Iterator[published.ComparedCell]:
    found = {}
    for name, rest in (("even", 0), ("odd", 1)):
        own = [one for one in texts if int(one.item.factors["number"]) % 2 == rest]
        estimate = measure_texts(own).get("pairwise_accuracy") if own else None
        if estimate is not None:
            found[name] = estimate
            yield row.compare(f"pairwise_accuracy {name}", estimate)
    if len(found) > 1:
        yield row.compare("even − odd", subtract_independent(found["even"], found["odd"]))


def take_counting(probed: Probed) -> list[TextScore]:
    """Return the texts of the counting probe."""
    return [one for one in probed.texts if one.item.suite == COUNTING]


def by_split(rows: Sequence[RowT]) -> dict[tuple[str, str], list[RowT]]:
    """Group rows by split: test data, validation and test data together, or whatever part there is."""
    found: dict[tuple[str, str], list[RowT]] = {}
    for split, own in group_rows(rows, lambda one: str(one.item.factors["split"])).items():
        parts = group_rows(own, lambda one: str(one.item.factors["part"]))
        if {"validation", "test"} <= parts.keys():
            parts["validation + test"] = parts.pop("validation") + parts["test"]
        found |= {(split, data): of_part for data, of_part in parts.items()}
    return found


def _by_number(rows: Sequence[RowT]) -> dict[str, list[RowT]]:
    """Group rows: all, each number in the paper's tables, and the bins of larger ones."""
    found = {"overall": list(rows)}
    single = group_rows(rows, lambda one: int(one.item.factors["number"]))
    found |= {str(number): single[number] for number in sorted(single) if number <= _LARGEST_ALONE}
    binned = group_rows(rows, lambda one: measures.bin_number(int(one.item.factors["number"])))
    return found | {name: binned[name] for name in measures.BINS.values() if name in binned and not name.isdecimal()}


def name_condition(one: TextScore) -> tuple[str, str]:
    """Return the model and the format."""
    return one.model, str(one.item.factors["format"])


def tabulate_run(run: Run, judge: str | None, *, extensions: bool) -> Tabulated:
    """Compute the tables of the probes in a run."""
    probed = read_probed(run, judge)
    found = [
        *table_1(probed),
        *table_2_and_3(probed),
        *table_4(probed),
        *table_5(probed),
        *guessing(probed),
    ]
    if extensions:
        found += by_number(probed)
    from subitize.papers.seeing_past_words.claims import claims  # they take scores from here

    named = probed.rename(run.model_names())
    return Tabulated(found, warnings=probed.warnings, claims=lambda: claims(named))
