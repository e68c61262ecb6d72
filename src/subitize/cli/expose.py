"""Makes commands of verbs: a command's options are the parameters of the verb's signature."""

import inspect
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from inspect import Parameter
from pathlib import Path
from typing import Any, ForwardRef, get_args, get_origin

import typer

from subitize.api.calls import database
from subitize.api.options import Arg, InPrograms, Opt
from subitize.errors import BadValueError
from subitize.report.terminal import TerminalEvents

_DATABASE = typer.Option(
    None, "--database", metavar="URL", envvar="SUBITIZE_DATABASE", help="postgresql://…, for runs that a team shares."
)
_AS_JSON = typer.Option(False, "--json", help="Print JSON for programs.")
_FLAGS: dict[str, str] = {}


def expose(
    group: typer.Typer, name: str, verb: Callable[..., Any], *, has_json: bool | str = False, resumes: bool = False
) -> None:
    """Add a verb to a group of commands.

    With `has_json` it prints its records on request; if this is the name of an option, only together with it. One that
    resumes says so when it is stopped by Ctrl-C.
    """
    given = [one for one in inspect.signature(verb).parameters.values() if _is_option(one)]
    several = next((one.name for one in given if one.kind is Parameter.VAR_POSITIONAL), None)
    parameters = [_translate(one) for one in given]
    reads_run = any(ForwardRef("Run") in _kinds(one.annotation) for one in given)
    folder = "image_folder" if any(one.name == "images" for one in given) else "images"
    if reads_run:
        parameters += [_option("database", _DATABASE, str | None), _option(folder, _images(folder), Path | None)]
    if has_json:
        parameters.append(_option("as_json", _AS_JSON, bool))
    flags = dict(flag for one in parameters if one.default.param_decls for flag in _name_flags(one))

    def command(**values: Any) -> None:  # noqa: ANN401
        _FLAGS.clear()
        _FLAGS.update(flags)
        as_json = values.pop("as_json", False)
        if as_json and isinstance(has_json, str) and not values[has_json]:
            raise BadValueError(f"--json needs `{has_json}` here; for the figures of a run: subitize score RUN --json")
        place = [values.pop(one) for one in ("database", folder)] if reads_run else [None, None]
        chosen = {key: value for key, value in values.items() if value not in (None, [])}
        try:
            with _in_database(*place), CommandEvents() as events:
                found = verb(*chosen.pop(str(several), ()), **chosen, events=events)
        except KeyboardInterrupt:
            if not resumes:
                raise
            print("subitize: stopped; what was answered is stored, and the same command goes on", file=sys.stderr)
            raise typer.Exit(130) from None
        emit(found, as_json=as_json)

    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {one.name: one.annotation for one in parameters}
    group.command(name, help=inspect.getdoc(verb))(command)


class CommandEvents(TerminalEvents):
    """Names parameters as options are written."""

    def say(self, *lines: str) -> None:
        """Print results."""
        super().say(*map(name_options, lines))

    def warn(self, *lines: str) -> None:
        """Print warnings."""
        super().warn(*map(name_options, lines))


def name_options(message: str) -> str:
    """Write `limit` in a message as --limit, and `sight_check=False` as --no-sight-check."""
    return re.sub(r"`([a-z_]+(?:=False)?)`", lambda found: _FLAGS.get(found[1], found[0]), message)


def emit(found: object, *, as_json: bool = False) -> None:
    """Print what a verb found: a result, a text, or the paths of files; close a run."""
    if isinstance(found, str | Path | list):
        lines = found if isinstance(found, list) else [found]
        print(*lines, sep="\n", end="" if isinstance(found, str) else "\n")
        return
    from subitize.report.table import Result
    from subitize.report.writers import print_result

    if isinstance(found, Result):
        lead, notes = (tuple(map(name_options, lines)) for lines in (found.lead, found.notes))
        print_result(replace(found, lead=lead, notes=notes), as_json=as_json)
    elif found is not None:
        found.close()  # type: ignore[attr-defined]  # the run that was made


def _is_option(given: Parameter) -> bool:
    return given.name != "events" and InPrograms not in _kinds(given.annotation)


def _translate(given: Parameter) -> Parameter:
    """Make a parameter of a command."""
    kinds = _kinds(given.annotation)
    shown = next((one for one in kinds if isinstance(one, Arg | Opt)), Opt())
    is_required = given.default is Parameter.empty
    default = ... if is_required else given.default
    kind = _kind(kinds)
    if given.kind is Parameter.VAR_POSITIONAL or (is_required and kind == list[str]):
        kind, default = list[kind if kind != list[str] else str], ...  # type: ignore[misc]
    elif kind == list[str]:
        kind, default = list[str] | None, None
    elif isinstance(default, str) and kind is Path:
        default = Path(default)
    elif default is None:
        kind = kind | None
    if isinstance(shown, Arg):
        return _option(given.name, typer.Argument(default, metavar=shown.metavar, help=shown.help), kind)
    flags = shown.flags.split() or [_flag(given.name, default)]
    usual = {} if shown.shown is None else {"show_default": shown.shown}
    bounds = {"min": shown.least, "max": shown.most}
    option = typer.Option(default, *flags, metavar=shown.metavar, help=shown.help, **bounds, **usual)  # type: ignore[arg-type]
    return _option(given.name, option, kind)


def _in_database(url: str | None, images: Path | None) -> AbstractContextManager[None]:
    if url is None:
        return nullcontext()
    if images is None:
        raise BadValueError("a run in a database needs `images` DIR (or SUBITIZE_IMAGES) for its images")
    return database(url, images)


def _images(name: str) -> Any:  # noqa: ANN401
    help = "With --database: where the images are kept."
    return typer.Option(None, _flag(name, None), metavar="DIR", envvar="SUBITIZE_IMAGES", help=help)


def _option(name: str, default: Any, kind: Any) -> Parameter:  # noqa: ANN401
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=kind)


def _flag(name: str, default: object) -> str:
    flag = name.rstrip("_").replace("_", "-")
    return f"--{flag}/--no-{flag}" if default is True else f"--{flag}"


def _name_flags(given: Parameter) -> Iterator[tuple[str, str]]:
    """Pair a parameter with its option, and `name=False` with the one that turns it off."""
    flag, _, off = given.default.param_decls[0].partition("/")
    yield given.name, flag
    if off:
        yield f"{given.name}=False", off


def _kinds(annotation: Any) -> Sequence[Any]:  # noqa: ANN401
    """List what an annotation is made of."""
    return [annotation, *(part for one in get_args(annotation) for part in _kinds(one))]


def _kind(kinds: Sequence[Any]) -> Any:  # noqa: ANN401
    """Choose the type of an option."""
    if ForwardRef("Run") in kinds:
        return str
    if any(get_origin(one) is Sequence for one in kinds):
        return list[str]
    if Path in kinds:
        return Path
    return next((one for one in kinds if one in (bool, int, float, str)), str)
