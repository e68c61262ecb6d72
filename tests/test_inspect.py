"""Suites as tasks of Inspect: the same items, the same reading of answers and the same figures as in a run of ours."""

import gc
import hashlib
import os
import re
import shlex
import subprocess
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from glob import glob
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from subitize.analysis.score import score
from subitize.errors import MissingPartError, SubitizeError
from subitize.evaluate.pictures import Loader
from subitize.evaluate.sampling import sample_of
from subitize.frame import Frame, FrameRow, Status, frame_seen
from subitize.labels import interpret, parse_rule
from subitize.records import Answer, Item, Known, Words
from subitize.registry import make_suite
from subitize.store.images import Images
from tests.conftest import ROOT
from tests.models.openai_server import Behaviour, Fault, Server, serving
from tests.papers.geckonum.geckonum_release import PROMPTS, write_images, write_release

OPTIONS = {"images": 1, "categories": "apples+dots", "numbers": "1-4", "size_px": 200}
SPEC = "naming:" + ",".join(f"{name}={value}" for name, value in OPTIONS.items())
SEED, EPOCHS = 7, 2
MODEL = "openai-api/local/test-model"
# What people and models say: numbers in words, several of them, none, too many, refusals, and nothing at all.
ANSWERS = (
    "2", "There are three.", "I see 1 or 2.", "2 red and 1 green, so 3 in total.", "I'm sorry, I can't help with that.",
    "a few", "", "about 12", "one", "4 apples", "**3**",
)  # fmt: skip


@dataclass(frozen=True)
class Evaluated:
    """What `inspect eval` left: its log, and what the server was asked."""

    log: Any
    path: Path
    requests: list[dict[str, Any]]


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    faults = (
        Fault("content_filter", probability=0.5, containing="How many things"),
        Fault("refusal", probability=0.5, containing="How many objects"),
    )
    with serving(Behaviour(answer="count-hash", faults=faults)) as running:
        yield running


