"""The probes as suites: score a text, fill the gap for the number, answer how many there are."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from subitize.errors import BadValueError
from subitize.interfaces import Suite
from subitize.language.numbers import count_noun
from subitize.networks.joint import GAP
from subitize.papers.seeing_past_words.build import find_images
from subitize.papers.seeing_past_words.probes import CaptionPair, Probe, read_records
from subitize.records import Answer, Ask, Confirm, Count, Elsewhere, Filed, Fill, Item, Match, Picture, Scalar, TaskKind
from subitize.suites.checks import check_known

FORMATS: tuple[str, ...] = ("declarative", "qa")
MASKS: tuple[str, ...] = ("neutral", "faithful")
RIGHT, FOIL = "right", "foil"


class _Probing(Suite):
    """What all probes share: a file of probes and a folder of images."""

    judge = "parser"

    def _look_for(self, images: str, names: Sequence[str], *, blind: bool) -> None:
        """Find the images; without a folder, or if one is missing, an image is known by its name only.

        With `blind`, each probe gets another probe's image.
        """
        self._files = find_images(names, Path(images)) if images else {}
        if images and not self._files:
            raise BadValueError(f"images={images}: none of the images is there; the first is {names[0]!r}")
        each = list(dict.fromkeys(names))
        if blind and len(each) == 1:
            raise BadValueError("blind=true shows images of other probes, and there is but one image")
        self._shown = {name: each[(place + len(each) // 2 * blind) % len(each)] for place, name in enumerate(each)}

    def _picture(self, name: str) -> Picture:
        shown = self._shown[name]
        return Filed(str(self._files[shown])) if shown in self._files else Elsewhere(shown)


class _CountingProbes(_Probing):
    """Probes from a file that `subitize make probes` wrote; `splits` and `parts` choose some of them."""

    needs = "a question"

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
        probes = read_records(Path(file), Probe)
        check_known("split", splits, {probe.split for probe in probes})
        check_known("part", parts, {probe.part for probe in probes})
        chosen = [one for one in probes if one.split in (splits or [one.split]) and one.part in (parts or [one.part])]
        self._probes = [probe for probe in chosen if self._has_text(probe)]
        if not self._probes:
            raise BadValueError(f"no probe of {file} has {self.needs}, of those that are chosen")
        left_out = len(chosen) - len(self._probes)
        note = f"{Path(file).name}: left out {count_noun(left_out, 'probe')} without {self.needs}"
        self.notes = (note,) if left_out else ()
        self._look_for(images, [probe.image for probe in self._probes], blind=blind)

    def _has_text(self, probe: Probe) -> bool:
        return bool(probe.question)


def _factors(probe: Probe, **more: Scalar) -> dict[str, Scalar]:
    return {"split": probe.split, "part": probe.part, "number": probe.answer, "image": probe.image, **more}


class CountingProbe(_CountingProbes):
    """Score statements with right and wrong numbers against an image (counting as image-sentence alignment).

    Args:
        formats: statements (declarative), questions with their answers (qa), or both
    """

    title = "Counting probe as image-sentence alignment"
    tasks: frozenset[TaskKind] = frozenset({"match"})
    needs = "a question, as the format qa needs"

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
        self._formats = formats
        super().__init__(file, images=images, splits=splits, parts=parts, blind=blind)
        if all(len([*probe.candidates()]) == 1 for probe in self._probes):
            raise BadValueError(f"no probe of {file} has a valid foil, of those that are chosen")

    def _has_text(self, probe: Probe) -> bool:
        return bool(probe.question) or "declarative" in self._formats

    def items(self, seed: int) -> Iterator[Item]:
        """Yield the probes in file order, all texts of one together; the seed changes nothing."""
        for probe in self._probes:
            for form in self._formats:
                if probe.question or form == "declarative":
                    yield from self._make_items(probe, form)

    def _make_items(self, probe: Probe, form: str) -> Iterator[Item]:
        picture = self._picture(probe.image)
        for one in probe.candidates():
            text = probe.question_with(one.number) if form == "qa" else one.statement
            ask = Ask(Confirm(text, is_informed=True), text, (one.is_right,))
            factors = _factors(probe, format=form, shown=one.number, caption=RIGHT if one.is_right else FOIL)
            key = f"{probe.split}/{probe.part}/{probe.id}/{form}/{one.number}"
            yield Item(f"counting-probe/{key}", Match(picture, text), (ask,), factors)


class MaskedCountingProbe(_CountingProbes):
    """Fill the gap for the number in a statement about an image (counting as masked language modelling).

    Args:
        masks: statements with a gap in neutral words, in those of the right answer (faithful), or both
    """

    title = "Counting probe as masked language modelling"
    tasks: frozenset[TaskKind] = frozenset({"fill"})
    needs = "a statement with a gap"

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
        self._masks = masks
        super().__init__(file, images=images, splits=splits, parts=parts, blind=blind)

    def _has_text(self, probe: Probe) -> bool:
        return bool(self._texts(probe))

    def items(self, seed: int) -> Iterator[Item]:
        """Yield the probes in file order; the seed changes nothing."""
        for probe in self._probes:
            ask = _count_ask(probe)
            for name, text in self._texts(probe).items():
                key = f"{probe.split}/{probe.part}/{probe.id}/{name}"
                task = Fill(self._picture(probe.image), text)
                yield Item(f"counting-probe-masked/{key}", task, (ask,), _factors(probe, mask=name))

    def _texts(self, probe: Probe) -> dict[str, str]:
        texts = {"neutral": probe.masked, "faithful": probe.masked_faithful}
        return {name: texts[name] for name in self._masks if texts[name]}


class VqaCountingProbe(_CountingProbes):
    """Answer how many there are in an image (counting as visual question answering)."""

    title = "Counting probe as visual question answering"
    tasks: frozenset[TaskKind] = frozenset({"answer"})

    def items(self, seed: int) -> Iterator[Item]:
        """Yield the probes in file order; the seed changes nothing."""
        for probe in self._probes:
            task = Answer(self._picture(probe.image), probe.question)
            key = f"{probe.split}/{probe.part}/{probe.id}"
            yield Item(f"counting-probe-vqa/{key}", task, (_count_ask(probe),), _factors(probe))


class AlignmentProbe(_Probing):
    """Score an image's own caption and one of another image against it (image-sentence alignment)."""

    title = "Image-sentence alignment probe"
    tasks: frozenset[TaskKind] = frozenset({"match"})

    def __init__(self, file: str, /, *, images: str = "", blind: bool = False) -> None:
        self._pairs = read_records(Path(file), CaptionPair)
        self._look_for(images, [pair.image for pair in self._pairs], blind=blind)

    def items(self, seed: int) -> Iterator[Item]:
        """Yield the images, each with its own caption and the other; the seed changes nothing."""
        for pair in self._pairs:
            picture = self._picture(pair.image)
            for caption, text in ((RIGHT, pair.caption), (FOIL, pair.foil)):
                ask = Ask(Confirm(text, is_informed=True), text, (caption == RIGHT,))
                factors: dict[str, Scalar] = {"source": pair.source, "image": pair.image, "caption": caption}
                yield Item(f"alignment-probe/{pair.id}/{caption}", Match(picture, text), (ask,), factors)


def _count_ask(probe: Probe) -> Ask:
    question = probe.question or f"How many: {probe.masked.replace(GAP, '…')}"
    things = question.strip(" ?").partition(" ")[2].partition(" ")[2]  # the text after "How many"
    return Ask(Count(things or question), question, (probe.answer,))
