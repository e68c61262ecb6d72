"""Counting a corpus: one process per file, each file once, and after an interruption only what is left."""

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import repeat
from multiprocessing.queues import Queue
from pathlib import Path
from queue import Empty
from typing import Any

from pydantic_core import from_json, to_json

from subitize import __version__
from subitize.corpus.candidates import may_have_number
from subitize.corpus.counts import Counts, from_plain, to_plain
from subitize.corpus.layouts import Layout, Shard, at_hand
from subitize.corpus.numerosities import Rule
from subitize.corpus.shards import Problems, check_shard, read_batches
from subitize.corpus.tagging import Finder, Found, check_parts, tidy
from subitize.corpus.windows import Warn, make_finder
from subitize.errors import BadFileError, RunError
from subitize.evaluate.processes import Pool
from subitize.interfaces import Progress
from subitize.io.outputs import make_folder, write_atomic
from subitize.records import digest

COUNTS = "counts.json"
_VERSION = 1  # of what is stored; raised when the same captions would give other counts
_REMEMBERED = 20_000
_PIECE_BYTES = 1_000_000
_POLL_SECONDS = 0.2
_ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "POLARS_MAX_THREADS")

Report = Callable[[float], object]
"""Is told which share of a file has been counted."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """What is to be counted, and how."""

    shards: tuple[Shard, ...]
    layout: Layout
    rule: Rule
    samples_per_number: int = 5
    folder: Path | None = None
    """Where the counts of each file are kept, so that a second call goes on where the first was stopped."""


@dataclass(frozen=True, slots=True)
class CountedCorpus:
    """The figures of a whole corpus, with how they were got."""

    name: str
    counts: Counts
    rule: Mapping[str, Any]
    shards: int


def count_corpus(corpus: Corpus, progress: Progress, warn: Warn, processes: int | None = None) -> Counts:
    """Count all files and give their sum."""
    check_parts()
    total = Counts(samples_per_number=corpus.samples_per_number)
    todo = []
    for shard in corpus.shards:
        known = _read_state(corpus, shard)
        todo.append(shard) if known is None else total.merge(known)
    for shard in todo:
        if not shard.is_remote:  # those are checked when they are fetched: once is enough
            check_shard(shard, Path(shard.name), corpus.layout)
    progress.begin("megabytes", sum(map(_pieces, todo)))
    count = min(len(todo), processes or os.cpu_count() or 1)
    told = Told(progress, warn)
    for counts in _count_here(corpus, todo, told) if count <= 1 else _count_apart(corpus, todo, told, count):
        total.merge(counts)
    if corpus.folder is not None:
        save_counts(corpus, total)
    return total


def save_counts(corpus: Corpus, counts: Counts) -> None:
    """Write the figures of a whole corpus, to be compared and drawn later."""
    if corpus.folder is None:
        raise ValueError("a corpus without a folder cannot be saved")
    plain = {
        "subitize": __version__,
        "name": corpus.folder.resolve().name,
        "rule": asdict(corpus.rule),
        "layout": asdict(corpus.layout),
        "shards": [shard.name for shard in corpus.shards],
        **to_plain(counts),
    }
    write_atomic(corpus.folder / COUNTS, [to_json(plain, indent=1)])


def load_counts(folder: Path) -> CountedCorpus:
    """Read what an earlier count has saved."""
    path = folder / COUNTS if folder.is_dir() else folder
    try:
        plain = from_json(path.read_bytes())
        return CountedCorpus(plain["name"], from_plain(plain), plain["rule"], len(plain["shards"]))
    except OSError:
        raise BadFileError(
            f"no counts in {folder}; make them: subitize corpus FILES --column NAME --out {folder}"
        ) from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadFileError(f"{path} holds no counts of a corpus ({type(error).__name__}: {error})") from None


def count_shard(corpus: Corpus, shard: Shard, finder: Finder, report: Report) -> Counts:
    """Count one file."""
    from threadpoolctl import threadpool_limits

    counts, problems = Counts(samples_per_number=corpus.samples_per_number), Problems()
    # The matrices are small: further threads would only wait for one another, and take a processor each to do so.
    with at_hand(shard) as path, threadpool_limits(1, user_api="blas"):
        for batch in read_batches(shard, path, corpus.layout, problems):
            counts.captions += len(batch.captions)
            is_candidate = may_have_number(batch.captions)
            texts = [tidy(caption) for caption in batch.captions.filter(is_candidate).to_list()]
            addresses = repeat("") if batch.addresses is None else batch.addresses.filter(is_candidate)
            counts.candidates += len(texts)
            for text, found, address in zip(texts, finder.find(texts), addresses, strict=False):
                if found:
                    counts.add(found, text, address or "")
            counts.trim()
            report(batch.share_read)
    counts.problems, counts.first_problems = problems.count, problems.first
    return counts


class Remembering:
    """Finds numerosities in each caption once, as long as it is remembered: captions repeat."""

    def __init__(self, finder: Finder) -> None:
        self._finder, self._known = finder, dict[str, Found]()

    def find(self, captions: Sequence[str]) -> list[Found]:
        """Find the numerosities of each caption."""
        new = [caption for caption in dict.fromkeys(captions) if caption not in self._known]
        found = dict(zip(new, self._finder.find(new), strict=True))
        result = [found[caption] if caption in found else self._known[caption] for caption in captions]
        self._known.update(found)
        for caption in list(self._known)[: max(0, len(self._known) - _REMEMBERED)]:
            del self._known[caption]
        return result


def _count_here(corpus: Corpus, todo: Sequence[Shard], told: "Told") -> Iterator[Counts]:
    if todo:
        finder = Remembering(make_finder(corpus.rule, told.hear))
        for shard in todo:
            yield _count_and_store(corpus, shard, finder, told.hear)


def _count_apart(corpus: Corpus, todo: Sequence[Shard], told: "Told", count: int) -> Iterator[Counts]:
    queue = multiprocessing.get_context("spawn").Queue()
    pool = Pool(count, _start_worker, corpus, queue)
    with _one_thread_each():
        futures = {pool.submit(_count_in_worker, shard) for shard in todo}
        try:
            while futures:
                done, futures = wait(futures, timeout=_POLL_SECONDS, return_when=FIRST_COMPLETED)
                told.hear_all(queue)
                for future in done:
                    yield future.result()
        except BrokenProcessPool:
            raise RunError(
                "a worker process died, perhaps for want of memory; with --out, files that are counted are kept: "
                "run the same command again, with fewer --processes"
            ) from None
        finally:
            pool.shutdown()


class Told:
    """Passes on what is heard from those who count: pieces of work that are done, and warnings, each once."""

    def __init__(self, progress: Progress, warn: Warn) -> None:
        self._progress, self._warn, self._warnings = progress, warn, set[str]()

    def hear(self, news: int | str) -> None:
        """Take a number of pieces, or a warning."""
        if isinstance(news, int):
            for _ in range(news):
                self._progress.advance(has_failed=False)
        elif news not in self._warnings:
            self._warnings.add(news)
            self._warn(news)

    def hear_all(self, queue: "Queue[int | str]") -> None:
        """Take what has come from other processes."""
        while True:
            try:
                self.hear(queue.get_nowait())
            except Empty:
                return


def _count_and_store(corpus: Corpus, shard: Shard, finder: Finder, tell: Callable[[int | str], object]) -> Counts:
    """Count a file, keep its counts, and tell of every piece of it that is done."""
    pieces, done = _pieces(shard), 0

    def report(share: float) -> None:
        nonlocal done
        tell(int(share * pieces) - done)
        done = int(share * pieces)

    counts = count_shard(corpus, shard, finder, report)
    path = _state_path(corpus, shard)
    if path is not None:
        make_folder(path.parent)
        write_atomic(path, [to_json(to_plain(counts))])
    tell(pieces - done)
    return counts


def _pieces(shard: Shard) -> int:
    return 1 + shard.size_bytes // _PIECE_BYTES


def _state_path(corpus: Corpus, shard: Shard) -> Path | None:
    """Say where a file's counts are kept; of a file that has changed, or by another rule, they are elsewhere."""
    if corpus.folder is None:
        return None
    how = (asdict(corpus.layout), asdict(corpus.rule), corpus.samples_per_number, _VERSION)
    return corpus.folder / "shards" / f"{digest(asdict(shard), *how)}.json"


def _read_state(corpus: Corpus, shard: Shard) -> Counts | None:
    path = _state_path(corpus, shard)
    if path is None or not path.exists():
        return None
    try:
        return from_plain(from_json(path.read_bytes()))
    except (ValueError, KeyError, TypeError):
        return None  # damaged: it is counted again


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Let processes that are started meanwhile use one thread: several would wait for one another."""
    before = {name: os.environ.get(name) for name in _ONE_THREAD}
    os.environ.update(dict.fromkeys(_ONE_THREAD, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})


_corpus: Corpus
_finder: Finder | None = None
_queue: "Queue[int | str]"


def _start_worker(corpus: Corpus, queue: "Queue[int | str]") -> None:
    global _corpus, _queue
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a file that is not finished is counted anew: just stop
    _corpus, _queue = corpus, queue


def _count_in_worker(shard: Shard) -> Counts:
    global _finder
    if _finder is None:
        _finder = Remembering(make_finder(_corpus.rule, _queue.put))
    return _count_and_store(_corpus, shard, _finder, _queue.put)
