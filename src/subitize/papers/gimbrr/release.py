"""Reads the files that GIMBRR's authors released, imports them as a run, and writes ratings in their columns.

The files are the prompts and people's ratings of the images. Images become responses known by file name, ratings become
readings."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from subitize import __version__, records
from subitize.analysis.frame import check_judge
from subitize.errors import BadFileError, ConflictError, NothingToDoError
from subitize.frame import decode_columns
from subitize.imports.releases import Importable, RatingColumns, ReleaseSummary
from subitize.io.files import CsvRow, escape_formula, read_lines, write_rows
from subitize.io.frames import make_frame
from subitize.io.outputs import write_atomic
from subitize.labels import Rule, interpret
from subitize.labels.interpretation import read_vote
from subitize.papers.gimbrr import suite
from subitize.papers.gimbrr.prompts import ALL, BY_TITLE, CONTROLLED, SAMPLED, STRATA
from subitize.papers.gimbrr.ratings import ROWS, TaskRatings, describe_ratings, shorten
from subitize.papers.gimbrr.suite import MATCH, NAME, NAMING
from subitize.records import Attached, Drawn, Elsewhere, Item, task_text
from subitize.report.table import number_of
from subitize.store import Run, StoredResponse
from subitize.store.reading import read_readings
from subitize.store.rows import decode_value

LICENCE = "GIMBRR's data is by its authors, MIT licence; please cite Achterberg et al. (2023)"
MODELS: Mapping[str, str] = {"Dalle": "DALL-E 2", "MJ": "Midjourney", "SD1.5": "SD 1.5", "SD2.1": "SD 2.1"}
"""The algorithms that the authors rated: names in the files and names in print."""
_NEEDED = ("File_name", "annotation", "Algorithm", "ID")
_OPTIONAL = ("Prompt_no", "Prompt", "Task")
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


@dataclass(frozen=True, slots=True)
class GimbrrRelease:
    """The prompts by ID, with the texts that were drawn, the ratings in file order, and warnings."""

    prompts: Mapping[int, suite.DirectoryRow]
    ratings: Sequence[ReleasedRating]
    warnings: Sequence[str]


def read_release(folder: Path) -> GimbrrRelease:
    """Read the prompt directory, with extra variables if there are any, and all ratings of a folder."""
    directory = _find_directory(folder)
    files = sorted(folder.glob("annotations*.csv"))
    if not files:
        raise BadFileError(f"no annotations*.csv in {folder}; the authors' is annotations_df_230311.csv")
    prompts = {prompt.id: prompt for prompt in suite.read_directory(directory)}
    date = _date_of(directory)
    ratings = [rating for file in files for rating in _read_ratings(file, prompts, directory)]
    if not ratings:
        raise BadFileError(f"{files[0].name}: no ratings; each is a line: {', '.join(_NEEDED)}")
    older = _find_older_texts(ratings, prompts)
    drawn = {id: one.text for id, one in older.items() if one.directory_date != date}
    unknown = "sizes of sets, positions of targets, adjectives and features are not known"
    lack = f"no {directory.stem}_extraVars.csv: {unknown}"
    warnings = (
        *_describe_missing(ratings, prompts),
        *_describe_older(older.values(), drawn, prompts, directory.name),
        *_describe_contradictions(prompts.values()),
        *([] if "extraVars" in directory.name else [lack]),
    )
    kept = {id: replace(one, text=drawn.get(id, one.text)) for id, one in prompts.items()}
    return GimbrrRelease(kept, ratings, warnings)


def take_released(release: GimbrrRelease) -> TaskRatings:
    """Return all ratings of a release as a frame, without a run."""
    rows = ((one.model, f"{suite.NAME}/{one.id}", one.repeat, float(one.says_yes)) for one in release.ratings)
    return describe_ratings(
        make_frame(rows, ROWS), map(suite.make_item, map(suite.make_prompt, release.prompts.values()))
    )


def _find_directory(folder: Path) -> Path:
    """Find the newest directory, preferably with the extra variables."""
    found = sorted(folder.glob("Prompt_dir_*.csv"), key=lambda path: (_date_of(path), len(path.name)))
    if not found:
        raise BadFileError(f"no {suite.VERSION} in {folder}; name the folder of GIMBRR's release")
    return found[-1]


def _date_of(directory: Path) -> str:
    found = re.match(r"Prompt_dir_(\d{6})", directory.name)
    return found[1] if found else ""


def _read_ratings(file: Path, prompts: Mapping[int, suite.DirectoryRow], directory: Path) -> Iterator[ReleasedRating]:
    first: dict[tuple[str, int, int], ReleasedRating] = {}
    for line in read_lines(file, [(column,) for column in _NEEDED], ", ".join((*_NEEDED, *_OPTIONAL))):
        rating = _read_rating(line, prompts, directory)
        one = first.setdefault((rating.model, rating.id, rating.repeat), rating)
        if one.file_name != rating.file_name:
            message = f"sample {rating.repeat + 1} of prompt {rating.id} by {rating.model} is {one.file_name} in line"
            raise line.error(f"File_name {rating.file_name!r}: {message} {one.line.number}; rate one of the two")
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
            yield f"{model}: no rating of {number_of(len(missing), 'prompt')} ({shorten(missing)})"


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
        those = f"{number_of(len(drawn), 'prompt')} ({shorten(sorted(drawn))})"
        yield f"images of {those} are of an older text than {directory} has; it is kept"


def _describe_contradictions(prompts: Iterable[suite.DirectoryRow]) -> Iterator[str]:
    wrong = [one.id for one in prompts if one.task.key == "spatial" and one.label not in one.text]
    if wrong:
        those = f"{number_of(len(wrong), 'prompt')} ({shorten(wrong)})"
        yield f"the relation of {those} is labelled otherwise; figures go by the label"


JUDGE = "gimbrr-annotators"
ANNOTATOR = "unnamed"
"""The annotator, whom the release does not name."""
_SPEC = records.Spec(suite.NAME, {"prompts": "as released"}, f"{suite.NAME} (as released)")
_RULE = Rule("votes")


def read_importable(folder: Path) -> Importable:
    """Read and check a release first, so that a faulty one leaves no run behind."""
    release = read_release(folder)
    warnings = (*take_released(release).warnings(), *release.warnings, LICENCE)
    return Importable(warnings, lambda run: import_gimbrr(run, release))


def import_gimbrr(run: Run, release: GimbrrRelease) -> ReleaseSummary:
    """Add the ratings of a release to a run, all or none; models already there are left alone."""
    items = [suite.make_item(suite.make_prompt(prompt)) for prompt in release.prompts.values()]
    with run.lease(f"judge {JUDGE}") as lease:
        run.add_suite(_SPEC, 0, items, records.Design(strata=STRATA, sampled=SAMPLED))
        run.add_judge(records.Spec(JUDGE, {}, JUDGE), is_stand_in=False)
        new = _find_new(run, release.ratings)
        specs = {one.model: records.Spec(one.model, {"released": suite.NAME}, one.model) for one in new}
        for spec in specs.values():
            run.add_model(spec, is_stand_in=False)
        trials = {_image(one): _trial(specs[one.model], one) for one in new}
        stored = run.add_judged(lease, _responses(new, trials, release), _readings(new, trials))
    return ReleaseSummary(*stored, len(release.ratings) - len(new))


def _find_new(run: Run, ratings: Sequence[ReleasedRating]) -> list[ReleasedRating]:
    """Find the ratings of models that the run lacks; those of the others must be the same."""
    trials = {stored.trial_id: stored.response.trial for stored in run.responses()}
    there: Counter[tuple[str, str, int, bool]] = Counter()
    for stored in run.readings(JUDGE):
        trial = trials[stored.reading.subject.trial_ids[0]]
        there[trial.model, trial.item_id, trial.repeat, stored.reading.evidence == records.Words("True")] += 1
    known = {model for model, *_ in there}
    given = Counter((one.model, f"{suite.NAME}/{one.id}", one.repeat, one.says_yes) for one in ratings)
    for model in dict.fromkeys(one.model for one in ratings):
        of_run, of_release = ({key: n for key, n in of.items() if key[0] == model} for of in (there, given))
        if model in known and of_run != of_release:
            raise ConflictError(f"{run.location} has other ratings of {model} than the release; import into a new run")
    return [one for one in ratings if one.model not in known]


_Image = tuple[str, int, int]


def _image(one: ReleasedRating) -> _Image:
    return one.model, one.id, one.repeat


def _trial(spec: records.Spec, one: ReleasedRating) -> records.Trial:
    return records.Trial(f"{suite.NAME}/{one.id}", spec.text, spec.options, one.repeat)


def _responses(
    ratings: Iterable[ReleasedRating], trials: Mapping[_Image, records.Trial], release: GimbrrRelease
) -> Iterator[records.Response]:
    names = {_image(one): one.file_name for one in ratings}
    for image, name in names.items():
        sent = release.prompts[image[1]].text
        yield records.Response(trials[image], records.Drawn(records.Elsewhere(name)), records.Provenance(0, sent))


def _readings(ratings: Iterable[ReleasedRating], trials: Mapping[_Image, records.Trial]) -> Iterator[records.Reading]:
    question, rule = suite.MATCH.question, str(_RULE)
    values = {
        yes: (records.Words(str(yes)), interpret(records.Words(str(yes)), question, _RULE)) for yes in (True, False)
    }
    for one in ratings:
        subject = records.Subject((trials[_image(one)].id,))
        evidence, value = values[one.says_yes]
        yield records.Reading(subject, question, JUDGE, evidence, rule, value, ANNOTATOR)


COLUMNS = (
    *("File_name", "Prompt_no", "Task_backup", "annotation", "Dashboard_version", "Algorithm", "ID", "Prompt"),
    *("Representations", "Auto_assessment", "Task", "Task_specific_label", "img2img_instructions", "Linked_prompts"),
)
# Of conditional generation, the directory marks only some prompts as assessed automatically.
_AUTOMATIC = {"single", "multiple", "counting", "arithmetic", "negation", *(task.key for task in CONTROLLED)}
_DATE_UNKNOWN = "000000"
_SAMPLE = re.compile(r"p.+_(?P<sample>\d{1,9})_v.+", re.ASCII)
_UNRATED = "has no ratings: nobody was asked whether an image as a whole matches its prompt"


def export_ratings(run: Run, judge: str | None, path: Path) -> tuple[int, Path]:
    """Write a line per rating, in the order given, and count them; ratings without a value are left out."""
    name = _choose_judge(run, judge)
    lines = list(_list_ratings(run, name))
    if not lines:
        raise NothingToDoError(f"{run.location} has no ratings of {NAME} by {name!r}")
    escaped = ({column: escape_formula(text) for column, text in line.items()} for line in lines)
    write_atomic(path, [write_rows(COLUMNS, escaped).encode()])
    return len(lines), path


def translate(lines: Iterable[CsvRow]) -> Iterator[dict[str, str]]:
    """Yield what each line rates; as raters are unnamed, a repeated rating counts as another person's."""
    times: Counter[tuple[str, ...]] = Counter()
    for line in lines:
        name, key, model = (line.get(column) for column in ("File_name", "ID", "Algorithm"))
        found = _SAMPLE.fullmatch(Path(name).stem)
        if found is None or int(found["sample"]) < 1:
            raise line.error(f"File_name {name!r} should be like {NAMING.example}: prompt, sample from 1, versions")
        repeat = str(int(found["sample"]) - 1)
        times[key, model, repeat] += 1
        again = times[key, model, repeat]
        yield {
            "annotator": ANNOTATOR if again == 1 else f"{ANNOTATOR} {again}",
            "item": f"{NAME}/{key}",
            "model": model,
            "repeat": repeat,
            "question": MATCH.question.id,
            "answer": line.get("annotation"),
            "rule": "votes",
        }


