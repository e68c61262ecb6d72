"""Published systems, a folder each; none knows another."""

PAPERS: dict[str, str] = {
    "geckonum": "subitize.papers.geckonum:PAPER",
    "gimbrr": "subitize.papers.gimbrr:PAPER",
    "numbersense": "subitize.papers.numbersense:PAPER",
    "seeing-past-words": "subitize.papers.seeing_past_words:PAPER",
    "t2icountbench": "subitize.papers.t2icountbench:PAPER",
}
