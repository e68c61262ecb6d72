"""Outputs of other evaluation programs as runs: every published schema, and what is wrong with a file is named."""

import csv
import io
import json
import struct
import sys
import warnings
import zipfile
import zlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from subitize.analysis.rescoring import rescore_import
from subitize.errors import BadFileError, ConflictError, MissingPartError, SubitizeError
from subitize.imports.outputs.importing import OutputSummary, import_outputs, read_outputs
from subitize.imports.outputs.output import Output
from subitize.records import Failed, Fit, Known, Said
from subitize.store import Folder, Run
from tests.cases import Case
from tests.commands import call

Json = Mapping[str, Any]
MUGS, CATS = "How many mugs are there in the image?", "How many cats are there?"


def write_lines(path: Path, *records: Json) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def write_json(path: Path, content: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def lmms_020(folder: Path) -> Path:
    log = {
        "doc_id": 0,
        "doc": {"question": MUGS, "number": 4},
        "target": "4",
        "arguments": [[MUGS, {"max_new_tokens": 8}, "countbench", 0]],
        "resps": [["four"]],
        "filtered_resps": ["four"],
        "acc": 0.0,
    }
    return write_json(folder / "llava" / "countbench.json", {"args": {}, "model_configs": {}, "logs": [log]})


def lmms_035(folder: Path) -> Path:
    record = {
        "doc_id": 0,
        "doc": {"question": MUGS, "number": 4},
        "target": "4",
        "arguments": {"gen": "…"},
        "input": MUGS,
        "resps": [["four"]],
        "filtered_resps": ["four"],
        "doc_hash": "0",
        "prompt_hash": "1",
        "target_hash": "2",
        "acc": 0.0,
    }
    return write_lines(folder / "llava" / "20250101_120000_samples_countbench.jsonl", record)


def lmms_023(folder: Path) -> Path:
    return lmms_035(folder).rename(folder / "llava" / "samples_countbench_2024-10-01T12-00-00.jsonl")


def lmms_04(folder: Path) -> Path:
    record = {"doc_id": 0, "target": "4", "filtered_resps": ["four"], "doc_hash": "0", "input": MUGS, "acc": 0.0}
    return write_lines(folder / "llava" / "20250701_120000_samples_countbench.jsonl", record)


def lmms_07(folder: Path) -> Path:
    record = {
        "doc_id": 0,
        "target": "4",
        "input": MUGS,
        "resps": [["<think>1, 2, 3</think>four"]],
        "filtered_resps": "four",
        "token_counts": [{"output_tokens": 9}],
        "input_media": ["a.jpg"],
        "acc": {"score": 0, "task": "x"},
    }
    return write_lines(folder / "llava" / "20260101_120000_samples_countbench.jsonl", record)


VLM_ROWS = [
    {"index": 7, "question": MUGS, "answer": 4, "category": "mugs", "prediction": "four"},
    {"index": 8, "question": CATS, "answer": 3, "category": "cats", "prediction": "Failed to obtain answer via API."},
]


def vlm_tsv(folder: Path) -> Path:
    (folder / "llava" / "T20250101").mkdir(parents=True)
    path = folder / "llava" / "T20250101" / "llava_CountBenchQA.tsv"
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, VLM_ROWS[0], delimiter="\t")
        table.writeheader()
        table.writerows(VLM_ROWS)
    return path


def vlm_json(folder: Path) -> Path:
    return write_json(folder / "llava_CountBenchQA.json", VLM_ROWS)


def vlm_xlsx(folder: Path) -> Path:
    from openpyxl import Workbook

    book = Workbook()
    book.active.append(list(VLM_ROWS[0]))
    for row in VLM_ROWS:
        book.active.append(list(row.values()))
    path = folder / "llava_CountBenchQA.xlsx"
    book.save(path)
    return path


