"""Reads prompts by the grammar of GIMBRR's tasks: the inverse of `prompts.write_prompt`."""

import re
from dataclasses import replace

from subitize.language import final, mentions
from subitize.language.counted import quoted_texts
from subitize.language.nouns import singular
from subitize.papers.gimbrr.prompts import (
    KINDS,
    RELATIONS,
    Absence,
    Action,
    Attribute,
    Chimera,
    Choice,
    GimbrrTask,
    Meaning,
    ObjectCounts,
    Objects,
    SpatialRelation,
    WrittenText,
    are_common,
)


def read_prompt(task: GimbrrTask, text: str) -> Meaning | None:
    """Parse a text by its task's grammar; None if it does not fit.

    Articles are optional. For choices, the target is known only if an adjective or one of our categories names it.
    """
    pattern = _PATTERNS[task.key]
    found = pattern.fullmatch(text.strip())
    if found is None:
        return None
    one, other = (re.sub(_ARTICLE, "", part or "", flags=re.IGNORECASE) for part in found.group("one", "other"))
    match task.key:
        case "single" | "controlled-single":
            return Objects((one,))
        case "multiple":
            nouns = tuple(part.strip() for part in text.split(","))
            return Objects(nouns, are_common(nouns))
        case "controlled-multiple":
            return Objects((one, other))
        case "counting" | "controlled-counting" | "controlled-two-counting" | "arithmetic" | "controlled-arithmetic":
            return _read_counted(found, one, other)
        case "spatial":
            return SpatialRelation(one, found["how"], other)
        case "actions" | "unusual":
            actor = one.lower() if task.key == "actions" else one
            return Action(actor, found["how"], other, f"{found['how']} {found['other']}")
        case "conditional":
            return _read_choice(one, other, found["how"])
        case "compositional":
            return Attribute(one, other)
        case "negation":
            return Absence(one, singular(other), f"{found['how']} {found['other']}")
        case "chimeras":
            parts = (part.partition(" of ") for part in re.split(r" and the ", found["other"]))
            return Chimera(one, tuple((part, re.sub(_ARTICLE, "", donor)) for part, _, donor in parts))
        case _:
            return WrittenText(one, found["how"], quoted_texts(text))


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


def _read_counted(found: re.Match[str], one: str, other: str) -> ObjectCounts | None:
    groups = found.groupdict()
    number = _read_number(groups["number"])
    if number is None:
        return None
    things = ((singular(one), number),)
    if not other:
        return ObjectCounts(things)
    operation = groups.get("how", "")
    second = _work_out(number, operation) if operation else _read_number(groups["second"])
    return None if second is None else ObjectCounts((*things, (singular(other), second)), operation)


def _read_number(word: str) -> int | None:
    number = final.read_number(word, "strict")
    return None if isinstance(number, mentions.NoValue) else int(number)


_FACTORS = {"twice": 2.0, "three times": 3.0, "four times": 4.0, "half": 1 / 2, "a third": 1 / 3, "a quarter": 1 / 4}


def _work_out(number: int, operation: str) -> int | None:
    return round(number * _FACTORS[operation]) if operation in _FACTORS else None


def _read_choice(first: str, second: str, wanted: str) -> Choice | None:
    """Find the target by its adjective or kind."""
    adjective = wanted.partition(" ")[0]
    said = Choice("", "", first, second.strip(), wanted, None, None)
    for position, (one, other) in enumerate(((said.first, said.second), (said.second, said.first)), start=1):
        if one.startswith(f"{adjective} "):
            nouns = (noun.partition(" ")[2] for noun in (one, other))
            return replace(said, shown=next(nouns), absent=next(nouns), position=position, has_adjective=True)
        if one in KINDS.get(wanted, ()):
            return replace(said, shown=one, absent=other, position=position, has_adjective=False)
    return said
