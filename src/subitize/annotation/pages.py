"""The pages people see: one per subject, with its questions and their forms."""

import tomllib
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.resources import files
from typing import Literal

from subitize.annotation.people import Role
from subitize.annotation.plan import StudyPlan
from subitize.annotation.screening import list_pictures, read_held
from subitize.errors import BadValueError, UnknownNameError
from subitize.io.frames import group_rows
from subitize.records import (
    Ask,
    Choose,
    Confirm,
    Count,
    Draw,
    Drawn,
    Fit,
    Item,
    MatchesPrompt,
    Question,
    Scalar,
    Stored,
    Subject,
)
from subitize.store import Run, StoredResponse, group_answers, latest_attempts, subject_of
from subitize.store.images import Images

Form = Literal["count", "click", "choose", "yes-no", "match", "text"]
FORMS: Mapping[Form, str] = {
    "count": "type how many there are",
    "click": "click on each of them",
    "choose": "choose the line that describes it",
    "yes-no": "say yes or no to a statement, without the prompt",
    "match": "say yes or no to the prompt",
    "text": "write what it shows, or what is written in it",
}


@dataclass(frozen=True, slots=True)
class PartPicture:
    """The same model's picture of a part of the prompt, such as a single object."""

    picture: Stored
    prompt: str


@dataclass(frozen=True, slots=True)
class Page:
    """A response, or a group of them, with the questions about it and their forms.

    Only the form `match` shows the prompt and, on request, the linked pictures.
    """

    subject: Subject
    pictures: tuple[Stored, ...]
    asks: tuple[Ask, ...]
    forms: tuple[Form, ...]
    prompt: str
    suite: str
    model: str
    factors: Mapping[str, Scalar]
    linked: tuple[PartPicture, ...] = ()

    @property
    def images(self) -> list[str]:
        """The names of the pictures' files."""
        return [Images.name(picture) for picture in self.pictures]


@dataclass(frozen=True)
class PageSet:
    """All pages of a run in the order of its items, the number without an image, and the images held back."""

    all_pages: Sequence[Page]
    without_image: int
    held: Set[str] = frozenset()

    @cached_property
    def pages(self) -> Sequence[Page]:
        """The pages that are shown."""
        return [page for page in self.all_pages if self.held.isdisjoint(page.images)]

    @cached_property
    def held_back(self) -> Sequence[Page]:
        """The pages that screening holds back."""
        return [page for page in self.all_pages if not self.held.isdisjoint(page.images)]

    def filter(self, is_kept: Callable[[Page], bool]) -> "PageSet":
        """Filter the pages and those that are held back."""
        return replace(self, all_pages=list(filter(is_kept, self.all_pages)))


def collect_pages(run: Run, forms: Collection[str] = ()) -> PageSet:
    """Collect the pages of a run, in the order of its items.

    Without forms, people are asked all questions that enter the score. Reading the prompt rules out blind
    counting, so questions that show it need their own study.
    """
    for form in forms:
        if form not in FORMS:
            raise UnknownNameError("form", form, FORMS)
    if {"count", "click"} <= set(forms):
        raise BadValueError("forms count and click answer the same questions; choose one")
    items = _drawn_items(run)
    responses = group_rows(run.responses(), lambda stored: stored.item_id)
    prompts = {item.id: prompt for item, prompt in items}
    pages: list[Page] = []
    without_image = 0
    for item, prompt in items:
        for members, asked in _subjects(item, responses.get(item.id, ()), forms):
            pictures = tuple(list_pictures(members))
            if pictures:
                asks, used = zip(*asked, strict=True)
                shown = (subject_of(members), pictures, asks, used, prompt, item.suite, members[0].model, item.factors)
                linked = tuple(_find_linked(item, members[0], prompts, responses)) if "match" in used else ()
                pages.append(Page(*shown, linked))
            else:
                without_image += any(isinstance(one.response.outcome, Drawn) for one in members)
    _check_blindness({form for page in pages for form in page.forms})
    return PageSet(pages, without_image, read_held(run).keys())


def split_paragraphs(text: str) -> list[str]:
    """Split a text into paragraphs at empty lines."""
    return [" ".join(part.split()) for part in text.strip().split("\n\n") if part.strip()]


@dataclass(frozen=True, slots=True)
class Instructions:
    """What people are told, by paragraph, and examples: what is shown, and its answer."""

    paragraphs: list[str]
    examples: list[tuple[str, str]]


def make_instructions(plan: StudyPlan, role: Role, forms: Collection[Form], *, takes_ranges: bool) -> Instructions:
    """Say how to review and adjudicate, then give the study's own text, or ours with two examples of each form."""
    known = tomllib.loads((files("subitize.annotation") / "instructions.toml").read_text(encoding="utf-8"))
    told = [known[purpose] for purpose in plan.purposes_of(role) if purpose in known]
    if plan.instructions:
        return Instructions([*told, *split_paragraphs(plan.instructions)], [])
    ours = [known[form] for form in sorted(forms)]
    ours += [known["range"]] if takes_ranges and "count" in forms else []
    return Instructions(
        [*told, *ours], [(shown, said) for form in sorted(forms) for shown, said in known["examples"][form]]
    )


def _find_linked(
    item: Item, shown: StoredResponse, prompts: Mapping[str, str], responses: Mapping[str, Sequence[StoredResponse]]
) -> Iterator[PartPicture]:
    """Find the same model's pictures of the items whose keys the factor `linked` lists."""
    keys = str(item.factors.get("linked", "")).split(",")
    for id in (f"{item.suite}/{key}" for key in keys):
        drawn = [one for one in latest_attempts(responses.get(id, ())) if one.model == shown.model]
        drawn.sort(key=lambda one: one.repeat != shown.repeat)
        for picture in list(list_pictures(drawn))[:1]:
            yield PartPicture(picture, prompts[id])


def _drawn_items(run: Run) -> list[tuple[Item, str]]:
    """List the items that ask for a picture, with their prompts, without excluded ones."""
    excluded = run.exclusions()
    return [(item, item.task.prompt) for item in run.items() if isinstance(item.task, Draw) and item.id not in excluded]


def _check_blindness(forms: Set[Form]) -> None:
    if "match" in forms and len(forms) > 1:
        raise BadValueError(
            f"this run has questions of several forms ({', '.join(sorted(forms))}), and whoever has read a prompt "
            "cannot count blindly; choose some forms, the blind ones first"
        )


def _subjects(
    item: Item, responses: Iterable[StoredResponse], forms: Collection[str]
) -> Iterator[tuple[tuple[StoredResponse, ...], list[tuple[Ask, Form]]]]:
    """Yield each response or group that an item has questions about, with these questions and their forms."""
    by_size: dict[int, list[tuple[Ask, Form]]] = defaultdict(list)
    for ask in item.asks:
        form = form_of(ask.question, is_clicked="click" in forms)
        if form is not None and (form in forms if forms else ask.is_relevant):
            by_size[ask.group].append((ask, form))
    latest = latest_attempts(responses)
    for size, asked in by_size.items():
        for members in group_answers(latest, size):
            yield members, asked


def form_of(question: Question, *, is_clicked: bool) -> Form | None:
    """Return the form in which people answer a question; None if people cannot answer it."""
    match question:
        case Count():
            return "click" if is_clicked else "count"
        case Choose():
            return "choose"
        case Confirm():
            return "yes-no"
        case MatchesPrompt():
            return "match"
        case Fit():
            return None
    return "text"
