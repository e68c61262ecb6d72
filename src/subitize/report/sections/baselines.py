"""Observers whose law is known, on each set of numbers that models were given."""

from collections.abc import Iterable, Sequence

from subitize.analysis.enumeration import Baseline, baselines


def name_baselines(given: Iterable[Sequence[int]]) -> list[tuple[str, Baseline]]:
    """Give a pair of baselines for each distinct set of numbers, named with its range where there are several."""
    sets = sorted({tuple(sorted(set(numbers))) for numbers in given})
    return [
        (one.name + f", {write_range(numbers)}" * (len(sets) > 1), one)
        for numbers in sets
        for one in baselines(numbers)
    ]


def write_range(numbers: Sequence[int]) -> str:
    """Write sorted numbers in short: those that follow each other as 1–10."""
    spans: list[list[int]] = []
    for number in numbers:
        if spans and number == spans[-1][-1] + 1:
            spans[-1].append(number)
        else:
            spans.append([number])
    return ", ".join(str(span[0]) if len(span) == 1 else f"{span[0]}–{span[-1]}" for span in spans)
