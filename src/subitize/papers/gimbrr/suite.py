"""GIMBRR's suite: eleven cognitive tasks, single objects, and the controlled number set.

Prompts are ours, fresh, or those of the authors' directory, whose known errors can be corrected (known_errors.toml).
Asks cover a picture part by part; the parts a judge can answer are joined into one verdict. An image is named
p801_1_v0.0.5_pd230208.png: the first of prompt 801."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

from subitize import records
from subitize.errors import BadFileError, BadValueError
from subitize.interfaces import Suite
from subitize.io.files import CsvRow, read_lines, read_own_toml
from subitize.labels.consensus import PartsRule, is_served
from subitize.labels.consensus import join_parts as join_verdicts
from subitize.language.counted import quoted_texts
from subitize.language.nouns import plural, singular
from subitize.language.numbers import count_noun
from subitize.models.image_folders import FileNaming, last_of_key
from subitize.papers.gimbrr import prompts as grammar
from subitize.papers.gimbrr.generation import PER_TASK, generate
from subitize.suites.checks import check_known, interleave

NAME = "gimbrr"
MATCH = records.Ask(records.MatchesPrompt(), "Does the image match the prompt?", (True,))
"""The question people were asked, and the one that is scored. Judges that see only parts answer the part questions
instead."""


@dataclass(frozen=True, slots=True)
class TaskPrompt:
    """A prompt with its key, task, meaning, and the keys of the single objects it contains."""

    key: str
    task: grammar.GimbrrTask
    text: str
    meaning: grammar.Meaning
    linked: tuple[str, ...]
    overrides: Mapping[str, records.Scalar] = field(default_factory=dict)
    """Factors from the authors' directory that replace those derived from the meaning."""


def make_item(prompt: TaskPrompt) -> records.Item:
    """Make the item of a prompt."""
    factors: dict[str, records.Scalar] = {"task": prompt.task.key, **dict(_factors(prompt)), **prompt.overrides}
    if prompt.linked:
        factors["linked"] = ",".join(prompt.linked)
    return records.Item(f"{NAME}/{prompt.key}", records.Draw(prompt.text), (MATCH, *_parts(prompt.meaning)), factors)


def _factors(prompt: TaskPrompt) -> Iterator[tuple[str, records.Scalar]]:
    """Yield the conditions of a prompt, without those its task does not have."""
    yield "classes", ", ".join(grammar.classes_of(prompt.meaning))
    match prompt.meaning:
        case grammar.Objects(nouns=nouns, is_common=is_common):
            if prompt.task.key == "multiple":
                yield "objects", len(nouns)
            if is_common is not None:
                yield "common", is_common
        case grammar.ObjectCounts(things=((_, number),)):
            yield "number", number
        case grammar.ObjectCounts(things=things, operation=operation):
            yield "numbers", ",".join(str(number) for _, number in things)
            if operation:
                yield "operation", operation
        case grammar.SpatialRelation(relation=relation):
            yield "relation", relation
        case grammar.Action(verb=verb):
            yield "verb", verb
        case grammar.Choice(absent=absent, position=position, has_adjective=has_adjective):
            yield "absent", absent
            if position is not None:
                yield "target_position", position
            if has_adjective is not None:
                yield "adjective", has_adjective
        case grammar.Attribute(attribute=attribute):
            yield "attribute", attribute
        case grammar.Absence(absent=absent) | grammar.Unparsed(absent=absent):
            if absent:
                yield "absent", absent
        case grammar.Chimera(parts=parts):
            yield "features", 1 + len(parts)
        case grammar.WrittenText(texts=texts):
            yield "text", ", ".join(texts)


