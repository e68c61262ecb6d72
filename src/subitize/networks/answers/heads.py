"""Networks with a head of ready answers: ViLT, which looks at pixels, and LXMERT, which looks at regions."""

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from subitize.errors import BadValueError, UnusableModelError
from subitize.networks.answers.choosing import OTHERS
from subitize.networks.pairs import Pairs, View, numbers, open_pairs
from subitize.networks.weights import Placement, quiet
from subitize.records import Said, Scalar, Token

_SCORES = {"LxmertForQuestionAnswering": "question_answering_score", "ViltForQuestionAnswering": "logits"}
HEADS: frozenset[str] = frozenset(_SCORES)


class Head:
    """A network that chooses among ready answers, each with a probability of its own (they need not sum to one)."""

    def __init__(self, pairs: Pairs, scores: str, names: Mapping[int, str]) -> None:
        self._pairs, self._scores, self._names = pairs, scores, names
        self.network = pairs.model

    def describe(self) -> dict[str, Scalar]:
        """Tell how questions are put: as they are."""
        return {}

    def answer(self, views: Sequence[View], questions: Sequence[str], seeds: Sequence[int], /) -> list[Said]:
        """Give the likeliest answer as the one token, and the next few as its alternatives."""
        return [self._read(logprobs) for logprobs in self._logprobs(views, questions)]

    def affirm(self, views: Sequence[View], questions: Sequence[str], /) -> list[float]:
        """Give the probability of the answer yes."""
        yes = next(number for number, name in self._names.items() if name.lower() == "yes")
        return [math.exp(logprobs[yes]) for logprobs in self._logprobs(views, questions)]

    def _logprobs(self, views: Sequence[View], questions: Sequence[str]) -> list[list[float]]:
        import torch

        for question, cut in zip(questions, self._pairs.tokens.count_cut(questions), strict=True):
            if cut:
                raise BadValueError(
                    f"the question {question[:40]!r} is {cut} tokens longer than the {self._pairs.tokens.most} that "
                    "this network reads; shorten it"
                )
        with self._pairs.at_work(), quiet():
            scores = self._pairs.model(**self._pairs.encode(views, questions))[self._scores]
            # Both were trained on each answer by itself: several may be right.
            found: list[list[float]] = numbers(torch.nn.functional.logsigmoid(scores.double())).tolist()
        return found

    def _read(self, logprobs: Sequence[float]) -> Said:
        best, *others = sorted(self._names, key=lambda number: -logprobs[number])[: OTHERS + 1]
        alternatives = {self._names[number]: logprobs[number] for number in others}
        return Said(self._names[best], (Token(self._names[best], logprobs[best], alternatives),))


def open_head(folder: Path, architecture: str, placement: Placement, regions: Path | None) -> Head:
    """Load a network with a head of answers; LXMERT needs a file of region features (regions.py)."""
    pairs = open_pairs(folder, architecture, placement, regions)
    return Head(pairs, _SCORES[architecture], _read_names(folder, pairs.model.config))


def can_affirm(config: Mapping[str, Any]) -> bool:
    """Tell by its config whether a network can answer yes."""
    names = config.get("id2label")
    return isinstance(names, dict) and any(str(name).lower() == "yes" for name in names.values())


def _read_names(folder: Path, config: Any) -> dict[int, str]:  # noqa: ANN401
    names = {int(number): str(name) for number, name in config.id2label.items()}
    expected = getattr(config, "num_qa_labels", len(names))
    is_complete = sorted(names) == list(range(expected))
    if not is_complete or all(re.fullmatch(r"LABEL_\d+", name) for name in names.values()):
        raise UnusableModelError(
            f"the config.json of {folder} does not name its {expected} answers; add them as id2label, in the order it "
            'was trained with: {"0": "net", "1": "pitcher", …}'
        )
    return names
