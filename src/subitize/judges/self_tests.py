"""Tests judges that ask a model, with photographs of known things."""

from collections.abc import Callable, Sequence
from functools import cache

from PIL import Image

from subitize.errors import BadFileError, BadValueError, MissingPartError, UnusableModelError
from subitize.interfaces import Finding, JudgeQuestion, JudgeRequest, SelfTest
from subitize.io.images import encode_png
from subitize.labels import interpret, parse_rule
from subitize.language.nouns import article, plural
from subitize.networks.collages import PHOTO_NOUNS, make_collage
from subitize.records import Confirm, Count, Drawn, Fit, Known, Measured, Stored, digest

ComputeFindings = Callable[[Sequence[JudgeRequest]], Sequence[tuple[Finding, ...]]]

NOT_TESTED = SelfTest(False, "left out (self_test=false)")
_LEAST_SHARE = 0.75
_REMEDY = "its weights are damaged, not trained, or not meant for such questions (self_test=false uses it all the same)"


class EmptyAnswerError(ValueError):
    """A model gave an empty answer."""

    def __init__(self) -> None:
        super().__init__("the model gave an empty answer")


def check_answers(compute: ComputeFindings, rule: str, *, counts: bool) -> SelfTest:
    """Ask whether things are there, and if that fails and `counts` is true, how many, as some models only count.

    The answers are read by the judge's own rule, as they will be in a run.
    """
    told = []
    for asked in (_is_there, _how_many) if counts else (_is_there,):
        right = 0
        try:
            found = compute([_exhibit(noun, 0, [asked(noun), asked(_another(noun))]) for noun in PHOTO_NOUNS])
        except _UNTESTABLE as error:
            return SelfTest(False, f"cannot be tested: {error}")
        except EmptyAnswerError:
            found = ()  # nothing is right
        for noun, findings in zip(PHOTO_NOUNS, found, strict=False):
            values = [
                interpret(finding.evidence, asked(one).question, parse_rule(rule))
                for one, finding in zip((noun, _another(noun)), findings, strict=True)
            ]
            # One counts as yes, and none as no.
            right += sum(value == Known(expected) for value, expected in zip(values, (True, False), strict=True))
        count, example = 2 * len(PHOTO_NOUNS), asked(PHOTO_NOUNS[0]).wording
        told.append(f"{right} of {count} questions about photographs ({example} …) answered right")
        if right >= _LEAST_SHARE * count:
            return SelfTest(True, told[-1])
    raise UnusableModelError(f"{', '.join(told)}: {_REMEDY}")


def check_scores(compute: ComputeFindings) -> SelfTest:
    """Score the names of four things against photographs of each: the right name must score best."""
    shown = [(noun, seed) for noun in PHOTO_NOUNS for seed in (0, 1)]
    names = [JudgeQuestion(Fit(f"a photo of {article(noun)} {noun}"), "") for noun in PHOTO_NOUNS]
    try:
        found = compute([_exhibit(noun, seed, names) for noun, seed in shown])
    except _UNTESTABLE as error:
        return SelfTest(False, f"cannot be tested: {error}")
    right = 0
    for (noun, _), findings in zip(shown, found, strict=True):
        scores = [one.evidence.score for one in findings if isinstance(one.evidence, Measured)]
        own = scores.pop(PHOTO_NOUNS.index(noun))
        right += all(own > score for score in scores)
    told = f"{right} of {len(shown)} photographs fit their own names best"
    if right < _LEAST_SHARE * len(shown):
        raise UnusableModelError(f"{told}: {_REMEDY}")
    return SelfTest(True, told)


# No photographs are installed, or the network reads region features instead of pixels.
_UNTESTABLE = (MissingPartError, BadFileError, BadValueError)


def _another(noun: str) -> str:
    return PHOTO_NOUNS[(PHOTO_NOUNS.index(noun) + 1) % len(PHOTO_NOUNS)]


def _is_there(noun: str) -> JudgeQuestion:
    return JudgeQuestion(
        Confirm(f"there are some {plural(noun)}", is_informed=False), f"Is there {article(noun)} {noun} in the image?"
    )


def _how_many(noun: str) -> JudgeQuestion:
    return JudgeQuestion(Count(noun), f"How many {plural(noun)} are in the image?")


def _exhibit(noun: str, seed: int, inquiries: Sequence[JudgeQuestion]) -> JudgeRequest:
    data = _photograph(noun, seed)
    name = digest("photograph", noun, seed)
    return JudgeRequest((Drawn(Stored(name * 2, "png")),), tuple(inquiries), lambda _: data, id=f"self-test {name}")


@cache
def _photograph(noun: str, seed: int) -> bytes:
    return encode_png(Image.fromarray(make_collage([noun], seed).pixels), compress_level=1)
