"""The type of the fixture `case`."""

from collections.abc import Callable
from contextlib import AbstractContextManager

Case = Callable[[object], AbstractContextManager[None]]
