"""Rewrites the prompts of a suite with a language model, into a CSV file that the refinement `rewritten` reads."""

import csv
import io
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass, field
from itertools import islice
from pathlib import Path
from typing import Protocol, runtime_checkable

from subitize.errors import BadFileError, BadValueError, BusyError, ConflictError, StorageError
from subitize.evaluate.costs import Budget
from subitize.evaluate.driving import Given, drive, remember
from subitize.evaluate.engines import Failure, waiting_caller
from subitize.evaluate.sampling import sample_of
from subitize.interfaces import Answerer, Events, Model, Reply, Request, Suite, Usage
from subitize.io.files import escape_formula, read_bounded
from subitize.io.prices import estimate_text_tokens
from subitize.io.specs import with_address
from subitize.models.openai import DEFAULT_URL
from subitize.records import REFINED, Draw, Failed, Item, Picture, Refused, Said, Task, Trial, base_suite, task_text
from subitize.registry import Resolved
from subitize.suites.refined import COLUMNS, RewrittenPrompt, find_refinable, read_rows

try:
    import fcntl
except ImportError:  # on Windows
    fcntl = None  # type: ignore[assignment]

INSTRUCTION = (
    "Rewrite the following prompt for a text-to-image model so that the picture shows exactly the number of things "
    "that the prompt asks for. Keep the things, their number, the scene and the style. Answer with the new prompt "
    "alone, in one paragraph."
)
LONGEST_REWRITTEN = 4000
"""In characters: a longer answer is not a prompt."""


@runtime_checkable
class Writes(Protocol):
    """A model that can write texts."""

    concurrency: int

    async def write(self, request: Request, /) -> Reply:
        """Write what the text of the task asks for."""


