"""Recipes: how weights are trained, with the learning rate of each step; papers bring their own."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import torch

from subitize import papers
from subitize.errors import BadValueError, UnknownNameError


@dataclass(frozen=True, slots=True)
class TrainingRecipe:
    """How weights are trained; `head_rate` is for parameters named vil_*, and decay is for matrices only.

    With `linear` the k-th step has the rate of place k, so that the last one has none; with `cosine` that of place k-1.
    """

    name: str
    batch_size: int
    epochs: int
    rate: float
    weight_decay: float
    warmup: float
    decay: Literal["linear", "cosine"] = "linear"
    head_rate: float | None = None
    most_norm: float | None = None
    epsilon: float = 1e-8
    corrects_bias: bool = True

    def __post_init__(self) -> None:
        for option, value in (("`batch_size`", self.batch_size), ("`epochs`", self.epochs)):
            if value < 1:
                raise BadValueError(f"{option} {value}: should be at least 1")
        if not 0 < self.rate < 1:
            raise BadValueError(f"`rate` {self.rate}: should be between 0 and 1")

    def changed(self, **given: Any) -> "TrainingRecipe":  # noqa: ANN401
        """Replace what is given; it is then no longer the paper's recipe."""
        own = {key: value for key, value in given.items() if value is not None and value != getattr(self, key)}
        return replace(self, name=f"{self.name}, changed", **own) if own else self

    def factor(self, step: int, steps: int) -> float:
        """Return by what the learning rate is multiplied at a step, from 1 on."""
        place, warmup = step - (self.decay == "cosine"), self.warmup * steps
        if place < warmup:
            return place / max(1.0, warmup)
        share = (place - warmup) / max(1.0, steps - warmup)
        return max(0.0, 1 - share) if self.decay == "linear" else 0.5 * (1 + math.cos(math.pi * min(1.0, share)))

    def make_optimizer(self, parameters: Iterable[tuple[str, Any]]) -> torch.optim.Optimizer:
        """Make the optimizer of named parameters; `base` is the rate of a group before it is multiplied."""
        groups: dict[tuple[float, float], list[Any]] = {}
        for name, parameter in parameters:
            if parameter.requires_grad:
                rate = self.head_rate if self.head_rate is not None and "vil_" in name else self.rate
                groups.setdefault((rate, self.weight_decay if parameter.ndim > 1 else 0.0), []).append(parameter)
        given = [
            {"params": own, "lr": rate, "base": rate, "weight_decay": decay} for (rate, decay), own in groups.items()
        ]
        kind = torch.optim.AdamW if self.corrects_bias else UncorrectedAdamW
        return kind(given, lr=self.rate, betas=(0.9, 0.999), eps=self.epsilon)


def find_recipe(name: str) -> TrainingRecipe:
    """Find a paper's recipe."""
    known = papers.list_all("recipes")
    if name not in known:
        raise UnknownNameError("recipe", name, known)
    recipe: TrainingRecipe = papers.load(known[name])
    return recipe


class UncorrectedAdamW(torch.optim.Optimizer):  # type: ignore[misc]
    """AdamW as BERT was trained: without bias correction, and weights decay after they have moved."""

    def __init__(self, groups: Any, lr: float, betas: tuple[float, float], eps: float) -> None:  # noqa: ANN401
        super().__init__(groups, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": 0.0})

    def step(self, closure: None = None) -> None:
        """Move the weights."""
        with torch.no_grad():
            for group in self.param_groups:
                own = [parameter for parameter in group["params"] if parameter.grad is not None]
                if own:
                    self._move(own, group)

    def _move(self, own: Sequence[Any], group: Mapping[str, Any]) -> None:
        for parameter in own:
            if not self.state[parameter]:
                self.state[parameter] = {name: torch.zeros_like(parameter) for name in ("mean", "square")}
        grads = [parameter.grad for parameter in own]
        means, squares = ([self.state[parameter][name] for parameter in own] for name in ("mean", "square"))
        beta, beta2 = group["betas"]
        torch._foreach_mul_(means, beta)
        torch._foreach_add_(means, grads, alpha=1 - beta)
        torch._foreach_mul_(squares, beta2)
        torch._foreach_addcmul_(squares, grads, grads, 1 - beta2)
        roots = torch._foreach_sqrt(squares)
        torch._foreach_add_(roots, group["eps"])
        torch._foreach_addcdiv_(own, means, roots, -group["lr"])
        if group["weight_decay"]:
            torch._foreach_mul_(own, 1 - group["lr"] * group["weight_decay"])
