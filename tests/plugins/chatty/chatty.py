"""Suites of no paper, and a model that thinks aloud: an outside package."""

from collections.abc import Iterable, Iterator, Sequence

from subitize.interfaces import Attempt, Reply, Request
from subitize.records import Answer, Ask, Count, Item, Said, Stimulus, TaskKind


class Tally:
    """Ask how many dots there are, ten times."""

    title = "Tally"
    name = "tally"
    judge = "parser"
    repeats = 1
    max_attempts = 1

    def items(self, seed: int) -> Iterator[Item]:
        """Show one to ten dots."""
        for number in range(1, 11):
            picture = Stimulus("dots", number, seed, 128)
            ask = Ask(Count("dot"), "How many dots?", (number,))
            yield Item(f"{self.name}/{number}", Answer(picture, ask.wording), (ask,), {"number": number})

    def again(self, tried: Sequence[Attempt]) -> Iterable[Attempt]:
        """Ask nothing again."""
        return ()


class TallyTotal(Tally):
    """The same, read by another rule."""

    name = "tally-total"
    rule: str | None = "total"


class TallyJudge(Tally):
    """The same, read as the judge says."""

    name = "tally-judge"
    rule: str | None = None


class Thinker:
    """Think aloud, and answer 3; one time in ten, say nothing of use."""

    tasks: frozenset[TaskKind] = frozenset({"answer"})
    is_stand_in = True
    concurrency = 1

    async def respond(self, request: Request, /) -> Reply:
        """Answer without a look."""
        thought = "I see 2 or 4 at first. "
        text = f"{thought}A few." if request.item_id.endswith("/10") else f"{thought}The answer is 3."
        return Reply(Said(text), request.provenance())
