"""Pixels that were brought later to responses known by name, joined with them where they are read."""

from dataclasses import dataclass
from typing import Any, get_args

from sqlalchemy import Select, and_

from subitize.records import Attached, Drawn, Elsewhere, ImageFormat, Outcome, Stored
from subitize.store.tables import attachments, responses


@dataclass(frozen=True, slots=True)
class Attachment:
    """The image of a trial's response, and the file that it came from."""

    trial_id: str
    image: Stored
    file: str


def with_attachments(query: Select[Any]) -> Select[Any]:
    """Add the image attached to each response, null where there is none."""
    is_same = and_(attachments.c.run_id == responses.c.run_id, attachments.c.trial_id == responses.c.trial_id)
    joined = responses.outerjoin(attachments, is_same)
    return query.select_from(joined).add_columns(attachments.c.image.label("attached"))


def attach_image(outcome: Outcome, image: str | None) -> Outcome:
    """Give a drawing that is known by name the image that was attached to it, if any."""
    if image is None or not isinstance(outcome, Drawn) or not isinstance(outcome.picture, Elsewhere):
        return outcome
    stored = parse_image(image)
    return Drawn(Attached(stored.hash, stored.format, outcome.picture.name))


def parse_image(name: str) -> Stored:
    """Read the name of an image's file."""
    hash, _, ending = name.partition(".")
    for known in get_args(ImageFormat):
        if known == ending:
            return Stored(hash, known)
    raise ValueError(f"{name!r} is no name of an image")
