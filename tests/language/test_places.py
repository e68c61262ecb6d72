"""The entities of a scene are ranked so that every relation holds, or it is told that none can."""

import pytest

from subitize.language.scene import Entity, Relation, Scene, find_places
from subitize.records import RelationWord


def scene(*relations: tuple[int, RelationWord, int]) -> Scene:
    entities = tuple(Entity(noun, 1) for noun in ("dog", "cat", "cup", "egg"))
    return Scene(entities, tuple(Relation(*relation) for relation in relations))


@pytest.mark.parametrize(
    ("found", "rows", "columns"),
    [
        (scene(), (None, None, None, None), (None, None, None, None)),
        (scene((0, "above", 1)), (0, 1, None, None), (None, None, None, None)),
        (scene((0, "below", 1)), (1, 0, None, None), (None, None, None, None)),
        (scene((0, "left of", 1)), (None, None, None, None), (0, 1, None, None)),
        (scene((0, "right of", 1)), (None, None, None, None), (1, 0, None, None)),
        (scene((0, "above", 1), (1, "above", 2)), (0, 1, 2, None), (None, None, None, None)),
        (scene((1, "above", 2), (0, "above", 2), (0, "above", 1)), (0, 1, 2, None), (None, None, None, None)),
        (scene((0, "above", 1), (2, "left of", 3)), (0, 1, None, None), (None, None, 0, 1)),
    ],
    ids=["none", "above", "below", "left", "right", "chain", "chain out of order", "both axes"],
)
def test_entities_are_ranked_along_each_axis(
    found: Scene, rows: tuple[int | None, ...], columns: tuple[int | None, ...]
) -> None:
    places = find_places(found)
    assert places is not None
    assert (places.rows.of_entity, places.columns.of_entity) == (rows, columns)
    assert places.rows.total == max((rank for rank in rows if rank is not None), default=0) + 1


@pytest.mark.parametrize(
    "found",
    [
        scene((0, "above", 0)),
        scene((0, "above", 1), (1, "above", 0)),
        scene((0, "above", 1), (0, "below", 1)),
        scene((0, "left of", 1), (1, "left of", 2), (0, "right of", 2)),
    ],
    ids=["itself", "each other", "above and below", "circle"],
)
def test_relations_that_contradict_one_another_have_no_places(found: Scene) -> None:
    assert find_places(found) is None
