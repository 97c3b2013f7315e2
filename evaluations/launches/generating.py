"""What workers do with the chunks of launches: ask, many calls at once, and store each answer as it arrives.

One thread claims, reserves money and stores; a pool of threads makes the calls, through the guarded client that
everything else uses. A worker goes on to the next chunk while the last answers of the one before are awaited, so that
a few slow ones leave no place empty. Who dies leaves the calls that were under way, and nothing else, to be paid again.
"""

import logging
import queue as queues
import random
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial

from django.conf import settings
from django.db import InterfaceError, OperationalError, connection, transaction

from evaluations import leases
from evaluations.clients import ServiceError
from evaluations.clients.chat_client import Answer as ChatAnswer
from evaluations.clients.chat_client import ChatClient
from evaluations.commit_points import reached
from evaluations.engine import chores, queue
from evaluations.evaluators import connections
from evaluations.experiments import runs
from evaluations.models import Budget, Chunk, Connection, Import, Job, Launch, Output, Run, Spending
from evaluations.prompts import ledger

from . import answers, launches
from .answers import Outcome
from .pace import Pace
from .questions import Question, Source, today

log = logging.getLogger(__name__)
CALL_SECONDS = 120.0
ATTEMPTS = 6
LONGEST_PAUSE = 30.0
LOOK_EVERY = 0.05  # seconds
KEEP_EVERY = 1.0  # seconds
REST = 0.25  # seconds, after a call did not fit into a budget
TURN = 20.0  # seconds, after which others that wait get the worker
OUTAGE = 600.0  # seconds for which arrived answers wait for the database
MOST_HELD = 8  # chunks, of connections that cannot be asked at this moment
FEWEST_FAILURES = 5  # before a share of them says anything


@dataclass(eq=False)
class Held:
    """A leased chunk: what is still to be asked, and how many calls are under way.

    `limit` is the budget into which its next call did not fit; it is tried again when others may have spent less.
    """

    chunk: Chunk
    source: Source
    waiting: deque[Question]
    under_way: int = 0
    limit: Budget | None = None
    rests_until: float = 0.0

    def ready(self, now: float) -> Question | None:
        """The next question that may be asked at this moment."""
        if now < self.rests_until:
            return None
        for _ in range(len(self.waiting)):
            if self.waiting[0].not_before <= now:
                return self.waiting.popleft()
            self.waiting.rotate(-1)
        return None


@dataclass(eq=False)
class Line:
    """One connection as this worker uses it."""

    client: ChatClient
    pace: Pace
    under_way: int = 0


