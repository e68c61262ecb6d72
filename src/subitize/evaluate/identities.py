"""Matches the models and judges of a command with those stored in the run."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TypeVar

from subitize.errors import BadValueError, NotARunError
from subitize.interfaces import Judge, Model
from subitize.io.specs import drop_address, with_address
from subitize.registry import Kind, Resolved, names
from subitize.store import Entry, Location, Run, display_names, match_entry
from subitize.store.rows import read_judges

T = TypeVar("T", Model, Judge)
Notes = list[str]


@contextmanager
def open_if_any(location: Location) -> Iterator[Run | None]:
    """Open the run at a location; yield None if there is none."""
    try:
        run = Run(location)
    except NotARunError:
        yield None
        return
    with run:
        yield run


def expand_name(run: Run | None, text: str, kind: Kind = "models") -> str:
    """Expand the name of a model or judge of the run to NAME=SPEC, with the address at which it was last reached.

    Return any other text unchanged, including the name of a kind of models.
    """
    known = [] if run is None else run.models() if kind == "models" else run.judges()
    entry = next((entry for entry in known if entry.given_name == text), None)
    if entry is None or text in names(kind):
        return text
    spec = with_address(drop_address(entry.spec), entry.addresses[-1]) if entry.addresses else entry.spec
    return f"{text}={spec}"


def resolve_models(
    run: Run | None, models: Iterable[Resolved[Model]], *, is_same_model: bool = False
) -> tuple[list[Resolved[Model]], Notes]:
    """Match models with those stored in the run; return notes on new names and addresses."""
    known = [] if run is None else run.models()
    return _settle(known, models, is_same_model=is_same_model)


def resolve_judge(
    run: Run | None, judge: Resolved[Judge], *, is_same_model: bool = False
) -> tuple[Resolved[Judge], Notes]:
    """Match a judge with those stored in the run, likewise; names that people answer under are taken, too."""
    known = [] if run is None else run.judges()
    people = set() if run is None else {*read_judges(run)} - {entry.spec for entry in known}
    known += [Entry(name, {}, is_stand_in=False) for name in people]
    (settled,), notes = _settle(known, [judge], is_same_model=is_same_model, keeps_kind=True)
    return settled, notes


def _settle(
    known: Sequence[Entry], made: Iterable[Resolved[T]], *, is_same_model: bool, keeps_kind: bool = False
) -> tuple[list[Resolved[T]], Notes]:
    entries = {entry.spec: entry for entry in known}
    settled: list[tuple[Resolved[T], Entry]] = []
    notes: Notes = []
    for one in made:
        wanted = Entry(one.spec.text, one.spec.options, one.obj.is_stand_in, one.name, one.addresses)
        entry = match_entry(list(entries.values()), wanted, is_same_model=is_same_model)
        _check_once(one, entry, settled)
        if entry.spec in entries:
            notes += _tell_changes(entries[entry.spec], entry)
        entries[entry.spec] = entry
        settled.append((one, entry))
    labels = display_names(entries.values(), keeps_kind=keeps_kind)
    return [_take_over(one, entry, labels[entry.spec]) for one, entry in settled], notes


def _check_once(made: Resolved[T], entry: Entry, others: Iterable[tuple[Resolved[T], Entry]]) -> None:
    for other, known in others:
        if known.spec == entry.spec and made.name != other.name:
            raise BadValueError(
                f"{other.spec_text} has two names here, {other.name or other.spec_text!r} and "
                f"{made.name or made.spec_text!r}, and is one model; give it once"
            )


def _tell_changes(before: Entry, now: Entry) -> Iterator[str]:
    if now.given_name != before.given_name:
        yield f"{before.given_name or before.spec} is called {now.given_name} from now on"
    if before.addresses and now.addresses != before.addresses:
        yield f"{now.given_name or now.spec} is the same model at {now.addresses[-1]} as at {before.addresses[-1]}"


def _take_over(made: Resolved[T], entry: Entry, label: str) -> Resolved[T]:
    spec = replace(made.spec, text=entry.spec, options=entry.options)
    return replace(made, spec=spec, addresses=entry.addresses, label=label)
