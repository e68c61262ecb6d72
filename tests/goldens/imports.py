"""What each `import` stores of tiny files that are made up, row by row, and what is attached to it."""

import csv
import json
import shutil
from pathlib import Path

from subitize.records import Stimulus
from subitize.stimuli.recipes import render
from tests.goldens.dumps import dump
from tests.goldens.texts import Golden, Texts, printed
from tests.imports.test_outputs import SCHEMAS, write_samples
from tests.papers.geckonum import geckonum_release
from tests.papers.gimbrr import gimbrr_release
from tests.suites.own_tables import png, write_lines

GOLDEN = Path(__file__).parents[1] / "golden"
PAINTER = "painter:size_px=128,weber=0.3"


def make_images() -> Texts:
    """Pictures of one's own, with questions of every form, and a second folder of them."""
    folder = Path("pictures", "inner")
    folder.mkdir(parents=True)
    for shade in range(2):
        (folder.parent / f"{shade}.png").write_bytes(png(shade))
        (folder / f"{shade}.png").write_bytes(png(10 + shade))
    asked = (
        "How many red cats are there?",
        "What is written here?",
        "Is the cat asleep?",
        "no cats | some cats | many cats",
    )
    questions = [f"--question={question}" for question in asked]
    printed("import", "images", "pictures", "--out", "own", *questions)
    printed("import", "images", folder, "--out", "own", "--question=What is it?", "--model", "camera")
    yield from dump("own", is_ordered=True)


def make_readings() -> Texts:
    """People's answers about drawings, the second time with a changed mind, and with names for numbers."""
    suite = "production:numbers=1-2,categories=apples+dots"
    printed("run", suite, "--repeats", 1, "--model", PAINTER, "--out", "drawn")
    said = {"ann": ("1", "two", "3-4", "a few"), "ben": ("1", "3", "1 red and 2 green, 3 in all", "none")}
    items = [(noun, number) for noun in ("apple", "dot") for number in (1, 2)]
    rows = [
        f'{name},production/{noun}s/{number},count:{noun},"{answer}"'
        for name, answers in said.items()
        for (noun, number), answer in zip(items, answers, strict=True)
    ]
    heading = "annotator,item,question,answer"
    first, changed = write_lines(Path("a.csv"), heading, *rows), write_lines(Path("b.csv"), heading, rows[0][:-3] + "7")
    for file, judge in ((first, "people"), (changed, "people"), (changed, "others")):
        printed("import", "readings", file, "--run", "drawn", "--judge", judge)
    printed("import", "readings", first, "--run", "drawn", "--judge", "totals", "--rule", "total")
    yield from dump("drawn")


def make_votes() -> Texts:
    """Votes on groups of drawings, with a changed mind, and on images that are elsewhere."""
    suite = "t2icountbench:objects=apple,numbers=2-3,scenes=home,styles=plain"
    printed("run", suite, "--refine", "grid", "--model", PAINTER, "--out", "drawn")
    for file in ("votes.csv", "second_votes.csv"):
        printed("import", "votes", GOLDEN / file, "--run", "drawn", "--judge", "voters")
    yield from dump("drawn")
    rows = [("annotator", "model", "item", "vote")]
    for model, item, votes in (("one", "apple", "yn"), ("one", "cat", "10"), ("two", "apple", "✓✗")):
        rows += [
            (name, model, f"t2icountbench/{item}/home/plain/2", vote) for name, vote in zip("ab", votes, strict=True)
        ]
    with Path("votes.csv").open("w", encoding="utf-8", newline="") as table:
        csv.writer(table).writerows(rows)
    suite = "t2icountbench:objects=apple+cat,numbers=2,scenes=home,styles=plain"
    printed("import", "votes", "votes.csv", "--run", "elsewhere", "--suite", suite)
    for name in ("one", "two"):
        for repeat in range(4):
            picture = Path("files", name, f"apple_home_plain_2_{repeat}.png")
            picture.parent.mkdir(parents=True, exist_ok=True)
            picture.write_bytes(render(Stimulus("apples", 1 + repeat, len(name), 128)).png)
    yield "attach.json", printed("import", "attachments", "elsewhere", "files", "--json")
    yield from dump("elsewhere", is_ordered=True)


def make_named_counts() -> Texts:
    """Images whose names have counts: the folder as a model, and the counts as readings."""
    Path("images").mkdir()
    for name in ("3_3_apples_0.png", "3_4_apple 1.png", "4_20+_apples_new1.png", "4_many_apples_2.png"):
        Path("images", name).write_bytes(render(Stimulus("apples", 3, 1, 128)).png)
    suite, only = "production:categories=apples,numbers=3-4", ("--only-found", "--judge", "none", "--repeats", 2)
    printed("run", suite, "--model", "folder:images", *only, "--out", "run")
    printed("import", "readings", "--run", "run", "--from-file-names", "folder:images")
    yield from dump("run")


def make_outputs() -> Texts:
    """Outputs of other programs, in each of their schemas."""
    known = set[str]()
    for write, program in SCHEMAS.items():
        folder = Path(write.__name__)
        folder.mkdir()
        out = f"{program}~{write.__name__}"
        told = json.loads(printed("import", "outputs", write(folder), "--out", out, "--json"))
        yield f"{out}.json", json.dumps(told, indent=1)
        is_first = program not in known
        known.add(program)
        for file, text in dump(out, is_ordered=True):
            if is_first or file.endswith(("~responses.jsonl", "~readings.jsonl")):
                yield file, text
    printed("import", "outputs", write_samples(Path("samples")), "--out", "several", "--model", "llava")
    yield from dump("several", is_ordered=True)


def make_releases() -> Texts:
    """The releases of papers, made up in small."""
    prompts = geckonum_release.SOME[::40]
    geckonum_release.write_release(Path("geckonum"), ["dalle_3"], prompts=prompts, seeds=1)
    gimbrr_release.write_release(Path("gimbrr"), ["SD1.5"], per_task=1)
    for name in ("3_3_apples_0.png", "4_20+_dots_0.png", "4_many_apples_1.png", "2_2_people_0.png"):
        picture = Path("numbersense", "FLUX", name)
        picture.parent.mkdir(parents=True, exist_ok=True)
        picture.write_bytes(render(Stimulus("apples", 3, 1, 128)).png)
    for paper in ("geckonum", "gimbrr", "numbersense"):
        printed("import", "release", paper, paper, "--out", f"of-{paper}")
        yield from dump(f"of-{paper}", is_ordered=True)
        shutil.rmtree(paper)


GOLDENS: dict[str, Golden] = {
    "rows-import-images": Golden(make_images),
    "rows-import-readings": Golden(make_readings),
    "rows-import-votes": Golden(make_votes),
    "rows-import-named-counts": Golden(make_named_counts),
    "rows-import-outputs": Golden(make_outputs),
    "rows-import-releases": Golden(make_releases),
}
