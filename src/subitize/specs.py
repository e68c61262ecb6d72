"""Specs as users write them, `NAME=kind:target,key=value`: taken apart, and without where a model is reached."""

import re
from collections.abc import Mapping

from subitize.errors import BadValueError

ADDRESS_OPTION = "base_url"
"""Says where a model is reached, and is no part of what it is."""
_LONGEST_NAME = 60


def split_name(text: str) -> tuple[str, str]:
    """Split `NAME=spec` into the name, empty where there is none, and the spec."""
    name, equals, spec = text.partition("=")
    if not equals or ":" in name:
        return "", text
    if not 0 < len(name) <= _LONGEST_NAME or name != name.strip() or not name.isprintable() or "," in name:
        raise BadValueError(
            f"the name {name[:_LONGEST_NAME]!r} should be 1 to {_LONGEST_NAME} printable characters without comma, "
            "colon and =, and not begin or end with a space; write NAME=SPEC, and options as kind:key=value"
        )
    return name, spec


def parse_spec(text: str) -> tuple[str, str, dict[str, str]]:
    """Split `kind:target,key=value` into its parts; a comma that no key follows belongs to what stands before."""
    kind, _, rest = text.partition(":")
    parts = re.split(r",(?=[a-z][a-z0-9_]*=)", rest)
    target = "" if re.match(r"[a-z][a-z0-9_]*=", parts[0]) else parts.pop(0)
    given: dict[str, str] = {}
    for key, value in (part.split("=", 1) for part in parts):
        if key in given:
            raise BadValueError(f"{text!r} gives {key} twice; once is enough")
        given[key] = value
    return kind, target, given


def write_spec(start: str, options: Mapping[str, str | None]) -> str:
    """Add the options that are given to a name or spec: after a comma if there is a target, else after a colon."""
    written = ",".join(f"{key}={text}" for key, text in options.items() if text is not None)
    return ("," if ":" in start else ":").join(filter(None, [start, written]))


def with_address(spec: str, address: str) -> str:
    """Write into a spec where its model is reached, as earlier versions did."""
    kind, target, options = parse_spec(spec)
    return write_spec(f"{kind}:{target}", {ADDRESS_OPTION: address, **options})


def drop_address(spec: str) -> str:
    """Leave out of a spec where a model is reached, which earlier versions wrote into it."""
    return re.sub(rf",{ADDRESS_OPTION}=.*?(?=,[a-z][a-z0-9_]*=|$)", "", spec)
