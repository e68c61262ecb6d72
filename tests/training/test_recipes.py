"""Recipes: learning rates and weights, step by step, against implementations of others."""

import math
import warnings

import pytest

from subitize.errors import BadValueError, UnknownNameError
from tests.cases import Case

pytestmark = pytest.mark.torch


def test_rates_of_seeing_past_words_are_those_of_its_codebase_at_every_step() -> None:
    import torch

    from subitize.training.recipes import find_recipe

    recipe, steps = find_recipe("seeing-past-words"), 237
    weight = torch.nn.Parameter(torch.zeros(1))
    optimizer = torch.optim.SGD([weight], lr=recipe.rate)
    warmup = 0.1 * steps  # not a whole number there, either

    def multiply(step: int) -> float:
        if step < warmup:
            return step / max(1.0, warmup)
        return max(0.0, (steps - step) / max(1.0, steps - warmup))

    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, multiply)
    for step in range(1, steps + 1):
        weight.grad = torch.ones(1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # there the schedule moves before the optimizer, of which torch warns
            schedule.step()
        assert recipe.rate * recipe.factor(step, steps) == pytest.approx(optimizer.param_groups[0]["lr"], abs=1e-18)
        optimizer.step()
    assert recipe.factor(steps, steps) == 0


def test_rates_of_geckonum_are_those_of_transformers_at_every_step() -> None:
    import torch
    from transformers import get_cosine_schedule_with_warmup

    from subitize.training.recipes import find_recipe

    recipe, steps = find_recipe("geckonum"), 400
    weight = torch.nn.Parameter(torch.zeros(1))
    optimizer = torch.optim.SGD([weight], lr=recipe.rate)
    schedule = get_cosine_schedule_with_warmup(optimizer, round(recipe.warmup * steps), steps)
    for step in range(1, steps + 1):
        assert recipe.rate * recipe.factor(step, steps) == pytest.approx(optimizer.param_groups[0]["lr"], abs=1e-18)
        optimizer.step()
        schedule.step()


def test_weights_move_as_by_adam_without_bias_correction_written_out() -> None:
    import torch

    from subitize.training.recipes import find_recipe

    torch.manual_seed(0)
    recipe = find_recipe("seeing-past-words")
    network = torch.nn.ModuleDict({"trunk": torch.nn.Linear(3, 4), "vil_logit": torch.nn.Linear(4, 1)})
    network["unused"] = torch.nn.Linear(2, 2)
    optimizer = recipe.make_optimizer(network.named_parameters())
    weights = {name: one.detach().double().clone() for name, one in network.named_parameters()}
    means, squares = ({name: torch.zeros_like(one) for name, one in weights.items()} for _ in range(2))
    for _ in range(20):
        loss = network["vil_logit"](network["trunk"](torch.randn(5, 3)).tanh()).square().sum()
        loss.backward()
        for name, parameter in network.named_parameters():
            if parameter.grad is None:
                continue
            gradient, rate = parameter.grad.double(), 1e-4 if "vil_" in name else 4e-5
            means[name] = 0.9 * means[name] + 0.1 * gradient
            squares[name] = 0.999 * squares[name] + 0.001 * gradient**2
            weights[name] = weights[name] - rate * means[name] / (squares[name].sqrt() + 1e-6)
            decay = 0.0 if name.endswith("bias") else 0.01
            weights[name] = weights[name] - rate * decay * weights[name]
        optimizer.step()
        optimizer.zero_grad()
    for name, parameter in network.named_parameters():
        assert torch.allclose(parameter.detach().double(), weights[name], rtol=1e-5, atol=1e-8), name


def test_decay_is_for_matrices_only_and_a_head_has_its_own_rate() -> None:
    import torch

    from subitize.training.recipes import find_recipe

    network = torch.nn.ModuleDict({"dense": torch.nn.Linear(3, 4), "norm": torch.nn.LayerNorm(4)})
    network["vil_logit"] = torch.nn.Linear(4, 1)
    for name, rates in (("seeing-past-words", {1e-4, 4e-5}), ("geckonum", {1e-5})):
        recipe = find_recipe(name)
        groups = recipe.make_optimizer(network.named_parameters()).param_groups
        assert {group["base"] for group in groups} == rates
        for group in groups:
            is_matrix = {parameter.ndim > 1 for parameter in group["params"]}
            assert is_matrix == {group["weight_decay"] == recipe.weight_decay}


def test_a_changed_recipe_says_so_and_wrong_ones_are_refused(case: Case) -> None:
    from subitize.training.recipes import find_recipe

    recipe = find_recipe("seeing-past-words")
    assert recipe.changed(epochs=20, rate=None) is recipe
    assert recipe.changed(epochs=3).name == "seeing-past-words, changed"
    assert math.isclose(recipe.changed(rate=1e-3).factor(1, 10), 1.0)
    for given in ({"epochs": 0}, {"batch_size": 0}, {"rate": 0.0}, {"rate": 2.0}):
        with case(given), pytest.raises(BadValueError, match=f"`{next(iter(given))}`"):
            recipe.changed(**given)
    with pytest.raises(UnknownNameError, match="known: geckonum, seeing-past-words"):
        find_recipe("other")
