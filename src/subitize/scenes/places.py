"""In which row and column of a picture the entities of a scene stand, so that every relation holds."""

from dataclasses import dataclass

from subitize.scenes.scene import Scene


@dataclass(frozen=True, slots=True)
class Ranks:
    """The rank of each entity along one axis, from the top or the left; None where it may stand anywhere."""

    of_entity: tuple[int | None, ...]
    total: int


@dataclass(frozen=True, slots=True)
class Places:
    """The rows and the columns of a scene."""

    rows: Ranks
    columns: Ranks


def find_places(scene: Scene) -> Places | None:
    """Rank the entities along both axes; None where the relations contradict one another."""
    down = [(r.subject, r.landmark) for r in scene.relations if r.word == "above"]
    down += [(r.landmark, r.subject) for r in scene.relations if r.word == "below"]
    across = [(r.subject, r.landmark) for r in scene.relations if r.word == "left of"]
    across += [(r.landmark, r.subject) for r in scene.relations if r.word == "right of"]
    rows, columns = (_rank(len(scene.entities), before) for before in (down, across))
    return None if rows is None or columns is None else Places(rows, columns)


def _rank(number: int, before: list[tuple[int, int]]) -> Ranks | None:
    """Give each entity the length of the longest chain that leads to it; None where a chain bites its tail."""
    followers: dict[int, list[int]] = {first: [] for first, _ in before}
    waits_for = dict.fromkeys((entity for pair in before for entity in pair), 0)
    for first, second in before:
        followers[first].append(second)
        waits_for[second] += 1
    rank = dict.fromkeys(waits_for, 0)
    ready = [entity for entity, waits in waits_for.items() if waits == 0]
    for entity in ready:
        for follower in followers.get(entity, ()):
            rank[follower] = max(rank[follower], rank[entity] + 1)
            waits_for[follower] -= 1
            if waits_for[follower] == 0:
                ready.append(follower)
    if len(ready) < len(rank):
        return None
    return Ranks(tuple(rank.get(entity) for entity in range(number)), max(rank.values(), default=0) + 1)