def inspect_sample(id: int, reply: str, epoch: int = 1, **others: object) -> Json:
    shown = [{"type": "image", "image": "attachment://ab"}, {"type": "text", "text": MUGS}]
    return {
        "id": id,
        "epoch": epoch,
        "input": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": shown}],
        "target": "4",
        "output": {"choices": [{"message": {"role": "assistant", "content": reply}}], "completion": reply},
        "scores": {"match": {"value": "I"}, "both": {"value": {"exact": 0, "near": 1}}, "text": {"value": "four"}},
        "metadata": {"split": "test"},
        **others,
    }


HEADER = {"version": 2, "status": "success", "eval": {"model": "llava", "task": "team/countbench"}}


def inspect_json(folder: Path) -> Path:
    return write_json(folder / "log.json", {**HEADER, "samples": [inspect_sample(0, "four")]})


def inspect_eval(folder: Path) -> Path:
    path = folder / "log.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", json.dumps(HEADER))
        archive.writestr("summaries.json", "[]")
        archive.writestr("samples/0_epoch_1.json", json.dumps(inspect_sample(0, "four")))
    return path


def evalscope_16(folder: Path) -> Path:
    write_lines(
        folder / "20250101" / "predictions" / "llava" / "count_qa_default.jsonl",
        {
            "index": 0,
            "model": "llava",
            "model_output": {"choices": [{"message": {"content": "<think>1, 2</think>four"}}]},
            "messages": [],
            "metadata": {},
        },
    )
    score = {
        "value": {"acc": 0.0, "relaxed_acc": 0.0},
        "extracted_prediction": "",
        "prediction": "four",
        "main_score_name": "acc",
    }
    sample = {"sample_id": 0, "group_id": 0, "sample_metadata": {"is_focused": True}, "score": score}
    return write_lines(
        folder / "20250101" / "reviews" / "llava" / "count_qa_default.jsonl",
        {"index": 0, "input": MUGS, "target": "4", "sample_score": sample},
    )


def evalscope_predictions(folder: Path) -> Path:
    evalscope_16(folder)
    return folder / "20250101" / "predictions" / "llava" / "count_qa_default.jsonl"


def evalscope_17(folder: Path) -> Path:
    path = evalscope_16(folder)
    record = json.loads(path.read_text(encoding="utf-8"))
    asked = {
        "role": "user",
        "content": [{"type": "image", "image": "x"}, {"type": "text", "text": record.pop("input")}],
    }
    return write_lines(path, {**record, "messages": [asked]})


def evalscope_017(folder: Path) -> Path:
    choice = {"message": {"content": "four"}, "review": {"gold": "4", "pred": "four", "result": False}}
    record = {"index": 0, "raw_input": {"question": MUGS}, "choices": [choice]}
    return write_lines(folder / "reviews" / "llava" / "count_qa.jsonl", record)


SCHEMAS: dict[Callable[[Path], Path], str] = {
    **dict.fromkeys((lmms_020, lmms_023, lmms_035, lmms_04, lmms_07), "lmms-eval"),
    **dict.fromkeys((vlm_tsv, vlm_json), "vlmevalkit"),
    **dict.fromkeys((inspect_json, inspect_eval), "inspect"),
    **dict.fromkeys((evalscope_16, evalscope_predictions, evalscope_17, evalscope_017), "evalscope"),
}


def test_every_schema_is_told_from_the_others_and_read(case: Case, tmp_path: Path) -> None:
    for place, (write, expected) in enumerate(SCHEMAS.items()):
        with case(write.__name__):
            folder = tmp_path / str(place)
            folder.mkdir()
            format, outputs = read_outputs(write(folder))
            assert format == expected
            check_first(outputs)


def check_first(outputs: Sequence[Output]) -> None:
    first = outputs[0]
    assert (first.model, first.question, first.targets) == ("llava", MUGS, ("4",))
    assert first.reply.endswith("four")
    assert not first.failure
    assert (first.scored or first.reply) == "four"
    assert "count" in first.task.lower()
    assert set(first.scores.values()) <= {0.0, 1.0}


