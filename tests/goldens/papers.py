"""What the papers' suites, releases and tables come to, and what corpora are counted to."""

import json
import os
import re
import shutil
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product
from pathlib import Path

import pytest

from subitize.records import Stimulus
from subitize.registry import make_suite
from subitize.stimuli.recipes import render
from tests.commands import call
from tests.corpus.kept_pipelines import keep_pipelines
from tests.goldens.items import describe_suites, hash_items, without_folder
from tests.goldens.texts import Golden, Texts, file_name, printed, read_files, sha256, without_last_digits
from tests.papers.gimbrr.gimbrr_release import RATINGS, read_rows, write_rows
from tests.papers.gimbrr.gimbrr_release import write_release as write_gimbrr
from tests.papers.numbersense.numbersense_names import write_names
from tests.papers.seeing_past_words.probe_files import write_questions, write_visual7w
from tests.papers.seeing_past_words.probe_runs import probe_all
from tests.suites.own_tables import write_json, write_lines

ROOT = Path(__file__).parents[2]
KEPT = ROOT / "tests" / "golden"
RUN, RELEASE = "run", "release"
PAINTER = "painter:size_px=128,weber=0.3"


def tell(*command: object) -> Texts:
    """Run a command that must succeed: what it prints, and what it warns of."""
    done = call(*command)
    assert done.code == 0, f"{command}: {done.err}"
    name = file_name(command, "json" if "--json" in command else "txt")
    yield name, fold(without_folder(done.out)) if "--json" in command else without_folder(done.out)
    if done.err:
        yield f"{name}.err.txt", without_folder(done.err)


def tell_all(*commands: Sequence[object]) -> Texts:
    """Run commands, one after the other."""
    for command in commands:
        yield from tell(*command)


def fold(text: str) -> str:
    """Write JSON with a line per record instead of one per value."""
    return json.dumps(json.loads(text), ensure_ascii=False).replace("}, {", "},\n{") + "\n"


def tables(*command: object) -> Texts:
    """Run a command that prints rows of tables as JSON: a file per table, and the hash of all as they are printed."""
    done = call(*command, "--json")
    assert done.code == 0, f"{command}: {done.err}"
    name = file_name(command, "json")
    rows: dict[str, list[dict[str, object]]] = defaultdict(list)
    for row in done.json():
        rows[str(row.get("table", ""))].append(row)
    for table, own in rows.items():
        yield f"{name}{re.sub(r'[^a-z0-9.-]+', '_', f'~{table.lower()}').rstrip('_')}.jsonl", shorten(own)
    yield f"{name}.sha256.txt", hashed(done.out)
    if done.err:
        yield f"{name}.err.txt", without_folder(done.err)


def shorten(rows: Iterable[dict[str, object]]) -> str:
    """Write a line per row, and one of names before the first and wherever a row has others; "=" is as above."""
    lines: list[list[object]] = []
    above: dict[str, object] = {}
    for row in rows:
        if [*row] != [*above]:
            lines.append([*row])
            above = dict.fromkeys(row)
        lines.append(["=" if value == above[name] is not None else value for name, value in row.items()])
        above = row
    return "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines)


def begin(file: str, clean: Callable[[str], str] = str) -> Texts:
    """Read the first lines of a long file; of all of them take the hash."""
    lines = clean(Path(file).read_text(encoding="utf-8")).splitlines(keepends=True)
    yield file, "".join([*lines[:MOST_LINES], f"{len(lines)} lines, {hashed(''.join(lines))}"])


def without_times(text: str) -> str:
    """Leave out when a reading was stored: what ends a line of JSON after "at", or of CSV in the last column."""
    return re.sub(r'(?m)(?<="at": )\d{10}\.\d+$|(?<=,)\d{10}\.\d+$', "0", text)


def in_order(text: str) -> str:
    """Sort lines that are written as soon as a picture has been looked at, several at once."""
    return "".join(sorted(text.splitlines(keepends=True)))


MOST_LINES = 10


def hashed(text: str) -> str:
    """Hash a text as it is on every machine."""
    return sha256(without_last_digits(text))


