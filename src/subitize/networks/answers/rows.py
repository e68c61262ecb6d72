"""Inputs of a network, prepared picture by picture and put together to batches that change nothing.

Each picture and its question go through the processor alone, as if there were no others. Rows are then padded in front,
and what cannot be joined with others (another number of tiles) makes a batch of its own.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from subitize.errors import UnusableModelError
from subitize.networks import pairs

if TYPE_CHECKING:
    import torch

Row = Mapping[str, "torch.Tensor"]


def batches(rows: Sequence[Row], pad_id: int, *, pads: bool) -> Iterator[tuple[list[int], dict[str, "torch.Tensor"]]]:
    """Put rows together, with their places; those of different length only if padding is allowed."""
    groups: dict[object, list[int]] = {}
    for place, row in enumerate(rows):
        groups.setdefault(_shape(row, pads=pads), []).append(place)
    for places in groups.values():
        yield places, _join([rows[place] for place in places], pad_id)


def place_row(inputs: Mapping[str, Any], network: Any) -> Row:  # noqa: ANN401
    """Move what a processor made to where it is computed with, its numbers of the network's kind.

    What is no tensor cannot be moved, nor put together with others; left out, it might be the picture.
    """
    import torch

    made = {name: values for name, values in inputs.items() if name != "labels"}
    strange = sorted(name for name, values in made.items() if not isinstance(values, torch.Tensor))
    if strange:
        raise UnusableModelError(
            f"its processor gives {' and '.join(strange)} in a form that is not known here; take another model"
        )
    if not any(values.is_floating_point() for values in made.values()):
        raise UnusableModelError("its processor makes no numbers of a picture; take a model that sees")
    return pairs.place(network, made)


def length(row: Row) -> int:
    """Count the tokens of a row, those of the picture included."""
    return int(row["input_ids"].shape[1])


def _shape(row: Row, *, pads: bool) -> object:
    shapes = [(name, tuple(values.shape[1:])) for name, values in row.items() if not _is_sequence(name, row)]
    return (*shapes, None if pads else length(row))


def _is_sequence(name: str, row: Row) -> bool:
    return name in _PER_TOKEN and row[name].shape == row["input_ids"].shape


_PER_TOKEN = {"input_ids", "attention_mask", "token_type_ids", "mm_token_type_ids"}


def _join(rows: Sequence[Row], pad_id: int) -> dict[str, "torch.Tensor"]:
    import torch

    longest = max(map(length, rows))
    joined = {}
    for name in rows[0]:
        if _is_sequence(name, rows[0]):
            filler = pad_id if name == "input_ids" else 0
            parts = [torch.nn.functional.pad(row[name], (longest - length(row), 0), value=filler) for row in rows]
        else:
            parts = [row[name] for row in rows]
        joined[name] = torch.cat(parts)
    return joined
