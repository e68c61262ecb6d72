"""How well a drawing fits its prompt, as CLIPScore (Hessel et al. 2021)."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated

from subitize.errors import BadValueError
from subitize.interfaces import Exhibit, Finding, Handling, Proof
from subitize.judges.asking import shown_picture
from subitize.judges.clip import Encoders
from subitize.judges.fit import ASKS_ABOUT, fit_asks
from subitize.judges.proving import NOT_TESTED
from subitize.networks import weights
from subitize.networks.views import View
from subitize.networks.weights import Placement
from subitize.numerals import article
from subitize.records import Ask, Drawn, Fit, Item, Measured, Outcome, Question, Stored

# Hessel et al. 2021, section 3: what stands before the text, and what the cosine is multiplied by.
PREFIX = "A photo depicts"
WEIGHT = 2.5


class ClipScore:
    """Score how well each drawing fits its prompt: 2.5 times the cosine of CLIP's encodings, at least 0."""

    rule = "strict"
    asks_about = ASKS_ABOUT
    is_stand_in = False
    asks_together = False

    def __init__(
        self,
        model_or_folder: str,
        /,
        *,
        dtype: str = "auto",
        device: Annotated[str, Handling] = "auto",
        batch_size: Annotated[int, Handling] = 16,
        self_test: Annotated[bool, Handling] = True,
    ) -> None:
        who = f"clipscore:{model_or_folder}"
        if batch_size < 1:
            raise BadValueError(f"{who}: batch_size={batch_size}: should be at least 1")
        with weights.naming(who):
            self._encoders = Encoders(who, model_or_folder, Placement(device, dtype))
        self._is_tested, self.batch_size = self_test, batch_size

    def check(self) -> None:
        """Load the weights."""
        self._encoders.open()

    def prove(self) -> Proof:
        """Show it photographs of known things."""
        if not self._is_tested:
            return NOT_TESTED
        return self._encoders.prove(lambda noun: _phrase(f"{article(noun)} {noun}"))

    def can_answer(self, question: Question, outcomes: Sequence[Outcome]) -> bool:
        """Tell whether this is one picture, and a score is asked for."""
        match outcomes:
            case [Drawn(picture=Stored())]:
                return isinstance(question, Fit)
        return False

    def asks(self, item: Item, /) -> Sequence[Ask]:
        """Ask how well a drawing fits its prompt."""
        return fit_asks(item)

    def compute_all(self, exhibits: Sequence[Exhibit], /) -> list[tuple[Finding, ...]]:
        """Score each text against its picture."""
        asked = [(exhibit, text) for exhibit in exhibits for text in _texts(exhibit)]
        views = [View.of(shown_picture(exhibit), exhibit.load) for exhibit, _ in asked]
        found = self._encoders.open().match(views, [text for _, text in asked])
        findings = iter([self._find(text, scores) for (_, text), scores in zip(asked, found, strict=True)])
        return [tuple(next(findings) for _ in exhibit.inquiries) for exhibit in exhibits]

    def _find(self, text: str, scores: Mapping[str, float]) -> Finding:
        provenance = self._encoders.provenance(text)
        # A text that is longer than the network reads was scored by its beginning.
        cut = {"tokens_cut": int(scores["tokens_cut"])} if "tokens_cut" in scores else {}
        score = WEIGHT * max(scores["match"], 0.0)
        return Finding(Measured(score), replace(provenance, parameters={"cosine": scores["match"], **cut}))


def _texts(exhibit: Exhibit) -> list[str]:
    return [_phrase(inquiry.question.text) for inquiry in exhibit.inquiries if isinstance(inquiry.question, Fit)]


def _phrase(text: str) -> str:
    return f"{PREFIX} {text}"
