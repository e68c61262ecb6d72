"""The probes as suites: does this text fit, which number belongs in the gap, how many are there?"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from subitize.errors import BadValueError
from subitize.interfaces import Tried
from subitize.networks.filling import GAP
from subitize.papers.seeing_past_words.building import find_images
from subitize.papers.seeing_past_words.probes import CaptionPair, Probe, read_records
from subitize.records import Answer, Ask, Confirm, Count, Elsewhere, Filed, Fill, Item, Match, Picture, Scalar, Stimulus
from subitize.suites.checks import check_known

FORMATS: tuple[str, ...] = ("declarative", "qa")
MASKS: tuple[str, ...] = ("neutral", "faithful")
RIGHT, FOIL = "right", "foil"
_BLANK_PX = 448


class _Probing:
    """What all probes have in common: a file of them, and where their images are."""

    judge = "parser"
    repeats = 1
    max_attempts = 1
    asks_again = False
    strata: tuple[str, ...] = ()

    def again(self, tried: Sequence[Tried]) -> Iterable[Tried]:
        """Ask nothing again."""
        return ()

    def _look_for(self, images: str, names: Iterable[str], *, blind: bool) -> None:
        """Find the images; without a folder, or where one is missing, an image is known by its name only."""
        self._files = find_images(names, Path(images)) if images else {}
        self._is_blind = blind
        if images and not self._files:
            raise BadValueError(f"images={images}: none of the images is there; the first is {next(iter(names))!r}")

    def _picture(self, name: str, seed: int) -> Picture:
        if self._is_blind:
            return Stimulus("dots", 0, seed, _BLANK_PX)
        return Filed(str(self._files[name])) if name in self._files else Elsewhere(name)


class _CountingProbes(_Probing):
    """Probes from a file that `subitize probes build` wrote; `splits` and `parts` choose some of them."""

    def __init__(self, file: str, images: str, splits: tuple[str, ...], parts: tuple[str, ...], *, blind: bool) -> None:
        probes = read_records(Path(file), Probe)
        check_known("split", splits, dict.fromkeys(probe.split for probe in probes))
        check_known("part", parts, dict.fromkeys(probe.part for probe in probes))
        self._probes = [
            probe for probe in probes if (not splits or probe.split in splits) and (not parts or probe.part in parts)
        ]
        if not self._probes:
            raise BadValueError(f"{file} has no probe of {'+'.join(splits)} in {'+'.join(parts)}")
        self._look_for(images, [probe.image for probe in self._probes], blind=blind)

    def _require(self, file: str, what: str, *, is_there: bool) -> None:
        if not is_there:
            raise BadValueError(f"no probe of {file} has {what}")


def _factors(probe: Probe, **more: Scalar) -> dict[str, Scalar]:
    return {"split": probe.split, "part": probe.part, "number": probe.answer, "image": probe.image, **more}


class CountingProbe(_CountingProbes):
    """Score statements with right and wrong numbers against an image (counting as image-sentence alignment)."""

    title = "Counting probe as image-sentence alignment"

    def __init__(
        self,
        file: str,
        /,
        *,
        images: str = "",
        splits: tuple[str, ...] = (),
        parts: tuple[str, ...] = (),
        formats: tuple[str, ...] = FORMATS,
        blind: bool = False,
    ) -> None:
        check_known("format", formats, FORMATS)
        super().__init__(file, images, splits, parts, blind=blind)
        self._formats = formats
        self._require(file, "a valid foil", is_there=any(len([*probe.candidates()]) > 1 for probe in self._probes))
        is_asked = formats != ("qa",) or any(probe.question for probe in self._probes)
        self._require(file, "a question, as the format qa needs", is_there=is_asked)

    def items(self, seed: int) -> Iterator[Item]:
        """Go through the probes in the order of the file, all texts of one together; the seed changes nothing."""
        for probe in self._probes:
            for form in self._formats:
                if probe.question or form == "declarative":
                    yield from self._items(probe, form, seed)

    def _items(self, probe: Probe, form: str, seed: int) -> Iterator[Item]:
        picture = self._picture(probe.image, seed)
        for one in probe.candidates():
            text = probe.question_with(one.number) if form == "qa" else one.statement
            ask = Ask(Confirm(text, is_informed=True), text, (one.is_right,))
            factors = _factors(probe, format=form, shown=one.number, caption=RIGHT if one.is_right else FOIL)
            key = f"{probe.split}/{probe.part}/{probe.id}/{form}/{one.number}"
            yield Item(f"counting-probe/{key}", Match(picture, text), (ask,), factors)


class MaskedCountingProbe(_CountingProbes):
    """Fill the gap for the number in a statement about an image (counting as masked language modelling)."""

    title = "Counting probe as masked language modelling"

    def __init__(
        self,
        file: str,
        /,
        *,
        images: str = "",
        splits: tuple[str, ...] = (),
        parts: tuple[str, ...] = (),
        masks: tuple[str, ...] = MASKS,
        blind: bool = False,
    ) -> None:
        check_known("mask", masks, MASKS)
        super().__init__(file, images, splits, parts, blind=blind)
        self._masks = masks
        self._require(file, "a statement with a gap", is_there=any(self._texts(probe) for probe in self._probes))

    def items(self, seed: int) -> Iterator[Item]:
        """Go through the probes in the order of the file; the seed changes nothing."""
        for probe in self._probes:
            ask = _count_ask(probe)
            for name, text in self._texts(probe).items():
                key = f"{probe.split}/{probe.part}/{probe.id}/{name}"
                task = Fill(self._picture(probe.image, seed), text)
                yield Item(f"counting-probe-masked/{key}", task, (ask,), _factors(probe, mask=name))

    def _texts(self, probe: Probe) -> dict[str, str]:
        texts = {"neutral": probe.masked, "faithful": probe.masked_faithful}
        return {name: texts[name] for name in self._masks if texts[name]}


class VqaCountingProbe(_CountingProbes):
    """Answer how many there are in an image (counting as visual question answering)."""

    title = "Counting probe as visual question answering"

    def __init__(
        self,
        file: str,
        /,
        *,
        images: str = "",
        splits: tuple[str, ...] = (),
        parts: tuple[str, ...] = (),
        blind: bool = False,
    ) -> None:
        super().__init__(file, images, splits, parts, blind=blind)
        self._require(file, "a question", is_there=any(probe.question for probe in self._probes))

    def items(self, seed: int) -> Iterator[Item]:
        """Go through the probes in the order of the file; the seed changes nothing."""
        for probe in self._probes:
            if probe.question:
                task = Answer(self._picture(probe.image, seed), probe.question)
                key = f"{probe.split}/{probe.part}/{probe.id}"
                yield Item(f"counting-probe-vqa/{key}", task, (_count_ask(probe),), _factors(probe))


class AlignmentProbe(_Probing):
    """Score an image's own caption and one of another image against it (image-sentence alignment)."""

    title = "Image-sentence alignment probe"

    def __init__(self, file: str, /, *, images: str = "", blind: bool = False) -> None:
        self._pairs = read_records(Path(file), CaptionPair)
        self._look_for(images, [pair.image for pair in self._pairs], blind=blind)

    def items(self, seed: int) -> Iterator[Item]:
        """Go through the images, each with its own caption and the other; the seed changes nothing."""
        for pair in self._pairs:
            picture = self._picture(pair.image, seed)
            for caption, text in ((RIGHT, pair.caption), (FOIL, pair.foil)):
                ask = Ask(Confirm(text, is_informed=True), text, (caption == RIGHT,))
                factors: dict[str, Scalar] = {"source": pair.source, "image": pair.image, "caption": caption}
                yield Item(f"alignment-probe/{pair.id}/{caption}", Match(picture, text), (ask,), factors)


def _count_ask(probe: Probe) -> Ask:
    question = probe.question or f"How many: {probe.masked.replace(GAP, '…')}"
    counted = question.strip(" ?").partition(" ")[2].partition(" ")[2]  # what follows "How many"
    return Ask(Count(counted or question), question, (probe.answer,))
