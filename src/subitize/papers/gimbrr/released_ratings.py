"""The authors' ratings as a frame, without a run."""

from subitize.frames import make_frame
from subitize.papers.gimbrr.items import NAME, make_item
from subitize.papers.gimbrr.ratings import ROWS, Ratings, describe_ratings
from subitize.papers.gimbrr.release import Release
from subitize.papers.gimbrr.rows import make_prompt


def take_released(release: Release) -> Ratings:
    """Take every rating of a release, without a run."""
    rows = ((one.model, f"{NAME}/{one.id}", one.repeat, float(one.says_yes)) for one in release.ratings)
    return describe_ratings(make_frame(rows, ROWS), map(make_item, map(make_prompt, release.prompts.values())))
