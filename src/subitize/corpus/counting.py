"""Counts the numerosities of a corpus, with one process per file; an interrupted count resumes.

Counts are kept by numerosity and by noun, with a few sample captions of each numerosity. Also measures how often
captions with a known numerosity are read correctly."""

import multiprocessing
import os
import signal
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, fields, replace
from functools import lru_cache
from hashlib import blake2b
from itertools import repeat
from multiprocessing.queues import Queue
from pathlib import Path
from queue import Empty
from typing import Any, NamedTuple

from pydantic_core import from_json, to_json

from subitize import __version__
from subitize.corpus.files import (
    CorpusLayout,
    Problems,
    Rows,
    Shard,
    check_shard,
    local_copy,
    read_batches,
    split_rows,
)
from subitize.corpus.numerosities import CaptionRule, Numerosity, may_have_number
from subitize.corpus.tagging import Found, Tagger, Warn, check_parts, make_tagger, tidy
from subitize.errors import BadFileError, NothingToDoError, RunError
from subitize.evaluate.engines import Spread
from subitize.evaluate.processes import Pool
from subitize.interfaces import Events
from subitize.io.files import read_bounded, read_lines
from subitize.io.outputs import make_folder, write_atomic
from subitize.records import Estimate, digest
from subitize.stats.estimate import wilson_interval

MOST_NOUNS = 10_000
"""The most pairs of number and noun to list; the rest is only counted."""
_MOST_PAIRS = 50_000  # kept while counting, so that the final list is exact except for the rarest
_MOST_NUMBERS = 100_000
_MOST_SAMPLED = 1_000  # the largest numerosity of which captions are kept
_SAMPLE_CHARACTERS = 300


class CaptionSample(NamedTuple):
    """A randomly kept caption; the key is a hash, so that the order of files does not matter."""

    key: str
    caption: str
    address: str


@dataclass(slots=True)
class Counts:
    """The counts of a corpus or a part of it; counts of parts can be merged."""

    captions: int = 0
    candidates: int = 0
    """Captions that might hold a number."""
    numerosities: Counter[int] = field(default_factory=Counter)
    """Captions by the sum of their numerosities."""
    mentions: Counter[int] = field(default_factory=Counter)
    """Numerosities by number."""
    nouns: Counter[tuple[int, str]] = field(default_factory=Counter)
    """Numerosities by number and noun, the commonest."""
    samples: dict[int, list[CaptionSample]] = field(default_factory=dict)
    samples_per_number: int = 5
    dropped_numbers: int = 0
    """Captions whose numerosities are too rare to be kept in the histogram."""
    dropped_mentions: int = 0
    """Numerosities whose numbers are too rare to be kept among the mentions."""
    problems: int = 0
    first_problems: list[str] = field(default_factory=list)

    @property
    def counted(self) -> int:
        """Captions with a numerosity."""
        return self.numerosities.total() + self.dropped_numbers

    def add(self, found: Iterable[Numerosity], caption: str, address: str) -> None:
        """Count a caption with numerosities."""
        total = 0
        for one in found:
            total += one.number
            self.mentions[one.number] += 1
            self.nouns[one] += 1
        self.numerosities[total] += 1
        if total <= _MOST_SAMPLED and self.samples_per_number:
            self._sample(total, caption, address)

    def trim(self) -> None:
        """Bound the counters that could grow without limit."""
        if len(self.nouns) > 2 * _MOST_PAIRS:
            self.nouns = Counter(dict(rank(self.nouns)[:_MOST_PAIRS]))
        if len(self.numerosities) > 2 * _MOST_NUMBERS:
            kept = Counter(dict(rank(self.numerosities)[:_MOST_NUMBERS]))
            self.dropped_numbers += self.numerosities.total() - kept.total()
            self.numerosities = kept
        if len(self.mentions) > 2 * _MOST_NUMBERS:
            common = Counter(dict(rank(self.mentions)[:_MOST_NUMBERS]))
            self.dropped_mentions += self.mentions.total() - common.total()
            self.mentions = common

    def merge(self, other: "Counts") -> None:
        """Add the counts of another part."""
        for name in ("captions", "candidates", "dropped_numbers", "dropped_mentions", "problems"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.first_problems = (self.first_problems + other.first_problems)[:20]
        for name in ("numerosities", "mentions", "nouns"):
            getattr(self, name).update(getattr(other, name))
        for number, own in other.samples.items():
            both = {*self.samples.get(number, ()), *own}
            self.samples[number] = sorted(both)[: self.samples_per_number]
        self.trim()

    def _sample(self, number: int, caption: str, address: str) -> None:
        key = blake2b(f"{caption}\0{address}".encode("utf-8", "replace"), digest_size=8).hexdigest()
        own = self.samples.setdefault(number, [])
        if len(own) < self.samples_per_number or key < own[-1].key:
            sample = CaptionSample(key, caption[:_SAMPLE_CHARACTERS], address)
            self.samples[number] = sorted({*own, sample})[: self.samples_per_number]


def rank(counter: Counter[Any]) -> list[tuple[Any, int]]:
    """Sort by count, the commonest first; ties by key."""
    return sorted(counter.items(), key=lambda item: (-item[1], item[0]))


def to_plain(counts: Counts) -> dict[str, Any]:
    """Convert counts to JSON values."""
    first = {"captions": counts.captions, "candidates": counts.candidates, "counted": counts.counted}
    converted = {
        "numerosities": dict(sorted(counts.numerosities.items())),
        "mentions": dict(sorted(counts.mentions.items())),
        "nouns": [[number, noun, count] for (number, noun), count in rank(counts.nouns)],
        "samples": {number: [list(one) for one in own] for number, own in sorted(counts.samples.items())},
    }
    return first | {one.name: getattr(counts, one.name) for one in fields(Counts)} | converted


def from_plain(plain: Mapping[str, Any]) -> Counts:
    """Read counts from JSON values."""
    plain = {"dropped_mentions": 0, **plain}  # missing in counts of earlier versions
    converted = {
        "numerosities": Counter({int(number): count for number, count in plain["numerosities"].items()}),
        "mentions": Counter({int(number): count for number, count in plain["mentions"].items()}),
        "nouns": Counter({(number, noun): count for number, noun, count in plain["nouns"]}),
        "samples": {int(number): [CaptionSample(*one) for one in own] for number, own in plain["samples"].items()},
    }
    return Counts(**{one.name: plain[one.name] for one in fields(Counts)} | converted)


COUNTS = "counts.json"
_VERSION = 1  # of stored counts; raised when the same captions would give other counts
_REMEMBERED = 20_000
_PIECE_BYTES = 1_000_000
_ROWS_AT_ONCE = 1_000_000
"""Counted in half a minute or so: less would not be worth a task on another machine."""
_POLL_SECONDS = 0.2
_ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "POLARS_MAX_THREADS")

