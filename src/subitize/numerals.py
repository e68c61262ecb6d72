"""The one place that reads numbers from text, and that writes numbers, plurals and articles.

Reading goes in three steps, each linear in the text: tokens (words, digit chunks, marks), mentions (what each
quantity in the text says, with how much weight) and one decision over all mentions. What is done with
several numbers or a vague answer is no part of reading: that is a policy's choice, in `value`.

Weights, from strong to weak: numerals; vague phrases ("several"); absence and oneness in words ("no apples", "a
single"); loose quantifiers ("some"); articles ("there is an apple"). A weaker mention counts only where no stronger
one stands ("3 apples, none of them red" is 3), but a vague phrase joined to a numeral by "and" counts things that
the numeral leaves out ("3 red and a few green ones"), so the whole is vague.
"""

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Literal, NamedTuple, get_args

LONGEST_TEXT = 10_000
"""Characters that are read; what comes after them is ignored."""

LARGEST_IN_WORDS = 999_999


@dataclass(frozen=True, slots=True)
class Exact:
    """One number, perhaps hedged ("about ten") or said twice ("3 (three)")."""

    value: float


@dataclass(frozen=True, slots=True)
class Range:
    """From low to high, both included: "2-5", "3 or 4", "up to 5"."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class AtLeast:
    """This many or more: "10+", "more than 9"."""

    low: float


@dataclass(frozen=True, slots=True)
class Vague:
    """A quantity without a number: "a few", "dozens"."""

    phrase: str


@dataclass(frozen=True, slots=True)
class Several:
    """Different numbers, each once, in order of appearance; or one that counts twice ("2 red and 2 green")."""

    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class NoNumber:
    """Nothing that counts anything."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """The text declines to answer, and gives no number."""

    phrase: str


Amount = Exact | Range | AtLeast | Vague | Several | NoNumber | Refusal

Policy = Literal["strict", "total", "geckonum"]
POLICIES: tuple[Policy, ...] = get_args(Policy)


@dataclass(frozen=True, slots=True)
class Unread:
    """A text that a policy discards, and why."""

    reason: str


def read(text: str) -> Amount:
    """What the text says about how many there are, before any policy."""
    text = text[:LONGEST_TEXT]
    tokens = _tokenise(text)
    return _decide(tokens, _find_mentions(tokens), _refusal(text, tokens))


def value(text: str, policy: Policy = "strict") -> float | Unread:
    """The number that a policy takes from the text, or why it takes none.

    strict: only one exact number counts (the rule of Numbersense).
    total: as strict, but of several different numbers the one stated as total or answer counts; nothing is summed.
    A final answer beats an answer, that beats a total, that beats a conclusion ("so 5"); two different ones
    of a kind are discarded unless the later one corrects the earlier ("wait", "actually").
    geckonum: the rule that reproduces the released answers of GeckoNum's annotators, made for digits only.
    """
    if policy not in POLICIES:
        raise ValueError(f"no policy named {policy!r}; known: {', '.join(POLICIES)}")
    text = text[:LONGEST_TEXT]
    if policy == "geckonum":
        return _geckonum(text)
    tokens = _tokenise(text)
    mentions = _find_mentions(tokens)
    amount = _decide(tokens, mentions, _refusal(text, tokens))
    if policy == "total" and isinstance(amount, Several | Vague):
        total = _stated_total(tokens, mentions)
        if total is not None:
            return total
    return amount.value if isinstance(amount, Exact) else Unread(_reason(amount))


def in_words(n: int) -> str:
    """21 as "twenty-one"; from 0 to 999,999."""
    if not 0 <= n <= LARGEST_IN_WORDS:
        raise ValueError(f"cannot write {n} in words; the number must be from 0 to {LARGEST_IN_WORDS:,}")
    if n < 20:
        return _UNITS[n]
    if n < 100:
        return _TENS[n // 10 - 2] + (f"-{_UNITS[n % 10]}" if n % 10 else "")
    scale, name = (100, "hundred") if n < 1000 else (1000, "thousand")
    rest = f" {in_words(n % scale)}" if n % scale else ""
    return f"{in_words(n // scale)} {name}{rest}"


def plural(noun: str) -> str:
    """The plural of a noun or of a noun phrase: "loaf of bread" gives "loaves of bread"."""
    return _inflect(noun, _plural_word)


def singular(noun: str) -> str:
    """The singular of a noun or of a noun phrase; a singular stays as it is."""
    return _inflect(noun, _singular_word)


def article(noun: str) -> Literal["a", "an"]:
    """The indefinite article that the noun's sound asks for: "an hour", "a unicorn", "an X-ray"."""
    word = re.split(r"[\s-]", noun.strip(), maxsplit=1)[0]
    if word.isupper() and len(word) <= _LONGEST_INITIALISM:
        return "an" if word[0] in "AEFHILMNORSX" else "a"
    lower = noun.strip().lower()
    if re.match(_VOWEL_SOUND, lower):
        return "an"
    return "an" if re.match("[aeiou]", lower) and not re.match(_CONSONANT_SOUND, lower) else "a"


def counted(n: int, noun: str, style: Literal["digits", "words"] = "digits") -> str:
    """A number and its noun: "1 apple", "two flies"."""
    return f"{in_words(n) if style == 'words' else n} {noun if n == 1 else plural(noun)}"


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_UNITS = _words(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen"
)
_TENS = _words("twenty thirty forty fifty sixty seventy eighty ninety")
_SMALL = {word: n for n, word in enumerate(_UNITS)} | {word: 20 + 10 * n for n, word in enumerate(_TENS)}
_SMALL["fourty"] = 40  # a common misspelling
_SCALES = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9}
_GROUPS = {
    "dozen": 12, "dozens": 12, "pair": 2, "pairs": 2, "couple": 2, "couples": 2, "duo": 2, "trio": 3,
}  # fmt: skip
_ONE_IN_A_PAIR = _set(
    "binoculars earphones glasses goggles headphones jeans pants pliers scissors shears shorts sunglasses tights"
    " tongs trousers tweezers"
)
_DENOMINATORS = {
    "half": 2, "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6, "eighth": 8, "tenth": 10,
}  # fmt: skip
_PLURAL_DENOMINATORS = {"halves": 2} | {word + "s": n for word, n in _DENOMINATORS.items()}
_VULGAR = {"½": 1 / 2, "⅓": 1 / 3, "⅔": 2 / 3, "¼": 1 / 4, "¾": 3 / 4, "⅕": 1 / 5, "⅛": 1 / 8}
_ORDINALS = _set(
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth"
    " fifteenth sixteenth seventeenth eighteenth nineteenth twentieth hundredth st nd rd th"
)

_MOST_DIGITS = 15  # beyond 2**53 a float is no longer the number that was written; longer runs are no numbers

