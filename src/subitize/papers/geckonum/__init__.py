"""GeckoNum (Kajić et al. 2024): numerical prompts in three tasks, and people's answers about images of seven models."""

from subitize.papers import Paper, Reference

PAPER = Paper(
    package=__name__,
    title="GeckoNum",
    references=(
        Reference(
            "Kajić, I., Wiles, O., Albuquerque, I., Bauer, M., Wang, S., Pont-Tuset, J., & Nematzadeh, A. (2024). "
            "Evaluating Numerical Reasoning in Text-to-Image Models.",
            "https://github.com/google-deepmind/geckonum_benchmark_t2i",
            "Prompts, questions, measures, published figures and released annotations (CC BY 4.0) of geckonum.",
        ),
    ),
    recipes={"geckonum": "subitize.papers.geckonum.finetuning:RECIPE"},
    parts=("release", "tables", "claims", "figures", "export"),
    suites={
        "geckonum": "subitize.papers.geckonum.suite:Geckonum",
        "geckonum-vqa": "subitize.papers.geckonum.vqa:GeckonumVqa",
    },
    picture_suites=("geckonum-vqa",),
    judged_by={"geckonum": "people"},  # five per image
    rules={"geckonum": "subitize.papers.geckonum.suite:RULE"},
    consensus_rules={"geckonum": "subitize.papers.geckonum.suite:round_mode"},
    file_names={"geckonum": "subitize.papers.geckonum.suite:NAMING"},
    rating_columns={"geckonum": "subitize.papers.geckonum.export:RATING_COLUMNS"},
    tabulate="subitize.papers.geckonum.tables:tabulate_run",
    report="subitize.papers.geckonum.figures:report",
)
