"""What commands print and write: `--json` of each, and the files of exports and imports.

A golden is a topic: commands that are run in this order, and files that they write. What has a time in it is about
copies of the kept runs; the rest is about small runs of the embedded models, made here.
"""

import hashlib
import json
import os
import re
import shlex
import shutil
from base64 import b64decode
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any
from unittest import mock

import polars as pl
import pytest
from PIL import Image

from subitize.records import Box, Boxes, Reading, Spec
from subitize.store import Folder, Run
from tests.commands import call
from tests.goldens.kept_runs import GOLDEN, NEEDS_A_PART, copy_run
from tests.goldens.texts import Golden, Texts, file_name, sha256
from tests.models.scripted_server import Answer, chat, scripting
from tests.papers.gimbrr import gimbrr_release
from tests.suites.own_tables import write_json, write_lines

Setting = AbstractContextManager[object]
Mask = Callable[[str], str]
_LONG = 5_000


@dataclass(frozen=True)
class Topic:
    """Commands in the order in which they are run; `files` are patterns of those that they write.

    The files of each pattern in `joined` are kept as one. `prepare` makes what the commands need in the current folder;
    what it gives stays open until all are done.
    """

    commands: tuple[str, ...]
    prepare: Callable[[], Setting | None] = lambda: None
    files: tuple[str, ...] = ()
    joined: tuple[str, ...] = ()
    mask: Mask = str
    marks: tuple[pytest.MarkDecorator, ...] = ()


# What commands need.


def _copy(*names: str) -> Callable[[], None]:
    """Copy runs that are kept, and the tables that were imported into them."""

    def prepare() -> None:
        for name in names:
            copy_run(name, Path.cwd())
        for table in GOLDEN.glob("*.csv"):
            shutil.copy(table, table.name)

    return prepare


def _copy_pictures(*names: str) -> None:
    """Copy kept pictures to files of these names: their bytes depend on no encoder."""
    kept = sorted((GOLDEN / "runs" / "production" / "images").rglob("*.png"))
    for name, picture in zip(names, kept, strict=False):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(picture, name)


def _write_suite() -> None:
    write_lines(Path("fruit.yaml"), 'prompts: "{number} {noun(s)}"', "words:", "  noun: [apple, dot]", "  number: 1-2")


def _write_prices() -> None:
    copy_run("production", Path.cwd())
    price = ('host = "api.openai.com"', 'models = ["gpt-4o"]', "as_of = 2099-01-01", 'source = "made up"')
    of_chats = "chat_usd_per_million = { input = 2.5, cached_input = 1.25, output = 10 }"
    of_images = 'image_in_chat = { rule = "tiles", base = 85, per_tile = 170 }'
    write_lines(Path("prices.toml"), "[[price]]", *price, of_chats, of_images)


def _write_list() -> None:
    copy_run("geckonum", Path.cwd())
    write_lines(Path("held.csv"), "item,reason", "geckonum/geckonum_00040,dark", "geckonum/geckonum_00045,")


def _score_boxes() -> None:
    """Have a made-up detector find what the observer saw, and beside it other things with lower scores."""
    copy_run("production", Path.cwd())
    with Run(Folder(Path("production"))) as run:
        seen = sorted((one.reading for one in run.readings("observer")), key=lambda one: one.subject.id)
        found = [replace(one, judge="finder", evidence=_add_scores(one, place)) for place, one in enumerate(seen)]
        run.add_judge(Spec("finder", {}, "finder"), is_stand_in=False)
        with run.lease("judge finder") as lease:
            run.add_readings(lease, found)


def _release_ratings() -> None:
    gimbrr_release.write_release(Path("release"), ["Dalle"], per_task=1)


def _add_scores(reading: Reading, place: int) -> Boxes:
    assert isinstance(reading.evidence, Boxes)
    right = [
        replace(one, score=0.4 + (place * 7 + at * 13) % 60 / 100) for at, one in enumerate(reading.evidence.boxes)
    ]
    label = reading.evidence.boxes[0].label
    wrong = [Box(label, 0.05 + (place * 11 + at * 17) % 40 / 100, (at, at, at + 9, at + 9)) for at in range(place % 4)]
    return Boxes((*right, *wrong))