Report = Callable[[float], object]
"""Takes the share of a file counted so far."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """The files to count, and how."""

    shards: tuple[Shard, ...]
    layout: CorpusLayout
    rule: CaptionRule
    samples_per_number: int = 5
    folder: Path | None = None
    """Where the counts of each file are kept, so that an interrupted count resumes."""


@dataclass(frozen=True, slots=True)
class CountedCorpus:
    """The counts of a whole corpus, with the rule that produced them."""

    name: str
    counts: Counts
    rule: Mapping[str, Any]
    shards: int


def count_corpus(corpus: Corpus, events: Events, processes: int | None = None, spread: Spread | None = None) -> Counts:
    """Count all files and return their sum; on other machines where `spread` is given."""
    check_parts()
    total = Counts(samples_per_number=corpus.samples_per_number)
    todo = []
    for shard in corpus.shards:
        known = _read_state(corpus, shard)
        todo.append(shard) if known is None else total.merge(known)
    for shard in todo:
        if not shard.is_remote:  # remote files are fetched only once, and checked then
            check_shard(shard, Path(shard.name), corpus.layout)
    events.begin("megabytes", sum(map(_pieces, todo)))
    count = min(len(todo), processes or os.cpu_count() or 1)
    reporter = Reporter(events)
    if spread is not None:
        counted = _count_elsewhere(corpus, todo, reporter, spread)
    else:
        counted = _count_here(corpus, todo, reporter) if count <= 1 else _count_apart(corpus, todo, reporter, count)
    for counts in counted:
        total.merge(counts)
    if corpus.folder is not None:
        _save_counts(corpus.folder, corpus, total)
    return total


def _save_counts(folder: Path, corpus: Corpus, counts: Counts) -> None:
    """Write the counts of a whole corpus, to be compared and drawn later."""
    plain = {
        "subitize": __version__,
        "name": folder.resolve().name,
        "rule": asdict(corpus.rule),
        "layout": asdict(corpus.layout),
        "shards": [shard.name for shard in corpus.shards],
        **to_plain(counts),
    }
    write_atomic(folder / COUNTS, [to_json(plain, indent=1)])


def load_counts(folder: Path) -> CountedCorpus:
    """Read the counts that an earlier count saved."""
    path = folder / COUNTS if folder.is_dir() else folder
    try:
        plain = from_json(read_bounded(path))
        return CountedCorpus(plain["name"], from_plain(plain), plain["rule"], len(plain["shards"]))
    except BadFileError as error:
        raise BadFileError(
            f"no counts in {folder} ({error}); make them: subitize corpus FILES --column NAME --out {folder}"
        ) from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadFileError(f"{path} holds no counts of a corpus ({type(error).__name__}: {error})") from None


def count_shard(corpus: Corpus, shard: Shard, tagger: Tagger, report: Report, rows: Rows | None = None) -> Counts:
    """Count one file, or some of its rows."""
    from threadpoolctl import threadpool_limits

    counts, problems = Counts(samples_per_number=corpus.samples_per_number), Problems()
    # The matrices are small: more threads would only wait for each other, each busy on a core.
    with local_copy(shard) as path, threadpool_limits(1, user_api="blas"):
        for batch in read_batches(shard, path, corpus.layout, problems, rows):
            counts.captions += len(batch.captions)
            is_candidate = may_have_number(batch.captions)
            texts = [tidy(caption) for caption in batch.captions.filter(is_candidate).to_list()]
            addresses = repeat("") if batch.addresses is None else batch.addresses.filter(is_candidate)
            counts.candidates += len(texts)
            for text, found, address in zip(texts, tagger.find(texts), addresses, strict=False):
                if found:
                    counts.add(found, text, address or "")
            counts.trim()
            report(batch.share_read)
    counts.problems, counts.first_problems = problems.count, problems.first
    return counts


class CachedTagger:
    """Caches the numerosities of recent captions, which often repeat."""

    def __init__(self, tagger: Tagger) -> None:
        self._tagger, self._known = tagger, dict[str, Found]()

    def find(self, captions: Sequence[str]) -> list[Found]:
        """Find the numerosities of each caption."""
        new = [caption for caption in dict.fromkeys(captions) if caption not in self._known]
        found = dict(zip(new, self._tagger.find(new), strict=True))
        result = [found[caption] if caption in found else self._known[caption] for caption in captions]
        self._known.update(found)
        for caption in list(self._known)[: max(0, len(self._known) - _REMEMBERED)]:
            del self._known[caption]
        return result


def _count_here(corpus: Corpus, todo: Sequence[Shard], reporter: "Reporter") -> Iterator[Counts]:
    if todo:
        tagger = CachedTagger(make_tagger(corpus.rule, reporter.report))
        for shard in todo:
            yield _count_and_store(corpus, shard, tagger, reporter.report)


def _count_apart(corpus: Corpus, todo: Sequence[Shard], reporter: "Reporter", count: int) -> Iterator[Counts]:
    queue = multiprocessing.get_context("spawn").Queue()
    pool = Pool(count, _start_worker, corpus, queue)
    with _one_thread_each():
        futures = {pool.submit(_count_in_worker, shard) for shard in todo}
        try:
            while futures:
                done, futures = wait(futures, timeout=_POLL_SECONDS, return_when=FIRST_COMPLETED)
                reporter.report_all(queue)
                for future in done:
                    yield future.result()
        except BrokenProcessPool:
            raise RunError(
                "a worker process died, perhaps for want of memory; with `out`, files that are counted are kept: "
                "run the same command again, with fewer `processes`"
            ) from None
        finally:
            pool.shutdown()


def _count_elsewhere(corpus: Corpus, todo: Sequence[Shard], reporter: "Reporter", spread: Spread) -> Iterator[Counts]:
    """Count on other machines, large files in parts; their counts are stored here."""
    parts = [(shard, rows) for shard in todo for rows in split_rows(shard, corpus.layout, _ROWS_AT_ONCE)]
    left, sums = Counter(shard for shard, _ in parts), dict[Shard, Counts]()
    how = replace(corpus, shards=(), folder=None)
    for place, (counts, warnings) in spread(count_part, ((how, *part) for part in parts)):
        for warning in warnings:
            reporter.report(warning)
        shard = parts[place][0]
        sums.setdefault(shard, Counts(samples_per_number=corpus.samples_per_number)).merge(counts)
        left[shard] -= 1
        if not left[shard]:
            _store(corpus, shard, sums[shard])
            reporter.report(_pieces(shard))
            yield sums.pop(shard)


def count_part(corpus: Corpus, shard: Shard, rows: Rows | None) -> tuple[Counts, Sequence[str]]:
    """Count a file, or some of its rows, in whichever process; also return warnings."""
    tagger, warnings = _own_tagger(corpus.rule)
    return count_shard(corpus, shard, tagger, lambda _: None, rows), warnings


@lru_cache(maxsize=1)
def _own_tagger(rule: CaptionRule) -> tuple[CachedTagger, Sequence[str]]:
    warnings: list[str] = []
    return CachedTagger(make_tagger(rule, warnings.append)), warnings


class Reporter:
    """Passes on the progress and warnings of workers, each warning once."""

    def __init__(self, events: Events) -> None:
        self._events, self._warnings = events, set[str]()

    def report(self, news: int | str) -> None:
        """Report a number of finished pieces, or a warning."""
        if isinstance(news, int):
            for _ in range(news):
                self._events.advance()
        elif news not in self._warnings:
            self._warnings.add(news)
            self._events.warn(news)

    def report_all(self, queue: "Queue[int | str]") -> None:
        """Report everything in the queue of the other processes."""
        with suppress(Empty):
            while True:
                self.report(queue.get_nowait())


def _count_and_store(corpus: Corpus, shard: Shard, tagger: Tagger, tell: Callable[[int | str], object]) -> Counts:
    """Count a file, store its counts, and report each finished piece."""
    pieces, done = _pieces(shard), 0

    def report(share: float) -> None:
        nonlocal done
        tell(int(share * pieces) - done)
        done = int(share * pieces)

    counts = count_shard(corpus, shard, tagger, report)
    _store(corpus, shard, counts)
    tell(pieces - done)
    return counts


def _store(corpus: Corpus, shard: Shard, counts: Counts) -> None:
    """Store a file's counts, if that is wanted."""
    path = _state_path(corpus, shard)
    if path is not None:
        make_folder(path.parent)
        write_atomic(path, [to_json(to_plain(counts))])


