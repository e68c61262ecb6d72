"""Which captions can hold a number at all: most never reach the tagger."""

import polars as pl

from subitize.corpus.numerosities import NUMBER_WORDS

# A digit, or a number word that no letter touches. Letters beyond ASCII, digits and "_" may touch it, as the tokenizer
# may part them: what passes here for nothing costs time, what does not pass is lost.
_WORDS = "|".join(sorted(NUMBER_WORDS))
PATTERN = rf"[0-9]|(?i:(?:^|[^a-zA-Z])(?:{_WORDS})(?:$|[^a-zA-Z]))"


def may_have_number(captions: pl.Series) -> pl.Series:
    """Tell which captions can hold a number; missing ones cannot."""
    return captions.str.contains(PATTERN).fill_null(value=False)
