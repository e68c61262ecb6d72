"""The rows of the authors' directory as prompts: classes and labels by its columns, the rest from the text."""

from dataclasses import replace

from subitize.language.counted import quoted_texts
from subitize.language.nouns import singular
from subitize.papers.gimbrr.directory import Prompt
from subitize.papers.gimbrr.grammar import (
    Acting,
    Chimera,
    Choice,
    Counted,
    Having,
    Lacking,
    Meaning,
    Placed,
    Shown,
    Unread,
    Written,
    read_prompt,
)
from subitize.papers.gimbrr.items import TaskPrompt
from subitize.records import Scalar


def make_prompt(row: Prompt) -> TaskPrompt:
    """Make a prompt of a row."""
    told: dict[str, Scalar] = {"classes": ", ".join(row.classes)}
    if row.features is not None:
        told["features"] = row.features
    if row.objects is not None:
        told["objects"] = row.objects
    if row.task.key == "text":
        told["text"] = row.label
    return TaskPrompt(str(row.id), row.task, row.text, _read_meaning(row), tuple(map(str, row.linked)), told)


def _read_meaning(row: Prompt) -> Meaning:
    said = read_prompt(row.task, row.text)
    first, *others = row.classes
    match row.task.key:
        case "single" | "multiple" | "controlled-single" | "controlled-multiple":
            return Shown(row.classes, row.is_common)
        case "spatial":
            return Placed(first, row.label, others[0])
        case "actions" | "unusual":
            deed = row.text.lower().removeprefix("a ").removeprefix("an ").removeprefix(f"{first} ")
            return Acting(first, row.label, others[0], said.deed if isinstance(said, Acting) else deed)
        case "conditional":
            words = (said.first, said.second, said.wanted) if isinstance(said, Choice) else ("", "", "")
            return Choice(first, row.label, *words, row.target_position, row.has_adjective)
        case "compositional":
            return Having(first, row.label)
        case "negation":
            return Lacking(first, row.label, said.lack) if isinstance(said, Lacking) else Unread(row.classes, row.label)
        case "chimeras":
            return said if isinstance(said, Chimera) else Unread(row.classes, "")
        case "text":
            phrase = said.phrase if isinstance(said, Written) else ""
            return Written(first, phrase, quoted_texts(row.text))
    numbers = map(int, row.label.split(","))
    things = tuple(zip(map(singular, row.classes), numbers, strict=True))
    return replace(said, things=things) if isinstance(said, Counted) else Counted(things)
