"""The sizes of the pictures people clicked on."""

from subitize.analysis.ratings import find_subjects
from subitize.annotation.exchange.answers import Size
from subitize.errors import BadImageError
from subitize.io.images import image_size
from subitize.records import Drawn, Item, Stored
from subitize.store import Run, StoredResponse


class PictureSizes:
    """Tells the size of the picture of a subject; None of several, and of one that is not there."""

    def __init__(self, run: Run) -> None:
        self._images, self._subjects = run.images, find_subjects(run)
        self._known: dict[str, Size | None] = {}

    def __call__(self, subject_id: str) -> Size | None:
        """Measure the picture of a subject, once."""
        if subject_id not in self._known:
            self._known[subject_id] = self._measure(subject_id)
        return self._known[subject_id]

    def find(self, subject_id: str) -> tuple[Item, StoredResponse] | None:
        """Find what a subject is about, and the first of its responses."""
        if subject_id not in self._subjects:
            return None
        item, members = self._subjects[subject_id]
        return item, members[0]

    def _measure(self, subject_id: str) -> Size | None:
        _, members = self._subjects.get(subject_id, (None, ()))
        outcome = members[0].response.outcome if len(members) == 1 else None
        if not (isinstance(outcome, Drawn) and isinstance(outcome.picture, Stored)):
            return None
        try:
            return image_size(self._images.path(outcome.picture))
        except BadImageError:
            return None
