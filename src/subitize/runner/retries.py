"""Retries a model or judge where that may help, and gives up on one that never works."""

import asyncio
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from subitize.errors import MissingPartError, RunError, StorageError
from subitize.interfaces import TransientError
from subitize.runner.workers import Broken, Call, describe

_FIRST_WAIT_SECONDS = 0.5
_LONGEST_WAIT_SECONDS = 60.0
# A server that is busy did nothing, so that asking again is no further try; but not for ever.
_LONGEST_BUSY_SECONDS = 900.0
_TRUSTED_ROUNDS = 3
# So many errors with nothing else between them mean that it does not work, not that it is unlucky.
_HOPELESS_AFTER = 25
_MOST_REASONS = 20

AskedT = TypeVar("AskedT")
GivenT = TypeVar("GivenT")


@dataclass(frozen=True, slots=True)
class Given(Generic[GivenT]):
    """What came back in the end, one by one: after how many tries, and how long the last one took.

    Where nothing did, each is broken by the error of the last try. `unsettled` tries may have been paid for in vain.
    """

    each: Sequence[GivenT | Broken]
    tries: int
    seconds: float = 0.0
    unsettled: int = 0


@dataclass(slots=True)
class Retry(Generic[AskedT, GivenT]):
    """Asks one model or judge; the only place where anything is tried again."""

    who: str
    call: Call[AskedT, GivenT]
    tries: int
    _errors_in_a_row: int = field(default=0, init=False)

    async def ask(self, asked: Sequence[AskedT], lose: Callable[[], bool] = lambda: True) -> Given[GivenT]:
        """Ask, and make a value of what goes wrong; only what ends the whole run is raised.

        `lose` is told of a try that may have been paid for, and says whether there is money for another.
        """
        tries, unsettled, rounds, busy_seconds = 1, 0, 0, 0.0
        while True:
            try:
                given, seconds = await self.call(asked)
            except TransientError as error:
                failure = describe(error)
                unsettled += error.is_unsettled
                if error.is_unsettled and not lose():
                    break
                rounds += 1
                wait_seconds = _wait_seconds(rounds, error)
                if error.is_busy and busy_seconds + wait_seconds <= _LONGEST_BUSY_SECONDS:
                    busy_seconds += wait_seconds
                elif tries < self.tries:
                    tries += 1
                else:
                    break
                await asyncio.sleep(wait_seconds)
            except (RunError, StorageError, MissingPartError):
                raise
            except Exception as error:
                failure = describe(error)
                break
            else:
                for one in given:
                    self._watch(one.reason if isinstance(one, Broken) else None)
                return Given(given, tries, seconds, unsettled)
        self._watch(failure)
        return Given([Broken(failure)] * len(asked), tries, unsettled=unsettled)

    def _watch(self, failure: str | None) -> None:
        """Count errors in a row: one that only fails is not asked for ever."""
        self._errors_in_a_row = 0 if failure is None else self._errors_in_a_row + 1
        if self._errors_in_a_row > _HOPELESS_AFTER:
            raise RunError(
                f"{self.who} failed {self._errors_in_a_row} times in a row, last with: {failure}; "
                "mend this and run the same command again"
            )


def remember(reason: str, reasons: list[str]) -> None:
    """Keep a reason once, and only so many: a summary is for reading, the store has them all."""
    if reason not in reasons and len(reasons) < _MOST_REASONS:
        reasons.append(reason)


def _wait_seconds(rounds: int, error: TransientError) -> float:
    """Wait as long as the server says, else twice as long each time, at random so that slots do not march in step.

    A server that goes on saying "at once" and does not mean it is not asked for ever at once.
    """
    own_rounds = rounds if error.retry_after_seconds is None else rounds - _TRUSTED_ROUNDS
    longest = min(_LONGEST_WAIT_SECONDS, _FIRST_WAIT_SECONDS * 2.0 ** (own_rounds - 1)) if own_rounds > 0 else 0.0
    told = min(_LONGEST_BUSY_SECONDS, max(0.0, error.retry_after_seconds or 0.0))
    return max(told, longest * random.uniform(0.5, 1.0))
