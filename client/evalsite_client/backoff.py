"""Waits between attempts of a call."""

import random
import time
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

FIRST, LONGEST = 0.5, 30.0  # seconds


class Backoff:
    """Waits that double, with random jitter, until `patience` seconds have passed since the first failure."""

    def __init__(
        self,
        patience: float,
        *,
        sleep: Callable[[float], object] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.patience, self.sleep, self.clock = patience, sleep, clock
        self.tries = 0
        self.began = 0.0

    def wait(self, retry_after: float | None = None) -> bool:
        """Wait, as long as the server asks if it does; False at once if that exceeds `patience`."""
        if not self.tries:
            self.began = self.clock()
        self.tries += 1
        delay = self._delay() if retry_after is None else retry_after
        if self.clock() - self.began + delay > self.patience:
            return False
        self.sleep(delay)
        return True

    def _delay(self) -> float:
        longest: float = min(LONGEST, FIRST * 2 ** min(self.tries - 1, 10))
        return longest * random.uniform(0.5, 1)


def retry_after(value: str | None) -> float | None:
    """The seconds in a Retry-After header (a number or a date); None for anything else."""
    if value is None:
        return None
    if value.isascii() and value.isdigit():
        return float(value[:9])
    try:
        retry_at = parsedate_to_datetime(value)
    except ValueError:
        return None
    return max(0.0, (retry_at if retry_at.tzinfo else retry_at.replace(tzinfo=UTC)).timestamp() - _now())


def _now() -> float:
    return datetime.now(UTC).timestamp()
