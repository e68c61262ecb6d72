"""Parses and writes specs, `NAME=kind:target,key=value`, and the values of their options.

A spec leaves out its model's address: where a model is reached is not part of what it is."""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from types import NoneType, UnionType
from typing import Annotated, get_args, get_origin

from subitize.errors import BadValueError

ADDRESS_OPTION = "base_url"
"""The option for where a model is reached, which is not part of what it is."""
_LONGEST_NAME = 60


def check_range(who: str, low: float, high: float = math.inf, **options: float | None) -> None:
    """Refuse options out of a range, or infinite; None is allowed."""
    for name, value in options.items():
        if value is not None and not (low <= value <= high and math.isfinite(value)):
            wanted = f"at least {low:g}" if high == math.inf else f"from {low:g} to {high:g}"
            raise BadValueError(f"{who}: {name}={value:g}: should be {wanted}")


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
    """Split `kind:target,key=value` into its parts; a comma without a key after it belongs to the text before it."""
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
    """Add options to a name or spec, after a comma if it has a target, else after a colon; None is left out."""
    written = ",".join(f"{key}={text}" for key, text in options.items() if text is not None)
    return ("," if ":" in start else ":").join(filter(None, [start, written]))


def with_address(spec: str, address: str) -> str:
    """Write a model's address into its spec, as earlier versions did."""
    kind, target, options = parse_spec(spec)
    return write_spec(f"{kind}:{target}", {ADDRESS_OPTION: address, **options})


def drop_address(spec: str) -> str:
    """Remove a model's address, which earlier versions wrote into its spec."""
    return re.sub(rf",{ADDRESS_OPTION}=.*?(?=,[a-z][a-z0-9_]*=|$)", "", spec)


def unwrap_annotation(annotation: object) -> object:
    """Strip Annotated, and the `| None` of an optional value, from an annotation."""
    if get_origin(annotation) is Annotated:
        return unwrap_annotation(get_args(annotation)[0])
    kinds = [kind for kind in get_args(annotation) if kind is not NoneType]
    return kinds[0] if isinstance(annotation, UnionType) and len(kinds) == 1 else annotation


def parse_value(who: str, text: str, wanted: object) -> object:
    """Parse the value of an option as one of the types that options may have."""
    if wanted is bool and text in ("true", "false"):
        return text == "true"
    if wanted is int and re.fullmatch(r"-?\d{1,15}", text, re.ASCII):
        return int(text)
    if wanted is float and _FLOAT.fullmatch(text) and math.isfinite(float(text)):
        return float(text)
    if wanted is str:
        return text
    if wanted == tuple[str, ...] and "," not in text:
        return _each_once(who, text.split("+"))
    if wanted == tuple[int, ...] and re.fullmatch(r"\d{1,7}(-\d{1,7})?(\+\d{1,7}(-\d{1,7})?)*", text, re.ASCII):
        return _each_once(who, [number for part in text.split("+") for number in _whole_numbers(who, part)])
    raise BadValueError(f"{who}={text!r}: should be {_DESCRIPTIONS.get(wanted, wanted)}")


_FLOAT = re.compile(r"-?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?", re.ASCII)
_DESCRIPTIONS: dict[object, str] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "text",
    tuple[str, ...]: "names joined by +, as in apples+dots",
    tuple[int, ...]: "whole numbers such as 1-10 or 1+2+5",
}


def type_name(kind: object) -> str:
    """Describe a type that options may have."""
    return _DESCRIPTIONS.get(kind, str(kind)).partition(",")[0]


def _each_once(who: str, values: Sequence[object]) -> tuple[object, ...]:
    for value, times in Counter(values).items():
        if times > 1:
            raise BadValueError(f"{who}: {value} stands there {times} times; once is enough")
    return tuple(values)


def _whole_numbers(who: str, part: str) -> range:
    low, _, high = part.partition("-")
    numbers = range(int(low), int(high or low) + 1)
    if not 1 <= len(numbers) <= 10_000:
        raise BadValueError(f"{who}={part!r}: should go up, and be at most 10,000 numbers")
    return numbers


def format_value(value: object) -> str:
    """Write the value of an option so that parsing it gives the same value."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return repr(value).removesuffix(".0")  # every digit: the text must make the same object again
    if isinstance(value, tuple):
        whole = [number for number in value if isinstance(number, int)]
        is_run = len(whole) == len(value) > 1 and whole == list(range(whole[0], whole[0] + len(whole)))
        return f"{whole[0]}-{whole[-1]}" if is_run else "+".join(str(part) for part in value)
    return str(value)
