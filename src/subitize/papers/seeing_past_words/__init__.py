"""Seeing past words (Parcalabescu et al. 2021): image–text matching, and matching of the numbers in the text."""

from typing import TYPE_CHECKING

from subitize.papers import Paper, Reference

if TYPE_CHECKING:
    from subitize.papers.seeing_past_words.statements import statement

__all__ = ["PAPER", "statement"]

PAPER = Paper(
    package=__name__,
    title="Seeing past words",
    references=(
        Reference(
            "Parcalabescu, L., Gatt, A., Frank, A., & Calixto, I. (2021). Seeing past words: Testing the cross-modal "
            "capabilities of pretrained V&L models on counting tasks. MMSR.",
            "https://github.com/Heidelberg-NLP/counting-probe",
            "Templates, splits, framings, measures and published figures of the counting and alignment probes.",
        ),
        Reference(
            "Zhu, Y., Groth, O., Bernstein, M., & Fei-Fei, L. (2016). Visual7W: Grounded Question Answering in Images. "
            "CVPR.",
            "",
            "The questions of the counting probe.",
        ),
        Reference(
            "Parcalabescu, L., Cafagna, M., Muradjan, L., Frank, A., Calixto, I., & Gatt, A. (2022). VALSE: A "
            "Task-Independent Benchmark for Vision and Language Models Centered on Linguistic Phenomena. ACL.",
            "",
            "Counting with foils that people have validated.",
        ),
    ),
    parts=("reproduction", "tables", "claims", "figures"),
    suites={
        "counting-probe": "subitize.papers.seeing_past_words.suite:CountingProbe",
        "counting-probe-masked": "subitize.papers.seeing_past_words.suite:MaskedCountingProbe",
        "counting-probe-vqa": "subitize.papers.seeing_past_words.suite:VqaCountingProbe",
        "alignment-probe": "subitize.papers.seeing_past_words.suite:AlignmentProbe",
    },
    picture_suites=("counting-probe-vqa",),
    recipes={"seeing-past-words": "subitize.papers.seeing_past_words.finetuning:RECIPE"},
    probes={
        "build": "subitize.papers.seeing_past_words.build:write_probes",
        "captions": "subitize.papers.seeing_past_words.build:write_pairs",
        "describe": "subitize.papers.seeing_past_words.reproduction:describe_file",
        "train": "subitize.papers.seeing_past_words.finetuning:train_probe",
        "training": "subitize.papers.seeing_past_words.finetuning:ProbeTraining",
    },
    tabulate="subitize.papers.seeing_past_words.tables:tabulate_run",
    report="subitize.papers.seeing_past_words.figures:report",
)


def __getattr__(name: str) -> object:
    """Import `statement` on first use, as it loads more than listing papers needs."""
    if name == "statement":
        from subitize.papers.seeing_past_words.statements import statement

        return statement
    raise AttributeError(name)
