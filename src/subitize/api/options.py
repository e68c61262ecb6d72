"""What the parameters of verbs mean, for programs and for the command line, which makes its options from them."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Union

if TYPE_CHECKING:
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


AnyRun = Union["str", "Path", "Location", "Run"]
"""A run's folder or place, or an open run, which stays open."""
AnyPath = str | Path
Names = str | Sequence[str]
"""One name, or several."""

RunArg = Annotated[AnyRun, Arg("The run's folder; with --database, its name there.", "RUN")]
RunArgs = Annotated[AnyRun, Arg("The runs' folders; with --database, their names.", "RUN…")]
MadeRun = Annotated[AnyRun, Opt("The run to make or add to.", "RUN")]
Judge = Annotated[str | None, Opt("Only the readings of this judge.", "JUDGE")]
Rule = Annotated[
    str | None,
    Opt("Read the stored evidence again: total, strict, boxes>=0.4,iou=0.95, calibrated:NAME …", "RULE"),
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
Suite = Annotated[str, Arg("name, name:key=value,key=value or FILE.yaml; see: subitize list suites", "SUITE")]
Official = Annotated[str | None, Opt("The official prompts, where the suite has none of its own.", "FILE", "--prompts")]
Fresh = Annotated[str | None, Opt("Make new prompts of the same design, never published.", "SEED")]
Nouns = Annotated[str | None, Opt("Your own nouns for --fresh.", "FILE")]
Refine = Annotated[
    Names, Opt("Also refined prompts: grid, additive+position, rewritten:file=FILE … Repeatable.", "NAME")
]