def test_reasoning_in_a_column_of_its_own_and_answers_of_vlmblind_are_read(tmp_path: Path) -> None:
    row = {"index": 1, "task": "Nested Squares", "question": "How many?", "answers": "4"}
    rows = [row | {"thinking": "1, 2, 3", "prediction": "{4}"}, row | {"index": 2, "prediction": "4"}]
    first, second = read_outputs(write_json(tmp_path / "llava_VLMBlind.json", rows))[1]
    assert (first.reply, first.scored, first.targets) == ("<think>1, 2, 3</think>{4}", "{4}", ("4",))
    assert (second.reply, second.scored, second.factors) == ("4", "", {"task": "Nested Squares"})
    summary = bring_in(tmp_path / "llava_VLMBlind.json", tmp_path / "run")
    with Run(Folder(tmp_path / "run")) as run:
        (one,) = rescore_import(run, summary)
    assert (one.scorer, one.theirs.value, one.ours.value) == ("vlmevalkit:vlmblind", 0.5, 1.0)
    assert [each.reason for each in one.differences] == ["braces"]


@pytest.mark.excel
def test_a_spreadsheet_is_read(tmp_path: Path) -> None:
    format, outputs = read_outputs(vlm_xlsx(tmp_path))
    assert format == "vlmevalkit"
    check_first(outputs)
    assert outputs[0].key == "7"
    assert outputs[1].failure


@pytest.mark.spacy  # the part that has zstandard
def test_a_log_packed_by_zstandard_is_read(tmp_path: Path) -> None:
    check_first(read_outputs(pack_by_zstandard(inspect_eval(tmp_path)))[1])


def pack_by_zstandard(path: Path) -> Path:
    """Pack the files of a zip by Zstandard, which the standard library does not before Python 3.14."""
    import zstandard

    with zipfile.ZipFile(path) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    body, directory = io.BytesIO(), io.BytesIO()
    for name, data in files.items():
        packed, offset = zstandard.ZstdCompressor().compress(data), body.tell()
        shared = (20, 0, 93, 0, 0, zlib.crc32(data), len(packed), len(data), len(name), 0)
        body.write(b"PK\3\4" + struct.pack("<HHHHHIIIHH", *shared) + name.encode() + packed)
        directory.write(b"PK\1\2" + struct.pack("<HHHHHHIIIHHHHHII", 20, *shared, 0, 0, 0, 0, offset) + name.encode())
    listing = directory.getvalue()
    end = struct.pack("<HHHHIIH", 0, 0, len(files), len(files), len(listing), body.tell(), 0)
    path.write_bytes(body.getvalue() + listing + b"PK\5\6" + end)
    return path


@pytest.mark.inspect
def test_a_log_that_inspect_itself_writes_is_read(tmp_path: Path) -> None:
    with warnings.catch_warnings(action="ignore"):
        from inspect_ai.log import EvalConfig, EvalDataset, EvalLog, EvalSample, EvalSpec, write_eval_log
        from inspect_ai.model import ModelOutput
        from inspect_ai.scorer import Score
    replies = {"mugs": (MUGS, "4", "C"), "cats": (CATS, "four cats", "I")}
    samples = [
        EvalSample(
            id=id,
            epoch=1,
            input=question,
            target="4",
            output=ModelOutput.from_content("llava", reply),
            scores={"match": Score(value=value)},
        )
        for id, (question, reply, value) in replies.items()
    ]
    spec = EvalSpec(
        created="2026-01-01T00:00:00Z", task="t", dataset=EvalDataset(), model="m/llava", config=EvalConfig()
    )
    for suffix in ("eval", "json"):
        write_eval_log(EvalLog(eval=spec, samples=samples), str(tmp_path / f"log.{suffix}"))
        _, outputs = read_outputs(tmp_path / f"log.{suffix}")
        assert {one.key: (one.question, one.reply, one.scores) for one in outputs} == {
            "mugs": (MUGS, "4", {"match": 1.0}),
            "cats": (CATS, "four cats", {"match": 0.0}),
        }
        assert {one.model for one in outputs} == {"m/llava"}


