"""Makes commands of verbs: a command's options are the parameters of the verb's signature."""

import inspect
import sys
from collections.abc import Callable, Sequence
from inspect import Parameter
from pathlib import Path
from typing import Any, ForwardRef, get_args, get_origin

import typer

from subitize.api.options import Arg, Opt
from subitize.errors import BadValueError
from subitize.report.terminal import TerminalEvents

_DATABASE = typer.Option(
    None, "--database", metavar="URL", envvar="SUBITIZE_DATABASE", help="postgresql://…, for runs that a team shares."
)
_AS_JSON = typer.Option(False, "--json", help="Print JSON for programs.")


def expose(
    group: typer.Typer, name: str, verb: Callable[..., Any], *, has_json: bool = False, resumes: bool = False
) -> None:
    """Add a verb to a group of commands.

    With `has_json` it prints its records on request. One that resumes says so when it is stopped by Ctrl-C.
    """
    given = [one for one in inspect.signature(verb).parameters.values() if one.name != "events"]
    runs = {one.name for one in given if _is_run(one)}
    images = "image_folder" if any(one.name == "images" for one in given) else "images"
    parameters = [_translate(one) for one in given]
    if runs:
        parameters += [_option("database", _DATABASE, str | None), _option(images, _images(images), Path | None)]
    if has_json:
        parameters.append(_option("as_json", _AS_JSON, bool))

    def command(**values: Any) -> None:  # noqa: ANN401
        as_json = values.pop("as_json", False)
        database, folder = values.pop("database", None), values.pop(images, None) if runs else None
        values = {
            key: _locate(value, database, folder) if key in runs else value
            for key, value in values.items()
            if value not in (None, [])
        }
        several = [each for one in given if one.kind is Parameter.VAR_POSITIONAL for each in values.pop(one.name)]
        try:
            with CommandEvents() as events:
                found = verb(*several, **values, events=events)
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
    """Names parameters in warnings as options are written."""

    def warn(self, *lines: str) -> None:
        """Print warnings."""
        super().warn(*map(name_options, lines))


def name_options(message: str) -> str:
    """Write `limit` in a message as --limit."""
    import re

    return re.sub(r"`([a-z_]+)`", lambda found: f"--{found[1].replace('_', '-')}", message)


def emit(found: object, *, as_json: bool = False) -> None:
    """Print what a verb found: a result, or the paths of files."""
    match found:
        case None:
            pass
        case Path():
            print(found)
        case list():
            print(*found, sep="\n")
        case _:
            from subitize.report.table import Result
            from subitize.report.writers import print_result

            if isinstance(found, Result):
                print_result(found, as_json=as_json)


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


def _locate(names: str | list[str], database: str | None, images: Path | None) -> Any:  # noqa: ANN401
    """Return the locations of runs: folders, or names in a database."""
    from subitize.store import Database

    if database is None:
        return names
    if images is None:
        raise BadValueError("a run in a database needs `images` DIR (or SUBITIZE_IMAGES) for its images")
    if isinstance(names, list):
        return [Database(database, one, images) for one in names]
    return Database(database, names, images)


def _images(name: str) -> Any:  # noqa: ANN401
    flag, help = f"--{name.replace('_', '-')}", "With --database: where the images are kept."
    return typer.Option(None, flag, metavar="DIR", envvar="SUBITIZE_IMAGES", help=help)


def _option(name: str, default: Any, kind: Any) -> Parameter:  # noqa: ANN401
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=kind)


def _flag(name: str, default: object) -> str:
    flag = name.rstrip("_").replace("_", "-")
    return f"--{flag}/--no-{flag}" if default is True else f"--{flag}"


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
    return next(one for one in kinds if one in (bool, int, float, str))


def _is_run(given: Parameter) -> bool:
    return ForwardRef("Run") in _kinds(given.annotation)
