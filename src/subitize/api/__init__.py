"""One function per verb: what commands, notebooks and programs call.

A verb takes runs by name or open, returns a value, and prints nothing; its signature is the list of its options.
"""

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

__all__ = ["agree", "annotate", "calibrate", "check_counting", "compare", "count_captions", "database"]
__all__ += ["draw_sample", "export", "export_ratings", "find_pairs", "import_", "judge", "link_corpus", "list_"]
__all__ += ["make_caption_probes", "make_probes", "make_prompts", "make_rewrites", "make_stimuli", "measure"]
__all__ += ["open", "plan_study", "plate", "report_corpora", "reproduce", "run", "score", "screen", "serve"]
__all__ += ["show", "tables", "write_report"]
