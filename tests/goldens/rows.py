"""What runs and imports store, row by row; with it the goldens of studies, pictures, and of how texts are read."""

import re
from pathlib import Path

from tests.commands import call
from tests.goldens import imports as golden_imports
from tests.goldens import language as golden_language
from tests.goldens import pixels as golden_pixels
from tests.goldens import studies as golden_studies
from tests.goldens.dumps import dump
from tests.goldens.texts import Golden, Texts, printed
from tests.models.openai_server import Behaviour, Fault, serving
from tests.suites.geneval_files import write_suites
from tests.suites.own_tables import write_lines, write_own_suites

PAINTER = "painter:size_px=128,weber=0.3"


def make_naming() -> Texts:
    """Stimuli, named by all stand-ins: a sample of the items, then all of them, each twice."""
    suite = "naming:images=1,numbers=1+3+7,categories=apples+dots,size_px=128"
    models = [f"--model={name}" for name in ("observer", "ideal-human:weber=0.3")]
    printed("run", suite, *models, "--seed", 3, "--limit", 5, "--out", "sampled")
    yield from ((file, text) for file, text in dump("sampled") if file != "sampled~readings.jsonl")
    printed("run", suite, *models, "--seed", 3, "--out", "sampled", "--repeats", 2)
    printed("exclude", "sampled", "naming/apples/1/0/objects", "--reason", "a test")
    printed("exclude", "sampled", "naming/dots/1/0/objects", "--reason", "a mistake")
    printed("exclude", "sampled", "naming/dots/1/0/objects", "--reason", "it was none", "--undo")
    for file, text in dump("sampled"):
        yield file.replace("sampled", "whole"), text


def make_options_of_naming() -> Texts:
    """What each option of `naming` makes of the items."""
    suite = "naming:images=1,categories=butterflies,size_px=128"
    for number, options in enumerate(
        (
            "numbers=2,control=area,background=sky",
            "control=hull,numbers=3+5",
            "numbers=2,overlap=0.2,background=stripes,control_question=false",
            "numbers=2,wordings=things,max_attempts=1,background=clouds",
        )
    ):
        run = f"run{number}"
        printed("run", f"{suite},{options}", "--model", "random", "--out", run, "--judge", "none", "--concurrency", 1)
        yield from dump(run, is_ordered=True)  # one answer at a time, and nobody judges


def make_production() -> Texts:
    """Drawings that are refined, asked for again where nothing is seen, and looked at by three judges."""
    suite, run = "production:numbers=1+9,categories=apples+dots", "drawn"
    refined = ("--refine", "grid", "--refine", "additive+position")
    printed("run", suite, *refined, "--model", PAINTER, "--repeats", 2, "--seed", 7, "--out", run)
    printed("run", suite, "--model", "ideal-human:weber=0.5", "--model", "random", "--repeats", 1, "--out", run)
    printed("judge", run, "--judge", "vlm:observer", "--model", "painter")
    printed("judge", run, "--judge", "vlm:observer,policy=total", "--model", "painter")
    printed("judge", run, "--judge", "again=observer", "--rule", "boxes>=0.7,iou=0.5", "--model", "painter")
    yield from dump(run)


def make_t2icountbench() -> Texts:
    """A limited sample with its refined prompts."""
    suite = "t2icountbench:objects=apple+cat,numbers=2-4,scenes=home"
    printed(
        "run", suite, "--refine", "multiplicative", "--limit", 3, "--model", PAINTER, "--repeats", 1, "--out", "t2i"
    )
    yield from dump("t2i")


def make_papers() -> Texts:
    """Some of GeckoNum's and of GIMBRR's prompts, which have questions of every kind."""
    for name, suite in (("geckonum", "geckonum"), ("gimbrr", "gimbrr")):
        printed("run", suite, "--limit", 12, "--model", "painter:size_px=128", "--repeats", 1, "--out", name)
        yield from dump(name)


YAML = """
prompts:
  plain: "{number in words} {colour} {noun(s)} on a table"
  odd: "{a noun} asleep"
words:
  noun: [cat, dog]
  number: 1-2
  colour: [red, blue]
ask:
  - count: "{noun}"
    is: 1-2
  - confirm: "Is the {noun} asleep?"
  - absent: person
  - choose: ["more cats", "more dogs"]
    is: 1
  - match
"""
PARTS = """
prompts: "{a noun} with no {missings}"
words:
  noun, missing:
    apple: [seed, leaf]
    table: [cup, book]
"""


