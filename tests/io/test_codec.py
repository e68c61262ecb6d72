"""What is stored, hashed or printed has keys of its own: a record may change, what was written by it reads the same."""

import inspect
from collections.abc import Iterator
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from subitize import records
from subitize.analysis.agreement import RaterAgreement
from subitize.analysis.alignment import Alignment
from subitize.analysis.calibration import Calibration
from subitize.analysis.calibration import ThresholdPoint as CalibrationPoint
from subitize.analysis.compare import LeftOut, ModelPair, PairedContrast, Ranked, RefinementEffect
from subitize.analysis.measures import Abstraction, Bias, CountingReport, WordingScore, measures
from subitize.analysis.overview import ItemStory, JudgeProgress, ModelProgress, Overview
from subitize.analysis.power import PlanFigure as PowerAnswer
from subitize.analysis.power import PlanPoint as PowerPoint
from subitize.analysis.power import PowerPlan
from subitize.analysis.provenance import read_contents
from subitize.analysis.score import PassRate, Score
from subitize.evaluate.forecast import Expense, Forecast
from subitize.io import codec
from subitize.labels.calibrations import Calibrated
from subitize.records import (
    Answer,
    Ask,
    Box,
    Boxes,
    Choose,
    Compared,
    Confirm,
    Control,
    Count,
    Discarded,
    Draw,
    Drawn,
    Elsewhere,
    Estimate,
    Failed,
    Filed,
    Fill,
    Fit,
    Item,
    Known,
    Masks,
    Match,
    MatchesPrompt,
    Measured,
    Name,
    Place,
    Provenance,
    Reading,
    Refused,
    Response,
    Said,
    Scored,
    Spec,
    Stimulus,
    Stored,
    Subject,
    Token,
    Transcribe,
    Trial,
    Words,
    keys,
    to_plain,
)
from subitize.report.catalog import InstallationCheck
from subitize.report.listing import Listing
from subitize.stimuli.recipes import Magnitudes
from subitize.store import Folder, Run, StoredReading, StoredResponse, StoredSuite
from tests.cases import Case

