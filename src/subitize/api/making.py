"""Verbs that write what a run is made of: prompts, pictures, rewritten prompts, probes."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from subitize.api import options
from subitize.api.calls import AS_WARNINGS, as_list, as_path, make_budget, outside_loop, told, verb
from subitize.api.options import AnyPath, Arg, Names, Opt
from subitize.errors import BadValueError
from subitize.evaluate.plan import check_size
from subitize.interfaces import Events
from subitize.io.files import escape_formula, write_rows
from subitize.io.outputs import check_file, check_folder, write_atomic
from subitize.io.specs import write_spec
from subitize.language.numbers import count_noun
from subitize.models.image_folders import name_file
from subitize.records import Draw, Item, task_text
from subitize.registry import make_items, make_model, make_refined, make_suite
from subitize.report.table import Result
from subitize.stimuli.export import write_stimuli

ProbesFile = Annotated[AnyPath, Opt("The file to write, a probe per line.", "FILE", "--out -o")]
Pictures = Annotated[AnyPath | None, Opt("Count and name the images missing.", "DIR")]


@verb
def make_prompts(
    suite: options.Suite,
    *,
    seed: options.Seed = 0,
    official: options.Official = None,
    fresh: options.Fresh = None,
    nouns: options.Nouns = None,
    refine: options.Refine = (),
    sheet: Annotated[AnyPath | None, Opt("Write a row per image to this file, with the image's name.", "FILE")] = None,
    events: Events = AS_WARNINGS,
) -> str | Result:
    """Print a suite's prompts or questions as CSV.

    Columns: id, prompt, base (the item that it refines, if any), and one for each factor.
    """
    spec = write_spec(suite, {"prompts": official, "fresh": fresh, "nouns": nouns})
    made = [make_suite(spec), *(make_refined(spec, name) for name in options.split_refinements(refine))]
    events.warn(*made[0].obj.notes)
    for one in made:
        check_size(one, seed)
    items = [item for one in made for item in make_items(one, seed)]
    if sheet is None:
        return _tabulate(items)
    check_file(Path(sheet))
    repeats = made[0].obj.repeats
    write_atomic(Path(sheet), [_tabulate(items, repeats).encode()])
    command = f"subitize run {shlex.quote(spec)} --repeats {repeats} --model folder:FOLDER"
    count = count_noun(len(items) * repeats, "image")
    return told({"images": len(items) * repeats}, f"{sheet}: {count} to make; once they are in a folder: {command}")


def _tabulate(items: Sequence[Item], repeats: int = 0) -> str:
    """Write items as CSV; with repeats, one row per image, with the file name that `folder:` expects."""
    if repeats and not all(isinstance(item.task, Draw) for item in items):
        see = "for these: subitize make stimuli"
        raise BadValueError(f"`sheet` lists images to be made, and this suite shows pictures; {see}")
    own = dict.fromkeys(name for item in items for name in item.factors)
    columns = [*["file"] * bool(repeats), "id", "prompt", *["base"] * any(item.base for item in items), *own]
    rows = []
    for item in items:
        row = {"id": item.id, "prompt": task_text(item.task), "base": item.base, **item.factors}
        rows += [row | {"file": name_file(item.id, repeat)} for repeat in range(max(repeats, 1))]
    return write_rows(columns, ({name: _inert(row.get(name)) for name in columns} for row in rows))


def _inert(value: object) -> object:
    return escape_formula(value) if isinstance(value, str) else value


@verb
def make_stimuli(
    out: Annotated[AnyPath, Opt("Where to write them.", "DIR")] = "stimuli",
    *,
    suite: Annotated[str, Opt("A suite that shows pictures, with its options.", "SUITE")] = "naming",
    control: Annotated[str | None, Opt("Hold this magnitude constant over numbers.", "area|size|hull|density")] = None,
    numbers: Annotated[str | None, Opt("Such as 1-50 or 1+2+5 [1-10].", "NUMBERS")] = None,
    categories: Annotated[str | None, Opt("Such as apples+dots [all].", "NAMES")] = None,
    images: Annotated[str | None, Opt("Pictures per category and number [50].", "N")] = None,
    background: Annotated[
        str | None, Opt("white, grey, cream, sky, gradient, clouds or stripes [white].", "NAME")
    ] = None,
    overlap: Annotated[str | None, Opt("By how much of their diameters items may overlap [0].", "SHARE")] = None,
    seed: options.Seed = 0,
    limit: Annotated[int | None, Opt("Only the first N pictures.", "N", least=1)] = None,
    events: Events = AS_WARNINGS,
) -> Path:
    """Write a suite's pictures as PNG files.

    Also writes a CSV of their magnitudes, and one of the correlations between these.
    """
    check_folder(Path(out))
    given = {"control": control, "numbers": numbers, "categories": categories, "images": images}
    made = make_suite(write_spec(suite, given | {"background": background, "overlap": overlap}))
    check_size(made, seed, limit)
    return write_stimuli(make_items(made, seed), Path(out), events, limit)


@verb
@outside_loop
def make_rewrites(
    suite: options.Suite,
    model: Annotated[str, Opt("A model that writes texts: openai:MODEL,base_url=…", "MODEL")],
    *,
    out: Annotated[AnyPath, Opt("The CSV file to write or go on with.", "FILE", "--out -o")] = "rewritten.csv",
    instruction: Annotated[
        str | None, Opt("What the model is asked to do with a prompt [see --dry-run].", "TEXT")
    ] = None,
    limit: Annotated[int | None, Opt("Only N prompts: those that run --limit takes first.", "N")] = None,
    seed: options.Seed = 0,
    tries: options.Tries = 5,
    max_cost: Annotated[float | None, Opt("Stop before this command has cost more than this.", "USD")] = None,
    prices: options.Prices = None,
    dry_run: Annotated[bool, Opt("Only show what would be sent first.")] = False,
    events: Events = AS_WARNINGS,
) -> "str | None":
    """Have a language model rewrite a suite's prompts.

    To run them: subitize run SUITE --refine rewritten:file=FILE.
    """
    from subitize.evaluate.execution import raise_exhausted, raise_failures
    from subitize.evaluate.rewriting import INSTRUCTION, Rewriting, rewrite_suite

    check_file(Path(out))
    text = INSTRUCTION if instruction is None else instruction
    budget = make_budget(prices, max_cost)
    rewriting = Rewriting(make_suite(suite), make_model(model), Path(out), text, limit, seed, tries, budget)
    if dry_run:
        items = rewriting.items()
        count = count_noun(len(items), "prompt")
        return f"{count}; the first would be sent as:\n\n{rewriting.text_for(items[0])}\n"
    summary = rewrite_suite(rewriting, events)
    events.say(f"{rewriting.model}: {summary}")
    if summary.written or summary.already_done:
        next_step = shlex.join(["run", suite, "--refine", f"rewritten:file={out}", "--model", "NAME"])
        events.say(f"written to {out}; see: subitize {next_step}")
    raise_exhausted(budget)
    raise_failures(summary.reasons)
    return None


@verb
def make_probes(
    files: Annotated[Names, Arg("Released probes, Visual7W, TallyQA or VALSE as JSON; own CSV or JSONL.", "FILE…")],
    *,
    out: ProbesFile = "probes.jsonl",
    split: Annotated[Names, Opt("standard, hard or interpolated; may be given several times [all].")] = (),
    statements: Annotated[str | None, Opt("faithful or corrected [as released; of new data, corrected].")] = None,
    foils: Annotated[str, Opt("symmetric or as-released, where the data has none.")] = "symmetric",
    cap: Annotated[int, Opt("Of the hard split: questions per answer.")] = 200,
    largest: Annotated[int, Opt("Of the hard split: the largest answer in training.")] = 20,
    images: Pictures = None,
    seed: options.Seed = 0,
    events: Events = AS_WARNINGS,
) -> Result:
    """Make counting probes: statements with right and wrong numbers.

    To run them: subitize run counting-probe:FILE.
    """
    chosen = {"splits": as_list(split) or None, "mode": statements, "foils": foils, "cap": cap, "largest": largest}
    paths = [Path(one) for one in as_list(files)]
    return _write_probes("build", paths, out, events, f"subitize list {out}", images=images, seed=seed, **chosen)


@verb
def make_caption_probes(
    file: Annotated[AnyPath, Arg("COCO's captions JSON, Conceptual Captions' TSV, or CSV.", "FILE")],
    *,
    out: ProbesFile = "pairs.jsonl",
    source: Annotated[str | None, Opt("coco, gcc … [the file's name].", "NAME")] = None,
    number: Annotated[int, Opt("How many images, chosen at random.", flags="--number -n")] = 5000,
    images: Pictures = None,
    seed: options.Seed = 0,
    events: Events = AS_WARNINGS,
) -> Result:
    """Pair images with their own caption and one of another image.

    To run them: subitize run alignment-probe:FILE.
    """
    chosen = {"source": source or Path(file).stem, "number": number, "images": images, "seed": seed}
    see = f"subitize run alignment-probe:{out} --model MODEL"
    return _write_probes("captions", Path(file), out, events, see, **chosen)


def _write_probes(what: str, given: object, out: AnyPath, events: Events, see: str, **chosen: Any) -> Result:  # noqa: ANN401
    from subitize.papers import find, load

    check_file(Path(out))
    written = load(str(find("probes", what)))(given, Path(out), **chosen | {"images": as_path(chosen["images"])})
    events.warn(*written.warnings)
    return told({"path": str(out)}, f"{written.summary}, written to {out}; see: {see}")