def make_own_suites() -> Texts:
    """Suites in files of one's own: YAML, tables of questions and of prompts, one of which nobody understands."""
    Path("own.yaml").write_text(YAML, encoding="utf-8")
    Path("parts.yaml").write_text(PARTS, encoding="utf-8")
    rows = ("two red apples above a cat,,", "9 wombats,9,wombat", "half a pizza,,", "many cats,,")
    suites = {
        "own": "own.yaml",
        "parts": "parts.yaml",
        "refused": f"prompts:{write_lines(Path('prompts.csv'), 'prompt,count,noun', *rows)}",
        **write_own_suites(Path()),
        **write_suites(Path()),
    }
    for name, suite in suites.items():
        model = "observer" if name == "questions" else PAINTER
        printed("run", suite, "--model", model, "--repeats", 1, "--out", name)
        for file, text in dump(name):
            yield file, mask_items_hash(text) if file == "questions~suites.jsonl" else text


def mask_items_hash(text: str) -> str:
    """Mask the hash of items that name pictures by their whole paths."""
    return re.sub('"[0-9a-f]{64}"', '"<hash of paths>"', text)


def make_served() -> Texts:
    """A model behind an API: what it answers, refuses, fails at and draws, and what is asked again."""
    with serving(Behaviour(answer="count-hash", faults=_NAMING_FAULTS)) as server:
        suite = "naming:images=1,numbers=1-2,categories=apples+dots,size_px=128,max_attempts=2"
        model = f"openai:test-model,base_url={server.base_url}"
        _run_served(suite, f"{model},logprobs=3", "answered", "--no-sight-check")
        gaps = "naming:images=1,numbers=2,categories=apples,size_px=128,framing=gap"
        _run_served(gaps, model, "gaps", "--no-sight-check")
        server.begin(Behaviour(text="Some of them.", chat_usd_per_million=(1.0, 2.0)))
        _run_served(suite, f"served={model},temperature=0,max_tokens=9", "answered", "--no-sight-check")
    with serving(Behaviour(revises_prompts=True, text="There are none.", faults=_DRAWING_FAULTS)) as server:
        suite = "production:categories=apples+dots,numbers=1-3,max_attempts=2"
        address = f"base_url={server.base_url}"
        judge = f"vlm:openai:test-model,{address},self_test=false"
        _run_served(suite, f"openai:test-image-model,{address},size=64x64", "drawn", "--judge", judge, "--repeats", 2)
        call("judge", "drawn", "--judge", f"again={judge},policy=total", "--tries", 1)
        call("judge", "drawn", "--judge", f"dsg:openai:test-model,{address}", "--tries", 1)
    for run in ("answered", "gaps", "drawn"):
        yield from dump(run)


_ALL = tuple(range(500))
_NAMING_FAULTS = (
    Fault("content_filter", calls=_ALL, containing="How many apples"),
    Fault("malformed_json", calls=_ALL, containing="How many things"),
    Fault("refusal", calls=_ALL, containing="What does the image"),
)
_DRAWING_FAULTS = (
    Fault("content_filter", calls=_ALL, containing="3 apples"),
    Fault("truncated_image", calls=_ALL, containing="1 filled dot"),
    Fault("error_500", calls=_ALL, containing="How many apples"),
)


def _run_served(suite: str, model: str, run: str, *options: object) -> None:
    """Run a suite on a model that fails at some of it, for which the command ends with an error."""
    call("run", suite, "--model", model, "--seed", 5, "--tries", 1, "--concurrency", 1, "--out", run, *options)


GOLDENS: dict[str, Golden] = {
    "rows-naming": Golden(make_naming),
    "rows-naming-options": Golden(make_options_of_naming),
    "rows-production": Golden(make_production),
    "rows-t2icountbench": Golden(make_t2icountbench),
    "rows-papers": Golden(make_papers),
    "rows-own-suites": Golden(make_own_suites),
    "rows-served": Golden(make_served),
    **golden_imports.GOLDENS,
    **golden_language.GOLDENS,
    **golden_pixels.GOLDENS,
    **golden_studies.GOLDENS,
}
