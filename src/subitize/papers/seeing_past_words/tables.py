"""Tables 1 to 5 from what models did with the probes, beside what the paper prints, and what guessing gets there.

Each is computed on the test data, and on validation and test data together: the paper has both, and does not always
say which. Shares are in percent.
"""

from collections.abc import Iterator, Mapping, Sequence

from subitize.analysis.published import AS_THE_PAPER, ComparedCell
from subitize.interfaces import Tables
from subitize.io.frames import group_rows
from subitize.papers.seeing_past_words.baselines import measure_baselines
from subitize.papers.seeing_past_words.claims import observe
from subitize.papers.seeing_past_words.metrics import BINS, bin_number, measure_ranks, measure_said
from subitize.papers.seeing_past_words.published import BLIND, Row, find_model
from subitize.papers.seeing_past_words.runs import (
    ALIGNMENT,
    COUNTING,
    Answered,
    Filled,
    Probed,
    RowT,
    TextScore,
    images_of,
    lay_out_texts,
    measure_texts,
    read_probed,
)
from subitize.records import Estimate
from subitize.stats.estimate import estimate_share, subtract_independent
from subitize.store import Run

Columns = Mapping[str, tuple[str, str]]
"""A column of a table, the measure in it, and how the paper computes that, where it is not by its name."""
_RECALLS: Columns = {
    "acc": ("accuracy", ""),
    "p_c": ("recall_right", f"{AS_THE_PAPER}: the recall of right texts"),
    "p_f": ("recall_foiled", f"{AS_THE_PAPER}: the recall of foils"),
}
_RANKING: Columns = {"acc_r": ("pairwise_accuracy_ties_win", f"{AS_THE_PAPER}: ties win")}
_PRECISIONS: Columns = {
    "acc": ("accuracy", ""),
    "p_c": ("precision_right", f"{AS_THE_PAPER}: the precision of accepting"),
    "p_f": ("precision_foiled", f"{AS_THE_PAPER}: the precision of rejecting"),
}
_BALANCED: Columns = {"acc": ("balanced_accuracy", f"{AS_THE_PAPER}: the mean of p_c and p_f, for LXMERT")}
_MOST_SAID = 5
_LARGEST_ALONE = 13  # the last number of Tables 4 and 5


def tabulate_run(run: Run, judge: str | None, *, extensions: bool) -> Tables:
    """Compute the tables of the probes that a run has."""
    probed = read_probed(run, judge)
    found = [*table_1(probed), *table_2_and_3(probed), *table_4(probed), *table_5(probed), *guessing(probed)]
    if extensions:
        found += by_number(probed)
    named = probed.rename(run.model_names())
    return Tables(found, warnings=probed.warnings, claims=lambda: observe(named))


def table_1(probed: Probed) -> Iterator[ComparedCell]:
    """Image-sentence alignment, by the source of the captions."""
    texts = [one for one in probed.texts if one.item.suite == ALIGNMENT]
    for (model, source), own in group_rows(texts, lambda one: (one.model, str(one.item.factors["source"]))).items():
        row = Row("table1", (source,), model=model)
        yield row.compare("zero_shot", _tell_zero_shot(probed, model, source))
        yield from _compare(row, measure_texts(own), _RECALLS)


def table_2_and_3(probed: Probed) -> Iterator[ComparedCell]:
    """Counting as alignment: without finetuning, and for models that are declared to be finetuned on the probe."""
    for (split, data), chosen in by_split(take_counting(probed)).items():
        for (model, form), own in group_rows(chosen, name_condition).items():
            is_tuned = probed.is_finetuned(model)
            row = Row("table3" if is_tuned else "table2", (split, form), data, model)
            yield row.compare("zero_shot", _tell_zero_shot(probed, model, "visual7w"))
            columns = _PRECISIONS if is_tuned else {**_RECALLS, **(_BALANCED if find_model(model) == "LXMERT" else {})}
            yield from _compare(row, measure_texts(own), {**columns, **_RANKING})


def _compare(row: Row, found: Mapping[str, Estimate], columns: Columns) -> Iterator[ComparedCell]:
    """Give the paper's columns, then every measure under its own name."""
    for column, (measure, method) in columns.items():
        if measure in found:
            yield row.compare(column, found[measure], method=method)
    yield from (row.compare(name, estimate) for name, estimate in found.items())


def _tell_zero_shot(probed: Probed, model: str, corpus: str) -> str:
    corpora = probed.corpora.get(model.removesuffix(BLIND))
    return "undeclared" if corpora is None else "no" if {corpus, COUNTING} & corpora else "yes"


