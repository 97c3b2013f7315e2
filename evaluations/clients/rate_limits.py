"""What servers say about their limits, in headers of their answers: how long to wait, and what is left."""

from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import httpx2

from evaluations.linear import Pattern

DURATION = Pattern(
    r"(?:(\d{1,6})d)?(?:(\d{1,6})h)?(?:(\d{1,6})m)?(?:(\d{1,9}(?:\.\d{1,9})?)s)?(?:(\d{1,9}(?:\.\d{1,9})?)ms)?"
)
NUMBER = Pattern(r"\d{1,15}(?:\.\d{1,9})?")
UNITS = (86_400.0, 3_600.0, 60.0, 1.0, 0.001)


@dataclass(frozen=True)
class Allowance:
    """One limit of a server: `left` of `limit` units, all of which are back after `reset` seconds."""

    left: float
    limit: float
    reset: float

    @property
    def per_second(self) -> float | None:
        """The units that come back each second; None if nothing is used."""
        used = self.limit - self.left
        return used / self.reset if used > 0 and self.reset > 0 else None


@dataclass(frozen=True)
class Left:
    """What a server says is left of its limits: of requests, and of tokens. Each None if it does not say."""

    requests: Allowance | None
    tokens: Allowance | None


def retry_after(headers: httpx2.Headers) -> float | None:
    """The seconds to wait before a retry, from `retry-after-ms`, or `Retry-After` with a number or a date."""
    milliseconds = headers.get("retry-after-ms", "").strip()
    if NUMBER.fullmatch(milliseconds):
        return float(milliseconds) / 1_000
    value = headers.get("Retry-After", "").strip()
    if NUMBER.fullmatch(value):
        return float(value)
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return None
    return max(0.0, (moment.replace(tzinfo=moment.tzinfo or UTC) - datetime.now(UTC)).total_seconds())


def left_of(headers: httpx2.Headers) -> Left | None:
    """The allowances that `x-ratelimit-*` headers state; None if there are none."""
    left = Left(_allowance(headers, "requests"), _allowance(headers, "tokens"))
    return left if left.requests or left.tokens else None


def seconds_of(text: str) -> float | None:
    """A duration such as "6m0s", "17ms" or "1.5" (seconds); None if it is none.

    >>> seconds_of("6m0s"), seconds_of("17ms"), seconds_of("2h"), seconds_of("1.5"), seconds_of("soon")
    (360.0, 0.017, 7200.0, 1.5, None)
    """
    text = text.strip()
    if NUMBER.fullmatch(text):
        return float(text)
    found = DURATION.fullmatch(text)
    if not text or not found:
        return None
    return sum(float(part or 0) * unit for part, unit in zip(found.groups(), UNITS, strict=True))


def _allowance(headers: httpx2.Headers, of: str) -> Allowance | None:
    left, limit = (headers.get(f"x-ratelimit-{name}-{of}", "").strip() for name in ("remaining", "limit"))
    reset = seconds_of(headers.get(f"x-ratelimit-reset-{of}", ""))
    if not NUMBER.fullmatch(left) or not NUMBER.fullmatch(limit) or reset is None:
        return None
    return Allowance(float(left), float(limit), reset)
