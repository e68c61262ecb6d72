"""GIMBRR (2023): eleven cognitive tasks for image models, single objects, and a controlled set of numbers."""

from subitize.interfaces import Paper, Reference

PAPER = Paper(
    title="GIMBRR",
    references=(
        Reference(
            "Achterberg, J., Arel, R., Grinberg, T., Chaibi, A., Bach, J., & Tzagadakis, N. (2023). Generative Image "
            "Model Benchmark for Reasoning and Representation (GIMBRR).",
            "",
            "Tasks, number combinations and rules of assessment of gimbrr; names and ratings of released images (MIT).",
        ),
    ),
    suites={"gimbrr": "subitize.papers.gimbrr.suite:Gimbrr"},
    judged_by={"gimbrr": "people"},  # one per image
    parts_rules={"gimbrr": "subitize.papers.gimbrr.suite:RULE"},
    file_names={"gimbrr": "subitize.papers.gimbrr.suite:NAMING"},
    reproduce="subitize.papers.gimbrr.tables:reproduce_release",
    tabulate="subitize.papers.gimbrr.tables:tabulate_run",
    import_release="subitize.papers.gimbrr.release:read_importable",
    export_ratings="subitize.papers.gimbrr.release:export_ratings",
    rating_columns={"gimbrr": "subitize.papers.gimbrr.release:RATING_COLUMNS"},
    report="subitize.papers.gimbrr.figures:report",
)
