"""A training that kills itself with -9 in its second epoch: python -m tests.training.killed_training FOLDER."""

import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

import torch

from subitize.training.matching import MatchingTask, Pair
from tests.training.tiny_training import train_tiny


class KilledTask(MatchingTask):
    """Its process ends when the sixth batch is made, the second of the second epoch."""

    made = 0

    def encode(self, examples: Sequence[Pair]) -> dict[str, torch.Tensor]:
        """Make a batch, or end."""
        self.made += 1
        if self.made == 6:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().encode(examples)


if __name__ == "__main__":
    torch.set_num_threads(1)
    spec, folder = sys.argv[1:]
    train_tiny(spec, Path(folder), kind=KilledTask)
