"""How a run was made: the provenance of all its responses and readings, and the contents of its items.

Two items are the same if their words, picture, questions with right answers, and conditions are. Ids and the location
of pictures do not matter, nor do a suite's options and seed: they only say how items are made."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, cast

import polars as pl
from pydantic_core import from_json, to_json

from subitize.analysis.frame import ReadOptions, RunRows, read_rows
from subitize.errors import BadFileError
from subitize.frame import IS_ANSWER, NO_JUDGE
from subitize.io import codec
from subitize.io.files import hash_file
from subitize.records import FAILED, REFUSED, digest
from subitize.store import Run
from subitize.store.reading import read_groups
from subitize.store.rows import ItemText, read_item_texts

_EXAMPLES = 3


class Group(NamedTuple):
    """The row of a score within its run."""

    suite: str
    model: str
    judge: str


@dataclass(frozen=True, slots=True)
class Trail:
    """The responses of one model in one suite, a row each, or the readings of them by one judge."""

    rows: pl.DataFrame

    @property
    def first_at(self) -> float:
        """When the first was stored."""
        return cast(float, self.rows["at"].min())

    @property
    def last_at(self) -> float:
        """When the last was stored."""
        return cast(float, self.rows["at"].max() or 0.0)

    @property
    def usages(self) -> Counter[str]:
        """The number of calls by usage of tokens and money, as JSON."""
        return Counter(dict(self._count("usage")))

    def settings(self) -> Iterator[tuple[Mapping[str, Any], int]]:
        """Iterate over the distinct parameters, revisions, weights and versions, with their numbers of calls."""
        return ((from_json(text), count) for text, count in self._count("settings"))

    def _count(self, column: str) -> Iterator[tuple[str, int]]:
        return self.rows.drop_nulls(column).group_by(column, maintain_order=True).len().iter_rows()


class ResponseTrail(Trail):
    """The provenance of the responses of one model in one suite, including failed ones."""

    __slots__ = ()

    @property
    def responses(self) -> int:
        """The number of responses."""
        return self.rows.height

    @property
    def failed(self) -> int:
        """The number of failed responses."""
        return self.rows.filter(kind=FAILED).height

    @property
    def rewritten(self) -> int:
        """The number of responses with a rewritten prompt."""
        return self.rows.filter("is_rewritten").height

    @property
    def asked_again(self) -> int:
        """The number of answers or images that were asked for more than once."""
        return self.rows.filter(pl.col("attempt") > 0).select("item", "repeat").n_unique()

    @property
    def has_own_seeds(self) -> bool:
        """Return whether trials have seeds of their own; of 100,000 seeds of 32 bits, a few are equal by chance."""
        return 2 * self.rows["seed"].n_unique() > self.rows["trial"].n_unique()

    def answers(self) -> "ResponseTrail":
        """Keep the responses that describe the calls: the answers, or else the refusals, or else the failures."""
        kind = pl.col("kind")
        for other in ((REFUSED, FAILED), (FAILED,)):
            found = self.rows.filter(~kind.is_in(other))
            if found.height:
                return ResponseTrail(found)
        return self

    def parameters(self) -> dict[str, Counter[str]]:
        """Count calls by the value of every parameter."""
        return self._count_values(lambda settings: settings["parameters"].items())

    @property
    def parameter_count(self) -> int | None:
        """The number of parameters of the network, from its latest answers that record it."""
        # Older runs do not record it.
        counts = [settings.get("parameter_count") for settings, _ in self.settings()]
        return next((count for count in reversed(counts) if count is not None), None)

    def facts(self) -> dict[str, Counter[str]]:
        """Count calls by revision, weights, parameters and versions, in words."""
        return self._count_values(_facts)

    def _count_values(self, read: Callable[[Mapping[str, Any]], Iterable[tuple[str, Any]]]) -> dict[str, Counter[str]]:
        found = defaultdict[str, Counter[str]](Counter)
        for settings, count in self.settings():
            for name, value in read(settings):
                found[name][str(value)] += count
        return found

    def prompts(self) -> tuple[str, ...]:
        """Return a few examples of prompts as sent, if possible by calls that did not fail."""
        return _examples(self.rows.sort(pl.col("kind") == FAILED, maintain_order=True)["prompt"])

    def rewritings(self) -> tuple[str, ...]:
        """Return a few examples of prompts as rewritten by the provider."""
        return _examples(self.rows.filter("is_rewritten")["rewritten"])


class ReadingTrail(Trail):
    """The provenance of the readings of one judge."""

    __slots__ = ()

    @property
    def annotators(self) -> int:
        """The number of people who looked."""
        return self.rows.filter(pl.col("annotator") != "")["annotator"].n_unique()

    def revisions(self, *, is_short: bool = False) -> tuple[str, ...]:
        """List the revisions and weights of the model that judged; short ones lack the build behind the name."""
        found = set()
        for settings, _ in self.settings():
            revision = settings["revision"] or ""
            known = (revision.partition(" ")[0] if is_short else revision, settings["weights_hash"])
            found.add(", weights ".join(filter(None, known)))
        return tuple(sorted(found - {""}))


@dataclass(frozen=True, slots=True)
class Trails:
    """The provenance of a run: of responses by suite and model, and of readings by row of a score."""

    responses: Mapping[tuple[str, str], ResponseTrail]
    readings: Mapping[Group, ReadingTrail]
    """Empty, under NO_JUDGE, for responses without readings."""

    def sizes(self) -> dict[str, int]:
        """Return the numbers of parameters of models, as far as their answers record them."""
        found = {model: trail.parameter_count for (_, model), trail in self.responses.items()}
        return {model: count for model, count in found.items() if count is not None}


def read_provenance(run: Run, judge: str | None = None, rows: RunRows | None = None) -> Trails:
    """Collect the provenance of all responses and readings, or those of one judge; traced rows are not read again."""
    rows = rows or read_rows(run, ReadOptions(judge), is_traced=True)
    responses, readings = rows.responses, rows.stored.filter(IS_ANSWER)
    single = responses.select("suite", "model", subject="trial").unique()
    groups = read_groups(run).join(single, left_on="trial", right_on="subject").select(single.columns)
    readings = readings.join(pl.concat([single, groups]), on="subject", maintain_order="left")
    made = responses.partition_by("suite", "model", maintain_order=True, as_dict=True)
    looked = readings.partition_by(*Group._fields, maintain_order=True, as_dict=True)
    judged = {place[:2] for place in looked}
    unjudged = {(*owner, NO_JUDGE): readings.clear() for owner in made if owner not in judged}
    return Trails(
        {(suite, model): ResponseTrail(rows) for (suite, model), rows in made.items()},
        {Group(*place): ReadingTrail(rows) for place, rows in (looked | unjudged).items()},
    )


def _facts(settings: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    found = [("Revision", settings["revision"]), ("Weights", settings["weights_hash"])]
    if (count := settings.get("parameter_count")) is not None:
        found.append(("Size", f"{count:,} parameters"))
    found += [("Parameters", f"{name} = {value}") for name, value in settings["parameters"].items()]
    found += [("Versions", f"{name} {value}") for name, value in settings["versions"].items()]
    return ((name, value) for name, value in found if value is not None)


def _examples(texts: pl.Series) -> tuple[str, ...]:
    return tuple(str(from_json(text)) for text in texts.unique(maintain_order=True).head(_EXAMPLES))


_DIFFERENT_TEXTS = 10_000
_DIGITS = 32


@dataclass(frozen=True, slots=True)
class Content:
    """The contents of an item as a hash, with its words, its questions, and its picture's name if the file is gone.

    `questions` has those that enter the score, each with the number of repeats that it covers together.
    """

    hash: str
    text: str
    questions: tuple[tuple[str, int], ...]
    unknown_picture: str = ""


def read_contents(run: Run, item_ids: Collection[str]) -> dict[str, Content]:
    """Read the contents of these items; every picture file is read once."""
    files: dict[Path, str] = {}
    return {row.item_id: _read_content(row, files) for row in read_item_texts(run) if row.item_id in item_ids}


def _read_content(row: ItemText, files: dict[Path, str]) -> Content:
    # Plain JSON is enough: making records of 100,000 tasks would take longer than all the rest.
    task, unknown = from_json(row.task), ""
    text = next(task[name] for name in ("prompt", "question", "text") if name in task)
    if "picture" in task and task["picture"]["kind"] in ("stored", "filed"):
        task["picture"], unknown = _identify(task["picture"], files)
    asks, questions = _read_asks(row.asks)
    whole = hashlib.sha256(to_json([task, asks, _read_factors(row.factors)]))
    return Content(whole.hexdigest()[:_DIGITS], text, questions, unknown)


def _identify(picture: Mapping[str, Any], files: dict[Path, str]) -> tuple[str, str]:
    """Identify a picture by its file's contents, wherever it lies; also return its name if the file is gone."""
    if picture["kind"] == "stored":
        return picture["hash"], ""
    path = Path(picture["path"])
    if path not in files:
        try:
            files[path] = hash_file(path)
        except BadFileError:
            files[path] = ""
    return (files[path], "") if files[path] else (f"unknown picture {path.name}", path.name)


@lru_cache(_DIFFERENT_TEXTS)
def _read_asks(text: str) -> tuple[str, tuple[tuple[str, int], ...]]:
    asks = codec.asks.validate_json(text)
    plain = codec.dump(codec.asks, asks)
    questions = tuple((ask.question.id, ask.group) for ask in asks if ask.is_relevant)
    return digest(sorted(digest(one) for one in plain)), questions


@lru_cache(_DIFFERENT_TEXTS)
def _read_factors(text: str) -> str:
    """Hash the conditions, as figures are split by them and they define what counts as a drawing of a number."""
    return digest(from_json(text))
