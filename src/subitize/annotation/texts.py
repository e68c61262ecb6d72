"""What people are told: instructions, what they agree to, and where to go when all is answered."""

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from urllib.parse import quote

from subitize.annotation.pages import Page
from subitize.errors import BadFileError, BadValueError

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


def read_paragraphs(path: Path) -> tuple[str, ...]:
    """Read the paragraphs of a text file."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadFileError(f"cannot read {path}: {error}") from None
    if not 0 < len(text.strip()) <= _MOST_CHARACTERS:
        raise BadValueError(f"{path}: should have 1 to {_MOST_CHARACTERS:,} characters, and has {len(text.strip()):,}")
    return tuple(" ".join(part.split()) for part in text.strip().split("\n\n") if part.strip())


def default_instructions(pages: Iterable[Page]) -> tuple[str, ...]:
    """Give our own instructions for the forms that a study has."""
    known = tomllib.loads((files("subitize.annotation") / "instructions.toml").read_text(encoding="utf-8"))
    return tuple(known[form] for form in sorted({form for page in pages for form in page.forms}))