def _parts(meaning: grammar.Meaning) -> Iterator[records.Ask]:
    """Ask about each part on its own; these do not enter the score but are joined (`join_parts`).

    A question that says as much as the prompt is informed.
    """
    match meaning:
        case grammar.Objects(nouns=(noun,)):
            yield _is_there(noun, is_all=True)
        case grammar.Objects(nouns=nouns):
            yield from map(_is_there, dict.fromkeys(nouns))
        case grammar.ObjectCounts(things=things):
            for noun, number in things:
                yield _part(records.Count(noun), f"How many {plural(noun)} are in the image?", number)
        case grammar.SpatialRelation(subject=one, relation=relation, landmark=other):
            yield from map(_is_there, dict.fromkeys((one, other)))
            side = relation.removeprefix("to the ")
            verb = "are" if grammar.is_plural(one) else "is"
            stated = records.Confirm(f"there {verb} {grammar.a(one)} {side} {grammar.a(other)}", is_informed=True)
            yield _part(stated, f"{verb.capitalize()} the {one} {relation} the {other}?", parent=_is_there(one))
        case grammar.Action(actor=actor, other=other, deed=deed):
            yield from map(_is_there, dict.fromkeys((actor, other)))
            stated = records.Confirm(f"the {actor} is {deed}", is_informed=True)
            yield _part(stated, f"Is the {actor} {deed}?", parent=_is_there(actor))
        case grammar.Choice(shown=shown, absent=absent) | grammar.Absence(noun=shown, absent=absent):
            yield _is_there(shown)
            stated = _confirm(f"there {grammar.be(absent)} no {grammar.several(absent)}")
            yield _part(stated, f"Is the image free of {grammar.several(absent)}?")
        case grammar.Attribute(noun=noun, attribute=attribute):
            yield _is_there(noun)
            has = grammar.with_article(attribute)
            stated = records.Confirm(f"the {noun} has {has}", is_informed=True)
            yield _part(stated, f"Does the {noun} have {has}?", parent=_is_there(noun))
        case grammar.Chimera(body=body, parts=parts):
            names = " and ".join(part for part, _ in parts)
            yield _part(
                _confirm(f"apart from its {names} the animal is {grammar.a(body)}"),
                f"Apart from its {names}, is the animal {grammar.a(body)}?",
            )
            for part, donor in parts:
                has = f"the {part} of {grammar.a(donor)}"
                yield _part(_confirm(f"the animal has {has}"), f"Does the animal have {has}?")
        case grammar.WrittenText(noun=noun, texts=texts):
            yield _is_there(noun)
            yield _part(records.Transcribe(), "What text is written in the image?", " ".join(texts))


def _is_there(noun: str, *, is_all: bool = False) -> records.Ask:
    stated = records.Confirm(f"there {grammar.be(noun)} some {grammar.several(noun)}", is_informed=is_all)
    if grammar.is_plural(noun):
        return _part(stated, f"Are there any {noun}?")
    return _part(stated, f"Is there {grammar.a(noun).replace('some ', 'any ')}?")


def _confirm(statement: str) -> records.Confirm:
    return records.Confirm(statement, is_informed=False)


def _part(
    question: records.Question, wording: str, expected: records.Scalar = True, *, parent: records.Ask | None = None
) -> records.Ask:
    return records.Ask(question, wording, (expected,), parent.question.id if parent else None, is_relevant=False)


_OPEN_DETECTORS = ("grounding-dino", "mm-grounding-dino", "molmo2", "owlv2", "sam3")
_COCO_DETECTORS = ("detr", "rf-detr", "rt-detr", "ssd", "yolo")
_COUNTS = (*_OPEN_DETECTORS, *_COCO_DETECTORS, "parts")
_PRESENCE = ("clip", *_COUNTS)

JUDGES: Mapping[str, Sequence[str]] = {
    **dict.fromkeys(("single", "multiple", "controlled-single", "controlled-multiple"), _PRESENCE),
    **dict.fromkeys(("negation", "conditional"), _PRESENCE),
    **dict.fromkeys(("counting", "arithmetic", "spatial"), _COUNTS),
    **dict.fromkeys(("controlled-counting", "controlled-two-counting", "controlled-arithmetic"), _COUNTS),
    "text": ("ocr", "parts"),
    **dict.fromkeys(("actions", "unusual", "compositional", "chimeras"), ("parts",)),
}
"""The judges that can assess a task alone, by its key; a judge `vlm` can also answer the whole question."""


