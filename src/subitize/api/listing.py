"""The verb that lists what exists: suites, models, judges, drawings, parts, and what a file holds."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from subitize.api.calls import AS_WARNINGS, told, verb
from subitize.api.options import AnyPath, Arg, Opt
from subitize.errors import BadValueError

if TYPE_CHECKING:
    from subitize.interfaces import Events
    from subitize.report.table import Result

_KINDS = "suites|models|judges|refinements|papers|datasets|scorers|calibrations|glyphs|parts"


@verb
def list_(
    name: Annotated[
        str | None,
        Arg(
            "What to list, or the name of one to describe, or a file [how many there are of each kind].",
            f"[{_KINDS}|NAME|FILE.yaml|PROBES.jsonl]",
        ),
    ] = None,
    *,
    out: Annotated[AnyPath | None, Opt("Of glyphs: write a contact sheet to this PNG.", "FILE", "--out -o")] = None,
    events: "Events" = AS_WARNINGS,
) -> "Result | Path":
    """List suites, models, judges and what else there is, or describe one of them with its options."""
    from subitize import registry
    from subitize.report import catalog, listing

    if out is not None:
        return _draw_glyphs(name, Path(out))
    match name:
        case None:
            return _count_kinds()
        case "calibrations":
            return _list_calibrations(events)
        case "datasets":
            return _list_datasets()
        case "scorers":
            from subitize.report.alignment import scorers_result

            return scorers_result()
        case "glyphs":
            from subitize.stimuli.glyphs import GLYPHS

            return catalog.glyph_result(GLYPHS)
        case "parts":
            return catalog.installation_result(catalog.examine())
    if name.endswith((".yaml", ".yml")):
        found = catalog.describe_suite(registry.make_suite(name))
        return told(found, *(f"{key}: {text}" for key, text in found.items()))
    if name.endswith((".jsonl", ".json")) or Path(name).is_file():
        return _describe_probes(Path(name))
    kind = next((known for known in registry.KINDS if known == name), None)
    if kind is not None:
        heading = "reference" if kind == "papers" else "what it does"
        return catalog.listing_result(listing.listings(kind), heading)
    return catalog.description_result(listing.describe_all(name.partition(":")[0]))


def _draw_glyphs(name: str | None, out: Path) -> Path:
    from subitize.io.outputs import check_file, write_atomic
    from subitize.stimuli.export import contact_sheet_png

    if name != "glyphs":
        raise BadValueError(f"`out` {out}: it is for a sheet of glyphs: subitize list glyphs --out {out}")
    check_file(out)
    return write_atomic(out, [contact_sheet_png()])


def _count_kinds() -> "Result":
    from subitize.labels.calibrations import list_all
    from subitize.registry import KINDS, names
    from subitize.report.table import Result, Table
    from subitize.suites.datasets import list_datasets

    counts: dict[str, int] = {kind: len(names(kind)) for kind in KINDS}
    counts |= {"datasets": len(list_datasets()), "calibrations": len(list_all()[0])}
    see = "to list a kind: subitize list KIND; to describe one of them: subitize list NAME"
    return Result((Table.of("kinds", "", ("kind", "how many"), counts.items()),), counts, notes=(see,))


def _list_datasets() -> "Result":
    from subitize.suites.datasets import list_datasets

    found, lines = list_datasets(), []
    for name, one in found.items():
        lines += [f"{name}: {one.citation}", f"  licence: {one.licence}; columns: {', '.join(one.columns)}"]
    return told(found, *lines, "to run one of them: subitize run questions:FILE --model MODEL")


def _list_calibrations(events: "Events") -> "Result":
    from subitize.labels.calibrations import list_all
    from subitize.report.studies import saved_result

    found, faults = list_all()
    events.warn(*faults)
    return saved_result(found)


def _describe_probes(file: Path) -> "Result":
    """Show how many probes there are of each number, and what guessing gets, in percent."""
    from subitize.papers import find, load
    from subitize.records import to_plain
    from subitize.report.claims import compared_tables
    from subitize.report.table import Result

    found = load(str(find("probes", "describe")))(file)
    return Result(compared_tables(found), to_plain(found))
