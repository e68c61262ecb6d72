"""Judges by two encoders, of pictures and of texts: `clip` tells whether things are there, `clipscore` what fits.

A thing is there if its name fits better than the names of other things, drawn by lot. This is GIMBRR's rule as it was
meant: present if it beats 5 of them, absent if it does not win against 9. Which ones rests on the question and a seed,
so that every picture has the same rivals, and anyone can draw them again.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import cache, cached_property
from itertools import chain
from pathlib import Path
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from subitize.errors import BadValueError, MissingPartError, UnusableModelError
from subitize.interfaces import Finding, JudgeRequest, RuntimeOption, SelfTest
from subitize.judges.alignment import ASKS_ABOUT, NOUNS, fit_asks
from subitize.judges.asking import is_picture, shown_picture
from subitize.judges.self_tests import NOT_TESTED
from subitize.labels import read_statement
from subitize.language.nouns import article, plural, singular
from subitize.networks import weights
from subitize.networks.collages import PHOTO_NOUNS, make_collage
from subitize.networks.detectors.classes import AKIN, class_of
from subitize.networks.encoders import DualEncoder, LazyImage
from subitize.networks.weights import Device
from subitize.records import Compared, Confirm, Fit, Measured, Outcome, Provenance, Question, digest
from subitize.stimuli.colours import COLOUR_NAMES

_MOST_DISTRACTORS = 50
_LEAST_SHARE = 0.75
_SEEDS = (0, 1, 2)


class Encoders:
    """The two encoders of a folder, or of a model on the hub, opened when they are first needed.

    Judges by them share how they are made and tested; each puts a noun in a phrase of its own.
    """

    name: str
    is_stand_in = False

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
        who = f"{self.name}:{model_or_folder}"
        with weights.naming(who):
            weights.check_at_least(1, batch_size=batch_size)
            self._placement = Device(device, dtype)
        weights.require(who, "torch", "transformers")
        weights.find_folder(model_or_folder)
        self.batch_size, self._model, self._is_tested = batch_size, model_or_folder, self_test

    def check(self) -> None:
        """Load the weights."""
        _ = self.similarity

    @cached_property
    def similarity(self) -> DualEncoder:
        """What compares, once its weights are loaded."""
        return DualEncoder(self._folder, self._placement)

    @cached_property
    def _folder(self) -> Path:
        return weights.locate(self._model)

    def provenance(self, text: str) -> Provenance:
        """Say what computed."""
        versions = weights.name_versions("torch", "transformers")
        return Provenance(0, text, weights_hash=weights.hash_weights(self._folder), versions=versions)

    def self_test(self) -> SelfTest:
        """Show photographs of known things: their names must mostly win against others."""
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
            if not of[noun] > of[best]:  # nor is it known where all names are the same to the network, or no number
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
    """Give a photograph's thing the other photographs' things as rivals, and more: one name cannot win them all."""
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
        for name, number in (("distractors", distractors), ("absence_distractors", absence_distractors)):
            if not 1 <= number <= _MOST_DISTRACTORS:
                raise BadValueError(f"{who}: {name}={number}: should be from 1 to {_MOST_DISTRACTORS}")
        if template.replace("{}", "", 1).count("{") or "{}" not in template:
            raise BadValueError(f"{who}: template={template!r}: should have one {{}}, where the thing is named")
        super().__init__(model_or_folder, dtype=dtype, device=device, batch_size=batch_size, self_test=self_test)
        self._counts = {False: distractors, True: absence_distractors}
        self._seed, self._template = seed, template

    def can_answer(self, question: Question, outcomes: Sequence[Outcome]) -> bool:
        """Tell whether this is one picture, and about whether things are there."""
        return is_picture(outcomes) and not self.why_not(question)

    def why_not(self, question: Question, /) -> str:
        """Say that it neither counts nor tells colours: a red apple is compared with other things, not a green one."""
        noun = _presence(question)
        if noun is None:
            return "it answers only whether things are there, or are not"
        is_coloured = " " in noun and noun.split()[0] in COLOUR_NAMES
        return f"cannot tell what colour there is: {noun!r}" if is_coloured else ""

    def compute_all(self, exhibits: Sequence[JudgeRequest], /) -> list[tuple[Finding, ...]]:
        """Compare the name of each thing asked about with those of others."""
        compared = [[self._texts(inquiry.question, exhibit) for inquiry in exhibit.inquiries] for exhibit in exhibits]
        texts = list(dict.fromkeys(text for of_one in compared for some in of_one for text in some))
        views = [LazyImage.of(shown_picture(exhibit), exhibit.load) for exhibit in exhibits]
        scores = self.similarity.similarities(views, texts)
        places = {text: place for place, text in enumerate(texts)}
        return [
            tuple(
                Finding(Compared({text: float(row[places[text]]) for text in some}), self.provenance(some[0]))
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
    """Draw other things at random: none the same as or akin to the noun, or to what else is known to be asked for.

    Each thing has its own place in the order that the seed gives, whatever is left out.
    """
    in_order = sorted(NOUNS, key=lambda one: digest(seed_text, one))
    fitting = [one for one in in_order if not any(is_akin(one, other) for other in (noun, *others))]
    return tuple(fitting[:count])


@cache
def is_akin(one: str, other: str) -> bool:
    """Tell whether two nouns name the same thing, or things of which a picture may show both at once."""
    first, second = singular(one), singular(other)
    if first == second or class_of(first, (second,)) is not None or class_of(second, (first,)) is not None:
        return True
    # A teddy bear is a bear of sorts, and a dining table a table.
    if first.split()[-1] == second.split()[-1]:
        return True
    return any({_known_as(first, group), _known_as(second, group)} <= group for group in AKIN)


def _known_as(noun: str, names: Collection[str]) -> str:
    return class_of(noun, sorted(names)) or noun


def _presence(question: Question) -> str | None:
    """Read which things are said to be there, or not to be there; nothing where more is said."""
    stated = read_statement(question.statement) if isinstance(question, Confirm) else None
    return stated.noun if stated and stated.number in (None, 0) else None


def _mentioned(exhibit: JudgeRequest) -> list[str]:
    """List the things that the questions about a picture, or its prompt where it is told, speak of."""
    asked = [noun for inquiry in exhibit.inquiries if (noun := _presence(inquiry.question))]
    prompt = " ".join(re.findall(r"[a-z-]+", (exhibit.prompt or "").lower()))
    told = [one for one in NOUNS if any(f" {form} " in f" {prompt} " for form in (one, plural(one)))]
    return [*asked, *told]


# Hessel et al. 2021, section 3: what stands before the text, and what the cosine is multiplied by.
PREFIX = "A photo depicts"
WEIGHT = 2.5


class ClipScore(Encoders):
    """Score how well each drawing fits its prompt: 2.5 times the cosine of CLIP's encodings, at least 0."""

    name = "clipscore"
    rule = "strict"
    asks_about = ASKS_ABOUT
    asks = staticmethod(fit_asks)
    asks_together = False

    def can_answer(self, question: Question, outcomes: Sequence[Outcome]) -> bool:
        """Tell whether this is one picture, and a score is asked for."""
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
        provenance = self.provenance(text)
        # A text that is longer than the network reads was scored by its beginning.
        cut = {"tokens_cut": int(scores["tokens_cut"])} if "tokens_cut" in scores else {}
        score = WEIGHT * max(scores["match"], 0.0)
        return Finding(Measured(score), replace(provenance, parameters={"cosine": scores["match"], **cut}))


def _texts(exhibit: JudgeRequest) -> list[str]:
    questions = [inquiry.question for inquiry in exhibit.inquiries]
    return [f"{PREFIX} {question.text}" for question in questions if isinstance(question, Fit)]
