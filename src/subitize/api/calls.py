"""How verbs are called: with runs by name or open, with warnings for Python, and beside a running event loop."""

import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar, copy_context
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast

from subitize.api.options import AnyPath, AnyRun, Names
from subitize.errors import BadValueError, RunError, UnknownNameError
from subitize.report.terminal import TerminalEvents

if TYPE_CHECKING:
    from concurrent.futures import Future

    from subitize.evaluate.costs import Budget
    from subitize.interfaces import Events
    from subitize.registry import Kind
    from subitize.report.table import Result
    from subitize.store import Location, Run

ChosenT = TypeVar("ChosenT", bound=str)
GivenP = ParamSpec("GivenP")
FoundT = TypeVar("FoundT")
Place = tuple[str, int, str | None]

AS_WARNINGS = cast("Events", "warnings")
"""The default of a verb's `events`: Python warnings, and a bar for the progress."""
_DATABASE: ContextVar[tuple[str, Path] | None] = ContextVar("_DATABASE", default=None)
_CALLER: ContextVar[Place | None] = ContextVar("_CALLER", default=None)


class WarningEvents(TerminalEvents):
    """Turns warnings into Python warnings, and shows the progress; results are returned instead."""

    def say(self, *lines: str) -> None:
        """Leave out results."""

    def warn(self, *lines: str) -> None:
        """Warn at the line that calls us; without a warning registry, Python repeats equal warnings."""
        file, line, module = _CALLER.get() or _find_caller()
        for text in lines:
            warnings.warn_explicit(text, UserWarning, file, line, module)


def verb(function: Callable[GivenP, FoundT]) -> Callable[GivenP, FoundT]:
    """Let a function be called without `events`: what it warns of is then a Python warning."""

    @wraps(function)
    def call(*given: GivenP.args, **options: GivenP.kwargs) -> FoundT:
        if options.get("events", AS_WARNINGS) is not AS_WARNINGS:
            return function(*given, **options)
        with WarningEvents() as events:
            options["events"] = events
            return function(*given, **options)

    return call


def outside_loop(function: Callable[GivenP, FoundT]) -> Callable[GivenP, FoundT]:
    """Let a verb that has an event loop of its own be called where one is running already, as in a notebook.

    It works in a thread then. The stop button reaches the caller only, who waits until what was answered is stored.
    """

    @wraps(function)
    def call(*given: GivenP.args, **options: GivenP.kwargs) -> FoundT:
        _refuse_import()
        if not _in_loop():
            return function(*given, **options)
        from concurrent.futures import ThreadPoolExecutor

        caller = _CALLER.set(_find_caller())
        try:
            with ThreadPoolExecutor(1, thread_name_prefix="subitize") as thread:
                own = copy_context()
                future = thread.submit(lambda: own.run(function, *given, **options))
                try:
                    return future.result()
                except KeyboardInterrupt:
                    _stop(future)
                    raise
        finally:
            _CALLER.reset(caller)

    return call


def _in_loop() -> bool:
    """Return whether an event loop runs here; where asyncio was not imported yet, none does."""
    if asyncio := sys.modules.get("asyncio"):
        with suppress(RuntimeError):
            return asyncio.get_running_loop() is not None
    return False


def _stop(future: "Future[Any]") -> None:
    """Stop a verb in another thread, and wait until it has."""
    from concurrent.futures import wait

    from subitize.evaluate.driving import stop

    while not future.done():
        stop()
        wait([future], timeout=0.1)


@contextmanager
def opened(*runs: AnyRun, create: bool = False) -> "Iterator[list[Run]]":
    """Open runs, and close those again that were not open."""
    from subitize.store import Run

    with ExitStack() as stack:
        yield [one if isinstance(one, Run) else stack.enter_context(Run(locate(one), create=create)) for one in runs]


@contextmanager
def database(url: str, images: AnyPath) -> Iterator[None]:
    """Find runs by name in a PostgreSQL database, their images in a folder."""
    before = _DATABASE.set((url, Path(images)))
    try:
        yield
    finally:
        _DATABASE.reset(before)


def usual_place(name: str) -> str:
    """Name the run that is made where none is named."""
    return f"runs/{name}" if _DATABASE.get() is None else name


def locate(run: AnyRun) -> "Location":
    """Return the location of a run."""
    from subitize.store import Database, Folder, Run

    if isinstance(run, Run):
        return run.location
    if not isinstance(run, str | Path):
        return run
    known = _DATABASE.get()
    return Folder(Path(run)) if known is None else Database(known[0], str(run), known[1])


def name_of(run: AnyRun) -> str:
    """Return the name under which commands find a run."""
    from subitize.store import Folder

    if isinstance(run, str):
        return run.rstrip("/") or run  # the shell completes a folder's name with a slash
    location = locate(run)
    return str(location.path) if isinstance(location, Folder) else location.run_id


def told(records: object, *lines: str) -> "Result":
    """Make a result of lines that say it all."""
    from subitize.records import to_plain
    from subitize.report.table import Result

    return Result(records=to_plain(records), notes=lines)


def as_list(names: Names | None) -> list[str]:
    """Return one name, or several, as a list."""
    return [names] if isinstance(names, str) else list(names or ())


def spec_of(kind: "Kind", given: object, name: str | None = None) -> str:
    """Return the spec of a suite, model or judge; one that the program brings gets a name."""
    if isinstance(given, str):
        return given
    from subitize.registry import register

    return register(kind, given, name)


def choose(what: str, name: str, known: Iterable[ChosenT]) -> ChosenT:
    """Return the one of this name, or refuse the name."""
    for one in known:
        if one == name:
            return one
    raise UnknownNameError(what, name, known)


def refuse_beside(option: str, **given: Names | bool | None) -> None:
    """Refuse options that have no effect beside another one."""
    for name, value in given.items():
        if value:
            shown = "" if value is True else f" {as_list(value)[0]}"
            raise BadValueError(f"`{name}`{shown}: leave it out with `{option}`")


def make_budget(prices: AnyPath | None, max_cost: float | None) -> "Budget":
    """Make the budget that calls are charged to."""
    from subitize.evaluate.costs import Budget
    from subitize.io.prices import load_prices

    return Budget(load_prices(as_path(prices)), max_cost)


def as_path(path: AnyPath | None) -> Path | None:
    """Return a path, if there is one."""
    return None if path is None else Path(path)


def _refuse_import() -> None:
    """Refuse to start while a worker process imports the program, which would start everything a second time."""
    processes = sys.modules.get("multiprocessing.process")
    if processes and getattr(processes.current_process(), "_inheriting", False):
        remedy = 'put its calls under if __name__ == "__main__":'
        raise RunError(f"a worker process imports your program, which must not begin again: {remedy}")


def _find_caller() -> Place:
    """Find the line of the program that called us."""
    frame: Any = sys._getframe()
    while frame.f_back and str(frame.f_globals.get("__name__")).partition(".")[0] in ("subitize", "contextlib"):
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno, frame.f_globals.get("__name__")