def report(run: str) -> Texts:
    """Write a report: the tables of its figures and sections."""
    printed("report", run, "--out", f"{run}.html", "--tables", f"{run}-report")
    for file, text in read_files(Path(f"{run}-report"), "*.csv"):
        yield (
            f"{run}-report~{file}",
            re.sub(r"(?m),20\d\d-\d\d-\d\d(?=,stand-in$|$)", ",…", text),
        )  # the day on which it was made


def gimbrr() -> Texts:
    """A made-up release, with an image that is rated once each way; it goes in, out, and in again."""
    release = write_gimbrr(Path(RELEASE), per_task=2)
    rows = read_rows(release / RATINGS)
    rows.append({**rows[-1], "annotation": "True" if rows[-1]["annotation"] == "False" else "False"})
    write_rows(release / RATINGS, list(rows[0]), rows)
    yield from tables("report", "reproduce", "gimbrr", release, "--extensions")
    yield from tell_all(
        ("report", "reproduce", "gimbrr", release, "--extensions"),
        ("report", "reproduce", "gimbrr", release, "--claims", "--json"),
        ("import", "release", "gimbrr", release, "--out", RUN),
    )
    yield from hashed_tables(RUN, "--paper", "gimbrr")
    yield from report(RUN)
    yield from tables("score", RUN)
    yield "show.json", without_times(printed("show", RUN, f"gimbrr/{rows[-1]['ID']}", "--json"))
    yield from tell_all(
        ("export", "ratings", RUN, "--out", "ratings.csv"),
        ("export", "ratings", RUN, "--paper", "gimbrr", "--out", "exported.csv"),
        ("import", "readings", "exported.csv", "--run", RUN, "--judge", "again"),
        ("agree", RUN, "--json"),
    )
    yield from begin("ratings.csv", without_times)
    yield from begin("exported.csv")
    yield from hashed_tables(RUN, "--paper", "gimbrr", "--judge", "again")


def gimbrr_drawn() -> Texts:
    """Drawings that the observer judges, by all of a prompt's parts."""
    suite = "gimbrr:tasks=single+multiple+counting+spatial+controlled-counting+controlled-arithmetic,per_task=4"
    for model in (PAINTER, "painter:size_px=128"):
        printed("run", suite, "--model", model, "--judge", "observer", "--out", RUN)
    yield from tell("report", "tables", RUN, "--paper", "gimbrr", "--claims", "--json")
    yield from tables("report", "tables", RUN, "--paper", "gimbrr", "--extensions")
    yield from tables("score", RUN, "--by", "task")
    yield from report(RUN)


def seeing_past_words() -> Texts:
    """Runs of all four suites by models that follow rules; what the paper's own data would have is made up."""
    probe_all(Path()).close()
    yield from tables("report", "tables", RUN, "--paper", "seeing-past-words", "--extensions")
    yield from tell_all(
        ("report", "tables", RUN, "--paper", "seeing-past-words", "--extensions"),
        ("report", "tables", RUN, "--paper", "seeing-past-words", "--claims", "--json"),
    )
    yield from report(RUN)
    yield from tables("score", RUN)


def probe_files() -> Texts:
    """The probes that are built of all kinds of sources."""
    described: list[str] = []
    for source, options in write_sources(Path()):
        out = file_name([source.stem, *options], "jsonl")
        yield from tell("make", "probes", source, *options, "--out", out)
        described += hash_rows(out, printed("list", out, "--json"))
        yield from begin(out)
    yield "described.txt", "".join(described)
    yield from tables("list", "questions.jsonl")
    for number in (4, 8):
        out = f"pairs-{number}.jsonl"
        yield from tell("make", "caption-probes", write_captions(Path()), "-n", number, "--out", out)
        yield from begin(out)


