"""What commands share: options, opening runs, choosing judges and rules, printing results and warnings."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from subitize.errors import BadValueError
from subitize.report.terminal import print_warnings

if TYPE_CHECKING:
    from subitize.analysis.frame import ReadOptions
    from subitize.analysis.overview import Names
    from subitize.evaluate.costs import Budget
    from subitize.interfaces import Judge, Suite
    from subitize.labels import Rule
    from subitize.registry import Resolved
    from subitize.store import Location, Run


PAPER = "PAPER"
_SECTIONS = {
    "Evaluate models": ("run", "judge", "score", "measure", "compare", "report", "plate"),
    "Look into a run": ("show", "exclude", "export"),
    "Find and prepare": ("list", "prompts", "stimuli", "glyphs", "rewrite", "power", "doctor"),
    "Ask people": ("annotate", "sample", "screen", "ratings", "agree", "calibrate"),
    "Use data made elsewhere": ("import", "attach", "probes", "corpus"),
    "Reproduce papers": ("reproduce", "tables"),
    "Train models": ("serve",),
}


class Summarised(TyperGroup):
    """A group that lists its commands with the whole first sentence of their help."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401
        """List the commands, section by section."""
        summaries = {name: (self.commands[name].help or "").partition("\n")[0] for name in self.list_commands(ctx)}
        for title, names in self.sections(list(summaries)).items():
            with formatter.section(title):
                formatter.write_dl([(name, summaries[name].partition(". ")[0].rstrip(".")) for name in names])

    def sections(self, names: list[str]) -> dict[str, list[str]]:
        """Group the commands by section title."""
        return {"Commands": names}


class _Commands(Summarised):
    def sections(self, names: list[str]) -> dict[str, list[str]]:
        return {title: list(own) for title, own in _SECTIONS.items()}


