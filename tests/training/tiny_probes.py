"""A few probes with regions of their pictures, to finetune tiny networks on."""

from collections.abc import Sequence
from pathlib import Path

from subitize.papers.seeing_past_words.probes import CaptionPair, Probe, write_records
from tests.networks.tiny_matchers import write_regions

WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven")


def make_probe(number: int, part: str, answer: int, image: str | None = None, split: str = "standard") -> Probe:
    foils = tuple((answer + step) % len(WORDS) for step in (1, 2, 3))
    texts = [f"there are {WORDS[one]} cats ." for one in (answer, *foils)]
    name = image or f"{part}-{number}.jpg"
    gap = "there are [GAP] cats ."
    question = "how many cats are there ?"
    return Probe(f"{part}{number}", split, part, name, question, answer, foils, texts[0], tuple(texts[1:]), gap, gap)


def write_probes(folder: Path, extra: Sequence[Probe] = (), *, train: int = 8, width: int = 20) -> tuple[Path, Path]:
    """Write probes (a train set, whose answers go round, and four each to test on), and their regions."""
    probes = [make_probe(number, "train", number % len(WORDS)) for number in range(train)]
    probes += [make_probe(number, part, number + 1) for part in ("validation", "test") for number in range(4)]
    probes += extra
    file = folder / "probes.jsonl"
    write_records(file, probes)
    names = list(dict.fromkeys(probe.image for probe in probes))
    return file, write_regions(folder / "regions.npz", [*names, "a.jpg", "b.jpg"], width=width)


def write_captions(folder: Path) -> Path:
    """Write two caption probes."""
    pairs = [
        CaptionPair("a", "coco", "a.jpg", "a red cat", "two dogs"),
        CaptionPair("b", "coco", "b.jpg", "dogs", "no"),
    ]
    write_records(folder / "captions.jsonl", pairs)
    return folder / "captions.jsonl"
