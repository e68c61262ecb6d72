"""New prompts of every task, drawn at random from our word lists; the same seed always gives the same ones.

Conditions that a task fixes (numbers, relations, common or not, …) take turns, so that any prefix of a task's prompts
is balanced."""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from itertools import chain, cycle, islice
from random import Random
from typing import Any

from subitize.language.nouns import plural
from subitize.papers.gimbrr import prompts

PER_TASK = 100
"""Prompts per task (as in the directory)."""

_MOST_TRIES = 500
_COUNTED = prompts.split(prompts.WORDS["counted"]["nouns"])
_OPERATIONS: tuple[tuple[int, str, int], ...] = tuple(tuple(one) for one in prompts.WORDS["counted"]["operations"])
_CONTROLLED_NUMBERS = (2, 4, 6, 8, 12)


@cache
def generate(seed: int) -> Mapping[str, tuple[prompts.Meaning, ...]]:
    """Draw the prompts of each task; seed 0 is the standard set, with which others share only bare nouns."""
    random = Random(f"gimbrr {seed}")
    standard = generate(0) if seed else {}
    drawn = {
        task.key: _draw_task(task, random, {prompts.write_prompt(task, one) for one in standard.get(task.key, ())})
        for task in prompts.TASKS
    }
    pairs = _draw_pairs(random) if seed else tuple((one, other) for one, other in prompts.WORDS["counted"]["pairs"])
    drawn |= _control(pairs)
    nouns = dict.fromkeys(noun for meanings in drawn.values() for one in meanings for noun in prompts.classes_of(one))
    return {**drawn, prompts.SINGLE.key: tuple(prompts.Objects((noun,)) for noun in sorted(nouns))}


def _draw_task(task: prompts.GimbrrTask, random: Random, taken: Collection[str]) -> tuple[prompts.Meaning, ...]:
    """Draw distinct prompts, one of each condition in turn."""
    (conditions, draw), seen = _DRAWN[task.key], set(taken)
    drawn: list[prompts.Meaning] = []
    for condition in islice(cycle(conditions), PER_TASK):
        for _ in range(_MOST_TRIES):
            meaning = draw(condition, random)
            if prompts.write_prompt(task, meaning) not in seen:
                break
        else:
            raise AssertionError(f"the words of {task.title!r} are used up")
        seen.add(prompts.write_prompt(task, meaning))
        drawn.append(meaning)
    return tuple(drawn)


def _count(number: int, random: Random) -> prompts.ObjectCounts:
    return prompts.ObjectCounts(((random.choice(_COUNTED), number),))


def _work_out(operation: tuple[int, str, int], random: Random) -> prompts.ObjectCounts:
    return _apply(operation, random.sample(_COUNTED, 2))


def _apply(operation: tuple[int, str, int], nouns: Sequence[str]) -> prompts.ObjectCounts:
    first, word, second = operation
    return prompts.ObjectCounts(((nouns[0], first), (nouns[1], second)), word)


def _show(condition: tuple[int, bool], random: Random) -> prompts.Objects:
    """Draw things of one place, commonly seen together, or each of another."""
    number, is_common = condition
    while True:
        if is_common:
            nouns = tuple(random.sample(random.choice(sorted(prompts.PLACES.values())), number))
        else:
            nouns = tuple(
                random.choice(prompts.PLACES[place]) for place in random.sample(sorted(prompts.PLACES), number)
            )
        if len(set(nouns)) == number and prompts.are_common(nouns) == is_common:
            return prompts.Objects(nouns, is_common)


def _act(verb: str, random: Random) -> prompts.Action:
    words = prompts.WORDS["actions"]
    return _do(random.choice(prompts.split(words["animals"])), verb, random.choice(prompts.split(words["objects"])))


def _do(actor: str, verb: str, other: str) -> prompts.Action:
    return prompts.Action(actor, verb, other, f"{verb} {prompts.a(other)}")


def _place(relation: str, random: Random) -> prompts.SpatialRelation:
    subject, landmark = random.choice(_possible_pairs(relation))
    return prompts.SpatialRelation(subject, relation, landmark)


@cache
def _possible_pairs(relation: str) -> list[tuple[str, str]]:
    """List what can be where relative to what: not crushed, hidden, or too small to be seen."""
    words = prompts.WORDS["spatial"]
    sizes = {noun: size for size, nouns in enumerate(words["sizes"]) for noun in prompts.split(nouns)}
    tops, covers = prompts.split(words["tops"]), prompts.split(words["covers"])

    def fits(one: str, other: str) -> bool:
        larger = sizes[other] - sizes[one]
        match relation:
            case "on top of":
                return other in tops and larger > 0
            case "under":
                return other in covers and larger > 0
            case "behind":
                return -1 <= larger <= 0
            case "in front of":
                return 0 <= larger <= 1
        return abs(larger) <= 1

    return [(one, other) for one in sizes for other in sizes if one != other and fits(one, other)]


_DEEDS, _DEEDS_OF_THINGS = (prompts.split_each(prompts.WORDS["unusual"][name]) for name in ("deeds", "deeds_of_things"))


def _do_the_unusual(condition: tuple[str, str], random: Random) -> prompts.Action:
    actors, verb = condition
    other = random.choice((_DEEDS | _DEEDS_OF_THINGS)[verb])
    return _do(
        random.choice([one for one in prompts.split(prompts.WORDS["unusual"][actors]) if one != other]), verb, other
    )


def _choose(condition: tuple[int, bool], random: Random) -> prompts.Choice:
    position, has_adjective = condition
    return _choose_by_adjective(position, random) if has_adjective else _choose_by_kind(position, random)