app = typer.Typer(
    cls=_Commands,
    help="Measure how well text-to-image and vision-language models understand number.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


class _Imports(Summarised):
    """Commands by name; any other name is that of a paper whose release is imported."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ANN401
        """Find a command, or the one that imports a paper's release."""
        return super().get_command(ctx, cmd_name) or super().get_command(ctx, PAPER)


def add_group(name: str, help: str, group: type[TyperGroup] = Summarised, **settings: Any) -> typer.Typer:  # noqa: ANN401
    """Add a group of commands to the command line."""
    added = typer.Typer(cls=group, help=help, no_args_is_help=True, rich_markup_mode=None, context_settings=settings)
    app.add_typer(added, name=name)
    return added


import_app = add_group("import", "Bring data made elsewhere into a run.", _Imports)

RunName = Annotated[str, typer.Argument(metavar="RUN", help="The run's folder; with --database, its name there.")]
RunNames = Annotated[list[str], typer.Argument(metavar="RUN…", help="The runs' folders; with --database, their names.")]
DatabaseUrl = Annotated[
    str | None,
    typer.Option(
        "--database", metavar="URL", envvar="SUBITIZE_DATABASE", help="postgresql://…, for runs that a team shares."
    ),
]
ImagesFolder = Annotated[
    Path | None,
    typer.Option(
        "--images", metavar="DIR", envvar="SUBITIZE_IMAGES", help="With --database: where the images are kept."
    ),
]
WithPeople = Annotated[bool, typer.Option("--with-people", help="With people's names; otherwise they are numbered.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
PromptsFile = Annotated[
    str | None,
    typer.Option("--prompts", metavar="FILE", help="The official prompts, where the suite has none of its own."),
]
FreshSeed = Annotated[
    str | None, typer.Option("--fresh", metavar="SEED", help="Make new prompts of the same design, never published.")
]
NounsFile = Annotated[str | None, typer.Option("--nouns", metavar="FILE", help="Your own nouns for --fresh.")]
SuiteSpec = Annotated[
    str, typer.Argument(metavar="SUITE", help="name, name:key=value,key=value or FILE.yaml; see: subitize list suites")
]
Refine = Annotated[
    list[str] | None,
    typer.Option(
        "--refine",
        metavar="NAME",
        help="Also refined prompts: grid, additive+position, rewritten:file=FILE … Repeatable.",
    ),
]
MaxCost = Annotated[float | None, typer.Option(metavar="USD", help="Stop before it has cost more than this in total.")]
PricesFile = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Your prices (TOML), in place of ours where both have one.")
]
RuleText = Annotated[
    str | None,
    typer.Option(
        "--rule",
        metavar="RULE",
        help="Read the stored evidence again: total, strict, boxes>=0.4,iou=0.95, calibrated:NAME …",
    ),
]
JudgeRule = Annotated[
    str | None,
    typer.Option(
        "--rule", metavar="RULE", help="How its evidence is read: boxes>=0.4,iou=0.95, calibrated:NAME … [its own]."
    ),
]
Agreement = Annotated[
    str,
    typer.Option(
        metavar="RULE", help="How several people's answers become one: plurality, majority, median, adjudicated …"
    ),
]
Factors = Annotated[list[str] | None, typer.Option(metavar="FACTOR", help="A factor to group by. Repeatable.")]
JudgeName = Annotated[str | None, typer.Option(metavar="JUDGE", help="Only the readings of this judge.")]
Seed = Annotated[int | None, typer.Option(metavar="N", help="Seed of everything random.", show_default="0")]
SeedOfRun = Annotated[
    int | None,
    typer.Option(
        "--seed", metavar="N", help="Seed of everything random; a resumed run keeps its own.", show_default="0"
    ),
]


def open_run(name: str, database: str | None, images: Path | None, *, create: bool = False) -> "Run":
    """Open a run, or create it."""
    from subitize.store import Run

    return Run(locate(name, database, images), create=create)


def locate(name: str, database: str | None, images: Path | None) -> "Location":
    """Return the location of a run: a folder, or a name in a database."""
    from subitize.store import Database, Folder

    if database is None:
        return Folder(Path(name))
    if images is None:
        raise BadValueError("a run in a database needs --images DIR (or SUBITIZE_IMAGES) for its images")
    return Database(database, name, images)


def split_refinements(given: Iterable[str] | None) -> list[str]:
    """Split names joined by +, except those with options; refuse one that is given twice."""
    each = [name for text in given or () for name in ([text] if ":" in text else text.split("+"))]
    names = [text.partition(":")[0] for text in each]
    for name in names:
        if names.count(name) > 1:
            raise BadValueError(f"--refine {name} stands there {names.count(name)} times; once is enough")
    return each


def print_notes(suite: "Suite") -> None:
    """Print a suite's notes on the file that it was loaded from."""
    print_warnings(*suite.notes)


def emit_lines(records: object, *lines: str, as_json: bool = False) -> None:
    """Print what a command found, where lines say it all."""
    from subitize.cli.expose import emit
    from subitize.records import to_plain
    from subitize.report.table import Result

    emit(Result(records=to_plain(records), notes=lines), as_json=as_json)


def choose_reader(judge: str | None, text: str | None, agreement: str = "plurality") -> "ReadOptions":
    """Choose the judge whose readings are used, and the rule."""
    from subitize.analysis import reader

    return reader.choose_reader(judge, text, print_warnings, agreement)


def rule_for(judge: "Resolved[Judge]", text: str | None) -> "Rule | None":
    """Parse the rule for a judge's evidence, before the judge looks at anything."""
    from subitize.analysis import reader

    return reader.rule_for(judge, text, print_warnings)


def make_ledger(prices: Path | None, max_cost: float | None) -> "Budget":
    """Make the budget that calls are charged to."""
    from subitize.evaluate.costs import Budget
    from subitize.io.prices import load_prices

    return Budget(load_prices(prices), max_cost)


def read_names(*runs: "Run") -> "Names":
    """Read the display names of the models and judges of runs."""
    from subitize.analysis import overview

    return overview.read_names(*runs)