REPLIES = {
    0: (MUGS, "4", "four", 0.0),
    1: (CATS, "3", "3", 1.0),
    2: ("What animal is it?", "cat", "a cat", 1.0),
    3: ("How many of the two dogs sleep?", "2", "12", 1.0),
}


def write_samples(folder: Path, replies: Mapping[int, tuple[str, str, str, float]] = REPLIES) -> Path:
    records = [
        {"doc_id": key, "input": question, "target": target, "filtered_resps": [reply], "acc": credit}
        for key, (question, target, reply, credit) in replies.items()
    ]
    return write_lines(folder / "llava" / "20250101_120000_samples_countbench.jsonl", *records)


def bring_in(path: Path, run: Path, **others: str) -> OutputSummary:
    return import_outputs(Folder(run), path, **others)


def test_replies_become_a_run_with_our_reading_and_the_recorded_score(tmp_path: Path) -> None:
    summary = bring_in(write_samples(tmp_path), tmp_path / "run")
    assert (summary.answers, summary.failed, summary.suite) == (3, 0, "lmms-eval-countbench")
    assert [(one.reason, one.count) for one in summary.left_out] == [("the right answer is no count", 1)]
    assert "1 of 3 questions have the right count in their text" in " ".join(summary.notes)
    with Run(Folder(tmp_path / "run")) as run:
        items = {item.id: item for item in run.items()}
        mugs = items["lmms-eval-countbench/0"]
        assert mugs.asks[0].question.id == "count:mug"
        assert mugs.asks[0].expects == (4,)
        assert [one.response.outcome for one in run.responses()][:2] == [Said("four"), Said("3")]
        read = {(r.reading.judge, r.reading.question.id, r.reading.value) for r in run.readings()}
        assert ("parser", "count:mug", Known(4)) in read
        assert {value for judge, id, value in read if (judge, id) == ("lmms-eval", Fit("acc").id)} == {
            Known(0.0),
            Known(1.0),
        }


def test_a_second_import_adds_nothing_and_another_model_its_replies(tmp_path: Path) -> None:
    path = write_samples(tmp_path)
    bring_in(path, tmp_path / "run")
    again = bring_in(path, tmp_path / "run")
    assert (again.answers, again.already_there) == (0, 3)
    assert bring_in(path, tmp_path / "run", model="other").answers == 3
    changed = write_samples(tmp_path, {0: (MUGS, "5", "four", 0.0)})
    with pytest.raises(ConflictError, match="other items"):
        bring_in(changed, tmp_path / "run")


def test_questions_about_one_picture_hang_together(tmp_path: Path) -> None:
    samples = [inspect_sample(id, "4") for id in (1, 2)]
    shown = {"type": "image", "image": "data:image/png;base64," + "A" * 1000}
    samples += [{**samples[0], "id": 3, "input": [{"role": "user", "content": [shown]}]}]
    samples += [{**samples[0], "id": 4, "input": [{"role": "user", "content": [{**shown, "image": "<removed>"}]}]}]
    _, outputs = read_outputs(write_json(tmp_path / "log.json", {**HEADER, "samples": samples}))
    assert [one.picture for one in outputs][:2] == ["attachment://ab"] * 2
    assert len(outputs[2].picture) == 32
    assert outputs[3].picture == ""


def test_a_sample_that_is_asked_again_is_a_repeat_and_one_that_was_appended_is_not(tmp_path: Path) -> None:
    path = evalscope_16(tmp_path)
    first = json.loads(path.read_text(encoding="utf-8"))
    write_lines(path, first, {**first, "index": 1}, {**first, "index": 1})
    summary = bring_in(path, tmp_path / "run")
    assert (summary.answers, [one.count for one in summary.left_out]) == (2, [1])


