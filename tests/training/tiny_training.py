"""Trains a tiny network on 32 pairs, and evaluates it on the same ones."""

from collections.abc import Sequence
from pathlib import Path

from subitize.interfaces import NoEvents
from subitize.training.loop import Progress, TrainingPlan, train
from subitize.training.matching import MatchingTask, Pair, Parent, TrainedPictures
from subitize.training.recipes import TrainingRecipe, find_recipe
from tests.training.tiny_probes import make_probe

SHORT = find_recipe("seeing-past-words").changed(epochs=3, batch_size=8, rate=1e-3)
HEADLINE = "accuracy"


def make_pairs() -> list[Pair]:
    """Make 32 pairs of eight pictures."""
    probes = [make_probe(number, "train", number % 8) for number in range(8)]
    return [
        Pair(one.id, one.image, text.statement, text.is_right, "train") for one in probes for text in one.candidates()
    ]


def accuracy(pairs: Sequence[Pair], scores: Sequence[float]) -> dict[str, float]:
    """Share of pairs on the right side of one half."""
    right = [(score > 0.5) == pair.is_right for pair, score in zip(pairs, scores, strict=True)]
    return {HEADLINE: sum(right) / len(right)}


def train_tiny(
    spec: str,
    folder: Path,
    recipe: TrainingRecipe = SHORT,
    *,
    evaluations: float = 1,
    kind: type[MatchingTask] = MatchingTask,
) -> Progress:
    """Train a network, evaluated so often per epoch; the folder is made if need be."""
    folder.mkdir(exist_ok=True)
    plan = TrainingPlan(recipe, 0, evaluations, is_on_cpu=True)
    return train(make_task(spec, kind), plan, folder, {"parent": spec}, NoEvents())


def make_task(spec: str, kind: type[MatchingTask] = MatchingTask) -> MatchingTask:
    """Make the task of learning these pairs by heart."""
    pairs, parent = make_pairs(), Parent.load(spec, 0)
    pictures = TrainedPictures.of([pair.picture for pair in pairs], parent.regions, {})
    return kind(parent, (pairs, pairs), pictures, accuracy, HEADLINE)
