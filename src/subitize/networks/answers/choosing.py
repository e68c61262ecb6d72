"""What a network says next, chosen by us token by token: the likeliest, a random one, or a given one.

A chooser stands where transformers lets the next token's scores be changed, keeps what it chose, and leaves the
network no other choice; so nothing depends on what is echoed, padded or set in a folder's generation settings.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from subitize.errors import BadValueError

if TYPE_CHECKING:
    import torch

# As many alternatives to a token as OpenAI's servers give at most by default.
OTHERS = 5


class Chooser:
    """Chooses the likeliest token, or draws one by each row's own seed, and keeps its probability and the next best.

    A row's draw depends on its seed alone, not on its place in a batch or on the other rows.
    """

    def __init__(self, seeds: Sequence[int], temperature: float) -> None:
        import torch

        self._temperature = temperature
        self._lots = [torch.Generator().manual_seed(seed) for seed in seeds]
        self.chosen: list[list[int]] = [[] for _ in seeds]
        self.logprobs: list[list[float]] = [[] for _ in seeds]
        self.others: list[list[dict[int, float]]] = [[] for _ in seeds]

    def __call__(self, input_ids: "torch.Tensor", scores: "torch.Tensor") -> "torch.Tensor":
        """Choose for every row."""
        logprobs = log_probabilities(scores)
        chosen = self._draw(logprobs) if self._temperature else logprobs.argmax(-1)
        best = logprobs.topk(min(OTHERS + 1, logprobs.shape[-1]))
        columns = (chosen, logprobs.gather(-1, chosen[:, None])[:, 0], best.indices, best.values)
        for row, (id, logprob, ids, values) in enumerate(zip(*(column.tolist() for column in columns), strict=True)):
            self.chosen[row].append(id)
            self.logprobs[row].append(logprob)
            self.others[row].append({other: value for other, value in zip(ids, values, strict=True) if other != id})
        return _only(scores, chosen)

    def _draw(self, logprobs: "torch.Tensor") -> "torch.Tensor":
        """Draw by adding Gumbel noise: the largest sum is distributed as the probabilities are."""
        import torch

        size = logprobs.shape[-1]
        even = torch.stack([torch.rand(size, generator=lot) for lot in self._lots]).clamp_min(1e-20)
        noise = -(-even.log()).clamp_min(1e-20).log()
        return (logprobs / self._temperature + noise.to(logprobs.device)).argmax(-1)


class Forcer:
    """Has every row say the same tokens and then end, and keeps how probable that was."""

    def __init__(self, said: Sequence[int], ends: Sequence[int], first: Sequence[int]) -> None:
        self._said, self._ends, self._first = said, list(ends), list(first)
        self._step = 0
        self.first_logprobs: list[list[float]] = []
        self.logprobs: list[float] = []

    def __call__(self, input_ids: "torch.Tensor", scores: "torch.Tensor") -> "torch.Tensor":
        """Take the next token's probability; at the end, that of whatever ends an answer."""
        logprobs = log_probabilities(scores)
        if self._step == 0:
            self.first_logprobs = logprobs[:, self._first].tolist()
            self.logprobs = [0.0] * len(logprobs)
        is_last = self._step == len(self._said)
        next_id = self._ends[0] if is_last else self._said[self._step]
        added = logprobs[:, self._ends].logsumexp(-1) if is_last else logprobs[:, next_id]
        self.logprobs = [total + more for total, more in zip(self.logprobs, added.tolist(), strict=True)]
        self._step += 1
        return _only(scores, logprobs.new_full((len(logprobs),), next_id).long())


def log_probabilities(scores: "torch.Tensor") -> "torch.Tensor":
    """Make natural-log probabilities of a network's scores; half floats overflow in some networks."""
    if scores.isnan().any():
        raise BadValueError("the network computes no numbers (NaN) for this picture; write dtype=float32 or bfloat16")
    return scores.float().log_softmax(-1)


def _only(scores: "torch.Tensor", chosen: "torch.Tensor") -> "torch.Tensor":
    import torch

    return torch.full_like(scores, -torch.inf).scatter_(-1, chosen[:, None], 0.0)