def test_a_file_in_which_every_reply_failed_is_imported_all_the_same(tmp_path: Path) -> None:
    path = write_json(tmp_path / "m_d.json", [VLM_ROWS[1]])
    done = call("import", "outputs", path, "--out", tmp_path / "run")
    assert (done.code, done.out.splitlines()[0]) == (0, "0 replies of m to vlmevalkit-d added, 1 that failed")


def test_a_file_is_not_read_as_that_of_another_program(tmp_path: Path) -> None:
    with pytest.raises(BadFileError, match="has none of evalscope: its first record has doc_id, input"):
        read_outputs(write_samples(tmp_path), "evalscope")


def test_a_model_goes_by_its_name_whatever_it_looks_like(tmp_path: Path) -> None:
    bring_in(write_samples(tmp_path), tmp_path / "run", model="qwen:7b,x=1")
    with Run(Folder(tmp_path / "run")) as run:
        assert list(run.model_names().values()) == ["qwen:7b,x=1"]


def test_of_lines_that_were_appended_the_last_counts(tmp_path: Path) -> None:
    path = write_samples(tmp_path)
    record = {"doc_id": 0, "input": MUGS, "target": "4", "filtered_resps": ["5"], "acc": 0.0}
    path.write_text(path.read_text(encoding="utf-8") + json.dumps(record) + "\n", encoding="utf-8")
    summary = bring_in(path, tmp_path / "run")
    assert summary.answers == 3
    assert ("earlier replies to the same question", 1) in [(one.reason, one.count) for one in summary.left_out]
    with Run(Folder(tmp_path / "run")) as run:
        assert next(run.responses()).response.outcome == Said("5")


def test_replies_that_never_came_are_failures_not_answers(tmp_path: Path) -> None:
    bring_in(vlm_tsv(tmp_path), tmp_path / "run")
    broken = inspect_sample(1, "", error={"message": "time-out"})
    log = write_json(tmp_path / "log.json", {**HEADER, "samples": [inspect_sample(0, "4", epoch=2), broken]})
    summary = bring_in(log, tmp_path / "other")
    assert (summary.answers, summary.failed) == (1, 1)
    for run, told in ((tmp_path / "run", "Failed to obtain answer via API."), (tmp_path / "other", "time-out")):
        with Run(Folder(run)) as opened:
            outcomes = [one.response.outcome for one in opened.responses()]
            assert Failed(told, is_transient=False) in outcomes
            assert sum(1 for _ in opened.readings("parser")) == 1
    with Run(Folder(tmp_path / "other")) as opened:
        assert next(opened.responses()).repeat == 1


def make_bad_files(folder: Path) -> dict[str, tuple[Path, str]]:
    def plain(name: str, text: str) -> Path:
        (folder / name).write_text(text, encoding="utf-8")
        return folder / name

    good = json.dumps({"doc_id": 0, "target": "4", "filtered_resps": ["4"]})
    bare = write_lines(folder / "llava_samples.jsonl", {"doc_id": 0, "target": "cat", "filtered_resps": ["4"]})
    lonely = write_lines(folder / "alone.jsonl", {"index": 0, "model": "m", "model_output": {"choices": []}})
    (folder / "empty.eval").write_bytes(b"")
    with zipfile.ZipFile(folder / "other.eval", "w") as archive:
        archive.writestr("a.txt", "a")
    return {
        "truncated": (
            plain("cut.jsonl", good + '\n{"doc_id": 1, "tar'),
            "cut.jsonl line 2: no JSON .* it ends too soon",
        ),
        "no object": (plain("list.jsonl", "[1]\n"), "list.jsonl line 1: .* should be an object"),
        "no field": (plain("half.jsonl", '{"doc_id": 0, "resps": [["4"]]}'), "line 1: no field 'filtered_resps'"),
        "empty": (
            plain("empty.jsonl", ""),
            "empty.jsonl: has none of .* first record has nothing",
        ),
        "foreign": (
            plain("foreign.json", '{"a": 1}'),
            "foreign.json: has none of .* first record has a;",
        ),
        "not a zip": (plain("log.eval", "hello"), "log.eval: no zip that can be read"),
        "empty zip": (folder / "empty.eval", "empty.eval: no zip that can be read"),
        "other zip": (folder / "other.eval", "no header.json in it"),
        "no column": (
            plain("m_d.tsv", "index\tprediction\n1\t4\n"),
            "m_d.tsv: no column answer or answers among index, prediction",
        ),
        "empty table": (plain("n_d.tsv", ""), "n_d.tsv: empty"),
        "pickle": (plain("m_d.pkl", "x"), "never opened"),
        "no counts": (bare, "no question whose right answer is a count .1 × the right answer is no count"),
        "predictions alone": (lonely, "predictions, which do not say what is right"),
        "another ending": (plain("a.txt", "x"), "a.txt: not named like the outputs of a known program"),
        "missing": (folder / "nothing.jsonl", "No such file"),
        "folder": (folder, "Is a directory; name a file in it"),
        "deep": (plain("deep.json", "[" * 100_000), "deep.json: this JSON is nested too deeply"),
    }


