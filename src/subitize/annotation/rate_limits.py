"""Rate limits: a token bucket per address."""

from collections import OrderedDict

_MOST_ADDRESSES = 10_000


class Limiter:
    """Admits so many requests per second from each address, more of them after a pause."""

    def __init__(self, *, per_second: float, burst: float) -> None:
        self._per_second, self._burst = per_second, burst
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def admit(self, address: str, now: float) -> bool:
        """Tell whether a request may come in."""
        left, since = self._left.pop(address, (self._burst, now))
        left = min(self._burst, left + (now - since) * self._per_second)
        self._left[address] = (left - 1 if left >= 1 else left, now)
        if len(self._left) > _MOST_ADDRESSES:
            self._left.popitem(last=False)
        return left >= 1
