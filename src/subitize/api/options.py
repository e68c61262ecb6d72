"""What the parameters of verbs mean, for programs and for the command line, which makes its options from them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Union

from subitize.errors import BadValueError

if TYPE_CHECKING:
    from subitize import interfaces
    from subitize.store import Location, Run


@dataclass(frozen=True, slots=True)
class Arg:
    """A positional argument on the command line: its help and placeholder."""

    help: str = ""
    metavar: str | None = None


@dataclass(frozen=True, slots=True)
class Opt:
    """An option on the command line: its help, placeholder, flags if not named as the parameter, and bounds."""

    help: str = ""
    metavar: str | None = None
    flags: str = ""
    least: int | None = None
    most: int | None = None
    shown: str | None = None
    """The default as the help shows it, if another."""


class InPrograms:
    """Marks a parameter of a verb that only programs can give, and so no option of its command."""


AnyRun = Union["str", "Path", "Location", "Run"]
"""A run's folder or place, or an open run, which stays open."""
AnyPath = str | Path
Names = str | Sequence[str]
"""One name, or several."""
AnyModel = Union[str, "interfaces.Model", Callable[..., Any]]
"""A model by name, or an object or a function of the program."""

RunArg = Annotated[AnyRun, Arg("The run's folder; with --database, its name there.", "RUN")]
RunArgs = Annotated[AnyRun, Arg("The runs' folders; with --database, their names.", "RUN…")]
MadeRun = Annotated[AnyRun, Opt("The run to make or add to.", "RUN")]
Judge = Annotated[str | None, Opt("Only the readings of this judge.", "JUDGE")]
Rule = Annotated[
    str | None, Opt("Read the stored evidence again: total, strict, boxes>=0.4,iou=0.95, calibrated:NAME …", "RULE")
]
JudgeRule = Annotated[
    str | None, Opt("How its evidence is read: boxes>=0.4,iou=0.95, calibrated:NAME … [its own].", "RULE")
]
Agreement = Annotated[
    str, Opt("How several people's answers become one: plurality, majority, median, adjudicated …", "RULE")
]
Factors = Annotated[Names | None, Opt("A factor to group by. Repeatable.", "FACTOR")]
Prompts = Annotated[
    str, Opt("Intervals for prompts like these, or for exactly these with new images.", "sampled|fixed")
]
SampledNouns = Annotated[
    str, Opt("Where a suite samples nouns: intervals for nouns like these, or for exactly these.", "sampled|fixed")
]
Seed = Annotated[int, Opt("Seed of everything random.", "N")]
Tries = Annotated[int, Opt("How often a request is sent before it counts as failed.", "N")]
MaxCost = Annotated[float | None, Opt("Stop before it has cost more than this in total.", "USD")]
Prices = Annotated[AnyPath | None, Opt("Your prices (TOML), in place of ours where both have one.", "FILE")]
Engine = Annotated[
    str, Opt("Where models compute: local, or ray:workers=N,cpus=N,gpus=N, each per worker.", "local|ray")
]
RayAddress = Annotated[str | None, Opt("The Ray cluster's head, or local [the cluster of this machine].", "HOST:PORT")]
_SUITE = Arg("name, name:key=value,key=value or FILE.yaml; see: subitize list suites", "SUITE")
Suite = Annotated[str, _SUITE]
AnySuite = Annotated[Union[str, "interfaces.Suite"], _SUITE]
"""A suite by name, or an object of the program."""
Official = Annotated[str | None, Opt("The official prompts, where the suite has none of its own.", "FILE", "--prompts")]
Fresh = Annotated[str | None, Opt("Make new prompts of the same design, never published.", "SEED")]
Nouns = Annotated[str | None, Opt("Your own nouns for --fresh.", "FILE")]
Refine = Annotated[
    Names, Opt("Also refined prompts: grid, additive+position, rewritten:file=FILE … Repeatable.", "NAME")
]


def split_refinements(given: Names) -> list[str]:
    """Split names joined by +, except those with options; refuse one that is given twice."""
    texts = [given] if isinstance(given, str) else given
    each = [name for text in texts for name in ([text] if ":" in text else text.split("+"))]
    names = [text.partition(":")[0] for text in each]
    for name in names:
        if names.count(name) > 1:
            raise BadValueError(f"`refine` {name} is given {names.count(name)} times; once is enough")
    return each
