"""Checks that the parts of a suite file fit together."""

from subitize.suites.files.combinations import MOST_COMBINATIONS, MOST_ITEMS, count_combinations
from subitize.suites.files.definitions import Definition


def check_definition(said: Definition) -> None:
    """Refuse what no items can be made of."""
    _check_lists(said)
    _check_size(said)
    _check_gaps(said)
    _check_kinds(said)
    _check_blind(said)


def _check_lists(said: Definition) -> None:
    used = {name for prompt in said.prompts.values() for one in said.groups(prompt) for name in one.names}
    for words in said.words:
        if words.names[0] not in used:
            raise words.place.error(f"no prompt names {words.names[0]!r}; write {{{words.names[0]}}} into one")


def _check_size(said: Definition) -> None:
    """Refuse more items than are made, and more combinations than a sample can be drawn from."""
    counts = {name: count_combinations(said.groups(prompt)) for name, prompt in said.prompts.items()}
    total, most = sum(counts.values()), MOST_COMBINATIONS if said.sample else MOST_ITEMS // said.pictures
    if said.sample * said.pictures > MOST_ITEMS:
        raise said.place_of("sample").error(
            f"{said.sample * said.pictures:,} items; at most {MOST_ITEMS:,}: take fewer prompts or pictures"
        )
    if total > most:
        largest = said.groups(said.prompts[max(counts, key=lambda name: counts[name])])
        sizes = " × ".join(f"{len(one.rows):,} {', '.join(one.names)}" for one in largest)
        remedy = "shorten a list" if said.sample else "shorten a list, or add sample: 1000"
        raise said.place_of("words").error(f"{total:,} combinations ({sizes}); at most {most:,}: {remedy}")


def _check_gaps(said: Definition) -> None:
    """Refuse a question or factor about words that a prompt does not have."""
    about = [one for question in said.ask for one in question.templates]
    for prompt in said.prompts.values():
        known = {name for one in said.groups(prompt) for name in one.names}
        for one in (*about, *said.factors.values()):
            for name in one.lists:
                if name not in known:
                    raise one.text.place.error(f"{one.text}: the prompt {prompt.text} has no {{{name}}}")


def _check_kinds(said: Definition) -> None:
    kinds = {question.kind for question in said.ask}
    for question in said.ask:
        if question.kind == "text" and "match" not in kinds:
            raise question.place.error("text is looked for as a part of a match; add match to ask")
    if said.show and said.singles:
        raise said.place_of("singles").error("singles are drawn, and this suite shows pictures; leave it out")
    if not said.show and said.pictures > 1:
        raise said.place_of("pictures").error("pictures are those of show; for several drawings: repeats")


def _check_blind(said: Definition) -> None:
    """Refuse a text that tells the number which it asks for."""
    counts = [question for question in said.ask if question.kind == "count"]
    told = [one.wording for one in counts if one.wording]
    right = [name for one in counts for template in one.expects for name in template.lists]
    if said.show and (counts or not said.ask):
        told += said.prompts.values()
        right += said.show.lists
    for one in told:
        for name in one.lists:
            if name in right and name in said.number_lists:
                raise one.text.place.error(f"{one.text}: {{{name}}} gives the answer away; leave it out")
