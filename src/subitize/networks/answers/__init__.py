"""Networks that answer questions about pictures: those that write, and those with a head of ready answers."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from subitize.networks.answers.generators import Chat, Generator, open_generator
from subitize.networks.answers.heads import HEADS, Head, can_affirm, open_head
from subitize.networks.pairs import refuse_regions
from subitize.networks.weights import Placement
from subitize.records import TaskKind

__all__ = ["HEADS", "Chat", "Generator", "Head", "answer_tasks", "open_answerer"]


def open_answerer(
    folder: Path, architecture: str, placement: Placement, chat: Chat, regions: Path | None
) -> Generator | Head:
    """Load the network of a folder."""
    if architecture in HEADS:
        return open_head(folder, architecture, placement, regions)
    refuse_regions(folder, architecture, regions)
    return open_generator(folder, architecture, placement, chat)


def answer_tasks(architecture: str, config: Mapping[str, Any]) -> frozenset[TaskKind]:
    """Say what such a network can do; to score a text it must be able to say yes."""
    if architecture in HEADS and not can_affirm(config):
        return frozenset({"answer"})
    return frozenset({"answer", "match"})
