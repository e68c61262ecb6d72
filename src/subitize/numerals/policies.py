"""What is done with what was read: which number a policy takes, or why it takes none."""

from typing import Literal, get_args

from subitize.numerals.amounts import Amount, AtLeast, Exact, Range, Refusal, Several, Unread, Vague
from subitize.numerals.reading import decide, find_mentions
from subitize.numerals.tokens import tokenise
from subitize.numerals.totals import find_stated_total

Policy = Literal["strict", "total"]
POLICIES: tuple[Policy, ...] = get_args(Policy)


def value(text: str, policy: Policy = "strict") -> float | Unread:
    """The number that a policy takes from the text, or why it takes none.

    strict: only one exact number counts (the rule of Numbersense).
    total: as strict, but of several different numbers the one stated as total or answer counts; nothing is summed.
    A final answer beats an answer, that beats a total, that beats a conclusion ("so 5"); two different ones
    of a kind are discarded unless the later one corrects the earlier ("wait", "actually").
    Neither takes a number below 0, as nothing is counted so.
    """
    if policy not in POLICIES:
        raise ValueError(f"no policy named {policy!r}; known: {', '.join(POLICIES)}")
    tokens = tokenise(text)
    mentions = find_mentions(tokens)
    amount = decide(text, tokens, mentions)
    if policy == "total" and isinstance(amount, Several | Vague):
        total = find_stated_total(tokens, mentions)
        if total is not None and total >= 0:
            return total
    return amount.value if isinstance(amount, Exact) and amount.value >= 0 else Unread(_reason(amount))


def _reason(amount: Amount) -> str:
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
