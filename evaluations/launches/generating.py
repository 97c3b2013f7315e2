"""Generates the answers of launches in workers: many calls at once, and each answer stored when it arrives.

One thread claims, reserves money and stores; `calls` makes the calls beside it, through the guarded client. A worker
continues with the next chunk while it waits for the last answers of the previous one, so that slow answers leave no
slot unused. If a worker dies, only its calls in progress are paid again.
"""

import logging
import time
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import reduce
from operator import or_

from django.conf import settings
from django.db import transaction
from django.db.models import Q

from evaluations import leases
from evaluations.clients import ServiceError
from evaluations.clients.pace import Pace
from evaluations.commit_points import reached
from evaluations.engine import queue, shutdown
from evaluations.evaluators.pacing import limit_of
from evaluations.models import Chunk, Connection, Job, Launch, Run
from evaluations.prompts import ledger

from . import answers, launches, stopping
from .answers import Outcome
from .calls import Arrival, Calls, LeasedChunk
from .ending import check_failures, end_chunk, stop_if_hopeless
from .following import Follower
from .questions import Question, Source
from .storing import store

log = logging.getLogger(__name__)
KEEP_EVERY = 1.0  # seconds between two extensions of leases
CLAIM_EVERY = 0.25  # seconds between two attempts to claim while questions wait
FOLLOW_EVERY, LONGEST_PAUSE = 1.0, 3.0  # seconds between two looks at the scores: target and maximum
BUDGET_PAUSE = 0.25  # seconds of rest after a call did not fit into a budget
MONEY_PAUSE = 5.0  # seconds for which a launch rests that waits for money which others reserved
SHORTEST_REST = 1.0  # seconds; for less, a chunk is not given back
MOST_HELD = 8  # chunks with waiting questions, each of another launch or connection


