"""What is cut out of a provenance without decoding it is what decoding gives."""

from pathlib import Path

from pydantic_core import from_json

from subitize.io import codec
from subitize.records import Provenance, Response, Said
from subitize.store import Folder, Run
from subitize.store.reading import trace_responses
from subitize.store.rows import read_usages
from tests.samples import SUITE, naming_item, trial

PROVENANCES = {
    "plain": Provenance(7, "How many?"),
    "a prompt that looks like fields": Provenance(
        -1, '","parameters":{}', '",prompt_rewritten":null,"tokens_in":3\\', {"size": 3}, tokens_in=5
    ),
    "parameters named as fields are": Provenance(
        2**40,
        "",
        "",
        {"parameters": 1, "tokens_in": 2, "prompt_sent": "x"},
        "rev",
        "hash",
        9,
        {"torch": "2"},
        1,
        2,
        0.5,
    ),
    "half a character, line breaks": Provenance(1, 'a\n"b"\u2028\ud83d', None, {"é": '"tokens_in":'}, price_usd=0.25),
}


def test_a_provenance_is_cut_into_what_it_says(tmp_path: Path) -> None:
    with Run(Folder(tmp_path / "run"), create=True) as run:
        items = [naming_item(index) for index in range(len(PROVENANCES))]
        run.add_suite(SUITE, 1, items)
        with run.lease("test") as lease:
            run.add_responses(
                lease,
                [
                    Response(trial(item), Said("3"), provenance)
                    for item, provenance in zip(items, PROVENANCES.values(), strict=True)
                ],
            )
        rows = trace_responses(run).to_dicts()
        (usages,) = read_usages(run).values()
    for row, provenance in zip(rows, PROVENANCES.values(), strict=True):
        told = {"seed": from_json(row["seed"]), "prompt_sent": from_json(row["prompt"])}
        told |= {"prompt_rewritten": from_json(row["rewritten"])}
        told |= from_json(row["settings"]) | from_json(row["usage"])
        assert told == from_json(codec.encode(codec.provenance, provenance)), row
    assert [from_json(usage) for usage in usages] == [from_json(row["usage"]) for row in rows]
