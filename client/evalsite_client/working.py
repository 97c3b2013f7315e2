"""Calls functions of the user's own on many examples at once: plain ones in threads, async ones on one event loop."""

import asyncio
import inspect
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, TypeVar

from .examples import Example, bound, columns_of, values_of
from .outputs import as_output, error_text
from .scorers import Scorer, as_row
from .sending import LONGEST_SCORE_ERROR

Job = TypeVar("Job")


class Calls:
    """Calls functions, async ones on a loop: that of the caller, or one in a thread of its own."""

    def __init__(self, loop: asyncio.AbstractEventLoop | None = None) -> None:
        self.loop = loop
        self.own: asyncio.AbstractEventLoop | None = None
        self.lock = threading.Lock()

    def result(self, call: Callable[[], Any]) -> Any:
        """What the function returns, awaited where it has to be."""
        returned = call()
        if not inspect.isawaitable(returned):
            return returned
        return asyncio.run_coroutine_threadsafe(_awaited(returned), self.loop or self._own_loop()).result()

    def _own_loop(self) -> asyncio.AbstractEventLoop:
        with self.lock:
            if self.own is None:
                self.own = asyncio.new_event_loop()
                threading.Thread(target=self.own.run_forever, name="evalsite-loop", daemon=True).start()
            return self.own

    def close(self) -> None:
        if self.own is not None:
            self.own.call_soon_threadsafe(self.own.stop)


async def _awaited(returned: Any) -> Any:
    return await returned


def answered(calls: Calls, task: Callable[..., Any], example: Example) -> dict[str, Any]:
    """A row of `outputs/`: what the task returned, or its exception as the error, and how long it took."""
    began = time.perf_counter()
    try:
        output = as_output(
            calls.result(bound(task, values_of(example), example, columns=columns_of(example)))
        )
    except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001 - any exception of the user's code is its result
        row: dict[str, Any] = {"position": example.position, "output": None, "error": error_text(error)}
        return row | {"latency_ms": _ms(began)}
    measured = _ms(began) if output.latency_ms is None else output.latency_ms
    row = {"position": example.position, "output": output.value, "latency_ms": measured}
    return row | ({} if output.tokens is None else {"tokens": output.tokens})


def _ms(began: float) -> int:
    return round((time.perf_counter() - began) * 1_000)


def scored(calls: Calls, scorer: Scorer, example: Example, output: Any) -> dict[str, Any] | None:
    """A row of `scores/`, with the scorer's exception as the error; None if there is no score."""
    run = SimpleNamespace(inputs=example.inputs, outputs=output)  # what some tools give to an evaluator
    values = values_of(example) | {"output": output, "outputs": output, "run": run}
    try:
        row = as_row(calls.result(bound(scorer.function, values, output, example)))
    except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001 - any exception of the user's code is its result
        row = {"error": error_text(error)[:LONGEST_SCORE_ERROR]}
    return None if row is None else {"position": example.position} | row


@dataclass
class Crew:
    """Threads that take jobs from an iterator until it ends or `stop` is called."""

    size: int
    jobs: Iterator[Any]
    work: Callable[[Any], None]
    threads: list[threading.Thread] = field(default_factory=list)
    failure: BaseException | None = None

    def __post_init__(self) -> None:
        self.lock = threading.Lock()
        self.is_stopped = False

    def _next(self) -> Any:
        with self.lock:
            return None if self.is_stopped else next(self.jobs, None)

    def _run(self) -> None:
        while (job := self._next()) is not None:
            try:
                self.work(job)
            except BaseException as error:  # noqa: BLE001 - raised again by `finish`, in the thread that evaluates
                self.failure = self.failure or error
                self.stop()

    def stop(self) -> None:
        """Start no further job; those under way go on."""
        self.is_stopped = True

    def finish(self, check: Callable[[], None]) -> None:
        """Do all jobs; `check` is called ten times a second, and what it raises stops the crew."""
        self.threads = [
            threading.Thread(target=self._run, name=f"evalsite-{number}", daemon=True)
            for number in range(self.size)
        ]
        for thread in self.threads:
            thread.start()
        try:
            self._wait(check)
        except BaseException:
            self.stop()
            raise
        if self.failure:
            raise self.failure

    def _wait(self, check: Callable[[], None]) -> None:
        for thread in self.threads:
            while thread.is_alive():
                thread.join(0.1)
                check()

    def let_finish(self) -> None:
        """Wait for the jobs under way, after `stop`."""
        for thread in self.threads:
            while thread.is_alive():
                thread.join(0.1)


def crew_of(size: int, jobs: Iterable[Any], work: Callable[[Any], None]) -> Crew:
    return Crew(size, iter(jobs), work)
