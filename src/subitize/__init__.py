"""Measures how well text-to-image and vision-language models understand number.

    import subitize

    run = subitize.run("naming:images=1", ["observer", "random"], "runs/first")
    subitize.score(run, by="number")

The functions are those of `subitize.api`, which is imported on first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from subitize.api import agree, calibrate, compare, judge, measure, open, plate, run, score, write_report

__version__ = "0.1.0"
__all__ = ["agree", "calibrate", "compare", "judge", "measure", "open", "plate", "run", "score", "write_report"]


def __getattr__(name: str) -> Any:  # noqa: ANN401
    if name in __all__:
        return getattr(import_module("subitize.api"), name)
    raise AttributeError(f"module 'subitize' has no attribute {name!r}")
