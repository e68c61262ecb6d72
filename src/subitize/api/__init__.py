"""One function per verb: what commands, notebooks and programs call.

A verb takes runs by name or open, returns a value, and prints nothing; its signature is the list of its options.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from subitize.api.calls import database
    from subitize.api.corpus import check_counting, count_captions, find_pairs, link_corpus, report_corpora
    from subitize.api.data import export, export_ratings, open, show
    from subitize.api.figures import agree, calibrate, compare, measure, plate, score, write_report
    from subitize.api.imports import import_
    from subitize.api.listing import list_
    from subitize.api.making import make_caption_probes, make_probes, make_prompts, make_rewrites, make_stimuli
    from subitize.api.papers import reproduce, tables
    from subitize.api.people import annotate, draw_sample, screen
    from subitize.api.planning import plan_study
    from subitize.api.runs import judge, run
    from subitize.api.serving import serve
    from subitize.api.training import train_probe

_VERBS = {
    "calls": "database",
    "corpus": "check_counting count_captions find_pairs link_corpus report_corpora",
    "data": "export export_ratings open show",
    "figures": "agree calibrate compare measure plate score write_report",
    "imports": "import_",
    "listing": "list_",
    "making": "make_caption_probes make_probes make_prompts make_rewrites make_stimuli",
    "papers": "reproduce tables",
    "people": "annotate draw_sample screen",
    "planning": "plan_study",
    "runs": "judge run",
    "serving": "serve",
    "training": "train_probe",
}
_MODULES = {verb: module for module, verbs in _VERBS.items() for verb in verbs.split()}

__all__ = ["agree", "annotate", "calibrate", "check_counting", "compare", "count_captions", "database"]
__all__ += ["draw_sample", "export", "export_ratings", "find_pairs", "import_", "judge", "link_corpus", "list_"]
__all__ += ["make_caption_probes", "make_probes", "make_prompts", "make_rewrites", "make_stimuli", "measure"]
__all__ += ["open", "plan_study", "plate", "report_corpora", "reproduce", "run", "score", "screen", "serve"]
__all__ += ["show", "tables", "train_probe", "write_report"]


def __getattr__(name: str) -> Any:  # noqa: ANN401
    if name in _MODULES:
        return getattr(import_module(f"subitize.api.{_MODULES[name]}"), name)
    raise AttributeError(f"module 'subitize.api' has no attribute {name!r}")