# Every line is in runs that exist: it is never changed. A new record or field is a new line.
STORED: list[tuple[TypeAdapter[Any], Any, str]] = [
    (codec.task, Draw("3 cats"), '{"prompt":"3 cats","kind":"draw"}'),
    (
        codec.task,
        Answer(Stored("ab", "png"), "How many?"),
        '{"picture":{"hash":"ab","format":"png","kind":"stored"},"question":"How many?","kind":"answer"}',
    ),
    (
        codec.task,
        Answer(Stimulus("cats", 3, 7, 128, Control("area", 5), "grass", 0.5), "How many?"),
        '{"picture":{"category":"cats","number":3,"seed":7,"size_px":128,"control":{"magnitude":"area",'
        '"up_to":5},"background":"grass","overlap":0.5,"kind":"stimulus"},"question":"How many?",'
        '"kind":"answer"}',
    ),
    (
        codec.task,
        Match(Elsewhere("cats_3.png"), "3 cats"),
        '{"picture":{"name":"cats_3.png","kind":"elsewhere"},"text":"3 cats","kind":"match"}',
    ),
    (
        codec.task,
        Fill(Filed("cats.png"), "[GAP] cats"),
        '{"picture":{"path":"cats.png","kind":"filed"},"text":"[GAP] cats","kind":"fill"}',
    ),
    (codec.question, Count("cat"), '{"noun":"cat","colour":null,"place":null,"kind":"count"}'),
    (
        codec.question,
        Count("cat", "red", Place("left of", "dog")),
        '{"noun":"cat","colour":"red","place":{"relation":"left of","landmark":"dog"},"kind":"count"}',
    ),
    (codec.question, Choose(("no cats", "a cat")), '{"lines":["no cats","a cat"],"kind":"choose"}'),
    (
        codec.question,
        Confirm("there are 3 cats", True),
        '{"statement":"there are 3 cats","is_informed":true,"kind":"confirm"}',
    ),
    (codec.question, MatchesPrompt(), '{"kind":"matches-prompt"}'),
    (codec.question, Name(), '{"kind":"name"}'),
    (codec.question, Transcribe(), '{"kind":"transcribe"}'),
    (codec.question, Fit("3 cats"), '{"text":"3 cats","kind":"fit"}'),
    (
        codec.asks,
        (Ask(Name(), "What is it?", ("cat", 3, 0.5, True), "count:cat", False, 4),),
        '[{"question":{"kind":"name"},"wording":"What is it?","expects":["cat",3,0.5,true],'
        '"parent":"count:cat","is_relevant":false,"group":4}]',
    ),
    (
        codec.asks,
        (Ask(Count("cat"), "How many?", (3,)),),
        '[{"question":{"noun":"cat","colour":null,"place":null,"kind":"count"},"wording":"How many?",'
        '"expects":[3],"parent":null,"is_relevant":true,"group":1}]',
    ),
    (
        codec.factors,
        {"number": 3, "category": "cats", "share": 0.5, "is_rare": True},
        '{"number":3,"category":"cats","share":0.5,"is_rare":true}',
    ),
    (codec.options, {"weber": "0.15"}, '{"weber":"0.15"}'),
    (
        codec.outcome,
        Drawn(Stored("ab", "webp")),
        '{"picture":{"hash":"ab","format":"webp","kind":"stored"},"kind":"drawn"}',
    ),
    (
        codec.outcome,
        Drawn(Elsewhere("cats_3.png")),
        '{"picture":{"name":"cats_3.png","kind":"elsewhere"},"kind":"drawn"}',
    ),
    (
        codec.outcome,
        Said("3", (Token("3", -0.5, {"4": -1.5}),)),
        '{"text":"3","tokens":[{"text":"3","logprob":-0.5,"others":{"4":-1.5}}],"kind":"said"}',
    ),
    (codec.outcome, Scored({"match": 0.5}), '{"scores":{"match":0.5},"kind":"scored"}'),
    (codec.outcome, Refused("no"), '{"reason":"no","kind":"refused"}'),
    (codec.outcome, Failed("503", True), '{"reason":"503","is_transient":true,"kind":"failed"}'),
    (
        codec.provenance,
        Provenance(7, "3 cats"),
        '{"seed":7,"prompt_sent":"3 cats","prompt_rewritten":null,"parameters":{},"revision":null,'
        '"weights_hash":null,"parameter_count":null,"versions":{},"tokens_in":null,"tokens_out":null,"price_usd":null,'
        '"unsettled_tries":0}',
    ),
    (
        codec.provenance,
        Provenance(7, "3 cats", "three cats", {"size": 512}, "r", "w", 9, {"subitize": "1"}, 1, 2, 0.5, 3),
        '{"seed":7,"prompt_sent":"3 cats","prompt_rewritten":"three cats","parameters":{"size":512},'
        '"revision":"r","weights_hash":"w","parameter_count":9,"versions":{"subitize":"1"},"tokens_in":1,"tokens_out":2,'
        '"price_usd":0.5,"unsettled_tries":3}',
    ),
    (
        codec.evidence,
        Boxes((Box("cat", 0.5, (1.0, 2.0, 3.0, 4.5), "red"),)),
        '{"boxes":[{"label":"cat","score":0.5,"xyxy":[1.0,2.0,3.0,4.5],"colour":"red"}],"kind":"boxes"}',
    ),
    (
        codec.evidence,
        Masks((Box("cat", 0.5, (1.0, 2.0, 3.0, 4.5)),), masks=("3 1 1020",)),
        '{"boxes":[{"label":"cat","score":0.5,"xyxy":[1.0,2.0,3.0,4.5],"colour":null}],"kind":"boxes",'
        '"masks":["3 1 1020"]}',
    ),
    (codec.evidence, Words("three"), '{"text":"three","kind":"words"}'),
    (codec.evidence, Measured(0.5), '{"score":0.5,"kind":"measured"}'),
    (codec.evidence, Compared({"cat": 0.5}), '{"scores":{"cat":0.5},"kind":"compared"}'),
    (codec.value, Known(3), '{"value":3,"kind":"known"}'),
    (codec.value, Known(True), '{"value":true,"kind":"known"}'),
    (codec.value, Discarded("a range", True), '{"reason":"a range","is_refusal":true,"kind":"discarded"}'),
    (codec.trial_ids, ("a", "b"), '["a","b"]'),
]
# Records that are stored in columns, or not at all.
NOT_JSON = {"Attached", "Design", "Estimate", "Item", "Label", "Reading", "Response", "Spec", "Subject", "Trial"}


