"""Folders of images as Numbersense releases them, with the counts in their names; the files are empty."""

import os
import random
from collections.abc import Iterable
from pathlib import Path

CATEGORIES: tuple[str, ...] = ("apples", "people", "butterflies", "dots")


def touch(folder: Path, *names: str) -> Path:
    """Make empty files, and the folders they lie in."""
    paths = [os.path.join(folder, name) for name in names]
    for parent in {os.path.dirname(path) for path in paths}:
        os.makedirs(parent, exist_ok=True)
    for path in paths:  # there may be thousands, of which pathlib would take apart every one
        os.close(os.open(path, os.O_CREAT))
    return folder


def write_names(
    folder: Path,
    *,
    weber: float = 0.3,
    numbers: Iterable[int] = range(1, 11),
    images: int = 20,
    categories: Iterable[str] = CATEGORIES,
) -> Path:
    """Name the images of one model, which draws by a Weber fraction, in a folder per category."""
    chance = random.Random(f"{folder.name} {weber}")
    for category in categories:
        for number in numbers:
            drawn = [max(1, round(chance.gauss(number, weber * number))) for _ in range(images)]
            names = (f"{number}_{count}_{category}_{index}.png" for index, count in enumerate(drawn))
            touch(folder / category, *names)
    return folder
