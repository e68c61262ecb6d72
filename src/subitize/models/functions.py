"""Functions of the calling program as models."""

import asyncio
import inspect
from collections.abc import Callable
from dataclasses import replace
from io import BytesIO
from typing import Any

from PIL import Image

from subitize.errors import BadValueError
from subitize.interfaces import Model, Pixels, Reply, Request
from subitize.io.images import encode_png
from subitize.records import Draw, Refused, Said, TaskKind, digest

_SIGNATURES = "(image, question) that returns its answer, or (prompt, seed) that returns a picture"
_KNOWN: dict[str, TaskKind | None] = {"image": "answer", "question": "answer", "prompt": "draw", "seed": None}


class FunctionModel(Model):
    """Answers or draws by calling a function, one call at a time; an async one may be called several at a time.

    Its parameters say what it does: `image` (a PIL image) and `question`, or `prompt`; also `seed`.
    """

    # Its pictures pass no server that could lose them.
    is_self_tested = True

    def __init__(self, function: Callable[..., Any], name: str) -> None:
        self._call, self._name = function, name
        self._is_async = inspect.iscoroutinefunction(function)
        self._given = _read_parameters(function, name)
        self.tasks = frozenset(kind for one in self._given if (kind := _KNOWN[one]) is not None)
        if len(self.tasks) != 1:
            raise _misshapen(name, ", ".join(self._given) or "no parameter")
        self.concurrency = 8 if self._is_async else 1
        self._about = {"function": f"{function.__module__}.{getattr(function, '__qualname__', name)}"}
        if source := _source_of(function):
            self._about["source_hash"] = digest(source)

    async def respond(self, request: Request, /) -> Reply:
        """Call the function; a synchronous one in a thread."""
        given = {name: value for name, value in self._values(request).items() if name in self._given}
        found = await (self._call(**given) if self._is_async else asyncio.to_thread(self._call, **given))
        return Reply(self._read(found), replace(request.provenance(), parameters=self._about))

    def _values(self, request: Request) -> dict[str, object]:
        if isinstance(request.task, Draw):
            return {"prompt": request.text, "seed": request.seed}
        values: dict[str, object] = {"question": request.text, "seed": request.seed}
        if "image" in self._given:
            values["image"] = Image.open(BytesIO(request.picture())).convert("RGB")
        return values

    def _read(self, found: object) -> Said | Pixels | Refused:
        """Take what the function returned as a reply; None is a refusal."""
        match found:
            case None:
                return Refused(f"{self._name} returned None")
            case str() | int() | float() if "answer" in self.tasks:
                return Said(str(found))
            case Image.Image() if "draw" in self.tasks:
                return Pixels(encode_png(found))
            case bytes() if "draw" in self.tasks:
                return Pixels(found)
        wanted = "a text or a number" if "answer" in self.tasks else "a PIL image, or one encoded as bytes"
        raise TypeError(f"{self._name} should return {wanted}, not {found!r:.60}")


def _read_parameters(function: Callable[..., Any], name: str) -> tuple[str, ...]:
    """List the parameters that the function is given, by name."""
    wanted = inspect.signature(function).parameters.values()
    for one in wanted:
        is_named = one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)
        if one.default is one.empty and (one.name not in _KNOWN or not is_named):
            raise _misshapen(name, str(one))
    return tuple(one.name for one in wanted if one.name in _KNOWN)


def _misshapen(name: str, found: str) -> BadValueError:
    return BadValueError(f"function {name!r} has {found}; a model is a function {_SIGNATURES}")


def _source_of(function: Callable[..., Any]) -> str:
    """Return a function's source, if it can be found."""
    try:
        return inspect.getsource(function)
    except (OSError, TypeError):
        return ""
