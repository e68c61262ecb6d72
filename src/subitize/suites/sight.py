"""The sight check: pictures of one to four things that every model should be able to count."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from subitize.interfaces import Suite
from subitize.labels import interpret, parse_rule
from subitize.language.nouns import plural
from subitize.records import SIGHT_CHECK, Answer, Ask, Count, Item, Known, Outcome, Said, Stimulus, Words
from subitize.stimuli.recipes import CATEGORIES
from subitize.store import Run
from subitize.store.rows import look_up_responses, read_trials

_CATEGORIES = ("apples", "butterflies", "dots")
_SIZE_PX = 512
NEEDED = 6
"""How many of the twelve answers must be right."""
_RULE = "final"


class SightCheck(Suite):
    """Name the number of up to four things in twelve plain pictures; it enters no figure."""

    title = "Sight check"
    judge = "parser"

    def items(self, seed: int) -> Iterator[Item]:
        """Iterate over the pictures, the same for every seed."""
        for number in range(1, 5):
            for category in _CATEGORIES:
                noun = CATEGORIES[category].noun
                wording = f"How many {plural(noun)} are there in the picture?"
                picture = Stimulus(category, number, number, _SIZE_PX)
                asks = (Ask(Count(noun), wording, (number,), is_relevant=False),)
                yield Item(f"{SIGHT_CHECK}/{category}/{number}", Answer(picture, wording), asks, {})


PICTURES = tuple(SightCheck().items(0))


@dataclass(frozen=True, slots=True)
class SightAnswers:
    """A model's answers to the pictures of one check."""

    said: Mapping[str, Outcome]
    """By item."""

    @property
    def wrong(self) -> list[tuple[Item, Outcome]]:
        """The pictures with wrong answers, and the answers."""
        pairs = ((item, self.said[item.id]) for item in PICTURES if item.id in self.said)
        return [(item, outcome) for item, outcome in pairs if not _is_right(item, outcome)]

    @property
    def right(self) -> int:
        """The number of right answers."""
        return len(self.said) - len(self.wrong)

    @property
    def is_whole(self) -> bool:
        """Whether every picture was answered."""
        return len(self.said) == len(PICTURES)

    @property
    def is_passed(self) -> bool:
        """Whether enough answers are right."""
        return self.is_whole and self.right >= NEEDED

    def __str__(self) -> str:
        return f"{self.right} of {len(self.said)} right"


def read_checks(run: Run, model: str) -> list[SightAnswers]:
    """Read a model's checks from a run, earliest first."""
    items = {item.id for item in PICTURES}
    trials = [row for row in read_trials(run, model) if row.item_id in items and row.kind != "failed"]
    answers = look_up_responses(run, [row.trial_id for row in trials])
    checks: dict[int, dict[str, Outcome]] = {}
    for row in sorted(trials, key=lambda row: row.repeat):
        checks.setdefault(row.repeat, {})[row.item_id] = answers[row.trial_id].outcome
    return [SightAnswers(said) for said in checks.values()]


def describe_sight(run: Run, model: str) -> str:
    """Describe the result of a model's last check."""
    checks = read_checks(run, model)
    return f"sight check: {checks[-1]}" if checks else "not checked"


def _is_right(item: Item, outcome: Outcome) -> bool:
    (ask,) = item.asks
    if not isinstance(outcome, Said):
        return False
    value = interpret(Words(outcome.text), ask.question, parse_rule(_RULE))
    return isinstance(value, Known) and value.value in ask.expects