def test_what_is_wrong_with_a_file_is_named_and_no_run_is_made(case: Case, tmp_path: Path) -> None:
    for name, (path, told) in make_bad_files(tmp_path).items():
        with case(name), pytest.raises(SubitizeError, match=told):
            bring_in(path, tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.mark.excel
def test_a_spreadsheet_that_is_none_is_named(tmp_path: Path) -> None:
    (tmp_path / "m_d.xlsx").write_bytes(b"PK no")
    with pytest.raises(BadFileError, match=r"m_d\.xlsx: no spreadsheet"):
        read_outputs(tmp_path / "m_d.xlsx")


def test_a_spreadsheet_needs_its_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    (tmp_path / "m_d.xlsx").write_bytes(b"PK")
    with pytest.raises(MissingPartError, match=r"pip install 'subitize\[excel\]'"):
        read_outputs(tmp_path / "m_d.xlsx")


def test_the_command_says_what_was_read_differently_and_why(tmp_path: Path) -> None:
    run = tmp_path / "run"
    done = call("import", "outputs", write_samples(tmp_path), "--out", run)
    assert done.code == 0, done.err
    assert "3 replies of llava to lmms-eval-countbench added" in done.out
    assert "number word" in done.out
    assert "substring" in done.out
    (row,) = call("score", run, "--scorer", "all", "--json").json()
    assert row["is_recorded"]
    assert (row["theirs"]["value"], row["ours"]["value"]) == (pytest.approx(2 / 3), pytest.approx(2 / 3))
    assert {(one["reason"], one["we_are_stricter"]) for one in row["differences"]} == {
        ("number word", False),
        ("substring", True),
    }
    assert "0.667" in call("score", run).out


def test_without_a_recorded_score_the_programs_own_rule_stands_in(tmp_path: Path) -> None:
    told = call("import", "outputs", vlm_json(tmp_path), "--out", tmp_path / "run", "--json").json()
    assert told["imported"]["metrics"] == []
    (row,) = told["rescored"]
    assert (row["scorer"], row["is_recorded"]) == ("vlmevalkit:countbenchqa", False)
    assert [one["reason"] for one in row["differences"]] == ["number word"]


@pytest.mark.slow
def test_the_report_has_the_recorded_scores_beside_ours(tmp_path: Path) -> None:
    import_outputs(Folder(tmp_path / "run"), write_samples(tmp_path))
    page, tables = tmp_path / "report.html", tmp_path / "tables"
    assert call("report", tmp_path / "run", "--out", page, "--tables", tables).code == 0
    assert "Scored by others" in page.read_text(encoding="utf-8")
    assert "substring" in (tables / "read-differently.csv").read_text(encoding="utf-8")
