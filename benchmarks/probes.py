"""Measures of probes with intervals clustered by image, and statements, beside a script that goes row by row."""

import math
import random
import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from benchmarks.comparing import Comparison, compare_rates
from subitize.papers.seeing_past_words import statement
from subitize.papers.seeing_past_words.measures import make_pairs, measure_pairs

FOILS = 3
_NOUNS = ("dogs", "red cars", "people", "zebras", "windows", "buses", "giraffes", "tennis rackets")
_TAILS = ("are there?", "are in the picture?", "can you see?", "do you see on the left?", "have stripes?", "?")


def measure(*, is_tiny: bool = False) -> Iterator[Comparison]:
    """Measure 100,000 pairs of 25,000 probes, and write as many statements."""
    probes, pairs = (50, 1) if is_tiny else (25_000, 7)
    rng = random.Random(3)
    rows = [
        (place, place // 2, turn == 0, rng.random() + 0.1 * (turn == 0))
        for place in range(probes)
        for turn in range(FOILS + 1)
    ]
    columns = [np.array(column) for column in zip(*rows, strict=True)]
    yield compare_rates(
        f"measures of {len(rows):,} pairs with clustered intervals, as a share of a script per row",
        lambda: measure_pairs(make_pairs(columns[3], columns[2], columns[0], columns[1])),
        lambda: script(rows),
        aim=">= 5",
        pairs=pairs,
    )
    questions = [f"How many {rng.choice(_NOUNS)} of row {row} {rng.choice(_TAILS)}" for row in range(probes)]
    asked = [(question, rng.randrange(20)) for question in questions for _ in range(FOILS + 1)]
    yield compare_rates(
        f"{len(asked):,} statements by the paper's templates, as a share of a script per row",
        lambda: [statement(question, number) for question, number in asked],
        lambda: [write(question, number) for question, number in asked],
        aim=">= 1",
        pairs=pairs,
    )


Row = tuple[int, int, bool, float]


def script(rows: Sequence[Row]) -> dict[str, tuple[float, float, float]]:
    """Measure as one would by hand: value and ends of a 95 % interval from sums of residuals by image."""
    right = {probe: score for probe, _, is_right, score in rows if is_right}
    values: dict[str, list[tuple[float, int]]] = defaultdict(list)
    for probe, image, is_right, score in rows:
        accepts = score > 0.5
        hit = float(accepts == is_right)
        values["accuracy"].append((hit, image))
        values["recall right" if is_right else "recall foiled"].append((hit, image))
        values["precision right" if accepts else "precision foiled"].append((hit, image))
        if not is_right:
            margin = right[probe] - score
            for name, tie in (("half", 0.5), ("win", 1.0), ("lose", 0.0)):
                values[f"pairwise, ties {name}"].append((tie if margin == 0 else float(margin > 0), image))
    values["auroc"] = list(area(rows))
    found = {name: interval(own) for name, own in values.items()}
    recalls = found["recall right"], found["recall foiled"]
    share = len(right) / len(rows)
    balanced = [
        (0.5 * float((score > 0.5) == is_right) / (share if is_right else 1 - share), image)
        for _, image, is_right, score in rows
    ]
    return {**found, "balanced": interval(balanced), "least": min(recalls)}


def area(rows: Sequence[Row]) -> Iterator[tuple[float, int]]:
    """Give each row's part in the area under the ROC curve."""
    sides = {side: sorted(score for *_, is_right, score in rows if is_right == side) for side in (True, False)}
    shares = []
    for *_, is_right, score in rows:
        others = sides[not is_right]
        below = (bisect_left(others, score) + bisect_right(others, score)) / (2 * len(others))
        shares.append(below if is_right else 1 - below)
    whole = sum(share for share, row in zip(shares, rows, strict=True) if row[2]) / len(sides[True])
    for share, (_, image, is_right, _) in zip(shares, rows, strict=True):
        yield whole + (share - whole) * len(rows) / len(sides[is_right]), image


def interval(values: Sequence[tuple[float, int]]) -> tuple[float, float, float]:
    """Compute a mean and the ends of its interval, clustered by image."""
    mean = sum(value for value, _ in values) / len(values)
    sums: dict[int, float] = defaultdict(float)
    for value, image in values:
        sums[image] += value - mean
    groups = len(sums)
    error = math.sqrt(sum(one**2 for one in sums.values()) * groups / max(groups - 1, 1)) / len(values)
    return mean, mean - 1.96 * error, mean + 1.96 * error


def write(question: str, number: int) -> str | None:
    """Write a statement as a script would, template after template, keys as whole words."""
    rest = re.sub(r"\?", "", question.split("How many", 1)[1])
    if re.search(r" are there\b", rest):
        text = f"There are {number}" + re.sub(r" are there\b", "", rest, count=1)
    elif re.search(r" can you see\b", rest):
        text = re.sub(" +", " ", f"You see {number}" + re.sub(r"can you see\b", "", rest, count=1))
    elif re.search(r" do you see\b", rest):
        text = f"There are {number}" + re.sub(r" do you see\b", "", rest, count=1)
    elif " are " in rest:
        text = f"There are {number}" + rest.replace(" are ", " ")
    elif " can " in rest or (" have " in rest and " do " not in rest and " does " not in rest):
        text = f"{number}{rest}"
    elif found := re.match(r"(.*?) do (.*\bhave\b.*)", rest):
        text = f"{found[2][:1].upper()}{found[2][1:]} {number}{found[1]}"
    elif found := re.match(r"(.*?) does (.*?) have\b(.*)", rest):
        text = f"{found[2][:1].upper()}{found[2][1:]} has {number}{found[1]}{found[3]}"
    elif re.search(" (is|will|does|has) ", rest):
        return None
    else:
        text = f"There are {number}{rest}"
    if number == 1:
        words = text.replace("There are ", "There is ").split(" ")
        if len(words) > 3:
            words[3] = {"people": "person", "men": "man", "women": "woman"}.get(words[3], words[3])
            words[3] = words[3] if words[3] == "has" else words[3].removesuffix("s")
        text = " ".join(words)
    return f"{text}."
