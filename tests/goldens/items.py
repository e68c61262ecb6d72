"""The items of all suites: their ids, what is asked of a model, and what of what it gives."""

import json
import shutil
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from subitize.interfaces import Suite
from subitize.io import codec
from subitize.records import Item
from subitize.registry import Resolved, make_suite
from tests.goldens.texts import Texts, file_name, sha256, without_last_digits
from tests.papers.geckonum.geckonum_release import SOME, write_images, write_release
from tests.papers.gimbrr.gimbrr_release import DIRECTORY
from tests.papers.gimbrr.gimbrr_release import write_release as write_gimbrr
from tests.papers.seeing_past_words.probe_files import write_suites as write_probe_suites
from tests.suites import geneval_files
from tests.suites.own_tables import write_json, write_lines, write_own_suites

EXAMPLES = Path(__file__).parents[2] / "examples"
REFINEMENTS = ("additive", "grid", "list", "multiplicative", "position", "positions")
OF_NOTHING = (
    "naming",
    "naming:images=1,numbers=1-4+20,control=area,overlap=0.1,background=gradient,size_px=512",
    "naming:images=1,framing=gap,control_question=false,wordings=things",
    "production",
    "production:numbers=3+12,categories=apples+dots",
    "geckonum",
    "geckonum:types=attribute-color+2-additive-color,numbers=2-4,colours=red+blue",
    "geckonum:types=approx-1-entity+approx-2-entity,quantifiers=few+many+more",
    "geckonum:fresh=1",
    "geckonum:fresh=2,tasks=3",
    "gimbrr",
    "gimbrr:linked=true,per_task=7",
    "gimbrr:tasks=counting+controlled-counting+spatial,linked=true",
    "gimbrr:fresh=1",
    "gimbrr:fresh=2,linked=true",
    "t2icountbench",
    "t2icountbench:cross=true,numbers=1-3+20",
    *(f"production~{name}" for name in REFINEMENTS),
    *(f"t2icountbench~{name}:numbers=6-8,objects=cat+human" for name in REFINEMENTS),
    "production~list:most=5",
    "geckonum~grid:types=numeric_simple,numbers=4-6",
)


OTHER_SEED = ("naming:images=1", "gimbrr", "geckonum", "t2icountbench")


def describe_suites() -> Texts:
    """Make the items of all suites, of files too."""
    made = {spec: make_suite(spec) for spec in (*OF_NOTHING, *_of_files(Path()))}
    hashes: list[str] = []
    shown: dict[str, list[str]] = defaultdict(list)
    for spec, one in made.items():
        items = list(one.obj.items(0))
        hashes.append(hash_items(spec, items))
        ends = items[:1] if "~" in spec else (items[0], items[-1])
        shown[one.spec.name.partition("~")[0]] += [f"{spec} {plain(item)}\n" for item in ends]
    yield "items.txt", "".join(hashes)
    described = (f"{spec} {json.dumps(_describe(one), ensure_ascii=False)}\n" for spec, one in made.items())
    yield "suites.jsonl", "".join(described)
    for name, lines in shown.items():
        yield f"first-and-last-{name}.jsonl", "".join(lines)
    for spec in OTHER_SEED:
        yield f"of-seed-7-{file_name([spec], 'txt')}", _hash(make_suite(spec).obj.items(7))


def plain(item: Item) -> str:
    """Write an item as it is stored."""
    record = {
        "id": item.id,
        "base": item.base,
        "task": codec.dump(codec.task, item.task),
        "asks": codec.dump(codec.asks, item.asks),
        "factors": codec.dump(codec.factors, item.factors),
    }
    return without_folder(json.dumps(record, ensure_ascii=False))


def without_folder(text: str) -> str:
    """Name files as seen from the current folder."""
    return text.replace(f"{Path.cwd()}/", "")


def _of_files(folder: Path) -> list[str]:
    """Write a file for each suite that is made of one; give the suites."""
    probes, geneval, own = write_probe_suites(folder), geneval_files.write_suites(folder), write_own_suites(folder)
    counting = f"counting-probe:{folder / 'probes.jsonl'},images={folder}"
    return [
        *probes.values(),
        f"{counting},formats=qa,blind=true",
        f"{probes['counting-probe-masked']},masks=faithful,splits=standard",
        *geneval.values(),
        f"{geneval['geneval']},tags=counting+position",
        *own.values(),
        *_of_tables(folder),
        *_of_papers(folder),
        *_of_yaml(folder),
    ]


