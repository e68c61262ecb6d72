"""What is done with what was read: which number a policy takes, or why it takes none."""

from typing import Literal, get_args

from subitize.numerals.amounts import Exact, Several, Unread, Vague, describe
from subitize.numerals.finals import read_final
from subitize.numerals.reading import decide, find_mentions
from subitize.numerals.tokens import tokenise
from subitize.numerals.totals import find_stated_total

Policy = Literal["strict", "total", "final"]
POLICIES: tuple[Policy, ...] = get_args(Policy)


def value(text: str, policy: Policy = "strict") -> float | Unread:
    """The number that a policy takes from the text, or why it takes none.

    strict: only one exact number counts (the rule of Numbersense).
    total: as strict, but of several different numbers the one stated as total or answer counts; nothing is summed.
    A final answer beats an answer, that beats a total, that beats a conclusion ("so 5"); two different ones
    of a kind are discarded unless the later one corrects the earlier ("wait", "actually").
    final: the answer that a model comes to. Its reasoning is left out; the number that is marked as the answer counts,
    else the one number of what is left, or of several the total, the one above or below its parts, or a conclusion.
    None takes a number below 0, as nothing is counted so.
    """
    if policy not in POLICIES:
        raise ValueError(f"no policy named {policy!r}; known: {', '.join(POLICIES)}")
    if policy == "final":
        return read_final(text)
    tokens = tokenise(text)
    mentions = find_mentions(tokens)
    amount = decide(text, tokens, mentions)
    if policy == "total" and isinstance(amount, Several | Vague):
        total = find_stated_total(tokens, mentions)
        if total is not None and total >= 0:
            return total
    return amount.value if isinstance(amount, Exact) and amount.value >= 0 else Unread(describe(amount))
