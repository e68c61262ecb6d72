"""Tables and claims from runs: scripted models whose figures are known."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from subitize.analysis.claims import Claim
from subitize.analysis.papers import Tabulated
from subitize.errors import NothingToDoError
from subitize.interfaces import Model, Reply, Request
from subitize.papers.seeing_past_words.probes import CaptionPair, write_records
from subitize.papers.seeing_past_words.tables import PRINTED, find_model, tabulate_run
from subitize.records import Said, Scored, Spec
from subitize.registry import Resolved, make_judge, make_suite
from subitize.store import Folder, Run
from tests.commands import call
from tests.papers.seeing_past_words.probe_files import make_probes, write_suites
from tests.runs import run_suite

Answering = Callable[[Request], Mapping[str, float] | str]
ANSWERS = [0] * 3 + [1] * 6 + [2] * 7 + [3] * 5 + [4] * 3 + [5] * 3 + [6] * 2 + [9] * 2 + [12]


class Scripted(Model):
    """A model that answers by a rule."""

    is_stand_in = True
    concurrency = 8
    tasks = frozenset({"answer", "match", "fill"})

    def __init__(self, answer: Answering) -> None:
        self._answer = answer

    async def respond(self, request: Request, /) -> Reply:
        given = self._answer(request)
        return Reply(Said(given) if isinstance(given, str) else Scored(given), request.provenance())


def knows(request: Request) -> Mapping[str, float] | str:
    """Tells right from wrong by the item, as if it could count."""
    parts = request.item_id.split("/")
    if parts[0] == "alignment-probe":
        return {"match": 0.9 if parts[-1] == "right" else 0.1}
    answer = ANSWERS[int(parts[3])]
    if parts[0] == "counting-probe":
        return {"match": 0.9 if int(parts[-1]) == answer else 0.1}
    return str(answer) if parts[0] == "counting-probe-vqa" else {str(answer): 0.9, "two": 0.05, "many": 0.04}


def says_two(request: Request) -> Mapping[str, float] | str:
    """Sees nothing, and says two."""
    parts = request.item_id.split("/")
    if parts[0] == "counting-probe":
        return {"match": 0.8 if parts[-1] == "2" else 0.3}
    if parts[0] == "alignment-probe":
        return {"match": 0.5}
    return "2" if parts[0] == "counting-probe-vqa" else {"two": 0.6, "one": 0.2, "no": 0.1, "three": 0.05}


def resembles(request: Request) -> Mapping[str, float]:
    """Gives a similarity, which no threshold makes a decision of."""
    return {"match": 0.2 + 0.1 * (request.item_id.endswith("/2")), "logit": 30.0}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("probed")
    probes = make_probes(folder, ANSWERS)
    hard = [
        replace(probe, split="hard", part="validation" if place % 2 else "test") for place, probe in enumerate(probes)
    ]
    write_records(folder / "probes.jsonl", [*probes, *hard])
    pairs = [CaptionPair(f"coco/{n}", "coco", f"{n}.jpg", f"picture {n}", f"picture {n + 1}") for n in range(30)]
    write_records(folder / "pairs.jsonl", pairs)
    run = Run(Folder(folder / "run"), create=True)
    models = {
        "lxmert": (knows, {"trained_on": "coco+counting-probe"}),
        "vilbert": (says_two, {"trained_on": "gcc"}),
        "clip": (resembles, {}),
    }
    for name, (answer, options) in models.items():
        model: Resolved[Model] = Resolved(Spec(name, options, name), Scripted(answer), name)
        for suite in ("counting-probe", "counting-probe-masked", "counting-probe-vqa", "alignment-probe"):
            if name == "clip" and suite != "counting-probe":
                continue
            file = folder / ("pairs.jsonl" if suite == "alignment-probe" else "probes.jsonl")
            judge = make_judge("parser") if suite == "counting-probe-vqa" else None
            run_suite(run, make_suite(f"{suite}:{file}"), model, judge)
    return run


Cells = dict[tuple[str, str, str], tuple[float | str, str]]


@pytest.fixture(scope="module")
def tables(run: Run) -> Tabulated:
    return tabulate_run(run, None, extensions=True)


@pytest.fixture(scope="module")
def cells(tables: Tabulated) -> Cells:
    assert isinstance(tables.records, list)
    return {(one.table, one.row, one.column): (one.ours, one.verdict) for one in tables.records}


@pytest.mark.slow
def test_a_model_that_knows_has_every_figure_at_its_best(cells: Cells) -> None:
    for column in ("acc", "p_c", "p_f", "acc_r", "auroc", "balanced_accuracy", "min_recall", "pairwise_accuracy"):
        assert cells["table3, test", "lxmert · standard · qa", column] == (100.0, "not published")
    assert cells["table1", "lxmert · coco", "acc"] == (100.0, "differs")
    assert cells["table4, faithful, test", "lxmert · overall", "recall@1 standard"] == (100.0, "differs")
    assert cells["table4, neutral, test", "lxmert · overall", "recall@1 standard"] == (100.0, "not published")
    assert cells["table4, faithful, test", "lxmert · 9", "mean_rank standard"] == (1.0, "differs")
    assert cells["table5, test", "lxmert · 12", "accuracy standard"] == (100.0, "differs")


@pytest.mark.slow
def test_a_model_that_says_two_is_seen_to(cells: Cells) -> None:
    row = "vilbert · standard · declarative"
    assert cells["table2, test", row, "p_c"][0] == pytest.approx(100 * 7 / len(ANSWERS))
    assert cells["table2, test", row, "pairwise_accuracy"][0] == pytest.approx(50)  # foils are exchanged
    assert cells["table5, test", "vilbert · overall", "accuracy standard"][0] == pytest.approx(100 * 7 / len(ANSWERS))
    assert cells["table5, test", "vilbert · 2", "accuracy standard"][0] == 100
    assert cells["table5, test", "vilbert · 3", "accuracy standard"][0] == 0
    assert cells["said_instead, questions, test", "vilbert · standard", "2"][0] == 100
    assert cells["said_instead, neutral, test", "vilbert · standard", "2"][0] == 100
    assert cells["table4, neutral, test", "vilbert · 1", "mean_rank standard"][0] == 2
    assert cells["table4, neutral, test", "vilbert · 3", "mean_rank standard"][0] == 4
    assert cells["guessing, standard, test", "the most frequent answer", "recall_right"][0] == pytest.approx(
        100 * 7 / len(ANSWERS)
    )


@pytest.mark.slow
def test_finetuned_models_have_table_3_and_its_precisions_others_table_2_and_its_recalls(cells: Cells) -> None:
    assert not any(table.startswith("table2") and row.startswith("lxmert") for table, row, _ in cells)
    assert cells["table2, test", "vilbert · standard · qa", "zero_shot"][0] == "yes"
    assert cells["table3, test", "lxmert · standard · qa", "zero_shot"][0] == "no"
    assert cells["table2, test", "clip · standard · qa", "zero_shot"][0] == "undeclared"
    assert cells["table1", "vilbert · coco", "zero_shot"] == ("yes", "exact")
    assert cells["table1", "lxmert · coco", "zero_shot"] == ("no", "exact")
    precision = cells["table2, test", "vilbert · standard · qa", "precision_right"][0]
    assert precision != cells["table2, test", "vilbert · standard · qa", "p_c"][0]


@pytest.mark.slow
def test_similarities_accept_nothing_but_rank(cells: Cells) -> None:
    columns = {
        column for table, row, column in cells if table == "table2, test" and row.startswith("clip · standard · qa")
    }
    assert {"pairwise_accuracy", "auroc", "acc_r", "zero_shot"} <= columns
    assert not columns & {"acc", "p_c", "accuracy", "recall_right", "balanced_accuracy"}


@pytest.mark.slow
def test_score_has_no_figure_of_similarities_and_says_where_there_is_one(tmp_path: Path) -> None:
    suite = make_suite(write_suites(tmp_path)["counting-probe"])
    with Run(Folder(tmp_path / "run"), create=True) as run:
        for name, answer in (("clip", resembles), ("vilbert", says_two)):
            model: Resolved[Model] = Resolved(Spec(name, {}, name), Scripted(answer), name)
            run_suite(run, suite, model, make_judge("parser"))
    scores = call("score", tmp_path / "run", "--json").json()
    assert {row["measure"] for row in scores if row["model"] == "clip"} == {"unknown"}
    assert {row["value"] for row in scores if row["model"] == "clip"} == {1.0}
    assert {"accuracy", "discarded"} <= {row["measure"] for row in scores if row["model"] == "vilbert"}
    told = call("score", tmp_path / "run").out
    assert f"for their figures: subitize report tables {tmp_path / 'run'} --paper seeing-past-words" in told


@pytest.mark.slow
def test_validation_and_test_data_are_taken_together_and_test_alone(cells: Cells) -> None:
    found = {table for table, _, _ in cells}
    assert {"table2, test", "table2, validation + test", "table5, test", "guessing, hard, validation + test"} <= found
    assert not found & {"table2, validation", "guessing, standard, validation + test"}


@pytest.mark.slow
def test_even_and_odd_numbers_and_bins_stand_beside_each_other(cells: Cells) -> None:
    row = "vilbert · standard · qa"
    even, odd, gap = (
        cells["parity, test", row, column][0]
        for column in ("pairwise_accuracy even", "pairwise_accuracy odd", "even − odd")
    )
    assert isinstance(even, float)
    assert isinstance(odd, float)
    assert gap == pytest.approx(even - odd)
    assert cells["by_number, test", f"{row} · 8-10", "recall_right"][0] == 0
    assert cells["by_number, test", f"{row} · 2", "recall_right"][0] == 100


@pytest.mark.slow
def test_claims_are_decided_by_what_models_do(tables: Tabulated) -> None:
    assert tables.claims is not None
    found = {one.id: one for one in tables.claims() if isinstance(one, Claim)}
    verdicts = {id: one.verdict for id, one in found.items()}
    assert verdicts == {
        "3.2": "undecided",  # vilbert gives ties
        "4.2.1 chance": "holds",
        "4.2.1 words": "undecided",
        "4.2.1 hard": "undecided",
        "4.2.1 interpolated": "undecided",
        "4.2.2 small": "undecided",  # of the model that knows all
        "4.2.2 bias": "holds",
    }
    assert "vilbert: of wrong numbers 1.000 [" in found["4.2.2 bias"].sentence
    assert found["4.2.1 interpolated"].sentence.startswith("it needs the interpolated counting probe of models")
    assert all(one.claim for one in found.values())


@pytest.mark.slow
def test_the_command_prints_tables_and_claims(run: Run) -> None:
    folder = run.location.path  # type: ignore[union-attr]
    ended = call("report", "tables", folder, "--paper", "seeing-past-words")
    assert ended.code == 0, ended.err
    assert "table2, test" in ended.out
    assert "4.2.2 bias holds: models that name a wrong number mostly name two" in ended.out
    assert "p_c: as the paper computes it: the recall of right texts" in ended.out.replace("acc, ", "")
    rows = call("report", "tables", folder, "--paper", "seeing-past-words", "--json").json()
    assert {"table", "row", "column", "published", "ours", "verdict", "low", "high", "n"} <= rows[0].keys()


def test_a_run_without_probes_says_so(tmp_path: Path) -> None:
    with Run(Folder(tmp_path / "run"), create=True) as run, pytest.raises(NothingToDoError, match="has no probes"):
        tabulate_run(run, None, extensions=False)


def test_a_blind_model_is_named_so_and_failures_are_counted(tmp_path: Path) -> None:
    spec = write_suites(tmp_path)["alignment-probe"].partition(",images=")[0]
    blind: Resolved[Model] = Resolved(Spec("model", {}, "model"), Scripted(says_two), "model")
    broken: Resolved[Model] = Resolved(Spec("broken", {}, "broken"), Scripted(lambda _: {"other": 1.0}), "broken")
    with Run(Folder(tmp_path / "run"), create=True) as run:
        for model in (blind, broken):
            run_suite(run, make_suite(f"{spec},blind=true"), model)
        found = tabulate_run(run, None, extensions=False)
        assert {one.row for one in found.records} == {"model (blind) · drawn"}  # type: ignore[attr-defined]
        assert found.warnings == ["broken: 12 texts have no score, and are in no figure"]
        run.add_model(Spec("model", {}, "model"), is_stand_in=True, name="Mine")
    tables = call("report", "tables", tmp_path / "run", "--paper", "seeing-past-words")
    assert "Mine (blind) · drawn" in tables.out, tables.err
    (row, *_) = call("report", "tables", tmp_path / "run", "--paper", "seeing-past-words", "--json").json()
    assert (row["row"], row["row_name"]) == ("model (blind) · drawn", "Mine (blind) · drawn")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("transformers:unc-nlp/lxmert-base-uncased,regions=r.npz", "LXMERT"),
        ("vilbert:pretrained_model.bin", "ViLBERT"),
        ("vilbert-12-in-1", "ViLBERT 12-in-1"),
        ("vilbert:multi_task_model.bin", "ViLBERT 12-in-1"),
        ("openai:gpt", None),
    ],
)
def test_the_papers_models_are_known_by_name(name: str, expected: str | None) -> None:
    assert find_model(name) == expected


def test_printed_cells_are_all_there() -> None:
    sizes = {
        table: sum(place.table == table for place in PRINTED)
        for table in dict.fromkeys(place.table for place in PRINTED)
    }
    assert sizes == {
        "table1": 24,
        "table2": 48,
        "table3": 96,
        "table4": 90,
        "table5": 30,
        "said_instead": 5,
        "table6": 27,
        "table7": 66,
    }


@pytest.mark.slow
def test_tables_6_and_7_of_the_release_are_exact(shared_data: Path) -> None:
    ended = call("report", "reproduce", "seeing-past-words", shared_data / "counting-probe", "--json")
    printed = [one for one in ended.json() if one["published"] is not None]
    assert len(printed) == 9 + 22
    assert {one["verdict"] for one in printed} == {"exact"}
    assert "Table 6 prints 6239" in ended.err


def test_a_folder_without_the_release_is_refused(tmp_path: Path) -> None:
    assert "has no visual7w_counting_" in call("report", "reproduce", "seeing-past-words", tmp_path).err
    assert "needs the folder of the released" in call("report", "reproduce", "seeing-past-words").err