@contextmanager
def _serve_model() -> Iterator[None]:
    """Serve a model that says yes or no to questions and rewrites prompts, by the words of each."""
    copy_run("production", Path.cwd())
    row = "production/dots/1,1 filled dot in white background,1 dot,a model,a revision,Shorter"
    write_lines(Path("kept.csv"), "item,base_prompt,prompt,model,revision,instruction", row)
    with scripting(_answer) as server:
        settings = {"OPENAI_BASE_URL": server.base_url, "OPENAI_API_KEY": "sk-test-0123456789abcdef"}
        with mock.patch.dict(os.environ, settings):
            yield


def _answer(_: int, body: Any) -> Answer:  # noqa: ANN401
    contents = [message["content"] for message in body["messages"]]
    texts = [part.get("text", "") for one in contents if not isinstance(one, str) for part in one]
    asked = " ".join([*(one for one in contents if isinstance(one, str)), *texts])
    digit = hashlib.sha256(asked.encode()).digest()[0]
    yes_or_no = "Yes." if digit % 3 else "No."
    said = yes_or_no if "?" in asked else f"A drawing, number {digit}"
    return 200, {}, chat({"role": "assistant", "content": said}, top={"model": "scripted-1"})


def _write_outputs() -> None:
    """Write replies to questions as four other programs do."""
    mugs, cats = "How many mugs are there in the image?", "How many cats are there?"
    asked = (
        (mugs, "4", "four"),
        (cats, "3", "There are 3."),
        (cats, "7", "row 1 has 3, so 7 in total"),
        (mugs, "2", "12"),
    )
    samples = [
        {"doc_id": place, "input": question, "target": right, "filtered_resps": [reply], "acc": float(place % 2)}
        for place, (question, right, reply) in enumerate((*asked, ("What animal is it?", "cat", "a cat")))
    ]
    Path("llava").mkdir()
    write_lines(Path("llava/20250101_120000_samples_countbench.jsonl"), *map(json.dumps, samples))
    rows = ["index\tquestion\tanswer\tcategory\tprediction"]
    rows += [f"{place}\t{question}\t{right}\tall\t{reply}" for place, (question, right, reply) in enumerate(asked)]
    write_lines(Path("llava_CountBenchQA.tsv"), *rows, f"9\t{mugs}\t1\tall\tFailed to obtain answer via API.")
    log = [
        {
            "id": place,
            "epoch": 1,
            "input": question,
            "target": right,
            "output": {"choices": [{"message": {"role": "assistant", "content": reply}}], "completion": reply},
            "scores": {"match": {"value": "C" if place % 2 else "I"}},
        }
        for place, (question, right, reply) in enumerate(asked)
    ]
    header = {"version": 2, "status": "success", "eval": {"model": "llava", "task": "team/countbench"}}
    write_json(Path("log.json"), {**header, "samples": log})
    reviews = [
        {
            "index": place,
            "input": question,
            "target": right,
            "sample_score": {"sample_id": place, "score": {"value": {"acc": 0.0}, "prediction": reply}},
        }
        for place, (question, right, reply) in enumerate(asked)
    ]
    Path("reviews/llava").mkdir(parents=True)
    write_lines(Path("reviews/llava/count_qa_default.jsonl"), *map(json.dumps, reviews))


def _write_captions() -> None:
    """Write captions, some with the right sum, and pictures to some of them."""
    copy_run("naming", Path.cwd())
    texts = ("two apples", "a photo of 5 apples", "three dots and one apple", "no number at all", "a dozen eggs, 10 %")
    others = [f"{number} small {noun}s" for number in (2, 2, 2, 3, 3, 4, 5, 10, 20, 100) for noun in ("apple", "cat")]
    rows = [f"{place}.png,{text}" for place, text in enumerate(json.dumps(one) for one in (*texts, *others))]
    write_lines(Path("captions.csv"), "image,caption", *rows)
    write_lines(Path("more.csv"), "image,caption", *(f"a.png,{n} dogs" for n in (2, 3, 3, 4, 5, 6, 6, 12)))
    write_lines(Path("right.csv"), "caption,numerosity", "two dogs,2", "a cat,", "half a dozen eggs,6", "chapter 2,7")
    _copy_pictures(*(f"pictures/{place}.png" for place in range(6)))


