"""Figures and pages about corpora, their comparison, and what accuracy has to do with frequency."""

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from pydantic_core import to_json
from scipy.stats.contingency import relative_risk

from subitize.corpus.counting import CaptionSample, CountedCorpus, Counts, load_counts, to_plain
from subitize.corpus.frequency import BY_NOUN, BY_NUMBER, WITHIN, FrequencyFit, draw_links, link_accuracy
from subitize.corpus.report import compose, draw_frequencies, draw_laws
from subitize.corpus.summary import CorpusSummary, compare_corpora, summarise
from subitize.records import Estimate
from subitize.report.figures import save_figure, to_inline_svg
from subitize.report.writers import to_html
from subitize.stats.frequencies import draw_power_law
from tests.commands import call

RULE = {"adjectives": 1, "participles": False, "proper_nouns": False, "exclude": ()}


def make_corpus(name: str, exponent: float = 2.0, n: int = 3_000, heaped: int = 1, seed: int = 0) -> CountedCorpus:
    """Make the counts of a corpus whose numbers follow a power law, in which decades are so many times as frequent."""
    drawn = draw_power_law(exponent, n, np.random.default_rng(seed))
    counts = Counter(
        {
            number: count * (heaped if number % 10 == 0 else 1)
            for number, count in zip(drawn.values.tolist(), drawn.counts.tolist(), strict=True)
        }
    )
    nouns = Counter({(number, "apple"): count for number, count in counts.items()})
    samples = {2: [CaptionSample("0", "two apples <b>", "http://a/1")]}
    own = Counts(20 * n, 3 * n, counts, counts.copy(), nouns, samples)
    return CountedCorpus(name, own, RULE, 3)


def save(corpus: CountedCorpus, folder: Path) -> Path:
    """Write counts as a corpus that was counted has them."""
    folder.mkdir()
    plain = {"name": corpus.name, "rule": dict(corpus.rule), "shards": ["a"], **to_plain(corpus.counts)}
    (folder / "counts.json").write_bytes(to_json(plain))
    return folder


@pytest.fixture(scope="module")
def summaries() -> list[CorpusSummary]:
    return [summarise(make_corpus("one")), summarise(make_corpus("two", 2.4, heaped=6, seed=1))]


@pytest.mark.slow
def test_the_figure_breaks_its_axis_and_marks_decades(summaries: list[CorpusSummary]) -> None:
    figure = draw_frequencies(summaries)
    panels = figure.spec["vconcat"]
    assert len(panels) == 2
    for panel in panels:
        upper, lower = panel["vconcat"]
        top, bottom = (part["layer"][0]["encoding"]["y"]["scale"]["domain"] for part in (upper, lower))
        assert bottom[0] == 0
        assert bottom[1] == top[0]  # nothing is left out between the two scales
        assert top[1] >= max(row["value"] for row in panel["data"]["values"])
        decades = {row["number"] for row in panel["data"]["values"] if row["kind"] == "decade"}
        assert decades <= set(range(10, 101, 10))
        assert 10 in decades
    lowers = [panel["vconcat"][1]["layer"][0]["encoding"]["y"]["scale"]["domain"] for panel in panels]
    assert lowers[0] == lowers[1]  # comparable by eye
    assert "10" in figure.alt.split("two")[1]
    assert to_inline_svg(figure).startswith("<svg")


@pytest.mark.slow
def test_all_figures_are_drawn(summaries: list[CorpusSummary], tmp_path: Path) -> None:
    drawn = draw_laws(summaries)
    assert save_figure(drawn.spec, tmp_path / "laws.png", drawn.name).read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_a_page_has_figures_laws_decades_nouns_and_captions(summaries: list[CorpusSummary]) -> None:
    document = compose(summaries)
    names = [table.name for table in document.tables()]
    assert {"corpus-coverage", "corpus-decades", "corpus-comparison", "corpus-samples-one"} <= set(names)
    assert [(one.name, one.data.name) for one in document.figures()] == [
        ("corpus-frequencies", "corpus-frequencies"),
        ("corpus-laws", "corpus-fits"),
    ]


def test_a_corpus_of_few_numbers_has_a_page_without_laws() -> None:
    summary = summarise(CountedCorpus("few", Counts(9, 5, Counter({2: 3, 12: 1}), Counter({2: 3, 12: 1})), RULE, 1))
    document = compose([summary])
    assert [figure.name for figure in document.figures()] == ["corpus-frequencies"]
    assert "few" in "".join(to_html(document))


@pytest.mark.slow
def test_corpora_are_compared_by_ratios_with_their_intervals(summaries: list[CorpusSummary]) -> None:
    found = compare_corpora(*summaries)
    one, two = (corpus.rows[0] for corpus in summaries)
    expected = relative_risk(one.captions, one.share.n, two.captions, two.share.n)
    interval = expected.confidence_interval()
    ratio = found.ratios[0].ratio
    assert (ratio.value, ratio.low, ratio.high) == pytest.approx((expected.relative_risk, interval.low, interval.high))
    assert found.exponents["from 1"].value == pytest.approx(
        summaries[0].fits[0].law.exponent.value - summaries[1].fits[0].law.exponent.value
    )
    assert found.exponents["from 1"].high < 0


@pytest.mark.slow
def test_decades_that_were_planted_stand_out(summaries: list[CorpusSummary]) -> None:
    assert not any(heap.is_flagged for heap in summaries[0].decades)
    assert summaries[1].decades[0].is_flagged


