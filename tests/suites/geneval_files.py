"""Small files in the schemas of GenEval and GenEval 2, of things that the painter draws."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

GENEVAL: list[dict[str, object]] = [
    {"tag": "single_object", "include": [{"class": "apple", "count": 1}], "prompt": "a photo of an apple"},
    {
        "tag": "two_object",
        "include": [{"class": "apple", "count": 1}, {"class": "cat", "count": 1}],
        "prompt": "a photo of an apple and a cat",
    },
    {
        "tag": "counting",
        "include": [{"class": "apple", "count": 3}],
        "exclude": [{"class": "apple", "count": 4}],
        "prompt": "a photo of three apples",
    },
    {
        "tag": "colors",
        "include": [{"class": "apple", "count": 1, "color": "red"}],
        "prompt": "a photo of a red apple",
    },
    {
        "tag": "position",
        "include": [{"class": "cat", "count": 1}, {"class": "apple", "count": 1, "position": ["left of", 0]}],
        "prompt": "a photo of an apple left of a cat",
    },
    {
        "tag": "color_attr",
        "include": [{"class": "apple", "count": 1, "color": "red"}, {"class": "cat", "count": 1, "color": "blue"}],
        "prompt": "a photo of a red apple and a blue cat",
    },
]
GENEVAL2: list[dict[str, object]] = [
    {
        "prompt": "two apples and a cat",
        "atom_count": 3,
        "vqa_list": [
            ["Are there apples in the image?", "Yes"],
            ["How many apples are in the image?", "two"],
            ["Is there a cat in the image?", "Yes"],
        ],
        "skills": ["object", "count", "object"],
    },
    {
        "prompt": "three red apples",
        "atom_count": 3,
        "vqa_list": [["How many red apples are in the image?", "three"], ["Do the apples shine?", "Yes"]],
        "skills": ["count", "attribute"],
    },
    {
        "prompt": "five apples",
        "atom_count": 2,
        "vqa_list": [["Are there apples in the image?", "Yes"], ["How many apples are in the image?", "five"]],
        "skills": ["object", "count"],
    },
]


def write_prompts(path: Path, records: Iterable[Mapping[str, object]]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def write_suites(folder: Path) -> dict[str, str]:
    """Write a file for each suite, and name the suite of it."""
    return {
        "geneval": f"geneval:{write_prompts(folder / 'evaluation_metadata.jsonl', GENEVAL)}",
        "geneval2": f"geneval2:{write_prompts(folder / 'geneval2_data.jsonl', GENEVAL2)}",
    }
