"""Judges by CLIP-like encoders: `clip` decides whether things are there, `clipscore` how well a prompt fits.

A thing counts as present if its name scores higher than those of 5 random distractors, and as absent if it does not
beat all of 9 (GIMBRR's rule as intended). Distractors depend only on the question and a seed, so that every picture
has the same ones and anyone can draw them again.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from functools import cache, cached_property
from itertools import chain
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from subitize.errors import BadValueError, MissingPartError, UnusableModelError
from subitize.interfaces import Finding, Judge, JudgeRequest, RuntimeOption, SelfTest
from subitize.io.specs import check_range
from subitize.judges.asking import ASKS_ABOUT, NOT_TESTED, NOUNS, fit_asks, is_picture, shown_picture
from subitize.labels import read_statement
from subitize.language.nouns import article, plural, singular
from subitize.networks import weights
from subitize.networks.collages import PHOTO_NOUNS, make_collage
from subitize.networks.detectors.classes import AKIN, class_of
from subitize.networks.encoders import DualEncoder, LazyImage
from subitize.networks.local import LocalNetwork
from subitize.records import Ask, Compared, Confirm, Fit, Item, Measured, Outcome, Provenance, Question, digest
from subitize.stimuli.colours import COLOUR_NAMES

_MOST_DISTRACTORS = 50
_LEAST_SHARE = 0.75
_SEEDS = (0, 1, 2)


class Encoders(LocalNetwork, Judge):
    """Base class of judges by a dual encoder, from a folder or the hub, loaded when first needed.

    Subclasses put a noun into a phrase of their own.
    """

    packages = ("torch", "transformers")

    def __init__(
        self,
        model_or_folder: str,
        /,
        *,
        dtype: str = "auto",
        device: Annotated[str, RuntimeOption] = "auto",
        batch_size: Annotated[int, RuntimeOption] = 16,
        self_test: Annotated[bool, RuntimeOption] = True,
    ) -> None:
        super().__init__(model_or_folder, dtype=dtype, device=device, batch_size=batch_size)
        weights.find_folder(model_or_folder)
        self._is_tested = self_test

    def check(self) -> None:
        """Load the weights."""
        _ = self.similarity

    @cached_property
    def similarity(self) -> DualEncoder:
        """The dual encoder, its weights loaded."""
        return DualEncoder(self.folder, self.device)

    def self_test(self) -> SelfTest:
        """Score photographs of known things: their own names must beat others in most rounds."""
        if not self._is_tested:
            return NOT_TESTED
        try:
            shown = [(noun, make_collage([noun], seed).pixels) for noun in PHOTO_NOUNS for seed in _SEEDS[:2]]
        except MissingPartError as error:
            return SelfTest(False, f"cannot be tested: {error}")
        views = [LazyImage.of_pixels(noun, pixels) for noun, pixels in shown]
        rivals = (_known_rivals(noun, seed) for noun in PHOTO_NOUNS for seed in _SEEDS)
        texts = sorted({*PHOTO_NOUNS, *chain.from_iterable(rivals)})
        scores = self.similarity.similarities(views, [self._phrase(text) for text in texts])
        return self._check_scores([noun for noun, _ in shown], texts, scores)

    def _phrase(self, noun: str) -> str:
        raise NotImplementedError

    def _check_scores(self, nouns: Sequence[str], texts: Sequence[str], scores: NDArray[np.float64]) -> SelfTest:
        rounds = [(row, noun, seed) for row, noun in enumerate(nouns) for seed in _SEEDS]
        lost = []
        for row, noun, seed in rounds:
            of = dict(zip(texts, scores[row].tolist(), strict=True))
            best = max(_known_rivals(noun, seed), key=of.__getitem__)
            if not of[noun] > of[best]:  # lost as well if all names score the same, or NaN
                lost.append((noun, best))
        told = f"{len(rounds) - len(lost)} of {len(rounds)} rounds won by what photographs show"
        if len(lost) > (1 - _LEAST_SHARE) * len(rounds):
            noun, best = lost[0]
            raise UnusableModelError(
                f"{told}, and a {noun} is taken for a {best}: its weights are damaged, not trained, or not meant for "
                "this (self_test=false uses it all the same)"
            )
        return SelfTest(True, told)


def _known_rivals(noun: str, seed: int) -> tuple[str, ...]:
    """Give a photographed thing rivals: the other photographed things, so that no name can win all rounds, and more."""
    others = (other for other in PHOTO_NOUNS if other != noun)
    return (*others, *draw_rivals(noun, 5, digest(seed, noun), PHOTO_NOUNS))


class Clip(Encoders):
    """Tell whether things are there, or are not, by how well their names fit against those of other things.

    Args:
        distractors: other things whose names a thing must beat to be there
        absence_distractors: other things whose names a thing must not beat to be absent
        seed: of the lot that draws the other things
        template: phrase around a name, with {} in it
    """

    name = "clip"
    rule = "compared"
    asks_together = True

    def __init__(
        self,
        model_or_folder: str,
        /,
        *,
        distractors: int = 5,
        absence_distractors: int = 9,
        seed: int = 0,
        template: str = "a photo of {}",
        dtype: str = "auto",
        device: Annotated[str, RuntimeOption] = "auto",
        batch_size: Annotated[int, RuntimeOption] = 16,
        self_test: Annotated[bool, RuntimeOption] = True,
    ) -> None:
        who = f"{self.name}:{model_or_folder}"
        check_range(who, 1, _MOST_DISTRACTORS, distractors=distractors, absence_distractors=absence_distractors)
        if template.replace("{}", "", 1).count("{") or "{}" not in template:
            raise BadValueError(f"{who}: template={template!r}: should have one {{}}, where the thing is named")
        super().__init__(model_or_folder, dtype=dtype, device=device, batch_size=batch_size, self_test=self_test)
        self._counts = {False: distractors, True: absence_distractors}
        self._seed, self._template = seed, template

    def can_answer(self, question: Question, outcomes: Sequence[Outcome]) -> bool:
        """Return whether this is one picture, and a question about whether things are there."""
        return is_picture(outcomes) and not self.why_not(question)

    def why_not(self, question: Question, /) -> str:
        """Say why it cannot answer; colours are out, as a red apple is compared with other things, not a green one."""
        noun = _presence(question)
        if noun is None:
            return "it answers only whether things are there, or are not"
        is_coloured = " " in noun and noun.split()[0] in COLOUR_NAMES
        return f"cannot tell what colour there is: {noun!r}" if is_coloured else ""

    def compute_all(self, exhibits: Sequence[JudgeRequest], /) -> list[tuple[Finding, ...]]:
        """Compare the name of each thing asked about with its rivals'."""
        compared = [[self._texts(inquiry.question, exhibit) for inquiry in exhibit.inquiries] for exhibit in exhibits]
        texts = list(dict.fromkeys(text for of_one in compared for some in of_one for text in some))
        views = [LazyImage.of(shown_picture(exhibit), exhibit.load) for exhibit in exhibits]
        scores = self.similarity.similarities(views, texts)
        places = {text: place for place, text in enumerate(texts)}
        return [
            tuple(
                Finding(Compared({text: float(row[places[text]]) for text in some}), self.trace(Provenance(0, some[0])))
                for some in of_one
            )
            for of_one, row in zip(compared, scores, strict=True)
        ]

    def _texts(self, question: Question, exhibit: JudgeRequest) -> list[str]:
        """Name the thing asked about, then its rivals."""
        stated = read_statement(question.statement) if isinstance(question, Confirm) else None
        if stated is None:
            raise TypeError(f"{question.id!r} is not about whether a thing is there")
        count = self._counts[stated.number == 0]
        rivals = draw_rivals(stated.noun, count, digest(self._seed, question.id), _mentioned(exhibit))
        return [self._phrase(noun) for noun in (stated.noun, *rivals)]

    def _phrase(self, noun: str) -> str:
        has_article = noun not in ("scissors", "skis", "broccoli")
        return self._template.format(f"{article(noun)} {noun}" if has_article else noun)


