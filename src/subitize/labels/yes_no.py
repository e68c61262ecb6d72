"""Yes and no, as people vote and as models phrase it."""

import re

from subitize.records import Discarded, Known, Value

VOTES_FOR = ("yes", "y", "1", "true", "right", "correct", "success", "✓")
VOTES_AGAINST = ("no", "n", "0", "false", "wrong", "incorrect", "failure", "✗")


def read_vote(text: str) -> Value:
    """Read one of the words by which people vote, and nothing else."""
    said = text.strip().casefold()
    if said in VOTES_FOR or said in VOTES_AGAINST:
        return Known(said in VOTES_FOR)
    return Discarded(f"no vote: {text[:40]!r}")


# A word is an answer if it stands alone, or is set off from what follows, or goes on as a sentence: "yes", "No, …",
# "yes it is". Others are about something else: "no idea", "no images attached", "n/a", "true to life", "yes or no".
_STANDS = r"""
    (?= [^\w\s]* (?: $ | \n | [,;:!?…–—] | (?<=[^\w\s])\s | \s+ (?: $ | [-–—(] | (?:SENTENCE)\b ) ) )
""".replace(
    "SENTENCE", "all|because|both|exactly|he|i|in|indeed|it|not|she|since|that|the|there|these|they|this|those|we|you"
)
_YES_OR_NO = r"(?: (?P<yes>yes|y|true) | (?P<no>no|n(?!\W+a\W*$)|false) )"
_ANSWER = re.compile(rf"[^\w-]* {_YES_OR_NO} {_STANDS}", re.VERBOSE)
_DIGIT = re.compile(r"""["'“‘(\[]*([01])["'”’)\].]*""")
# Neither "not true" nor the yes of "yes-men" is an answer.
_LATER_ANSWER = re.compile(rf"(?<![\w-]) (?<!not\ ) (?<!n['’]t\ ) {_YES_OR_NO} {_STANDS}", re.VERBOSE)
_DECLINES = re.compile(
    r"""
    (?: can(?:not|['’]t) | could(?:\ not|n['’]t) | unable\ to )\ (?:
        answer | determine | help | judge | know | say | tell | view
      | (?:access|open|process|see)\ (?:(?:an|any|that|the|this|your)\ )? (?:image|photo|picture)
    ) | \bno\ (?:image|photo|picture)
    """,
    re.VERBOSE,
)


def read_yes_or_no(text: str) -> Value:
    """Read the first word, unless the other one stands as an answer after it, or the answer declines to give one."""
    answer = re.sub(r"[*_`]", "", text.lower()).strip()
    if digit := _DIGIT.fullmatch(answer):
        return Known(digit[1] == "1")
    first = _ANSWER.match(answer)
    if first is None:
        return Discarded(f"neither yes nor no: {text[:40]!r}")
    later = {found.lastgroup for found in _LATER_ANSWER.finditer(answer, first.end())}
    if later - {first.lastgroup} or _DECLINES.search(answer, first.end()):
        return Discarded(f"not clearly yes or no: {text[:40]!r}")
    return Known(first.lastgroup == "yes")
