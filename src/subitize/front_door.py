"""What programs and notebooks call: `subitize.run`, `subitize.score` and the other functions of this module.

They do what the commands of the same names do; the commands have more options. Results are polars frames, with columns
named as in `--json`. A parameter that takes several names also takes a single string. A command's warnings are Python
warnings here, and its errors are SubitizeErrors.
"""

import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from multiprocessing import current_process
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from subitize.analysis.advice import warn_of_reward_judges
from subitize.analysis.compare import compare_surveys
from subitize.analysis.design import check_prompts
from subitize.analysis.frame import read_frame
from subitize.analysis.overview import read_names
from subitize.analysis.reader import choose_reader
from subitize.analysis.score import score as score_observations
from subitize.errors import BadValueError, RunError
from subitize.evaluate.costs import Budget
from subitize.evaluate.evaluation import RunConfig, RunResult, judge_anew, make_plan, raise_errors
from subitize.evaluate.identities import expand_name, open_if_any, recall_judge, resolve_judge
from subitize.evaluate.judging import JudgeConfig
from subitize.records import OF_FILE, Estimate, to_plain
from subitize.registry import make_judge, make_model, make_refined, make_suite
from subitize.report.comparisons import write_left_out
from subitize.report.document import Outputs
from subitize.report.document import write_report as write_page
from subitize.report.terminal import TerminalEvents
from subitize.store import Folder, Run

AnyRun = str | Path | Run
"""A run's folder, or an open run, which stays open."""
OneOrMore = str | Sequence[str]


class ModelComparison(NamedTuple):
    """Two frames: models by rank, and the difference between every pair of them."""

    ranks: pl.DataFrame
    differences: pl.DataFrame


def run(
    suite: str,
    models: OneOrMore,
    out: str | Path | None = None,
    *,
    judge: str | None = None,
    repeats: int | None = None,
    limit: int | None = None,
    seed: int | None = None,
    refine: OneOrMore = (),
    sight_check: bool = True,
) -> Run:
    """Run a suite on models, judge their answers, and open the run; stored answers are not asked for again.

    Call it under `if __name__ == "__main__":` in a script, because worker processes import the script.
    """
    _refuse_import()
    if not models:
        raise BadValueError("no model given: name one, such as observer, or painter to draw")
    made = make_suite(suite)
    _warn(*made.obj.notes)
    location = Folder(Path(out or f"runs/{made.spec.name.removesuffix(OF_FILE)}"))
    with open_if_any(location) as before:
        chosen = [expand_name(before, text) for text in _list(models)]
        judge = judge and recall_judge(before, judge)
    order = RunConfig(
        made,
        [make_model(text) for text in chosen],
        [make_refined(suite, text) for text in _list(refine)],
        judge=judge,
        seed=seed,
        repeats=repeats,
        limit=limit,
        sight_check=sight_check,
    )
    evaluation = make_plan(order, location)
    with WarningEvents() as events:
        evaluation.check(events)
        with Run(location, create=True) as opened:
            outcome = evaluation.perform(opened, events)
    raise_errors(order.ledger, outcome, judge)
    return open(location.path)


def judge(run: AnyRun, judge: str) -> None:
    """Let a judge answer the questions of a run; stored readings are not asked for again."""
    _refuse_import()
    ledger = Budget()
    with _opened(run) as (opened,), WarningEvents() as events:
        made, notes = resolve_judge(opened, make_judge(recall_judge(opened, judge)))
        _warn(*notes)
        summary = judge_anew(opened, made, JudgeConfig(ledger=ledger), events)
    raise_errors(ledger, RunResult(summary.reasons, [summary]), judge)


def open(run: str | Path) -> Run:
    """Open an existing run; use it in a `with` block, or close it."""
    return Run(Folder(Path(run)))


def score(
    run: AnyRun,
    by: OneOrMore | None = None,
    *,
    judge: str | None = None,
    rule: str | None = None,
    agreement: str = "plurality",
    prompts: str = "sampled",
) -> pl.DataFrame:
    """Compute accuracy and errors with their intervals, overall and by factor: one row per figure."""
    estimand = check_prompts(prompts)
    with _opened(run) as (opened,):
        survey = read_frame(opened, choose_reader(judge, rule, _warn, agreement))
        names = read_names(opened)
        _warn(*warn_of_reward_judges(opened, survey.reader.judge))
    scores = score_observations(survey.observations, None if by is None else _list(by), prompts=estimand)
    return _frame([names.row(one) for one in scores])


def compare(
    *runs: AnyRun,
    measures: OneOrMore = (),
    by: OneOrMore = (),
    judge: str | None = None,
    rule: str | None = None,
    agreement: str = "plurality",
    prompts: str = "sampled",
) -> ModelComparison:
    """Compare the models of runs on what they have in common; warn of what is left out."""
    if not runs:
        raise BadValueError("no run given: name one or more, such as runs/naming")
    estimand = check_prompts(prompts)
    with _opened(*runs) as opened:
        reader, names = choose_reader(judge, rule, _warn, agreement), read_names(*opened).model_names
        surveys = {str(run.location): read_frame(run, reader) for run in opened}
        found = compare_surveys(surveys, _list(measures), _list(by), names, prompts=estimand)
    _warn(*found.notes, *map(write_left_out, found.left_out))
    boards = [(board.board._asdict(), board) for board in found.boards]
    ranks = [{**named, **_flat(one, one.estimate)} for named, board in boards for one in board.models]
    pairs = [{**named, **_flat(one, one.difference)} for named, board in boards for one in board.pairs]
    return ModelComparison(_frame(ranks), _frame(pairs))


def write_report(*runs: AnyRun, out: str | Path = "report.html") -> Path:
    """Write a report of runs: one HTML page that works offline."""
    with _opened(*runs) as opened, WarningEvents() as events:
        return write_page(opened, Outputs(Path(out)), events)[-1]


def _refuse_import() -> None:
    """Refuse to start while a worker process imports the program, which would start everything a second time."""
    if getattr(current_process(), "_inheriting", False):
        raise RunError(
            "a worker process imports your program, which must not begin again: put its calls under "
            'if __name__ == "__main__":'
        )


@contextmanager
def _opened(*runs: AnyRun) -> Iterator[list[Run]]:
    with ExitStack() as stack:
        yield [run if isinstance(run, Run) else stack.enter_context(open(run)) for run in runs]


def _flat(figure: Any, estimate: Estimate) -> dict[str, object]:  # noqa: ANN401
    """Flatten a figure into a row: its own fields, then those of its estimate."""
    own = {name: value for name, value in to_plain(figure).items() if not isinstance(value, dict | list)}
    return {**own, **to_plain(estimate)}


def _frame(rows: Sequence[dict[str, object]]) -> pl.DataFrame:
    return pl.DataFrame(rows, infer_schema_length=None)


def _list(names: OneOrMore) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


def _warn(*lines: str) -> None:
    """Warn at the line that calls us; without a warning registry, Python repeats equal warnings."""
    frame = sys._getframe()
    while frame.f_back and str(frame.f_globals.get("__name__")).partition(".")[0] == __package__:
        frame = frame.f_back
    module = frame.f_globals.get("__name__")
    for line in lines:
        warnings.warn_explicit(line, UserWarning, frame.f_code.co_filename, frame.f_lineno, module)


class WarningEvents(TerminalEvents):
    """Turns warnings into Python warnings, and shows the progress; results are returned instead."""

    def say(self, *lines: str) -> None:
        """Leave out results."""

    def warn(self, *lines: str) -> None:
        """Warn at the line that calls us."""
        _warn(*lines)