@dataclass(frozen=True, slots=True)
class Rewriting:
    """What to rewrite, by which model, with which instruction, into which file."""

    suite: Resolved[Suite]
    model: Resolved[Model]
    path: Path
    instruction: str = INSTRUCTION
    limit: int | None = None
    seed: int = 0
    tries: int = 5
    budget: Budget = field(default_factory=Budget)

    def __post_init__(self) -> None:
        for name in ("limit", "tries"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise BadValueError(f"`{name}` {value}: should be at least 1")
        name = self.suite.spec.name
        if REFINED in name:
            raise BadValueError(f"suite {name!r} is refined already; take {base_suite(name)!r}")
        _ = self.writer
        self.budget.meter(self.model)  # a limit without a price is refused
        if not self.instruction.strip():
            raise BadValueError("`instruction` is empty; say what the model should do with a prompt")

    @property
    def writer(self) -> Writes:
        """The model that writes; a model that cannot is refused."""
        if not isinstance(self.model.obj, Writes):
            raise BadValueError(f"model {str(self.model)!r} cannot write texts; take openai:MODEL")
        return self.model.obj

    @property
    def written_by(self) -> str:
        """The model's spec, with its address unless that is the provider's: another server may have another model."""
        spec, (address, *_) = self.model.spec.text, (*self.model.addresses, DEFAULT_URL)
        return spec if address == DEFAULT_URL else with_address(spec, address)

    def items(self) -> list[Item]:
        """List the items whose prompts can be refined; a limit takes them as in a run."""
        items = list(find_refinable(self.suite.obj, self.seed))
        if self.limit is not None:
            refinable = {item.id for item in items}
            order = (item.id for item in sample_of(self.suite, self.seed) if item.id in refinable)
            taken = set(islice(order, self.limit))
            items = [item for item in items if item.id in taken]
        if not items:
            raise BadValueError(
                f"suite {self.suite.spec.text!r} has no prompt that asks for a number of one kind of things"
            )
        return items

    def text_for(self, item: Item) -> str:
        """Return the text sent for an item."""
        return f"{self.instruction.strip()}\n\nPrompt: {_prompt(item)}"


@dataclass(slots=True)
class RewriteTally:
    """Counts of one call: prompts rewritten, failed, done before; tokens used, and reasons of failures."""

    written: int = 0
    failed: int = 0
    already_done: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    reasons: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        before = f", {self.already_done} done before" if self.already_done else ""
        used = f"; {self.tokens_in:,} tokens in, {self.tokens_out:,} out" if self.tokens_in else ""
        return f"{self.written} rewritten, {self.failed} failed{before}{used}"


def rewrite_suite(rewriting: Rewriting, events: Events) -> RewriteTally:
    """Rewrite the prompts that are not in the file yet; each is in the file before its slot is used again."""
    rewriting.model.obj.check()
    items = rewriting.items()
    with _locked(rewriting.path):
        known = _resume(rewriting, {item.id: item for item in items})
        left = [item for item in items if item.id not in known]
        summary = RewriteTally(already_done=len(items) - len(left))
        if left:
            events.begin(str(rewriting.model), len(left))
            writer, model = rewriting.writer, rewriting.model
            caller = waiting_caller(writer.write, writer.concurrency, model.obj.opened)
            work, meter = _Rewrites(rewriting, summary, events), rewriting.budget.meter(model)
            meter.metered = _WrittenText()
            drive(left, work, caller, meter, tries=rewriting.tries)
    return summary


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Lock the file against other writers, where files can be locked (not on Windows)."""
    if path.exists() and not path.is_file():
        raise StorageError(f"cannot go on with {path}: not a file")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("ab")
    except OSError as error:
        raise StorageError(f"cannot write {path}: {error.strerror}") from None
    with file:
        if fcntl is not None:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise BusyError(
                    f"another `subitize make rewrites` is writing {path}; wait for it, or name another file"
                ) from None
            except OSError:  # a file system without locks
                pass
        yield


def clean(answer: str) -> str:
    """Extract the prompt from an answer: drop reasoning, fences, a heading such as "Here is …:", and outer quotes."""
    text = re.sub(r"^\s*<think>.*?</think>", "", answer, flags=re.DOTALL).strip()
    text = re.sub(r"^```\w*\n(.*?)\n?```$", r"\1", text, flags=re.DOTALL).strip()
    text = " ".join(_HEADING.sub("", text, count=1).split())
    for opening, closing in ("**", "**"), ('"', '"'), ("“", "”"), ("'", "'"), ("`", "`"):
        inner = text[len(opening) : len(text) - len(closing)]
        is_quoted = len(text) > len(opening + closing) and text == f"{opening}{inner}{closing}"
        if is_quoted and opening not in inner and closing not in inner:
            text = inner.strip()
    return text


# "Here is a bowl with 3 apples: red, green and yellow" is a prompt: a heading mentions one, or has its own line.
_PROMPT = r"(?:prompt|version|rewrite|description)"
_TELLS = rf"(?:{_PROMPT}|rewritten|revised|(?:better|new|improved|refined) one)"
_HEADING = re.compile(
    r"^(?:(?:sure|certainly|of course|okay)\b[^\n\w]{0,3}\s*)?\**(?:"
    rf"here(?:'s|’s| is)\b[^:\n]{{0,80}}?\b{_TELLS}\b[^:\n]{{0,40}}\**:\s*|"
    r"here(?:'s|’s| is)\b[^:\n]{0,80}:[* \t]*\n\s*|"
    rf"(?:the )?(?:(?:rewritten|revised|new|refined|improved) )?{_PROMPT}\**\s*:\s*)\**\s*(?=\S)",
    re.IGNORECASE,
)


def _resume(rewriting: Rewriting, items: dict[str, Item]) -> set[str]:
    """Return the items in the file, and prepare it for more; refuse other prompts, instructions or models."""
    path = rewriting.path
    prompts = (_prompt(item) for item in items.values())
    _mend(path, rewriting.instruction.strip(), max(prompt.count("\n") for prompt in prompts))
    rows = read_rows(path)
    for row in rows.values():
        for what, before, now in (
            ("model", row.model, rewriting.written_by),
            ("instruction", row.instruction, rewriting.instruction.strip()),
            ("prompt", row.base_prompt, _prompt(items[row.item]) if row.item in items else row.base_prompt),
        ):
            if before != now:
                raise ConflictError(f"{path} has {row.item} by the {what} {before!r}, not {now!r}; name another file")
    return set(rows)


def _mend(path: Path, instruction: str, prompt_breaks: int = 0) -> None:
    """Begin the file, or remove an incomplete last row; refuse any other file."""
    header = f"{','.join(COLUMNS)}\n".encode()
    try:
        data = read_bounded(path) if path.exists() else b""
        if not data.startswith(header) and not header.startswith(data):
            raise BadFileError(f"{path} line 1: the columns should be {','.join(COLUMNS)}; name another file")
        if len(data) < len(header):
            path.write_bytes(header)
            return
        end = _end_of_rows(data)
        last = data[end:]
        # No row of ours has so many lines: what follows an open quotation mark is not from us.
        if last.count(b"\n") > instruction.count("\n") + prompt_breaks:
            line = data[:end].count(b"\n") + 1
            raise BadFileError(
                f"{path} line {line}: a quotation mark that is not closed; mend it, or name another file"
            )
        if last and _is_whole(last, instruction):
            _append(path, b"\n")
        elif last:
            os.truncate(path, end)
    except OSError as error:
        raise StorageError(f"cannot write {path}: {error.strerror}") from None


_FIELD = rb'(?:"(?:[^"]|"")*+"|[^",\r\n][^,\n]*+)?'
_ROW = re.compile(rb"%b(?:,%b)*+\r?\n" % (_FIELD, _FIELD))


def _end_of_rows(data: bytes) -> int:
    """Return where the last complete row ends; a line break within quotation marks does not end a row."""
    end = 0
    while found := _ROW.match(data, end):
        end = found.end()
    return end


def _is_whole(row: bytes, instruction: str) -> bool:
    """Return whether a row lacks only its line break."""
    try:
        rows = list(csv.reader(io.StringIO(row.decode(), newline=""), strict=True))
    except (UnicodeDecodeError, csv.Error):
        return False
    return len(rows) == 1 and len(rows[0]) == len(COLUMNS) and rows[0][-1] == escape_formula(instruction)


class _WrittenText(Answerer):
    """Expects a text to use as many tokens as what is sent for it, the instruction included."""

    def expect(self, task: Task, /) -> Usage:
        tokens = estimate_text_tokens(task_text(task))
        return Usage(tokens, tokens)


@dataclass(frozen=True, slots=True)
class _Rewrites:
    """Prompts put to the model; the work that is driven."""

    rewriting: Rewriting
    tally: RewriteTally
    events: Events

    @property
    def who(self) -> str:
        return f"model {str(self.rewriting.model)!r}"

    def tasks(self, job: Item) -> Sequence[Task]:
        return (Draw(self.rewriting.text_for(job)),)

    async def requests(self, job: Item) -> Sequence[Request]:
        return [_request(self.rewriting, job)]

    async def finish(self, job: Item, requests: Sequence[Request], given: Given) -> RewrittenPrompt | str:
        return _row(self.rewriting, job, given, self.tally)

    def commit(self, done: Sequence[RewrittenPrompt | str]) -> None:
        rows = [astuple(row) for row in done if isinstance(row, RewrittenPrompt)]
        _append(self.rewriting.path, _write_rows(rows))

    def renew(self) -> None:
        pass

    def tell(self, done: RewrittenPrompt | str) -> None:
        self.events.advance(has_failed=isinstance(done, str))
        if isinstance(done, str):
            self.tally.failed += 1
            remember(done, self.tally.reasons)
        else:
            self.tally.written += 1


def _request(rewriting: Rewriting, item: Item) -> Request:
    spec = rewriting.model.spec
    trial = Trial(item.id, spec.text, spec.options)
    task = Draw(rewriting.text_for(item))
    return Request(item.id, task, 0, 0, trial.seed(rewriting.seed), _no_picture, trial.id)


def _no_picture(picture: Picture) -> bytes:
    raise TypeError(f"a text is written without a picture, not with {picture}")


def _row(rewriting: Rewriting, item: Item, given: Given, summary: RewriteTally) -> RewrittenPrompt | str:
    """Turn an answer into a row, or return what is wrong with it."""
    (reply,) = given.each
    if isinstance(reply, Failure):
        return reply.reason
    if reply.usage is not None:
        summary.tokens_in += reply.usage.tokens_in
        summary.tokens_out += reply.usage.tokens_out
    match reply.content:
        case Refused(reason=reason) | Failed(reason=reason):
            return f"{item.id}: {reason}"
        case Said(text=answer):
            text = clean(answer)
        case other:
            return f"{item.id}: the model gave no text but {type(other).__name__}"
    if reply.provenance.parameters.get("finish") == "length":
        return f"{item.id}: the answer is cut short; a larger max_tokens=… lets it end"
    if not 1 <= len(text) <= LONGEST_REWRITTEN:
        return f"{item.id}: an answer of {len(text):,} characters; should be 1 to {LONGEST_REWRITTEN:,}"
    revision = " ".join((reply.provenance.revision or "").split())
    return RewrittenPrompt(item.id, _prompt(item), text, rewriting.written_by, revision, rewriting.instruction.strip())


def _prompt(item: Item) -> str:
    return item.task.prompt.strip() if isinstance(item.task, Draw) else ""


def _write_rows(rows: Sequence[Sequence[str]]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(map(escape_formula, row) for row in rows)
    return text.getvalue().encode("utf-8", "replace")


def _append(path: Path, data: bytes) -> None:
    """Append to the file at once, and write through to the disk."""
    try:
        with path.open("ab") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise StorageError(f"cannot write {path}: {error.strerror}") from None