def test_records_are_stored_by_the_same_keys_in_the_same_order(case: Case) -> None:
    for adapter, record, text in STORED:
        with case(text):
            assert codec.encode(adapter, record) == text
            assert adapter.validate_json(text) == record


def test_every_record_that_is_stored_is_in_the_table() -> None:
    defined = {name for name, kind in inspect.getmembers(records, is_dataclass) if kind.__module__ == records.__name__}
    seen = {type(one).__name__ for _, record, _ in STORED for one in _within(record)}
    assert defined - NOT_JSON == seen
    written = {key for _, record, _ in STORED for one in _within(record) for key in keys(type(one))}
    assert all(any(f'"{key}":' in text for _, _, text in STORED) for key in written)


def _within(record: object) -> Iterator[object]:
    """Go through a record and those that it is made of."""
    if is_dataclass(record):
        yield record
        for one in fields(record):
            yield from _within(getattr(record, one.name))
    elif isinstance(record, tuple):
        for part in record:
            yield from _within(part)


@dataclass(frozen=True)
class Renamed:
    """A record one of whose fields has another name than it was first stored by."""

    answer: str = field(metadata={"alias": "text"})
    others: tuple["Renamed", ...] = ()


def test_a_field_that_is_renamed_keeps_its_key() -> None:
    record, text = Renamed("3", (Renamed("4"),)), '{"text":"3","others":[{"text":"4","others":[]}]}'
    adapter = TypeAdapter(Renamed)
    assert codec.encode(adapter, record) == text
    assert adapter.validate_json(text) == record
    assert to_plain({"found": [record]}) == {"found": [codec.dump(adapter, record)]}
    assert keys(Renamed) == ["text", "others"]


TRIAL = Trial("naming/apples/3/0/category", "ideal-human", {"weber": "0.15", "subitizing": "4"}, repeat=1, attempt=2)
ASKS = (
    Ask(Count("cat"), "How many?", (3,)),
    Ask(Confirm("there are 3 cats", True), "Is it so?", (True,), "count:cat", False, 4),
)
STIMULUS = Stimulus("cats", 3, 7, 128, Control("area", 5), "grass", 0.5)
CONTENTS = [
    (Item("s/0", Draw("3 cats"), ASKS, {"number": 3}), "226cbdbdd101ee84a35440f988999ac6"),
    (
        Item("s/1", Answer(Stored("ab", "png"), "How many?"), ASKS[:1], {"number": 3, "share": 0.5}),
        "5b71baaff524ff93a71b129b0d2908df",
    ),
    (Item("s/2", Answer(STIMULUS, "How many?"), ASKS[:1], {}), "3bb1b4cae5ad8327a21d8aaad4043dfd"),
    (Item("s/3", Fill(Filed("gone.png"), "[GAP] cats"), ASKS[:1], {}), "529447a778dc451065def2b351c400d0"),
    (Item("s/4", Match(Elsewhere("x.png"), "3 cats"), (), {}), "f93ce621cda8cce9f7647198b16036f3"),
]


