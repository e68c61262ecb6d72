"""What the prompts of each task say, how it is written, and how it is read from the text again."""

import re
from dataclasses import dataclass, replace

from subitize.language import final, mentions
from subitize.language.counted import quoted_texts
from subitize.language.nouns import plural, singular
from subitize.language.numbers import in_words
from subitize.papers.gimbrr.tasks import Task
from subitize.papers.gimbrr.words import KINDS, a, are_common

RELATIONS = ("on top of", "under", "behind", "in front of", "to the left of", "to the right of")


@dataclass(frozen=True, slots=True)
class Shown:
    """Things of these classes; of several it may be told whether they are commonly seen together."""

    nouns: tuple[str, ...]
    is_common: bool | None = None


@dataclass(frozen=True, slots=True)
class Counted:
    """So many of each; with an operation the second number is to be worked out of the first."""

    things: tuple[tuple[str, int], ...]
    operation: str = ""


@dataclass(frozen=True, slots=True)
class Placed:
    """One thing in a relation to another."""

    subject: str
    relation: str
    landmark: str


@dataclass(frozen=True, slots=True)
class Acting:
    """Someone does something to another; the deed is all that follows the actor: "looking at a bag"."""

    actor: str
    verb: str
    other: str
    deed: str


@dataclass(frozen=True, slots=True)
class Choice:
    """One of two things, the one that is of the wanted kind; `first` and `second` are what stands in the text."""

    shown: str
    absent: str
    first: str
    second: str
    wanted: str
    position: int | None
    has_adjective: bool | None


@dataclass(frozen=True, slots=True)
class Having:
    """A thing and what it has: "golden mane", "red wheels"."""

    noun: str
    attribute: str


@dataclass(frozen=True, slots=True)
class Lacking:
    """A thing or place and what is not there; the lack is how it is said: "without any flowers"."""

    noun: str
    absent: str
    lack: str


@dataclass(frozen=True, slots=True)
class Chimera:
    """An animal with parts of others, each a part and its donor."""

    body: str
    parts: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Written:
    """A thing and the texts that are written on it; the phrase leads to them: "with the title"."""

    noun: str
    phrase: str
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Unread:
    """A prompt of the authors' outside its task's grammar: classes are known, parts are not."""

    nouns: tuple[str, ...]
    absent: str


Meaning = Shown | Counted | Placed | Acting | Choice | Having | Lacking | Chimera | Written | Unread


def classes_of(meaning: Meaning) -> tuple[str, ...]:
    """List the classes to be shown, never one that is rejected or negated."""
    match meaning:
        case Shown(nouns=nouns) | Unread(nouns=nouns):
            return nouns
        case Counted(things=things):
            return tuple(noun for noun, _ in things)
        case Placed(subject=one, landmark=other) | Acting(actor=one, other=other):
            return one, other
        case Choice(shown=noun) | Having(noun=noun) | Lacking(noun=noun) | Written(noun=noun):
            return (noun,)
        case Chimera(body=body, parts=parts):
            return tuple(dict.fromkeys((body, *(donor for _, donor in parts))))


def write_prompt(task: Task, meaning: Meaning) -> str:
    """Write what a task's prompt says."""
    match meaning:
        case Shown(nouns=nouns):
            return " and ".join(map(a, nouns)) if task.key.startswith("controlled") else ", ".join(nouns)
        case Counted(things=((noun, number),)):
            return f"{in_words(number)} {plural(noun)}"
        case Counted(things=((noun, number), (other, other_number)), operation=operation):
            many = f"{operation} as many" if operation else in_words(other_number)
            return f"{in_words(number)} {plural(noun)} and {many} {plural(other)}"
        case Placed():
            return f"{a(meaning.subject)} {meaning.relation} {a(meaning.landmark)}"
        case Acting(actor=actor, deed=deed):
            return f"{actor.capitalize() if task.key == 'actions' else a(actor)} {deed}"
        case Choice():
            return f"{_begin(a(meaning.first))} or {a(meaning.second)} - only render {meaning.wanted}"
        case Having(noun=noun, attribute=attribute):
            return f"{_begin(a(noun))} with {with_article(attribute)}"
        case Lacking(noun=noun, lack=lack):
            return f"{a(noun)} {lack}"
        case Chimera(body=body, parts=parts):
            return f"{a(body)} with {' and '.join(f'the {part} of {a(donor)}' for part, donor in parts)}"
        case Written(noun=noun, phrase=phrase, texts=(text, *_)):
            return f'{_begin(a(noun))} {phrase} "{text}"'
    raise TypeError(f"{task.title} has no prompt that says {meaning}")


def with_article(attribute: str) -> str:
    """Put what a thing has: "a golden mane", "red wheels"."""
    word = attribute.split()[-1]
    return attribute if singular(word) != word else a(attribute)