RATING_COLUMNS = RatingColumns([("File_name", "annotation", "Algorithm", "ID")], translate)


def _choose_judge(run: Run, judge: str | None) -> str:
    if judge is not None:
        check_judge(run, judge)
        return judge
    rated = read_readings(run, columns=("judge", "question")).filter(pl.col("question") == MATCH.question.id)
    known = rated["judge"].unique().sort().to_list()
    if len(known) != 1:
        message = f"has several judges: {', '.join(known)}; name one with --judge" if known else _UNRATED
        raise NothingToDoError(f"{run.location} {message}")
    return str(known[0])


def _list_ratings(run: Run, judge: str) -> Iterator[dict[str, str]]:
    items = {item.id: item for item in run.items(NAME)}
    drawn = {stored.trial_id: stored for stored in run.responses() if stored.item_id in items}
    readings = read_readings(run, judge, ("trial", "question", "value")).filter(pl.col("question") == MATCH.question.id)
    votes = decode_columns(readings.rename({"value": "stored"}), "stored", decode_value)
    votes = votes.filter(pl.col("label") == "known")
    for trial, value in votes.select("trial", "value").iter_rows():
        if trial in drawn:
            yield _line(items[drawn[trial].item_id], drawn[trial], says_yes=bool(value))


def _line(item: Item, stored: StoredResponse, *, says_yes: bool) -> dict[str, str]:
    key, task, name = item.id.partition("/")[2], ALL[str(item.factors["task"])], _file_name(item, stored)
    automatic = "" if task.key == "conditional" else str(task.key in _AUTOMATIC)
    cells = (
        *(name, key, task.title, str(says_yes), "v" + Path(name).stem.partition("_v")[2], stored.model, key),
        *(task_text(item.task), item.factors.get("classes", ""), automatic, task.title),
        *(item.factors.get(task.label, ""), "", item.factors.get("linked", "")),
    )
    return dict(zip(COLUMNS, map(str, cells), strict=True))


def _file_name(item: Item, stored: StoredResponse) -> str:
    """Name an image as released, or as the authors would."""
    outcome = stored.response.outcome
    if isinstance(outcome, Drawn) and isinstance(outcome.picture, Elsewhere | Attached):
        return outcome.picture.name
    key = item.id.partition("/")[2].replace("/", "-")
    return f"p{key}_{stored.repeat + 1}_v{__version__}_pd{_DATE_UNKNOWN}.png"
