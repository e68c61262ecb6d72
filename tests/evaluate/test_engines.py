"""Any engine gives the same rows: what passes its border are requests with their pictures, replies and failures."""

import asyncio
import pickle
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from subitize.errors import MissingPartError, RunError, StorageError, SubitizeError, UnusableModelError
from subitize.evaluate import engines
from subitize.evaluate.engines import (
    Called,
    Caller,
    Engine,
    Failure,
    Kind,
    LocalEngine,
    Method,
    compute,
    failure_of,
    make_again,
    make_engine,
)
from subitize.evaluate.pictures import ship
from subitize.interfaces import Responds, TransientError
from subitize.registry import Resolved, make_judge, make_model, make_suite
from subitize.store import Folder, Run
from tests.runs import judge_run, run_suite

NAMING = "naming:images=1,size_px=128,numbers=1-3,categories=apples"
PRODUCTION = "production:numbers=1-3,categories=apples"


class Elsewhere:
    """Computes in another process, which knows no run: everything passes as bytes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._processes = ProcessPoolExecutor(1, get_context("spawn"))
        self.calls = 0

    @property
    def spread(self) -> None:
        """It is one process."""

    def invoke(self, kind: Kind, made: Resolved[Any], method: Method) -> Any:  # noqa: ANN401
        return getattr(made.obj, method)()

    def submit(self, function: Callable[..., Any], *given: object) -> Future[Any]:
        return self._processes.submit(function, *given)

    @contextmanager
    def start(self, kind: Kind, made: Resolved[Any]) -> Iterator[Caller]:
        if isinstance(made.obj, Responds):
            with LocalEngine().start(kind, made) as caller:
                yield caller
            return

        async def call(asked: Any) -> Called | Failure:  # noqa: ANN401
            self.calls += 1
            sent = pickle.dumps(ship(asked))
            assert str(self._folder).encode() not in sent, "a request names files of the run"
            answered = self.submit(_answer, kind, made.spec_text, sent)
            return pickle.loads(await asyncio.wrap_future(answered))  # type: ignore[no-any-return]

        yield Caller(call, 2, getattr(made.obj, "batch_size", 1))

    def close(self) -> None:
        self._processes.shutdown()


def _answer(kind: Kind, text: str, sent: bytes) -> bytes:
    return pickle.dumps(compute(make_again(kind, text), pickle.loads(sent)))


def _rows(folder: Path, suite: str, model: str, judge: str, engine: Engine) -> tuple[list[Any], list[Any]]:
    """Run and judge, and list what is stored, apart from times."""
    with Run(Folder(folder), create=True) as run:
        run_suite(run, make_suite(suite), make_model(model), make_judge(judge), engine=engine, repeats=2)
        judge_run(run, make_judge("observer"), engine=engine)
        responses = [(one.trial_id, one.response.outcome, one.response.provenance) for one in run.responses()]
        readings = [one.reading for one in run.readings()]
    readings.sort(key=lambda one: (one.subject.id, one.judge))
    return sorted(responses, key=lambda row: row[0]), readings


@pytest.mark.slow
@pytest.mark.parametrize(
    ("suite", "model", "judge"),
    [(PRODUCTION, "painter:size_px=128", "observer"), (NAMING, "observer", "parser")],
)
def test_another_engine_stores_equal_rows(tmp_path: Path, suite: str, model: str, judge: str) -> None:
    with ExitStack() as stack:
        elsewhere = Elsewhere(tmp_path)
        stack.callback(elsewhere.close)
        there = _rows(tmp_path / "there", suite, model, judge, elsewhere)
        here = _rows(tmp_path / "here", suite, model, judge, stack.enter_context(LocalEngine()))
    assert elsewhere.calls > 0
    assert there == here


@pytest.mark.slow
@pytest.mark.usefixtures("odd_models")
def test_a_failure_is_stored_equally_by_any_engine(tmp_path: Path) -> None:
    reasons: list[list[str]] = []
    with ExitStack() as stack:
        elsewhere = Elsewhere(tmp_path)
        stack.callback(elsewhere.close)
        for engine in (elsewhere, stack.enter_context(LocalEngine())):
            with Run(Folder(tmp_path / str(len(reasons))), create=True) as run:
                reasons.append(run_suite(run, make_suite(NAMING), make_model("broken"), engine=engine).reasons)
    assert reasons == [["RuntimeError: a bug in the plug-in"]] * 2


@pytest.mark.parametrize(
    ("error", "ends_run", "raised"),
    [
        (UnusableModelError("no such model"), "unusable model", UnusableModelError),
        (RunError("lost"), "run", RunError),
        (StorageError("disk full"), "storage", StorageError),
        (MissingPartError("model 'x'", "torch", "local"), "missing part", SubitizeError),
    ],
)
def test_what_ends_a_run_ends_it_from_any_process(
    error: SubitizeError, ends_run: str, raised: type[SubitizeError]
) -> None:
    failure = pickle.loads(pickle.dumps(failure_of(error)))
    assert (failure.ends_run, type(failure.error()), str(failure.error())) == (ends_run, raised, str(error))


def test_a_transient_error_says_the_same_from_any_process() -> None:
    error = TransientError("busy\n now", retry_after_seconds=2.0, is_busy=True, is_unsettled=True)
    assert pickle.loads(pickle.dumps(failure_of(error))) == Failure("busy now", True, 2.0, True, True)


@pytest.mark.parametrize("spec", ["painter:size_px=128,weber=0.1", "random", "observer", "NAME=ideal-human:weber=0.2"])
def test_a_model_is_made_again_from_its_text(spec: str) -> None:
    made = make_model(spec)
    assert make_model(made.spec_text).spec == made.spec
    assert type(engines.make_again("model", made.spec_text)) is type(made.obj)


@pytest.mark.parametrize(
    ("engine", "address", "reason"),
    [
        ("rai", None, "no engine named 'rai'; known: local, ray"),
        ("local:workers=2", None, "no engine named 'local:workers=2'; known: local, ray"),
        ("local", "127.0.0.1:6379", "`ray_address` 127.0.0.1:6379: give `engine` ray, too"),
    ],
)
def test_an_engine_that_is_none_is_refused(engine: str, address: str | None, reason: str) -> None:
    with pytest.raises(SubitizeError, match=f"^{reason}"):
        make_engine(engine, address)


def test_the_engine_ray_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "find_spec", lambda _: None)
    with pytest.raises(MissingPartError, match=r"^`engine` ray needs ray; run: pip install 'subitize\[ray\]'$"):
        make_engine("ray")
