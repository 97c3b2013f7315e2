"""Learns from the answers of a connection how fast it may be called."""

from collections import deque

SECOND = 1.0
EASING = 0.02  # increase of the rate in the first second without a refusal, as a share
LONG = 5.0  # seconds of Retry-After from which the whole connection pauses
LAST, CHANCE = 50, 0.1  # recent calls, and the share of them that may fail by chance


def limit_of(connection: int) -> str:
    """The name of the pulse that records a connection's last refusal."""
    return f"limit {connection}"


class Pace:
    """The number of calls in flight doubles with each window of good answers until a server objects, then grows by one;
    it halves when a server is in trouble (a few errors among many answers do not count).

    After a server asks for fewer calls (429), the rate of calls is the rate of its last answers; it grows each second,
    faster the longer the server accepts it. So calls stay near the server's limit (halving the number in flight would
    leave a quarter of it unused), and soon return to it after a short overload.
    """

    def __init__(self, in_flight: float, maximum: int):
        self.in_flight, self.maximum = min(in_flight, maximum), maximum
        self.resume_at = 0.0
        self._rate: float | None = None  # calls per second; None until a server asks for fewer
        self._next = 0.0  # the time of the next call at that rate
        self._is_new = True  # true until the server first objects
        self._good: deque[float] = deque()  # arrival times of answers in the last seconds
        self._last: deque[bool] = deque(maxlen=LAST)  # whether each of the last calls was answered
        self._eased_at = 0.0
        self.refused_at = 0.0

    def room(self, in_flight: int, now: float) -> int:
        """How many more calls may be made now."""
        if now < self.resume_at:
            return 0
        room = max(0, int(self.in_flight) - in_flight)
        if self._rate is None:
            return room
        delay = min(now - self._next, 0.2)  # Catch up on at most a fifth of a second.
        return min(room, int(delay * self._rate) + 1) if delay >= 0 else 0

    def spend(self, calls: int, now: float) -> None:
        if self._rate is not None:
            self._next = max(self._next, now - 0.2) + calls / self._rate

    def answered(self, now: float) -> None:
        self.in_flight = min(self.maximum, self.in_flight + (1.0 if self._is_new else 1 / self.in_flight))
        self._good.append(now)
        self._last.append(True)
        while self._good[0] < now - 2 * SECOND:
            self._good.popleft()
        if self._rate is not None and now - self._eased_at > SECOND:
            calm = now - self.refused_at
            self._rate, self._eased_at = self._rate * min(2.0, 1 + EASING * calm**2), now

    def refused(self, now: float, retry_after: float) -> None:
        """Slow down: the server asked for fewer calls."""
        self._is_new, self.refused_at = False, now
        if retry_after >= LONG:
            self.resume_at = max(self.resume_at, now + retry_after)
        if self._rate is None:
            span = max(SECOND, now - self._good[0]) if self._good else SECOND
            self._rate, self._eased_at = max(1.0, len(self._good) / span), now
        elif now - self._eased_at > SECOND / 2:
            self._rate, self._eased_at = max(1.0, self._rate * 0.95), now

    def failed(self, now: float) -> None:
        """Note a call that ended in a server error or without an answer."""
        self._last.append(False)
        if self._last.count(False) <= CHANCE * len(self._last):
            return
        self._is_new = False
        if now - self._eased_at > SECOND:
            self.in_flight, self._eased_at = max(1.0, self.in_flight / 2), now
