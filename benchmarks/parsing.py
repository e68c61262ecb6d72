"""How the time of reading answers and prompts grows with their length: four times the text, at most some four times.

The texts are the worst we know: one unit over and over, each made to send some rule of the readers back and forth.
"""

import random
import time
from collections.abc import Callable, Iterator, Sequence

from benchmarks.comparing import Figure
from subitize.labels.rules import word_rules
from subitize.language.clauses import read_scene
from subitize.language.scene import NotUnderstood, Scene
from subitize.language.tokens import LONGEST_TEXT
from subitize.stimuli.clipart import PALETTE
from subitize.stimuli.glyphs import GLYPHS

ANSWERS = (
    "one ", "1,", "a ", "no ", "(", "-", "٣", "1/", "hundred ", " and", "between 1 ", "1,000,", "1-", "1.", "1:", "<a ",
    "_", "not ", "any ", "5 or ", "half a ", "1\n", "1) ", "a few ", "total 5 ", "= 5 + ", "I can't ", "twenty-", "'",
    "a'", "1e", "http://", "½", "1 1/2 ", "more than ", "at least 5 ", "one and a half ", "more than one and ",
    "the ", "9", "1 000 ", "1\u00a0000\u00a0", "111 ", "both ", "and another ", "5, another ", "2 cats, ", "not 5 ",
    "nobody ", "one in front, ", "a few hundred ",
)  # fmt: skip
PROMPTS = (
    "big ", "a big ", "on big ", "the dog and ", "3 red and ", "0 dogs, ", "(", "-", "image ", "hundred ", "x7",
    "many dogs and ", "half of a ", "no dogs. ", "a vase with ", "half red and ", "one of them ",
)  # fmt: skip
_LONGER = 4


def measure(*, is_tiny: bool = False) -> Iterator[Figure]:
    """Compare each text with a quarter of it, and give the one whose time grows most."""
    length, rounds = (400, 1) if is_tiny else (LONGEST_TEXT, 7)
    for name, rule in word_rules().items():
        yield _find_worst(f"an answer, rule {name}", ANSWERS, rule.read, length, rounds)
    yield _find_worst("a prompt", PROMPTS, _read, length, rounds)
    yield _find_slowest(length)


def _find_worst(what: str, units: Sequence[str], read: Callable[[str], object], length: int, rounds: int) -> Figure:
    growths = {unit: _growth(unit, read, length, rounds) for unit in units}
    worst = max(units, key=growths.__getitem__)
    told = f"reading {what}, of {length:,} characters, in times of a quarter of it; the worst of all, {worst!r}"
    return Figure(told, growths[worst], aim="<= 8")  # the square of the text would give 16


def _growth(unit: str, read: Callable[[str], object], length: int, rounds: int) -> float:
    """Take the least of several times: a busy machine only ever adds to them."""
    long, short = _repeat(unit, length), _repeat(unit, length // _LONGER)
    pairs = [(_seconds(read, long), _seconds(read, short)) for _ in range(rounds)]
    return min(ours for ours, _ in pairs) / min(other for _, other in pairs)


def _find_slowest(length: int) -> Figure:
    mixed = "".join(random.Random(5).choices(PROMPTS, k=length))[:length]
    slowest = max(_seconds(_read, text) for text in [*(_repeat(unit, length) for unit in PROMPTS), mixed])
    return Figure(f"the slowest prompt of {length:,} characters", slowest, "s", "<= 2")


def _seconds(read: Callable[[str], object], text: str) -> float:
    start = time.process_time()
    read(text)
    return time.process_time() - start


def _repeat(unit: str, length: int) -> str:
    return (unit * length)[:length]


def _read(prompt: str) -> Scene | NotUnderstood:
    return read_scene(prompt, tuple(GLYPHS), tuple(PALETTE))
