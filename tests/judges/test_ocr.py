"""Reading written text: known lines, in their order, by either engine; what is asked, and how near it comes."""

from pathlib import Path

import pytest

from subitize.analysis.alignment import align_run
from subitize.errors import BadValueError, MissingPartError, UnknownNameError, UnusableModelError
from subitize.interfaces import JudgeQuestion, JudgeRequest, SelfTest
from subitize.judges import ocr
from subitize.judges.ocr import OCR_QUESTION, Ocr, Piece, in_reading_order, text_asks
from subitize.records import Answer, Ask, Confirm, Drawn, Item, Known, Said, Stimulus, Stored, Transcribe, Words
from subitize.registry import make_judge
from tests.commands import call
from tests.judges.drawn_prompts import EXACT, item, made, new_run, open_rapidocr, paint_all, store, write_lines
from tests.runs import judge_run
from tests.samples import trial

PICTURE = Drawn(Stored("0" * 64, "png"))
PROGRAM = """#!/bin/sh
case "$1" in
  --version) echo "tesseract 9.9"; exit 0;;
  --list-langs) printf 'List of available languages (1):\\neng\\n'; exit 0;;
esac
cat > /dev/null
printf 'level\\tleft\\ttop\\twidth\\theight\\tconf\\ttext\\n'
printf '5\\t200\\t10\\t90\\t30\\t96.5\\tbirthday\\n'
printf '5\\t10\\t12\\t90\\t30\\t91\\tHappy\\n'
printf '5\\t10\\t90\\t90\\t30\\t12.5\\t~~\\n'
printf '4\\t0\\t0\\t0\\t0\\t-1\\t\\n'
"""


