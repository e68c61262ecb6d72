"""Works through what is left to do in a run: trials by a model, then readings by a judge."""

from subitize.runner.judging import Scope, judge_run
from subitize.runner.progress import Progress, Silent
from subitize.runner.running import Settings, Summary, run_suite
from subitize.runner.stimuli import write_stimuli

__all__ = ["Progress", "Scope", "Settings", "Silent", "Summary", "judge_run", "run_suite", "write_stimuli"]