@pytest.mark.slow
def test_the_report_command_writes_page_and_figure(tmp_path: Path) -> None:
    one = save(make_corpus("one", n=400), tmp_path / "one")
    two = save(make_corpus("two", n=400, seed=1), tmp_path / "two")
    page, figure = tmp_path / "page.html", tmp_path / "figure.svg"
    found = call("corpus", "report", one, two, "-o", page, "--figure", figure)
    assert found.code == 0, found.err
    assert "Exponent of one minus that of two" in found.out
    text = page.read_text()
    assert "two apples &lt;b&gt;" in text
    assert "<script src" not in text
    assert figure.read_text().startswith("<svg")
    plain = call("corpus", "report", one, "--json").json()
    assert plain["corpora"][0]["fits"][0]["law"]["start"] == 1
    assert plain["comparison"] is None


@pytest.mark.slow
def test_the_report_command_says_what_is_wrong(tmp_path: Path) -> None:
    one = save(make_corpus("one", n=100), tmp_path / "one")
    none = save(CountedCorpus("none", Counts(5), RULE, 1), tmp_path / "none")
    (tmp_path / "counts.json").write_text("{}")
    for arguments, message in (
        ((tmp_path / "nowhere",), "no counts in"),
        ((tmp_path,), "holds no counts of a corpus"),
        ((none,), "no caption of none has a numerosity"),
        ((one, one), "two corpora are called one"),
        ((one, one, one), "give one, or two to compare"),
        ((one, "--figure", "figure.pdf"), "should end in .png or .svg"),
        ((one, "-o", tmp_path), "is a folder"),
    ):
        found = call("corpus", "report", *arguments)
        assert (found.code, found.out) == (2, ""), arguments
        assert message in found.err, arguments


@pytest.mark.slow
def test_a_run_is_joined_with_a_corpus(tmp_path: Path) -> None:
    run = tmp_path / "run"
    drawn = call("run", "production", "--model", "painter:weber=0.3,size_px=256", "--repeats", 2, "--out", run)
    assert drawn.code == 0, drawn.err
    corpus = make_corpus("one", n=5_000)
    counts = save(corpus, tmp_path / "one")
    links = call("corpus", "link", run, counts, "--json").json()
    assert [link["by"] for link in links] == [BY_NUMBER, BY_NOUN, WITHIN]
    by_number = links[0]
    assert [point["number"] for point in by_number["points"]] == list(range(1, 11))
    assert [point["frequency"] for point in by_number["points"]] == [corpus.counts.mentions[n] for n in range(1, 11)]
    scores = call("score", run, "--by", "number", "--json").json()
    rows = (row for row in scores if (row["factor"], row["measure"]) == ("number", "accuracy"))
    accuracy = {row["group"]: row["value"] for row in rows}
    for point in by_number["points"]:
        assert point["accuracy"]["value"] == pytest.approx(accuracy[str(point["number"])])
    assert by_number["correlation"]["value"] > 0.5  # small numbers are easier, and more frequent
    assert len(links[1]["points"]) == 40
    figure = tmp_path / "link.svg"
    found = call("corpus", "link", run, counts, "--figure", figure)
    assert "gain per tenfold" in found.out
    assert figure.read_text().startswith("<svg")


def test_a_run_without_numbers_cannot_be_joined(tmp_path: Path) -> None:
    from subitize.errors import NothingToDoError
    from subitize.frame import frame_of

    with pytest.raises(NothingToDoError, match="no item of the run asks for a number of things"):
        link_accuracy(frame_of([], [], [], {}), make_corpus("one"))


def test_with_the_number_held_constant_frequency_speaks_alone() -> None:
    from subitize.corpus.frequency import FrequencyPoint, _link, _varying

    def point(number: int, noun: str, frequency: int, value: float) -> FrequencyPoint:
        return FrequencyPoint(number, noun, frequency, Estimate(value, 0, 1, 10, ""))

    # Accuracy falls with the number, and so does frequency; within a number it is the rarer thing that is drawn better.
    points = [
        point(number, noun, frequency * 10 ** (6 - number), 1 - 0.15 * number + gain)
        for number in range(1, 6)
        for noun, frequency, gain in (("dog", 4, 0.0), ("cat", 2, 0.02), ("cow", 1, 0.05))
    ]
    together, within = (_link(("", "", ""), by, _varying(points)) for by in (BY_NOUN, WITHIN))
    assert together.correlation is not None
    assert within.correlation is not None
    assert together.correlation.value > 0.9
    assert within.correlation.value < -0.9
    assert _varying([point(1, "dog", 3, 0.5), point(1, "cat", 3, 0.7)]) == []
    assert json.dumps(draw_links([together], "one").spec)


def test_the_figure_of_links_says_what_its_intervals_are_for() -> None:
    link = FrequencyFit("production", "painter", "parser", BY_NOUN, None, None, None, ())
    assert "95 % intervals are for exactly these prompts; those of subitize score" in draw_links([link], "one").caption


def test_counts_are_read_from_their_folder_or_file(tmp_path: Path) -> None:
    corpus = make_corpus("one")
    folder = save(corpus, tmp_path / "one")
    assert load_counts(folder).counts == load_counts(folder / "counts.json").counts == corpus.counts
