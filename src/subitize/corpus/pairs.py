"""Finds captions whose numbers disagree with their images, as a judge counts them (Numbersense, Figure S3)."""

import asyncio
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from random import Random
from typing import IO

from subitize.corpus.files import CorpusLayout, Problems, Shard, local_copy, read_batches
from subitize.corpus.numerosities import CaptionRule, may_have_number
from subitize.corpus.tagging import Found, Tagger, make_tagger, tidy
from subitize.errors import BadFileError, BadImageError, BadValueError, NothingToDoError
from subitize.evaluate.costs import Budget
from subitize.evaluate.engines import LocalEngine
from subitize.evaluate.looks import JudgePool, RewardSample, Unscorable
from subitize.interfaces import Events, Judge
from subitize.io.images import image_format, read_image
from subitize.labels import Rule as ReadingRule
from subitize.language.questions import count_asks
from subitize.language.scene import Entity, Scene
from subitize.records import Estimate, Known
from subitize.registry import Resolved
from subitize.stats.estimate import estimate

_AT_ONCE = 64
_TRIES = 5
_HEAD = '{"counted_by": '


@dataclass(frozen=True, slots=True)
class CaptionedImage:
    """An image and its caption: the numbers of things named, and those a judge counts (None: unknown)."""

    image: str
    caption: str
    named: dict[str, int]
    counted: dict[str, float | None]
    reason: str = ""
    """Why some or all counts are unknown."""

    @property
    def numerosity(self) -> int:
        """The sum of the numbers in the caption."""
        return sum(self.named.values())

    @property
    def agrees(self) -> bool | None:
        """Whether all counts equal those of the caption; None if one is unknown."""
        known = [self.counted.get(noun) for noun in self.named]
        return None if None in known else known == list(self.named.values())


@dataclass(frozen=True, slots=True)
class MisalignmentRate:
    """The share of disagreeing captions, among those of a numerosity with known counts (None: all)."""

    numerosity: int | None
    disagreeing: Estimate


@dataclass(frozen=True, slots=True)
class CaptionCheck:
    """The result for all pairs; the first rate covers all numerosities."""

    judge: str
    captions: int
    pairs: int
    unknown: int
    reasons: dict[str, int]
    rates: tuple[MisalignmentRate, ...]
    disagreeing: tuple[CaptionedImage, ...]
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PairsSpec:
    """The captions and images to compare; the layout's address column names the image's file in the folder."""

    shards: tuple[Shard, ...]
    layout: CorpusLayout
    images: Path
    rule: CaptionRule
    most: int | None = None
    kept: Path | None = None
    """Where counted pairs are stored, so that an interrupted search resumes."""
    budget: Budget = field(default_factory=Budget)
    """The budget of the judge."""


def find_misaligned(
    pairs: PairsSpec, judge: Resolved[Judge], rule: ReadingRule, events: Events, *, seed: int = 0
) -> CaptionCheck:
    """Compare what captions name with what a judge counts in their images, for all or `most` random pairs."""
    pairs.budget.meter(judge)  # reject a limit without a price before reading anything
    problems = Problems()
    captions, found = _read_pairs(pairs, problems, make_tagger(pairs.rule, events.warn))
    if not found:
        raise NothingToDoError(f"none of {captions} captions names a number of things")
    chosen = found if pairs.most is None else Random(seed).sample(found, min(pairs.most, len(found)))
    with _open_log(pairs.kept, f"{judge.spec.text} {rule}") as log:
        looked = asyncio.run(_look_at_all(chosen, pairs, judge, rule, events, log))
    known = [pair for pair in looked if pair.agrees is not None]
    if not known:
        first = next((pair.reason for pair in looked if pair.reason), "no counts")
        raise NothingToDoError(f"judge {judge.spec.text} counted in none of {len(looked)} images ({first})")
    return CaptionCheck(
        judge=judge.spec.text,
        captions=captions,
        pairs=len(looked),
        unknown=len(looked) - len(known),
        reasons=dict(Counter(pair.reason for pair in looked if pair.agrees is None).most_common(5)),
        rates=tuple(_rates(known)),
        disagreeing=tuple(sorted((pair for pair in known if not pair.agrees), key=lambda pair: pair.numerosity)),
        problems=tuple(problems.first),
    )


def _read_pairs(pairs: PairsSpec, problems: Problems, tagger: Tagger) -> tuple[int, list[tuple[str, str, Found]]]:
    captions, found = 0, []
    for shard in pairs.shards:
        with local_copy(shard) as path:
            for batch in read_batches(shard, path, pairs.layout, problems):
                if batch.addresses is None:
                    raise BadValueError("which column names the images? give `image` NAME")
                captions += len(batch.captions)
                is_candidate = may_have_number(batch.captions)
                texts = [tidy(caption) for caption in batch.captions.filter(is_candidate)]
                each = zip(batch.addresses.filter(is_candidate), texts, tagger.find(texts), strict=True)
                found += [(image or "", text, own) for image, text, own in each if own]
    return captions, found


