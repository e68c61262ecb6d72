"""One function per verb: what commands, notebooks and programs call.

A verb takes runs by name or open, returns a value, and prints nothing; its signature is the list of its options.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from subitize.api.figures import agree, calibrate, compare, measure, plate, score, write_report
    from subitize.api.runs import judge, open, run

_HOMES = {
    "figures": ("agree", "calibrate", "compare", "measure", "plate", "score", "write_report"),
    "runs": ("judge", "open", "run"),
}
_MODULES = {name: module for module, names in _HOMES.items() for name in names}

__all__ = ["agree", "calibrate", "compare", "judge", "measure", "open", "plate", "run", "score", "write_report"]


def __getattr__(name: str) -> Any:  # noqa: ANN401
    if name in _MODULES:
        return getattr(import_module(f"subitize.api.{_MODULES[name]}"), name)
    raise AttributeError(f"module 'subitize.api' has no attribute {name!r}")
