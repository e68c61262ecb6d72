"""Measures how well text-to-image and vision-language models understand number.

    import subitize

    run = subitize.run("naming:images=1", ["observer", "random"], "runs/first")
    subitize.score(run, by="number")

The functions are those of `subitize.api`, which is imported on first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from subitize.api import *  # noqa: F403

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:  # noqa: ANN401
    if name.startswith("_"):
        raise AttributeError(f"module 'subitize' has no attribute {name!r}")
    return getattr(import_module("subitize.api"), name)
