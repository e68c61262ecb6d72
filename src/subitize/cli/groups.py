"""The command line's groups of commands, and how their help is laid out."""

from typing import Any

import typer
from typer.core import TyperGroup

_SECTIONS = {
    "Evaluate": ("run", "judge", "score", "measure", "compare", "report"),
    "Ask people": ("annotate", "agree"),
    "Look into runs": ("show", "export", "import"),
    "Prepare": ("list", "make"),
    "More": ("corpus", "train"),
}
_FIRST_STEPS = """Try it:        subitize run naming --model observer
What there is: subitize list
Commands:      subitize --help; guides are in docs/"""


class CommandGroup(TyperGroup):
    """A group that lists its commands with the whole first sentence of their help.

    If it has a command of its own name, that is called where the first word is no other command.
    """

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:  # noqa: ANN401
        """Find a command, or else that of the group's name."""
        is_argument = self.name in self.commands and args[0] not in self.commands
        return super().resolve_command(ctx, [str(self.name), *args] if is_argument else args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401
        """List the commands, section by section; below them the options of the one that needs no name."""
        others = {name: one for name, one in self.commands.items() if name != self.name}
        summaries = {name: (one.help or "").partition("\n")[0] for name, one in others.items()}
        for title, names in self.sections(list(summaries)).items():
            with formatter.section(title):
                formatter.write_dl([(name, summaries[name].partition(". ")[0].rstrip(".")) for name in names])
        if own := self.commands.get(str(self.name)):
            records = [one.get_help_record(ctx) for one in own.params]
            with formatter.section("Options without a command"):
                formatter.write_dl([record for record in records if record is not None])

    def sections(self, names: list[str]) -> dict[str, list[str]]:
        """Group the commands by section title."""
        return {"Commands": names}


class _Commands(CommandGroup):
    def sections(self, names: list[str]) -> dict[str, list[str]]:
        return {title: list(own) for title, own in _SECTIONS.items()}


app = typer.Typer(
    cls=_Commands,
    help="Measure how well text-to-image and vision-language models understand number.",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback(invoke_without_command=True)
def _root(context: typer.Context, version: bool = typer.Option(False, "--version", help="Print the version.")) -> None:
    if version:
        from subitize import __version__

        print(__version__)
        raise typer.Exit
    if context.invoked_subcommand is None:
        print(_FIRST_STEPS)


def add_group(name: str, help: str, to: typer.Typer = app) -> typer.Typer:
    """Add a group of commands to the command line, or to another group."""
    own = {"ignore_unknown_options": True}
    added = typer.Typer(cls=CommandGroup, help=help, no_args_is_help=True, rich_markup_mode=None, context_settings=own)
    to.add_typer(added, name=name)
    return added
