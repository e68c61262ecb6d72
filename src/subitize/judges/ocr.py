"""Reads the text in a picture, by rapidocr or tesseract."""

import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from subitize.errors import BadValueError, MissingPartError, UnknownNameError, UnusableModelError
from subitize.interfaces import Finding, Judge, JudgeRequest, RuntimeOption, SelfTest
from subitize.io.images import Rgb, decode, encode_png
from subitize.io.specs import check_range
from subitize.judges.asking import is_picture, shown_picture
from subitize.language.counted import quoted_texts
from subitize.language.texts import normalise
from subitize.networks import weights
from subitize.networks.weights import Untyped
from subitize.records import Ask, Draw, Item, Outcome, Provenance, Question, Transcribe, Words

ENGINES = ("auto", "rapidocr", "tesseract")
OCR_QUESTION = "What text is written in the image?"
_THREADS = "EngineConfig.onnxruntime.intra_op_num_threads"
_LEAST_SCORE = 0.5  # rapidocr's own default: anything less sure is rarely text
_TIMEOUT_SECONDS = 300


def text_asks(item: Item) -> tuple[Ask, ...]:
    """Ask for the text in the picture: as the suite asks for it, else where the prompt quotes a text."""
    own = tuple(ask for ask in item.asks if isinstance(ask.question, Transcribe))
    if own or not isinstance(item.task, Draw):
        return own
    texts = quoted_texts(item.task.prompt)
    return (Ask(Transcribe(), OCR_QUESTION, (" ".join(texts),)),) if texts else ()


class Ocr(Judge):
    """Read the text in drawings, where a suite asks for it or the prompt quotes one, by rapidocr or tesseract.

    Nothing is downloaded: rapidocr brings its weights along. `languages` are tesseract's (eng+deu).

    Args:
        engine: auto, rapidocr or tesseract
        languages: of tesseract, as in eng+deu
    """

    asks_about = "text that prompts quote, or that a suite asks for"
    asks_together = True

    def __init__(
        self, *, engine: str = "auto", languages: tuple[str, ...] = (), batch_size: Annotated[int, RuntimeOption] = 8
    ) -> None:
        if engine not in ENGINES:
            raise UnknownNameError("engine", engine, ENGINES)
        check_range("judge 'ocr'", 1, batch_size=batch_size)
        self.batch_size = batch_size
        self._engine = _open(engine, languages)

    def asks(self, item: Item, /) -> Sequence[Ask]:
        """Ask for the text in the picture."""
        return text_asks(item)

    def can_answer(self, question: Question, outcomes: Sequence[Outcome]) -> bool:
        """Return whether this is one picture, and its text is asked for."""
        return is_picture(outcomes) and isinstance(question, Transcribe)

    def check(self) -> None:
        """Load the engine."""
        self._engine.load()

    def self_test(self) -> SelfTest:
        """Draw a few lines and read them back."""
        wrong = [(line, found) for line in _KNOWN if normalise(found := self._read(_draw(line))) != normalise(line)]
        if len(wrong) > 1:
            line, found = wrong[0]
            reason = f"{self._engine.name} reads {found!r:.60} where {line!r} is written"
            rest = f"{len(wrong)} of {len(_KNOWN)} known lines wrong; install it again, or take another engine"
            raise UnusableModelError(f"{reason}, and {rest}")
        right = len(_KNOWN) - len(wrong)
        return SelfTest(True, f"{right} of {len(_KNOWN)} known lines read right by {self._engine.name}")

    def compute_all(self, exhibits: Sequence[JudgeRequest], /) -> list[tuple[Finding, ...]]:
        """Read each picture once."""
        found = []
        for exhibit in exhibits:
            words = Words(self._read(decode(exhibit.load(shown_picture(exhibit)))))
            found.append(tuple(Finding(words, self._provenance(inquiry.wording)) for inquiry in exhibit.inquiries))
        return found

    def _read(self, pixels: Rgb) -> str:
        return in_reading_order(self._engine.read(pixels))

    def _provenance(self, wording: str) -> Provenance:
        engine, told = self._engine, {"engine": self._engine.name}
        return Provenance(0, wording, parameters=told, weights_hash=engine.weights_hash, versions=engine.versions)


@dataclass(frozen=True, slots=True)
class Piece:
    """Some text, and where it is in the picture."""

    text: str
    left: float
    top: float
    bottom: float


def in_reading_order(pieces: Sequence[Piece]) -> str:
    """Join pieces into lines from top to bottom, each from left to right.

    A piece belongs to a line if its middle is within the height of the line's first piece.
    """
    lines: list[list[Piece]] = []
    for piece in sorted(pieces, key=lambda one: (one.top + one.bottom, one.left)):
        middle = (piece.top + piece.bottom) / 2
        if lines and lines[-1][0].top <= middle <= lines[-1][0].bottom:
            lines[-1].append(piece)
        else:
            lines.append([piece])
    return "\n".join(" ".join(one.text for one in sorted(line, key=lambda one: one.left)) for line in lines)