def test_hashes_are_those_of_the_first_version(tmp_path: Path) -> None:
    assert (TRIAL.id, TRIAL.seed(7)) == ("2b0bd3ede75e1480ec8921fad01c3f0c", 3067043699)
    assert Subject((TRIAL.id, "x")).id == "0a0a4e4fc344291c18f19f1ea8dcfacf"
    with Run(Folder(tmp_path / "run"), create=True) as run:
        run.add_suite(Spec("s", {}, "s"), 0, [item for item, _ in CONTENTS])
        found = read_contents(run, {item.id for item, _ in CONTENTS})
    assert [found[item.id].hash for item, _ in CONTENTS] == [hash for _, hash in CONTENTS]


_PLACE = "suite model judge factor group"
# What `--json` prints, by record; rows of `stimuli` are of Magnitudes.
PRINTED: dict[type, str] = {
    Estimate: "value low high n method confidence caution",
    Score: f"{_PLACE} measure estimate excluded is_informed",
    PassRate: f"{_PLACE} k estimate images left_out undecided is_voted is_informed",
    Alignment: f"{_PLACE} measure estimate discarded incomplete excluded",
    RaterAgreement: "suite model judge question factor group annotators units votes single ties unanimous kappa ac1 "
    "alpha yes is_pooled alpha_ordinal alpha_interval alpha_ratio pairwise prompts caution",
    RefinementEffect: "suite refinement model judge measure k pairing applied fallbacks unpaired",
    PairedContrast: "first second difference p p_holm",
    Ranked: "model estimate best worst letters equals",
    ModelPair: "first second difference p p_holm",
    LeftOut: "suite judge model count total",
    WordingScore: "wording accuracy mae nae n",
    Abstraction: "estimate pair",
    Bias: "category direction r z p n p_by_trial",
    Overview: "suites items models judges exclusions",
    StoredSuite: "name shown seed",
    ModelProgress: "suite model is_stand_in outcomes addresses",
    JudgeProgress: "judge is_stand_in annotators readings discarded addresses",
    ItemStory: "item excluded responses readings",
    Item: "id task asks factors",
    StoredResponse: "trial_id response at",
    Response: "trial outcome provenance tries latency_seconds",
    Trial: "item_id model model_options repeat attempt id",
    StoredReading: "id reading at",
    Reading: "subject question judge evidence rule value annotator replaces provenance purpose reviews",
    Subject: "trial_ids",
    Calibration: "result best curve fold_thresholds fold_ious items notes",
    CalibrationPoint: "threshold nae accuracy",
    Calibrated: "judge reference threshold iou metric n folds nae accuracy made_on version",
    PowerPlan: "design assumed answers axis curve notes",
    PowerAnswer: "what value note",
    PowerPoint: "at half_width power",
    Forecast: "suite model items trials done expenses matched model_name",
    Expense: "who calls tokens_in tokens_out pictures usd paid_before who_name more_expected more_at_most",
    Listing: "name summary target options",
    InstallationCheck: "part wanted_by version remedy",
    Magnitudes: "number total_area_px mean_item_area_px convex_hull_px density_per_megapixel",
}


def test_what_is_printed_for_programs_has_the_same_keys(case: Case) -> None:
    for kind, printed in PRINTED.items():
        with case(kind.__name__):
            assert keys(kind) == printed.split()


def test_what_measure_prints_has_the_same_keys() -> None:
    printed = (
        "run suite model judge wording wordings control accuracy accuracy_read accuracy_answered mae nae nae_all "
        "coverage eligible discarded refused unknown zeros excluded smallest_cell knower knower_all human_correlation "
        "human_correlation_all human_distance random_distance abstraction biases scalar weber cues anchoring "
        "categories numbers responses matrices"
    )
    own = [key for key in keys(CountingReport) if key not in ("rows", "left_out", "pictures", "pooled_cues")]
    assert [*own, *measures()] == printed.split()
