"""The cost of calls: a dated price list, sums from reported usage, and estimates in advance."""

import math
import tomllib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import date
from fnmatch import fnmatchcase
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar
from urllib.parse import urlsplit

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from subitize.errors import BadFileError, BadValueError
from subitize.io.files import read_text

OLD_AFTER_DAYS = 180
_BUILT_IN = Path(__file__).with_name("prices.toml")
_MILLION = 1_000_000
_REMEDIES = {
    "missing": "not there; add it",
    "tuple_type": "should be a list",
    "dict_type": "should be a table",
    "mapping_type": "should be a table",
    "dataclass_type": "should be a table",
    "union_tag_not_found": "no rule; add rule = tiles, patches or fixed",
    "too_short": "should name at least one",
    "string_too_short": "should not be empty",
    "string_pattern_mismatch": "should be a size such as 1024x1024",
}

T = TypeVar("T")

Usd = Annotated[float, Field(ge=0, allow_inf_nan=False, strict=True)]
Count = Annotated[int, Field(ge=0, strict=True)]
Factor = Annotated[float, Field(gt=0, allow_inf_nan=False, strict=True)]
Size = Annotated[str, Field(pattern="^[1-9][0-9]*x[1-9][0-9]*$")]
Name = Annotated[str, Field(min_length=1)]


@dataclass(frozen=True, slots=True)
class Tiles:
    """An image is shrunk to at most 2048 px, its short side to at most 768 px, and covered with tiles of 512 px."""

    base: Count
    per_tile: Count
    rule: Literal["tiles"] = "tiles"

    def count(self, width: int, height: int, *, is_low_detail: bool = False) -> int:
        """Count the input tokens of an image."""
        if is_low_detail:
            return self.base
        # Fractions, because rounding must not add a third tile to a side of exactly 1024 px.
        shrink = min(Fraction(1), Fraction(2048, max(width, height)), Fraction(768, min(width, height)))
        return self.base + self.per_tile * math.ceil(width * shrink / 512) * math.ceil(height * shrink / 512)


@dataclass(frozen=True, slots=True)
class Patches:
    """An image is covered with patches of 32 px, at most `cap` after shrinking, each worth `multiplier` tokens."""

    multiplier: Factor
    cap: Annotated[int, Field(gt=0, strict=True)] | None = None
    rule: Literal["patches"] = "patches"

    def count(self, width: int, height: int, *, is_low_detail: bool = False) -> int:
        """Count the input tokens of an image; low detail makes no difference here."""
        columns, rows = width / 32, height / 32
        patches = math.ceil(columns) * math.ceil(rows)
        if self.cap is not None and patches > self.cap:
            columns, rows = _scale((columns, rows), math.sqrt(self.cap / (columns * rows)))
            # Again, so that the side that loses most to rounding down has a whole number of patches.
            columns, rows = _scale((columns, rows), min(max(math.floor(side), 1) / side for side in (columns, rows)))
            patches = min(_round_up(columns) * _round_up(rows), self.cap)
        return _round_up(patches * self.multiplier)


@dataclass(frozen=True, slots=True)
class Fixed:
    """Every image counts the same."""

    tokens: Count
    rule: Literal["fixed"] = "fixed"

    def count(self, width: int, height: int, *, is_low_detail: bool = False) -> int:
        """Count the input tokens of an image."""
        return self.tokens


ImageRule = Annotated[Tiles | Patches | Fixed, Field(discriminator="rule")]


@dataclass(frozen=True, slots=True)
class ChatRates:
    """US dollars per million tokens of a chat."""

    input: Usd
    output: Usd
    cached_input: Usd | None = None
    """If it is not given, the same as `input`."""


@dataclass(frozen=True, slots=True)
class ImageRates:
    """US dollars per million tokens of drawing: of the prompt and of the images."""

    text_input: Usd
    output: Usd


