"""Steps per second of our training loop, as a share of a bare PyTorch loop's on the same tiny network and batches.

The bare loop makes a batch, computes, and moves the weights by the same optimizer. What ours does beyond it:
accelerate, seeds and rates of each step, and a look for losses that are no number.
"""

import random
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from benchmarks.comparing import Figure, Result, Unmeasured, compare_rates


@dataclass(frozen=True, slots=True)
class Size:
    """How many epochs both train, of one batch of 16 after another from 32 pairs, and how often."""

    epochs: int
    pairs: int


FULL = Size(epochs=20, pairs=25)
TINY = Size(epochs=1, pairs=1)


def measure(*, is_tiny: bool = False) -> Iterator[Result]:
    """Compare rates, then give the share of the time in which data are loaded, on a CPU."""
    size = TINY if is_tiny else FULL
    if not all(find_spec(module) for module in ("torch", "transformers", "accelerate")):
        yield Unmeasured("steps of finetuning, as a share of a bare loop's rate", "torch, transformers and accelerate")
        return
    from subitize.interfaces import NoEvents
    from subitize.training.loop import TrainingLoop, TrainingPlan
    from subitize.training.recipes import find_recipe
    from tests.networks.tiny_matchers import write_vilbert
    from tests.training.tiny_probes import write_probes
    from tests.training.tiny_training import make_task

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        spec = f"vilbert:{write_vilbert(folder / 'model')},regions={write_probes(folder)[1]}"
        recipe = find_recipe("seeing-past-words").changed(epochs=size.epochs)
        task = make_task(spec)
        plan = TrainingPlan(recipe, is_on_cpu=True)
        training = TrainingLoop(task, plan, folder, NoEvents())
        steps = plan.count_steps(len(task.examples))

        def ours() -> None:
            training.progress.step = 0
            training.train_until(steps, steps)

        what = f"steps of a tiny ViLBERT ({steps}, 16 pairs each), as a share of a bare PyTorch loop's rate"
        yield compare_rates(
            what, ours, partial(_train_bare, make_task(spec), recipe, steps), aim=">= 0.9", pairs=size.pairs
        )
        share = training.progress.loading_seconds / training.progress.seconds
        yield Figure("share of the time in which data are loaded, on a CPU", 100 * share, "%")


def _train_bare(task: Any, recipe: Any, steps: int) -> None:  # noqa: ANN401
    optimizer = recipe.make_optimizer(task.network.named_parameters())
    task.network.train()
    shuffle = random.Random(0)
    for step in range(steps):
        if step % 2 == 0:
            examples = shuffle.sample(task.examples, len(task.examples))
        loss = task.network(**task.encode(examples[16 * (step % 2) :][:16])).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
