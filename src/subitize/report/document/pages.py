"""A document as one HTML page that needs nothing but itself."""

import base64
import hashlib
import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, get_args

from subitize import __version__
from subitize.records import Estimate
from subitize.report.document.blocks import Badge, Block, Document, Linked, Tagged
from subitize.report.document.cells import figure, interval, printable, readable, sort_key
from subitize.report.document.figures import to_inline_svg

if TYPE_CHECKING:
    from jinja2 import Template

# By the names that the page has for them: text, table, figure, gallery, facts, reference.
_KINDS = {kind.__name__.removesuffix("Block").lower(): kind for kind in get_args(Block)}
_MARKS = {"right": "✓", "wrong": "✗", "refused": "⊘", "discarded": "∅", "unknown": "?"}
_KIND_NAMES: dict[Badge, str] = {
    "": "Models",
    "stand-in": "Embedded stand-ins, not real models",
    "stand-in judge": "Judged by a stand-in",
    "baseline": "Baselines, computed",
    "published": "Published, not measured here",
}
_FILTER_NAMES = {
    "model": "Model",
    "judge": "Judge",
    "outcome": "Outcome",
    "category": "Category",
    "target": "Right answer",
}


def to_html(document: Document) -> Iterator[str]:
    """Write the page piece by piece; whatever a model or a user wrote is escaped where it is put in."""
    return _page().generate(
        document=document,
        version=__version__,
        has_published=any(row.badge == "published" for table in document.tables() for row in table.rows),
        marks=_MARKS,
        filter_names=_FILTER_NAMES,
        kind_names=_KIND_NAMES,
    )


@cache
def _page() -> "Template":
    """Compile the page once; its style, its script and what it says of values are the same for every document."""
    from jinja2 import Environment, PackageLoader
    from markupsafe import Markup, escape

    loader = PackageLoader("subitize", "report/document/page")
    page = Environment(loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True, finalize=_finalize)
    page.filters |= {
        "figure": figure,
        "interval": interval,
        "readable": readable,
        "sort_key": sort_key,
        "breakable": lambda text: Markup(re.sub(r"([:/,=_.·])", r"\1<wbr>", str(escape(text)))),
        "svg": lambda block: Markup(to_inline_svg(block)),
    }
    page.tests |= {
        "estimate": lambda value: isinstance(value, Estimate),
        "linked": lambda value: isinstance(value, Linked),
        "tagged": lambda value: isinstance(value, Tagged),
        "block_kind": lambda block, name: isinstance(block, _KINDS[name]),
    }
    style, script = (loader.get_source(page, name)[0] for name in ("report.css", "report.js"))
    page.globals |= {
        "style": Markup(style),
        "script": Markup(script),
        # The browser runs this script and no other, whatever else got into the page.
        "script_hash": base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
    }
    return page.get_template("report.html")


def _finalize(value: object) -> object:
    return printable(value) if type(value) is str else value
