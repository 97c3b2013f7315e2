"""The result of a reference implementation, and helper functions for all of them."""

import json
from dataclasses import dataclass

from evaluations.values import JSON


@dataclass(frozen=True)
class Judgement:
    """Value, verdict and status of a pair."""

    value: float | None
    passed: bool | None = None
    status: str = "scored"

    @classmethod
    def reaching(cls, value: float, threshold: float | None) -> "Judgement":
        """Passed at or above the threshold; no verdict without one."""
        return cls(value, None if threshold is None else value >= threshold)


class NoScore(Exception):
    """The pair has no score; the message says why."""

    def __init__(self, status: str):
        super().__init__(status)
        self.status = status


def text(value: JSON) -> str:
    """A text as it is, any other value as JSON."""
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True, ensure_ascii=False)


def cased(sides: tuple[str, str], case_sensitive: bool) -> list[str]:
    return [side if case_sensitive else side.lower() for side in sides]


def utf16(side: str) -> list[int]:
    """The UTF-16 units of a text, computed from its code points."""
    units: list[int] = []
    for point in map(ord, side):
        if point > 0xFFFF:
            units += [0xD800 + (point - 0x10000) // 0x400, 0xDC00 + (point - 0x10000) % 0x400]
        else:
            units.append(point)
    return units
