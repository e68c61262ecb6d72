"""Notes below tables say how intervals were computed, once for all rows."""

from subitize.records import Estimate
from subitize.report.series import methods


def test_methods_name_the_units_without_their_numbers() -> None:
    texts = (
        "share, Wilson interval over 40 clusters in 3 strata",
        "share, Wilson interval over 1 cluster",
        "share, Wilson interval over 400 prompts and 40 nouns (variance that of prompts) in 10 strata",
        "share, Wilson interval over 3 prompts and 1 noun",
        "difference, sign flips, over 40 prompts and 4 nouns and 2 templates",
    )
    assert methods(Estimate(0.5, 0.4, 0.6, 9, text) for text in texts) == (
        "Intervals (95 %): difference, sign flips, over prompts and nouns and templates; share, Wilson interval over "
        "clusters; share, Wilson interval over prompts and nouns."
    )