def _write_questions() -> None:
    """Write tables that probes are made of, and two of the pictures."""
    asked = ("How many apples are in the picture?", "How many cats are there?", "What is it?")
    rows = [f"{place}.png,{asked[place % 3 % (1 + place % 4)]},{place % 5 + 1}" for place in range(12)]
    write_lines(
        Path("questions.csv"), "image,question,answer", *rows, f"12.png,{asked[2]},2", f"13.png,{asked[0]},some"
    )
    write_lines(
        Path("captions.csv"), "image,caption", *(f"{place}.png,Picture {place} of apples" for place in range(6))
    )
    _copy_pictures("pictures/0.png", "pictures/1.png")


def _bring_pictures() -> None:
    """Bring pictures with numbers in their names, and what people say about them."""
    names = ("3_3_apples_0.png", "3_4_apple 1.png", "4_20+_apples_new1.png", "4_many_apples_2.png", "4_0_apples_1.png")
    _copy_pictures(*(f"drawn/{name}" for name in names))
    _copy()()
    _copy_pictures("crate/a.png", "crate/more/b.PNG", "crate/c.png")
    write_lines(Path("crate/notes.txt"), "no picture")
    said = ("ann,{0}/a.png,2,{1}", "ben,{0}/a.png,three,{1}", "ann,{0}/more/b.PNG,some,{1}", "ann,{0}/c.png,no,{2}")
    words = ("images-crate", "count:apple", "confirm:Is there a dog?")
    write_lines(Path("said.csv"), "annotator,item,answer,question", *(line.format(*words) for line in said))


def _release_names() -> None:
    """Release images of one model by name only, to which some files come later."""
    names = [
        f"{number}_{number + at % 2}_{noun}_{at}.png"
        for number in (1, 2)
        for noun in ("apples", "dots")
        for at in (0, 1)
    ]
    for name in names:
        folder = Path("released", "artist", name.split("_")[2])
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    _copy_pictures(*(f"later/artist/{name.split('_')[2]}/{name}" for name in names[:5]))


# What differs by machine, version or day.


def without_folder(text: str) -> str:
    """Mask the folder in which commands are run."""
    return text.replace(str(Path.cwd()), "…")


def without_versions(text: str) -> str:
    """Mask which versions of packages are installed, and how to get those that are not."""
    return re.sub(r'"(version|remedy)": (null|"[^"]*")', r'"\1": "…"', text)


def without_day(text: str) -> str:
    """Mask when something was made, and by which version of ours."""
    return re.sub(r'"(made_on|version)": "[^"]*"', r'"\1": "…"', text)


def without_port(text: str) -> str:
    """Mask the port on which a server of this test listened."""
    return re.sub(r"127\.0\.0\.1(:|%3A|-)\d+", r"127.0.0.1\1PORT", text)


def without_drawings(text: str) -> str:
    """Leave out of a page its charts, pictures, style and script, the version that wrote it, and its tables.

    Tables are written to files, too. Of pictures shown with answers a hash is left.
    """
    text = re.sub(r"data:image/\w+;base64,[\w+/=]+", "data:…", text)
    text = re.sub(
        r'<section id="[\w-]+-pictures">.*?</section>',
        lambda found: f"<!-- {sha256(found[0])} -->",
        text,
        flags=re.DOTALL,
    )
    text = re.sub(r"<(svg|style|script|table)\b.*?</\1>", r"<\1/>", text, flags=re.DOTALL)
    return re.sub(r'content="subitize [\w.]+"', 'content="subitize …"', text)


def without_times(text: str) -> str:
    """Mask when something was stored, in a table or in JSON."""
    return re.sub(r'((?<=,)|(?<="at": ))\d{10}\.\d+', "…", text)


def without_pictures(text: str) -> str:
    """Hash embedded pictures by their pixels."""
    return re.sub(r"data:image/\w+;base64,([\w+/=]+)", lambda found: f"data:{_of_pixels(b64decode(found[1]))}", text)


def without_signs_of_zero(text: str) -> str:
    """Mask the sign of what is zero but for rounding."""
    return text.replace("-0.0,", "0.0,")


# How it is kept.