def numbersense() -> Texts:
    """Folders of images that have the counts in their names, a run of them, and runs of ours."""
    for model in ("FLUX", "dall-e_3"):
        write_names(Path("images", model), numbers=range(1, 6), images=4)
    yield from tables("report", "reproduce", "numbersense", "images", "--extensions")
    yield from tell_all(
        ("report", "reproduce", "numbersense", "--json"),
        ("report", "reproduce", "numbersense", "images", "--claims", "--json"),
        ("import", "release", "numbersense", "images", "--out", RUN),
    )
    yield from hashed_tables(RUN, "--paper", "numbersense")
    for run in ("naming", "production"):
        copy_kept(run)
        yield from tables("report", "tables", run, "--paper", "numbersense", *_JUDGES[run], "--extensions")
        yield from tell("report", "tables", run, "--paper", "numbersense", *_JUDGES[run], "--claims", "--json")
    yield from report(RUN)


_JUDGES = {"naming": (), "production": ("--judge", "observer")}


def t2icountbench() -> Texts:
    """What is printed in the paper, and what its claims come to in a run of ours."""
    copy_kept("t2icountbench")
    judged = ("report", "tables", "t2icountbench", "--paper", "t2icountbench", "--judge")
    yield from tell_all(
        ("report", "reproduce", "t2icountbench", "--json"),
        ("report", "reproduce", "t2icountbench"),
        ("report", "reproduce", "t2icountbench", "--claims", "--json"),
        (*judged, "observer", "--claims", "--json"),
        (*judged, "observer", "--extensions"),
        (*judged, "voters", "--claims", "--json"),
    )


def geckonum() -> Texts:
    """The kept release as tables and claims, as a run, and as what goes out again."""
    release = shutil.copytree(KEPT / "release", RELEASE)
    yield from tables("report", "reproduce", "geckonum", release, "--extensions")
    yield from tell_all(
        ("report", "reproduce", "geckonum", release),
        ("report", "reproduce", "geckonum", release, "--claims", "--json"),
        ("import", "release", "geckonum", release, "--out", RUN),
        ("export", "ratings", RUN, "--paper", "geckonum", "--out", "exported"),
    )
    yield from read_files(Path(), "exported*")
    yield from hashed_tables(RUN, "--paper", "geckonum")
    copy_kept("geckonum")
    yield from tell("report", "tables", "geckonum", "--paper", "geckonum", "--judge", "people", "--claims", "--json")


def hashed_tables(*run: object) -> Texts:
    """Hash what `tables --json` prints of a run, with and without extensions, and its claims."""
    for more in ((), ("--extensions",), ("--claims",)):
        command = ("report", "tables", *run, *more, "--json")
        yield file_name(command, "sha256.txt"), hashed(printed(*command))


def copy_kept(run: str) -> None:
    """Copy a kept run to where it may be written."""
    shutil.copytree(KEPT / "runs" / run, run)


def write_sources(folder: Path) -> Iterable[tuple[Path, Sequence[object]]]:
    """Write questions in all forms that probes are built of, and give the options to build them with."""
    dogs, cats = "How many dogs are there?", "How many cats wear a red hat?"
    answers = [1, 2, 2, 3, 4, 2, 5, 6, 1, 3, 24, 2]
    visual7w = [
        (image, part, dogs if image % 3 else cats, f"{answer}.", ["1.", "Two.", f"{answer + 2}."])
        for image, (answer, part) in enumerate(product(answers, ("train", "val", "test")))
    ]
    visual7w.append((0, "train", "Why?", "No.", []))
    source = write_visual7w(folder / "dataset.json", visual7w)
    yield source, ()
    yield source, ("--cap", 2, "--largest", 4, "--statements", "faithful")
    yield source, ("--split", "standard", "--foils", "as-released", "--seed", 3)
    tallyqa = [
        {"answer": answer, "data_source": "amt", "image": f"VG_100K/{row}.jpg", "image_id": row, "question_id": row}
        | {"question": (dogs, cats, "How many hats do the 2 dogs wear?")[row % 3]}
        for row, answer in enumerate(answers)
    ]
    yield write_json(folder / "train.json", tallyqa), ("--split", "standard")
    yield write_json(folder / "counting-hard.json", {f"valse-{row}": _valse(row) for row in range(1, 6)}), ()
    yield write_json(folder / "hard.val.json", {"a": _released()}), ()
    yield write_questions(folder / "questions.csv"), ()