@contextmanager
def _open_log(path: Path | None, counted_by: str) -> Iterator["_PairLog"]:
    if path is None:
        yield _PairLog(counted_by)
        return
    if path.exists() and not path.is_file():
        raise BadValueError(f"`out` {path}: is no file")
    try:
        file = path.open("a+", encoding="utf-8", errors="replace")
    except OSError as error:
        raise BadValueError(f"`out` {path}: {error.strerror}") from None
    with file:
        log = _PairLog(counted_by, file)
        log.load()
        yield log


class _PairLog:
    """Pairs that a judge has counted before, one per line of a file; failed pairs are tried again."""

    def __init__(self, counted_by: str, file: IO[str] | None = None) -> None:
        self._counted_by, self._file = counted_by, file
        self._pairs: dict[tuple[str, str], CaptionedImage] = {}

    def load(self) -> None:
        """Read the file, and remove a last line that a kill cut short."""
        assert self._file is not None
        self._file.seek(0)
        text = self._file.read()
        whole, _, last = text.rpartition("\n")
        for number, line in enumerate(whole.splitlines(), start=1):
            self._read(number, line)
        if not last.startswith(_HEAD[: len(last)]):
            raise self._refuse(whole.count("\n") + 1)
        self._file.truncate(len(text.removesuffix(last).encode()))

    def find(self, image: str, caption: str) -> CaptionedImage | None:
        """Find a counted pair."""
        return self._pairs.get((image, caption))

    def add(self, pair: CaptionedImage) -> None:
        """Store a pair if it was counted."""
        if self._file is not None and pair.agrees is not None:
            self._file.write(json.dumps({"counted_by": self._counted_by, **asdict(pair)}) + "\n")
            self._file.flush()

    def _read(self, number: int, line: str) -> None:
        try:
            stored = json.loads(line)
            counted_by, pair = stored.pop("counted_by"), CaptionedImage(**stored)
        except (ValueError, TypeError, KeyError, AttributeError):
            raise self._refuse(number) from None
        if counted_by == self._counted_by:
            self._pairs[pair.image, pair.caption] = pair

    def _refuse(self, line: int) -> BadValueError:
        return BadValueError(
            f"`out` {self._file and self._file.name} line {line}: this is no file of counted pairs; name another"
        )


async def _look_at_all(
    found: Sequence[tuple[str, str, Found]],
    pairs: PairsSpec,
    judge: Resolved[Judge],
    rule: ReadingRule,
    events: Events,
    log: _PairLog,
) -> list[CaptionedImage]:
    async def look(one: tuple[str, str, Found]) -> CaptionedImage:
        pair = await _look(pool, pairs.images, *one)
        log.add(pair)
        events.advance(has_failed=pair.agrees is None)
        return pair

    looked = [pair for image, caption, _ in found if (pair := log.find(image, caption))]
    found = [one for one in found if not log.find(*one[:2])]
    events.begin("images", len(found))
    if not found:
        return looked
    with LocalEngine() as engine, engine.start("judge", judge) as caller:
        pool = JudgePool(judge, rule, caller, _TRIES, pairs.budget.meter(judge))
        async with pool.running():
            for start in range(0, len(found), _AT_ONCE):
                looked += await asyncio.gather(*map(look, found[start : start + _AT_ONCE]))
    return looked


async def _look(pool: JudgePool, images: Path, image: str, caption: str, found: Found) -> CaptionedImage:
    named: dict[str, int] = {}
    for one in found:
        named[one.noun] = named.get(one.noun, 0) + one.number
    try:
        data = _read_image(images, image)
        format = image_format(data)
    except BadFileError as error:
        return CaptionedImage(image, caption, named, {}, str(error).removeprefix("cannot be read: "))
    asks = count_asks(Scene(tuple(Entity(noun, number) for noun, number in named.items())))
    counted = await pool.count(RewardSample(data, format, asks))
    if isinstance(counted, Unscorable):
        return CaptionedImage(image, caption, named, {}, counted.reason)
    values = {one.thing: one.value for one in counted}
    numbers = {
        noun: float(value.value) if isinstance(value, Known) and isinstance(value.value, int | float) else None
        for noun, value in values.items()
    }
    reasons = [value.reason for value in values.values() if not isinstance(value, Known)]
    return CaptionedImage(image, caption, named, numbers, "; ".join(reasons))


def _read_image(images: Path, name: str) -> bytes:
    path = (images / name).resolve()
    if images.resolve() not in path.parents:
        raise BadImageError("outside the folder of images")
    return read_image(str(path))


def _rates(known: Sequence[CaptionedImage]) -> Iterator[MisalignmentRate]:
    """Estimate the shares; the captions of an image form a cluster."""
    for numerosity in (None, *sorted({pair.numerosity for pair in known})):
        own = [pair for pair in known if numerosity in (None, pair.numerosity)]
        (share,) = estimate([float(not pair.agrees) for pair in own], [pair.image for pair in own])
        yield MisalignmentRate(numerosity, share)
