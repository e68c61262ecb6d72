"""How well a drawing fits its prompt, as CLIPScore (Hessel et al. 2021)."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated

from subitize.interfaces import Exhibit, Finding, Handling
from subitize.judges.asking import is_picture, shown_picture
from subitize.judges.clip import Encoders
from subitize.judges.fit import ASKS_ABOUT, fit_asks
from subitize.networks.views import View
from subitize.numerals import article
from subitize.records import Ask, Fit, Item, Measured, Outcome, Question

# Hessel et al. 2021, section 3: what stands before the text, and what the cosine is multiplied by.
PREFIX = "A photo depicts"
WEIGHT = 2.5


class ClipScore(Encoders):
    """Score how well each drawing fits its prompt: 2.5 times the cosine of CLIP's encodings, at least 0."""

    rule = "strict"
    asks_about = ASKS_ABOUT
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
        super().__init__(who, model_or_folder, dtype=dtype, device=device, batch_size=batch_size, self_test=self_test)

    def can_answer(self, question: Question, outcomes: Sequence[Outcome]) -> bool:
        """Tell whether this is one picture, and a score is asked for."""
        return is_picture(outcomes) and isinstance(question, Fit)

    def asks(self, item: Item, /) -> Sequence[Ask]:
        """Ask how well a drawing fits its prompt."""
        return fit_asks(item)

    def compute_all(self, exhibits: Sequence[Exhibit], /) -> list[tuple[Finding, ...]]:
        """Score each text against its picture."""
        asked = [(exhibit, text) for exhibit in exhibits for text in _texts(exhibit)]
        views = [View.of(shown_picture(exhibit), exhibit.load) for exhibit, _ in asked]
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


def _texts(exhibit: Exhibit) -> list[str]:
    questions = [inquiry.question for inquiry in exhibit.inquiries]
    return [f"{PREFIX} {question.text}" for question in questions if isinstance(question, Fit)]
