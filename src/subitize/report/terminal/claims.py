"""What a paper concludes on the terminal, each conclusion with its verdict and what was computed."""

from collections.abc import Iterable

from subitize.analysis.claims import Statement
from subitize.report.terminal.layout import say


def print_claims(statements: Iterable[Statement], *, title: str = "claims") -> None:
    """Print a claim with its verdict in a line, and below it each part of what was computed."""
    say(title)
    for one in statements:
        say(f"{one.id} {one.verdict}: {one.claim}")
        for part in one.sentence.split("; "):
            say(f"    {part}")
