"""A small release in the authors' format, made up by lot: prompts of our own design, and answers of five people."""

import csv
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from subitize.interfaces import Pixels, Request
from subitize.language.questions import line_codes
from subitize.models.stand_ins import Painter
from subitize.papers.geckonum.files import COLUMNS
from subitize.papers.geckonum.prompts import COLUMNS as PROMPT_COLUMNS
from subitize.papers.geckonum.prompts import TYPES, Prompt, design
from subitize.papers.geckonum.suite import items_of
from subitize.records import Choose, Draw, Item, Picture

PROMPTS: tuple[Prompt, ...] = design(0)
SOME = tuple(prompt for prompt in PROMPTS if prompt.index % 9 == 0)
Row = Mapping[str, object]


def write_prompts(folder: Path, prompts: Iterable[Prompt] = PROMPTS) -> None:
    frequent = {None: -1, False: 0, True: 1}
    rows = ((p.index, p.text, int(p.has_numeral), frequent[p.is_frequent], p.entities, p.type, p.id) for p in prompts)
    with (folder / "prompts.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([PROMPT_COLUMNS, *rows])


def write_release(
    folder: Path,
    models: Sequence[str] = ("dalle_3", "imagen_c"),
    *,
    prompts: Sequence[Prompt] = SOME,
    seeds: int = 2,
    accuracy: float = 0.5,
) -> Path:
    """Write all three tasks of some models; where an image is right, most people say so."""
    folder.mkdir(parents=True, exist_ok=True)
    write_prompts(folder, prompts)
    items = list(items_of(prompts))
    for model in models:
        chance = Chance(f"release {model}")
        chance.accuracy = accuracy
        for task in (1, 2, 3):
            own = [item for item, prompt in zip(items, prompts, strict=True) if TYPES[prompt.type] == task]
            rows = [row for item in own for seed in range(seeds) for row in answer(task, item, model, seed, chance)]
            if rows:
                write_answers(folder / f"task_{task}_{model}.csv", rows)
    return folder


def write_answers(path: Path, rows: Sequence[Row]) -> None:
    columns = COLUMNS[int(path.stem.split("_")[1])]
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def answer(task: int, item: Item, model: str, seed: int, chance: "Chance") -> Iterator[Row]:
    """Have five people answer all questions about one image."""
    prompt = item.task.prompt  # type: ignore[union-attr]
    shared = {"image_id": f"{item.id.partition('/')[2]}_{seed}", "model": model, "prompt": prompt}
    for position, ask in enumerate(ask for ask in item.asks if ask.is_relevant):
        question, (right,) = ask.question, ask.expects
        drawn = right if chance.random() < chance.accuracy else None
        for person in chance.sample(range(25), 5):
            row = shared | {"annot_id": person}
            if isinstance(question, Choose):
                place = int(right) if drawn is not None else chance.randrange(len(question.lines))
                codes = line_codes(question)
                said = {"answer_text": question.lines[place], "answer_num": codes[place], "gt_num": codes[int(right)]}
                yield row | said
            elif task == 1:
                raw = str(right) if drawn is not None and chance.random() < 0.95 else chance.choice(_RAW)
                yield row | {"question_id": position, "question": ask.wording, "raw_answer": raw, "answer": VALUES[raw]}
            else:
                yes = int(drawn is not None or chance.random() < 0.2)
                yield row | {"question_id": position, "question": ask.wording, "answer": yes}


class Chance(random.Random):
    """Where images and people come from."""

    accuracy = 0.5


def write_images(
    folder: Path, models: Sequence[str], prompts: Sequence[Prompt], seeds: int = 2, *, size_px: int = 256
) -> Path:
    """Draw the images that a release is about, rightly, in a folder per model."""
    painter = Painter(size_px=size_px)
    for model in models:
        (folder / model).mkdir(parents=True)
        for prompt in prompts:
            for seed in range(seeds):
                reply = painter.compute(Request(prompt.id, Draw(prompt.text), seed, 0, seed, load=no_picture))
                assert isinstance(reply.content, Pixels)
                (folder / model / f"{prompt.id}_{seed}.png").write_bytes(reply.content.data)
    return folder


def no_picture(picture: Picture) -> bytes:
    raise AssertionError(f"nothing is shown to one who draws: {picture}")


# What the release makes of raw answers, by its own rule: halves are kept, and everything above ten is 11.
VALUES = {str(number): float(number) for number in range(11)} | {
    "3-4": 3.5,
    "2.5": 2.5,
    "10+": 11.0,
    "1, 10+": 1.0,
    "o": 0.0,
    "1-2": 1.5,
    "9-12": 11.0,
}
_RAW = tuple(VALUES)
