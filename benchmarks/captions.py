"""Captions made by a grammar of our own: words by Zipf's law, some with numbers, some that repeat."""

import random
import tomllib
from collections.abc import Iterator, Sequence
from itertools import accumulate
from pathlib import Path

_TABLE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_NOUNS, _ADJECTIVES, _VERBS, _PLACES, _SMALL = (
    _TABLE[kind].split() for kind in ("nouns", "adjectives", "verbs", "places", "numbers")
)
_TAILS, _OTHER_NUMBERS = _TABLE["tails"], _TABLE["other_numbers"]


def make_captions(count: int, *, candidates: float, repeats: float = 0.15, seed: int = 0) -> Iterator[str]:
    """Make captions: this share may hold a number, and this share is a repeated one."""
    chance = random.Random(seed)
    words = _Words(chance)
    recent: list[str] = []
    for _ in range(count):
        if recent and chance.random() < repeats:
            yield recent[int(len(recent) * chance.random() ** 2)]  # some repeat much more often than others
            continue
        caption = words.numbered() if chance.random() < candidates else words.plain()
        if len(recent) < 50_000:
            recent.append(caption)
        yield caption


class _Words:
    """Draws words, each kind by Zipf's law; one in twenty is a rare word."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._weights = {len(kind): _zipf(len(kind)) for kind in (_NOUNS, _ADJECTIVES, _VERBS, _PLACES, _TAILS)}
        self._numbers = list(accumulate(n**-2.0 for n in range(1, 1_001)))

    def plain(self) -> str:
        """Make a caption without a number."""
        return self._finish(f"a {self._thing()} {self._scene()}")

    def numbered(self) -> str:
        """Make a caption with a number, of things as a rule."""
        if self._chance.random() < 0.4:
            pattern = self._chance.choice(_OTHER_NUMBERS)
            n, m, year = self._number(), self._number(), self._chance.randrange(1900, 2026)
            return self._finish(f"{self._thing()} {pattern.format(n=n, m=m, year=year)} {self._scene()}")
        return self._finish(f"{self._counted()} {self._scene()}")

    def _counted(self) -> str:
        number = self._number()
        is_word = number <= len(_SMALL) and self._chance.random() < 0.5
        first = _SMALL[number - 1] if is_word else str(number)
        more = f" and {self._counted()}" if self._chance.random() < 0.1 else ""
        return f"{first} {self._thing()}{'s' * (number > 1)}{more}"

    def _number(self) -> int:
        return self._chance.choices(range(1, 1_001), cum_weights=self._numbers)[0]

    def _thing(self) -> str:
        chance = self._chance.random()
        noun = self._draw(_NOUNS) if self._chance.random() < 0.95 else self._rare()
        return f"{self._draw(_ADJECTIVES)} {noun}" if chance < 0.4 else noun

    def _scene(self) -> str:
        scene = f"{self._draw(_VERBS)} {self._draw(_PLACES)} the {self._thing()}"
        return f"{scene} {self._draw(_TAILS)}" if self._chance.random() < 0.5 else scene

    def _rare(self) -> str:
        return "".join(self._chance.choices("abcdefghijklmnoprstuvwy", k=self._chance.randint(4, 9)))

    def _draw(self, kind: Sequence[str]) -> str:
        return self._chance.choices(kind, cum_weights=self._weights[len(kind)])[0]

    def _finish(self, caption: str) -> str:
        style = self._chance.random()
        if style < 0.1:
            return caption.title()
        return caption[0].upper() + caption[1:] + "." * (style > 0.8)


def _zipf(count: int) -> list[float]:
    return list(accumulate(1 / rank for rank in range(1, count + 1)))
