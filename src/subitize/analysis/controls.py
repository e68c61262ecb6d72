"""The control question of naming, "What does the image represent?", which enters no other figure."""

import re
from collections import defaultdict
from collections.abc import Iterable

from subitize.analysis.observations import Observation, Reader, observe_asides
from subitize.records import Estimate, Name
from subitize.stats.intervals import wilson_interval
from subitize.store import Run

WORDING = "control"
# Section 2.1.1 takes these: "apple(s)" and "fruit".
_RIGHT = re.compile(r"\b(apples?|fruits?)\b", re.IGNORECASE)


def observe_controls(run: Run, reader: Reader) -> list[Observation]:
    """Find the answers to the control question, which observations leave out because it is not about number.

    Refusals stand for every judge of that suite and model, and for NO_JUDGE where there is nothing else.
    """
    return [one for one in observe_asides(run, reader) if _is_control(one)]


def score_controls(observations: Iterable[Observation]) -> dict[tuple[str, str, str], Estimate]:
    """Give the share of right answers by suite, model and judge; a refusal is wrong."""
    answers: dict[tuple[str, str, str], list[bool]] = defaultdict(list)
    for one in observations:
        if _is_control(one) and not one.is_excluded and one.status != "discarded":
            is_right = one.status == "eligible" and bool(_RIGHT.search(str(one.value)))
            answers[one.item.suite, one.model, one.judge].append(is_right)
    return {key: wilson_interval(sum(found), len(found)) for key, found in answers.items()}


def _is_control(one: Observation) -> bool:
    return isinstance(one.ask.question, Name) and one.item.factors.get("wording") == WORDING
