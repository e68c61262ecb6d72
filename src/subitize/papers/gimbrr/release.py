"""Reads the files that GIMBRR's authors released: the prompts, and people's ratings of the images.

Images become responses known by file name, ratings become readings."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from subitize import records
from subitize.analysis.papers import Release
from subitize.errors import BadFileError
from subitize.io.files import CsvRow, read_lines
from subitize.labels import Rule, interpret
from subitize.labels.interpretation import read_vote
from subitize.papers.gimbrr import suite, tables
from subitize.papers.gimbrr.prompts import BY_TITLE, SAMPLED, STRATA
from subitize.report.texts import number_of

LICENCE = "GIMBRR's data is by its authors, MIT licence; please cite Achterberg et al. (2023)"
_NEEDED = ("File_name", "annotation", "Algorithm", "ID")
_OPTIONAL = ("Prompt_no", "Prompt", "Task")
JUDGE = "gimbrr-annotators"
ANNOTATOR = "unnamed"
"""The annotator, whom the release does not name."""
_SPEC = records.Spec(suite.NAME, {"prompts": "as released"}, f"{suite.NAME} (as released)")
_FILE = re.compile(r"p(?P<id>\d{1,9})_(?P<sample>\d{1,9})_v.+_pd(?P<date>\d{6})", re.ASCII)


@dataclass(frozen=True, slots=True)
class ReleasedRating:
    """A line: whether an image, known by file name, matches its prompt; repeats count from 0.

    `directory_date` is that of the directory from which the image was drawn.
    """

    line: CsvRow
    model: str
    id: int
    repeat: int
    file_name: str
    directory_date: str
    says_yes: bool

    @property
    def text(self) -> str:
        """The prompt as in this line, which may be older than the directory's."""
        return self.line.get("Prompt")


def read(folder: Path) -> Release:
    """Read the prompt directory, with extra variables if there are any, and all ratings of a folder."""
    directory = _find_directory(folder)
    files = sorted(folder.glob("annotations*.csv"))
    if not files:
        raise BadFileError(f"no annotations*.csv in {folder}; the authors' is annotations_df_230311.csv")
    prompts = {prompt.id: prompt for prompt in suite.read_directory(directory)}
    date = _date_of(directory)
    ratings = list(_read_ratings(files, prompts, directory))
    if not ratings:
        raise BadFileError(f"{files[0].name}: no ratings; each is a line: {', '.join(_NEEDED)}")
    older = _find_older_texts(ratings, prompts)
    drawn = {id: one.text for id, one in older.items() if one.directory_date != date}
    unknown = "sizes of sets, positions of targets, adjectives and features are not known"
    warnings = (
        *_describe_missing(ratings, prompts),
        *_describe_older(older.values(), drawn, prompts, directory.name),
        *_describe_contradictions(prompts.values()),
        *([] if "extraVars" in directory.name else [f"no {directory.stem}_extraVars.csv: {unknown}"]),
        LICENCE,
    )
    kept = {id: replace(one, text=drawn.get(id, one.text)) for id, one in prompts.items()}
    made = _make_release(kept, ratings)
    return replace(made, warnings=(*tables.warnings(tables.rows(made.seen())), *warnings))


def _make_release(prompts: Mapping[int, suite.DirectoryRow], ratings: Iterable[ReleasedRating]) -> Release:
    items = [suite.make_item(suite.make_prompt(prompt)) for prompt in prompts.values()]
    question, rule = suite.MATCH.question, Rule("votes")
    answers = {text: records.Words(text) for text in ("True", "False")}
    values = {text: interpret(words, question, rule) for text, words in answers.items()}
    specs: dict[str, records.Spec] = {}
    responses: dict[tuple[str, int, int], records.Response] = {}
    readings: list[records.Reading] = []
    for one in ratings:
        spec = specs.setdefault(one.model, records.Spec(one.model, {"released": suite.NAME}, one.model))
        image = one.model, one.id, one.repeat
        if image not in responses:
            trial = records.Trial(f"{suite.NAME}/{one.id}", spec.text, spec.options, one.repeat)
            drawn, sent = records.Drawn(records.Elsewhere(one.file_name)), prompts[one.id].text
            responses[image] = records.Response(trial, drawn, records.Provenance(0, sent))
        subject, said = records.Subject((responses[image].trial.id,)), str(one.says_yes)
        readings.append(records.Reading(subject, question, JUDGE, answers[said], str(rule), values[said], ANNOTATOR))
    design = records.Design(strata=STRATA, sampled=SAMPLED)
    return Release(_SPEC, design, items, [*specs.values()], JUDGE, [*responses.values()], readings)


def _find_directory(folder: Path) -> Path:
    """Find the newest directory, preferably with the extra variables."""
    found = sorted(folder.glob("Prompt_dir_*.csv"), key=lambda path: (_date_of(path), len(path.name)))
    if not found:
        raise BadFileError(f"no {suite.VERSION} in {folder}; name the folder of GIMBRR's release")
    return found[-1]


def _date_of(directory: Path) -> str:
    found = re.match(r"Prompt_dir_(\d{6})", directory.name)
    return found[1] if found else ""


