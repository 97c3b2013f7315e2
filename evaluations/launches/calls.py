"""Calls to model servers from one worker process: a thread pool makes them, at the pace of each connection."""

import logging
import queue as queues
import time
from collections import deque
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import islice

from django.conf import settings
from django.db.models import QuerySet

from evaluations.clients import ServiceError
from evaluations.clients.chat_client import Answer as ChatAnswer
from evaluations.clients.chat_client import ChatClient
from evaluations.clients.pace import Pace, Sent
from evaluations.engine import queue
from evaluations.evaluators import connections
from evaluations.evaluators.pacing import SharedLimit
from evaluations.models import Budget, Chunk, Connection, Job, Spending

from .asked import Asked, Name, Outcome, Question

log = logging.getLogger(__name__)
URGENT = 8  # slots that only urgent calls may take
OF_EACH = 8  # slots that the calls to other servers leave to each server, however long they take
SPARE = 6 * OF_EACH  # slots for these, beyond the maximum
LOOK_EVERY = 0.05  # seconds between two checks for ended calls
ALONE = 1.0  # seconds for which the first call of a launch goes alone, unless it ends before


@dataclass(eq=False)
class LeasedChunk:
    """A leased chunk: its remaining questions and the number of calls in progress.

    `waiting` is in the order of the launch. `limit` is the budget that the next call would exceed; it
    `waits_for_others` if only calls of other workers could release money. If it `gives_way`, it has left questions for
    a later turn, and `attempts` has how often they were asked, by position. It `has_failures` if answers failed
    recently.
    """

    chunk: Chunk
    asked: Asked
    waiting: deque[Question]
    under_way: int = 0
    limit: Budget | None = None
    waits_for_others: bool = False
    gives_way: bool = False
    has_failures: bool = False
    attempts: dict[str, int] = field(default_factory=dict)

    @property
    def connection(self) -> Connection:
        return self.asked.connection

    def ready(self, maximum: int, now: float) -> list[Question]:
        """Take the first questions that may be asked now."""
        ready = list(islice((waiting for waiting in self.waiting if waiting.not_before <= now), maximum))
        for question in ready:
            self.waiting.remove(question)
        return ready

    def waits(self, now: float) -> bool:
        """Whether a question may be asked now; those that just failed pause first."""
        return any(waiting.not_before <= now for waiting in self.waiting)

    def leave_questions(self) -> None:
        """Leave all questions for another worker."""
        self.gives_way |= bool(self.waiting)
        self._note_attempts()
        self.waiting.clear()

    def _note_attempts(self) -> None:
        for question in self.waiting:
            if question.attempts:
                self.attempts[str(question.position)] = question.attempts

    def pause(self) -> None:
        """Give back the chunk for another turn, unless its launch was stopped; its attempts are kept with it."""
        self._note_attempts()
        queue.pause(self.chunk, usage={"attempts": self.attempts})
        queue.release(self.chunk)

    def resting_with(self, pace: Pace, now: float) -> QuerySet[Job]:
        """The jobs that must rest as long as this chunk: those that wait for the same money, or the same server."""
        if self.limit:
            return self.asked.jobs
        jobs = Job.objects.filter(kind=self.chunk.job.kind, state=Job.State.OPEN)
        return (
            jobs.filter(lane=self.chunk.job.lane)
            if pace.resume_at > now
            else jobs.filter(pk=self.chunk.job_id)
        )


@dataclass(eq=False)
class Line:
    """The use of one connection by this worker: its pace and its calls in flight.

    `alone_until` has the time until which the first call of each name goes alone: a server that refuses it for a
    reason that holds for all (no quota left, moderation) is not asked as often as it has slots.
    """

    client: ChatClient
    pace: Pace
    under_way: int = 0
    alone_until: dict[Name, float] = field(default_factory=dict)

    def room(self, asked: Asked, now: float) -> int:
        """How many more calls its server lets begin for what is asked. Somebody waits for what is urgent."""
        room = self.pace.room(self.under_way, now)
        if asked.is_urgent:
            return room
        if asked.name not in self.alone_until:
            return min(1, room)
        return room if now >= self.alone_until[asked.name] else 0


