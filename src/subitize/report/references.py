"""The works whose protocols and criteria a report rests on."""

from collections.abc import Iterable

from subitize.analysis.papers import geckonum_published, t2icountbench_published
from subitize.analysis.papers.numbersense_published import CITATION
from subitize.records import base_suite
from subitize.report.document import ReferenceBlock

_NUMBERSENSE = (
    ReferenceBlock(
        CITATION,
        "https://github.com/CCNL-UniPD/Numbersense-AI",
        "Tasks, prompts, measures and published figures of naming and production.",
    ),
    ReferenceBlock(
        "Le Corre, M., & Carey, S. (2007). One, two, three, four, nothing more: An investigation of the conceptual "
        "sources of the verbal counting principles. Cognition, 105(2), 395–438.",
        "",
        "The criteria of the counting levels.",
    ),
    ReferenceBlock(
        "Piazza, M., Facoetti, A., Trussardi, A. N., Berteletti, I., Conte, S., Lucangeli, D., Dehaene, S., & Zorzi, "
        "M. (2010). Developmental trajectory of number acuity reveals a severe impairment in developmental "
        "dyscalculia. Cognition, 116(1), 33–41.",
        "",
        "The Weber fraction of the ideal human observer.",
    ),
)
_GECKONUM = (
    ReferenceBlock(
        geckonum_published.CITATION,
        "https://github.com/google-deepmind/geckonum_benchmark_t2i",
        "Prompts, questions, measures, published figures and released annotations (CC BY 4.0) of geckonum.",
    ),
)
_T2ICOUNTBENCH = (
    ReferenceBlock(
        t2icountbench_published.CITATION,
        "",
        "Prompts, refinements of prompts, measures and published figures of t2icountbench.",
    ),
)
_BY_SUITE = {
    "naming": _NUMBERSENSE,
    "production": _NUMBERSENSE,
    "geckonum": _GECKONUM,
    "geckonum-vqa": _GECKONUM,
    "t2icountbench": _T2ICOUNTBENCH,
}


def references(suites: Iterable[str]) -> tuple[ReferenceBlock, ...]:
    """List what to cite for these suites, each work once; a refined suite rests on the works of its base."""
    return tuple(dict.fromkeys(one for suite in suites for one in _BY_SUITE.get(base_suite(suite), ())))
