"""Shows progress: a line that is redrawn on a terminal, or plain lines in a log."""

import time
from collections.abc import Callable
from typing import TextIO

from .lines import grouped

BAR = 24  # characters
REFRESH = 0.1  # seconds between two updates on a terminal
LOG_EVERY = 15.0  # seconds between two lines in a log


class Progress:
    """Shows `update`s about one piece of work on a stream."""

    def __init__(
        self, label: str, stream: TextIO, *, unit: str = "", clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.label, self.stream, self.unit, self.clock = label, stream, unit, clock
        self.is_terminal = stream.isatty()
        self.first: tuple[float, int] | None = None
        self.shown_at = float("-inf")
        self.shown = ("", -1)  # state and amount

    def update(self, done: int, total: int, state: str = "") -> None:
        """Show `done` of `total` in the unit; `state` is a word for the current phase."""
        now = self.clock()
        self.first = self.first or (now, done)
        due = REFRESH if self.is_terminal else LOG_EVERY
        is_news = state != self.shown[0] or (done == total and done != self.shown[1])
        if not is_news and now - self.shown_at < due:
            return
        self.shown, self.shown_at = (state, done), now
        line = " ".join(part for part in (self.label, state, *self._figures(now, done, total)) if part)
        self.stream.write(f"\r{line}\x1b[K" if self.is_terminal else f"{line}\n")
        self.stream.flush()

    def close(self) -> None:
        """End the line on a terminal."""
        if self.is_terminal and self.first:
            self.stream.write("\n")
            self.stream.flush()

    def _figures(self, now: float, done: int, total: int) -> list[str]:
        if not total:
            return [f"{grouped(done)}{self.unit}"] if done else []
        share = min(done / total, 1.0)
        bar = "█" * int(share * BAR)
        shown = [f"[{bar:<{BAR}}]"] if self.is_terminal else []
        return [
            *shown,
            f"{grouped(done)} of {grouped(total)}{self.unit}",
            f"{share:.0%}",
            self._time_left(now, done, total),
        ]

    def _time_left(self, now: float, done: int, total: int) -> str:
        began, at_first = self.first or (now, done)
        if done >= total or done <= at_first or now <= began:
            return ""
        return f"{duration((total - done) * (now - began) / (done - at_first))} left"


def duration(seconds: float) -> str:
    """A duration in words.

    >>> duration(7.2), duration(200), duration(7300)
    ('7 s', '3 min', '2 h 2 min')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