def _make(topic: Topic) -> Texts:
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("SUBITIZE_", "OPENAI_"))}
    with mock.patch.dict(os.environ, clean | {"SUBITIZE_HOME": "home"}, clear=True), topic.prepare() or nullcontext():
        for command in topic.commands:
            yield from _run(command, topic.mask)
        for pattern in topic.files:
            yield from _read(pattern, topic.mask)
        for pattern in topic.joined:
            yield from _join(pattern, topic.mask)


def _run(command: str, mask: Mask) -> Texts:
    """Run a command that must succeed; what it says on stderr is kept after what it prints, if it says anything."""
    words = shlex.split(command)
    done = call(*words)
    assert done.code == 0, f"{command}: {done.err}"
    text = mask(without_folder(done.out + (f"== stderr\n{done.err}" if done.err else "")))
    yield (file_name(words), _shorten(text)) if "--json" in words else (file_name(words, "txt"), text)


def _shorten(text: str) -> str:
    """Write long JSON in fewer lines, one for each entry of its outermost list or object."""
    return text if len(text) <= _LONG else re.sub(r"\n {3,}|\n(?=  [}\]])", " ", text)


def _read(pattern: str, mask: Mask) -> Texts:
    """Read files that were written."""
    for file in _find(pattern):
        name = file.relative_to(Path.cwd()).as_posix().replace("/", "~")
        yield name, mask(without_folder(_READERS.get(file.suffix, _decode)(file)))


def _join(pattern: str, mask: Mask) -> Texts:
    """Read many small files as one text; some are written only where a part beyond the core is installed."""
    texts = [f"== {file.name}\n{_decode(file)}" for file in _find(pattern) if file.stem not in NEEDS_A_PART]
    yield pattern.replace("/", "~").replace("*", "all"), mask("\n".join(texts))


def _find(pattern: str) -> list[Path]:
    files = sorted(path for path in Path.cwd().glob(pattern) if path.is_file())
    assert files, f"nothing was written to {pattern}"
    return files


def _decode(file: Path) -> str:
    return file.read_bytes().decode()


def _of_pixels(picture: Path | bytes) -> str:
    """Hash what is to be seen, as encoders differ."""
    with Image.open(picture if isinstance(picture, Path) else BytesIO(picture)) as image:
        return f"{image.mode} {image.width}×{image.height}, {sha256(_without_words(image).tobytes()).strip()}"


def _without_words(image: Image.Image) -> Image.Image:
    """Leave out the words above and beside the pictures of a plate: their font depends on the machine."""
    return image.crop((60, 14, image.width, 78)) if image.mode == "RGBA" else image


def _tabulate(file: Path) -> str:
    """Read a table as its columns' types and its rows, as writers differ."""
    table = pl.read_parquet(file)
    return "".join(f"{name}: {kind}\n" for name, kind in table.schema.items()) + f"\n{table.write_ndjson()}"


_READERS: Mapping[str, Callable[[Path], str]] = {".png": _of_pixels, ".parquet": _tabulate}

_NAMING = "naming:images=1,numbers=1-3,categories=dots,size_px=128"
_VOTED = "objects=apple,numbers=2-3,scenes=home,styles=plain"
_PAINTER = "painter:size_px=128,weber=0.3"
_PICTURE = "2d4996da0af2654ad31110cb218f4b9723b3ce23866b9ce2b043ae34e7a63375.png"
_QUICK = "--simulations 200 --json"

