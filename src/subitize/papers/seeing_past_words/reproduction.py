"""Tables 6 and 7, which describe files of probes, and the success of guessing: what the released files give."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from subitize.analysis.papers import Tabulated
from subitize.analysis.published import ComparedCell
from subitize.errors import BadFileError, BadValueError
from subitize.papers.seeing_past_words.build import Recipe, build_probes
from subitize.papers.seeing_past_words.measures import BINS, bin_number, measure_baselines, numbers_of_probes
from subitize.papers.seeing_past_words.probes import PARTS, Probe, read_records
from subitize.papers.seeing_past_words.tables import PrintedRow
from subitize.stats.estimate import estimate

SLIPS: tuple[str, ...] = (
    "Table 6 prints 6239 as the total of hard, train: its parts add up to 6155",
    "Table 7 prints 19 for two in standard, test, a misprint: its column adds up to 90",
    "Table 1 prints 67.9 as the accuracy of LXMERT on gcc: the mean of its parts is 64.9",
    "Table 2's accuracies of LXMERT are means of p_c and p_f; those of ViLBERT weigh foils three to one",
    "p_c and p_f are recalls in Tables 1 and 2, and precisions in Table 3",
)
Sets = dict[tuple[str, str], Sequence[Probe]]
"""Probes by split and part."""


def describe_file(path: Path) -> list[ComparedCell]:
    """Describe a file of probes, whatever their source."""
    return list(_describe(read_records(path, Probe), is_released=False))


def reproduce(folder: Path | None, *, extensions: bool) -> Tabulated:
    """Compute Tables 6 and 7 of the released files in a folder, and the success of guessing."""
    if folder is None or extensions:
        raise BadValueError("needs the folder of the released visual7w_counting_*_split.*.json, and has no extensions")
    files = sorted(folder.glob("visual7w_counting_*.json"))
    if not files:
        raise BadFileError(f"{folder} has no visual7w_counting_*_split.*.json; name the folder of the release")
    probes = build_probes(files, Recipe()).probes
    return Tabulated(list(_describe(probes, is_released=True)), warnings=SLIPS)


def _describe(probes: Sequence[Probe], *, is_released: bool) -> Iterator[ComparedCell]:
    sets: Sets = {}
    for split in dict.fromkeys(probe.split for probe in probes):
        for part in dict.fromkeys([*PARTS, *(probe.part for probe in probes)]):
            own = [probe for probe in probes if (probe.split, probe.part) == (split, part)]
            if own:
                sets[split, part] = own
    for count in (_count_texts, _count_answers):
        yield from count(sets, is_released=is_released)
    yield from _describe_foils(sets)
    yield from _guess(sets)


def _count_texts(sets: Sets, *, is_released: bool) -> Iterator[ComparedCell]:
    """Table 6, and the number of invalid foils."""
    for of, own in sets.items():
        row = PrintedRow("table6", of, is_printed=is_released)
        foiled = sum(len(probe.foils) for probe in own)
        counts = {"correct": len(own), "foiled": foiled, "total": len(own) + foiled}
        counts |= {"invalid foils": sum(probe.count_invalid() for probe in own)}
        counts |= {"without a valid foil": sum(len(probe.foils) == probe.count_invalid() for probe in own)}
        yield from (row.compare(column, float(count)) for column, count in counts.items())


def _count_answers(sets: Sets, *, is_released: bool) -> Iterator[ComparedCell]:
    """Table 7: frequencies of answers."""
    for name in BINS.values():
        for of, own in sets.items():
            is_there = [float(bin_number(probe.answer) == name) for probe in own]
            (share,) = estimate(is_there, [probe.image for probe in own])
            yield PrintedRow("table7", (name,), is_printed=is_released).compare(" · ".join(of), share)


def _describe_foils(sets: Sets) -> Iterator[ComparedCell]:
    """Compute the shares of valid foils above their answer, and of even numbers."""
    for of, own in sets.items():
        row = PrintedRow("foils", of)
        foils = [(one.number, probe) for probe in own for one in probe.candidates() if not one.is_right]
        images = [probe.image for _, probe in foils]
        if foils:
            above = [float(foil > probe.answer) for foil, probe in foils]
            yield row.compare("above the answer", estimate(above, images)[0])
            yield row.compare("even foils", estimate([float(foil % 2 == 0) for foil, _ in foils], images)[0])
        is_even = [float(probe.answer % 2 == 0) for probe in own]
        yield row.compare("even answers", estimate(is_even, [probe.image for probe in own])[0])
        common, times = Counter(probe.answer for probe in own).most_common(1)[0]
        yield row.compare("most frequent answer", f"{common} ({times:,} of {len(own):,})")


def _guess(sets: Sets) -> Iterator[ComparedCell]:
    """Measure guessing, with all foils as given; what is learnt is learnt from training data."""
    for (split, part), own in sets.items():
        these = numbers_of_probes(own)
        training = sets.get((split, "train"))
        learnt = None if part == "train" or training is None else numbers_of_probes(training)
        for name, found in measure_baselines(these, learnt).items():
            row = PrintedRow("guessing", (name,), f"{split} · {part}")
            yield from (row.compare(measure, estimate) for measure, estimate in found.items())
