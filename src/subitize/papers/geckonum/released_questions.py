"""The questions that GeckoNum's annotators were really asked, as the asks of its items."""

import re
from collections.abc import Mapping
from dataclasses import replace

from subitize.language import nouns
from subitize.language.questions import line_codes
from subitize.papers.geckonum.items import items_of
from subitize.papers.geckonum.release import Release
from subitize.records import Ask, Choose, Confirm, Count, Item, Place

_RELATION = re.compile(r"How many (.+) are (?:to the )?(above|below|left of|right of) (.+)\?")
_NUMBERED = re.compile(r"\d|\b(one|two|three|four|five|half|halves|thirds|quarters?|single)\b")


def released_items(release: Release) -> list[Item]:
    """Make the items of the released prompts, with the questions that were really put about them."""
    put: dict[str, dict[str, Ask]] = {}
    items = {item.id: item for item in items_of(release.prompts)}
    _check_lines(release, items)
    for task in {1, 3} & set(release.answers):
        questions = release.answers[task].unique(["prompt", "question_id", "question"], maintain_order=True)
        for row in questions.sort("prompt", "question_id").iter_rows(named=True):
            item = items[f"geckonum/{row['prompt']}"]
            if item.factors["task"] != task:
                raise release.error(task, row, f"{row['prompt']} is a prompt of Task {item.factors['task']}")
            ask = _released_ask(item, row["question"])
            if ask is None:
                raise release.error(task, row, f"question {row['question']!r} does not follow from {row['prompt']}")
            known = put.setdefault(item.id, {}).setdefault(ask.question.id, ask)
            if known.wording != ask.wording:
                raise release.error(task, row, f"question {ask.wording!r} is put as {known.wording!r} elsewhere")
    return [replace(item, asks=tuple(put[id].values())) if id in put else item for id, item in items.items()]


def _released_ask(item: Item, question: str) -> Ask | None:
    """Find the ask of a released question; a few that were garbled in the making are kept as they were put."""
    if item.factors["task"] == 3:
        return Ask(Confirm(question, is_informed=bool(_NUMBERED.search(question))), question, (True,))
    own = {ask.wording: ask for ask in item.asks}
    garbled = _RELATION.fullmatch(question)
    if question in own or garbled is None:
        return own.get(question)
    noun, relation, landmark = garbled.groups()
    for meant in item.asks:
        # "How many cinnamon sticks are below sticks?" asks how many burgers are below the cinnamon sticks.
        if isinstance(meant.question, Count) and meant.question.place and meant.question.place.relation == relation:
            place = Place(meant.question.place.relation, nouns.singular(landmark))
            return Ask(Count(nouns.singular(noun), place=place), question, meant.expects)
    return None


def _check_lines(release: Release, items: Mapping[str, Item]) -> None:
    """Refuse lines that do not follow from their prompts, or that have another code than theirs."""
    answers = release.answers.get(2)
    if answers is None:
        return
    for row in answers.unique(["prompt", "raw", "value"], maintain_order=True).iter_rows(named=True):
        question = items[f"geckonum/{row['prompt']}"].asks[0].question
        if not isinstance(question, Choose):
            raise release.error(2, row, f"image_id of {row['prompt']}: its prompt is none of Task 2")
        codes = dict(zip(question.lines, line_codes(question), strict=True))
        if codes.get(row["raw"]) != row["value"]:
            code = codes.get(row["raw"], "none: it is not one of its lines")
            raise release.error(2, row, f"answer_num {row['value']:g} of {row['raw']!r} should be {code}")
