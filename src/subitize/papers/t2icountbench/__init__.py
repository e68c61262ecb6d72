"""T2ICountBench (Guo et al. 2025): drawing exact numbers of things, in scenes and styles, and with refined prompts."""

from subitize.papers import Paper, Reference

PAPER = Paper(
    package=__name__,
    title="T2ICountBench",
    references=(
        Reference(
            "Guo, X., Huo, J., Liang, Y., Shi, Z., Song, Z., Zhang, J., & Zhuang, Z. (2025). "
            "Text-to-Image Diffusion Models Cannot Count, and Prompt Refinement Cannot Help.",
            "",
            "Prompts, refinements of prompts, measures and published figures of t2icountbench.",
        ),
    ),
    parts=("reproduction", "tables", "claims", "figures"),
    suites={"t2icountbench": "subitize.papers.t2icountbench.suite:T2ICountBench"},
    judged_by={"t2icountbench": "people"},  # five per four images
    kappas={("t2icountbench", "matches-prompt"): "0.58"},  # of five annotators' votes on groups of four (section 4)
)