def _valse(row: int) -> dict[str, object]:
    return {
        "image_file": f"v7w_{row}.jpg",
        "caption": f"There are exactly {row + 1} dogs.",
        "foil": f"There are exactly {row + 4} dogs.",
        "classes": row + 1,
        "classes_foil": [row + 4],
        "mturk": {"caption": 3 - row % 3, "foil": row % 3, "other": 0},
    }


def _released() -> dict[str, object]:
    texts = ["There is 1 dog.", "There are 3 dogs.", "There are 3 dogs.", "There are 2 dogs."]
    return {
        "image_file": "v7w_1.jpg",
        "caption": "How many dogs are there?",
        "answer": 2,
        "split": "valid",
        "foils": [1, 3, 3, 2],
        "declarative_statement": "There are 2 dogs.",
        "declarative_statement_foils": texts,
    }


def write_captions(folder: Path) -> Path:
    """Write captions of images, of which some have two and some say the same."""
    rows = (f"{row % 9}.jpg,A {noun} on a {place}" for row, (noun, place) in enumerate(product(_NOUNS, _PLACES)))
    return write_lines(folder / "captions.csv", "image,caption", *rows)


_NOUNS, _PLACES = ("dog", "cat", "kite", "boat"), ("lawn", "table", "roof")


def corpus() -> Texts:
    """Counts that are kept, of two corpora, and what they have to do with a kept run."""
    for name in CORPORA:
        shutil.copytree(KEPT / "corpora" / name, name)
    copy_kept("production")
    for name in CORPORA:
        yield from tell("corpus", "report", name)
    yield from tell_all(
        ("corpus", "report", *CORPORA, "--json"),
        ("corpus", "report", *CORPORA, "--start", 2),
        ("corpus", "link", "production", CORPORA[0], "--judge", "observer", "--json"),
        ("corpus", "link", "production", CORPORA[0], "--judge", "observer"),
    )
    printed("corpus", "report", *CORPORA, "-o", "page.html")
    yield "page.html", readable(Path("page.html").read_text(encoding="utf-8"))


CORPORA = ("common", "heaped")


def readable(page: str) -> str:
    """Keep of a page what is neither its charts, which fonts and machines draw differently, nor its code and style."""
    return re.sub(r"(?s)<(svg|style|script)\b.*?</\1>", "", page)


def counted_corpus() -> Texts:
    """Captions that the tagger reads: their counts, and those that disagree with their images."""
    own = [row["caption"] for row in read_rows(CAPTIONS)]
    rows = ({"text": caption, "url": f"http://x.example/{place}.jpg"} for place, caption in enumerate(own))
    write_lines(Path("captions.jsonl"), *map(json.dumps, rows), "no JSON")
    counting = ("corpus", "captions.jsonl", "--column", "text", "--address", "url", "--processes", 1)
    more = ("--adjectives", 2, "--participles", "--proper-nouns", "--exclude", "years", "--samples", 1)
    pairs = ("corpus", "pairs", write_pairs(Path()), "--images", "images", "--judge", "observer")
    with keep_pipelines():
        yield from tell_all(
            (*counting, "--out", "counted"),
            (*counting, *more),
            ("corpus", "check", shutil.copy(CAPTIONS, "own.csv"), "--json"),
            (*pairs, "--out", "looked-at.jsonl", "--json"),
            (*pairs, "--limit", 3),
        )
    counts = Path("counted", "counts.json").read_text(encoding="utf-8")
    yield "counts.json", without_version(without_folder(counts))
    yield from begin("looked-at.jsonl", in_order)


CAPTIONS = ROOT / "tests" / "corpus" / "captions.csv"


def without_version(counts: str) -> str:
    """Leave out with which version captions were counted."""
    return re.sub(r'"subitize": "[^"]*"', '"subitize": ""', counts)


def write_pairs(folder: Path) -> Path:
    """Write images of apples and captions of them: two agree, one does not, and one image is not there."""
    (folder / "images").mkdir()
    for number in (1, 2, 3, 4):
        (folder / "images" / f"{number}.png").write_bytes(render(Stimulus("apples", number, number, 256)).png)
    rows = (
        "1.png,1 apple on a table",
        "2.png,two apples",
        "3.png,5 apples",
        "4.png,2 apples and 2 apples",
        "5.png,two cats",
    )
    return write_lines(folder / "pairs.csv", "image,caption", *rows, "6.png,no number at all")


