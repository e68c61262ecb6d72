"""Suites, judges and a paper that misbehave, registered by entry points as an outside package's would be."""

from collections.abc import Iterable, Iterator, Sequence

from subitize.analysis.papers import Tabulated
from subitize.interfaces import Attempt, Finding, JudgeRequest
from subitize.papers import Paper, Reference
from subitize.records import Ask, Count, Draw, Item, Outcome, Question, Words

SEVEN = 7


class Odd:
    """Ask for apples, and slip at the third item in a way of one's choice."""

    title, judge, max_attempts, repeats, asks_again, strata = "Odd", "observer", 1, 1, False, ()

    def __init__(self, *, slips: str = "never") -> None:
        self._slips = slips

    def items(self, seed: int) -> Iterator[Item]:
        for number in (1, 2, 3):
            item = Item(f"odd/{number}", Draw(f"{number} apples"), (Ask(Count("apple"), "How many?", (number,)),), {})
            yield item if number < 3 else self._slip(item)

    def again(self, tried: Sequence[Attempt]) -> Iterable[Attempt]:
        return ()

    def _slip(self, item: Item) -> Item:
        match self._slips:
            case "raises":
                raise ZeroDivisionError("no apples")
            case "twice":
                return Item("odd/1", item.task, item.asks, {})
            case "foreign":
                return Item("naming/3", item.task, item.asks, {})
            case "nan":
                return Item(item.id, item.task, item.asks, {"share": float("nan")})
            case "type":
                return Item(item.id, Draw(3), item.asks, {})  # type: ignore[arg-type]
            case "text":
                return "3 apples"  # type: ignore[return-value]
        return item


class Untitled:
    """Have no title."""

    judge, max_attempts, repeats = "observer", 1, 1

    def items(self, seed: int) -> Iterator[Item]:
        return iter(())


class Mute:
    """Have no way to answer."""

    tasks, is_stand_in = frozenset({"answer"}), True


class Unsure:
    """Break where it is asked whether it can answer."""

    rule, is_stand_in, asks_together, concurrency = "strict", True, True, 1

    def can_answer(self, question: Question, outcomes: Sequence[Outcome]) -> bool:
        raise LookupError("who knows")

    async def respond(self, exhibit: JudgeRequest, /) -> tuple[Finding, ...]:
        return (Finding(Words("3")),)


class Ruleless(Unsure):
    """Name no rule."""

    rule = None  # type: ignore[assignment]


class Twin(Unsure):
    """Have a name that another has, too."""


def tabulate(*_: object, **__: object) -> Tabulated:
    return "a table"  # type: ignore[return-value]


HOLLOW = Paper(
    package="odd_roles",
    title="Hollow",
    references=(Reference("Doe, J. (2026). Hollow.", "", "Nothing."),),
    parts=("reproduction", "tables"),
    tabulate="odd_roles:tabulate",
)