def _open(engine: str, languages: Sequence[str]) -> "_RapidOcr | _Tesseract":
    """Open the engine asked for, or the one installed."""
    has_rapidocr = all(find_spec(package) for package in ("rapidocr", "onnxruntime"))
    program = shutil.which("tesseract")
    if engine == "tesseract" or (engine == "auto" and program and (languages or not has_rapidocr)):
        if program is None:
            remedy = "install it (apt-get install tesseract-ocr, brew install tesseract), or write engine=rapidocr"
            raise BadValueError(f"judge 'ocr': there is no program tesseract; {remedy}")
        return _Tesseract(program, languages or ("eng",))
    if not has_rapidocr:
        raise MissingPartError("judge 'ocr'", "rapidocr and onnxruntime", "ocr")
    if languages:
        raise BadValueError(f"judge 'ocr': languages={'+'.join(languages)} are for tesseract; rapidocr has no choice")
    return _RapidOcr()


class _RapidOcr:
    name = "rapidocr"

    @cached_property
    def versions(self) -> dict[str, str]:
        return weights.name_versions("rapidocr", "onnxruntime")

    @cached_property
    def weights_hash(self) -> str:
        return weights.hash_weights(_weights_folder())

    def load(self) -> None:
        _ = self._reader

    @cached_property
    def _reader(self) -> Untyped:
        # Each file is named, so that none is downloaded.
        paths = {f"{part}.model_path": str(_find_weights(part.lower())) for part in ("Det", "Cls", "Rec")}
        with weights.loading("judge 'ocr'"):
            from rapidocr import RapidOCR

            own = {"Global.log_level": "critical", "Global.text_score": _LEAST_SCORE}
            reader = RapidOCR(params={**own, _THREADS: _count_threads(), **paths})
            reader(np.full((64, 64, 3), 255, np.uint8), use_det=False)  # it loads its parts on first use
        return reader

    def read(self, pixels: Rgb, /) -> list[Piece]:
        found = self._reader(np.ascontiguousarray(pixels[:, :, ::-1]), use_det=True)
        if found.txts is None or found.boxes is None:
            return []
        return [
            Piece(text, float(box[:, 0].min()), float(box[:, 1].min()), float(box[:, 1].max()))
            for text, box in zip(found.txts, np.asarray(found.boxes), strict=True)
        ]


def _count_threads() -> int:
    """Read the number of threads from OMP_NUM_THREADS, which torch and OpenCV also obey; -1 for all."""
    asked = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0]
    return int(asked) if asked.isdecimal() else -1


def _weights_folder() -> Path:
    spec = find_spec("rapidocr")
    assert spec is not None
    assert spec.submodule_search_locations
    return Path(spec.submodule_search_locations[0]) / "models"


def _find_weights(part: str) -> Path:
    found = sorted(_weights_folder().glob(f"*_{part}_*.onnx"))
    if not found:
        engine = f"rapidocr {weights.name_versions('rapidocr')['rapidocr']}"
        remedy = "run: pip install --force-reinstall --no-deps rapidocr"
        raise UnusableModelError(f"judge 'ocr': {engine} has no {part} weights among its files; {remedy}")
    return found[-1]


class _Tesseract:
    name = "tesseract"
    weights_hash = None

    def __init__(self, program: str, languages: Sequence[str]) -> None:
        self._program, self._languages = program, languages

    @cached_property
    def versions(self) -> dict[str, str]:
        first = self._run("--version").splitlines()[:1]
        return {"tesseract": "".join(first).removeprefix("tesseract").strip()}

    def load(self) -> None:
        try:
            known = self._run("--list-langs").split()
        except ValueError as error:
            raise UnusableModelError(f"judge 'ocr': {error}; install it again, or write engine=rapidocr") from None
        for language in self._languages:
            if language not in known:
                remedy = f"install it (apt-get install tesseract-ocr-{language})"
                raise BadValueError(f"judge 'ocr': tesseract has no language {language!r} here; {remedy}")

    def read(self, pixels: Rgb, /) -> list[Piece]:
        picture, languages = encode_png(Image.fromarray(pixels)), "+".join(self._languages)
        # 11: sparse text, anywhere in the picture.
        return list(_read_tsv(self._run("stdin", "stdout", "-l", languages, "--psm", "11", "tsv", data=picture)))

    def _run(self, *arguments: str, data: bytes = b"") -> str:
        try:
            done = subprocess.run(
                [self._program, *arguments], input=data, capture_output=True, check=False, timeout=_TIMEOUT_SECONDS
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise UnusableModelError(f"judge 'ocr': {self._program} cannot be run: {error}") from None
        if done.returncode:
            told = " ".join(done.stderr.decode("utf-8", "replace").split())
            raise ValueError(f"tesseract ended with {done.returncode}: {told[:200]}")
        return (done.stdout or done.stderr).decode("utf-8", "replace")


def _read_tsv(table: str) -> Iterator[Piece]:
    """Read tesseract's table: words with their places and confidences in per cent."""
    header, *rows = (line.split("\t") for line in table.splitlines())
    for row in rows:
        cells = dict(zip(header, row, strict=False))
        text = cells.get("text", "").strip()
        if text and float(cells["conf"]) >= 100 * _LEAST_SCORE:
            left, top, height = (float(cells[name]) for name in ("left", "top", "height"))
            yield Piece(text, left, top, top + height)


_KNOWN = ("OPEN", "Happy birthday", "24 HOURS")


def _draw(line: str) -> Rgb:
    """Write a line in Pillow's own font.

    The picture is square: rapidocr enlarges pictures until their shorter side has 736 pixels.
    """
    image = Image.new("RGB", (640, 640), "white")
    ImageDraw.Draw(image).text((60, 290), line, fill="black", font=ImageFont.load_default(56))
    return np.asarray(image)