def _pieces(shard: Shard) -> int:
    return 1 + shard.size_bytes // _PIECE_BYTES


def _state_path(corpus: Corpus, shard: Shard) -> Path | None:
    """Return where a file's counts are stored; a changed file or rule has another path."""
    if corpus.folder is None:
        return None
    how = (asdict(corpus.layout), asdict(corpus.rule), corpus.samples_per_number, _VERSION)
    return corpus.folder / "shards" / f"{digest(asdict(shard), *how)}.json"


def _read_state(corpus: Corpus, shard: Shard) -> Counts | None:
    path = _state_path(corpus, shard)
    if path is None or not path.exists():
        return None
    try:
        return from_plain(from_json(read_bounded(path)))
    except (ValueError, KeyError, TypeError):
        return None  # damaged: count again


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Limit processes started meanwhile to one thread each: more would wait for each other."""
    before = {name: os.environ.get(name) for name in _ONE_THREAD}
    os.environ.update(dict.fromkeys(_ONE_THREAD, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})


_corpus: Corpus
_tagger: Tagger | None = None
_queue: "Queue[int | str]"


def _start_worker(corpus: Corpus, queue: "Queue[int | str]") -> None:
    global _corpus, _queue
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # an unfinished file is counted again: just stop
    _corpus, _queue = corpus, queue


def _count_in_worker(shard: Shard) -> Counts:
    global _tagger
    if _tagger is None:
        _tagger = CachedTagger(make_tagger(_corpus.rule, _queue.put))
    return _count_and_store(_corpus, shard, _tagger, _queue.put)


@dataclass(frozen=True, slots=True)
class Miss:
    """A caption whose sum of numerosities is read wrong; 0 means none."""

    caption: str
    expected: int
    found: int


@dataclass(frozen=True, slots=True)
class Checked:
    """The share of captions read correctly, and the misses."""

    accuracy: Estimate
    misses: tuple[Miss, ...]


def check_captions(path: Path, rule: CaptionRule, warn: Warn) -> Checked:
    """Measure how often captions with a known sum of numerosities (empty: none) are read correctly."""
    expected = []
    for line in read_lines(path, [["caption"], ["numerosity"]], "caption,numerosity"):
        text = line.get("numerosity")
        if text and not text.isdecimal():
            raise line.error(f"numerosity {text!r} should be digits, or empty for none")
        expected.append((line.get("caption"), int(text or 0)))
    if not expected:
        raise NothingToDoError(f"{path.name} has no captions")
    found = make_tagger(rule, warn).find([caption for caption, _ in expected])
    sums = [sum(one.number for one in own) for own in found]
    misses = [Miss(*given, own) for given, own in zip(expected, sums, strict=True) if given[1] != own]
    return Checked(wilson_interval(len(expected) - len(misses), len(expected)), tuple(misses))
