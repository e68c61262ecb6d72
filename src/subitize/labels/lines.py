"""Which of several lines an answer chooses."""

import re
from collections.abc import Sequence
from string import ascii_lowercase

from subitize.records import Discarded, Known, Value


def read_line(text: str, lines: Sequence[str], *, has_positions: bool) -> Value:
    """Find the line that was chosen, by its words, its letter, or where digits are positions by its number."""
    answer = text.strip()
    if answer in lines:
        return Known(lines.index(answer))
    if has_positions and re.fullmatch(r"\d{1,4}", answer, re.ASCII) and int(answer) < len(lines):
        return Known(int(answer))
    plain = [_plain(line) for line in lines]
    said = _plain(answer)
    position = plain.index(said) if plain.count(said) == 1 else _lettered(answer.lower(), plain)
    return Discarded(f"none of the {len(lines)} lines: {text[:40]!r}") if position is None else Known(position)


def _plain(text: str) -> str:
    """Leave out what does not tell lines apart: case, spacing, and the marks around."""
    return " ".join(text.lower().split()).strip(" .*_`\"'“”‘’")


# A letter stands for a line if it is marked as one, as in "(b)", "b." and "**b**", or has the first line of the answer
# to itself. A letter that goes on without a mark is a word: "a cat".
_LETTER = re.compile(
    r"""
    [*_]{0,2} (?:(?:the\ )? (?:(?:best|correct|right)\ )? (?:answer|choice|line|option) (?:\ is)? :? [*_]{0,2} \s+)?
    (?:
        [*_`"'“‘]{0,3} [(\[]? (?P<marked>[a-z]) [)\].:]{1,2} [*_`"'”’]{0,3}
      | [*_`"'“‘]{1,3} (?P<emphasised>[a-z]) [*_`"'”’]{1,3} [).:]?
      | (?P<bare>[a-z]) (?= \s*$ | [ ]*\n | [ ][-–—][ ] )
    )
    (?P<end> \s*$ | [ ]*\n\s* )? (?(end) | \s+ (?:[-–—]\s+)? )
    """,
    re.VERBOSE,
)
# An "a" or "i" without a mark is a word, and so is the "s" of "it's".
_OTHER_LETTER = re.compile(r"(?<![\w'’.]) (?: ([a-z])(?:[)\]*]|[.](?!\w)|$) | ([b-hj-z])(?![\w'’]|[.]\w) )", re.VERBOSE)
# What may follow a chosen letter besides the words of its line.
_REASON = re.compile(r"(?:as|because|best|describes|fits|i (?:can )?(?:count|see)|matches|since)\b")
# What follows a letter or a line that is talked about, not chosen: "(a) is wrong", "(b) Two cats: no".
_TALK = re.compile(
    r"""
    [^\w]* (?:
        and | are | can | cannot | could | do | does | false | incorrect | is | may | maybe | might | neither | no | nor
      | not | or | seems? | unlikely | was | would | wrong
    ) (?:n['’]t)?\b
    """,
    re.VERBOSE,
)


def _lettered(answer: str, plain: Sequence[str]) -> int | None:
    """Find the line that an answer names by its letter, unless it names or says another, or talks about it."""
    found = _LETTER.match(answer)
    if found is None:
        return None
    position = ascii_lowercase.index(found["marked"] or found["emphasised"] or found["bare"])
    if position >= len(plain):
        return None
    rest = _plain(answer[found.end() :])
    said = max((line for line in plain if _begins(rest, line)), key=len, default="")
    if said not in ("", plain[position]):
        return None
    tail = "" if _is_part(rest, plain[position]) else rest[len(said) :]
    others = {letter for letters in _OTHER_LETTER.findall(tail) for letter in letters if letter}
    names_another = others & set(ascii_lowercase[: len(plain)]) - {ascii_lowercase[position]}
    is_chosen = found["end"] is not None or said or not tail or _REASON.match(tail)
    return position if is_chosen and not names_another and not _TALK.match(tail) else None


def _begins(text: str, line: str) -> bool:
    return bool(line) and text.startswith(line) and not text[len(line) : len(line) + 1].isalnum()


def _is_part(text: str, line: str) -> bool:
    """Tell whether a text is some words of the line; one alone may be about it: "(a) no", "(b) some"."""
    return " " in text and f" {text} " in f" {line} "
