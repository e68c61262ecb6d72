"""What a text can say about how many there are."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Exact:
    """One number, perhaps hedged ("about ten") or said twice ("3 (three)")."""

    value: float


@dataclass(frozen=True, slots=True)
class Range:
    """From low to high, both included: "2-5", "3 or 4", "up to 5"."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class AtLeast:
    """This many or more: "10+", "more than 9"."""

    low: float


@dataclass(frozen=True, slots=True)
class Vague:
    """A quantity without a number: "a few", "dozens"."""

    phrase: str


@dataclass(frozen=True, slots=True)
class Several:
    """Different numbers, each once, in order of appearance; or one that counts twice ("2 red and 2 green")."""

    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class NoNumber:
    """Nothing that counts anything."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """The text declines to answer, and gives no number."""

    phrase: str


Amount = Exact | Range | AtLeast | Vague | Several | NoNumber | Refusal


@dataclass(frozen=True, slots=True)
class Unread:
    """A text that a policy discards, and why."""

    reason: str


def describe(amount: Amount) -> str:
    """Say why no number is taken from it."""
    match amount:
        case Several((twice,)):
            return f"two counts of {_digits(twice)}"
        case Several(values):
            return f"several different numbers: {', '.join(map(_digits, values))}"
        case Range(low, high):
            return f"a range: {_digits(low)} to {_digits(high)}"
        case AtLeast(low):
            return f"at least {_digits(low)}"
        case Exact(negative):
            return f"less than nothing: {_digits(negative)}"
        case Vague(phrase):
            return f"vague: {phrase!r}"
        case Refusal(phrase):
            return f"refusal: {phrase!r}"
        case _:
            return "no number"


def _digits(number: float) -> str:
    return str(int(number)) if number == int(number) else str(number)