@pytest.fixture(scope="module")
def evaluated(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Evaluated:
    return evaluate(server, tmp_path_factory.mktemp("logs"), "naming", {**OPTIONS, "seed": SEED}, epochs=EPOCHS)


def evaluate(server: Server, folder: Path, task: str, options: Mapping[str, object], epochs: int = 1) -> Evaluated:
    """Do in this process what `inspect eval` does: a process of its own takes seconds to start."""
    known = len(server.requests())
    with evaluating(server):
        (log,) = import_module("inspect_ai").eval(
            f"subitize/{task}", MODEL, task_args=options, epochs=epochs, log_dir=str(folder), display="none"
        )
    assert log.status == "success", log.error
    (path,) = folder.glob("*.eval")
    return Evaluated(import_module("inspect_ai.log").read_eval_log(str(path)), path, server.requests()[known:])


@contextmanager
def evaluating(server: Server) -> Iterator[pytest.MonkeyPatch]:
    """Let Inspect ask the server, and drop the connections that it leaves open."""
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings(action="ignore"):
        patch.setenv("LOCAL_API_KEY", "a-key")
        patch.setenv("LOCAL_BASE_URL", server.base_url)
        yield patch
        gc.collect()


def run_inspect(line: str, server: Server) -> None:
    """Run a command of `inspect` as a shell would, but in this process: one of its own takes seconds to start."""
    words = shlex.split(line)
    assert words[0] == "inspect", line
    with evaluating(server) as patch:
        patch.setattr(sys, "argv", [found for word in words for found in glob(word) or [word]])
        with pytest.raises(SystemExit) as ended:
            import_module("inspect_ai._cli.main").main()
    assert not ended.value.code, line


def inspect_eval(server: Server, task: str, *arguments: object) -> "subprocess.CompletedProcess[str]":
    command = ["inspect", "eval", f"subitize/{task}", "--model", MODEL, "--display", "plain"]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    own = {"PATH": path, "LOCAL_API_KEY": "a-key", "LOCAL_BASE_URL": server.base_url, "COLUMNS": "200"}
    env = {**os.environ, **own}
    return subprocess.run([*command, *map(str, arguments)], env=env, capture_output=True, text=True, timeout=200)


@pytest.fixture
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    """Inspect makes the model of a log anew even where nothing is asked of it."""
    monkeypatch.setenv("LOCAL_API_KEY", "a-key")
    monkeypatch.setenv("LOCAL_BASE_URL", "http://127.0.0.1:9/v1")


def items_of(spec: str, seed: int = SEED) -> dict[str, Item]:
    return {item.id: item for item in make_suite(spec).obj.items(seed)}


def figures(log: Any) -> dict[str, float]:  # noqa: ANN401
    return {name: one.value for scorer in log.results.scores for name, one in scorer.metrics.items()}


def observe(samples: Sequence[Any], items: dict[str, Item], policy: str = "strict") -> Frame:
    """Read the answers of a log with our own rules, whatever the scorer of the task made of them."""
    found = []
    for sample in samples:
        (ask,) = items[sample.id].asks
        parts = sample.output.message.content
        value = interpret(Words(sample.output.completion), ask.question, parse_rule(policy))
        is_refused = sample.output.stop_reason == "content_filter" or (
            not isinstance(parts, str) and any(part.refusal for part in parts)
        )
        if not ask.is_relevant:
            continue
        number = value.value if isinstance(value, Known) and not is_refused else None
        is_refused = is_refused or (not isinstance(value, Known) and value.is_refusal)
        status: Status = "refused" if is_refused else "eligible" if isinstance(value, Known) else "discarded"
        found.append(FrameRow(items[sample.id], ask, status, number, repeat=sample.epoch))
    return frame_seen(found)


def expected(observations: Frame) -> dict[str, float]:
    told: dict[str, float] = {}
    for one in score(observations, []):
        estimate = one.estimate
        told |= {one.measure: estimate.value, f"{one.measure}_low": estimate.low, f"{one.measure}_high": estimate.high}
        told[f"{one.measure}_n"] = estimate.n
    return told


@pytest.mark.inspect
def test_samples_are_the_items_of_the_suite_in_the_order_in_which_a_limit_takes_them(evaluated: Evaluated) -> None:
    items = items_of(SPEC)
    order = [item.id for item in sample_of(make_suite(SPEC), SEED)]
    assert evaluated.log.eval.dataset.sample_ids == order
    assert sorted(order) == sorted(items)
    for sample in evaluated.log.samples:
        item = items[sample.id]
        assert sample.input == item.asks[0].wording
        assert sample.target == [str(value) for value in item.asks[0].expects]
        assert {name: sample.metadata[name] for name in item.factors} == item.factors


@pytest.mark.inspect
def test_a_model_gets_the_picture_then_the_question_and_nothing_else(evaluated: Evaluated) -> None:
    load = Loader(Images(Path("unused")))
    tasks = [item.task for item in items_of(SPEC).values()]
    wanted = {(hashlib.sha256(load(t.picture)).hexdigest(), t.question) for t in tasks if isinstance(t, Answer)}
    sent = [request["body"]["messages"] for request in evaluated.requests]
    assert len(sent) == EPOCHS * len(tasks)
    assert all([one["role"] for one in messages] == ["user"] for messages in sent)
    contents = [messages[0]["content"] for messages in sent]
    assert all([part["type"] for part in content] == ["image_url", "text"] for content in contents)
    assert {(shown["image_url"]["url"]["sha256"], asked["text"]) for shown, asked in contents} == wanted


@pytest.mark.inspect
def test_figures_are_those_of_our_own_scoring(evaluated: Evaluated) -> None:
    observations = observe(evaluated.log.samples, items_of(SPEC))
    ours, theirs = expected(observations), figures(evaluated.log)
    assert set(observations.rows["status"]) == {"eligible", "refused"}
    assert theirs.pop("stderr") == pytest.approx((ours["accuracy"] * (1 - ours["accuracy"]) / 47) ** 0.5)
    assert theirs == pytest.approx(ours, abs=1e-12)
    assert {"accuracy", "mae", "nae", "discarded", "refused"} < set(theirs)


@pytest.mark.inspect
def test_every_epoch_is_an_observation_and_a_control_question_is_none(evaluated: Evaluated) -> None:
    relevant = [item for item in items_of(SPEC).values() if item.asks[0].is_relevant]
    assert figures(evaluated.log)["accuracy_n"] == EPOCHS * len(relevant) == 48
    controls = [sample for sample in evaluated.log.samples if sample.metadata["wording"] == "control"]
    assert len(controls) == EPOCHS * 4
    assert all(sample.scores == {} for sample in controls)


@pytest.mark.inspect
def test_a_refusal_is_wrong_even_where_its_text_has_the_number(evaluated: Evaluated) -> None:
    refused = [sample for sample in evaluated.log.samples if sample.metadata["wording"] in ("things", "objects")]
    said = [sample for sample in refused if sample.scores["status"].value == "refused"]
    assert {sample.metadata["wording"] for sample in said} == {"things", "objects"}
    assert all(sample.scores["right"].value == 0.0 for sample in said)
    assert all(sample.scores["right"].explanation == "refused: the service refused" for sample in said)


@pytest.mark.inspect
@pytest.mark.usefixtures("key")
@pytest.mark.parametrize("policy", ["strict", "total", "geckonum"])
def test_a_log_is_read_anew_under_any_policy_as_our_rules_read_it(evaluated: Evaluated, policy: str) -> None:
    tasks = import_module("subitize.inspect_tasks")
    log = evaluated.log.model_copy(deep=True)
    for place, sample in enumerate(log.samples):
        sample.output = type(sample.output).from_content("test-model", ANSWERS[place % len(ANSWERS)])
    scored = import_module("inspect_ai").score(log, [tasks.right(policy), tasks.status(policy)], action="overwrite")
    observations = observe(scored.samples, items_of(SPEC), policy)
    assert {"eligible", "discarded"} <= set(observations.rows["status"])
    theirs = figures(scored)
    assert theirs.pop("stderr") > 0
    assert theirs == pytest.approx(expected(observations), abs=1e-12)
    by_place = {(row["item"], row["repeat"]): row for row in observations.rows.iter_rows(named=True)}
    for sample in (one for one in scored.samples if one.scores):
        row, told = by_place[sample.id, sample.epoch], sample.scores["right"]
        one = observations.row(row)
        assert told.answer == (None if one.value is None else str(one.value))
        assert told.value == row["is_right"]
        assert (told.explanation or "").partition(":")[0] == ("" if one.status == "eligible" else one.status)


@pytest.mark.inspect
@pytest.mark.usefixtures("key")
def test_where_all_answers_are_discarded_none_is_right(evaluated: Evaluated) -> None:
    tasks = import_module("subitize.inspect_tasks")
    log = evaluated.log.model_copy(deep=True)
    for sample in log.samples:
        sample.output = type(sample.output).from_content("test-model", "a few")
    told = figures(import_module("inspect_ai").score(log, [tasks.right(), tasks.status()], action="overwrite"))
    assert (told["accuracy"], told["accuracy_n"]) == (0.0, 48)
    assert "accuracy_read" not in told
    assert (told["discarded"], told["discarded_n"]) == (1.0, 48)


@pytest.mark.inspect
def test_a_log_gives_observations_to_measure_by_any_factor(evaluated: Evaluated) -> None:
    found = import_module("subitize.inspect_tasks").observe_log(str(evaluated.path))
    ours = observe(evaluated.log.samples, items_of(SPEC))
    by_factor = {(one.factor, one.group, one.measure): one.estimate for one in score(found, ["category", "number"])}
    assert by_factor == {
        (one.factor, one.group, one.measure): one.estimate for one in score(ours, ["category", "number"])
    }
    assert ("category", "apples", "accuracy") in by_factor
    assert set(found.rows["model"]) == {MODEL}
    assert set(found.rows["repeat"]) == {0, 1}


@pytest.mark.inspect
def test_geckonum_vqa_takes_the_release_and_its_options(server: Server, tmp_path: Path) -> None:
    few = [prompt for prompt in PROMPTS if prompt.type == "numeric_simple"][::120]
    release = write_release(tmp_path / "release", ["muse_b"], prompts=few, accuracy=1.0)
    images = write_images(tmp_path / "images", ["muse_b"], few)
    given = {"release": str(release), "images": str(images), "agreeing": 3, "models": "muse_b"}
    found = evaluate(server, tmp_path / "logs", "geckonum-vqa", given)
    items = items_of(f"geckonum-vqa:{release},images={images},agreeing=3,models=muse_b")
    assert sorted(found.log.eval.dataset.sample_ids) == sorted(items)
    assert [sample.metadata["source"] for sample in found.log.samples] == ["muse_b"] * len(items)
    theirs = figures(found.log)
    theirs.pop("stderr")
    assert theirs == pytest.approx(expected(observe(found.log.samples, items)), abs=1e-12)


@pytest.mark.inspect
@pytest.mark.parametrize(
    ("task", "options", "spec"),
    [
        ("naming", {"images": 0}, "naming:images=0"),
        ("naming", {"images": "many"}, "naming:images=many"),
        ("naming", {"categories": ["apples", "dots"]}, "naming:categories=apples,dots"),
        ("naming", {"categories": "aples"}, "naming:categories=aples"),
        ("naming", {"control_question": 1}, "naming:control_question=1"),
        ("naming", {"picture": 3}, "naming:picture=3"),
        ("naming", {"numbers": None}, "naming:numbers="),
        ("geckonum_vqa", {}, "geckonum-vqa"),
        ("geckonum_vqa", {"release": "nowhere", "images": "."}, "geckonum-vqa:nowhere,images=."),
        ("geckonum_vqa", {"release": "nowhere"}, "geckonum-vqa:nowhere"),
    ],
    ids=lambda value: str(value),
)
def test_a_bad_option_is_refused_in_the_words_of_subitize(task: str, options: dict[str, Any], spec: str) -> None:
    with pytest.raises(SubitizeError) as ours:
        make_suite(spec)
    prerequisite = import_module("inspect_ai._util.error").PrerequisiteError
    with pytest.raises(prerequisite) as theirs:
        getattr(import_module("subitize.inspect_tasks"), task)(**options)
    assert theirs.value.message == import_module("rich.markup").escape(str(ours.value))


@pytest.mark.inspect
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"policy": "lenient"}, "no policy named 'lenient'; known: final, geckonum, strict, total"),
        ({"seed": "one"}, "seed='one': should be a whole number"),
        ({"seed": True}, "seed='true': should be a whole number"),
    ],
    ids=["policy", "seed", "truth"],
)
def test_a_bad_policy_or_seed_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(import_module("inspect_ai._util.error").PrerequisiteError) as refused:
        import_module("subitize.inspect_tasks").naming(**options)
    assert refused.value.message == message


