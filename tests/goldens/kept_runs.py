"""Runs made by earlier versions, kept in golden/, and what commands print of them.

`python -m tests.goldens.kept_runs` writes anew what they print, for a change of output that is meant; the runs stay.
"""

import contextlib
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.commands import call
from tests.goldens.texts import without_last_digits

GOLDEN = Path(__file__).parents[1] / "golden"
PAINTER = "painter:size_px=128,weber=0.3"
SCORE, MEASURE, AGREE = ("score", "--json"), ("measure", "--json"), ("agree", "--json")
SHOW, EXPORT, REPORT = ("show", "--json"), ("export",), ("report",)

# What is printed of each run; what a run has nothing for is left out.
PRINTED: dict[str, tuple[Sequence[str], ...]] = {
    "naming": (SCORE, ("score", "--by", "number", "--json"), MEASURE, SHOW, EXPORT, REPORT),
    "production": (
        SCORE,
        ("score", "--judge", "vlm:observer", "--rule", "total", "--json"),
        MEASURE,
        SHOW,
        ("show", "production/dots/1", "--json"),
        EXPORT,
        REPORT,
    ),
    "t2icountbench": (
        SCORE,
        ("score", "--pass-at-k", "--json"),
        MEASURE,
        AGREE,
        ("compare", "--refined", "--json"),
        ("report tables", "--paper", "t2icountbench", "--judge", "observer", "--extensions", "--json"),
        ("report tables", "--paper", "t2icountbench", "--judge", "voters", "--json"),
        SHOW,
        EXPORT,
        REPORT,
    ),
    "geckonum": (
        SCORE,
        ("score", "--judge", "people", "--rule", "total", "--agreement", "majority", "--json"),
        AGREE,
        ("report tables", "--paper", "geckonum", "--judge", "people", "--json"),
        SHOW,
        EXPORT,
        REPORT,
    ),
    "released": (
        SCORE,
        AGREE,
        ("report tables", "--paper", "geckonum", "--extensions", "--json"),
        SHOW,
        EXPORT,
        REPORT,
    ),
    "schema_1": (SCORE, MEASURE, SHOW, EXPORT, REPORT),
    "schema_3": (SCORE, MEASURE, SHOW, EXPORT, REPORT),
    "schema_5": (SCORE, MEASURE, SHOW, EXPORT, REPORT),
    "unfinished": (SHOW, EXPORT),
}

_HERE, _THERE = "base_url=http://127.0.0.1:8000/v1", "base_url=http://127.0.0.1:8001/v1/"
_SERVED = [f"--model=openai:test-model,{options}" for options in (_HERE, f"{_HERE},temperature=0", _THERE)]
_DRAWN = ("--model", f"openai:test-image-model,{_HERE},size=64x64", "--judge", f"vlm:openai:test-model,{_HERE}")

# The commands that made the runs, or would go on with them.
RESUMED: dict[str, tuple[Sequence[str], ...]] = {
    "naming": (
        (
            "run",
            "naming:images=1,numbers=1-4,categories=apples+dots,size_px=128",
            "--model",
            "observer",
            "--model",
            "random",
        ),
    ),
    "production": (("run", "production:numbers=1-2", "--repeats", "2", "--model", PAINTER),),
    "t2icountbench": (
        (
            "run",
            "t2icountbench:objects=apple,numbers=2-3,scenes=home,styles=plain",
            "--refine",
            "grid",
            "--model",
            PAINTER,
        ),
    ),
    "geckonum": (
        (
            "run",
            "geckonum:tasks=1,types=numeric_simple+attribute-color,numbers=3,colours=red",
            "--limit",
            "6",
            "--repeats",
            "1",
            "--model",
            "painter:size_px=128",
        ),
    ),
    "schema_1": (
        ("run", "production:numbers=1-2,categories=apples+dots", "--repeats", "2", "--model", PAINTER),
        ("run", "naming:images=1,numbers=1-2,categories=dots,size_px=128", "--model", "observer"),
    ),
    "schema_3": (
        ("run", "production:numbers=1-2,categories=apples+dots,max_attempts=1", "--repeats", "2", "--model", PAINTER),
        ("run", "naming:images=1,numbers=1-2,categories=dots,size_px=128", "--model", "observer"),
    ),
    "schema_5": (
        ("run", "naming:images=1,numbers=1-2,categories=apples+dots,size_px=128", *_SERVED, "--no-sight-check"),
        ("run", "production:numbers=1-2,categories=dots,max_attempts=1", "--repeats", "2", *_DRAWN),
    ),
    "unfinished": (("run", "production:numbers=1-3", "--repeats", "4", "--model", PAINTER),),
}

# Tables that are written only where a part beyond the core is installed.
NEEDS_A_PART = ("geckonum-noun-frequencies",)


def copy_run(name: str, folder: Path) -> Path:
    """Copy a run to where it may be written."""
    return Path(shutil.copytree(GOLDEN / "runs" / name, folder / name))


def print_all(name: str, folder: Path) -> Iterator[tuple[str, str]]:
    """Run all commands on the run in a folder; yield the name of the file that has what each should print, and that.

    The run is named as seen from the folder, as paths are printed too. Of files that are written one text is made.
    """
    with contextlib.chdir(folder):
        for command in PRINTED[name]:
            yield file_name(command), without_last_digits(_print(name, command))


def file_name(command: Sequence[str]) -> str:
    """Name the file that has what a command should print."""
    parts = [
        part.strip("-").replace("/", "_").replace(":", "_").replace(" ", "-") for part in command if part != "--json"
    ]
    return "-".join(parts) + (".json" if "--json" in command else ".csv")


def expected(name: str) -> dict[str, str]:
    """Read what the commands should print, by file."""
    files = sorted((GOLDEN / "expected" / name).iterdir())
    return {file.name: file.read_text(encoding="utf-8") for file in files}


def _print(name: str, command: Sequence[str]) -> str:
    verb, *rest = command
    written = Path(f"{name}-{verb}")
    if verb == "export":
        rest = ["--format", "csv", "--out", str(written)]
    elif verb == "report":
        rest = ["--out", f"{written}.html", "--tables", str(written)]
    done = call(*verb.split(), name, *rest)
    assert done.code == 0, done.err
    if verb not in ("export", "report"):
        return done.out
    files = sorted(file for file in written.glob("*.csv") if file.stem not in NEEDS_A_PART)
    return "\n".join(f"== {file.name}\n{file.read_text(encoding='utf-8')}" for file in files)


def _write_expected() -> None:
    for name in PRINTED:
        into = GOLDEN / "expected" / name
        into.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as folder:
            copy_run(name, Path(folder))
            for file, text in print_all(name, Path(folder)):
                (into / file).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    _write_expected()