def draw_rivals(noun: str, count: int, seed_text: str, others: Collection[str] = ()) -> tuple[str, ...]:
    """Draw other things at random, none of them akin to the noun or to other things asked about.

    The seed orders all things, so that leaving some out does not reorder the rest.
    """
    in_order = sorted(NOUNS, key=lambda one: digest(seed_text, one))
    fitting = [one for one in in_order if not any(is_akin(one, other) for other in (noun, *others))]
    return tuple(fitting[:count])


@cache
def is_akin(one: str, other: str) -> bool:
    """Return whether two nouns name the same thing, or things that one picture may show both."""
    first, second = singular(one), singular(other)
    if first == second or class_of(first, (second,)) is not None or class_of(second, (first,)) is not None:
        return True
    # A teddy bear is a kind of bear, and a dining table a table.
    if first.split()[-1] == second.split()[-1]:
        return True
    return any({_known_as(first, group), _known_as(second, group)} <= group for group in AKIN)


def _known_as(noun: str, names: Collection[str]) -> str:
    return class_of(noun, sorted(names)) or noun


def _presence(question: Question) -> str | None:
    """Read which thing is said to be there or not; None if the statement says more."""
    stated = read_statement(question.statement) if isinstance(question, Confirm) else None
    return stated.noun if stated and stated.number in (None, 0) else None


