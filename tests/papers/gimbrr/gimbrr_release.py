"""A small release in the format of GIMBRR's authors, made up by lot: prompts of ours, and a rating of each image."""

import csv
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

from subitize.papers.gimbrr.export import COLUMNS
from subitize.papers.gimbrr.prompts import ALL, CONTROLLED, SINGLE, TASKS, GimbrrTask

Row = dict[str, str]

MODELS = {"Dalle": 0.8, "MJ": 0.6, "SD1.5": 0.4, "SD2.1": 0.3}
"""How often a model is right in an easy task."""
EASE = {"single": 1.0, "compositional": 0.8, "controlled-single": 1.0, "text": 0.1, "arithmetic": 0.0}
"""How easy a task is; others are half as easy as single objects."""
NOUNS = ("drum", "kettle", "lamp", "boot", "plum", "rake", "sofa", "tent")
DIRECTORY = "Prompt_dir_230228_extraVars.csv"
RATINGS = "annotations_df_230311.csv"
_RELATIONS = ("on top of", "under", "behind", "in front of", "to the left of", "to the right of")
_EXTRAS = ("Object_num", "Extra_characteristic", "Num_features", "Common", "Num_objects")
_OF_DIRECTORY = (
    *("ID", "Prompt", "Representations", "Auto_assessment", "Task", "Task_specific_label", "img2img_instructions"),
    *(*_EXTRAS, "Linked_prompts"),
)


def write_release(folder: Path, models: Sequence[str] = tuple(MODELS), *, per_task: int = 6) -> Path:
    """Write the directory and the ratings, sound ones."""
    folder.mkdir(parents=True, exist_ok=True)
    prompts = list(make_prompts(per_task))
    write_rows(folder / DIRECTORY, _OF_DIRECTORY, prompts)
    write_rows(folder / RATINGS, COLUMNS, [rate(prompt, model) for model in models for prompt in prompts])
    return folder


def make_prompts(per_task: int) -> Iterator[Row]:
    """Make as many prompts of each task, and one single object per noun."""
    for task in (*TASKS, *CONTROLLED):
        for place in range(per_task):
            yield make_prompt(task, place)
    for place, noun in enumerate(NOUNS):
        yield _row(SINGLE, place, noun, (noun,), "")


def make_prompt(task: GimbrrTask, place: int) -> Row:
    """Make a prompt of a task; every task has two prompts of one text."""
    one, other = NOUNS[place // 2 % len(NOUNS)], NOUNS[(place // 2 + 3) % len(NOUNS)]
    number, extras = 2 + place % 11, {}
    match task.key:
        case "counting" | "controlled-counting":
            return _row(task, place, f"{number} {one}s", (one,), str(number))
        case "arithmetic" | "controlled-arithmetic" | "controlled-two-counting":
            return _row(task, place, f"three {one}s, six {other}s", (one, other), "3,6")
        case "spatial":
            relation = _RELATIONS[place // 2 % len(_RELATIONS)]
            return _row(task, place, f"a {one} {relation} a {other}", (one, other), relation)
        case "conditional":
            extras = {"Object_num": f"{1 + place % 2}.0", "Extra_characteristic": str(place % 3 == 0)}
            return _row(task, place, f"a {one} or a {other}, the first", (one,), other, **extras)
        case "actions" | "unusual":
            return _row(task, place, f"{task.key}: a {one} kicking a {other}", (one, other), "kicking")
        case "chimeras":
            extras = {"Num_features": f"{2 + place % 2}.0"}
        case "multiple":
            extras = {"Common": str(place % 2 == 0), "Num_objects": f"{2 + place % 3}.0"}
        case "compositional" | "negation" | "text" | "controlled-single":
            label = "" if task.key == "controlled-single" else "thing"
            return _row(task, place, f"{task.key}: a {one}", (one,), label)
    return _row(task, place, f"{task.key}: a {one}, a {other}", (one, other), "", **extras)


def rate(prompt: Row, model: str) -> Row:
    """Rate the image of a prompt by a model, by lot."""
    task = next(task for task in ALL.values() if task.title == prompt["Task"])
    chance = MODELS.get(model, 0.5) * EASE.get(task.key, 0.5)
    says_yes = random.Random(f"{model} {prompt['ID']}").random() < chance
    version = "v0.0.5_pd230228"
    told = {
        "File_name": f"p{prompt['ID']}_1_{version}.png",
        "Prompt_no": prompt["ID"],
        "Task_backup": prompt["Task"],
        "annotation": str(says_yes),
        "Dashboard_version": version,
        "Algorithm": model,
    }
    return {column: {**prompt, **told}[column] for column in COLUMNS}


def read_rows(path: Path) -> list[Row]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def write_rows(path: Path, columns: Sequence[str], rows: Sequence[Row]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def _row(task: GimbrrTask, place: int, text: str, classes: Sequence[str], label: str, **extras: str) -> Row:
    links = "" if task in (SINGLE, ALL["controlled-single"]) else _link(classes)
    automatic = "" if task.key == "conditional" else str(task.key in _AUTOMATIC)
    own = (str(task.first_id + place), text, ", ".join(classes), automatic, task.title, label, "")
    return dict(zip(_OF_DIRECTORY, (*own, *(extras.get(name, "") for name in _EXTRAS), links), strict=True))


_AUTOMATIC = ("single", "multiple", "counting", "arithmetic", "negation", *(task.key for task in CONTROLLED))


def _link(classes: Sequence[str]) -> str:
    return ",".join(str(SINGLE.first_id + NOUNS.index(noun)) for noun in classes)
