"""The framings of the counting probe, end to end: networks from disk, a server, and scorers whose figures are known."""

import math
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from subitize.interfaces import Model, Reply, Request
from subitize.language.numbers import NUMERALS
from subitize.models.chat import score_answer
from subitize.papers.seeing_past_words.probes import write_records
from subitize.papers.seeing_past_words.tables import tabulate_run
from subitize.records import (
    Elsewhere,
    Fill,
    Match,
    Outcome,
    Provenance,
    Refused,
    Said,
    Scored,
    Spec,
    Task,
    Token,
)
from subitize.registry import Resolved, make_judge, make_suite
from subitize.stimuli.observing import look_at
from subitize.store import Folder, Run, StoredResponse
from tests.commands import call
from tests.models.openai_server import Behaviour, Server, serving
from tests.networks import tiny_matchers, tiny_vlms
from tests.papers.seeing_past_words.probe_files import ANSWERS, make_probes, write_suites
from tests.runs import run_suite

MATCHED, FILLED, ANSWERED, ALIGNED = "counting-probe", "counting-probe-masked", "counting-probe-vqa", "alignment-probe"
Writers = Mapping[str, Callable[[Path], Path]]
NETWORKS: Mapping[str, Writers] = {
    MATCHED: {
        "CLIP": tiny_matchers.write_clip,
        "ViLT": tiny_matchers.write_vilt_itm,
        "BLIP-2": tiny_matchers.write_blip2_itm,
        "BLIP-2 asked": tiny_vlms.write_blip2,
        "LXMERT": tiny_matchers.write_lxmert,
    },
    FILLED: {"ViLT": tiny_matchers.write_vilt_mlm, "LXMERT": tiny_matchers.write_lxmert},
    ANSWERED: {
        "ViLT": tiny_vlms.write_vilt_vqa,
        "BLIP-2": tiny_vlms.write_blip2,
        "LXMERT": tiny_vlms.write_lxmert_vqa,
    },
    ALIGNED: {"CLIP": tiny_matchers.write_clip},
}


@pytest.fixture(scope="module")
def specs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return write_suites(tmp_path_factory.mktemp("probes"))


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving() as server:
        yield server


def outcomes(out: Path) -> list[Outcome]:
    with Run(Folder(out)) as run:
        return [one.response.outcome for one in run.responses()]


def write_seen(folder: Path, suite: str) -> Path:
    """Write what a detector saw in the images: our way, and for gaps as bottom-up attention does."""
    if suite == FILLED:
        return tiny_matchers.write_region_table(folder / "seen.tsv", [str(row) for row in range(len(ANSWERS))])
    width = tiny_vlms.REGION_FEATURES if suite == ANSWERED else 20
    return tiny_matchers.write_regions(folder / "seen.npz", [f"{row}.png" for row in range(len(ANSWERS))], width=width)


@pytest.mark.torch
@pytest.mark.parametrize("suite", NETWORKS)
def test_networks_from_disk_do_a_framing(suite: str, specs: dict[str, str], tmp_path: Path) -> None:
    models = []
    for place, (name, write) in enumerate(NETWORKS[suite].items()):
        folder = write(tmp_path / str(place))
        regions = f",regions={write_seen(tmp_path / str(place), suite)}" if name == "LXMERT" else ""
        models.append(f"transformers:{folder}{regions}")
    named = [argument for model in models for argument in ("--model", model)]
    ended = call("run", specs[suite], *named, "--out", tmp_path / "run", "--no-sight-check")
    assert ended.code == 0, ended.err
    assert ended.out.count(" 0 refused, 0 failed,") == len(models)
    rows = call("report", "tables", tmp_path / "run", "--paper", "seeing-past-words", "--json").json()
    assert all(any(row["row"].startswith(model) for row in rows) for model in models)
    assert call("score", tmp_path / "run").code == 0


@pytest.mark.torch
def test_a_network_that_cannot_do_a_framing_is_refused(specs: dict[str, str], tmp_path: Path) -> None:
    clip = f"transformers:{tiny_matchers.write_clip(tmp_path / 'clip')}"
    ended = call("run", specs[FILLED], "--model", clip, "--out", tmp_path / "run")
    assert ended.code == 2
    assert "model 'clip' cannot do 'counting-probe-masked': it can match, the suite asks to fill" in ended.err
    assert not (tmp_path / "run").exists()


@pytest.mark.torch
def test_naming_is_asked_as_a_gap(tmp_path: Path) -> None:
    vilt = f"transformers:{tiny_matchers.write_vilt_mlm(tmp_path / 'vilt')}"
    naming = "naming:images=1,size_px=128,categories=apples,wordings=things,numbers=1-3,framing=gap"
    assert call("run", naming, "--model", vilt, "--out", tmp_path / "run", "--no-sight-check").code == 0
    found = outcomes(tmp_path / "run")
    assert len(found) == 3, "the control question is none that a gap can ask"
    assert all(isinstance(one, Scored) and "two" in one.scores for one in found)
    assert "naming" in call("score", tmp_path / "run").out


def ask_server(server: Server, suite: str, out: Path, text: str, options: str = "") -> list[StoredResponse]:
    server.behave(Behaviour(text=text))
    model = f"openai:test-model,base_url={server.base_url}{options}"
    assert call("run", suite, "--model", model, "--out", out, "--no-sight-check", "--limit", 2).code == 0
    with Run(Folder(out)) as run:
        return list(run.responses())


SERVED = {
    MATCHED: ("Yes", ",logprobs=5", Scored({"match": 0.9}), 'Does this figure show "'),
    FILLED: ("There are three.", "", Scored({"3": 1.0}), 'Which number belongs in the place of [GAP] in "There are'),
    ANSWERED: ("3", "", Said("3"), "How many apples are in the picture?"),
    ALIGNED: ("no", "", Scored({"match": 0.0}), 'Does this figure show "Picture '),
}


