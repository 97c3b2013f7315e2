"""A model server in trouble: it gives scripted answers, limits its rate, fails, hangs and sends garbage."""

import json
import random
import threading
import time
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.clients.stub import Reply, json_reply

USAGE = {"prompt_tokens": 120, "completion_tokens": 80}
KEPT_WITHIN = 1  # seconds within which an answer is stored


@dataclass(frozen=True)
class Trouble:
    """Shares of calls that fail with 5xx, hang, are not JSON, or are cut off; and at most `rate` calls a second."""

    rate: float = float("inf")
    failed: float = 0.0
    hangs: float = 0.0
    malformed: float = 0.0
    cut: float = 0.0

    def draw(self, chance: random.Random) -> str:
        names = ("failed", "hangs", "malformed", "cut")
        shares = [self.failed, self.hangs, self.malformed, self.cut]
        return chance.choices([*names, "good"], [*shares, 1 - sum(shares)])[0]


@dataclass
class Paid:
    """A paid call: the question, and the times of its arrival and its answer."""

    body: str
    began: float
    ended: float

    def is_cut_off(self, kills: list[float]) -> bool:
        """Whether a worker died before it could store the answer."""
        return any(self.began <= moment <= self.ended + KEPT_WITHIN for moment in kills)


@dataclass
class ModelServer:
    """`answer` returns the text for a request. Refused and failed calls cost nothing, as with real servers."""

    answer: Callable[[dict[str, Any]], str]
    trouble: Trouble
    chance: random.Random
    hang: float = 30.0  # seconds
    latency: tuple[float, float] = (0.1, 0.3)
    paid: list[Paid] = field(default_factory=list)
    outcomes: Counter[str] = field(default_factory=Counter)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _recent: deque[float] = field(default_factory=deque)

    def __call__(self, request: dict[str, Any]) -> Reply:
        began = time.monotonic()
        with self._lock:
            outcome = self.trouble.draw(self.chance) if self._has_room(began) else "refused"
            latency = self.chance.uniform(*self.latency)
            self.outcomes[outcome] += 1
        if outcome == "refused":
            return json_reply({"error": {"message": "slow down"}}, 429)
        time.sleep(self.hang if outcome == "hangs" else latency)
        if outcome in ("failed", "hangs"):
            return json_reply({"error": {"message": "in trouble"}}, 503)
        if outcome == "malformed":
            return Reply(b'{"choices": [', headers={"Content-Type": "application/json"})
        self.paid.append(Paid(json.dumps(request, sort_keys=True), began, time.monotonic()))
        return self._chat(self.answer(request), "length" if outcome == "cut" else "stop")

    def _has_room(self, now: float) -> bool:
        """Whether the last second had fewer calls than the rate."""
        while self._recent and self._recent[0] <= now - 1:
            self._recent.popleft()
        if len(self._recent) >= self.trouble.rate:
            return False
        self._recent.append(now)
        return True

    @staticmethod
    def _chat(text: str, finish: str) -> Reply:
        choice = {"message": {"role": "assistant", "content": text}, "finish_reason": finish}
        return json_reply({"model": "stub", "choices": [choice], "usage": USAGE})

    def rate_between(self, first: int, last: int) -> float:
        """Answers per second between two of them."""
        ended = sorted(call.ended for call in self.paid)
        return (last - first) / (ended[last] - ended[first])