@pytest.mark.inspect
@pytest.mark.proof("subitize.inspect_tasks")
def test_a_bad_option_ends_the_command_with_one_line(server: Server) -> None:
    done = inspect_eval(server, "naming", "-T", "categories=aples")
    assert done.returncode == 1
    assert done.stdout.strip() == "no category named 'aples'; known: apples, butterflies, dots, fastcards, people"
    assert "Traceback" not in done.stdout + done.stderr


@pytest.mark.inspect
def test_the_commands_of_the_page_run_in_their_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (ROOT / "docs" / "inspect.md").read_text(encoding="utf-8")
    lines = re.findall(r"^```sh\n(.*?)\n```", page, flags=re.MULTILINE)
    ((name, program),) = re.findall(r"^```python (\S+)\n(.*?)^```", page, flags=re.MULTILINE | re.DOTALL)
    monkeypatch.chdir(tmp_path)
    with serving(Behaviour(models=("qwen2.5-vl",))) as server:
        for line in lines:
            run_inspect(line, server)
    capsys.readouterr()
    exec(compile(program, name, "exec"), {})
    told = capsys.readouterr().out
    assert re.search(r"^openai-api/local/qwen2.5-vl apples accuracy 0.250 \[.*\], n = 12$", told, re.MULTILINE)


@pytest.mark.inspect
def test_nothing_of_inspect_is_imported_unless_it_is_used() -> None:
    modules = "import sys, subitize.cli, subitize.report.listing as r; r.listings('suites'), r.listings('models')"
    code = f"{modules}; print([name for name in sys.modules if name.startswith('inspect_ai')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_without_inspect_the_module_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "inspect_ai", None)
    monkeypatch.delitem(sys.modules, "subitize.inspect_tasks", raising=False)
    with pytest.raises(
        MissingPartError, match=r"^a task of Inspect needs inspect-ai; run: pip install 'subitize\[inspect\]'$"
    ):
        import_module("subitize.inspect_tasks")
