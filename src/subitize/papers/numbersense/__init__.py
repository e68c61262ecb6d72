"""Numbersense (Testolin, Hou and Zorzi 2025): naming and drawing one to ten things, as studies of number sense do."""

from subitize.papers import Paper, Reference

PAPER = Paper(
    package=__name__,
    title="Numbersense",
    references=(
        Reference(
            "Testolin, A., Hou, K., & Zorzi, M. (2025). Visual Enumeration Remains Challenging for Multimodal "
            "Generative AI.",
            "https://github.com/CCNL-UniPD/Numbersense-AI",
            "Tasks, prompts, measures and published figures of naming and production.",
        ),
        Reference(
            "Le Corre, M., & Carey, S. (2007). One, two, three, four, nothing more: An investigation of the conceptual "
            "sources of the verbal counting principles. Cognition, 105(2), 395–438.",
            "",
            "The criteria of the counting levels.",
        ),
        Reference(
            "Piazza, M., Facoetti, A., Trussardi, A. N., Berteletti, I., Conte, S., Lucangeli, D., Dehaene, S., & "
            "Zorzi, M. (2010). Developmental trajectory of number acuity reveals a severe impairment in developmental "
            "dyscalculia. Cognition, 116(1), 33–41.",
            "",
            "The Weber fraction of the ideal human observer.",
        ),
    ),
    parts=("release", "reproduction", "tables", "claims"),
    suites={
        "naming": "subitize.papers.numbersense.suite:Naming",
        "production": "subitize.papers.numbersense.suite:Production",
    },
    picture_suites=("naming",),
    judged_by={"naming": "parser", "production": "Grounding DINO"},
    file_names={"numbersense": "subitize.papers.numbersense.suite:NAMING"},
    thresholds={"grounding-dino": 0.40},  # "Automatic annotation of generated images"
    counts="subitize.papers.numbersense.tables:COUNTS",
)
