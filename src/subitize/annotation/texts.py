"""The texts people read: instructions, consent, and where to go at the end."""

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from urllib.parse import quote

from subitize.annotation.pages import Page
from subitize.errors import BadFileError, BadValueError
from subitize.io.files import read_text

_PROLIFIC = "https://app.prolific.com/submissions/complete?cc={code}"
_MOST_CHARACTERS = 50_000


@dataclass(frozen=True, slots=True)
class Texts:
    """The texts of a study; without `consent` nobody is asked to agree to anything."""

    instructions: tuple[str, ...] = ()
    consent: str | None = None
    is_recruiting: bool = False
    completion_code: str | None = None
    failure_code: str | None = None

    def completion_url(self, *, has_failed: bool) -> str | None:
        """Tell where a recruiter hears that somebody has answered everything, or has not passed the training."""
        code = self.failure_code if has_failed else self.completion_code
        return code and _PROLIFIC.format(code=quote(code, safe=""))


def read_text_file(path: Path) -> str:
    """Read a text that people should see."""
    text = read_text(path)
    if not text.strip():
        raise BadFileError(f"{path} is empty; write what people should read, or leave the option out")
    return text


def split_paragraphs(what: str, text: str) -> tuple[str, ...]:
    """Split a text at empty lines."""
    if not 0 < len(text.strip()) <= _MOST_CHARACTERS:
        raise BadValueError(f"{what}: should have 1 to {_MOST_CHARACTERS:,} characters, and has {len(text.strip()):,}")
    return tuple(" ".join(part.split()) for part in text.strip().split("\n\n") if part.strip())


def default_instructions(pages: Iterable[Page]) -> tuple[str, ...]:
    """Give our own instructions for the forms that a study has."""
    known = _read_instructions()
    return tuple(known[form] for form in sorted({form for page in pages for form in page.forms}))


def describe_role(purposes: Iterable[str]) -> tuple[str, ...]:
    """Tell reviewers and adjudicators what they are there for; whoever answers needs no words for that."""
    known = _read_instructions()
    return tuple(known[purpose] for purpose in purposes if purpose in known)


@cache
def _read_instructions() -> dict[str, str]:
    return tomllib.loads((files("subitize.annotation") / "instructions.toml").read_text(encoding="utf-8"))