def list_parts(item: records.Item) -> tuple[records.Ask, ...]:
    """List the questions whose answers are joined; for text only its transcription, whatever carries it."""
    own = tuple(ask for ask in item.asks if not ask.is_relevant)
    return tuple(ask for ask in own if isinstance(ask.question, records.Transcribe)) or own


def join_parts(item: records.Item, values: Mapping[str, records.Value]) -> records.Value | None:
    """Join a judge's readings of the parts; for text, everything quoted in the prompt must be written."""
    return join_verdicts(list_parts(item), values, quoted_texts(records.task_text(item.task)))


def name_waiting(items: Iterable[records.Item], can_answer: Callable[[records.Question], bool]) -> str:
    """Name the tasks this judge cannot assess: it cannot answer all parts of any item; empty if there are none."""
    served: dict[str, bool] = {}
    for item in items:
        task = str(item.factors["task"])
        served[task] = served.get(task, False) or is_served(list_parts(item), can_answer)
    waiting: dict[Sequence[str], list[str]] = {}
    for key in grammar.ALL:
        if served.get(key) is False:
            waiting.setdefault(JUDGES[key], []).append(key)
    text = "; ".join(f"{', '.join(keys)} (by {', '.join(judges)})" for judges, keys in waiting.items())
    return f"tasks that wait for people or another judge: {text}" if text else ""


RULE = PartsRule("gimbrr-parts@1", list_parts, join_parts, name_waiting)


def _number_of_prompt(key: str) -> str:
    number = last_of_key(key).removeprefix("p")
    return str(int(number)) if number.isdecimal() else ""


NAMING = FileNaming(
    "gimbrr",
    "p801_1_v0.0.5_pd230208.png",
    re.compile(r"p(?P<key>\d{1,9})_(?P<number>\d{1,9})_v.+", re.ASCII),
    _number_of_prompt,
)

VERSION = "Prompt_dir_230228.csv"
"""The one version of the directory that was released with ratings; `…_extraVars.csv` has more columns."""

_COLUMNS = ("ID", "Prompt", "Representations", "Task", "Task_specific_label", "Linked_prompts")
_EXTRA_COLUMNS = ("Object_num", "Extra_characteristic", "Num_features", "Common", "Num_objects")
_IMG2IMG = "img2img: "
_ROWS_PER_TASK = 100
_SINGLE_ROWS = 502
_WHOLE_NUMBER = re.compile(r"(\d{1,6})(?:\.0)?", re.ASCII)
_FLAGS = {"True": True, "False": False}


@dataclass(frozen=True, slots=True)
class DirectoryRow:
    """A row of the directory; fields after `linked` are None if the row or the file lacks them.

    `label` is the absent class, the count ("5"), both counts ("3,6"), the verb, the relation, the characteristic or the
    text, depending on the task. `linked` are the IDs of the single objects.
    """

    id: int
    text: str
    task: grammar.GimbrrTask
    classes: tuple[str, ...]
    label: str
    linked: tuple[int, ...]
    target_position: int | None = None
    has_adjective: bool | None = None
    features: int | None = None
    is_common: bool | None = None
    objects: int | None = None


def read_directory(path: Path) -> list[DirectoryRow]:
    """Read the prompts for text-to-image models; rows that edit pictures (img2img) are left out."""
    prompts: list[DirectoryRow] = []
    lines: dict[int, int] = {}
    for line in _read_lines(path):
        if "annotation" in line.row:
            raise BadFileError(f"{path.name} line 1: people's ratings, not prompts; take {VERSION}")
        if _is_img2img(line):
            continue
        prompt = _read_row(line)
        if prompt.id in lines:
            raise line.error(f"ID {prompt.id} stands in line {lines[prompt.id]} already; leave one of them out")
        lines[prompt.id] = line.number
        prompts.append(prompt)
    if not prompts:
        raise BadFileError(f"{path.name}: no prompts; {VERSION} has a row for each")
    return prompts


def count_img2img(path: Path) -> int:
    """Count the rows that edit pictures, which are unrated."""
    return sum(map(_is_img2img, _read_lines(path)))


