"""Numbers in captions: ours against spaCy's own pipeline over every caption, per second of processor time."""

import os
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from benchmarks.captions import make_captions
from benchmarks.comparing import Comparison, Figure, Result, Unmeasured
from benchmarks.processes import peak_megabytes
from subitize.corpus.counting import CachedTagger, Corpus, Counts, count_corpus, count_shard
from subitize.corpus.files import choose_layout, find_shards
from subitize.corpus.numerosities import CaptionRule
from subitize.corpus.tagging import MODEL, SpacyTagger, make_tagger
from subitize.interfaces import NoEvents

if TYPE_CHECKING:
    from spacy.language import Language

_LAION_400M = 400_000_000
_SHARE_OF_LAION = 0.17  # of its captions might hold a number


def measure(*, is_tiny: bool) -> Iterator[Result]:
    """Count captions in the ways that there are."""
    if find_spec("spacy") is None or find_spec(MODEL) is None:
        yield Unmeasured("captions/s, ours to spaCy's nlp.pipe", "spaCy: pip install 'subitize[corpus]'")
        return
    count, tagged, pairs = (500, 100, 1) if is_tiny else (500_000, 20_000, 3)
    with tempfile.TemporaryDirectory() as folder:
        for share, aim in ((0.15, ">= 40"), (0.2, ">= 33")):
            captions = list(make_captions(count, candidates=share))
            what = f"captions per processor second, {share:.0%} with a number, ours to nlp.pipe of the tagger alone"
            yield _compare(what, captions, tagged, aim, Path(folder), pairs)
        captions = list(make_captions(count, candidates=_SHARE_OF_LAION))
        whole = "captions per processor second, 17% with a number, ours to nlp.pipe of all components"
        compared = _compare(whole, captions, tagged // 4, ">= 100", Path(folder), pairs, is_whole=True)
        yield compared
        hours = _LAION_400M / count * compared.ours_seconds / 3600
        yield Figure("400 million captions on one core", hours, "hours")
        yield Figure("400 million captions on 16 cores", hours / 16, "hours")
        yield _measure_memory(Path(folder), *((200, 1_000) if is_tiny else (100_000, 2_000_000)))
        yield _measure_cores(Path(folder), *((200, 2_000) if is_tiny else (40_000, 1_600_000)))


def _compare(
    what: str, captions: Sequence[str], tagged: int, aim: str, folder: Path, pairs: int, *, is_whole: bool = False
) -> Comparison:
    """Count all captions, and tag the first of them in spaCy's way; what is found in those must be the same."""
    nlp = _load(is_whole=is_whole)
    rival = SpacyTagger(CaptionRule(), nlp)
    tagger = make_tagger(CaptionRule(), _refuse)
    ours, others = [], []
    for _ in range(pairs):
        ours.append(_processor_seconds(lambda: _count(captions, folder, tagger)))
        others.append(_processor_seconds(lambda: rival.find(captions[:tagged])) * len(captions) / tagged)
    found = rival.find(captions[:tagged])
    sums = Counter(sum(one.number for one in own) for own in found if own)
    if _count(captions[:tagged], folder, tagger).numerosities != sums:
        raise AssertionError("the histograms differ")
    ratios = [other / our for our, other in zip(ours, others, strict=True)]
    middle = statistics.median
    return Comparison(what, middle(ours), middle(others), middle(ratios), min(ratios), max(ratios), aim)


def _load(*, is_whole: bool) -> "Language":
    import spacy

    return spacy.load(MODEL, exclude=[] if is_whole else ["parser", "lemmatizer", "ner"])


def _refuse(warning: str) -> None:
    raise AssertionError(warning)


def _count(captions: Sequence[str], folder: Path, tagger: object) -> Counts:
    """Count captions that are read from a file, as if for the first time."""
    path = folder / "captions.parquet"
    pl.DataFrame({"TEXT": captions, "URL": [""] * len(captions)}).write_parquet(path)
    corpus = _open(path)
    return count_shard(corpus, corpus.shards[0], CachedTagger(tagger), lambda _: None)  # type: ignore[arg-type]


def _open(path: Path) -> Corpus:
    return Corpus(tuple(find_shards([str(path)])), choose_layout("laion", None, None), CaptionRule())


def _processor_seconds(call: Callable[[], object]) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start


def _measure_memory(folder: Path, few: int, many: int) -> Figure:
    """Compare the peaks of processes that count few captions and many."""
    peaks = []
    for count in (few, many):
        path = folder / "many.parquet"
        captions = list(make_captions(count, candidates=_SHARE_OF_LAION))
        pl.DataFrame({"TEXT": captions, "URL": [""] * count}).write_parquet(path, row_group_size=100_000)
        del captions
        peaks.append(peak_megabytes("-m", "benchmarks.corpus", path))
    what = f"peak memory, {many:,} captions to {few:,} ({peaks[1]:.0f} to {peaks[0]:.0f} MB)"
    return Figure(what, peaks[1] / peaks[0], aim="<= 1.1")


def _measure_cores(folder: Path, few: int, many: int) -> Result:
    """Time four files in one process and in two, by what many captions take longer than few: the start left out."""
    what = "captions per second, two processes to one"
    if (os.cpu_count() or 1) < 2:
        return Unmeasured(what, "two cores")
    seconds: dict[int, list[float]] = {1: [], 2: []}
    for count in (few, many):
        captions = list(make_captions(count, candidates=_SHARE_OF_LAION))
        for part in range(4):
            own = captions[part::4]
            pl.DataFrame({"TEXT": own, "URL": [""] * len(own)}).write_parquet(folder / f"part-{part}.parquet")
        corpus = _open(folder / "part-*.parquet")
        for processes, taken in seconds.items():
            start = time.perf_counter()
            count_corpus(corpus, NoEvents(), processes)
            taken.append(time.perf_counter() - start)
    one, two = (taken[1] - taken[0] for taken in seconds.values())
    return Figure(what, max(one, 1e-9) / max(two, 1e-9), aim=">= 1.8")


if __name__ == "__main__":
    _corpus = _open(Path(sys.argv[1]))
    count_shard(_corpus, _corpus.shards[0], CachedTagger(make_tagger(CaptionRule(), _refuse)), lambda _: None)
