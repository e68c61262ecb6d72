"""Tests a network that is asked questions by photographs of which it is known what they show."""

import io
from collections.abc import Callable, Iterator, Sequence

from PIL import Image

from subitize.errors import BadFileError, BadValueError, MissingPartError, UnusableModelError
from subitize.interfaces import Exhibit, Finding, Inquiry, Proof
from subitize.labels import interpret, parse_rule
from subitize.networks.detectors.collages import NOUNS, make_collage
from subitize.numerals import article, plural
from subitize.records import Confirm, Count, Drawn, Fit, Known, Measured, Question, Stored, digest

Look = Callable[[Sequence[Exhibit]], Sequence[tuple[Finding, ...]]]

NOT_TESTED = Proof(False, "was not tested: self_test=false")
_LEAST_SHARE = 0.75


def prove_answers(look: Look, *, counts: bool) -> Proof:
    """Ask what is there and what is not, and where counts are asked for, too, how many: one way must go well."""
    kinds = {"yes or no": _presence, **({"how many": _count} if counts else {})}
    told = []
    for name, kind in kinds.items():
        asked = [(noun, kind(noun, _next(noun))) for noun in NOUNS]
        try:
            found = look([_exhibit(noun, 0, [question for question, _, _ in known]) for noun, known in asked])
        except (MissingPartError, BadFileError, BadValueError) as error:
            return Proof(False, f"cannot be tested: {error}")
        right, total = 0, 0
        for (_, known), findings in zip(asked, found, strict=True):
            for (question, _, expected), finding in zip(known, findings, strict=True):
                value = interpret(finding.evidence, question, parse_rule("strict"))
                right, total = right + (value == Known(expected)), total + 1
        told.append(f"{right} of {total} questions about photographs ({name}) answered right")
        if right >= _LEAST_SHARE * total:
            return Proof(True, told[-1])
    raise UnusableModelError(f"{', '.join(told)}; {_REMEDY}")


def prove_scores(look: Look) -> Proof:
    """Have the names of four things scored against photographs of each: that of what is shown must be the best."""
    shown = [(noun, seed) for noun in NOUNS for seed in (0, 1)]
    asked = [Fit(f"a photo of {article(noun)} {noun}") for noun in NOUNS]
    try:
        found = look([_exhibit(noun, seed, [(one, "") for one in asked]) for noun, seed in shown])  # type: ignore[misc]
    except (MissingPartError, BadFileError, BadValueError) as error:
        return Proof(False, f"cannot be tested: {error}")
    right = 0
    for (noun, _), findings in zip(shown, found, strict=True):
        scores = [one.evidence.score for one in findings if isinstance(one.evidence, Measured)]
        own = scores[NOUNS.index(noun)]
        right += all(own > score for place, score in enumerate(scores) if place != NOUNS.index(noun))
    told = f"{right} of {len(shown)} photographs fit their own names best"
    if right < _LEAST_SHARE * len(shown):
        raise UnusableModelError(f"{told}; {_REMEDY}")
    return Proof(True, told)
