"""Benchmarks run to their end at tiny sizes, and say what they compare."""

import importlib
import math
import sys
from pathlib import Path

import pytest
from benchmarks.processes import run_python

from cases import Case
from commands import call

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
    "geckonum": "pandas",
    "judges": "bare network",
    "serving": "bare judge",
    "annotation": "bare FastAPI endpoint",
    "probes": "a script per row",
    "corpus": "nlp.pipe",
    "own_data": "ready-made items",
}
AIMS = (
    ("<= .5", 0.5, "0.50 (aim <= .5)"),
    ("<= .5", 0.51, "0.51 (aim <= .5, MISSED)"),
    ("< 0.33", 0.33, "0.33 (aim < 0.33, MISSED)"),
    (">= .7", 0.7, "0.70 (aim >= .7)"),
    (">= .7", 0.6, "0.60 (aim >= .7, MISSED)"),
    ("none", 9.0, "9.00 (aim none)"),
)
# Those that start whole commands, or processes of their own, are slow.
MARKS = {
    "annotation": pytest.mark.annotate,
    "corpus": pytest.mark.spacy,
    "judges": pytest.mark.weights,
} | dict.fromkeys(("geckonum", "own_data", "reading", "report", "runner", "serving", "small_run"), pytest.mark.slow)


def run_here(*arguments: object) -> str:
    """Run a command in this process, which starts no other, as nothing is timed; run what is none as it is."""
    if arguments[:2] != ("-m", "subitize"):
        return run_python(*arguments)
    finished = call(*arguments[2:])
    assert finished.code == 0, finished.err
    return finished.out


@pytest.mark.parametrize("name", [pytest.param(name, marks=MARKS.get(name, ())) for name in RIVALS])
def test_a_benchmark_runs_to_its_end_and_names_what_it_compares(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    benchmark = importlib.import_module(f"benchmarks.{name}")
    if hasattr(benchmark, "run_python"):
        monkeypatch.setattr(benchmark, "run_python", run_here)
    results = list(benchmark.measure(is_tiny=True))
    assert RIVALS[name] in str(results[0])
    for result in results:
        assert str(result).startswith(result.what)
        assert all(math.isfinite(figure) and figure > 0 for figure in _figures(result, name))


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