def _choose_by_adjective(position: int, random: Random) -> prompts.Choice:
    words = prompts.WORDS["conditional"]["adjectives"]
    nouns = random.sample(prompts.split(words["nouns"]), 2)
    adjectives = random.sample(prompts.split(random.choice(words["adjectives"])), 2)
    first, second = (f"{adjective} {noun}" for adjective, noun in zip(adjectives, nouns, strict=True))
    shown, absent = nouns if position == 1 else reversed(nouns)
    return prompts.Choice(
        shown, absent, first, second, f"{adjectives[position - 1]} objects", position, has_adjective=True
    )


def _choose_by_kind(position: int, random: Random) -> prompts.Choice:
    kind, another = random.sample(sorted(prompts.KINDS), 2)
    shown, absent = random.choice(prompts.KINDS[kind]), random.choice(prompts.KINDS[another])
    first, second = (shown, absent) if position == 1 else (absent, shown)
    return prompts.Choice(shown, absent, first, second, kind, position, has_adjective=False)


def _have(noun: str, random: Random) -> prompts.Attribute:
    words = prompts.WORDS["compositional"]
    part = random.choice(prompts.split(words["parts"][noun]))
    named = plural(part[1:]) if part.startswith("*") else part  # things that exist in several
    return prompts.Attribute(noun, f"{random.choice(prompts.split(words['adjectives']))} {named}")


def _lack(lack: str, random: Random) -> prompts.Absence:
    things: Mapping[str, str] = prompts.WORDS["negation"]["one" if lack == "without a" else "any"]
    noun, absent = random.choice([(noun, one) for noun, absent in things.items() for one in prompts.split(absent)])
    if lack == "without a":
        return prompts.Absence(noun, absent, f"without {prompts.a(absent)}")
    name = absent.removeprefix("~")  # things that are not counted
    return prompts.Absence(noun, name, f"{lack} {name if absent.startswith('~') else plural(name)}")


def _compose(number: int, random: Random) -> prompts.Chimera:
    """Give an animal parts of others: not its own, and none that another's head brings along."""
    words = prompts.WORDS["chimeras"]
    donors_of: Mapping[str, str] = words["parts"]
    while True:
        body, parts = random.choice(prompts.split(words["bodies"])), random.sample(sorted(donors_of), number)
        donors = [random.choice(prompts.split(donors_of[part])) for part in parts]
        is_clear = "head" not in parts or not set(parts) & set(prompts.split(words["on_the_head"]))
        if (
            is_clear
            and len({body, *donors}) == number + 1
            and not any(body in prompts.split(donors_of[part]) for part in parts)
        ):
            return prompts.Chimera(body, tuple(zip(parts, donors, strict=True)))


def _write(carrier: tuple[str, str, Sequence[str]], random: Random) -> prompts.WrittenText:
    noun, phrase, texts = carrier
    slots = {name: random.choice(prompts.split(words)) for name, words in prompts.WORDS["text"]["slots"].items()}
    return prompts.WrittenText(noun, phrase, (random.choice(texts).format(**slots),))


# The conditions of each task, which take turns, and the function that draws a prompt under one of them.
_DRAWN: dict[str, tuple[Sequence[Any], Callable[[Any, Random], prompts.Meaning]]] = {
    "conditional": ([(1, False), (2, True), (2, False), (1, True)], _choose),
    "arithmetic": (_OPERATIONS, _work_out),
    "negation": (["without any", "with no", "without any", "with no", "without a"], _lack),
    "actions": (prompts.split(prompts.WORDS["actions"]["verbs"]), _act),
    "spatial": (prompts.RELATIONS, _place),
    "unusual": (
        [*((actors, verb) for verb in _DEEDS for actors in ("animals", "things")),
         *(("things", verb) for verb in _DEEDS_OF_THINGS)],
        _do_the_unusual,
    ),
    "compositional": (list(prompts.WORDS["compositional"]["parts"]), _have),
    "chimeras": ([1, 2], _compose),
    "counting": (range(2, 13), _count),
    "text": (prompts.WORDS["text"]["carriers"], _write),
    "multiple": ([(4, True), (4, False), (2, True), (2, False), (3, True), (3, False)], _show),
}  # fmt: skip


def _draw_pairs(random: Random) -> tuple[tuple[str, str], ...]:
    nouns = random.sample(_COUNTED, 2 * len(prompts.WORDS["counted"]["pairs"]))
    return tuple(zip(nouns[::2], nouns[1::2], strict=True))


def _control(pairs: Sequence[tuple[str, str]]) -> dict[str, tuple[prompts.Meaning, ...]]:
    """Request more and more of the same things: one, two, a number, a number of each, and a number to work out."""
    nouns = tuple(chain.from_iterable(pairs))
    single, multiple, counting, two_counting, arithmetic = (task.key for task in prompts.CONTROLLED)
    worked_out = [_apply(operation, pair) for operation in _OPERATIONS for pair in pairs]
    return {
        single: tuple(prompts.Objects((noun,)) for noun in nouns) * (PER_TASK // len(nouns)),
        multiple: tuple(prompts.Objects(pair) for pair in pairs) * (PER_TASK // len(pairs)),
        counting: tuple(prompts.ObjectCounts(((noun, number),)) for number in _CONTROLLED_NUMBERS for noun in nouns),
        two_counting: tuple(prompts.ObjectCounts(one.things) for one in worked_out),
        arithmetic: tuple(worked_out),
    }