def released() -> Texts:
    """The papers' own data: a hash of each table, each claim, and of whatever else is printed."""
    data = shared_data()
    probes = sorted((data / "counting-probe").glob("*.json"))
    yield "gimbrr.txt", "".join(hash_release("gimbrr", data / "gimbrr"))
    yield "geckonum.txt", "".join(hash_release("geckonum", data / "geckonum"))
    yield "seeing-past-words.txt", "".join(hash_probes(probes))
    for path in (*sorted((data / "gimbrr").glob("Prompt*")), data / "geckonum" / "prompts.csv"):
        items = make_suite(f"{path.parent.name}:prompts={path}").obj.items(0)
        yield f"{path.parent.name}-{path.stem}.txt", hash_items(path.name, list(items))


def shared_data() -> Path:
    """Find what papers' authors released, which is never part of the project; skip where it is not."""
    folder = Path(os.environ.get("SUBITIZE_DATA") or ROOT.parent / "shared" / "data")
    if not folder.is_dir():
        pytest.skip("needs the papers' data in ../shared/data or $SUBITIZE_DATA")
    return folder


def hash_release(paper: str, folder: Path) -> Iterator[str]:
    """Hash what a paper's released data are reproduced to, and what a run of them has."""
    for options in (("--extensions",), ("--claims",)):
        yield from hash_rows(
            f"reproduce {options[0]}", printed("report", "reproduce", paper, folder, *options, "--json")
        )
    run = f"{paper}-run"
    done = call("import", "release", paper, folder, "--out", run)
    yield f"import: {hashed(done.out + done.err)}"
    for command in (
        ("report", "tables", run, "--paper", paper, "--extensions"),
        ("report", "tables", run, "--paper", paper, "--claims"),
    ):
        yield f"{command[1]} {command[-1]}: {hashed(printed(*command, '--json'))}"
    yield f"score: {hashed(printed('score', run, '--json'))}"
    printed("export", "ratings", run, "--paper", paper, "--out", f"{paper}-exported")
    yield from (f"export {name}: {hashed(text)}" for name, text in read_files(Path(), f"{paper}-exported*"))
    yield from (f"report {name}: {hashed(text)}" for name, text in report(run))


def hash_rows(name: str, text: str) -> Iterator[str]:
    """Hash printed cells table by table, and claims one by one."""
    rows: dict[str, list[str]] = defaultdict(list)
    for row in json.loads(text):
        rows[row.get("table") or row["id"]].append(f"{json.dumps(row, ensure_ascii=False)}\n")
    for table, own in rows.items():
        yield f"{name} {table}: {hashed(''.join(own))}"
    yield f"{name}: {hashed(text)}"


def hash_probes(sources: Sequence[Path]) -> Iterator[str]:
    """Hash the probes that are built of the released splits, and what is said of them."""
    printed("make", "probes", *sources, "--out", "probes.jsonl")
    yield f"probes: {hashed(Path('probes.jsonl').read_text(encoding='utf-8'))}"
    yield f"described: {hashed(printed('list', 'probes.jsonl', '--json'))}"
    for suite in ("counting-probe", "counting-probe-masked", "counting-probe-vqa"):
        yield hash_items(suite, list(make_suite(f"{suite}:probes.jsonl").obj.items(0)))


GOLDENS: dict[str, Golden] = {
    "items": Golden(describe_suites),
    "gimbrr-released": Golden(gimbrr),
    "gimbrr-drawn": Golden(gimbrr_drawn),
    "seeing-past-words": Golden(seeing_past_words),
    "probe-files": Golden(probe_files),
    "numbersense": Golden(numbersense),
    "t2icountbench-printed": Golden(t2icountbench),
    "geckonum-released": Golden(geckonum),
    "corpora": Golden(corpus),
    "corpus-counted": Golden(counted_corpus, marks=(pytest.mark.spacy,)),
    "authors-data": Golden(released),
}