def correct(prompts: Iterable[DirectoryRow]) -> list[DirectoryRow]:
    """Correct the known errors and nothing else."""
    prompts = list(prompts)
    singles = {prompt.text: prompt.id for prompt in prompts if prompt.task == grammar.SINGLE}
    return [_correct(prompt, singles) if find_error(prompt) else prompt for prompt in prompts]


def find_error(prompt: DirectoryRow) -> Mapping[str, Any] | None:
    """Return the known error of a row, its wrong and right values by field; None if there is none."""
    error = _ERRORS.get(prompt.id)
    is_there = error is not None and all(
        getattr(prompt, field) in (value, None) for field, value in error["wrong"].items()
    )
    return error if is_there else None


def _read_errors() -> dict[int, dict[str, dict[str, Any]]]:
    found = read_own_toml(__file__, "known_errors.toml")["errors"]
    return {
        id: {
            side: {field: tuple(own) if isinstance(own, list) else own for field, own in one[side].items()}
            for side in ("wrong", "right")
        }
        for one in found
        for id in one["ids"]
    }


_ERRORS = _read_errors()


def _correct(prompt: DirectoryRow, singles: Mapping[str, int]) -> DirectoryRow:
    right = {field: value for field, value in _ERRORS[prompt.id]["right"].items() if getattr(prompt, field) is not None}
    corrected = replace(prompt, **right)
    return replace(corrected, linked=tuple(singles[noun] for noun in corrected.classes if noun in singles))


def _read_lines(path: Path) -> Iterator[CsvRow]:
    return read_lines(path, [(column,) for column in _COLUMNS], ", ".join((*_COLUMNS, *_EXTRA_COLUMNS)))


def _is_img2img(line: CsvRow) -> bool:
    return line.get("Task").startswith(_IMG2IMG)


def _read_row(line: CsvRow) -> DirectoryRow:
    id, title = _read_number(line, "ID"), line.get("Task")
    if id is None:
        raise line.error("no ID; every row has one, in digits")
    if title not in grammar.BY_TITLE:
        raise line.error(f"no task named {title!r}; known: {', '.join(grammar.BY_TITLE)}")
    task = grammar.BY_TITLE[title]
    last = task.first_id + (_SINGLE_ROWS if task == grammar.SINGLE else _ROWS_PER_TASK) - 1
    if not task.first_id <= id <= last:
        raise line.error(
            f"ID {id} is none of {task.title!r}, which has {task.first_id} to {last}: the directory of another "
            f"version? This reads {VERSION} and the one with extra variables"
        )
    text = line.get("Prompt")
    if not text:
        raise line.error(f"no prompt of ID {id}; every row has one")
    return DirectoryRow(
        id,
        text,
        task,
        _read_classes(line, task),
        _read_label(line, task),
        tuple(_read_link(line, one) for one in _split(line.get("Linked_prompts"))),
        _read_number(line, "Object_num"),
        _read_flag(line, "Extra_characteristic"),
        _read_number(line, "Num_features"),
        _read_flag(line, "Common"),
        _read_number(line, "Num_objects"),
    )


def _read_classes(line: CsvRow, task: grammar.GimbrrTask) -> tuple[str, ...]:
    classes = _split(line.get("Representations"))
    if len(classes) < task.least_classes:
        written = line.get("Representations")
        raise line.error(f"Representations {written!r}: {task.title!r} has at least {task.least_classes}")
    return classes


def _read_label(line: CsvRow, task: grammar.GimbrrTask) -> str:
    label, classes = line.get("Task_specific_label"), _split(line.get("Representations"))
    if task.label.startswith("number"):
        numbers = label.split(",")
        if len(numbers) != len(classes) or not all(number.isdecimal() for number in numbers):
            raise line.error(f"Task_specific_label {label!r}: should be a number in digits per class: {len(classes)}")
    elif task.label and not label:
        raise line.error(f"no Task_specific_label of ID {line.get('ID')}; {task.title!r} has one in every row")
    return label


