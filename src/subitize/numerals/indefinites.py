"""Quantities without a numeral: vague phrases, absence, oneness."""

from subitize.numerals.amounts import Exact, Vague
from subitize.numerals.mentions import (
    ABSENCE_WEIGHT,
    ARTICLE_WEIGHT,
    JOINTS,
    LOOSE_WEIGHT,
    NUMERAL_WEIGHT,
    VAGUE_WEIGHT,
    Mention,
    is_negated,
)
from subitize.numerals.number_words import GROUPS, SCALES, SMALL
from subitize.numerals.phrases import Phrases, same_meaning, word_set
from subitize.numerals.tokens import Token

_VAGUE = Phrases(
    same_meaning("vague", "a few, few, quite a few, very few, only a few, just a few, several, a lot, a lot of, lots,"
          "lots of,"
          "a bunch, a bunch of, bunches of, a handful, a handful of, a number of, a large number, a large number of,"
          "large numbers of, a huge number of, a great number of, a small number of, any number of, numerous, multiple,"
          "dozens, dozens of, hundreds, hundreds of, thousands, thousands of, millions, millions of, tens of,"
          "countless, innumerable, uncountable, plenty, plenty of, tons of, loads of, heaps of, piles of, a pile of,"
          "a cluster of, clusters of, a crowd of, a swarm of, a flock of, a herd of, an array of,"
          "a good deal of, a great deal of, a multitude of, a myriad of, myriad, too many, so many, very many,"
          "a great many, a good many, a ton of")
    | same_meaning("loose", "some, many, most, various, a group of, groups of, a variety of, a collection of, a mix of,"
            "an assortment of")
)  # fmt: skip
VAGUE_OPENERS = _VAGUE.openers
_NOT_VAGUE_BEFORE = word_set("how as at")
_NOT_VAGUE_AFTER = word_set("likely probably importantly notably kind sort")


def read_vague(tokens: list[Token], i: int) -> Mention | None:
    """A vague phrase: "several", "a few dozen"."""
    phrase = _VAGUE.match(tokens, i)
    if phrase is None or tokens[i - 1].text in _NOT_VAGUE_BEFORE or tokens[phrase[1]].text in _NOT_VAGUE_AFTER:
        return None
    meaning, end = phrase
    words = " ".join(token.text for token in tokens[i:end])
    while tokens[end].text in SCALES or tokens[end].text in GROUPS:  # "a few dozen" holds no number of its own
        end += 1
    if tokens[end].values or tokens[end].text in SMALL:  # "a group of 4", "some 20 apples"
        return None
    return Mention(Vague(words), (), i, end, VAGUE_WEIGHT if meaning == "vague" else LOOSE_WEIGHT)


# After "no" or "any": what is missing is not what is counted.
_NOT_COUNTED = word_set(
    "i you we they he she it this that these those there the a an is are was were one idea ideas image images picture"
    " pictures photo photos photograph attachment attachments attached file files upload problem problems way ways"
    " longer doubt need worries worry matter clue information info context details detail further other others"
    " additional question questions reason reply answer answers response access ability exact specific"
    " definitive clear thanks thank sorry comment comments evidence indication trace guarantee certainty more"
    " than less fewer numbers number text such overlap overlapping difference issue issues"
)
_NOT_SENT = word_set("image images picture photo attachment file answer information")
_ABSENCE_WORDS = word_set("none nothing nil zilch nought naught")
_ABSENCE = Phrases(same_meaning("zero", "not a single, not even a single, not one, not even one, not a single one"))


ABSENCE_OPENERS = _ABSENCE.openers | _ABSENCE_WORDS | {"no", "any", "one"}


def read_absence(tokens: list[Token], i: int) -> Mention | None:
    """Zero in words: "no apples", "none", "there aren't any", "not a single one"."""
    phrase = _ABSENCE.match(tokens, i)
    if phrase is not None:
        return Mention(Exact(0.0), (0.0,), i, phrase[1], ABSENCE_WEIGHT)
    word, after = tokens[i].text, tokens[i + 1].text
    is_absence = (
        (word in _ABSENCE_WORDS and after not in ("else", "but", "other"))
        or (word == "no" and tokens[i + 1].is_word and _is_counted(tokens, i))
        or (word == "any" and is_negated(tokens, i) and _is_counted(tokens, i))
        or (word == "one" and tokens[i - 1].text.endswith("n't"))
    )
    return Mention(Exact(0.0), (0.0,), i, i + 1, ABSENCE_WEIGHT) if is_absence else None


def _is_counted(tokens: list[Token], i: int) -> bool:
    """Whether "no" or "any" at i speaks of things, not of an image that was never sent."""
    after, then = tokens[i + 1].text, tokens[i + 2].text
    return after not in _NOT_COUNTED and then not in _NOT_SENT


_ONENESS = word_set("single lone sole solitary")
ONE_OPENERS = _ONENESS | {"a", "an"}
_BEFORE_ARTICLE = word_set("just only exactly merely simply")
_EXISTENCE = word_set("is was isn't wasn't")
_HOLDERS = word_set("of with containing holding full filled that which where displaying showing")
_NOT_THINGS = word_set(
    "image picture photo photograph problem way chance possibility lack total sum maximum minimum count mistake bit"
    " little lot scene view question limit reason need person's"
)


def read_one(tokens: list[Token], i: int) -> Mention | None:
    """One thing said without a numeral: "a single apple", "there is an apple"."""
    word, before, earlier = tokens[i].text, tokens[i - 1].text, tokens[i - 2].text
    n = 0.0 if is_negated(tokens, i) else 1.0
    if word in _ONENESS and before != "every" and tokens[i + 1].is_word:
        is_joined = before == "a" and earlier in JOINTS  # "3 red apples and a single green one"
        return Mention(Exact(n), (n,), i, i + 1, NUMERAL_WEIGHT if is_joined else ABSENCE_WEIGHT)
    if word not in ("a", "an") or not tokens[i + 1].is_word or tokens[i + 1].text in _NOT_THINGS | _ONENESS:
        return None
    exists = before == "there's" or (before in _EXISTENCE and earlier == "there")
    if not exists and before not in _BEFORE_ARTICLE:
        return None
    if any(tokens[k].text in _HOLDERS for k in range(i + 2, i + 5)):  # a bowl of apples: who knows how many
        return None
    return Mention(Exact(n), (n,), i, i + 1, ARTICLE_WEIGHT)
