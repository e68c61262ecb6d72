"""Runs of the four suites of probes by models that follow rules."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from subitize.interfaces import Model, Reply, Request
from subitize.papers.seeing_past_words.probes import CaptionPair, write_records
from subitize.records import Said, Scored, Spec
from subitize.registry import Resolved, make_judge, make_suite
from subitize.store import Folder, Run
from tests.papers.seeing_past_words.probe_files import make_probes
from tests.runs import run_suite

ANSWERS = [1, 1, 2, 2, 2, 3, 12]
Rule = Callable[[str, int, str], Mapping[str, float] | str]


class Ruled(Model):
    """A model that follows a rule: of the kind of a task, the right number, and the last part of the item's id."""

    concurrency = 8
    tasks = frozenset({"answer", "match", "fill"})

    def __init__(self, rule: Rule) -> None:
        self._rule = rule

    async def respond(self, request: Request, /) -> Reply:
        parts = request.item_id.split("/")
        number = ANSWERS[int(parts[3])] if parts[0] != "alignment-probe" else 0
        given = self._rule(request.task.kind, number, parts[-1])
        return Reply(Said(given) if isinstance(given, str) else Scored(given), request.provenance())


def know(kind: str, number: int, shown: str) -> Mapping[str, float] | str:
    if kind == "answer":
        return str(number)
    return {str(number): 0.9, "two": 0.05} if kind == "fill" else {"match": float(shown in ("right", str(number)))}


def say_two(kind: str, number: int, shown: str) -> Mapping[str, float] | str:
    return "2" if kind == "answer" else {"two": 0.9} if kind == "fill" else {"match": 0.9 if shown == "2" else 0.2}


def resemble(kind: str, number: int, shown: str) -> Mapping[str, float]:
    return {"match": 0.3 if shown in ("right", str(number)) else 0.2, "logit": 30.0}


def probe(run: Run, folder: Path, models: Mapping[str, Rule], suites: Mapping[str, str]) -> None:
    """Have each model answer the suites, each of a file in the folder."""
    for name, rule in models.items():
        model: Resolved[Model] = Resolved(Spec(name, {}, name), Ruled(rule), name)
        for suite, file in suites.items():
            if rule is not resemble or suite in ("counting-probe", "alignment-probe"):
                made = make_suite(f"{suite}:{folder / file}")
                run_suite(run, made, model, make_judge("parser"))


def probe_all(folder: Path) -> Run:
    """Make a run of all suites of probes, in two splits, by all models."""
    probes = make_probes(folder, ANSWERS)
    hard = [replace(one, split="hard", part=("validation", "test")[place % 2]) for place, one in enumerate(probes)]
    write_records(folder / "probes.jsonl", [*probes, *hard])
    pairs = [CaptionPair(f"coco/{n}", "coco", f"{n}.jpg", f"picture {n}", f"picture {n + 1}") for n in range(4)]
    write_records(folder / "pairs.jsonl", pairs)
    counting = dict.fromkeys(("counting-probe", "counting-probe-masked", "counting-probe-vqa"), "probes.jsonl")
    run = Run(Folder(folder / "run"), create=True)
    models = {"knower": know, "two-sayer": say_two, "clip": resemble}
    probe(run, folder, models, {**counting, "alignment-probe": "pairs.jsonl"})
    run.add_model(Spec("clip", {}, "clip"), is_stand_in=False, name="CLIP")
    return run