@dataclass(frozen=True)
class Begun:
    """A call in progress."""

    leased: LeasedChunk
    question: Question
    spending: Spending
    sent: Sent


Arrival = tuple[LeasedChunk, Outcome]


class Calls:
    """At most `maximum` calls at once, `URGENT` urgent ones, and `SPARE` ones to servers that others would keep out.

    Pool threads never use the database; the worker collects their results.
    """

    def __init__(self, maximum: int):
        self.maximum = maximum
        self._lines: dict[int, Line] = {}
        self._ended: queues.SimpleQueue[tuple[Begun, Future[ChatAnswer]]] = queues.SimpleQueue()
        self._pool = ThreadPoolExecutor(maximum + URGENT + SPARE, thread_name_prefix="answer")

    @property
    def under_way(self) -> int:
        return sum(line.under_way for line in self._lines.values())

    def line(self, server: Connection) -> Line:
        """The line of a connection; raises ServiceError if its key cannot be read."""
        if server.pk not in self._lines:
            client = connections.chat_client(server, self.maximum + URGENT)
            self._lines[server.pk] = Line(
                client, Pace(server.in_flight, self.maximum, SharedLimit(server.pk))
            )
        return self._lines[server.pk]

    def room(self, asked: Asked, now: float) -> int:
        """How many more calls may begin now for what is asked."""
        line = self.line(asked.connection)
        urgent = URGENT if asked.is_urgent else 0
        slots = self.maximum + urgent - self.under_way
        if self.under_way > line.under_way:
            own = min(OF_EACH, self.maximum) - line.under_way
            slots = max(slots, min(own, self.maximum + urgent + SPARE - self.under_way))
        return max(0, min(line.room(asked, now), slots))

    def begin(self, leased: LeasedChunk, question: Question, spending: Spending) -> None:
        line = self.line(leased.connection)
        question.attempts += 1
        leased.under_way += 1
        line.under_way += 1
        now = time.monotonic()
        line.alone_until.setdefault(leased.asked.name, now + ALONE)
        begun = Begun(leased, question, spending, line.pace.sent(now))
        stream = leased.asked.stream(question)
        call = self._pool.submit(line.client.answer, question.body, leased.asked.seconds, stream)
        call.add_done_callback(lambda ended: self._ended.put((begun, ended)))

    def arrived(self) -> list[Arrival]:
        """The ended calls, after a short wait for the first."""
        return [self._take(*ended) for ended in self._wait()]

    def _wait(self) -> Iterable[tuple[Begun, Future[ChatAnswer]]]:
        try:
            yield self._ended.get(timeout=LOOK_EVERY)
        except queues.Empty:
            return
        while not self._ended.empty():
            yield self._ended.get()

    def _take(self, begun: Begun, call: Future[ChatAnswer]) -> Arrival:
        outcome = Outcome(begun.question, begun.spending, result_of(call))
        begun.leased.under_way -= 1
        self._learn(begun, outcome.result)
        return begun.leased, outcome

    def _learn(self, begun: Begun, result: ChatAnswer | ServiceError) -> None:
        line, now = self.line(begun.leased.connection), time.monotonic()
        line.under_way -= 1
        line.alone_until[begun.leased.asked.name] = now
        if isinstance(result, ChatAnswer):
            tokens = result.tokens.input + result.tokens.output if result.tokens else 0
            line.pace.answered(now, result.left, tokens)
        else:
            line.pace.erred(now, result, begun.sent, settings.EVALSITE_LEASE)

    def close(self) -> None:
        """Stop waiting for calls."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        for line in self._lines.values():
            line.client.close()


def result_of(call: Future[ChatAnswer]) -> ChatAnswer | ServiceError:
    """The result of a call. An unexpected exception fails only this answer, because the other calls are paid too."""
    fault = call.exception()
    if fault is None:
        return call.result()
    if isinstance(fault, ServiceError):
        return fault
    log.error("A call failed for an unknown reason.", exc_info=fault)
    return ServiceError("The call failed here; see the log.", permanent=True, code="internal_error")
