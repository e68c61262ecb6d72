"""Reads the files that GeckoNum's authors released, checked row by row: prompts and annotators' answers.

Items get the questions that annotators were actually asked."""

import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import polars as pl

from subitize.errors import BadFileError, UnknownNameError
from subitize.io.files import open_input, read_records
from subitize.io.frames import read_csv
from subitize.language import nouns
from subitize.language.mentions import NoValue
from subitize.language.questions import LINES_WORDING, line_codes
from subitize.papers.geckonum.prompts import Prompt, read_prompts
from subitize.papers.geckonum.suite import items_of, read_answer
from subitize.records import Ask, Choose, Confirm, Count, Item, Place

MODELS: Mapping[str, str] = {
    "dalle_3": "DALL·E 3",
    "imagen_a": "Imagen-A",
    "imagen_b": "Imagen-B",
    "imagen_c": "Imagen-C",
    "imagen_d": "Imagen-D",
    "muse_a": "Muse-A",
    "muse_b": "Muse-B",
}
"""The models in the paper: names in the files and names in print."""

LICENCE = "GeckoNum's data is by its authors, CC BY 4.0; please cite Kajić et al. (2024)"
COLUMNS: Mapping[int, tuple[str, ...]] = {
    1: ("image_id", "model", "question_id", "question", "prompt", "annot_id", "raw_answer", "answer"),
    2: ("image_id", "model", "prompt", "gt_num", "annot_id", "answer_text", "answer_num"),
    3: ("image_id", "model", "question_id", "question", "prompt", "annot_id", "answer"),
}
RATERS = 5
"""Annotators per image."""
MANY = 11
"""The code for more than ten: people chose from 0 to 10 and "10+"."""
_WHOLE = ("question_id", "annot_id", "gt_num", "answer_num")
_RAW = {1: "raw_answer", 2: "answer_text", 3: "answer"}
_IMAGE_ID = r"^(geckonum_[0-9]{5})_([0-9]{1,4})$"


@dataclass(frozen=True, slots=True)
class GeckonumRelease:
    """The released prompts, and the answers by task.

    The columns of answers are row (in its file), model, prompt, seed, question_id, question, annotator, raw and value:
    the number of Task 1 by the `geckonum` policy, the code of the line of Task 2, 1 or 0 of Task 3.
    """

    prompts: tuple[Prompt, ...]
    answers: Mapping[int, pl.DataFrame]
    files: tuple["AnswerFile", ...]
    warnings: tuple[str, ...]

    def error(self, task: int, row: Mapping[str, Any], message: str) -> BadFileError:
        """Make an error that names the file and line of an answer."""
        file = next(file for file in self.files if (file.task, file.model) == (task, row["model"]))
        return file.error(row["row"], message)


def read_release(folder: Path, *, tasks: Sequence[int] = (1, 2, 3), models: Sequence[str] = ()) -> GeckonumRelease:
    """Read a release folder or part of it: prompts.csv, and task_N_MODEL.csv beside it or in annotations/."""
    files = [file for file in find_files(folder) if file.task in tasks and (not models or file.model in models)]
    if not files:
        wanted = ", ".join(f"task_{task}_{model}.csv" for task in tasks for model in models or ["MODEL"])
        raise BadFileError(f"no {wanted} in {folder}")
    prompts = read_prompts(folder / "prompts.csv")
    texts = pl.DataFrame({"id": [one.id for one in prompts], "text": [one.text for one in prompts]})
    answers: dict[int, pl.DataFrame] = {}
    warnings: list[str] = []
    for task in sorted({file.task for file in files}):
        own = [file for file in files if file.task == task]
        answers[task], copies = _read(own, texts)
        for (place,), again in copies.group_by("file", maintain_order=True):
            repeated = f"{again.height - again['answer'].n_unique()} rows stand there a second time"
            warnings.append(f"{own[place].path.name}: {repeated}, the first of {again['prompt'][0]}; each is a reading")
    return GeckonumRelease(prompts, answers, tuple(files), tuple(warnings))


@dataclass(frozen=True, slots=True)
class AnswerFile:
    """The answers about one model's images in one task."""

    path: Path
    task: int
    model: str

    def error(self, row: int, message: str) -> BadFileError:
        """Make an error that names the line on which a row begins."""
        line, _ = next(islice(read_records(self.path, keep_empty=True), row + 1, None), (row + 2, []))
        return BadFileError(f"{self.path.name} line {line}: {message}")


