"""Benchmarks run to their end at tiny sizes, and say what they compare."""

import contextlib
import importlib
import io
import math
import resource
import runpy
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.processes import run_python
from subitize.evaluate import engines
from tests.cases import Case
from tests.commands import call
from tests.corpus.kept_pipelines import keep_pipelines

# What each compares ours with.
RIVALS = {
    "startup": "python -c pass",
    "small_run": "process pool",
    "parsing": "a quarter of it",
    "store": "bare SQLAlchemy loop",
    "stimuli": "Pillow",
    "runner": "AsyncOpenAI",
    "report": "Altair",
    "reading": "bare program",
    "growth": "further trial",
    "geckonum": "pandas",
    "judges": "bare network",
    "serving": "bare judge",
    "finetune": "bare PyTorch loop",
    "annotation": "bare FastAPI endpoint",
    "probes": "a script per row",
    "corpus": "nlp.pipe",
    "own_data": "ready-made items",
    "ray": "first worker",
}
AIMS = (
    ("<= .5", 0.5, "0.50 (aim <= .5)"),
    ("<= .5", 0.51, "0.51 (aim <= .5, MISSED)"),
    ("< 0.33", 0.33, "0.33 (aim < 0.33, MISSED)"),
    (">= .7", 0.7, "0.70 (aim >= .7)"),
    (">= .7", 0.6, "0.60 (aim >= .7, MISSED)"),
    ("none", 9.0, "9.00 (aim none)"),
)
MARKS: dict[str, tuple[pytest.MarkDecorator, ...]] = {
    "annotation": (pytest.mark.web,),
    "corpus": (pytest.mark.spacy,),
    "judges": (pytest.mark.weights,),
    "ray": (pytest.mark.ray, pytest.mark.slow, pytest.mark.xdist_group("ray")),
    "finetune": (pytest.mark.torch,),
}
MARKED = [
    *(pytest.param(name, marks=MARKS.get(name, ())) for name in RIVALS),
    pytest.param("runner", marks=pytest.mark.inspect, id="runner and inspect_ai"),  # which it is compared with, too
]


# Of peaks, which are the same within one process, or of times.
DIFFERENCES = {"growth", "ray"}
# Ends in a process of its own, which is small: so the measuring of memory is tested.
MEASURED = "own_data"


def run_here(*arguments: object) -> str:
    """Run a program in this process, which starts no other, as nothing is timed."""
    match arguments:
        case "-m", "subitize", *command:
            finished = call(*command)
            assert finished.code == 0, finished.err
            return finished.out
        case "-c", str(code), *rest if "inspect_ai" not in code:  # it takes over the process
            return _run(lambda: exec(code, {"__name__": "__main__"}), "-c", *rest)
        case "-m", str(module), *rest:
            file = importlib.import_module(module).__file__
            assert file is not None
            return _run(lambda: runpy.run_path(file, run_name="__main__"), file, *rest)
    return run_python(*arguments)


def run_and_look_at_peak(*arguments: object) -> float:
    """Run a program in this process, and return the most memory that it ever had."""
    run_here(*arguments)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _run(program: Callable[[], object], *arguments: object) -> str:
    printed = io.StringIO()
    with (
        pytest.MonkeyPatch.context() as patch,
        warnings.catch_warnings(action="ignore"),
        contextlib.redirect_stdout(printed),
    ):
        patch.setattr(sys, "argv", [*map(str, arguments)])
        patch.setattr(engines, "IN_PROCESS_SECONDS", engines.IN_PROCESS_SECONDS)  # a program may set it
        try:
            program()
        except SystemExit as end:
            if end.code:
                raise
    return printed.getvalue()


@pytest.mark.parametrize("name", MARKED)
def test_a_benchmark_runs_to_its_end_and_names_what_it_compares(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    benchmark = importlib.import_module(f"benchmarks.{name}")
    if name != MEASURED:
        monkeypatch.setattr(benchmark, "run_python", run_here, raising=False)
        monkeypatch.setattr(benchmark, "peak_megabytes", run_and_look_at_peak, raising=False)
    with keep_pipelines():
        results = list(benchmark.measure(is_tiny=True))
    assert RIVALS[name] in str(results[0])
    for result in results:
        assert str(result).startswith(result.what)
        assert all(math.isfinite(figure) and (figure > 0 or name in DIFFERENCES) for figure in _figures(result, name))


def _figures(result: object, name: str) -> tuple[float, ...]:
    from benchmarks.comparing import Comparison, Figure

    match result:
        case Comparison(_, ours, other, ratio, lowest, highest):
            return ours, other, ratio, lowest, highest
        case Figure(_, value):
            return (value,)
        case _:  # without the release there is nothing to read, Inspect need not be there, nor a second core
            assert name in ("corpus", "geckonum", "reading", "runner"), f"not measured: {result}"
            return ()


def test_every_benchmark_is_tested() -> None:
    from benchmarks.__main__ import NAMES

    assert set(NAMES) == set(RIVALS)


def test_an_unknown_name_is_an_error_that_lists_those_known(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from benchmarks.__main__ import NAMES, main

    monkeypatch.setattr(sys, "argv", ["benchmarks", "startup", "stor"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert f"no benchmark named 'stor'; known: {', '.join(NAMES)}" in capsys.readouterr().err


def test_data_that_is_absent_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from benchmarks.__main__ import main

    monkeypatch.setenv("SUBITIZE_DATA", str(tmp_path))
    monkeypatch.setattr(sys, "argv", ["benchmarks", "geckonum"])
    main()
    assert capsys.readouterr().out.endswith("not measured, needs the release in ../shared/data or $SUBITIZE_DATA\n")


def test_an_aim_that_is_missed_is_said(case: Case) -> None:
    from benchmarks.comparing import Figure

    for aim, value, told in AIMS:
        with case(told):
            assert str(Figure("ours", value, aim=aim)) == f"ours: {told}"


def test_the_observer_is_measured_by_itself(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from benchmarks.observer import main

    monkeypatch.setattr(sys, "argv", ["observer", "--pictures", "5", "--only", "number"])
    main()
    assert "number, 1 to 10 things, as drawn" in capsys.readouterr().out
