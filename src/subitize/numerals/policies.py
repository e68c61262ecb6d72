"""What is done with what was read: which number a policy takes, or why it takes none."""

import re
from itertools import islice
from typing import Literal, get_args

from subitize.numerals.amounts import Amount, AtLeast, Exact, Range, Refusal, Several, Unread, Vague
from subitize.numerals.reading import decide, find_mentions
from subitize.numerals.tokens import LONGEST_TEXT, tokenise
from subitize.numerals.totals import find_stated_total

Policy = Literal["strict", "total", "geckonum"]
POLICIES: tuple[Policy, ...] = get_args(Policy)


def value(text: str, policy: Policy = "strict") -> float | Unread:
    """The number that a policy takes from the text, or why it takes none.

    strict: only one exact number counts (the rule of Numbersense).
    total: as strict, but of several different numbers the one stated as total or answer counts; nothing is summed.
    A final answer beats an answer, that beats a total, that beats a conclusion ("so 5"); two different ones
    of a kind are discarded unless the later one corrects the earlier ("wait", "actually").
    Neither takes a number below 0, as nothing is counted so.
    geckonum: the rule that reproduces the released answers of GeckoNum's annotators, made for digits only.
    """
    if policy not in POLICIES:
        raise ValueError(f"no policy named {policy!r}; known: {', '.join(POLICIES)}")
    if policy == "geckonum":
        return _geckonum(text[:LONGEST_TEXT])
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


_GECKONUM_MANY = 11.0  # its annotators chose from 0 to 10 and "10+"


def _geckonum(text: str) -> float | Unread:
    """Found by us in GeckoNum's release: it holds for all 431,425 rows, the paper's own words for 96.6 %."""
    first = text.split(",", 1)[0].replace("o", "0").replace("O", "0")
    if "10+" in first:
        return _GECKONUM_MANY
    numbers = [float(match[0]) for match in islice(re.finditer(r"\d+(?:\.\d+)?", first), 2)]
    if not numbers:
        return Unread("no number")
    mean = sum(numbers) / len(numbers)
    return _GECKONUM_MANY if mean > _GECKONUM_MANY - 1 else mean
