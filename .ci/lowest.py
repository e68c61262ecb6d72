"""Prints the lowest versions that pyproject.toml declares for what subitize depends on, as constraints for pip."""

import re
import tomllib
from pathlib import Path

PROJECT = Path(__file__).parent.parent / "pyproject.toml"


def main() -> None:
    """Print one constraint for each dependency."""
    for requirement in tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]["dependencies"]:
        name, lowest = re.fullmatch(r"([\w-]+)>=([\d.]+)", requirement).groups()
        print(f"{name}=={lowest}")


if __name__ == "__main__":
    main()