def _read_ratings(
    files: Iterable[Path], prompts: Mapping[int, suite.DirectoryRow], directory: Path
) -> Iterator[ReleasedRating]:
    first: dict[tuple[str, int, int], ReleasedRating] = {}
    for file in files:
        for line in read_lines(file, [(column,) for column in _NEEDED], ", ".join((*_NEEDED, *_OPTIONAL))):
            rating = _read_rating(line, prompts, directory)
            one = first.setdefault((rating.model, rating.id, rating.repeat), rating)
            if one.file_name != rating.file_name:
                other = "" if one.line.file == line.file else f"{one.line.file} "
                sample = f"sample {rating.repeat + 1} of prompt {rating.id} by {rating.model}"
                message = f"{sample} is {one.file_name} in {other}line {one.line.number}; rate one of the two"
                raise line.error(f"File_name {rating.file_name!r}: {message}")
            yield rating


def _read_rating(line: CsvRow, prompts: Mapping[int, suite.DirectoryRow], directory: Path) -> ReleasedRating:
    name, algorithm, written = (line.get(column) for column in ("File_name", "Algorithm", "ID"))
    found = _FILE.fullmatch(Path(name).stem)
    if found is None or int(found["sample"]) < 1:
        raise line.error(f"File_name {name!r} should be like {suite.NAMING.example}: prompt, sample from 1, versions")
    if not algorithm:
        raise line.error("Algorithm is empty; name the model that drew the image")
    if written != str(int(found["id"])) or line.get("Prompt_no") not in ("", written):
        message = f"ID {written!r}, Prompt_no {line.get('Prompt_no')!r}, File_name {name!r}"
        raise line.error(f"{message}: three numbers of one prompt; they should be the same")
    prompt = prompts.get(int(written))
    if prompt is None:
        raise line.error(f"ID {written}: no such prompt in {directory.name}; rate prompts of the directory only")
    _check_version(line, prompt, found["date"], directory)
    vote = read_vote(line.get("annotation"))
    if not isinstance(vote, records.Known):
        raise line.error(f"annotation {line.get('annotation')!r}: should be True or False")
    return ReleasedRating(line, algorithm, prompt.id, int(found["sample"]) - 1, name, found["date"], bool(vote.value))


def _check_version(line: CsvRow, prompt: suite.DirectoryRow, date: str, directory: Path) -> None:
    """Refuse ratings made with another directory: with another task or a later date."""
    task, own = line.get("Task"), _date_of(directory)
    if task and task not in BY_TITLE:
        raise line.error(f"no task named {task!r}; known: {', '.join(BY_TITLE)}")
    if task not in ("", prompt.task.title):
        raise line.error(
            f"ID {prompt.id} is of {task!r}, and in {directory.name} of {prompt.task.title!r}: the directory is of "
            "another version; take the one that the images were drawn from"
        )
    if own and date > own:
        raise line.error(
            f"File_name {line.get('File_name')!r} is of the directory of {date}, which is later than "
            f"{directory.name}; take Prompt_dir_{date}.csv"
        )


def _find_older_texts(
    ratings: Iterable[ReleasedRating], prompts: Mapping[int, suite.DirectoryRow]
) -> dict[int, ReleasedRating]:
    """Find prompts whose ratings have another text than the directory, each by its first such rating."""
    found: dict[int, ReleasedRating] = {}
    for one in ratings:
        if one.text and one.text != prompts[one.id].text:
            found.setdefault(one.id, one)
    return found


def _describe_missing(ratings: Iterable[ReleasedRating], prompts: Mapping[int, suite.DirectoryRow]) -> Iterator[str]:
    """Name unrated prompts of tasks that a model was given."""
    rated: dict[str, set[int]] = defaultdict(set)
    for one in ratings:
        rated[one.model].add(one.id)
    for model, ids in rated.items():
        tasks = {prompts[id].task for id in ids}
        missing = [id for id, one in prompts.items() if one.task in tasks and id not in ids]
        if missing:
            yield f"{model}: no rating of {number_of(len(missing), 'prompt')} ({tables.shorten(missing)})"


def _describe_older(
    older: Iterable[ReleasedRating], drawn: Mapping[int, str], prompts: Mapping[int, suite.DirectoryRow], directory: str
) -> Iterator[str]:
    """Say which texts differ, and which of the two was drawn."""
    newer = Counter(prompts[one.id].task.title for one in older if one.id not in drawn)
    if newer:
        tasks = ", ".join(f"{title} {count}" for title, count in newer.items())
        yield (
            f"an older text beside the ratings of {number_of(newer.total(), 'prompt')} ({tasks}); the images are of "
            f"{directory}, whose text is taken"
        )
    if drawn:
        those = f"{number_of(len(drawn), 'prompt')} ({tables.shorten(sorted(drawn))})"
        yield f"images of {those} are of an older text than {directory} has; it is kept"


def _describe_contradictions(prompts: Iterable[suite.DirectoryRow]) -> Iterator[str]:
    wrong = [one.id for one in prompts if one.task.key == "spatial" and one.label not in one.text]
    if wrong:
        those = f"{number_of(len(wrong), 'prompt')} ({tables.shorten(wrong)})"
        yield f"the relation of {those} is labelled otherwise; figures go by the label"
