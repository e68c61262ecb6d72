"""What opens a clause and asks for nothing by itself: "please draw a nice picture of"."""

from subitize.scenes.cursor import Cursor
from subitize.scenes.words import ENDS, Kind

_OPENERS: frozenset[Kind] = frozenset({"ask", "there", "polite", "style", "setting", "adjective"})
_BEFORE_IMAGE: frozenset[Kind] = frozenset({"adjective", "style", "cartoon", "image", "comma"})
_AFTER_CARTOON: frozenset[Kind] = ENDS | {"of", "with", "link", "comma", "colon"}


class Openers:
    """Passes over openers at a cursor, and notices a question: "could you draw"."""

    def __init__(self, cursor: Cursor) -> None:
        self._cursor = cursor
        self.is_question = False
        self._no_image_before = 0

    def skip(self, *, has_items: bool) -> None:
        """Go past all openers here; after some items an afterthought may open a clause, too."""
        has_image, start = False, self._cursor.at
        while True:
            kind = self._cursor.peek().kind
            self.is_question = self.is_question or self._cursor.peek().name == "question"
            if image_end := self._image_end():
                self._cursor.at, has_image = image_end, True
            elif (
                kind in _OPENERS
                or (kind == "after" and has_items)
                or (kind in ("comma", "colon", "dash") and (self._cursor.at > start or kind == "dash"))
                or (kind in ("of", "with", "link") and has_image)
            ):
                self._cursor.take()
            else:
                return

    def _image_end(self) -> int:
        """Where an image phrase that begins here ends ("a nice picture"); 0 if there is none."""
        if self._cursor.at < self._no_image_before:
            return 0
        first = self._cursor.peek()
        is_one = first.kind == "number" and first.number == 1 and not first.is_group
        end, at = 0, self._cursor.at + (first.kind in ("a", "the") or is_one)
        while (kind := self._cursor.peek(at - self._cursor.at).kind) in _BEFORE_IMAGE:
            at += 1
            after = self._cursor.peek(at - self._cursor.at).kind
            if kind == "image" or (kind == "cartoon" and after in _AFTER_CARTOON):
                end = at
        if not end:
            self._no_image_before = at
        return end