TOPICS: Mapping[str, Topic] = {
    "list": Topic(
        (
            "list --json",
            *(f"list {kind} --json" for kind in ("suites", "models", "judges", "refinements", "papers", "datasets")),
            *(
                f"list {name} --json"
                for name in ("calibrations", "naming", "geckonum", "painter", "grid", "fruit.yaml")
            ),
        ),
        _write_suite,
    ),
    "doctor": Topic(("list parts --json",), mask=without_versions),
    "glyphs": Topic(("list glyphs --json", "list glyphs -o glyphs.png"), files=("glyphs.png",)),
    "prompts": Topic(
        (
            "make prompts production:numbers=1-2 --refine grid+additive --seed 2",
            "make prompts t2icountbench:objects=apple,numbers=2,scenes=home,styles=plain --refine position",
            "make prompts naming:images=1,numbers=1-2,categories=dots",
            "make prompts geckonum:tasks=1,numbers=2,types=numeric_simple --fresh 7",
            "make prompts fruit.yaml --sheet sheet.csv",
        ),
        _write_suite,
        ("sheet.csv",),
    ),
    "stimuli": Topic(
        (
            "make stimuli --suite naming:size_px=128 --numbers 1-2 --categories apples+dots --images 1 --out plain",
            "make stimuli --suite naming:size_px=128 --numbers 2-4 --control hull --background sky"
            " --overlap 0.2 --seed 3 --limit 3 --out controlled",
        ),
        files=("plain/*", "controlled/*"),
    ),
    "dry-runs": Topic(
        (
            "run production:numbers=1-2 --model openai:gpt-4o --model painter --judge vlm:openai:gpt-4o"
            " --dry-run --json --prices prices.toml",
            "run naming:numbers=1-3,images=2 --model openai:gpt-4o --limit 5 --dry-run --json --prices prices.toml",
            f"run production:numbers=1-2 --repeats 2 --model {_PAINTER} --out production --dry-run --json",
            "judge production --judge vlm:openai:gpt-4o --dry-run --prices prices.toml",
        ),
        _write_prices,
    ),
    "runs": Topic(
        (
            f"run production:numbers=1-3,categories=dots --repeats 2 --refine grid --model {_PAINTER} --out painted",
            f"run {_NAMING} --model observer --model random --seed 5 --out named",
            f"run {_NAMING} --model observer --seed 5 --out named",
            "judge painted --judge vlm:observer",
            "score painted --judge observer --pass-at-k --json",
            "compare painted --refined --judge observer --json",
            "compare named --json",
        ),
    ),
    "scores": Topic(
        (
            "score t2icountbench --judge observer --prompts fixed --json",
            "score schema_3 --judge vlm:observer --rule total --by category --json",
            "score schema_3 --judge observer --rule boxes>=0.5,iou=0.9 --by number --json",
            "score t2icountbench --judge voters --by style --pass-at-k --json",
            "score t2icountbench --judge voters --agreement majority --json",
            "score geckonum --judge people --agreement median --by type --json",
        ),
        _copy("schema_3", "t2icountbench", "geckonum"),
    ),
    "measures": Topic(
        (
            "measure schema_1 schema_3 --judge observer --json",
            "measure schema_3 --judge vlm:observer --rule total --json",
        ),
        _copy("schema_1", "schema_3"),
    ),
    "comparisons": Topic(
        (
            "compare naming --json",
            "compare naming --by category --measure accuracy --json",
            "compare naming schema_5 --prompts fixed --measure mae --json",
            "compare t2icountbench --refined --judge voters --json",
            "compare t2icountbench --refined --judge observer --rule boxes>=0.5 --json",
        ),
        _copy("naming", "schema_5", "t2icountbench"),
    ),
    "agreement": Topic(
        (
            "agree geckonum --by type --json",
            "agree geckonum --judge observer --against people --json",
            "agree geckonum --judge observer --against people --agreement median --rule boxes>=0.5 --by number --json",
        ),
        _copy("geckonum"),
    ),
    "calibration": Topic(
        (
            "agree calibrate production --judge finder --against vlm:observer --folds 3 --json",
            "agree calibrate production --judge finder --against vlm:observer --metric accuracy --iou --folds 4"
            " --seed 2 --save other --figure other.svg",
            "list calibrations --json",
            "score production --judge finder --rule calibrated:finder --json",
        ),
        _score_boxes,
        ("home/**/*",),
        mask=without_day,
    ),
    "alignment": Topic(
        (
            "judge production --judge dsg:openai:test-model,self_test=false",
            "score production --alignment --json",
            "score production --alignment --by number --by category --json",
            "make rewrites production:numbers=1-2,categories=dots+apples --model openai:test-model,concurrency=1"
            " --limit 3 --out own.csv",
            "make rewrites production:numbers=1-2,categories=dots --model openai:test-model --instruction Shorter"
            " --dry-run",
            f"run production:numbers=1,categories=dots --refine rewritten:file=kept.csv --model {_PAINTER} --repeats 1"
            " --out rewritten",
            "show rewritten --json",
        ),
        _serve_model,
        ("own.csv",),
        mask=without_port,
    ),
    "power": Topic(
        (
            f"make plan accuracy --rate 0.3 --prompts 60 --images 2 --icc 0.4 --against 0.5 {_QUICK}",
            f"make plan accuracy --suite production:numbers=1-4 --precision 0.05 --at 2 {_QUICK}",
            f"make plan accuracy --like production --judge observer --prompts 40 {_QUICK}",
            f"make plan error --mean 0.3 --sd 0.4 --prompts 50 --images 3 --strata 5 {_QUICK}",
            f"make plan error --like naming --model random --measure mae --prompts 30 --precision 0.4 {_QUICK}",
            f"make plan difference --rate 0.4 --difference 0.1 --models 3 --prompts 30 {_QUICK}",
            f"make plan difference --rate 0.4 --prompts 30 --power 0.8 --tests 2 --correlation 0.5 {_QUICK}",
            f"make plan kappa --raters 3 --kappa 0.6 --prompts 50 --images 2 --icc 0.3 {_QUICK}",
            f"make plan kappa --raters 3 --annotators 6 --habit 0.1 --share 0.3 --kappa 0.6 --prompts 40 {_QUICK}",
        ),
        _copy("production", "naming"),
    ),
    "claims": Topic(
        (
            "report tables geckonum --paper geckonum --judge people --claims --json",
            "report tables released --paper geckonum --claims --json",
            "report tables t2icountbench --paper t2icountbench --judge observer --claims --json",
            "report tables production --paper numbersense --judge observer --claims --json",
            "report tables production --paper numbersense --judge observer --json",
            "report reproduce t2icountbench --json",
            "report reproduce t2icountbench --claims --json",
            "report reproduce numbersense --json",
            "report reproduce numbersense --claims --json",
        ),
        _copy("geckonum", "released", "t2icountbench", "production"),
    ),
    "contents": Topic(
        (
            "show released geckonum/geckonum_00000 --json",
            "show geckonum geckonum/geckonum_01126 --json",
            "show naming naming/dots/3/0/things --json",
            "show production --exclude production/apples/1 --reason odd",
            "show production --exclude production/dots/1 --reason round --undo",
            "show production --json",
        ),
        _copy("released", "geckonum", "naming", "production"),
    ),
    "samples": Topic(
        (
            "annotate sample geckonum --n 3 --json",
            "annotate sample geckonum --n 2 --by type --form count --name other --seed 3 --json",
            "annotate screen geckonum --json",
            f"annotate screen geckonum --hold {_PICTURE} --reason dark --json",
            "annotate screen geckonum --list held.csv --reason listed --json",
            f"annotate screen geckonum --release {_PICTURE} --json",
        ),
        _write_list,
    ),
    "ratings": Topic(
        (
            "export ratings geckonum --out plain.csv",
            "export ratings geckonum --format parquet --with-people --out table.parquet",
            "export ratings geckonum --judge people --format label-studio --with-people --out label-studio",
            "export ratings geckonum --format potato --pictures all --out potato",
            "export ratings t2icountbench --out votes-out.csv",
            "export ratings geckonum --paper geckonum --judge people --out paper",
        ),
        _copy("geckonum", "t2icountbench"),
        ("plain.csv", "table*", "label-studio/**/*", "potato/**/*", "votes-out.csv", "paper/*"),
    ),
    "exports": Topic(
        (
            "export schema_1 --format jsonl --out lines",
            "export schema_3 --format parquet --out parquet",
            "export geckonum --format csv --with-people --out named",
        ),
        _copy("schema_1", "schema_3", "geckonum"),
        ("lines/*", "parquet/re*", "named/readings.csv"),
    ),
    "outputs": Topic(
        (
            "import outputs llava/20250101_120000_samples_countbench.jsonl --out lmms --json",
            "import outputs llava_CountBenchQA.tsv --out vlm --model other --json",
            "import outputs log.json --out inspect --json",
            "import outputs reviews/llava/count_qa_default.jsonl --format evalscope --out evalscope --json",
            "import outputs log.json --out inspect",
            "list scorers",
            "score lmms --scorer all --json",
            "score vlm --scorer vlmevalkit:countbenchqa --scorer lmms-eval:pixmo_count --judge parser --json",
            "show lmms lmms-eval-countbench/2 --json",
        ),
        _write_outputs,
        mask=without_times,
    ),
    "imports": Topic(
        (
            "run production:categories=apples,numbers=3-4 --model folder:drawn --repeats 3 --judge none --only-found"
            " --out named",
            "import readings --run named --from-file-names folder:drawn",
            "score named --json",
            "import images crate --out pictures --question 'How many apples are there?' --question 'Is there a dog?'",
            "import images crate --out pictures --question 'How many apples are there?' --question 'Is there a dog?'"
            " --model crate",
            "import readings said.csv --run pictures --judge people",
            "export pictures --format csv --out pictures-out",
            "import votes votes.csv --run votes --judge voters"
            f" --suite t2icountbench:{_VOTED} --suite t2icountbench~grid:{_VOTED}",
            "show votes --json",
            "score votes --pass-at-k --json",
        ),
        _bring_pictures,
        tuple(f"pictures-out/{table}.csv" for table in ("items", "readings", "observations")),
        mask=without_times,
    ),
    "attachments": Topic(
        (
            "import release numbersense released --out run",
            "import attachments run later --json",
            "import attachments run later/artist --model artist --layout names --json",
            "import attachments run later",
            "show run --json",
            "judge run --judge observer",
            "agree run --judge observer --against human --json",
        ),
        _release_names,
    ),
    "gimbrr": Topic(
        (
            "import release gimbrr release --out run",
            "show run --json",
            "export ratings run --paper gimbrr --out ratings.csv",
            "report tables run --paper gimbrr --claims --json",
        ),
        _release_ratings,
        ("ratings.csv",),
    ),
    "probes": Topic(
        (
            "make probes questions.csv --images pictures --split standard",
            "list probes.jsonl --json",
            "make probes questions.csv --split hard --statements faithful --foils as-released --cap 2"
            " --seed 3 -o hard.jsonl",
            "make caption-probes captions.csv -n 4 --seed 1",
            "make caption-probes captions.csv --source coco -o coco.jsonl",
        ),
        _write_questions,
        ("*.jsonl",),
    ),
    "corpus": Topic(
        (
            "corpus captions.csv --column caption --out counts --processes 1 --json",
            "corpus captions.csv more.csv --column caption --adjectives 0 --exclude percent --samples 1"
            " --processes 1 --json",
            "corpus more.csv --column caption --address image --out more --processes 1 --json",
            "corpus check right.csv --json",
            "corpus report counts more --json -o page.html",
            "corpus report counts --start 2 --json",
            "corpus link naming counts --json",
            "corpus pairs captions.csv --images pictures --judge observer --json",
            "corpus pairs captions.csv --images pictures --judge observer --limit 2 --seed 1 --out kept.jsonl --json",
        ),
        _write_captions,
        ("counts/*.json", "kept.jsonl"),
        mask=without_signs_of_zero,
        marks=(pytest.mark.spacy,),
    ),
    "report": Topic(
        (
            "report production --out production.html --tables production-tables",
            "report geckonum --agreement median --out geckonum.html --tables geckonum-tables",
            "report naming schema_1 --out both.html --tables both-tables",
        ),
        _copy("production", "geckonum", "naming", "schema_1"),
        ("production.html",),
        ("production-tables/*.md", "production-tables/*.tex", "geckonum-tables/geckonum-a*.csv"),
        mask=without_drawings,
    ),
    "plate": Topic(
        (
            "report plate production -o drawn.png --judge observer --columns 2 --size-px 64",
            "report plate production -o chosen.svg --judge vlm:observer --item production/dots/2 --transpose --repeat 1"
            " --size-px 64",
        ),
        _copy("production"),
        ("*.png", "*.svg"),
        mask=without_pictures,
    ),
}

COMMANDS: Mapping[str, tuple[str, ...]] = {name: topic.commands for name, topic in TOPICS.items()}
GOLDENS: dict[str, Golden] = {
    f"commands-{name}": Golden(partial(_make, topic), topic.marks) for name, topic in TOPICS.items()
}