def _of_tables(folder: Path) -> list[str]:
    """Write questions in the columns of published data sets, prompts with several entities, and rewritten prompts."""
    tally = [
        {"image": f"{shade}.png", "image_id": shade, "question": f"How many {noun} are there?", "answer": shade}
        | {"data_source": "amt", "issimple": shade > 1, "question_id": shade}
        for shade, noun in enumerate(("dogs", "red cars", "people"), start=1)
    ]
    bench = [
        {"image_url": f"http://x.example/{number}.png", "text": text, "number": number}
        for number, text in ((2, "Set of two red kites"), (3, "Three old chairs on a lawn"), (1, "Six-pack"))
    ]
    prompts = ['"two dogs and three cats","dog:2, cat:3",a', '"4 green cups",,b', '"fewer apples than cups",,a']
    rewritten = ["production/apples/2,Two apples next to each other", "production/dots/3,Three dots"]
    return [
        f"questions:{write_json(folder / 'test.json', tally)}",
        f"questions:{write_json(folder / 'CountBench.json', bench)},images={folder}",
        f"questions:{write_lines(folder / 'plain.csv', 'image,question,answer', *_QUESTIONS)}",
        f"prompts:{write_lines(folder / 'several.csv', 'prompt,entities,kind', *prompts)},strata=kind",
        f"production~rewritten:numbers=2-3,file={write_lines(folder / 'own.csv', 'item,prompt', *rewritten)}",
    ]


def _of_papers(folder: Path) -> list[str]:
    """Write what papers release, in small, and conditions of one's own."""
    directory = write_gimbrr(folder / "gimbrr", per_task=3) / DIRECTORY
    additive = [prompt for prompt in SOME if prompt.type == "2-additive"][:4]
    release = write_release(folder / "geckonum", ["muse_a"], prompts=additive, seeds=1)
    images = write_images(folder / "drawn", ["muse_a"], additive, 1, size_px=128)
    conditions = write_lines(folder / "own.toml", *_CONDITIONS)
    return [
        f"gimbrr:prompts={directory}",
        f"gimbrr:tasks=spatial+counting,prompts={directory},linked=true,corrected=true",
        f"geckonum:prompts={release / 'prompts.csv'}",
        f"geckonum-vqa:{release},images={images}",
        f"geckonum-vqa:{release},images={images},agreeing=5",
        f"t2icountbench:conditions={conditions}",
    ]


def _of_yaml(folder: Path) -> list[str]:
    """Copy the examples, and write suites of templates that draw, compare, ask questions of their own, and show."""
    copied = [shutil.copy(path, folder / path.name) for path in sorted(EXAMPLES.glob("*.yaml"))]
    written = [write_lines(folder / f"{name}.yaml", text) for name, text in _YAML.items()]
    return [*map(str, copied), *(f"file:{path}" for path in written)]


_QUESTIONS = ("1.png,How many dots are there?,1", "2.png,How many red dots are there?,2")
_CONDITIONS = (
    "numbers = [2, 20]",
    'styles.pencil = "as a pencil drawing"',
    'objects.dog = {category = "dogs", singular = "dog"}',
    'scenes.moon = {default = "on the moon", cat = "in a crater"}',
)
_YAML = {
    "counted": """prompts: "How many {nouns}?"
show: "{number} {nouns}"
pictures: 2
words: {noun: [cat, dog], number: 1-4}""",
    "fewer": """prompts: "{how} {nouns} than {others}"
words: {how: [fewer, more], noun: [cat, dog], other: [book, cup]}""",
    "herd": """prompts: "a herd of {nouns} at dawn"
words: {noun: [cow, zebra]}
ask:
  - count: "{noun}"
    is: 3-50
  - absent: person
  - confirm: "Is the sun low in the sky?"
""",
}


def hash_items(spec: str, items: Sequence[Item]) -> str:
    """Hash the ids of a suite's items in their order, and all that they are."""
    ids = sha256("\n".join(item.id for item in items))
    return f"{spec}: {len(items)} items\n  ids {ids}  all {_hash(items)}"


def _hash(items: Iterable[Item]) -> str:
    return sha256(without_last_digits("\n".join(map(plain, items))))


def _describe(made: Resolved[Suite]) -> dict[str, object]:
    suite, design = made.obj, made.obj.design()
    own = ("title", "judge", "repeats", "max_attempts", "rule", "notes")
    return {
        "shown": made.spec.text,
        "options": dict(made.spec.options),
        **{name: value for name in own if (value := getattr(suite, name, ()))},
        "strata": list(design.strata),
        "asks_again": design.asks_again,
    }
