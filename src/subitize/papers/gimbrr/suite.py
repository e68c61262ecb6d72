"""GIMBRR as a suite: eleven cognitive tasks, single objects, and the controlled number set; ours, fresh, or theirs."""

from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Annotated

from subitize.errors import BadValueError
from subitize.language.numbers import count_noun
from subitize.papers.gimbrr.directory import VERSION, correct, count_img2img, find_error, read_directory
from subitize.papers.gimbrr.generation import PER_TASK, draw_meanings
from subitize.papers.gimbrr.grammar import Meaning, classes_of, write_prompt
from subitize.papers.gimbrr.items import NAME, TaskPrompt, make_item
from subitize.papers.gimbrr.rows import make_prompt
from subitize.papers.gimbrr.tasks import ALL, SINGLE, STRATA, Task
from subitize.records import Item
from subitize.suites.checks import AskedOnce, check_known, interleave

_VARIED = ("conditional", "chimeras", "multiple")
"""The tasks of which the directory with extra variables tells more."""


class Gimbrr(AskedOnce):
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
    strata: tuple[str, ...] = STRATA

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
        check_known("task", tasks, ALL)
        tasks = tasks or tuple(ALL)
        if not 1 <= per_task <= PER_TASK:
            raise BadValueError(f"suite {NAME!r}: per_task={per_task}: should be from 1 to {PER_TASK}")
        if fresh < 0:
            raise BadValueError(f"suite {NAME!r}: fresh={fresh}: should be a seed from 1, or 0 for the standard set")
        if prompts and fresh:
            raise BadValueError(f"suite {NAME!r}: prompts= and fresh=: take the authors' directory or fresh prompts")
        if corrected and not prompts:
            raise BadValueError(f"suite {NAME!r}: corrected= is for the authors' directory; add prompts=FILE")
        self.notes: tuple[str, ...] = ()
        every = self._read(Path(prompts), tasks, corrected=corrected) if prompts else draw_prompts(fresh)
        self._prompts = _choose(every, tasks, per_task, linked=linked)
        if not self._prompts:
            raise BadValueError(f"suite {NAME!r}: {prompts} has no prompts of {'+'.join(tasks)}; name other tasks")

    def items(self, seed: int) -> Iterator[Item]:
        """Go through the prompts, all tasks mixed; the seed changes nothing, as the prompts are fixed."""
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
    """Draw the standard set, or with a seed a fresh one, task by task."""
    start = f"fresh{fresh}-" if fresh else ""

    def make(task: Task, place: int, meaning: Meaning) -> TaskPrompt:
        singles = tuple(f"{start}{SINGLE.key}-{noun.replace(' ', '-')}" for noun in classes_of(meaning))
        text = write_prompt(task, meaning)
        if task == SINGLE:
            return TaskPrompt(singles[0], task, text, meaning, ())
        linked = () if task.key == f"controlled-{SINGLE.key}" else singles
        return TaskPrompt(f"{start}{task.key}-{place:03d}", task, text, meaning, linked)

    drawn = draw_meanings(fresh)
    return [make(ALL[key], place, one) for key in drawn for place, one in enumerate(drawn[key], start=1)]


def _choose(prompts: Sequence[TaskPrompt], tasks: Sequence[str], per_task: int, *, linked: bool) -> list[TaskPrompt]:
    """Take the first prompts of each task, and the single objects: all, or those that the others are made of."""
    by_task = {key: [one for one in prompts if one.task.key == key][:per_task] for key in tasks if key != SINGLE.key}
    kept = list(chain.from_iterable(by_task.values()))
    singles = [one for one in prompts if one.task == SINGLE]
    if SINGLE.key in tasks and (per_task == PER_TASK or not kept):
        return kept + (singles if per_task == PER_TASK else singles[:per_task])
    wanted = {key for one in kept for key in one.linked} if linked or SINGLE.key in tasks else set()
    return kept + [one for one in singles if one.key in wanted]
