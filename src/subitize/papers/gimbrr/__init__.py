"""GIMBRR (2023): eleven cognitive tasks for image models, single objects, and a controlled set of numbers."""

from subitize.papers import Paper, Reference

PAPER = Paper(
    package=__name__,
    title="GIMBRR",
    references=(
        Reference(
            "Achterberg, J., Arel, R., Grinberg, T., Chaibi, A., Bach, J., & Tzagadakis, N. (2023). Generative Image "
            "Model Benchmark for Reasoning and Representation (GIMBRR).",
            "",
            "Tasks, number combinations and rules of assessment of gimbrr; names and ratings of released images (MIT).",
        ),
    ),
    parts=("release", "tables", "claims", "figures", "export"),
    suites={"gimbrr": "subitize.papers.gimbrr.suite:Gimbrr"},
    judged_by={"gimbrr": "people"},  # one per image
    parts_rules={"gimbrr": "subitize.papers.gimbrr.suite:RULE"},
    file_names={"gimbrr": "subitize.papers.gimbrr.suite:NAMING"},
    rating_columns={"gimbrr": "subitize.papers.gimbrr.export:RATING_COLUMNS"},
)
