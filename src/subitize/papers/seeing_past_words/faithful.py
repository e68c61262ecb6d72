"""The paper's own templates from question to statement, with all their slips (appendix A.2, and what was released)."""

import re

_HOW_MANY = re.compile("how many", re.IGNORECASE)
_ARE_THERE, _CAN_YOU_SEE, _DO_YOU_SEE, _HAVE = (
    re.compile(rf"{key}\b") for key in (" are there", " can you see", " do you see", " have")
)
_SINGULARS = {"people": "person", "men": "man", "women": "woman"}
_FOURTH = 3  # the only word whose final s goes, whatever it is: "1 yellow cars", "1 tenni rackets"


def fill_faithfully(question: str, number: str, *, is_one: bool) -> str | None:
    """Write the statement as the authors' templates do, ungrammatical or not; None where none of them fits.

    `number` may be anything that stands in place of it, a gap for one.
    """
    found = _HOW_MANY.search(question)
    sentence = _fill_template(question[found.end() :].replace("?", ""), number) if found else None
    if sentence is None:
        return None
    return (_make_singular(sentence) if is_one else sentence) + "."


def _fill_template(rest: str, number: str) -> str | None:
    """Take the first template whose key is in what follows "How many", which begins with a blank."""
    if _ARE_THERE.search(rest):
        return f"There are {number}{_ARE_THERE.sub('', rest, count=1)}"
    if _CAN_YOU_SEE.search(rest):
        return re.sub(" +", " ", f"You see {number}{_CAN_YOU_SEE.sub(' ', rest, count=1)}")
    if _DO_YOU_SEE.search(rest):
        return f"There are {number}{_DO_YOU_SEE.sub('', rest, count=1)}"
    if " are " in rest:
        return f"There are {number}{rest.replace(' are ', ' ')}"
    if " can " in rest:
        return f"{number}{rest}"
    if " do " in rest and _HAVE.search(rest):
        counted, _, owners = rest.partition(" do ")
        return f"{_capitalise(owners)} {number}{counted}"
    if " does " in rest and _HAVE.search(rest):
        counted, _, owning = rest.partition(" does ")
        owner, _, more = owning.partition(" have")
        return f"{_capitalise(owner)} has {number}{counted}{more}"
    if " have " in rest:
        return f"{number}{rest}"
    if any(verb in rest for verb in (" is ", " will ", " does ", " has ")):
        return None
    return f"There are {number}{rest}"


def _make_singular(sentence: str) -> str:
    words = sentence.replace("There are ", "There is ").split(" ")
    if len(words) > _FOURTH:
        word = _SINGULARS.get(words[_FOURTH], words[_FOURTH])
        words[_FOURTH] = word if word == "has" else word.removesuffix("s")
    return " ".join(words)


def _capitalise(text: str) -> str:
    return text[:1].upper() + text[1:]
