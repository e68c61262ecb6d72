"""Measures how well text-to-image and vision-language models understand number.

    import subitize

    run = subitize.run("naming:images=1", ["observer", "random"], "runs/first")
    subitize.score(run, by="number")

The functions are those of `subitize.api`, which is imported on first use.
"""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from subitize.api import *  # noqa: F403

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:  # noqa: ANN401
    if not name.startswith("_") and find_spec(f"{__name__}.{name}") is None:
        api = import_module(f"{__name__}.api")
        if name in api.__all__:
            return getattr(api, name)
    raise AttributeError(f"module 'subitize' has no attribute {name!r}")


def __dir__() -> list[str]:
    return ["__version__", *import_module(f"{__name__}.api").__all__]
