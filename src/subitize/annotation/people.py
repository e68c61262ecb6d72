"""The people of a study: invited by a personal link, or recruited by a shared one."""

import json
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from sqlalchemy import Connection, Row, insert, update

from subitize.annotation import tables
from subitize.annotation.tables import StudyRows
from subitize.errors import BadValueError
from subitize.store import Lease, Run
from subitize.web import sign

Role = Literal["annotator", "reviewer", "owner"]
ROLES: tuple[Role, ...] = get_args(Role)
_IDENTITIES = ("PROLIFIC_PID", "workerId", "participantId")
"""Which of a recruiter's details identify a person, whatever the study or session."""


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who takes part; readings identify them by `name`.

    Annotators answer, reviewers check answers, the owner sees everything. Answers of people who are left out are
    ignored. `details` come from a recruiter's link and are exported only on request.
    """

    id: int
    name: str
    role: Role = "annotator"
    is_withdrawn: bool = False
    has_consented: bool = False
    details: str = ""
    is_left_out: bool = False


class People:
    """The people of a study, and the tokens in their links."""

    def __init__(self, run: Run, lease: Lease, rows: StudyRows, secret: str) -> None:
        self._run, self._lease, self._rows, self.secret = run, lease, rows, secret
        self._lock = threading.Lock()
        self._known = self._read()

    def all(self) -> Sequence[Person]:
        """List everybody."""
        return list(self._known.values())

    def annotators(self) -> Sequence[Person]:
        """List the annotators."""
        return [person for person in self._known.values() if person.role == "annotator"]

    def find(self, number: int) -> Person | None:
        """Find a person by ID."""
        return self._known.get(number)

    def invite(self, name: str, role: Role = "annotator") -> Person:
        """Return the person of this name, added if new."""
        check_name(name)
        with self._lock:
            known = self._named(name)
            if known is not None and known.role != role:
                raise BadValueError(f"{name!r} is {known.role} of this study; name the {role} otherwise")
            return known or self._add(name, role, "")

    def recruit(self, details: Mapping[str, str]) -> tuple[Person, bool]:
        """Return the person a recruiter sends, and whether they are new."""
        text = json.dumps(dict(details), sort_keys=True) if details else ""
        with self._lock:
            known = next((one for one in self.annotators() if details and _is_participant(one, details)), None)
            return known or self._add(self._next_name(), "annotator", text), known is None

    def return_code(self, person: Person) -> str:
        """Make the code by which a recruited person goes on in another browser."""
        return self.sign("return", person.id)[:12]

    def done_code(self, person: Person, ending: str) -> str:
        """Make the code that a person types at MTurk; no other person, and no other ending, has the same."""
        return f"{ending}-{self.sign('done', person.id, ending)[:12]}"

    def consent(self, person: Person) -> None:
        """Record that a person agrees to take part."""
        with self._run.writing(self._lease) as connection:
            own = tables.people.c.id == person.id
            connection.execute(update(tables.people).where(own).values(consented_at=time.time()))
        self.reload()

    def close(self, connection: Connection, person: Person, reason: str) -> None:
        """Close a person's link within a transaction."""
        row = {"withdrawn_at": time.time(), "withdrawn_because": reason or None}
        connection.execute(update(tables.people).where(tables.people.c.id == person.id).values(**row))

    def reload(self) -> None:
        """Read everybody again after a transaction."""
        self._known = self._read()

    def sign(self, *parts: object) -> str:
        """Make a token that only this study can make, for a link or as the ID of a person's page."""
        return sign(self.secret, *parts)

    def join_token(self, person: Person) -> str:
        """Make the secret part of a person's invitation link."""
        return self.sign("join", person.id)

    def recruiting_token(self) -> str:
        """Make the secret part of the recruiting link."""
        return self.sign("recruit")

    def _named(self, name: str) -> Person | None:
        return next((person for person in self._known.values() if person.name == name), None)

    def _next_name(self) -> str:
        taken = {person.name for person in self._known.values()}
        return next(name for number in range(1, len(taken) + 2) if (name := f"p{number}") not in taken)

    def _add(self, name: str, role: Role, details: str) -> Person:
        with self._run.writing(self._lease) as connection:
            row = {"name": name, "role": role, "details": details, "created_at": time.time()}
            connection.execute(insert(tables.people).values(**self._rows.key, **row))
        self.reload()
        return next(person for person in self._known.values() if person.name == name)

    def _read(self) -> dict[int, Person]:
        with self._run.reading() as connection:
            rows = connection.execute(self._rows.of(tables.people).order_by(tables.people.c.id)).all()
        return {row.id: _person(row) for row in rows}


def _is_participant(person: Person, details: Mapping[str, str]) -> bool:
    """Return whether this is a known participant: their ID is the same, whatever the study or session."""
    before: dict[str, str] = json.loads(person.details or "{}")
    name = next((name for name in _IDENTITIES if name in details), None)
    return before.get(name) == details[name] if name else before == dict(details)


def check_name(name: str) -> None:
    """Raise an error for a name that does not fit into a table."""
    if not (0 < len(name.strip()) == len(name) <= 60 and name.isprintable()):
        raise BadValueError(f"{name[:70]!r}: a name has 1 to 60 printable characters, without blanks around it")


def _person(row: Row[tuple[object, ...]]) -> Person:
    is_withdrawn, has_consented = row.withdrawn_at is not None, row.consented_at is not None
    is_left_out = row.withdrawn_because is not None
    return Person(row.id, row.name, row.role, is_withdrawn, has_consented, row.details, is_left_out)
