"""The paper's own templates from question to statement, with all their slips (appendix A.2, and what was released)."""

import re

_HOW_MANY = "how many"
_SINGULARS = {"people": "person", "men": "man", "women": "woman"}
_FOURTH = 3  # the only word whose final s goes, whatever it is: "1 yellow cars", "1 tenni rackets"


def fill_faithfully(question: str, number: str, *, is_one: bool) -> str | None:
    """Write the statement as the authors' templates do, ungrammatical or not; None where none of them fits.

    `number` may be anything that stands in place of it, a gap for one.
    """
    start = 0 if question.startswith("How many") else question.lower().find(_HOW_MANY)
    sentence = None if start < 0 else _fill_template(question[start + len(_HOW_MANY) :].replace("?", ""), number)
    if sentence is None:
        return None
    return (_make_singular(sentence) if is_one else sentence) + "."


def _fill_template(rest: str, number: str) -> str | None:
    """Take the first template whose key is in what follows "How many", which begins with a blank."""
    if " are there" in rest and (parts := _part(rest, " are there")):
        return f"There are {number}{parts[0]}{parts[1]}"
    if " you see" in rest and (parts := _part(rest, " can you see")):
        return re.sub(" +", " ", f"You see {number}{parts[0]} {parts[1]}")
    if " you see" in rest and (parts := _part(rest, " do you see")):
        return f"There are {number}{parts[0]}{parts[1]}"
    if " are " in rest:
        return f"There are {number}{rest.replace(' are ', ' ')}"
    if " can " in rest:
        return f"{number}{rest}"
    if " do " in rest and _part(rest, " have"):
        counted, _, owners = rest.partition(" do ")
        return f"{_capitalise(owners)} {number}{counted}"
    if " does " in rest and _part(rest, " have"):
        counted, _, owning = rest.partition(" does ")
        owner, _, more = owning.partition(" have")
        return f"{_capitalise(owner)} has {number}{counted}{more}"
    if " have " in rest:
        return f"{number}{rest}"
    if " is " in rest or " will " in rest or " does " in rest or " has " in rest:
        return None
    return f"There are {number}{rest}"


def _part(text: str, key: str) -> tuple[str, str] | None:
    """Part a text at the first place where a key ends with a whole word; None if there is no such place."""
    place = text.find(key)
    while place >= 0:
        end = place + len(key)
        if not text[end : end + 1].isalnum():
            return text[:place], text[end:]
        place = text.find(key, end)
    return None


def _make_singular(sentence: str) -> str:
    words = sentence.replace("There are ", "There is ").split(" ")
    if len(words) > _FOURTH:
        word = _SINGULARS.get(words[_FOURTH], words[_FOURTH])
        words[_FOURTH] = word if word == "has" else word.removesuffix("s")
    return " ".join(words)


def _capitalise(text: str) -> str:
    return text[:1].upper() + text[1:]