def test_a_chat_model_of_a_server_does_all_framings(server: Server, specs: dict[str, str], tmp_path: Path) -> None:
    for suite, (text, options, expected, asked) in SERVED.items():
        for stored in ask_server(server, specs[suite], tmp_path / suite, text, options):
            assert stored.response.outcome == expected, suite
            how = stored.response.provenance
            assert how.prompt_sent.startswith(asked), suite
            assert how.parameters.get("said") == (None if suite == ANSWERED else text), suite


def test_a_chat_model_scores_by_what_it_says() -> None:
    match, fill = Match(Elsewhere("a.jpg"), "two dogs"), Fill(Elsewhere("a.jpg"), "[GAP] dogs")
    likely = {"Yes": math.log(0.6), " yes": math.log(0.1), "No": math.log(0.2), "Yesterday": math.log(0.05)}
    numbers = {"2": math.log(0.5), "two": math.log(0.2), "3": math.log(0.1), "Many": math.log(0.1)}
    cases: list[tuple[Task, Said, Mapping[str, float] | None]] = [
        (match, Said("Yes, it does."), {"match": 1.0}),
        (match, Said("**No**"), {"match": 0.0}),
        (match, Said("Yes.", (Token("Yes", likely["Yes"], likely), Token(".", -0.1))), {"match": 0.7}),
        (match, Said("No", (Token("No", likely["No"], likely),)), {"match": 0.7}),
        (match, Said("Yes and no", (Token("Yes", likely["Yes"], likely),)), None),
        (match, Said("I like dogs."), None),
        (fill, Said("There are three."), {"3": 1.0}),
        (fill, Said("2", (Token("2", numbers["2"], numbers),)), {"2": 0.5, "two": 0.2, "3": 0.1}),
        (fill, Said("twenty-five", (Token("twenty", -0.1, {}), Token("-five", -0.1, {}))), {"25": 1.0}),
        (fill, Said("many"), None),
    ]
    for task, said, expected in cases:
        content = score_answer(task, Reply(said, Provenance(0, ""))).content
        if expected is None:
            assert isinstance(content, Refused), said
            assert content.reason.startswith("no answer to the question: ")
        else:
            assert isinstance(content, Scored), said
            assert content.scores == pytest.approx(expected), said


class Scorer(Model):
    """A model that scores by a rule."""

    is_stand_in = True
    concurrency = 8
    tasks = frozenset({"match", "fill", "answer"})

    def __init__(self, score: Callable[[Request], Mapping[str, float] | str]) -> None:
        self._score = score

    async def respond(self, request: Request, /) -> Reply:
        given = self._score(request)
        return Reply(Said(given) if isinstance(given, str) else Scored(given), request.provenance())


def count_apples(request: Request) -> Mapping[str, float] | str:
    """Know the number by looking at the pixels, and tell whether the text has it."""
    number = len(look_at(request.picture()))
    if request.task.kind == "answer":
        return str(number)
    if request.task.kind == "fill":
        return {word: 0.5 if value == number else 0.001 for word, value in NUMERALS.items()}
    stated = re.findall(r"\d+", request.text)
    return {"match": 0.9 if stated == [str(number)] else 0.1}


def tabulate(specs: Mapping[str, str], scorer: Scorer, out: Path) -> dict[tuple[str, str, str], float | str]:
    model: Resolved[Model] = Resolved(Spec("scorer", {}, "scorer"), scorer, "scorer")
    with Run(Folder(out), create=True) as run:
        for suite in (MATCHED, FILLED, ANSWERED):
            run_suite(run, make_suite(specs[suite]), model, make_judge("parser"))
        tables = tabulate_run(run, None, extensions=False).records
    return {(one.table, one.row, one.column): one.ours for one in tables}  # type: ignore[attr-defined]


def test_an_oracle_that_looks_at_painted_images_reaches_100_in_every_framing(
    specs: dict[str, str], tmp_path: Path
) -> None:
    found = tabulate(specs, Scorer(count_apples), tmp_path / "run")
    for form in ("declarative", "qa"):
        for measure in ("accuracy", "recall_right", "recall_foiled", "precision_right", "pairwise_accuracy", "auroc"):
            assert found["table2, test", f"scorer · standard · {form}", measure] == 100
    for mask in ("neutral", "faithful"):
        assert found[f"table4, {mask}, test", "scorer · overall", "recall@1 standard"] == 100
    assert found["table5, test", "scorer · overall", "accuracy standard"] == 100


@pytest.mark.slow
def test_a_constant_scorer_is_seen_to_be_one(tmp_path: Path) -> None:
    probes = [probe for probe in make_probes(tmp_path, [1, 2, 3, 4, 5] * 4) if len([*probe.candidates()]) == 4]
    assert len(probes) > 10
    write_records(tmp_path / "probes.jsonl", probes)
    own = {suite: f"{suite}:{tmp_path / 'probes.jsonl'}" for suite in (MATCHED, FILLED, ANSWERED)}
    constant = Scorer(lambda request: "2" if request.task.kind == "answer" else {"match": 0.5, "two": 0.5})
    found = tabulate(own, constant, tmp_path / "run")
    row = ("table2, test", "scorer · standard · declarative")
    expected = {
        "accuracy": 75, "recall_right": 0, "recall_foiled": 100, "precision_foiled": 75, "balanced_accuracy": 50,
        "pairwise_accuracy": 50, "auroc": 50, "pairwise_accuracy_ties_win": 100, "tied_pairs": 100,
    }  # fmt: skip
    for measure, value in expected.items():
        assert math.isclose(float(found[*row, measure]), value), measure
    assert (*row, "precision_right") not in found
