"""Polls until a piece of work has ended."""

import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from .errors import TimedOut

GOING = {
    "dataset": {"importing"},
    "import": {"importing"},
    "run": {"draft", "generating", "queued", "running"},  # a run is a draft while its file is imported
    "launch": {"estimating", "running"},
    "judging": {"running"},
}
GOOD = {
    "dataset": {"ready"},
    "import": {"ready"},
    "run": {"completed"},
    "launch": {"completed", "decided", "estimating"},
    "judging": {"completed"},
}
PILOT = 20  # examples that a launch asks each run before the others, with `trial`
FIRST_PAUSE, LONGEST_PAUSE = 0.2, 5.0  # seconds

OnState = Callable[[Mapping[str, Any]], object]


def pauses() -> Iterator[float]:
    """Seconds between two polls: short at first, for small work."""
    pause = FIRST_PAUSE
    while True:
        yield pause
        pause = min(pause * 1.3, LONGEST_PAUSE)


def until_ended(
    read: Callable[[], Mapping[str, Any]],
    kind: str,
    *,
    timeout: float | None,
    on_state: OnState,
    sleep: Callable[[float], object] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> Mapping[str, Any]:
    """Poll `read` until the work has ended, and return the result; raises `TimedOut` after `timeout` seconds."""
    began = clock()
    for pause in pauses():
        job = read()
        on_state(job)
        if not is_going(kind, job):
            return job
        if timeout is not None and clock() - began + pause > timeout:
            raise TimedOut(f"The {kind} {job['id']} is still {job['status']} after {timeout:.0f} s.")
        sleep(pause)
    raise AssertionError("pauses never end")


def is_going(kind: str, job: Mapping[str, Any]) -> bool:
    """Whether the work is in progress. A pilot with all its answers is not: it waits for a person."""
    return job["status"] in GOING[kind] and not _is_pilot_done(job)


def _is_pilot_done(job: Mapping[str, Any]) -> bool:
    if job["status"] != "estimating":
        return False
    progress = job["progress"]
    return bool(progress["done"] >= min(PILOT * len(job["runs"]), progress["total"]))


def has_succeeded(kind: str, job: Mapping[str, Any]) -> bool:
    return job["status"] in GOOD[kind]
