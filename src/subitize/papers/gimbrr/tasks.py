"""GIMBRR's tasks: eleven cognitive ones, single objects, and the controlled number set."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Task:
    """A task by its key in our items (factor `task`), its title in the released files, and its first ID there."""

    key: str
    title: str
    first_id: int


TASKS: tuple[Task, ...] = (
    Task("conditional", "Conditional generation", 1),
    Task("arithmetic", "Simple arithmetic", 101),
    Task("negation", "Negation", 201),
    Task("actions", "Directed actions", 301),
    Task("spatial", "Spatial relationships", 401),
    Task("unusual", "Unusual arrangements", 501),
    Task("compositional", "Compositional characteristics", 601),
    Task("chimeras", "Chimeras", 701),
    Task("counting", "Counting", 801),
    Task("text", "Text rendering", 901),
    Task("multiple", "Multiple objects", 1201),
)
"""The eleven cognitive tasks, 100 prompts each."""

SINGLE = Task("single", "Single object", 1801)
"""A bare noun: one prompt per object that the eleven tasks show."""

CONTROLLED: tuple[Task, ...] = (
    Task("controlled-single", "Controlled single object", 1701),
    Task("controlled-multiple", "Controlled multiple objects", 1501),
    Task("controlled-counting", "Controlled single object counting", 1601),
    Task("controlled-two-counting", "Controlled multiple object counting", 1401),
    Task("controlled-arithmetic", "Controlled arithmetic", 1301),
)
"""The same twenty objects in ten pairs, each step asking for one thing more."""

STRATA = ("task", "number", "numbers", "common", "objects", "features")
"""The factors whose levels the design fixes."""

ALL: dict[str, Task] = {task.key: task for task in (*TASKS, SINGLE, *CONTROLLED)}
BY_TITLE: dict[str, Task] = {task.title: task for task in ALL.values()}
