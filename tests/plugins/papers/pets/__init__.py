"""Pets in Pairs, a made-up paper: one folder and one entry point bring all that a paper can."""

from subitize.papers import Paper, Reference

PAPER = Paper(
    package=__name__,
    title="Pets in Pairs",
    references=(
        Reference(
            "Doe, J. (2026). Pets in Pairs. Journal of Examples, 1, 1–2.",
            "https://example.org/pets",
            "Prompts, answers and published figures of pets.",
        ),
    ),
    parts=("release", "tables", "figures"),
    suites={"pets": "pets.suite:Pets"},
    judged_by={"pets": "people"},
    rules={"pets": "pets.rules:RULE"},
    file_names={"pets": "pets.file_names:NAMING"},
)
