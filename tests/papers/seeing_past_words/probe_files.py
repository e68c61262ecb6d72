"""Probe files in small: questions about drawn pictures, and captions of them."""

import json
from collections.abc import Sequence
from pathlib import Path

from subitize.papers.seeing_past_words.build import Recipe, build_probes
from subitize.papers.seeing_past_words.probes import Probe, write_records
from subitize.papers.seeing_past_words.sources import pair_captions, read_captions
from subitize.records import Stimulus
from subitize.stimuli.recipes import render

ANSWERS = (1, 2, 3, 4, 2, 3)


def write_questions(path: Path, answers: Sequence[int] = ANSWERS) -> Path:
    """Write a table of questions; the images are named by their row."""
    rows = [f"{row}.png,How many apples are in the picture?,{answer}" for row, answer in enumerate(answers)]
    path.write_text("\n".join(["image,question,answer", *rows, ""]), encoding="utf-8")
    return path


def make_probes(folder: Path, answers: Sequence[int] = ANSWERS) -> list[Probe]:
    return list(build_probes([write_questions(folder / "questions.csv", answers)], Recipe(["standard"])).probes)


def write_suites(folder: Path) -> dict[str, str]:
    """Write a file of probes, one of captions, and the images; give the suites that are made of them."""
    for row, answer in enumerate(ANSWERS):
        (folder / f"{row}.png").write_bytes(render(Stimulus("apples", answer, row, 128)).png)
    write_records(folder / "probes.jsonl", make_probes(folder))
    captions = [f"{row}.png,Picture {row} of apples" for row in range(len(ANSWERS))]
    (folder / "captions.csv").write_text("\n".join(["image,caption", *captions]), encoding="utf-8")
    write_records(folder / "pairs.jsonl", pair_captions(read_captions(folder / "captions.csv"), "drawn"))
    counting = {
        name: f"{name}:{folder / 'probes.jsonl'},images={folder}"
        for name in ("counting-probe", "counting-probe-masked", "counting-probe-vqa")
    }
    return {**counting, "alignment-probe": f"alignment-probe:{folder / 'pairs.jsonl'},images={folder}"}


def write_visual7w(path: Path, questions: Sequence[tuple[int, str, str, str, Sequence[str]]]) -> Path:
    """Write a dataset.json: image, split, question, answer and wrong choices of each."""
    images: dict[int, dict[str, object]] = {}
    for image, split, question, answer, wrong in questions:
        entry = images.setdefault(
            image, {"image_id": image, "filename": f"v7w_{image}.jpg", "split": split, "qa_pairs": []}
        )
        pair = {"qa_id": 1, "question": question, "answer": answer, "type": "how", "multiple_choices": list(wrong)}
        entry["qa_pairs"].append(pair)  # type: ignore[attr-defined]
    path.write_text(json.dumps({"dataset": "visual7w-telling", "images": list(images.values())}), encoding="utf-8")
    return path
