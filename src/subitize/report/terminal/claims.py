"""What a paper concludes on the terminal, each conclusion with its verdict and what was computed."""

from collections.abc import Iterable

from rich.console import Console
from rich.text import Text

from subitize.analysis.claims import Statement
from subitize.report.document.cells import printable
from subitize.report.terminal.printing import whole_lines


def print_claims(statements: Iterable[Statement], console: Console | None = None, *, title: str = "claims") -> None:
    """Print a claim with its verdict in a line, and below it each part of what was computed."""
    console = console or whole_lines()
    console.print(Text(title, style="italic"))
    for one in statements:
        console.print(Text(printable(f"{one.id} {one.verdict}: {one.claim}")))
        for part in one.sentence.split("; "):
            console.print(Text(f"    {printable(part)}"))
