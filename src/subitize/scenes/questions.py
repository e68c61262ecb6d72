"""The questions that a scene gives rise to where nobody says what to ask."""

from subitize.records import Ask
from subitize.scenes.asks import count_asks
from subitize.scenes.graph import make_graph
from subitize.scenes.lines import line_asks
from subitize.scenes.scene import Scene


def scene_asks(scene: Scene) -> tuple[Ask, ...]:
    """Ask how many there are; where that is left open which line is right; of parts whether it is so.

    Nothing where one kind of thing is told in ways that no question tells apart.
    """
    is_open = any(isinstance(entity.number, str) for entity in scene.entities)
    if not is_open and all(entity.form is None for entity in scene.entities):
        return count_asks(scene)
    if scene.comparisons or (is_open and _has_lines(scene)):
        return line_asks(scene)
    return tuple(node.ask for node in make_graph(scene))


def _has_lines(scene: Scene) -> bool:
    """Tell whether a place holds only a few or many things."""
    holding = [scene.entities[one.subject] for one in scene.relations if one.word in ("in", "on")]
    return len(holding) == 1 and holding[0].number in ("few", "many")
