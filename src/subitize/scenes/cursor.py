"""A position among the terms of a prompt, and how a reader backs out of it."""

from typing import NoReturn

from subitize.scenes.terms import END, PuzzledError, Term, describe
from subitize.scenes.words import Kind


class Cursor:
    """Where a reader stands; past the last term there is nothing but ends."""

    def __init__(self, terms: list[Term]) -> None:
        self._terms = [*terms, END]
        self.at = 0

    def peek(self, ahead: int = 0) -> Term:
        """The term that is next, or so many after it; -1 gives the one that was taken last."""
        place = self.at + ahead
        return self._terms[place] if 0 <= place < len(self._terms) else END

    def kinds(self, number: int) -> list[Kind]:
        """The kinds of the terms that are next."""
        return [self.peek(ahead).kind for ahead in range(number)]

    def take(self, number: int = 1) -> Term:
        """Go past the next terms, and give the last of them."""
        self.at += number
        return self.peek(-1)

    def take_all(self, *kinds: Kind) -> None:
        """Go past all next terms of these kinds."""
        while self.peek().kind in kinds:
            self.at += 1

    def puzzle(self, reason: str = "") -> NoReturn:
        """Give up, naming where; the words around tell more than the one word that is in the way."""
        here = describe(self.peek(ahead) for ahead in (-1, 0, 1))
        if self.peek().kind == "unknown":
            reason = f"the word {self.peek().text!r}" if self.peek().text.isalpha() else f"{self.peek().text!r}"
            raise PuzzledError(f"{reason} in {here}")
        raise PuzzledError(f"{reason}: {here}" if reason else here)