@dataclass(eq=False)
class Worker:
    """The chunks and calls of one worker process."""

    calls: Calls = field(default_factory=lambda: Calls(settings.EVALSITE_IN_FLIGHT))
    leased: list[LeasedChunk] = field(default_factory=list)
    sources: dict[int, Source] = field(default_factory=dict)
    claimed_at: float = 0.0
    kept_at: float = field(default_factory=time.monotonic)
    followers: dict[int, Follower] = field(default_factory=dict)
    followed_at: float = field(default_factory=time.monotonic)
    # by launch, the time until which it waits for money
    short_until: dict[int, float] = field(default_factory=dict)
    is_blocked: bool = False  # nothing could be claimed, although chunks may wait

    def work(self) -> None:
        """Work until nothing waits, or what waits can only rest."""
        try:
            while self._claim_more() or self.leased:
                shutdown.raise_if_interrupted()
                self._ask()
                self._store(self.calls.arrived())
                self._follow()
                self._keep_leases()
                self._end_chunks()
                self._rest()
        except BaseException as problem:
            for leased in self.leased:
                queue.leased_row(leased.chunk).update(**leases.given_back(problem))
            raise
        finally:
            self.calls.close()

    # ---- claiming --------------------------------------------------------------------------------------------

    def _claim_more(self) -> bool:
        """Lease another chunk if no questions remain, or one of a launch or connection without questions here."""
        if not self._may_claim() or shutdown.has_begun():
            return False
        self.claimed_at = time.monotonic()
        chunk = queue.claim_chunk(Job.GENERATE, self._held())
        if chunk is None:
            self.is_blocked = not self.leased
            return False
        with queue.given_back_on_error(chunk):
            self._hold(chunk)
        return True

    def _may_claim(self) -> bool:
        now = time.monotonic()
        if sum(1 for leased in self.leased if leased.waiting) >= MOST_HELD:
            return False
        if any(leased.waits(now) for leased in self.leased):
            return now > self.claimed_at + CLAIM_EVERY
        return self.calls.under_way < self.calls.maximum

    def _held(self) -> Q | None:
        """The jobs of launches and connections with questions that wait here."""
        now = time.monotonic()
        held = [
            Q(lane=leased.chunk.job.lane, run__generation__launch=leased.source.launch)
            for leased in self.leased
            if leased.waits(now)
        ]
        return reduce(or_, held) if held else None

    def _hold(self, chunk: Chunk) -> None:
        source = self._source(chunk.job)
        try:
            self.calls.line(source.connection)
        except ServiceError as error:  # The key of the connection cannot be read.
            problem = {"code": error.code, "message": error.message}
            launches.stop(source.launch, Launch.Status.FAILED, problem)
            queue.release(chunk)
            return
        questions, refused = source.questions(chunk)
        answers.refuse(source, refused)
        self.leased.append(LeasedChunk(chunk, source, deque(answers.recall(source, questions))))

    def _source(self, job: Job) -> Source:
        if job.pk not in self.sources:
            _mark_started(job)
            self.sources[job.pk] = Source.from_job(job)
        return self.sources[job.pk]

    # ---- asking ----------------------------------------------------------------------------------------------

    def _ask(self) -> None:
        """Begin calls. Slots go to the launch with the fewest calls under way, so that a slow one cannot hold all."""
        if shutdown.has_begun():
            for leased in self.leased:
                leased.leave_questions()
            return
        under_way = Counter[int]()
        for leased in self.leased:
            under_way[leased.source.launch.pk] += leased.under_way
        for leased in sorted(self.leased, key=lambda leased: under_way[leased.source.launch.pk]):
            now = time.monotonic()
            questions = leased.ready(self._room(leased, now), now)
            if questions:
                self._begin_calls(leased, questions)

    def _room(self, leased: LeasedChunk, now: float) -> int:
        """How many calls of a chunk may begin now; 0 while its launch waits for money, so that no call overtakes."""
        is_short = now < self.short_until.get(leased.source.launch.pk, 0.0)
        return 0 if is_short else self.calls.room(leased.connection, now)

    def _begin_calls(self, leased: LeasedChunk, questions: Sequence[Question]) -> int:
        """Reserve the worst case of calls and make them, as many as the budgets allow; none if the chunk was lost."""
        calls = [leased.source.call(question) for question in questions]
        with transaction.atomic():
            if not queue.extend(leased.chunk, attempt=1):
                leased.waiting.clear()
                return 0
            try:
                spendings, leased.limit = ledger.reserve_many(calls, leased.source.budget, leased.chunk.token)
            except ledger.NotLimitable as refusal:
                return self._stop(leased, refusal)
        reached("reserved")
        for question, spending in zip(questions, spendings, strict=False):
            self.calls.begin(leased, question, spending)
        if leased.limit:
            leased.waiting.extendleft(reversed(questions[len(spendings) :]))
            self.short_until[leased.source.launch.pk] = time.monotonic() + BUDGET_PAUSE
        leased.waits_for_others = bool(leased.limit) and not self._is_asking(leased.source.launch)
        return len(spendings)

    def _stop(self, leased: LeasedChunk, refusal: ledger.NotLimitable) -> int:
        """End a launch whose calls cannot be limited any more; its calls in progress end as usual."""
        leased.waiting.clear()
        error = {"code": refusal.code, "message": refusal.message}
        launches.stop(leased.source.launch, Launch.Status.FAILED, error)
        return 0

    def _is_asking(self, launch: Launch) -> bool:
        return any(leased.under_way for leased in self.leased if leased.source.launch == launch)

    # ---- storing ---------------------------------------------------------------------------------------------

    def _store(self, arrivals: Sequence[Arrival]) -> None:
        by_chunk: dict[LeasedChunk, list[Outcome]] = {}
        for leased, outcome in arrivals:
            by_chunk.setdefault(leased, []).append(outcome)
        for leased, outcomes in by_chunk.items():
            store(leased, outcomes)
            stop_if_hopeless(leased.source, outcomes)

    def _follow(self) -> None:
        """Score settled answers for about a tenth of the time; the first look is slow, because it computes bounds."""
        began = time.monotonic()
        if began < self.followed_at:
            return
        for launch in {leased.source.launch.pk: leased.source.launch for leased in self.leased}.values():
            stopping.follow(self._follower(launch))
        for leased in self.leased:
            if leased.has_failures:
                leased.has_failures = False
                check_failures(leased.source)
        self.followed_at = time.monotonic() + max(
            FOLLOW_EVERY, min(LONGEST_PAUSE, 9 * (time.monotonic() - began))
        )

    def _follower(self, launch: Launch) -> Follower:
        return self.followers.setdefault(launch.pk, Follower(launch))

    def _keep_leases(self) -> None:
        """Extend the leases of chunks; a chunk that was cancelled or taken over makes no further calls."""
        if time.monotonic() < self.kept_at + KEEP_EVERY:
            return
        since, self.kept_at = self.kept_at, time.monotonic()
        for server in {leased.connection.pk: leased.connection for leased in self.leased}.values():
            note_limit(server, self.calls.line(server).pace, since)
        for leased in self.leased:
            if not queue.extend(leased.chunk, attempt=1):
                leased.waiting.clear()
                queue.await_calls(leased.chunk)

    # ---- ending ----------------------------------------------------------------------------------------------

    def _end_chunks(self) -> None:
        for leased in [leased for leased in self.leased if not leased.under_way]:
            if not leased.waiting:
                leased.pause() if leased.gives_way else end_chunk(leased.chunk, leased.source)
                self._remember_pace(leased.connection)
            elif leased.limit and ledger.is_used_up(leased.limit, leased.source.call(leased.waiting[0])):
                launches.stop(leased.source.launch, Launch.Status.LIMIT)
                queue.release(leased.chunk)
            else:
                continue
            self.leased.remove(leased)
            self._leave(leased.source.launch)

    # ---- resting ---------------------------------------------------------------------------------------------

    def _rest(self) -> None:
        """Give back the chunks that would only wait here: for money that others reserved, or a server that asked for
        a pause. Nobody claims them before their time, and no process waits with them.
        """
        now = time.monotonic()
        for leased, seconds in self._resting(now):
            self.leased.remove(leased)
            leased.pause()
            self._remember_pace(leased.connection)
            queue.rest(
                leased.resting_with(self.calls.line(leased.connection).pace, now),
                seconds,
                leased.source.run.pk,
            )
            self._leave(leased.source.launch)

    def _resting(self, now: float) -> list[tuple[LeasedChunk, float]]:
        """The chunks to give back, and for how many seconds."""
        short = [(leased, MONEY_PAUSE) for leased in self.leased if leased.waits_for_others]
        if short or not self.leased or self.calls.under_way:
            return short
        pauses = [(leased, self._pause(leased, now)) for leased in self.leased]
        if min(seconds for _, seconds in pauses) < SHORTEST_REST or self._claim_more():
            return []
        return pauses

    def _pause(self, leased: LeasedChunk, now: float) -> float:
        """Seconds until a call of this chunk may begin."""
        first = min((question.not_before for question in leased.waiting), default=now)
        short_until = self.short_until.get(leased.source.launch.pk, now)
        return max(first, short_until, self.calls.line(leased.connection).pace.resume_at) - now

    def _leave(self, launch: Launch) -> None:
        """Score the settled answers when the last chunk of a launch ends here, because the launch may have stopped."""
        if all(leased.source.launch != launch for leased in self.leased):
            stopping.catch_up(self._follower(launch))

    def _remember_pace(self, server: Connection) -> None:
        in_flight = self.calls.line(server).pace.in_flight
        Connection.objects.filter(pk=server.pk).update(in_flight=in_flight)


def work() -> bool:
    """Generate answers until no launch waits, or those that do can only rest; True if more may wait."""
    if shutdown.has_begun() or not queue.claimable_jobs(Job.GENERATE).exists():
        return False  # Most messages arrive when all is done, and cost only this query.
    worker = Worker()
    worker.work()
    return not worker.is_blocked and queue.claimable_jobs(Job.GENERATE).exists()


def note_limit(server: Connection, pace: Pace, since: float) -> None:
    """Record for the page of a launch that a server asked for fewer calls since `since`, or for a pause."""
    if pace.refused_at >= since:
        pause = max(0.0, pace.resume_at - time.monotonic())
        leases.set_pulse(limit_of(server.pk), leases.now() + timedelta(seconds=pause))


def _mark_started(job: Job) -> None:
    at = leases.now()
    Run.objects.filter(pk=job.run_id, started_at=None).update(started_at=at)
    Job.objects.filter(pk=job.pk, started_at=None).update(started_at=at)