def find_files(folder: Path) -> list[AnswerFile]:
    """List the answer files, by task and model."""
    if not (folder / "prompts.csv").is_file():
        raise BadFileError(f"no prompts.csv in {folder}; name the folder of GeckoNum's release")
    inner = folder / "annotations"
    place = inner if inner.is_dir() else folder
    named = [(path, re.fullmatch(r"task_([123])_(.+)", path.stem)) for path in sorted(place.glob("*.csv"))]
    files = [AnswerFile(path, int(match[1]), match[2]) for path, match in named if match]
    for file in files:
        if file.model not in MODELS:
            raise UnknownNameError(f"model of GeckoNum ({file.path.name})", file.model, MODELS)
    if not files:
        raise BadFileError(f"no answers in {place}; they are in files such as task_1_dalle_3.csv")
    return files


def _read(files: Sequence[AnswerFile], texts: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Read the answers of a task, and those given more than once."""
    table = pl.concat(_read_columns(file).with_columns(pl.lit(place).alias("file")) for place, file in enumerate(files))
    task = files[0].task
    if any(table.null_count().row(0)):
        missing = {f"{name} is missing; is the file cut?": pl.col(name).is_null() for name in COLUMNS[task]}
        _refuse(files, table, missing)
    image = pl.col("image_id").cast(pl.String).str.extract_groups(_IMAGE_ID).struct.rename_fields(["id", "seed"])
    images = table.unique(["file", "image_id", "prompt", "model"], maintain_order=True)
    images = images.with_columns(image.alias("image"), pl.col("prompt", "model").cast(pl.String)).unnest("image")
    images = images.join(texts, on="id", how="left", maintain_order="left")
    images = images.with_columns(of=pl.Series([file.model for file in files])[images["file"]])
    faults = {
        "model {model!r}: the file's name says {of!r}": pl.col("model") != pl.col("of"),
        "image_id {image_id!r} should be like geckonum_00012_3": pl.col("id").is_null(),
        "image_id {image_id!r}: no such prompt in prompts.csv": pl.col("text").is_null(),
        "prompt {prompt!r}: in prompts.csv {id} is {text!r}": pl.col("prompt") != pl.col("text"),
    }
    _refuse(files, images, faults)
    _refuse_text(files, table, "annot_id", "is no whole number")
    table = _VALUES[task](files, table)
    known = images.unique("image_id").select(
        "image_id", pl.col("seed").cast(pl.UInt16), pl.col("id").cast(pl.Categorical), number=pl.col("id").str.tail(5)
    )
    question, person = (pl.col(name).cast(pl.String).cast(pl.UInt16) for name in ("question_id", "annot_id"))
    # One number identifies an answer: seeds, questions and people have at most four digits.
    place = (pl.col("file").cast(pl.Int64) * 10**5 + pl.col("number").cast(pl.Int64)) * 10**4 + pl.col("seed")
    table = table.join(known, on="image_id", maintain_order="left").select(
        "row",
        "file",
        "model",
        pl.col("id").alias("prompt"),
        "seed",
        question,
        "question",
        pl.col("annot_id").alias("annotator"),
        pl.col(_RAW[task]).alias("raw"),
        "value",
        ((place * 10**4 + question) * 10**4 + person).alias("answer"),
    )
    copies = table.filter(pl.col("answer").is_duplicated())
    copies = copies.with_columns(pl.col("raw", "value").first().over("answer").name.prefix("first_"))
    changed = "annotator {annotator} answers {raw!r}, and {first_raw!r} before, to one question"
    _refuse(files, copies, {changed: pl.col("value") != pl.col("first_value")})
    return table.drop("file", "answer"), copies


def _read_columns(file: AnswerFile) -> pl.DataFrame:
    """Read the columns with row numbers; if polars refuses a file, find the faulty line.

    Texts repeat so often that they are stored as categories.
    """
    columns = COLUMNS[file.task]
    header = _read_header(file.path)
    twice = [name for name in columns if header.count(name) > 1]
    if twice:
        raise BadFileError(f"{file.path.name} line 1: column {twice[0]!r} stands there twice")
    missing = [name for name in columns if name not in header]
    if missing:
        is_page = header and header[0].lstrip().startswith("<")
        hint = "; it looks like a web page: download the file itself" if is_page else ""
        raise BadFileError(
            f"{file.path.name} line 1: no column {', '.join(missing)} in {','.join(header)[:80]!r}{hint}"
        )
    try:
        texts = dict.fromkeys(columns, pl.Categorical)
        found = read_csv(file.path, schema_overrides=texts, infer_schema=False, row_index_name="row")
        found = found.select("row", *columns)
        if any(found.null_count().row(0)):
            found = found.filter(~pl.all_horizontal(pl.col(columns).is_null()))
        # Tables that once had gaps contain whole numbers as 3.0.
        whole = pl.col(
            [
                name
                for name in columns
                if name in _WHOLE and found[name].unique().cast(pl.String).str.ends_with(".0").any()
            ]
        )
        if not found.height:
            raise BadFileError(f"{file.path.name}: no answers in it")
        return found.with_columns(whole.cast(pl.String).str.replace(r"\.0$", "").cast(pl.Categorical))
    except pl.exceptions.PolarsError as error:
        for line, fields in read_records(file.path):
            if len(fields) != len(header):
                message = f"should have {len(header)} fields, not {len(fields)}; is the file cut?"
                raise BadFileError(f"{file.path.name} line {line}: {message}") from None
        raise BadFileError(f"{file.path.name}: no CSV: {str(error).splitlines()[0]}") from None


def _read_header(path: Path) -> list[str]:
    with open_input(path, None) as file:
        first = file.readline(10_000)
    try:
        return next(csv.reader([first.decode("utf-8-sig").strip()]), [])
    except UnicodeDecodeError:
        raise BadFileError(f"{path.name} line 1: not UTF-8; save the file as UTF-8") from None


def _refuse(files: Sequence[AnswerFile], table: pl.DataFrame, faults: Mapping[str, pl.Expr]) -> None:
    """Raise an error for the first faulty row; messages may name columns in braces."""
    for message, is_bad in faults.items():
        for row in table.filter(is_bad.fill_null(True)).head(1).iter_rows(named=True):
            raise files[row["file"]].error(row["row"], message.format_map(row))


def _refuse_text(files: Sequence[AnswerFile], table: pl.DataFrame, column: str, fault: str) -> None:
    """Raise an error for the first row whose column is not a whole number."""
    is_bad = ~pl.col(column).cast(pl.String).str.contains(r"^[0-9]{1,4}$")
    _refuse(
        files, table.unique(column, keep="first", maintain_order=True), {f"{column} {{{column}!r}} {fault}": is_bad}
    )


def _count_values(files: Sequence[AnswerFile], table: pl.DataFrame) -> pl.DataFrame:
    """Read the raw answers of Task 1 again; they must agree with the released values."""
    _refuse_text(files, table, "question_id", "is no number")
    said = table.unique(["raw_answer", "answer"], maintain_order=True).with_columns(
        pl.col("raw_answer").cast(pl.String).map_elements(_number, pl.Float64).alias("value"),
        pl.col("answer").cast(pl.String).cast(pl.Float64, strict=False).alias("released"),
    )
    faults = {
        "raw_answer {raw_answer!r} is no number": pl.col("value").is_null(),
        "answer {answer!r} is no number": pl.col("released").is_null(),
        "answer {answer!r}: raw_answer {raw_answer!r} comes to {value:g}": pl.col("released") != pl.col("value"),
    }
    _refuse(files, said, faults)
    values = said.unique("raw_answer").select("raw_answer", "value")
    return table.join(values, on="raw_answer", maintain_order="left")


def _number(raw: str) -> float | None:
    value = read_answer(raw)
    return None if isinstance(value, NoValue) else value


def _line_values(files: Sequence[AnswerFile], table: pl.DataFrame) -> pl.DataFrame:
    text = {name: pl.col(name).cast(pl.String) for name in ("answer_text", "prompt", "answer_num", "gt_num")}
    faults = {
        f"{name} {{{name}!r}} should be 0 to 4": ~text[name].is_in(["0", "1", "2", "3", "4"])
        for name in ("answer_num", "gt_num")
    }
    # The prompt is one of the lines, so its own code is known.
    is_prompt = text["answer_text"] == text["prompt"]
    faults["answer_num {answer_num}: gt_num of the same text is {gt_num}"] = is_prompt & (
        text["answer_num"] != text["gt_num"]
    )
    _refuse(files, table, faults)
    question = {"question_id": pl.lit("0"), "question": pl.lit(LINES_WORDING).cast(pl.Categorical)}
    return table.with_columns(text["answer_num"].cast(pl.Float64).alias("value"), **question)


def _yes_or_no_values(files: Sequence[AnswerFile], table: pl.DataFrame) -> pl.DataFrame:
    text = pl.col("answer").cast(pl.String).str.replace(r"\.0$", "")
    _refuse_text(files, table, "question_id", "is no number")
    _refuse(files, table, {"answer {answer!r} should be 0 or 1": ~text.is_in(["0", "1"])})
    return table.with_columns(text.cast(pl.Float64).alias("value"))


_VALUES = {1: _count_values, 2: _line_values, 3: _yes_or_no_values}

_RELATION = re.compile(r"How many (.+) are (?:to the )?(above|below|left of|right of) (.+)\?")
_NUMBERED = re.compile(r"\d|\b(one|two|three|four|five|half|halves|thirds|quarters?|single)\b")


def released_items(release: GeckonumRelease) -> list[Item]:
    """Make the items of the released prompts, with the questions that were actually asked."""
    put: dict[str, dict[str, Ask]] = {}
    items = {item.id: item for item in items_of(release.prompts)}
    _check_lines(release, items)
    for task in {1, 3} & set(release.answers):
        questions = release.answers[task].unique(["prompt", "question_id", "question"], maintain_order=True)
        for row in questions.sort("prompt", "question_id").iter_rows(named=True):
            item = items[f"geckonum/{row['prompt']}"]
            if item.factors["task"] != task:
                raise release.error(task, row, f"{row['prompt']} is a prompt of Task {item.factors['task']}")
            ask = _released_ask(item, row["question"])
            if ask is None:
                raise release.error(task, row, f"question {row['question']!r} does not follow from {row['prompt']}")
            known = put.setdefault(item.id, {}).setdefault(ask.question.id, ask)
            if known.wording != ask.wording:
                raise release.error(task, row, f"question {ask.wording!r} is put as {known.wording!r} elsewhere")
    return [replace(item, asks=tuple(put[id].values())) if id in put else item for id, item in items.items()]


def _released_ask(item: Item, question: str) -> Ask | None:
    """Find the ask of a released question; the few garbled ones are kept as they were asked."""
    if item.factors["task"] == 3:
        return Ask(Confirm(question, is_informed=bool(_NUMBERED.search(question))), question, (True,))
    own = {ask.wording: ask for ask in item.asks}
    garbled = _RELATION.fullmatch(question)
    if question in own or garbled is None:
        return own.get(question)
    noun, relation, landmark = garbled.groups()
    for meant in item.asks:
        # "How many cinnamon sticks are below sticks?" asks how many burgers are below the cinnamon sticks.
        if isinstance(meant.question, Count) and meant.question.place and meant.question.place.relation == relation:
            place = Place(meant.question.place.relation, nouns.singular(landmark))
            return Ask(Count(nouns.singular(noun), place=place), question, meant.expects)
    return None


def _check_lines(release: GeckonumRelease, items: Mapping[str, Item]) -> None:
    """Refuse lines that do not belong to their prompt, or have the wrong code."""
    answers = release.answers.get(2)
    if answers is None:
        return
    for row in answers.unique(["prompt", "raw", "value"], maintain_order=True).iter_rows(named=True):
        question = items[f"geckonum/{row['prompt']}"].asks[0].question
        if not isinstance(question, Choose):
            raise release.error(2, row, f"image_id of {row['prompt']}: its prompt is none of Task 2")
        codes = dict(zip(question.lines, line_codes(question), strict=True))
        if codes.get(row["raw"]) != row["value"]:
            code = codes.get(row["raw"], "none: it is not one of its lines")
            raise release.error(2, row, f"answer_num {row['value']:g} of {row['raw']!r} should be {code}")