def table_4(probed: Probed) -> Iterator[ComparedCell]:
    """Counting as masked language modelling, by number; and what is said instead of the right one."""
    for (split, data), chosen in by_split(probed.gaps).items():
        for (model, mask), own in group_rows(chosen, lambda one: (one.model, str(one.item.factors["mask"]))).items():
            where, is_faithful = f"{mask}, {data}", mask == "faithful"
            for number, some in _by_number(own).items():
                row = Row("table4", (number,), where, model, is_faithful)
                found = measure_ranks([one.rank for one in some], images_of(some))
                yield from (row.compare(f"{name} {split}", estimate) for name, estimate in found.items())
            yield from _said_instead(own, Row("said_instead", (split,), where, model, is_faithful))


def table_5(probed: Probed) -> Iterator[ComparedCell]:
    """Counting as visual question answering, by number; and what is said instead of the right one."""
    for (split, data), chosen in by_split(probed.answers).items():
        for model, own in group_rows(chosen, lambda one: one.model).items():
            for number, some in _by_number(own).items():
                is_right = [float(one.said == one.item.factors["number"]) for one in some]
                accuracy = estimate_share(is_right, images_of(some))
                yield Row("table5", (number,), data, model).compare(f"accuracy {split}", accuracy)
            yield from _said_instead(own, Row("said_instead", (split,), f"questions, {data}", model, is_printed=False))


def _said_instead(own: Sequence[Filled] | Sequence[Answered], row: Row) -> Iterator[ComparedCell]:
    answers = [int(one.item.factors["number"]) for one in own]
    found = measure_said([one.said for one in own], answers, images_of(own))
    for number, share in list(found.items())[:_MOST_SAID]:
        yield row.compare(str(number), share)


def guessing(probed: Probed) -> Iterator[ComparedCell]:
    """What guessing gets on the same probes; which model and which format they come from makes no difference."""
    for (split, data), chosen in by_split(take_counting(probed)).items():
        texts = next(iter(group_rows(chosen, name_condition).values()))
        for name, measures in measure_baselines(lay_out_texts(texts)).items():
            row = Row("guessing", (name,), f"{split}, {data}")
            yield from (row.compare(measure, estimate) for measure, estimate in measures.items())


def by_number(probed: Probed) -> Iterator[ComparedCell]:
    """Counting as alignment by the right number, and how much better even numbers do than odd ones (ours)."""
    for (split, data), chosen in by_split(take_counting(probed)).items():
        for (model, form), own in group_rows(chosen, name_condition).items():
            for number, some in _by_number(own).items():
                found = measure_texts(some)
                row = Row("by_number", (split, form, number), data, model)
                for name in ("recall_right", "recall_foiled", "pairwise_accuracy"):
                    if name in found:
                        yield row.compare(name, found[name])
            yield from _compare_parity(own, Row("parity", (split, form), data, model))


def _compare_parity(texts: Sequence[TextScore], row: Row) -> Iterator[ComparedCell]:
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
    """Take the texts of the counting probe."""
    return [one for one in probed.texts if one.item.suite == COUNTING]


def by_split(rows: Sequence[RowT]) -> dict[tuple[str, str], list[RowT]]:
    """Take of each split the test data, validation and test data together, or whatever part there is."""
    found: dict[tuple[str, str], list[RowT]] = {}
    for split, own in group_rows(rows, lambda one: str(one.item.factors["split"])).items():
        parts = group_rows(own, lambda one: str(one.item.factors["part"]))
        if {"validation", "test"} <= parts.keys():
            parts["validation + test"] = parts.pop("validation") + parts["test"]
        found |= {(split, data): of_part for data, of_part in parts.items()}
    return found


def _by_number(rows: Sequence[RowT]) -> dict[str, list[RowT]]:
    """Take all, then each number that the paper's tables have, and the bins of larger ones."""
    found = {"overall": list(rows)}
    single = group_rows(rows, lambda one: int(one.item.factors["number"]))
    found |= {str(number): single[number] for number in sorted(single) if number <= _LARGEST_ALONE}
    binned = group_rows(rows, lambda one: bin_number(int(one.item.factors["number"])))
    return found | {name: binned[name] for name in BINS.values() if name in binned and not name.isdecimal()}


def name_condition(one: TextScore) -> tuple[str, str]:
    """Name the model and the format."""
    return one.model, str(one.item.factors["format"])
