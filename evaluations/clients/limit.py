"""What is known of a server's limit of calls, and where the processes that call the server share it."""

import math
from dataclasses import dataclass
from typing import Protocol

# seconds without an objection after which the rate grows, and its growth each second after that: if the server has
# objected at about this rate before, and else
SURE, GUESSED = (60.0, 0.01), (4.0, 0.03)


@dataclass(frozen=True)
class Limit:
    """What is known of a server's limit. Times are those of the wall clock.

    `rate` is in calls per second, None until the server objects; it `is_sure` once the server has objected twice at
    about this rate. No call is made until `resume_at`. `number` counts the changes.
    """

    number: int = 0
    rate: float | None = None
    since: float = 0.0
    is_sure: bool = False
    resume_at: float = 0.0

    def rate_at(self, now: float) -> float | None:
        """The calls per second that may be tried now."""
        if self.rate is None:
            return None
        calm, growth = SURE if self.is_sure else GUESSED
        return self.rate * math.pow(1 + growth, min(600.0, max(0.0, now - self.since - calm)))

    def span(self) -> float:
        """The seconds of one slice: one, or more where a second has few calls."""
        return 1.0 if self.rate is None or self.rate >= 10 else 10.0 if self.rate >= 1 else 100.0


class Board(Protocol):
    """Where the processes that call one server share its limit."""

    def limit(self) -> Limit: ...

    def take(self, number: int, period: int, calls: int) -> int | None:
        """This process's slice of a period's calls; None if the limit has changed."""

    def change(self, limit: Limit) -> bool:
        """Replace the limit with the number before; False if another process has changed it meanwhile."""