_NUMERAL = re.compile(r"\d+(?:\.\d+)?|\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_SCIENTIFIC = re.compile(r"\d{1,15}(?:\.\d{1,15})?e\+?\d{1,2}", re.IGNORECASE)
_TOKEN = re.compile(
    r"""(?P<skip> (?:https?://|www\.)\S++ | </?[a-z][^<>\n]{0,80}+> | [*`] | (?<![^\W_])_ | _(?![^\W_]) )
      | (?P<number> \d++ (?:[.,:/x×–-]\d++)*+ (?:e\+?\d++)?+ )
      | (?P<vulgar> [½⅓⅔¼¾⅕⅛] )
      | (?P<word> [^\W\d_½⅓⅔¼¾⅕⅛]++ (?:['’][^\W\d_½⅓⅔¼¾⅕⅛]++)*+ )
      | (?P<mark> \n | \S )""",
    re.VERBOSE | re.IGNORECASE,
)
_UNIFORM_MARKS = {"’": "'", "‐": "-", "‑": "-"}


class _Token(NamedTuple):
    text: str  # in lower case
    start: int
    end: int
    values: tuple[float, ...] = ()  # what a digit chunk says: one number, or the two ends of a range
    kind: str = "mark"
    is_capital: bool = False

    @property
    def is_word(self) -> bool:
        return self.kind == "word"


# Every look to the left or right of a token goes at most this far, so that no look needs a bounds check.
_MARGIN = 8
_EDGE = _Token("\n", -1, -2)


def _tokenise(text: str) -> list[_Token]:
    tokens = [_EDGE] * _MARGIN
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup or ""
        if kind == "number":
            tokens.extend(_number_tokens(match[0], match.start()))
        elif kind != "skip":
            word = match[0].lower().replace("’", "'")
            values = (_VULGAR[word],) if kind == "vulgar" else ()
            tokens.append(_Token(_UNIFORM_MARKS.get(word, word), *match.span(), values, kind, match[0][0].isupper()))
    return tokens + [_EDGE] * _MARGIN


def _number_tokens(chunk: str, start: int) -> Iterator[_Token]:
    items = [chunk] if _chunk_values(chunk) else chunk.split(",")  # "1,2" is two numbers, not 12
    for item in items:
        values = _chunk_values(item)
        yield _Token(item, start, start + len(item), values, "number" if values else "code")
        start += len(item) + 1


def _chunk_values(chunk: str) -> tuple[float, ...]:
    """What a run of digits and separators says; nothing for a time, date, size, version or telephone number."""
    single = _numeral(chunk)
    if single is not None:
        return (single,)
    if _SCIENTIFIC.fullmatch(chunk):
        return (float(chunk),) if float(chunk) < 10**_MOST_DIGITS else ()
    parts = re.split("[-–]", chunk)
    if len(parts) == 2 and [len(part) for part in parts] != [3, 4]:
        low, high = (_numeral(part) for part in parts)
        if low is None or high is None or (_is_year(parts[0]) and _is_year(parts[1])):
            return ()
        return (min(low, high), max(low, high))
    above, slash, below = chunk.partition("/")
    return _fraction(above, below) if slash else ()


def _numeral(chunk: str) -> float | None:
    if not _NUMERAL.fullmatch(chunk):
        return None
    whole, _, decimals = chunk.replace(",", "").partition(".")
    if len(whole) > _MOST_DIGITS or len(decimals) > _MOST_DIGITS:
        return None
    return float(f"{whole}.{decimals}")


def _fraction(above: str, below: str) -> tuple[float, ...]:
    """A fraction of things; anything else with a slash (24/7, 12/25, 10/10) is a date or a score."""
    if not (above.isdecimal() and below.isdecimal() and len(above) <= 2 and len(below) <= 2):
        return ()
    numerator, denominator = int(above), int(below)
    is_proper = 0 < numerator < denominator <= 10
    return (numerator / denominator,) if is_proper or (numerator and denominator in (2, 3, 4)) else ()


def _is_year(digits: str) -> bool:
    return len(digits) == 4 and digits.isdecimal() and 1900 <= int(digits) <= 2099


class _Phrases:
    """Phrases, each with a meaning, to be looked up at a place in the text; the longest wins."""

    def __init__(self, meanings: dict[str, str]) -> None:
        self._by_first: dict[str, list[tuple[tuple[str, ...], str]]] = {}
        for phrase in sorted(meanings, key=len, reverse=True):
            words = tuple(phrase.split())
            self._by_first.setdefault(words[0], []).append((words, meanings[phrase]))

    def match(self, tokens: list[_Token], i: int) -> tuple[str, int] | None:
        """The meaning of the phrase at i, and where the phrase ends."""
        for words, meaning in self._by_first.get(tokens[i].text, ()):
            end = i + len(words)
            if all(tokens[i + k].text == words[k] for k in range(1, len(words))):
                return meaning, end
        return None


def _same(meaning: str, phrases: str) -> dict[str, str]:
    return dict.fromkeys((phrase.strip() for phrase in phrases.split(",")), meaning)


_BOUNDS_BEFORE = _Phrases(
    _same("from", "at least, no fewer than, no less than, not fewer than, not less than, a minimum of, minimum of,"
          "as few as, upwards of, upward of, ≥, > =")
    | _same("above", "more than, greater than, over, above, exceeding, in excess of, >")
    | _same("to", "up to, at most, no more than, not more than, a maximum of, maximum of, as many as, ≤, < =")
    | _same("below", "fewer than, less than, under, below, <")
)  # fmt: skip
_BOUNDS_AFTER = _Phrases(
    _same("from", "or more, or greater, or above, or over, and up, at least, at minimum,"
          "at the least, minimum")
    | _same("to", "or fewer, or less, or below, or under, at most, at the most, max, maximum, tops")
)  # fmt: skip
_PLACES = _set("over above under below > <")
# "over 10" is a bound after these, a place after a noun ("birds over 2 trees").
_BEFORE_BOUND = _set(
    "a about are contains count counted estimate exactly has have i'd is just little maybe of only perhaps possibly"
    " probably say see shows slightly there's to was well were with"
)
_SUMMING = _set("add adds adding added counting")  # "adds up to 5" bounds nothing
_RANGE_JOINERS = _set("to or - – — ~ through")
_HEDGES = _set("about approximately around circa even exactly just maybe perhaps possibly probably roughly")

_VAGUE = _Phrases(
    _same("vague", "a few, few, quite a few, very few, only a few, just a few, several, a lot, a lot of, lots, lots of,"
          "a bunch, a bunch of, bunches of, a handful, a handful of, a number of, a large number, a large number of,"
          "large numbers of, a huge number of, a great number of, a small number of, any number of, numerous, multiple,"
          "dozens, dozens of, hundreds, hundreds of, thousands, thousands of, millions, millions of, tens of,"
          "countless, innumerable, uncountable, plenty, plenty of, tons of, loads of, heaps of, piles of, a pile of,"
          "a cluster of, clusters of, a crowd of, a swarm of, a flock of, a herd of, an array of,"
          "a good deal of, a great deal of, a multitude of, a myriad of, myriad, too many, so many, very many,"
          "a great many, a good many, a ton of")
    | _same("loose", "some, many, most, various, a group of, groups of, a variety of, a collection of, a mix of,"
            "an assortment of")
)  # fmt: skip
_NOT_VAGUE_BEFORE = _set("how as at")
_NOT_VAGUE_AFTER = _set("likely probably importantly notably kind sort")
_JOINTS = _set("and plus &")
_JOINT_ADVERBS = _set("also then maybe perhaps possibly about another")

_REFUSALS = _Phrases(
    _same("refusal", "i can't, i cannot, i can not, i could not, i couldn't, i'm sorry, i am sorry, sorry, i apologize,"
          "i apologise, apologies, my apologies, i'm unable, i am unable, unable to, i'm not able, i am not able,"
          "not able to, as an ai, as a language model, as a text - based, i'm just an ai,"
          "i don't see, i do not see, i don't have, i do not have, i didn't receive, i don't know, i do not know,"
          "i'm not sure, i am not sure, not sure, i have no idea, no idea, i won't, i will not, i'm afraid,"
          "i am afraid, i must decline, can't be determined, cannot be determined, can't determine,"
          "cannot determine, can't tell, cannot tell, can't see, cannot see, can't count, cannot count, can't answer,"
          "cannot answer, it is impossible, it's impossible, impossible to, it is not possible, it's not possible,"
          "not possible to, no image, no picture, no photo, unanswerable, please upload, please provide,"
          "please share, please attach, it is unclear, it's unclear, unclear, difficult to determine,"
          "hard to determine, difficult to say, hard to say, hard to tell, difficult to tell, need to see, i refuse,"
          "unsure, too blurry, not comfortable, not feel comfortable, be an image attached")
)  # fmt: skip

_NEGATIONS = _set("not cannot without never")
# After "no" or "any": what is missing is not what is counted.
_NOT_COUNTED = _set(
    "i you we they he she it this that these those there the a an is are was were one idea ideas image images picture"
    " pictures photo photos photograph attachment attachments attached file files upload problem problems way ways"
    " longer doubt need worries worry matter clue information info context details detail further other others"
    " additional question questions reason reply answer answers response access ability exact specific"
    " definitive clear thanks thank sorry comment comments evidence indication trace guarantee certainty more"
    " than less fewer numbers number text such overlap overlapping difference issue issues"
)
_NOT_SENT = _set("image images picture photo attachment file answer information")
_ABSENCE_WORDS = _set("none nothing nil zilch nought naught")
_ABSENCE = _Phrases(_same("zero", "not a single, not even a single, not one, not even one, not a single one"))
_ONENESS = _set("single lone sole solitary")
_BEFORE_ARTICLE = _set("just only exactly merely simply")
_EXISTENCE = _set("is was isn't wasn't")
_HOLDERS = _set("of with containing holding full filled that which where displaying showing")
_NOT_THINGS = _set(
    "image picture photo photograph problem way chance possibility lack total sum maximum minimum count mistake bit"
    " little lot scene view question limit reason need person's"
)

_BEFORE_PRONOUN = _set(
    "this that each every any some another other which the no upload provide share attach send submit paste include"
    " choose pick select need first second third fourth last next same wrong right correct previous"
)
_DETERMINERS = _set("a an the this that my your its his her their")
_NO_ADJECTIVE = _set(
    "is are was were be being shows show showing has have had contains contain see sees count counts counted only just"
    " to of about equals and or with exactly there in on at by from for as not but makes making depicts than"
)
_AFTER_PRONOUN = _set("another could can cannot may might would should must who whose by at")
_AFTER_ONE_IDIOM = _set("side hand end corner way thing")
_PARTITIVE = _set("which whom the them these those us you its it all our your my each his her")

_LABELS = _set(
    "image images img picture photo figure fig figures table step steps option question q part version chapter page"
    " panel slide frame example section line row rows column columns col group cell item level phase stage exhibit"
    " room scene task round gpt claude llama gemini qwen llava method approach note quadrant age aged route apollo"
)
_ANSWER_WORDS = _set("total answer count number")
_NAMES = _set("covid gpt llama claude mp apollo area formula boeing catch")
_UNIT_WORDS = _set(
    "% ° º percent percentage degree degrees cm mm km m g kg mg lb lbs oz ml l px pixel pixels megapixels inch inches"
    " meter meters metre metres centimeter centimeters centimetre centimetres millimeter millimeters millimetres"
    " kilometer kilometers kilometres mile miles ft gram grams kilogram kilograms pounds ounce ounces liter liters"
    " litre litres second seconds sec secs minute minutes min mins hour hours hr hrs day days week weeks month months"
    " year years old am pm o'clock mb gb kb tb hz khz mhz ghz dpi fps bit bits bytes byte usd eur dollar dollars euro"
    " euros cents times time watts volts k € £ ¥ $ ³ ²"
)
_UNITS_OF_LENGTH = _set("feet foot yards yard")  # also things, unless a dimension follows
_DIMENSIONS = _set("tall long wide high deep away apart")
_CURRENCIES = _set("$ € £ ¥ ©")
_BEFORE_YEAR = _set("in since year circa copyright © until during")
_MONTHS = _set(
    "january february march april may june july august september october november december jan feb mar apr jun jul"
    " aug sep sept oct nov dec"
)
_SENTENCE_ENDS = frozenset(".!?;\n")

_NUMERAL_WEIGHT, _VAGUE_WEIGHT, _ABSENCE_WEIGHT, _LOOSE_WEIGHT, _ARTICLE_WEIGHT = 4, 3, 2, 1, 0


_Number = tuple[float, int]  # and the index of the token after it


class _Mention(NamedTuple):
    amount: Exact | Range | AtLeast | Vague
    numbers: tuple[float, ...]  # as written: 10 in "more than 10"
    start: int
    end: int
    weight: int = _NUMERAL_WEIGHT


def _find_mentions(tokens: list[_Token]) -> list[_Mention]:
    numbering, lone = _list_numbering(tokens)
    found: list[_Mention] = []
    i = _MARGIN
    while i < len(tokens) - _MARGIN:
        mention = None if i in numbering else _mention_at(tokens, i)
        if mention is None:
            i += 1
            continue
        if mention.weight < _NUMERAL_WEIGHT or not _is_no_count(tokens, mention.start, mention.end):
            found.append(mention._replace(weight=_ABSENCE_WEIGHT) if i == lone else mention)
        i = mention.end
    return found


def _list_numbering(tokens: list[_Token]) -> tuple[set[int], int]:
    """Where the numbers 1, 2, … of a list stand, and a lone "1." that opens the text but numbers nothing else."""
    markers: list[int] = []
    for i in range(_MARGIN, len(tokens) - _MARGIN):
        token = tokens[i]
        if token.kind != "number" or tokens[i + 1].text not in (".", ")") or tokens[i + 2].text == "\n":
            continue
        opens = tokens[i - 1].text == "\n" or (tokens[i - 1].text in "(-•" and tokens[i - 2].text == "\n")
        unopened = tokens[i + 1].text == ")" and tokens[i - 1].text != "(" and tokens[i + 2].is_word
        if (opens or unopened) and token.values == (float(len(markers) + 1),):
            markers.append(i)
    if len(markers) == 1:
        return set(), markers[0]
    return set(markers), -1


def _mention_at(tokens: list[_Token], i: int) -> _Mention | None:
    token = tokens[i]
    if token.kind == "mark" and token.text not in "-−≥≤><":
        return None
    return _bounded(tokens, i) or _vague(tokens, i) or _absence(tokens, i) or _quantity(tokens, i) or _one(tokens, i)


def _bounded(tokens: list[_Token], i: int) -> _Mention | None:
    """A bound with its number: "at least 10", "more than a dozen", "fewer than 5"."""
    bound = _BOUNDS_BEFORE.match(tokens, i)
    if bound is None:
        return None
    before = tokens[i - 1]
    if tokens[i].text in _PLACES and (before.kind == "number" or (before.is_word and before.text not in _BEFORE_BOUND)):
        return None
    if tokens[i].text == "up" and before.text in _SUMMING:
        return None
    if tokens[i].text == ">" and before.text == "\n" and not _is_glued(tokens, i + 1):  # a quotation in Markdown
        return None
    number = _number(tokens, _skip_hedges(tokens, bound[1]))
    if number is None:
        return None
    meaning = bound[0]
    if _is_negated(tokens, i, reach=2):  # "there can't be more than 5"
        meaning = {"above": "to", "below": "from"}.get(meaning, meaning)
    return _Mention(_bound(meaning, number[0]), number[:1], i, number[1])


def _bound(meaning: str, number: float) -> Range | AtLeast | Exact:
    match meaning:
        case "from":
            return AtLeast(number)
        case "above":
            return AtLeast(math.floor(number) + 1.0)
        case "to":
            return _between(0.0, number)
        case _:
            return _between(0.0, max(math.ceil(number) - 1.0, 0.0))


def _between(one: float, other: float) -> Range | Exact:
    return Exact(one) if one == other else Range(min(one, other), max(one, other))


def _skip_hedges(tokens: list[_Token], i: int) -> int:
    return i + 1 if tokens[i].text in _HEDGES else i


def _vague(tokens: list[_Token], i: int) -> _Mention | None:
    phrase = _VAGUE.match(tokens, i)
    if phrase is None or tokens[i - 1].text in _NOT_VAGUE_BEFORE or tokens[phrase[1]].text in _NOT_VAGUE_AFTER:
        return None
    meaning, end = phrase
    words = " ".join(token.text for token in tokens[i:end])
    while tokens[end].text in _SCALES or tokens[end].text in _GROUPS:  # "a few dozen" holds no number of its own
        end += 1
    if tokens[end].values or tokens[end].text in _SMALL:  # "a group of 4", "some 20 apples"
        return None
    return _Mention(Vague(words), (), i, end, _VAGUE_WEIGHT if meaning == "vague" else _LOOSE_WEIGHT)


def _absence(tokens: list[_Token], i: int) -> _Mention | None:
    """Zero in words: "no apples", "none", "there aren't any", "not a single one"."""
    phrase = _ABSENCE.match(tokens, i)
    if phrase is not None:
        return _Mention(Exact(0.0), (0.0,), i, phrase[1], _ABSENCE_WEIGHT)
    word, after = tokens[i].text, tokens[i + 1].text
    is_absence = (
        (word in _ABSENCE_WORDS and after not in ("else", "but", "other"))
        or (word == "no" and tokens[i + 1].is_word and _is_counted(tokens, i))
        or (word == "any" and _is_negated(tokens, i) and _is_counted(tokens, i))
        or (word == "one" and tokens[i - 1].text.endswith("n't"))
    )
    return _Mention(Exact(0.0), (0.0,), i, i + 1, _ABSENCE_WEIGHT) if is_absence else None


def _is_counted(tokens: list[_Token], i: int) -> bool:
    """Whether "no" or "any" at i speaks of things, not of an image that was never sent."""
    after, then = tokens[i + 1].text, tokens[i + 2].text
    return after not in _NOT_COUNTED and then not in _NOT_SENT


def _is_negated(tokens: list[_Token], i: int, *, reach: int = 6) -> bool:
    for k in range(i - 1, i - 1 - reach, -1):
        if tokens[k].text in _NEGATIONS or tokens[k].text.endswith("n't"):
            return True
        if not tokens[k].is_word:
            return False
    return False


def _one(tokens: list[_Token], i: int) -> _Mention | None:
    """One thing said without a numeral: "a single apple", "there is an apple"."""
    word, before, earlier = tokens[i].text, tokens[i - 1].text, tokens[i - 2].text
    n = 0.0 if _is_negated(tokens, i) else 1.0
    if word in _ONENESS and before != "every" and tokens[i + 1].is_word:
        is_joined = before == "a" and earlier in _JOINTS  # "3 red apples and a single green one"
        return _Mention(Exact(n), (n,), i, i + 1, _NUMERAL_WEIGHT if is_joined else _ABSENCE_WEIGHT)
    if word not in ("a", "an") or not tokens[i + 1].is_word or tokens[i + 1].text in _NOT_THINGS | _ONENESS:
        return None
    exists = before == "there's" or (before in _EXISTENCE and earlier == "there")
    if not exists and before not in _BEFORE_ARTICLE:
        return None
    if any(tokens[k].text in _HOLDERS for k in range(i + 2, i + 5)):  # a bowl of apples: who knows how many
        return None
    return _Mention(Exact(n), (n,), i, i + 1, _ARTICLE_WEIGHT)


def _quantity(tokens: list[_Token], i: int) -> _Mention | None:
    """A number, or two that make a range, with a bound that may stand after it."""
    joined = _skip_hedges(tokens, i + 1) if tokens[i].text == "between" else i
    first = _number(tokens, joined)
    if first is None:
        return _digit_range(tokens, i)
    number, end = first
    joint = _range_joint(tokens, end, is_between=joined > i)
    second = _number(tokens, joint) if joint else None
    if second is not None:
        number = _with_shared_scale(tokens, first, second)
        return _Mention(_between(number, second[0]), (number, second[0]), i, second[1])
    return _with_bound_after(tokens, _Mention(Exact(number), (number,), joined, end))


def _with_shared_scale(tokens: list[_Token], first: _Number, second: _Number) -> float:
    """The first number of "two or three hundred" is 200."""
    scales = _SCALES | _GROUPS
    scale = scales.get(tokens[second[1] - 1].text, 1)
    is_shared = tokens[first[1] - 1].text not in scales and first[0] * scale < second[0]
    return first[0] * scale if is_shared else first[0]


def _digit_range(tokens: list[_Token], i: int) -> _Mention | None:
    if len(tokens[i].values) != 2:
        return None
    low, high = tokens[i].values
    return _Mention(_between(low, high), (low, high), i, i + 1)


def _range_joint(tokens: list[_Token], i: int, *, is_between: bool) -> int | None:
    """Where the second number of a range would begin, if a range goes on at i."""
    word = tokens[i].text
    if is_between and word in ("and", "&"):
        return _skip_hedges(tokens, i + 1)
    if word not in _RANGE_JOINERS:
        return None
    if word == "—" and not _is_glued(tokens, i):  # between spaces it parts two sentences
        return None
    if word == "-" and tokens[i + 1].text == "to" and tokens[i + 2].text == "-":
        return i + 3
    return _skip_hedges(tokens, i + 1)


def _with_bound_after(tokens: list[_Token], mention: _Mention) -> _Mention:
    """The mention with the bound that may follow it: "10+", "10 apples or more", "5 at most"."""
    end, number = mention.end, mention.numbers[0]
    if tokens[end].text == "+" and _is_glued(tokens, end) and tokens[end + 1].kind != "number":
        return mention._replace(amount=AtLeast(number), end=end + 1)
    bound = _BOUNDS_AFTER.match(tokens, end)
    if bound is None and tokens[end].is_word:
        bound = _BOUNDS_AFTER.match(tokens, end + 1)
    if bound is None or _number(tokens, bound[1]) is not None:  # "at least" may open the next quantity
        return mention
    return mention._replace(amount=_bound(bound[0], number), end=bound[1])


def _is_glued(tokens: list[_Token], i: int) -> bool:
    """Whether nothing stands between token i and the one before it."""
    return tokens[i].start == tokens[i - 1].end


def _number(tokens: list[_Token], i: int) -> _Number | None:
    if tokens[i].text in ("-", "−", "minus", "negative"):
        return _negative(tokens, i)
    whole = _whole(tokens, i)
    if whole is None:
        return _part(tokens, i)
    number, end = whole
    share = _share(tokens, number, end)
    if share is not None:
        return share
    mixed = _mixed(tokens, number, end)
    return _grouped(tokens, *mixed)


def _negative(tokens: list[_Token], i: int) -> _Number | None:
    sign, after = tokens[i], tokens[i + 1]
    if len(after.values) != 1 and after.text not in _SMALL:
        return None
    if tokens[i - 1].values or tokens[i - 1].text in _SMALL:  # a subtraction
        return None
    is_bullet = tokens[i - 1].text == "\n" and tokens[i + 2].is_word
    if sign.text == "-" and (_is_glued(tokens, i) or not _is_glued(tokens, i + 1) or is_bullet):
        return None
    number = _number(tokens, i + 1)
    return None if number is None else (-number[0], number[1])


def _whole(tokens: list[_Token], i: int) -> _Number | None:
    """Digits or number words with their scales: "5 thousand", "one hundred and five", "a dozen"."""
    token, after = tokens[i], tokens[i + 1]
    if token.kind == "number" and len(token.values) == 1:
        return _with_scales(tokens, token.values[0], i + 1, room=1)
    if token.text in ("a", "an") and (after.text in _SCALES or after.text in _GROUPS):
        return _with_scales(tokens, 1.0, i + 1, room=1)
    if token.text in _GROUPS and not token.text.endswith("s") and tokens[i - 1].text not in _BEFORE_PRONOUN:
        return 1.0, i
    if token.text in _SCALES and after.text != "percent":
        return _with_scales(tokens, 1.0, i, room=1)
    if token.text in _SMALL:
        return _with_scales(tokens, float(_SMALL[token.text]), i + 1, room=_room_after(_SMALL[token.text]))
    return None


def _room_after(small: int) -> int:
    """What may still be added to a number word must be below this: 10 after "twenty", nothing after "two"."""
    return 10 if small >= 20 else 1


def _with_scales(tokens: list[_Token], current: float, i: int, *, room: int) -> _Number:
    """Read on from a first number word, as long as each next word fits the number so far."""
    total, scale = 0.0, 10**12
    while True:
        k = i + 1 if tokens[i].text == "-" and _is_glued(tokens, i) and _is_glued(tokens, i + 1) else i
        if tokens[k].text == "and" and room >= 100:
            k += 1
        word = tokens[k].text
        if word == "hundred" and 0 < current < 100 and current * 100 < scale:
            current, room = current * 100, 100
        elif word != "hundred" and word in _SCALES and current > 0 and _SCALES[word] < scale and k == i:
            total, current, scale = total + current * _SCALES[word], 0.0, _SCALES[word]
            room = scale
        elif 0 < _SMALL.get(word, 0) < room:
            current, room = current + _SMALL[word], _room_after(_SMALL[word])
        else:
            return total + current, i
        i = k + 1


def _share(tokens: list[_Token], number: float, i: int) -> _Number | None:
    """A number of equal parts: "three quarters", "one third"."""
    k = i + 1 if tokens[i].text == "-" and _is_glued(tokens, i) else i
    table = _DENOMINATORS if number == 1 else _PLURAL_DENOMINATORS
    if tokens[k].text not in table or not 0 < number < 20:
        return None
    return number / table[tokens[k].text], k + 1


def _part(tokens: list[_Token], i: int) -> _Number | None:
    """Less than one thing: "½", "half an apple", "a quarter of another apple"."""
    if tokens[i].kind == "vulgar":
        return tokens[i].values[0], i + 1
    k = i + 1 if tokens[i].text in ("a", "an") else i
    word, after = tokens[k].text, tokens[k + 1].text
    if word not in _DENOMINATORS or (k == i and word != "half"):
        return None
    if word == "half" and (after == "dozen" or (after == "a" and tokens[k + 2].text == "dozen")):
        return 6.0, k + (2 if after == "dozen" else 3)
    then = tokens[k + 2].text if after == "of" else after
    is_alone = word == "half" and after in _SENTENCE_ENDS and tokens[i - 1].text in _SENTENCE_ENDS
    return (1 / _DENOMINATORS[word], k + 1) if then in ("a", "an", "another", "one") or is_alone else None


def _mixed(tokens: list[_Token], number: float, i: int) -> _Number:
    """A whole number with its fraction: "2½", "2 1/2", "one and a half", "one apple and a half"."""
    if number != int(number):
        return number, i
    if tokens[i].kind == "vulgar" or ("/" in tokens[i].text and tokens[i].values and tokens[i].values[0] < 1):
        return number + tokens[i].values[0], i + 1
    k = i if tokens[i].text == "and" else i + 1
    if tokens[k].text != "and" or (k > i and (not tokens[i].is_word or tokens[i].text in _GROUPS)):
        return number, i
    if tokens[k + 1].text in ("a", "one") and tokens[k + 2].text in _DENOMINATORS:
        is_of_another = tokens[k + 3].text == "of"  # "one apple and a half of another" names two things
        return (number, i) if is_of_another else (number + 1 / _DENOMINATORS[tokens[k + 2].text], k + 3)
    if k == i and "/" in tokens[k + 1].text and len(tokens[k + 1].values) == 1:
        return number + tokens[k + 1].values[0], k + 2
    share = _share(tokens, float(_SMALL.get(tokens[k + 1].text, 0)), k + 2) if k == i else None
    return (number + share[0], share[1]) if share else (number, i)


def _grouped(tokens: list[_Token], number: float, i: int) -> _Number:
    """Numbers of dozens and pairs; a pair of scissors is one thing."""
    if tokens[i].text == "-" and _is_glued(tokens, i) and tokens[i + 1].text in _GROUPS:
        i += 1
    while tokens[i].text in _GROUPS:
        if tokens[i].text in ("pair", "pairs") and tokens[i + 1].text == "of":
            things = (tokens[i + 2].text, tokens[i + 3].text)
            if not _ONE_IN_A_PAIR.isdisjoint(things):
                return number, i + 1
        size = _GROUPS[tokens[i].text]
        number, i = number * size, i + 1
        if [token.text for token in tokens[i : i + 3]] == ["and", "a", "half"]:
            return number + size / 2, i + 3
    return number, i


def _is_no_count(tokens: list[_Token], i: int, end: int) -> bool:
    """Whether the number in tokens i to end names, measures or dates something instead of counting it."""
    return (
        (tokens[i].text == "one" and end == i + 1 and _is_pronoun(tokens, i))
        or _is_part_of_name(tokens, i, end)
        or _is_label(tokens, i, end)
        or _is_measure(tokens, i, end)
        or _is_date(tokens, i, end)
        or _is_proportion(tokens, end)
    )


def _is_pronoun(tokens: list[_Token], i: int) -> bool:
    """Whether "one" stands for a thing: "this one", "the big red one", "one of them"."""
    before, after = tokens[i - 1].text, tokens[i + 1].text
    if before in _BEFORE_PRONOUN or after in _AFTER_PRONOUN or after in _AFTER_ONE_IDIOM:
        return True
    if after == "of" and tokens[i + 2].text in _PARTITIVE:
        return True
    for k in range(i - 1, i - 4, -1):
        if tokens[k].text in _DETERMINERS:
            return not tokens[i + 1].is_word or after in _NO_ADJECTIVE
        if not tokens[k].is_word or tokens[k].text in _NO_ADJECTIVE:
            return False
    return False


def _is_part_of_name(tokens: list[_Token], i: int, end: int) -> bool:
    """Whether it is one with a word: "v2", "GPT-4", "image_1", "3D", "1st", "twenty-first", "2-year-old"."""
    if _is_glued(tokens, i) and tokens[i - 1].is_word and tokens[i - 1].text != "x":
        return True
    name = tokens[i - 2]
    if tokens[i - 1].text in ("-", "_") and _is_glued(tokens, i) and _is_glued(tokens, i - 1) and name.is_word:
        return tokens[i - 1].text == "_" or name.is_capital or name.text in _NAMES
    after, then = tokens[end], tokens[end + 1]
    if after.text in _ORDINALS and not tokens[i].values:
        return True
    if not _is_glued(tokens, end):
        return False
    if after.text == "-":
        return then.is_word and _is_glued(tokens, end + 1) and then.text != "ish"
    is_short = after.text.isascii() and len(after.text) <= 2 and after.text != "x"
    return (after.is_word and (is_short or after.text in _UNIT_WORDS)) or after.text == "_"


def _is_label(tokens: list[_Token], i: int, end: int) -> bool:
    """Whether it tells things apart: "Image 1", "#1", "Apple 1: red"; but "in the image 5 apples" counts."""
    before, earlier = tokens[i - 1], tokens[i - 2]
    if before.text == "#":
        return True
    if before.text == "." and earlier.text in ("no", "fig") and tokens[i].values:
        return True
    if before.text in _LABELS:
        return earlier.text not in _DETERMINERS
    is_heading = earlier.text in ("\n", "-", "•") and before.is_capital and tokens[end].text == ":"
    return is_heading and bool(tokens[i].values) and before.text not in _ANSWER_WORDS


def _is_measure(tokens: list[_Token], i: int, end: int) -> bool:
    """Whether it measures: "5 cm", "50%", "$5", "3 pm", "4 x 4", "6 feet tall"."""
    before, after, then = tokens[i - 1].text, tokens[end], tokens[end + 1]
    if before in _CURRENCIES and after.text != "$":  # "$5$" is mathematics
        return True
    if after.text == "-":
        after, then = then, tokens[end + 2]
    if after.text in _UNITS_OF_LENGTH:
        return then.text in _DIMENSIONS
    if after.text in ("a", "p") and then.text == "." and tokens[end + 2].text == "m":
        return True
    if after.text in _UNIT_WORDS:
        return not (after.text == "$" and before == "$")
    if before == "-" and tokens[i - 2].text == "by":
        return True
    by = ("x", "×", "by")
    is_side = after.text in by and (then.values or then.text in _SMALL)
    return bool(is_side) or (before in by and (bool(tokens[i - 2].values) or tokens[i - 2].text in _SMALL))


def _is_date(tokens: list[_Token], i: int, end: int) -> bool:
    """Whether it is a year or a day: "in 2023", "© 2019", "January 5", "5 May 2020"."""
    if tokens[i].kind != "number":
        return False
    before, after = tokens[i - 1], tokens[end]
    if any(near.text in _MONTHS and near.is_capital for near in (before, after)):
        return True
    if not _is_year(tokens[i].text):
        return False
    return before.text in _BEFORE_YEAR or tokens[i - 2].text in _MONTHS | {"c"}


def _is_proportion(tokens: list[_Token], end: int) -> bool:
    """Whether it is a share of things seen, not their number: "two thirds of the apples", "¾ of them"."""
    last = tokens[end - 1]
    is_fraction = last.text in _DENOMINATORS or last.text in _PLURAL_DENOMINATORS or last.kind == "vulgar"
    is_fraction = is_fraction or (bool(last.values) and "/" in last.text)
    return is_fraction and tokens[end].text == "of" and tokens[end + 1].text in _PARTITIVE


def _refusal(text: str, tokens: list[_Token]) -> Refusal | None:
    for i in range(_MARGIN, len(tokens) - _MARGIN):
        phrase = _REFUSALS.match(tokens, i)
        if phrase is not None:
            return Refusal(text[tokens[i].start : tokens[phrase[1] - 1].end])
    return None


def _decide(tokens: list[_Token], mentions: list[_Mention], refusal: Refusal | None) -> Amount:
    top = max((mention.weight for mention in mentions), default=-1)
    if top < _ABSENCE_WEIGHT and refusal is not None:
        return refusal
    if top < 0:
        return NoNumber()
    amount = _combine(_heard(mentions, top))
    for earlier, later in pairwise(mentions):
        if not _is_joined(tokens, earlier, later):
            continue
        for mention in (earlier, later):
            if isinstance(mention.amount, Vague):
                return mention.amount
        if isinstance(amount, Exact):
            return Several((amount.value,))
    return amount


def _heard(mentions: list[_Mention], weight: int) -> list[_Mention]:
    """The mentions that count: those of this weight, and an absence stated before them.

    "No apples, but 3 pears" may answer 0 or 3, so both are heard; in "3 apples, no pears" the 3 is the answer.
    """
    first = next(k for k, mention in enumerate(mentions) if mention.weight == weight)
    absences = [mention for mention in mentions[:first] if mention.amount == Exact(0.0)]
    return absences + [mention for mention in mentions if mention.weight == weight]


def _is_joined(tokens: list[_Token], earlier: _Mention, later: _Mention) -> bool:
    """Whether two quantities add up, one of them a numeral: "3 red and a few green ones"."""
    if _NUMERAL_WEIGHT not in (earlier.weight, later.weight) or _ABSENCE_WEIGHT in (earlier.weight, later.weight):
        return False
    k = later.start - 1
    if tokens[k].text in _JOINT_ADVERBS:
        k -= 1
    is_one_sentence = not any(token.text in _SENTENCE_ENDS for token in tokens[earlier.end : k])
    return k >= earlier.end and tokens[k].text in _JOINTS and is_one_sentence


def _combine(mentions: list[_Mention]) -> Amount:
    """What mentions of equal weight say together."""
    amounts = list(dict.fromkeys(mention.amount for mention in mentions))
    if len(amounts) == 1 or isinstance(amounts[0], Vague):
        return amounts[0]
    numbers = tuple(dict.fromkeys(number for mention in mentions for number in mention.numbers))
    if len(numbers) > 1:
        return Several(numbers)
    return next(amount for amount in amounts if not isinstance(amount, Exact))  # "10, or rather 10+"


def _reason(amount: Amount) -> str:
    match amount:
        case Several((twice,)):
            return f"two counts of {_digits(twice)}"
        case Several(values):
            return f"several different numbers: {', '.join(map(_digits, values))}"
        case Range(low, high):
            return f"a range: {_digits(low)} to {_digits(high)}"
        case AtLeast(low):
            return f"at least {_digits(low)}"
        case Vague(phrase):
            return f"vague: {phrase!r}"
        case Refusal(phrase):
            return f"refusal: {phrase!r}"
        case _:
            return "no number"


def _digits(number: float) -> str:
    return str(int(number)) if number == int(number) else str(number)


_FINAL, _ANSWER, _TOTAL, _CONCLUSION = 4, 3, 2, 1
_CUES_BEFORE = {
    "final": _FINAL, "boxed": _FINAL, "answer": _ANSWER, "total": _TOTAL, "totals": _TOTAL, "totaling": _TOTAL,
    "totalling": _TOTAL, "altogether": _TOTAL, "overall": _TOTAL, "sum": _TOTAL, "combined": _TOTAL, "=": _TOTAL,
    "equals": _TOTAL, "equal": _TOTAL, "makes": _TOTAL, "making": _TOTAL, "all": _TOTAL, "up": _TOTAL, "gives": _TOTAL,
    "get": _TOTAL, "→": _TOTAL, "⇒": _TOTAL, "so": _CONCLUSION, "thus": _CONCLUSION, "therefore": _CONCLUSION,
    "hence": _CONCLUSION, "conclusion": _CONCLUSION,
}  # fmt: skip
_CUE_NEEDS = {"all": ("in",), "up": _SUMMING}  # only "in all" and "adds up" state a total
_CUES_AFTER = _Phrases(_same("total", "in total, in all, altogether, all together, overall, total, combined"))
_OPERATORS = _set("+ plus minus × * times =")
_OPERATORS_BEFORE_NUMBERS = _set("- − x")  # elsewhere a dash or a letter
_CORRECTIONS = _set("actually wait correction rather recount recounting sorry no oops mistake instead")
_CLAUSE_ENDS = _set(", and so : (")
_CUE_REACH = 12
_AFTER_REACH = 5


def _stated_total(tokens: list[_Token], mentions: list[_Mention]) -> float | None:
    """The one number that the text states as the total or the answer; see `value` for which wins."""
    strengths = [_total_strength(tokens, mentions, k) for k in range(len(mentions))]
    strongest = max(strengths, default=0)
    if strongest == 0:
        return None
    stated = [mention for mention, strength in zip(mentions, strengths, strict=True) if strength == strongest]
    last = stated[-1]
    others = [mention for mention in stated if mention.amount != last.amount]
    if others and not any(token.text in _CORRECTIONS for token in tokens[others[-1].end : last.start]):
        return None
    return last.amount.value if isinstance(last.amount, Exact) else None


def _total_strength(tokens: list[_Token], mentions: list[_Mention], k: int) -> int:
    """How plainly mention k is stated as the total: a cue's strength, or 0."""
    mention = mentions[k]
    if _is_term(tokens, mention.end) or _is_term(tokens, mention.end + 1):
        return 0
    if _cue_after(tokens, mention):
        return _TOTAL
    # What follows the mention before this one may be that one's cue: "12 in total, 3 of them red".
    first = (_cue_after(tokens, mentions[k - 1]) or mentions[k - 1].end) if k else _MARGIN
    cue = _cue_before(tokens, mention.start, first)
    return 0 if cue and _opens_a_list(tokens, mentions, k) else cue


def _is_term(tokens: list[_Token], i: int) -> bool:
    """Whether an operator stands at i, so that the number before it is but a term of the total."""
    if tokens[i].text in _OPERATORS:
        return True
    after = tokens[i + 1]
    return tokens[i].text in _OPERATORS_BEFORE_NUMBERS and (bool(after.values) or after.text in _SMALL)


def _cue_after(tokens: list[_Token], mention: _Mention) -> int:
    """Where a cue that follows the number ends; 0 if none does."""
    for i in range(mention.end, min(mention.end + _AFTER_REACH, len(tokens) - _MARGIN)):
        if tokens[i].text in _SENTENCE_ENDS or tokens[i].text in _CLAUSE_ENDS or tokens[i].values:
            return 0
        cue = _CUES_AFTER.match(tokens, i)
        if cue is not None:
            return 0 if _is_cue_of_next(tokens, cue[1], mention) else cue[1]
    return 0


def _is_cue_of_next(tokens: list[_Token], i: int, mention: _Mention) -> bool:
    """Whether the cue that ends at i belongs to what follows: "3 blue, total 5"; but "5 in total: 3 blue"."""
    after = tokens[i]
    if after.text == ":":
        following = _number(tokens, i + 1)
        return following is not None and following[0] > max(mention.numbers, default=0.0)
    return bool(after.values) or after.text in _SMALL or after.text in ("of", "is", "=")


def _cue_before(tokens: list[_Token], start: int, first: int) -> int:
    strength = 0
    for i in range(start - 1, max(start - _CUE_REACH, first) - 1, -1):
        word = tokens[i].text
        if word in _SENTENCE_ENDS and not (word == "\n" and tokens[i - 1].text == ":"):
            break
        if word in _CUE_NEEDS and tokens[i - 1].text not in _CUE_NEEDS[word]:
            continue
        strength = max(strength, _CUES_BEFORE.get(word, 0))
    return strength


def _opens_a_list(tokens: list[_Token], mentions: list[_Mention], k: int) -> bool:
    """Whether the numbers after mention k are its equals, not its parts: "in total 2 cats and 3 dogs"."""
    rest = 0.0
    for later in mentions[k + 1 : k + 1 + _CUE_REACH]:
        between = tokens[mentions[k].end : later.start]
        if len(between) > 4 * _CUE_REACH or any(token.text in _SENTENCE_ENDS for token in between):
            break
        if later is mentions[k + 1] and between and between[-1].text in _JOINTS:
            return True
        rest += sum(later.numbers)
    return rest > sum(mentions[k].numbers)


def _geckonum(text: str) -> float | Unread:
    """Found by us in GeckoNum's release: it holds for all 431,425 rows, the paper's own words for 96.6 %."""
    first = text.split(",", 1)[0].replace("o", "0").replace("O", "0")
    if "10+" in first:
        return _GECKONUM_MANY
    numbers = [float(match[0]) for match in islice(re.finditer(r"\d+(?:\.\d+)?", first), 2)]
    if not numbers:
        return Unread("no number")
    mean = sum(numbers) / len(numbers)
    return _GECKONUM_MANY if mean > _GECKONUM_MANY - 1 else mean


_GECKONUM_MANY = 11.0  # its annotators chose from 0 to 10 and "10+"

_UNCHANGED = _set(
    "aircraft binoculars bison cod deer elk fish glasses goggles headphones jeans moose offspring pants pliers salmon"
    " scissors series sheep shorts shrimp spacecraft species squid sunglasses swine tights tongs trousers trout"
    " tweezers"
)
# Also as the end of a compound: goldfish, snowman, bookshelf, grandchild.
_ENDINGS = {
    "fish": "fish", "deer": "deer", "sheep": "sheep", "craft": "craft", "person": "people", "child": "children",
    "man": "men", "mouse": "mice", "louse": "lice", "tooth": "teeth", "foot": "feet", "goose": "geese",
    "leaf": "leaves", "loaf": "loaves", "shelf": "shelves", "knife": "knives", "wolf": "wolves", "wife": "wives",
    "half": "halves", "calf": "calves", "elf": "elves", "thief": "thieves", "sheaf": "sheaves",
    "scarf": "scarves", "hoof": "hooves", "dwarf": "dwarves",
}  # fmt: skip
_IRREGULAR = {
    "ox": "oxen", "life": "lives", "die": "dice", "quiz": "quizzes", "cactus": "cacti", "fungus": "fungi",
    "stomach": "stomachs",
    "monarch": "monarchs", "oasis": "oases", "crisis": "crises", "phenomenon": "phenomena", "passer-by": "passers-by",
    "passerby": "passersby", "bacterium": "bacteria",
}  # fmt: skip
_NOT_ENDINGS = _set("human german roman shaman ottoman talisman caiman mongoose specimen omen abdomen stamen")
_O_ES = _set("buffalo cargo domino echo embargo hero mango mosquito potato tomato tornado torpedo veto volcano")
# Nouns whose singular the endings of the plural alone would not give.
_HARD_SINGULARS = _words(
    "ache atlas avalanche axe axis basis bow-tie brioche brownie bus cache calorie canvas chassis collie cookie"
    " excuse fuse gas genie glass goalie headache hippie hoodie iris lens magpie moustache movie muse mustache necktie"
    " newbie niche oldie pelvis pinkie pixie prairie quiche rhinoceros rookie selfie smoothie sweetie toothache"
    " veggie zombie"
)
_PREPOSITION = r"(?i)\s(?:of|in|on|with|from|for|at|to|without)\s|-(?:in|of|on|at|to)-"

_LONGEST_INITIALISM = 3  # X, TV, MRI; longer capitals (NASA) are mostly said as words
_VOWEL_SOUND = r"hour|honest|honou?r|heir|herb(?!i)|8|1[18](?!\d)"  # eight, eleven, eighteen
_CONSONANT_SOUND = r"eu|ewe|ouija|once\b|one\b|uni(?![mn]|d[eio])|ubiq|ufo|uk|ur(?:an|et|in|ol)|us[aeiu]|ut[eio]|u\b"


def _inflect(noun: str, inflect_word: Callable[[str], str]) -> str:
    """Inflect the head of a noun phrase: the last word before the first preposition."""
    preposition = re.search(_PREPOSITION, noun)
    head, rest = (noun[: preposition.start()], noun[preposition.start() :]) if preposition else (noun, "")
    before, space, word = head.rpartition(" ")
    changed = inflect_word(word.lower())
    if word.isupper() and len(word) > 1:
        changed = changed.upper()
    elif word[:1].isupper():
        changed = changed[:1].upper() + changed[1:]
    return before + space + changed + rest


def _plural_word(word: str) -> str:
    if not word or word in _UNCHANGED:
        return word
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    ending = _ending(word, _ENDINGS)
    if ending is not None:
        return ending
    if word in _O_ES or re.search(r"(?:s|x|z|ch|sh)$", word):
        return word + "es"
    if re.search(r"(?:[^aeiou]|qu)y$", word):
        return word[:-1] + "ies"
    return word + "s"


def _ending(word: str, endings: dict[str, str]) -> str | None:
    if word in _NOT_ENDINGS:
        return None
    for old, new in endings.items():
        if word.endswith(old):
            return word.removesuffix(old) + new
    return None


def _singular_word(word: str) -> str:
    if word in _SINGULARS or word in _UNCHANGED:
        return _SINGULARS.get(word, word)
    ending = _ending(word, _SINGULAR_ENDINGS)
    if ending is not None:
        return ending
    for pattern, replacement in _SINGULAR_RULES:
        if re.search(pattern, word):
            return re.sub(pattern, replacement, word)
    return word


_SINGULAR_ENDINGS = {new: old for old, new in _ENDINGS.items()}
_SINGULARS = (
    {_plural_word(word): word for word in (*_HARD_SINGULARS, *_O_ES)}
    | {new: old for old, new in _IRREGULAR.items()}
    | {word: word for word in (*_HARD_SINGULARS, *_IRREGULAR)}
    | {"persons": "person"}
)
_SINGULAR_RULES = (
    (r"(?:ss|us)$", r"\g<0>"),
    (r"^(.ie)s$", r"\1"),
    (r"ies$", "y"),
    (r"(ch|sh|ss|x|zz|tz)es$", r"\1"),
    (r"([^o]us)es$", r"\1"),
    (r"s$", ""),
)