def _read_link(line: CsvRow, written: str) -> int:
    last = grammar.SINGLE.first_id + _SINGLE_ROWS - 1
    if not written.isdecimal() or not grammar.SINGLE.first_id <= int(written) <= last:
        raise line.error(
            f"Linked_prompts {written!r}: should be an ID of a single object, {grammar.SINGLE.first_id} to {last}"
        )
    return int(written)


def _read_number(line: CsvRow, column: str) -> int | None:
    """Read a whole number, which pandas may have written as 2.0."""
    written = line.get(column)
    found = _WHOLE_NUMBER.fullmatch(written)
    if written and not found:
        raise line.error(f"{column} {written!r}: should be a whole number")
    return int(found[1]) if found else None


def _read_flag(line: CsvRow, column: str) -> bool | None:
    written = line.get(column)
    if written and written not in _FLAGS:
        raise line.error(f"{column} {written!r}: should be True or False")
    return _FLAGS.get(written)


def _split(written: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in written.split(",") if part.strip())


def make_prompt(row: DirectoryRow) -> TaskPrompt:
    """Make a prompt from a row."""
    overrides: dict[str, records.Scalar] = {"classes": ", ".join(row.classes)}
    if row.features is not None:
        overrides["features"] = row.features
    if row.objects is not None:
        overrides["objects"] = row.objects
    if row.task.key == "text":
        overrides["text"] = row.label
    return TaskPrompt(str(row.id), row.task, row.text, _read_meaning(row), tuple(map(str, row.linked)), overrides)


def _read_meaning(row: DirectoryRow) -> grammar.Meaning:
    said = grammar.read_prompt(row.task, row.text)
    first, *others = row.classes
    match row.task.key:
        case "single" | "multiple" | "controlled-single" | "controlled-multiple":
            return grammar.Objects(row.classes, row.is_common)
        case "spatial":
            return grammar.SpatialRelation(first, row.label, others[0])
        case "actions" | "unusual":
            deed = row.text.lower().removeprefix("a ").removeprefix("an ").removeprefix(f"{first} ")
            return grammar.Action(first, row.label, others[0], said.deed if isinstance(said, grammar.Action) else deed)
        case "conditional":
            words = (said.first, said.second, said.wanted) if isinstance(said, grammar.Choice) else ("", "", "")
            return grammar.Choice(first, row.label, *words, row.target_position, row.has_adjective)
        case "compositional":
            return grammar.Attribute(first, row.label)
        case "negation":
            return (
                grammar.Absence(first, row.label, said.lack)
                if isinstance(said, grammar.Absence)
                else grammar.Unparsed(row.classes, row.label)
            )
        case "chimeras":
            return said if isinstance(said, grammar.Chimera) else grammar.Unparsed(row.classes, "")
        case "text":
            phrase = said.phrase if isinstance(said, grammar.WrittenText) else ""
            return grammar.WrittenText(first, phrase, quoted_texts(row.text))
    numbers = map(int, row.label.split(","))
    things = tuple(zip(map(singular, row.classes), numbers, strict=True))
    return replace(said, things=things) if isinstance(said, grammar.ObjectCounts) else grammar.ObjectCounts(things)


_VARIED = ("conditional", "chimeras", "multiple")
"""The tasks for which the directory with extra variables says more."""


