"""The packages that the annotation app needs beyond the core."""

from importlib.util import find_spec

from subitize.errors import MissingPartError


def require_parts() -> None:
    """Refuse to start without the web server."""
    for module in ("fastapi", "uvicorn", "itsdangerous"):
        if find_spec(module) is None:
            raise MissingPartError("the annotation page", module, "annotate")