@dataclass(frozen=True, slots=True)
class Price:
    """What some models on some servers cost: one `[[price]]` of a file.

    In tables by quality and size, the first entry is for calls that leave the choice to the server.
    """

    host: Name
    models: Annotated[tuple[Name, ...], Field(min_length=1)]
    as_of: Annotated[date, Field(strict=True)]
    source: Name
    chat_usd_per_million: ChatRates | None = None
    image_in_chat: ImageRule = Tiles(base=85, per_tile=170)
    images_usd_per_million: ImageRates | None = None
    tokens_per_image: Mapping[str, Mapping[Size, Count]] = field(default_factory=dict)
    usd_per_image: Mapping[str, Mapping[Size, Usd]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if "/" in self.host:
            raise ValueError(f"host {self.host!r} should be a name such as api.openai.com, localhost:8000 or *")
        if self.chat_usd_per_million is None and self.images_usd_per_million is None and not self.usd_per_image:
            raise ValueError("no price; add chat_usd_per_million, images_usd_per_million or usd_per_image")
        if self.tokens_per_image and self.images_usd_per_million is None:
            raise ValueError("tokens_per_image has no price; add images_usd_per_million")

    def of_chat(self, tokens_in: int, tokens_out: int, cached_in: int = 0) -> float:
        """Compute the cost of a chat in US dollars; `tokens_in` includes `cached_in`."""
        rates = self.chat_usd_per_million
        if rates is None:
            raise BadValueError(
                f"{', '.join(self.models)} has no price for chats; add chat_usd_per_million in a file: `prices` FILE"
            )
        cached = rates.input if rates.cached_input is None else rates.cached_input
        fresh_in = max(tokens_in - cached_in, 0)
        return (fresh_in * rates.input + cached_in * cached + tokens_out * rates.output) / _MILLION

    def of_images(
        self, size: str | None, quality: str | None, n: int, tokens_in: int | None = None, tokens_out: int | None = None
    ) -> float | None:
        """Compute the cost of n images in US dollars; None if their price is not listed.

        Tokens are counted over all n. If the model is priced by tokens, the result without `tokens_out` is an estimate.
        """
        rates = self.images_usd_per_million
        text = 0.0 if rates is None or tokens_in is None else tokens_in * rates.text_input / _MILLION
        if rates is not None and tokens_out is not None:
            return text + tokens_out * rates.output / _MILLION
        each = _look_up(self.usd_per_image, quality, size)
        if each is None and rates is not None:
            tokens = _look_up(self.tokens_per_image, quality, size)
            each = None if tokens is None else tokens * rates.output / _MILLION
        return None if each is None else text + n * each


@dataclass(frozen=True, slots=True)
class PriceList:
    """The known prices: those of the user's file, then ours, which are read on first use."""

    users: tuple[Price, ...] = ()
    has_ours: bool = False

    def find(self, base_url: str, model: str) -> Price | None:
        """Find a model's price on a server: the user's before ours, the most specific name first."""
        address = urlsplit(base_url)
        hosts = {address.netloc.rpartition("@")[2].lower(), address.hostname or ""}
        for layer in (self.users, read_ours()) if self.has_ours else (self.users,):
            there = [price for price in layer if any(fnmatchcase(host, price.host.lower()) for host in hosts)]
            fits = [(name, price) for price in there for name in price.models if fnmatchcase(model, name)]
            if fits:
                return max(fits, key=lambda fit: (_specificity(fit[0]), _specificity(fit[1].host)))[1]
        return None


def load_prices(path: Path | None = None) -> PriceList:
    """Load our prices; those of a user's file take precedence."""
    return PriceList(() if path is None else _read(path), has_ours=True)


@cache
def read_ours() -> tuple[Price, ...]:
    """Read the package's own prices."""
    return _read(_BUILT_IN)


def estimate_text_tokens(text: str) -> int:
    """Estimate a text's tokens as a quarter of its UTF-8 bytes, about right for English."""
    return math.ceil(len(text.encode("utf-8", "surrogatepass")) / 4)


def warn_of_age(used: Mapping[str, Price], today: date) -> str | None:
    """Name the models whose prices are older than half a year; None if there are none."""
    old = sorted((price.as_of, model) for model, price in used.items() if (today - price.as_of).days > OLD_AFTER_DAYS)
    if not old:
        return None
    listed = ", ".join(f"{model} ({day})" for day, model in old)
    return f"prices older than {OLD_AFTER_DAYS} days: {listed}; give newer ones with `prices` FILE"


def _read(path: Path) -> tuple[Price, ...]:
    try:
        content = tomllib.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        raise BadFileError(f"{path.name}: no TOML: {error}") from None
    reader = TypeAdapter(dict[Literal["price"], tuple[Price, ...]], config=ConfigDict(extra="forbid"))
    try:
        prices = reader.validate_python(content).get("price", ())
    except ValidationError as error:
        raise BadFileError(f"{path.name}: {_describe(error)}") from None
    if not prices:
        raise BadFileError(f"{path.name}: no [[price]] in it; add one, or leave the file out")
    for (host, name), times in Counter((price.host, name) for price in prices for name in price.models).items():
        if times > 1:
            raise BadFileError(f"{path.name}: model {name!r} at host {host!r} stands there twice; keep one")
    return prices


def _describe(error: ValidationError) -> str:
    """Describe the first fault: its place, its value and what would be right."""
    fault = error.errors(include_url=False)[0]
    places = fault["loc"]
    where = ".".join(f"{place + 1}" if isinstance(place, int) else place for place in places if place != "[key]")
    if fault["type"] == "unexpected_keyword_argument":
        known = sorted(one.name for one in fields(_TABLES.get(places[-2], Price)))
        return f"{where}: unknown key; known: {', '.join(known)}"
    said = fault["msg"].removeprefix("Value error, ").removeprefix("Input ").removeprefix("String ")
    remedy = _REMEDIES.get(fault["type"], said)
    value = "" if isinstance(fault["input"], dict) else f" {fault['input']!r:.60}:"
    return f"{where}:{value} {remedy}"


_TABLES: dict[str | int, type[Any]] = {
    "chat_usd_per_million": ChatRates,
    "images_usd_per_million": ImageRates,
    "tiles": Tiles,
    "patches": Patches,
    "fixed": Fixed,
}


def _specificity(pattern: str) -> tuple[bool, int]:
    """Rank a name above a pattern, and a pattern by how much of it is fixed."""
    wild = sum(pattern.count(mark) for mark in "*?[")
    return wild == 0, len(pattern) - wild


def _look_up(table: Mapping[str, Mapping[str, float]], quality: str | None, size: str | None) -> float | None:
    by_size = _choose(table, quality)
    return None if by_size is None else _choose(by_size, size)


def _choose(table: Mapping[str, T], name: str | None) -> T | None:
    """Take the entry named, or the first if the server chooses."""
    return next(iter(table.values()), None) if not name or name == "auto" else table.get(name)


def _scale(sides: tuple[float, float], factor: float) -> tuple[float, float]:
    return sides[0] * factor, sides[1] * factor


def _round_up(number: float) -> int:
    """Round up, ignoring floating-point error."""
    return math.ceil(round(number, 9))