def read_prompt(task: Task, text: str) -> Meaning | None:
    """Read a text by its task's grammar; None where it follows another.

    Articles may be missing, as they are in some of the authors' prompts. Which of two things is wanted is known of our
    own kinds and of stated adjectives.
    """
    pattern = _PATTERNS[task.key]
    found = pattern.fullmatch(text.strip())
    if found is None:
        return None
    one, other = (re.sub(_ARTICLE, "", part or "", flags=re.IGNORECASE) for part in found.group("one", "other"))
    match task.key:
        case "single" | "controlled-single":
            return Shown((one,))
        case "multiple":
            nouns = tuple(part.strip() for part in text.split(","))
            return Shown(nouns, are_common(nouns))
        case "controlled-multiple":
            return Shown((one, other))
        case "counting" | "controlled-counting" | "controlled-two-counting" | "arithmetic" | "controlled-arithmetic":
            return _read_counted(found, one, other)
        case "spatial":
            return Placed(one, found["how"], other)
        case "actions" | "unusual":
            actor = one.lower() if task.key == "actions" else one
            return Acting(actor, found["how"], other, f"{found['how']} {found['other']}")
        case "conditional":
            return _read_choice(one, other, found["how"])
        case "compositional":
            return Having(one, other)
        case "negation":
            return Lacking(one, singular(other), f"{found['how']} {found['other']}")
        case "chimeras":
            parts = (part.partition(" of ") for part in re.split(r" and the ", found["other"]))
            return Chimera(one, tuple((part, re.sub(_ARTICLE, "", donor)) for part, _, donor in parts))
        case _:
            return Written(one, found["how"], quoted_texts(text))


def _begin(text: str) -> str:
    return text[:1].upper() + text[1:]


_ARTICLE = r"^(?:an?|some) "
_ONE, _OTHER = "(?P<one>.+?)", "(?P<other>.+)"
_NUMBER = "(?P<number>[a-z]+)"
_OPERATION = "(?P<how>twice|half|an? [a-z]+|[a-z]+ times) as many"
_PATTERNS = {
    task: re.compile(pattern)
    for task, pattern in {
        **dict.fromkeys(("single", "controlled-single"), f"(?P<one>.+){_OTHER}{{0}}"),
        "multiple": f"{_ONE}, {_OTHER}",
        "controlled-multiple": f"{_ONE} and {_OTHER}",
        **dict.fromkeys(("counting", "controlled-counting"), f"{_NUMBER} (?P<one>.+){_OTHER}{{0}}"),
        **dict.fromkeys(("arithmetic", "controlled-arithmetic"), f"{_NUMBER} {_ONE} and {_OPERATION} {_OTHER}"),
        "controlled-two-counting": f"{_NUMBER} {_ONE} and (?P<second>[a-z]+) {_OTHER}",
        "spatial": f"{_ONE} (?P<how>{'|'.join(RELATIONS)}) {_OTHER}",
        "actions": "(?P<one>[A-Z][A-Za-z ]*?) (?P<how>[a-z]+ing(?: at| on)?) (?P<other>an? .+)",
        "unusual": f"{_ONE} (?P<how>[a-z]+ing(?: [a-z]+)?) (?P<other>an? .+)",
        "conditional": rf"(?i:{_ONE} or {_OTHER} ?- ?only render (?P<how>.+))",
        "compositional": f"(?P<one>.+?) with {_OTHER}",
        "negation": f"{_ONE} (?P<how>without any|with no|without an?) {_OTHER}",
        "chimeras": f"{_ONE}(?: with)? the {_OTHER}",
        "text": rf'{_ONE} (?P<how>(?:that|with|advertising)\b[^"]*) "(?P<other>[^"]+)"',
    }.items()
}  # fmt: skip


def _read_counted(found: re.Match[str], one: str, other: str) -> Counted | None:
    told = found.groupdict()
    number = _read_number(told["number"])
    if number is None:
        return None
    things = ((singular(one), number),)
    if not other:
        return Counted(things)
    operation = told.get("how", "")
    second = _work_out(number, operation) if operation else _read_number(told["second"])
    return None if second is None else Counted((*things, (singular(other), second)), operation)


def _read_number(word: str) -> int | None:
    number = final.read_number(word, "strict")
    return None if isinstance(number, mentions.NoValue) else int(number)


_FACTORS = {"twice": 2.0, "three times": 3.0, "four times": 4.0, "half": 1 / 2, "a third": 1 / 3, "a quarter": 1 / 4}


def _work_out(number: int, operation: str) -> int | None:
    return round(number * _FACTORS[operation]) if operation in _FACTORS else None


def _read_choice(first: str, second: str, wanted: str) -> Choice | None:
    """Find the wanted one by its adjective, or by its kind."""
    adjective = wanted.partition(" ")[0]
    said = Choice("", "", first, second.strip(), wanted, None, None)
    for position, (one, other) in enumerate(((said.first, said.second), (said.second, said.first)), start=1):
        if one.startswith(f"{adjective} "):
            nouns = (noun.partition(" ")[2] for noun in (one, other))
            return replace(said, shown=next(nouns), absent=next(nouns), position=position, has_adjective=True)
        if one in KINDS.get(wanted, ()):
            return replace(said, shown=one, absent=other, position=position, has_adjective=False)
    return said
