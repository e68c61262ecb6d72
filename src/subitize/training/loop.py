"""The training loop: batches in a fixed order, evaluations, checkpoints, and the best weights beside the last.

What is random depends on the seed and the number of the step only, so that a training that was killed and is resumed
comes to the same weights. Devices, precision and several processes are accelerate's."""

import math
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from statistics import fmean
from typing import Any, Generic, TypeVar

import numpy as np
import torch
from accelerate import Accelerator, DistributedDataParallelKwargs
from accelerate.utils import gather_object

from subitize.errors import RunError
from subitize.interfaces import Events
from subitize.training.checkpoints import (
    BEST,
    CHECKPOINT,
    HISTORY,
    PROVENANCE,
    load_tensors,
    read_json_file,
    save_tensors,
    write_json,
    write_model,
)
from subitize.training.recipes import TrainingRecipe

ExampleT = TypeVar("ExampleT")
Figures = dict[str, float]
_LOADERS = 2
_AHEAD = 4


class TrainedTask(Generic[ExampleT]):
    """What is trained, on which examples, and how it is evaluated: a base class with a method for each."""

    network: torch.nn.Module
    """Called with the tensors of a batch, it gives a loss per example."""
    examples: Sequence[ExampleT]
    tests: Sequence[ExampleT]
    headline: str
    """The figure that is highest where the weights are best."""

    def encode(self, examples: Sequence[ExampleT]) -> dict[str, torch.Tensor]:
        """Make the tensors of a batch; beside a GPU it is called in threads."""
        raise NotImplementedError

    def describe(self, example: ExampleT) -> str:
        """Name an example, for messages."""
        raise NotImplementedError

    def answer(self, examples: Sequence[ExampleT]) -> list[Any]:
        """Score or answer some of these."""
        raise NotImplementedError

    def measure(self, answers: Sequence[Any]) -> Figures:
        """Compute the figures of answers to the tests."""
        raise NotImplementedError

    def write(self, folder: Path) -> None:
        """Write the network, and what belongs to it, to a folder."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class TrainingPlan:
    """A recipe, how often per epoch the weights are evaluated, and when to stop; precision as accelerate names it.

    With `patience` it stops after so many evaluations without a better one.
    """

    recipe: TrainingRecipe
    seed: int = 0
    evaluations_per_epoch: float = 1
    patience: int = 0
    precision: str = "no"
    is_on_cpu: bool = False
    eval_batch_size: int = 64

    def count_steps(self, examples: int) -> int:
        """Count the steps of all epochs."""
        return self.recipe.epochs * math.ceil(examples / self.recipe.batch_size)

    def find_evaluations(self, examples: int) -> list[int]:
        """List after which steps the weights are evaluated; the last is the end."""
        steps, times = self.count_steps(examples), round(self.recipe.epochs * self.evaluations_per_epoch)
        return sorted({math.ceil(steps * time / times) for time in range(1, times + 1)})


@dataclass(slots=True)
class Progress:
    """How far a training is: its evaluations so far, each a row of figures, and the time that it took."""

    step: int = 0
    history: list[dict[str, float]] = field(default_factory=list)
    seconds: float = 0.0
    loading_seconds: float = 0.0

    def best(self, headline: str) -> dict[str, float]:
        """Return the best evaluation, the first of several; what was before the training does not count."""
        return max(self.history[1:], key=lambda row: row[headline])


def train(
    task: TrainedTask[ExampleT], plan: TrainingPlan, folder: Path, provenance: Mapping[str, Any], events: Events
) -> Progress:
    """Train to the end, from where an earlier process was; leave the folders `best` and `last`."""
    if all((folder / name / PROVENANCE).is_file() for name in ("best", "last")):
        return Progress(**read_json_file(folder / HISTORY))
    return TrainingLoop(task, plan, folder, events).run(provenance)


class TrainingLoop(Generic[ExampleT]):
    """One training, from one seed."""

    def __init__(self, task: TrainedTask[ExampleT], plan: TrainingPlan, folder: Path, events: Events) -> None:
        self._task, self._plan, self._folder, self._events = task, plan, folder, events
        ddp = DistributedDataParallelKwargs(find_unused_parameters=True)
        self._place = Accelerator(mixed_precision=plan.precision, cpu=plan.is_on_cpu, kwargs_handlers=[ddp])
        optimizer = plan.recipe.make_optimizer(task.network.named_parameters())
        self._network, self._optimizer = self._place.prepare(task.network, optimizer)
        self._parameters = list(self._network.parameters())
        self.progress = Progress()
        self._losses: list[torch.Tensor] = []

    def run(self, provenance: Mapping[str, Any]) -> Progress:
        """Go on to the end."""
        examples, progress = self._task.examples, self.progress
        steps, evaluations = self._plan.count_steps(len(examples)), self._plan.find_evaluations(len(examples))
        self._resume()
        self._events.begin("training", steps - progress.step)
        if not progress.history:
            self._evaluate()
        while progress.step < steps and not self._is_stale():
            end = next(step for step in evaluations if step > progress.step)
            self.train_until(end, steps)
            self._evaluate()
            self._keep()
        return self._finish(provenance)

    def train_until(self, end: int, steps: int) -> None:
        """Take the steps to `end`, of so many in all."""
        recipe, started = self._plan.recipe, time.perf_counter()
        self._network.train()
        for step, batch, inputs in self._load(range(self.progress.step, end)):
            torch.manual_seed(self._seed_of(step))
            for group in self._optimizer.param_groups:
                group["lr"] = group["base"] * recipe.factor(step + 1, steps)
            losses = self._network(**{name: one.to(self._place.device) for name, one in inputs.items()})
            # Processes have parts of a batch, whose mean gradients are averaged.
            loss = losses.sum() * self._place.num_processes / len(batch)
            self._losses.append(loss.detach())
            self._check(step, batch, loss)
            self._place.backward(loss)
            if recipe.most_norm is not None:
                self._place.clip_grad_norm_(self._network.parameters(), recipe.most_norm)
            self._optimizer.step()
            for parameter in self._parameters:
                parameter.grad = None
            self._events.advance()
        self.progress.step = end
        self.progress.seconds += time.perf_counter() - started

    def _resume(self) -> None:
        path = self._folder / CHECKPOINT
        if path.exists():
            found = load_tensors(path)
            self._task.network.load_state_dict(found["network"])
            self._optimizer.load_state_dict(found["optimizer"])
            for name, value in found["progress"].items():
                setattr(self.progress, name, value)

    def _load(self, steps: range) -> Iterator[tuple[int, list[ExampleT], dict[str, torch.Tensor]]]:
        """Encode this process's part of each batch: beside a GPU in threads, a few steps ahead."""
        rank, world = self._place.process_index, self._place.num_processes
        with ThreadPoolExecutor(_LOADERS, thread_name_prefix="subitize") as threads:
            wanted = ((step, self._batch(step)) for step in steps)
            # A batch smaller than the processes leaves some with the first example, which then counts more.
            pairs = ((step, batch, batch[rank::world] or batch[:1]) for step, batch in wanted)
            started = ((step, batch, self._start_encoding(own, threads)) for step, batch, own in pairs)
            waiting = deque(islice(started, _AHEAD))
            while waiting:
                step, batch, finish = waiting.popleft()
                before = time.perf_counter()
                inputs = finish()
                self.progress.loading_seconds += time.perf_counter() - before
                yield step, batch, inputs
                waiting.extend(islice(started, 1))

    def _start_encoding(
        self, examples: Sequence[ExampleT], threads: ThreadPoolExecutor
    ) -> Callable[[], dict[str, torch.Tensor]]:
        # Where the CPU computes, too, threads would only slow it down.
        if self._place.device.type == "cpu":
            return partial(self._task.encode, examples)
        return threads.submit(self._task.encode, examples).result

    def _batch(self, step: int) -> list[ExampleT]:
        examples, size = self._task.examples, self._plan.recipe.batch_size
        epoch, place = divmod(step, math.ceil(len(examples) / size))
        order = np.random.default_rng([self._plan.seed, epoch]).permutation(len(examples))
        return [examples[number] for number in order[place * size : (place + 1) * size]]

    def _seed_of(self, step: int) -> int:
        seeds = np.random.SeedSequence([self._plan.seed, step, self._place.process_index])
        return int(seeds.generate_state(1)[0])

    def _check(self, step: int, batch: Sequence[ExampleT], loss: torch.Tensor) -> None:
        if not torch.isfinite(loss):
            names = ", ".join(self._task.describe(one) for one in batch[:3])
            raise RunError(
                f"the loss of step {step + 1} is {loss.item()}: seed {self._plan.seed}, a batch of {len(batch)} "
                f"({names} …); lower the learning rate, or look for broken numbers in the pictures' features"
            )

    def _evaluate(self) -> None:
        """Add a row of figures; each process answers its part."""
        self._network.eval()
        tests, rank, world = self._task.tests, self._place.process_index, self._place.num_processes
        places, size = range(rank, len(tests), world), self._plan.eval_batch_size
        found: list[tuple[int, Any]] = []
        for start in range(0, len(places), size):
            own = places[start : start + size]
            with self._place.autocast():
                found += zip(own, self._task.answer([tests[place] for place in own]), strict=True)
        answers = dict(gather_object(found))
        figures = self._task.measure([answers[place] for place in range(len(tests))])
        own_loss = [float(torch.stack(self._losses).mean())] if self._losses else []
        loss = {"loss": fmean(losses)} if (losses := gather_object(own_loss)) else {}
        self._losses.clear()
        epoch = self.progress.step * self._plan.recipe.batch_size / len(self._task.examples)
        self.progress.history.append({"step": self.progress.step, "epoch": round(epoch, 2), **loss, **figures})

    def _keep(self) -> None:
        """Write the best weights and a checkpoint."""
        if not self._place.is_main_process:
            return
        progress, network = self.progress, self._task.network.state_dict()
        if progress.best(self._task.headline)["step"] == progress.step:
            save_tensors(self._folder / BEST, {"network": network})
        state = {name: getattr(progress, name) for name in Progress.__slots__}
        save_tensors(
            self._folder / CHECKPOINT,
            {"network": network, "optimizer": self._optimizer.state_dict(), "progress": state},
        )

    def _is_stale(self) -> bool:
        progress, patience = self.progress, self._plan.patience
        if not patience or len(progress.history) < 2:
            return False
        since = progress.history.index(progress.best(self._task.headline))
        return len(progress.history) - 1 - since >= patience

    def _finish(self, provenance: Mapping[str, Any]) -> Progress:
        """Write the models, and drop what only resuming needs."""
        progress = self.progress
        if self._place.is_main_process:
            state = {name: getattr(progress, name) for name in Progress.__slots__}
            write_json(self._folder / HISTORY, state)
            chosen = {"last": progress.history[-1], "best": progress.best(self._task.headline)}
            for name, row in chosen.items():
                if name == "best":
                    self._task.network.load_state_dict(load_tensors(self._folder / BEST)["network"])
                write_model(self._folder / name, self._task.write, {**provenance, "seed": self._plan.seed, **row})
            for name in (CHECKPOINT, BEST):
                (self._folder / name).unlink(missing_ok=True)
        self._place.wait_for_everyone()
        return progress
