"""The alignment probe: images with a caption of their own and one of another image (section 3.1)."""

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter

from subitize.errors import BadFileError, BadValueError
from subitize.io.files import number_lines, read_json, read_lines, read_text
from subitize.papers.seeing_past_words.probes import CaptionPair, validate
from subitize.papers.seeing_past_words.sources import Omissions

IMAGES = 5000
"""As many as the paper takes from each data set."""

Captions = Mapping[str, Sequence[str]]
"""The captions of each image, by its name."""


def read_captions(path: Path, omitted: Omissions | None = None) -> Captions:
    """Read the captions of images: COCO's JSON, Conceptual Captions' TSV, or a CSV with the columns image, caption."""
    match path.suffix.lower():
        case ".json":
            pairs = _read_coco(path)
        case ".tsv":
            pairs = _read_conceptual_captions(path, omitted or Omissions())
        case ".csv":
            lines = read_lines(path, [("image",), ("caption",)], "image, caption")
            pairs = ((line.get("image"), line.get("caption")) for line in lines)
        case _:
            raise BadFileError(f"{path.name}: should be COCO's .json, Conceptual Captions' .tsv, or a .csv")
    found: dict[str, list[str]] = {}
    for image, caption in pairs:
        if caption.strip():
            found.setdefault(image, []).append(caption.strip())
    if not found:
        raise BadFileError(f"{path.name} has no captions")
    return found


def pair_captions(captions: Captions, source: str, *, images: int = IMAGES, seed: int = 0) -> list[CaptionPair]:
    """Choose so many images by lot, or all if there are fewer; a foil is a caption of another of them, not its own."""
    if images < 2:
        raise BadValueError(f"images {images}: should be at least 2, as foils are captions of other images")
    rng = random.Random(seed)
    chosen = rng.sample(list(captions), min(images, len(captions)))
    return [
        CaptionPair(
            f"{source}/{image}", source, image, rng.choice(captions[image]), _choose_foil(captions, chosen, image, rng)
        )
        for image in chosen
    ]


def _choose_foil(captions: Captions, chosen: Sequence[str], image: str, rng: random.Random) -> str:
    own = {_fold(caption) for caption in captions[image]}
    # Mostly the first that is tried will do; where many captions are alike, all are looked through.
    for others in (rng.sample(chosen, min(8, len(chosen))), rng.sample(chosen, len(chosen))):
        for other in others:
            foreign = [caption for caption in captions[other] if _fold(caption) not in own]
            if other != image and foreign:
                return rng.choice(foreign)
    raise BadFileError(f"image {image!r} has no foil: no other image has another caption")


def _fold(caption: str) -> str:
    return " ".join(caption.casefold().split()).rstrip(" .")


@dataclass(frozen=True, slots=True)
class _CocoImage:
    id: int | str
    file_name: str


@dataclass(frozen=True, slots=True)
class _CocoCaption:
    image_id: int | str
    caption: str


@dataclass(frozen=True, slots=True)
class _Coco:
    images: Sequence[_CocoImage]
    annotations: Sequence[_CocoCaption]


def _read_coco(path: Path) -> Iterator[tuple[str, str]]:
    whole = validate(TypeAdapter(_Coco), read_json(read_text(path), path.name), path.name)
    names = {image.id: image.file_name for image in whole.images}
    for one in whole.annotations:
        if one.image_id not in names:
            raise BadFileError(
                f"{path.name}: caption {one.caption[:40]!r} is of image {one.image_id}, which is not there"
            )
        yield names[one.image_id], one.caption


def _read_conceptual_captions(path: Path, omitted: Omissions) -> Iterator[tuple[str, str]]:
    """Read lines of a caption and a URL; an image goes by the last part of its URL, unless that is of several."""
    lines: list[tuple[str, str, str]] = []
    for where, line in number_lines(path):
        caption, tab, url = line.partition("\t")
        address = url.strip().partition("?")[0].rstrip("/")
        name = address.rpartition("/")[2]
        if not tab or not name:
            raise BadFileError(f"{where}: should be a caption, a tab and a URL")
        lines.append((name, address, caption))
    addresses = Counter(name for name, _ in {(name, address) for name, address, _ in lines})
    for name in (name for name, times in addresses.items() if times > 1):
        omitted.add("URLs of several images that end alike", name)
    yield from ((name, caption) for name, _, caption in lines if addresses[name] == 1)