class Gimbrr(Suite):
    """Draw single and several objects, numbers, relations, actions, negations, chimeras, text, … (GIMBRR).

    `per_task` takes the first prompts of each task, `linked` the single objects that these are made of besides.
    `prompts` names the authors' directory, whose known errors are `corrected` on request.

    Args:
        tasks: which of the tasks
        per_task: only the first prompts of each task
        linked: also the single objects that the prompts are made of
        prompts: the authors' directory of prompts, in place of our own
        corrected: correct the labels in that directory that contradict their text
    """

    title = "GIMBRR"
    judge = "observer"
    strata = grammar.STRATA
    sampled = grammar.SAMPLED

    def __init__(
        self,
        *,
        tasks: Annotated[tuple[str, ...], "all"] = (),
        per_task: int = PER_TASK,
        linked: bool = False,
        fresh: int = 0,
        prompts: str = "",
        corrected: bool = False,
    ) -> None:
        check_known("task", tasks, grammar.ALL)
        tasks = tasks or tuple(grammar.ALL)
        if not 1 <= per_task <= PER_TASK:
            raise BadValueError(f"suite {NAME!r}: per_task={per_task}: should be from 1 to {PER_TASK}")
        if fresh < 0:
            raise BadValueError(f"suite {NAME!r}: fresh={fresh}: should be a seed from 1, or 0 for the standard set")
        if prompts and fresh:
            raise BadValueError(f"suite {NAME!r}: prompts= and fresh=: take the authors' directory or fresh prompts")
        if corrected and not prompts:
            raise BadValueError(f"suite {NAME!r}: corrected= is for the authors' directory; add prompts=FILE")
        every = self._read(Path(prompts), tasks, corrected=corrected) if prompts else draw_prompts(fresh)
        self._prompts = _choose(every, tasks, per_task, linked=linked)
        if not self._prompts:
            raise BadValueError(f"suite {NAME!r}: {prompts} has no prompts of {'+'.join(tasks)}; name other tasks")

    def items(self, seed: int) -> Iterator[records.Item]:
        """Yield the prompts, all tasks mixed; the seed changes nothing, as the prompts are fixed."""
        return iter(interleave(map(make_item, self._prompts), "task"))

    def _read(self, path: Path, tasks: Sequence[str], *, corrected: bool) -> list[TaskPrompt]:
        rows = read_directory(path)
        wrong = [str(row.id) for row in rows if row.task.key in tasks and find_error(row)]
        notes = []
        if left_out := count_img2img(path):
            notes.append(f"{path.name}: left out {count_noun(left_out, 'row')} of img2img, which start from a picture")
        if wrong:
            remedy = "corrected" if corrected else "kept as released; corrected=true corrects them"
            prompts = count_noun(len(wrong), "prompt")
            notes.append(f"{path.name}: columns contradict the text of {prompts} ({', '.join(wrong)}): {remedy}")
        varied = [row for row in rows if row.task.key in tasks and row.task.key in _VARIED]
        if varied and not any(row.target_position or row.features or row.objects for row in varied):
            more = VERSION.replace(".csv", "_extraVars.csv")
            notes.append(f"{path.name} has no extra variables (position of the target, …); {more} has them")
        self.notes = tuple(notes)
        return [make_prompt(row) for row in (correct(rows) if corrected else rows)]


def draw_prompts(fresh: int) -> list[TaskPrompt]:
    """Draw the standard set, or a fresh one if a seed is given, task by task."""
    start = f"fresh{fresh}-" if fresh else ""

    def make(task: grammar.GimbrrTask, place: int, meaning: grammar.Meaning) -> TaskPrompt:
        singles = tuple(f"{start}{grammar.SINGLE.key}-{noun.replace(' ', '-')}" for noun in grammar.classes_of(meaning))
        text = grammar.write_prompt(task, meaning)
        if task == grammar.SINGLE:
            return TaskPrompt(singles[0], task, text, meaning, ())
        linked = () if task.key == f"controlled-{grammar.SINGLE.key}" else singles
        return TaskPrompt(f"{start}{task.key}-{place:03d}", task, text, meaning, linked)

    drawn = generate(fresh)
    return [make(grammar.ALL[key], place, one) for key in drawn for place, one in enumerate(drawn[key], start=1)]


def _choose(prompts: Sequence[TaskPrompt], tasks: Sequence[str], per_task: int, *, linked: bool) -> list[TaskPrompt]:
    """Return the first prompts of each task, and the single objects: all, or those that the others contain."""
    by_task = {
        key: [one for one in prompts if one.task.key == key][:per_task] for key in tasks if key != grammar.SINGLE.key
    }
    kept = list(chain.from_iterable(by_task.values()))
    singles = [one for one in prompts if one.task == grammar.SINGLE]
    if grammar.SINGLE.key in tasks and (per_task == PER_TASK or not kept):
        return kept + (singles if per_task == PER_TASK else singles[:per_task])
    wanted = {key for one in kept for key in one.linked} if linked or grammar.SINGLE.key in tasks else set()
    return kept + [one for one in singles if one.key in wanted]
