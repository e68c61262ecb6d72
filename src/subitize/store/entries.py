"""The models and judges of a run: which are the same, where they are reached, and how they are displayed."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from subitize.errors import ConflictError
from subitize.io.specs import ADDRESS_OPTION, drop_address, parse_spec, with_address

_OF_MODEL = "model "
"""Prefix of the options of the model that a judge asks."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A model or judge as stored in the run, with its given name, if any, and all its addresses."""

    spec: str
    options: Mapping[str, str]
    is_stand_in: bool
    given_name: str = ""
    addresses: tuple[str, ...] = ()

    @property
    def asks_model(self) -> bool:
        """Whether it is a judge that asks a model."""
        return any(key.startswith(_OF_MODEL) for key in self.options)


def addresses_among(options: Mapping[str, str]) -> tuple[str, ...]:
    """Find the address that earlier versions stored among the options."""
    address = options.get(ADDRESS_OPTION) or options.get(_OF_MODEL + ADDRESS_OPTION)
    return (address.rstrip("/"),) if address else ()


def match_entry(known: Sequence[Entry], wanted: Entry, *, is_same_model: bool = False) -> Entry:
    """Match a model or judge with a stored entry, updated with any new name and address, or return a new one.

    The address is not part of a model's identity. But two servers are taken to have the same model only if the user
    says so, and different ones only if the user names each.
    """
    alike = [entry for entry in known if wanted.spec in (entry.spec, drop_address(entry.spec))]
    found = _find_at(alike, wanted) or (_find_elsewhere(alike, wanted) if is_same_model else None)
    if found is not None:
        _check_options(found, wanted)
        addresses = tuple(dict.fromkeys((*found.addresses, *wanted.addresses)))
        settled = replace(found, given_name=wanted.given_name or found.given_name, addresses=addresses)
    elif not alike:
        settled = wanted
    elif wanted.given_name and all(entry.given_name not in ("", wanted.given_name) for entry in alike):
        settled = _keep_apart(wanted)
    else:
        places = " and ".join(f"{entry.given_name or entry.spec} at {', '.join(entry.addresses)}" for entry in alike)
        same = "say by its name which one it is" if is_same_model else "add `same_model`"
        raise ConflictError(
            f"this run has {places}, and now {wanted.spec} is reached at {wanted.addresses[-1]}: if it is the same "
            f"model there, {same}; to have both, give each a name of its own, as in NAME=SPEC"
        )
    _check_name(known, settled)
    return settled


def display_names(entries: Iterable[Entry], *, keeps_kind: bool = False) -> dict[str, str]:
    """Return the display name of each, by spec: its given name, or else the shortest text that distinguishes it."""
    entries = {entry.spec: entry for entry in sorted(entries, key=lambda entry: entry.given_name)}.values()
    given = {entry.spec: entry.given_name for entry in entries if entry.given_name}
    groups: dict[str, list[_Parts]] = defaultdict(list)
    for entry in entries:
        if not entry.given_name:
            parts = _take_apart(entry, keeps_kind=keeps_kind)
            groups[parts.heads[0]].append(parts)
    short = {spec: name for group in groups.values() for spec, name in _tell_apart(group).items()}
    uses = Counter([*given.values(), *short.values()])
    return given | {spec: name if uses[name] == 1 else spec for spec, name in short.items()}


def find_spec(text: str, names: Mapping[str, str]) -> str:
    """Find a spec by display name or by spec, with or without its address; return unknown text unchanged."""
    ways = ({spec: spec for spec in names}, names, {spec: drop_address(spec) for spec in names})
    for way, wanted in zip(ways, (text, text, drop_address(text)), strict=True):
        found = [spec for spec, known in way.items() if known == wanted]
        if len(found) == 1:
            return found[0]
    return text


def _find_at(alike: Sequence[Entry], wanted: Entry) -> Entry | None:
    """Find the one at the same address; of several, prefer the one with the same name, then the same spec.

    One without an address, such as an imported model, matches any address.
    """
    here = [one for one in alike if not (one.addresses and wanted.addresses) or _places(one) & _places(wanted)]
    return min(here, key=lambda entry: (entry.given_name != wanted.given_name, entry.spec != wanted.spec), default=None)


def _find_elsewhere(alike: Sequence[Entry], wanted: Entry) -> Entry | None:
    """Find the one that is the same at another address: the only one, or the one with the same name."""
    named = [entry for entry in alike if len(alike) == 1 or entry.given_name == wanted.given_name != ""]
    return named[0] if named else None


def _places(entry: Entry) -> set[str]:
    """Return the addresses without their queries: another version of an API is still the same server."""
    return {address.partition("?")[0] for address in entry.addresses}


def _keep_apart(wanted: Entry) -> Entry:
    """Make the address part of the spec, as another server has a model of the same spec."""
    address = wanted.addresses[-1]
    key = (_OF_MODEL if wanted.asks_model else "") + ADDRESS_OPTION
    return replace(wanted, spec=with_address(wanted.spec, address), options={**wanted.options, key: address})


def _check_options(known: Entry, wanted: Entry) -> None:
    before, now = (json.dumps(_comparable(one.options), separators=(",", ":")) for one in (known, wanted))
    if before != now:
        raise ConflictError(
            f"this run has {wanted.spec!r} with the options {before}, not {now}; "
            "write out the options that differ, or start a new run"
        )


def _comparable(options: Mapping[str, str]) -> dict[str, str]:
    """Leave out where models are reached, which earlier versions kept among the options and in specs within them."""
    return {
        key: drop_address(value)
        for key, value in sorted(options.items())
        if key.removeprefix(_OF_MODEL) != ADDRESS_OPTION
    }


def _check_name(known: Iterable[Entry], settled: Entry) -> None:
    for other in known:
        is_taken = settled.given_name and settled.given_name in (other.given_name, other.spec)
        if other.spec != settled.spec and (is_taken or other.given_name == settled.spec):
            raise ConflictError(
                f"{settled.given_name or settled.spec!r} is the name of {other.spec!r} already; "
                "give each a name of its own, as in NAME=SPEC"
            )


class _Parts(NamedTuple):
    """A spec, its possible beginnings from short to long, and its options."""

    spec: str
    heads: Sequence[str]
    options: Mapping[str, str]


def _take_apart(entry: Entry, *, keeps_kind: bool) -> _Parts:
    if not entry.options:  # imported under that name
        return _Parts(entry.spec, [entry.spec], {})
    kind, target, options = parse_spec(entry.spec)
    whole = ":".join(filter(None, [kind, target]))
    model = (target.partition(":")[2] or target) if entry.asks_model else target
    is_path = "://" not in model and '"' not in model and "'" not in model  # a command has quotes around its paths
    last = model.rstrip("/").rpartition("/")[2] if is_path else model
    start = f"{kind}:" if keeps_kind else ""
    return _Parts(entry.spec, [start + last, start + model, whole] if target else [whole], options)


def _tell_apart(group: Sequence[_Parts]) -> dict[str, str]:
    """Name specs that begin alike by the shortest beginning that distinguishes them, with the options that differ."""
    shared = set.intersection(*(set(parts.options.items()) for parts in group))
    for length in range(max(len(parts.heads) for parts in group)):
        named = {}
        for parts in group:
            own = [f"{key}={value}" for key, value in parts.options.items() if (key, value) not in shared]
            named[parts.spec] = " ".join([parts.heads[: length + 1][-1], *own])
        if len(set(named.values())) == len(group):
            return named
    return {parts.spec: parts.spec for parts in group}