@dataclass(eq=False)
class Worker:
    """Chunks, calls and arrivals of one worker process."""

    until: float
    most: int = field(default_factory=lambda: settings.EVALSITE_IN_FLIGHT)
    held: list[Held] = field(default_factory=list)
    lines: dict[int, Line] = field(default_factory=dict)
    sources: dict[int, Source] = field(default_factory=dict)
    has_asked: bool = False  # when it last looked
    kept_at: float = field(default_factory=time.monotonic)
    arrivals: queues.SimpleQueue[tuple[Held, Outcome]] = field(default_factory=queues.SimpleQueue)

    def __post_init__(self) -> None:
        self.pool = ThreadPoolExecutor(self.most, thread_name_prefix="answer")

    @property
    def under_way(self) -> int:
        return sum(held.under_way for held in self.held)

    def work(self) -> None:
        """Until nothing waits, or others do and the turn is over."""
        try:
            while self._claim_more() or self.held:
                self._ask()
                self._store(self._arrived())
                self._keep_leases()
                self._end_chunks()
        except BaseException as problem:
            for held in self.held:
                queue.held(held.chunk).update(**leases.given_back(problem))
            raise
        finally:
            self.pool.shutdown(wait=False, cancel_futures=True)
            for line in self.lines.values():
                line.client.close()

    # ---- claiming --------------------------------------------------------------------------------------------

    def _claim_more(self) -> bool:
        """Lease another chunk where places are free and nothing is there to fill them."""
        waits = any(held.waiting for held in self.held)
        if waits and (self.has_asked or len(self.held) >= MOST_HELD):
            return False
        if self.under_way >= self.most or self._turn_is_over():
            return False
        chunk = queue.claim_chunk(queue.GENERATE)
        if chunk is None:
            return False
        self._hold(chunk)
        return True

    def _turn_is_over(self) -> bool:
        return time.monotonic() > self.until and _others_wait()

    def _hold(self, chunk: Chunk) -> None:
        if chunk.job_id not in self.sources:
            _mark_started(chunk.job)
            self.sources[chunk.job_id] = Source.from_job(chunk.job)
        source = self.sources[chunk.job_id]
        with queue.given_back_on_error(chunk):
            try:
                self._line(source.generation.connection)
            except ServiceError as error:  # Its key cannot be read.
                launches.stop(
                    source.launch, Launch.Status.FAILED, {"code": error.code, "message": error.message}
                )
                return
            questions, refused = source.questions(chunk)
            answers.refuse(source, refused)
        self.held.append(Held(chunk, source, deque(questions)))

    def _line(self, server: Connection) -> Line:
        if server.pk not in self.lines:
            client = connections.chat_client(server, self.most)
            self.lines[server.pk] = Line(client, Pace(server.in_flight, self.most))
        return self.lines[server.pk]

    # ---- asking ----------------------------------------------------------------------------------------------

    def _ask(self) -> None:
        self.has_asked = False
        for held in self.held:
            line, now = self._line(held.source.generation.connection), time.monotonic()
            room = min(line.pace.room(line.under_way, now), self.most - self.under_way)
            calls = 0
            while calls < room and (question := held.ready(now)):
                if not self._begin_call(held, line, question):
                    break
                calls += 1
            line.pace.spend(calls, now)
            self.has_asked |= calls > 0

    def _begin_call(self, held: Held, line: Line, question: Question) -> bool:
        """Reserve what the call may cost and make it; False where it does not fit into a budget."""
        try:
            spending = ledger.reserve(held.source.call(question, today()), held.source.budget)
        except ledger.LimitReached as refusal:
            held.waiting.appendleft(question)
            held.limit, held.rests_until = refusal.budget, time.monotonic() + REST
            return False
        reached("reserved")
        held.limit = None
        question.attempts += 1
        held.under_way += 1
        line.under_way += 1
        self.pool.submit(self._call, held, line.client, question, spending)
        return True

    def _call(self, held: Held, client: ChatClient, question: Question, spending: Spending) -> None:
        """In a thread of the pool, without the database."""
        try:
            result: ChatAnswer | ServiceError = client.answer(question.body, CALL_SECONDS)
        except ServiceError as error:
            result = error
        except Exception:
            log.exception("a call failed in a way that is not known")
            result = ServiceError("The call failed here; see the log.", permanent=True, code="internal_error")
        self.arrivals.put((held, Outcome(question, spending, result)))

    # ---- storing ---------------------------------------------------------------------------------------------

    def _arrived(self) -> list[tuple[Held, Outcome]]:
        """The answers that are here, after a moment for the first of them."""
        try:
            arrived = [self.arrivals.get(timeout=LOOK_EVERY)]
        except queues.Empty:
            return []
        while not self.arrivals.empty():
            arrived.append(self.arrivals.get())
        return arrived

    def _store(self, arrived: Sequence[tuple[Held, Outcome]]) -> None:
        for held, outcome in arrived:
            held.under_way -= 1
            self._learn(held, outcome)
        by_chunk: dict[Held, list[Outcome]] = {held: [] for held in self.held}
        for held, outcome in arrived:
            by_chunk[held].append(outcome)
        for held, outcomes in by_chunk.items():
            if outcomes:
                self._store_of(held, outcomes)

    def _learn(self, held: Held, outcome: Outcome) -> None:
        line, now = self._line(held.source.generation.connection), time.monotonic()
        line.under_way -= 1
        error = outcome.error
        if error is None:
            line.pace.answered(now)
        elif error.code == "rate_limited":
            line.pace.refused(now, min(error.retry_after or 0.0, settings.EVALSITE_LEASE))
        elif not error.permanent:
            line.pace.troubled(now)

    def _store_of(self, held: Held, outcomes: Sequence[Outcome]) -> None:
        """Store what has ended, and ask the others again later. Arrived answers outlast an outage of the database."""
        ended = [outcome for outcome in outcomes if not _again(outcome)]
        again = [outcome for outcome in outcomes if _again(outcome)]
        _patiently(lambda: answers.store(held.source, ended, again))
        now = time.monotonic()
        for outcome in again:
            outcome.question.not_before = now + _pause(outcome)
            held.waiting.append(outcome.question)
        reached("answers_stored")

    def _keep_leases(self) -> None:
        """Hold the chunks longer; what was cancelled, or taken over, asks nothing more."""
        if time.monotonic() < self.kept_at + KEEP_EVERY:
            return
        self.kept_at = time.monotonic()
        for held in self.held:
            if not queue.extend(held.chunk, attempt=1):
                held.waiting.clear()

    # ---- ending ----------------------------------------------------------------------------------------------

    def _end_chunks(self) -> None:
        for held in [held for held in self.held if not held.under_way]:
            if held.limit and not ledger.is_awaited(held.limit):
                launches.stop(held.source.launch, Launch.Status.LIMIT)
                self.held.remove(held)
            elif not held.waiting:
                self.held.remove(held)
                _end(held)
                line = self._line(held.source.generation.connection)
                Connection.objects.filter(pk=held.source.generation.connection_id).update(
                    in_flight=line.pace.in_flight
                )


