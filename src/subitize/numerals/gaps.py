"""Numbers in one word, as they fill a gap in a text: "2", "two"; "a" and "an" are one, "no" is none."""

from collections.abc import Mapping

from subitize.numerals.number_words import NUMBERS_BELOW_20, SMALL, TENS

# "a" and "an" can be read as one, "no" as zero (Parcalabescu et al. 2021, section 4.2.2).
NUMERALS: Mapping[str, int] = {
    **{word: SMALL[word] for word in (*NUMBERS_BELOW_20, *TENS)},
    "hundred": 100,
    **{str(number): number for number in range(101)},
    "a": 1,
    "an": 1,
    "no": 0,
}


def name_number(scores: Mapping[str, float]) -> int | None:
    """Name the number that is most likely in a gap; words that are no numerals do not count."""
    numerals = {word: score for word, score in scores.items() if word.lower() in NUMERALS}
    return NUMERALS[max(numerals, key=numerals.__getitem__).lower()] if numerals else None