@pytest.fixture(scope="module")
def rapidocr() -> Ocr:
    return open_rapidocr()


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program that goes by the name of tesseract, and always reads the same."""
    path = tmp_path / "bin" / "tesseract"
    path.parent.mkdir()
    path.write_text(PROGRAM, encoding="utf-8")
    path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{path.parent}:/usr/bin:/bin")
    return path


def read(judge: Ocr, *pictures: bytes) -> list[str]:
    exhibits = [
        JudgeRequest((PICTURE,), (JudgeQuestion(Transcribe(), OCR_QUESTION),), lambda _, data=data: data)  # type: ignore[misc]
        for data in pictures
    ]
    found = [finding.evidence for findings in judge.compute_all(exhibits) for finding in findings]
    return [one.text for one in found if isinstance(one, Words)]


@pytest.mark.ocr
def test_known_lines_are_read_in_their_order(rapidocr: Ocr) -> None:
    two = write_lines("Happy birthday", "OPEN 24 HOURS")
    assert read(rapidocr, two, write_lines("Welcome")) == ["Happy birthday\nOPEN 24 HOURS", "Welcome"]


@pytest.mark.ocr
def test_where_nothing_is_written_nothing_is_read(rapidocr: Ocr) -> None:
    assert read(rapidocr, write_lines("")) == [""]


@pytest.mark.ocr
def test_it_passes_its_own_test_without_a_network(rapidocr: Ocr, monkeypatch: pytest.MonkeyPatch) -> None:
    import requests

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("something was asked of a server")

    monkeypatch.setattr(requests, "get", refuse)
    rapidocr.check()
    assert rapidocr.self_test() == SelfTest(True, "3 of 3 known lines read right by rapidocr")


@pytest.mark.ocr
def test_a_finding_says_what_read_it(rapidocr: Ocr) -> None:
    data = write_lines("Welcome")
    ((finding,),) = rapidocr.compute_all(
        [JudgeRequest((PICTURE,), (JudgeQuestion(Transcribe(), OCR_QUESTION),), lambda _: data)]
    )
    assert finding.provenance is not None
    assert finding.provenance.parameters == {"engine": "rapidocr"}
    assert set(finding.provenance.versions) == {"rapidocr", "onnxruntime"}
    assert len(str(finding.provenance.weights_hash)) == 64


@pytest.mark.usefixtures("program")
def test_tesseract_is_read_by_its_table_and_doubtful_words_are_left_out() -> None:
    judge = Ocr(engine="tesseract")
    judge.check()
    assert read(judge, write_lines("whatever")) == ["Happy birthday"]


@pytest.mark.usefixtures("program")
def test_an_engine_that_reads_what_is_not_there_is_refused() -> None:
    with pytest.raises(UnusableModelError, match=r"^tesseract reads 'Happy birthday' where 'OPEN' is written, and 2"):
        Ocr(engine="tesseract").self_test()


@pytest.mark.usefixtures("program")
def test_a_language_that_is_not_installed_is_named() -> None:
    with pytest.raises(BadValueError, match=r"no language 'deu' here; install it .*tesseract-ocr-deu"):
        Ocr(engine="tesseract", languages=("eng", "deu")).check()


@pytest.mark.tesseract
def test_a_real_tesseract_passes_the_same_test() -> None:
    assert Ocr(engine="tesseract").self_test().is_passed


def test_what_is_missing_is_named_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(BadValueError, match="there is no program tesseract; install it"):
        Ocr(engine="tesseract")
    monkeypatch.setattr(ocr, "find_spec", lambda name: None)
    with pytest.raises(MissingPartError, match=r"judge 'ocr' needs rapidocr and onnxruntime; run: pip install"):
        Ocr()


@pytest.mark.ocr
def test_wrong_options_are_refused(rapidocr: Ocr) -> None:
    with pytest.raises(UnknownNameError, match="no engine named 'eyes'; known: auto, rapidocr, tesseract"):
        make_judge("ocr:engine=eyes")
    with pytest.raises(BadValueError, match="languages=deu are for tesseract"):
        make_judge("ocr:engine=rapidocr,languages=deu")
    with pytest.raises(BadValueError, match="batch_size=0"):
        make_judge("ocr:batch_size=0")


@pytest.mark.ocr
def test_it_reads_text_in_one_picture(rapidocr: Ocr) -> None:
    assert rapidocr.can_answer(Transcribe(), [PICTURE])
    assert not rapidocr.can_answer(Confirm("there are some apples", is_informed=False), [PICTURE])
    assert not rapidocr.can_answer(Transcribe(), [Said("hello")])
    assert not rapidocr.can_answer(Transcribe(), [PICTURE, PICTURE])


def test_it_asks_where_the_suite_does_or_the_prompt_quotes_a_text() -> None:
    quoting = item(0, 'A sign that says "Hello" and a hat that says "World"')
    assert text_asks(quoting) == (Ask(Transcribe(), OCR_QUESTION, ("Hello World",)),)
    assert text_asks(item(0, "Three apples.")) == ()
    own = Ask(Transcribe(), "What does the sign say?", ("Hello", "HELLO!"))
    assert text_asks(item(0, 'A sign that says "Hello"', [own])) == (own,)
    assert text_asks(Item("prompts/0", Answer(Stimulus("apples", 3, 1), 'What is "this"?'), (), {})) == ()


@pytest.mark.parametrize(
    ("pieces", "text"),
    [
        ([], ""),
        ([Piece("world", 100, 12, 42), Piece("hello", 10, 10, 40)], "hello world"),
        ([Piece("below", 0, 60, 90), Piece("above", 50, 10, 40)], "above\nbelow"),
        (
            [Piece("d", 60, 52, 80), Piece("b", 60, 12, 41), Piece("c", 0, 50, 81), Piece("a", 0, 10, 40)],
            "a b\nc d",
        ),
    ],
    ids=["nothing", "one line", "two lines", "a square"],
)
def test_pieces_are_read_from_the_top_and_from_the_left(pieces: list[Piece], text: str) -> None:
    assert in_reading_order(pieces) == text


@pytest.mark.ocr
def test_written_text_is_scored_by_how_near_it_comes(rapidocr: Ocr, tmp_path: Path) -> None:
    items = [item(0, 'A sign that says "OPEN"'), item(1, 'A card that says "Happy birthday"'), item(2, "Three apples.")]
    with new_run(tmp_path / "run", items) as run:
        pictures = [write_lines("OPEN"), write_lines("Happy", "birthdog"), write_lines("three apples")]
        store(run, [(trial(one, model=EXACT), data) for one, data in zip(items, pictures, strict=True)])
        judge_run(run, made("ocr:engine=rapidocr", rapidocr))
        values = {stored.reading.value for stored in run.readings()}
        assert values == {Known("OPEN"), Known("Happy\nbirthdog")}
        found = {one.measure: one.estimate for one in align_run(run)}
        assert found["text"].value == pytest.approx((1 + (1 - 2 / 14)) / 2)
        assert (found["text_exact"].value, found["text_exact"].n) == (0.5, 2)


@pytest.mark.slow
@pytest.mark.tesseract
def test_where_no_prompt_quotes_a_text_that_is_said_after_the_self_test(tmp_path: Path) -> None:
    with new_run(tmp_path / "run", [item(0, "three apples")]) as run:
        paint_all(run)
    done = call("judge", tmp_path / "run", "--judge", "ocr:engine=tesseract")
    assert done.code == 2
    assert "self-test of ocr: passed, 3 of 3 known lines read right by tesseract" in done.err
    assert "0 new readings, nothing to ask: it asks about text that prompts quote" in done.out