def work(seconds: float = TURN) -> bool:
    """Generate the answers of all launches that wait, or a turn of them; True when there may be more."""
    Worker(time.monotonic() + seconds).work()
    return queue.claimable_jobs(queue.GENERATE).exists()


def _others_wait() -> bool:
    """Scoring, files, or a sweep that is overdue."""
    if queue.claimable_jobs(queue.SCORE).exists() or Import.objects.filter(queue.ready()).exists():
        return True
    return not leases.seen("sweep", 2 * queue.SWEEP_EVERY)


def _patiently(store: Callable[[], None]) -> None:
    """Store although the database is away for some minutes: what arrived was paid."""
    until = time.monotonic() + OUTAGE
    while True:
        try:
            store()
            return
        except (OperationalError, InterfaceError):
            if time.monotonic() > until:
                raise
            log.warning("The database does not answer; arrived answers wait for it.")
            connection.close()
            time.sleep(1)


def _again(outcome: Outcome) -> bool:
    error = outcome.error
    return error is not None and not error.permanent and outcome.question.attempts < ATTEMPTS


def _pause(outcome: Outcome) -> float:
    """Seconds until a call is made again: what the server asks for, else longer each time, with jitter."""
    if outcome.error and outcome.error.retry_after is not None:
        return min(outcome.error.retry_after, settings.EVALSITE_LEASE) * (1 + random.random() / 10)
    return random.uniform(0, min(LONGEST_PAUSE, 0.25 * 2**outcome.question.attempts))


def _mark_started(job: Job) -> None:
    at = leases.now()
    Run.objects.filter(pk=job.run_id, started_at=None).update(started_at=at)
    Job.objects.filter(pk=job.pk, started_at=None).update(started_at=at)


def _end(held: Held) -> None:
    """Close the chunk, unless another worker has it or its launch was stopped."""
    if queue.held(held.chunk).update(state=Chunk.State.DONE):
        reached("chunk_generated")
        _count_outputs(held.source.run)
        _check_failures(held.source)
        finish(held.chunk.job)


def _check_failures(source: Source) -> None:
    """End a launch of which a run has failed too often."""
    failed = Output.objects.filter(run=source.run, error__isnull=False).count()
    if failed >= FEWEST_FAILURES and failed > source.launch.tolerated * source.launch.size:
        [(most, _)] = launches.failures(source.run).most_common(1)
        message = f"{failed:,} of {source.launch.size:,} answers failed, most by “{most}”."
        error = {"code": "too_many_failures", "message": message}
        launches.stop(source.launch, Launch.Status.FAILED, error)


def finish(job: Job) -> None:
    """Close a job whose chunks are all done; its run is scored."""
    if job.chunks.exclude(state=Chunk.State.DONE).exists():
        return
    with transaction.atomic():
        run = Run.objects.select_for_update().get(pk=job.run_id)
        open_job = Job.objects.filter(pk=job.pk, state=Job.State.OPEN)
        if run.status != Run.Status.GENERATING:
            return
        if not open_job.update(state=Job.State.DONE, finished_at=leases.now()):
            return
        job.chunks.all().delete()
        _count_outputs(run)
        runs.score(run)
    reached("generated")


def _count_outputs(run: Run) -> None:
    count = Output.objects.filter(run=run, text__isnull=False).count()
    Run.objects.filter(pk=run.pk).update(output_count=count)


def sweep() -> None:
    """Free the chunks of lost workers, close jobs that were not closed, and give up calls that nobody awaits."""
    queue.free_expired(Chunk.objects.filter(queue.in_lanes_of(queue.GENERATE, "job__")))
    open_jobs: Iterable[Job] = Job.objects.filter(queue.in_lanes_of(queue.GENERATE), state=Job.State.OPEN)
    chores.run_each(partial(finish, job) for job in open_jobs)
    ledger.lose_older(leases.now() - ledger.PATIENCE)
    queue.send_hints(queue.GENERATE)
