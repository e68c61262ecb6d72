"""Answers a run has before a study begins, such as imported ratings: the study continues from them."""

from collections import defaultdict
from collections.abc import Sequence

import polars as pl

from subitize.annotation.pages import Page
from subitize.records import Known
from subitize.store import Run
from subitize.store.frames import read_readings
from subitize.store.reading import decode_value


def find_earlier(run: Run, judge: str, pages: Sequence[Page]) -> list[tuple[str, int]]:
    """List who has answered all questions of which page, by its place; what has no value is no answer."""
    readings = read_readings(run, judge).filter(pl.col("annotator") != "")
    known = [text for text in readings["value"].unique() if isinstance(decode_value(text), Known)]
    answered: dict[tuple[str, str], set[str]] = defaultdict(set)
    rows = readings.filter(pl.col("value").is_in(known)).select("annotator", "subject", "question")
    for annotator, subject, question in rows.iter_rows():
        answered[annotator, subject].add(question)
    places = {page.subject.id: place for place, page in enumerate(pages)}
    return [
        (annotator, places[subject])
        for (annotator, subject), questions in answered.items()
        if subject in places and all(ask.question.id in questions for ask in pages[places[subject]].asks)
    ]