def _mentioned(exhibit: JudgeRequest) -> list[str]:
    """List the things that the questions about a picture mention, or its prompt if it has one."""
    asked = [noun for inquiry in exhibit.inquiries if (noun := _presence(inquiry.question))]
    prompt = " ".join(re.findall(r"[a-z-]+", (exhibit.prompt or "").lower()))
    told = [one for one in NOUNS if any(f" {form} " in f" {prompt} " for form in (one, plural(one)))]
    return [*asked, *told]


# Hessel et al. 2021, section 3: the prefix of the text, and the factor of the cosine.
PREFIX = "A photo depicts"
WEIGHT = 2.5


class ClipScore(Encoders):
    """Score how well each drawing fits its prompt: 2.5 times the cosine of CLIP's encodings, at least 0."""

    name = "clipscore"
    asks_about = ASKS_ABOUT

    def asks(self, item: Item, /) -> Sequence[Ask]:
        """Ask how well a drawing fits its prompt."""
        return fit_asks(item)

    def can_answer(self, question: Question, outcomes: Sequence[Outcome]) -> bool:
        """Return whether this is one picture, and a score is asked for."""
        return is_picture(outcomes) and isinstance(question, Fit)

    def compute_all(self, exhibits: Sequence[JudgeRequest], /) -> list[tuple[Finding, ...]]:
        """Score each text against its picture."""
        asked = [(exhibit, text) for exhibit in exhibits for text in _texts(exhibit)]
        views = [LazyImage.of(shown_picture(exhibit), exhibit.load) for exhibit, _ in asked]
        found = self.similarity.match(views, [text for _, text in asked])
        findings = iter([self._find(text, scores) for (_, text), scores in zip(asked, found, strict=True)])
        return [tuple(next(findings) for _ in exhibit.inquiries) for exhibit in exhibits]

    def _phrase(self, noun: str) -> str:
        return f"{PREFIX} {article(noun)} {noun}"

    def _find(self, text: str, scores: Mapping[str, float]) -> Finding:
        # A text longer than the network reads was scored by its beginning.
        cut = {"tokens_cut": int(scores["tokens_cut"])} if "tokens_cut" in scores else {}
        score = WEIGHT * max(scores["match"], 0.0)
        return Finding(Measured(score), self.trace(Provenance(0, text), {"cosine": scores["match"], **cut}))


def _texts(exhibit: JudgeRequest) -> list[str]:
    questions = [inquiry.question for inquiry in exhibit.inquiries]
    return [f"{PREFIX} {question.text}" for question in questions if isinstance(question, Fit)]
