"""The authors' prompts as items, each with the one question that people were asked, and their ratings as a frame."""

from subitize.frames import make_frame
from subitize.papers.gimbrr.directory import Prompt
from subitize.papers.gimbrr.ratings import ROWS, Ratings, describe_ratings
from subitize.papers.gimbrr.release import Release
from subitize.records import Ask, Draw, Item, MatchesPrompt, Scalar

SUITE = "gimbrr"
MATCHES = Ask(MatchesPrompt(), "Does the image match the prompt?", (True,))
# What the label of a prompt is, by task.
LABELS = {
    "counting": "number",
    "controlled-counting": "number",
    "arithmetic": "numbers",
    "controlled-arithmetic": "numbers",
    "controlled-two-counting": "numbers",
    "actions": "verb",
    "spatial": "relation",
    "unusual": "verb",
    "conditional": "absent",
    "negation": "absent",
    "compositional": "attribute",
    "text": "text",
}


def make_item(prompt: Prompt) -> Item:
    """Make an item of a prompt; its factors are what the directory says of it."""
    told: dict[str, Scalar | None] = {
        "task": prompt.task.key,
        "target_position": prompt.target_position,
        "adjective": prompt.has_adjective,
        "features": prompt.features,
        "common": prompt.is_common,
        "objects": prompt.objects,
        "classes": ", ".join(prompt.classes) or None,
        "linked": ",".join(map(str, prompt.linked)) or None,
    }
    name = LABELS.get(prompt.task.key)
    if name and prompt.label:
        told[name] = int(prompt.label) if name == "number" else prompt.label
    factors = {name: value for name, value in told.items() if value is not None}
    return Item(f"{SUITE}/{prompt.id}", Draw(prompt.text), (MATCHES,), factors)


def take_released(release: Release) -> Ratings:
    """Take every rating of a release, without a run."""
    rows = ((one.model, f"{SUITE}/{one.id}", one.repeat, float(one.says_yes)) for one in release.ratings)
    return describe_ratings(make_frame(rows, ROWS), map(make_item, release.prompts.values()))
