"""Asks for all answers of launches and trials in workers: many calls at once, each answer stored when it arrives.

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
from evaluations.models import Budget, Chunk, Connection, Job
from evaluations.prompts import ledger

from .asked import Asked, Name, Outcome, Question, kinds, of_job
from .calls import Arrival, Calls, LeasedChunk
from .storing import store

log = logging.getLogger(__name__)
KEEP_EVERY = 1.0  # seconds between two extensions of leases
CLAIM_EVERY = 0.25  # seconds between two attempts to claim while questions wait
PARTIAL_EVERY = 0.5  # seconds between two records of the beginnings of answers
FOLLOW_EVERY, LONGEST_PAUSE = 1.0, 3.0  # seconds between two looks at the scores: target and maximum
BUDGET_PAUSE = 0.25  # seconds of rest after a call did not fit into a budget
MONEY_PAUSE = 5.0  # seconds for which a launch rests that waits for money which others reserved
SHORTEST_REST = 1.0  # seconds; for less, a chunk is not given back
MOST_OF_LANE = 8  # chunks with waiting questions, each of another launch
MOST_HELD = 3 * MOST_OF_LANE


@dataclass(eq=False)
class Worker:
    """The chunks and calls of one worker process."""

    calls: Calls = field(default_factory=lambda: Calls(settings.EVALSITE_IN_FLIGHT))
    leased: list[LeasedChunk] = field(default_factory=list)
    asked: dict[int, Asked] = field(default_factory=dict)  # by job
    claimed_at: float = 0.0
    kept_at: float = field(default_factory=time.monotonic)
    leaders: dict[Name, Asked] = field(default_factory=dict)  # of each name, the one that follows its answers
    followed_at: float = field(default_factory=time.monotonic)
    # by name, the time until which it waits for money
    short_until: dict[Name, float] = field(default_factory=dict)
    partial_at: float = 0.0
    is_blocked: bool = False  # nothing could be claimed, although chunks may wait

    def work(self) -> None:
        """Work until nothing waits, or what waits can only rest."""
        try:
            while self._claim_more() or self.leased:
                shutdown.raise_if_interrupted()
                self._ask()
                self._store(self.calls.arrived())
                self._keep_partial()
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
        names = [] if shutdown.has_begun() else self._claimable()
        if not names:
            return False
        self.claimed_at = time.monotonic()
        chunk = next(filter(None, (queue.claim_chunk(name, self._held()) for name in names)), None)
        if chunk is None:
            self.is_blocked = not self.leased
            return False
        with queue.given_back_on_error(chunk):
            self._hold(chunk)
        return True

    def _claimable(self) -> list[str]:
        """The kinds that may be claimed now: urgent ones now and then, whatever else waits here."""
        now = time.monotonic()
        waits = any(leased.waits(now) for leased in self.leased)
        if (waits or self._is_full) and now <= self.claimed_at + CLAIM_EVERY:
            return []
        holds_most = sum(1 for leased in self.leased if leased.waiting) >= MOST_HELD
        return [kind.name for kind in kinds if kind.is_urgent or not holds_most]

    @property
    def _is_full(self) -> bool:
        """Whether only servers without calls of their own have room."""
        return self.calls.under_way >= self.calls.maximum

    def _held(self) -> Q | None:
        """The jobs of launches and trials with questions that wait here, and of servers that more would not help."""
        now = time.monotonic()
        waiting = [leased for leased in self.leased if leased.waits(now)]
        held = [Q(lane=leased.chunk.job.lane, pk__in=leased.asked.jobs) for leased in waiting]
        in_lane = Counter(leased.chunk.job.lane for leased in self.leased if leased.waiting)
        lanes = {lane for lane, number in in_lane.items() if number >= MOST_OF_LANE}
        if self._is_full and not waiting:
            lanes |= {leased.chunk.job.lane for leased in self.leased}
        held += [Q(lane=lane) for lane in lanes]
        return reduce(or_, held) if held else None

    def _hold(self, chunk: Chunk) -> None:
        asked = self._asked(chunk.job)
        try:
            self.calls.line(asked.connection)
        except ServiceError as error:  # The connection was deleted, or its key cannot be read.
            asked.fail(error.code, error.message)
            asked.end(chunk)
            return
        self.leased.append(LeasedChunk(chunk, asked, deque(asked.take(chunk))))

    def _asked(self, job: Job) -> Asked:
        if job.pk not in self.asked:
            self.asked[job.pk] = of_job(job)
            self.leaders.setdefault(self.asked[job.pk].name, self.asked[job.pk])
        return self.asked[job.pk]

    # ---- asking ----------------------------------------------------------------------------------------------

    def _ask(self) -> None:
        """Begin calls. Slots go to what is urgent, then to the launch with the fewest calls under way, so that a slow
        one cannot hold all.
        """
        if shutdown.has_begun():
            for leased in self.leased:
                leased.leave_questions()
            return
        under_way = Counter[Name]()
        for leased in self.leased:
            under_way[leased.asked.name] += leased.under_way
        for leased in sorted(
            self.leased, key=lambda leased: (not leased.asked.is_urgent, under_way[leased.asked.name])
        ):
            now = time.monotonic()
            questions = leased.ready(self._room(leased, now), now)
            if questions:
                self._begin_calls(leased, questions)

    def _room(self, leased: LeasedChunk, now: float) -> int:
        """How many calls of a chunk may begin now; 0 while its launch waits for money, so that no call overtakes."""
        is_short = now < self.short_until.get(leased.asked.name, 0.0)
        return 0 if is_short else self.calls.room(leased.asked, now)

    def _begin_calls(self, leased: LeasedChunk, questions: Sequence[Question]) -> int:
        """Reserve the worst case of calls and make them, as many as the budgets allow; none if the chunk was lost."""
        asked = leased.asked
        with transaction.atomic():
            if not queue.extend(leased.chunk, attempt=1):
                leased.waiting.clear()
                return 0
            questions = asked.unasked(questions)
            if not questions:
                return 0
            calls = [asked.call(question) for question in questions]
            try:
                spendings, leased.limit = ledger.reserve_many(calls, asked.budget, leased.chunk.token)
            except ledger.NotLimitable as refusal:
                leased.waiting.clear()
                asked.fail(refusal.code, refusal.message)
                return 0
            asked.begin(questions, spendings)
        reached("reserved")
        for question, spending in zip(questions, spendings, strict=False):
            self.calls.begin(leased, question, spending)
        if leased.limit:
            leased.waiting.extendleft(reversed(questions[len(spendings) :]))
            self.short_until[asked.name] = time.monotonic() + BUDGET_PAUSE
        leased.waits_for_others = bool(leased.limit) and not self._is_asking(asked.name)
        return len(spendings)

    def _is_asking(self, name: Name) -> bool:
        return any(leased.under_way for leased in self.leased if leased.asked.name == name)

    # ---- storing ---------------------------------------------------------------------------------------------

    def _store(self, arrivals: Sequence[Arrival]) -> None:
        by_chunk: dict[LeasedChunk, list[Outcome]] = {}
        for leased, outcome in arrivals:
            by_chunk.setdefault(leased, []).append(outcome)
        for leased, outcomes in by_chunk.items():
            store(leased, outcomes)
            leased.asked.look(outcomes)
            leased.asked.listen(outcomes)

    def _keep_partial(self) -> None:
        """Store the beginnings of answers that somebody watches."""
        if time.monotonic() > self.partial_at + PARTIAL_EVERY:
            self.partial_at = time.monotonic()
            for asked in {leased.asked for leased in self.leased}:
                asked.keep_partial()

    def _follow(self) -> None:
        """Score settled answers for about a tenth of the time; the first look is slow, because it computes bounds."""
        began = time.monotonic()
        if began < self.followed_at:
            return
        for name in {leased.asked.name: None for leased in self.leased}:
            self.leaders[name].follow()
        for leased in self.leased:
            if leased.has_failures:
                leased.has_failures = False
                leased.asked.check_failures()
        self.followed_at = time.monotonic() + max(
            FOLLOW_EVERY, min(LONGEST_PAUSE, 9 * (time.monotonic() - began))
        )

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
                leased.pause() if leased.gives_way else leased.asked.end(leased.chunk)
                self._remember_pace(leased.connection)
                self._wake(leased)
            elif leased.limit and self._is_at_limit(leased, leased.limit):
                leased.asked.reach_limit(leased.limit)
                leased.asked.end(leased.chunk)
            else:
                continue
            self.leased.remove(leased)
            self._leave(leased.asked)

    def _wake(self, leased: LeasedChunk) -> None:
        """Let the next chunk be claimed, although another worker found no money while calls of this one held it."""
        if self.calls.line(leased.connection).pace.resume_at <= time.monotonic():
            queue.wake(leased.asked.jobs)

    def _is_at_limit(self, leased: LeasedChunk, limit: Budget) -> bool:
        call = leased.asked.call(leased.waiting[0])
        return ledger.is_used_up(limit, call) and not leased.asked.frees(limit)

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
                leased.chunk.job_id,
            )
            self._leave(leased.asked)

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
        short_until = self.short_until.get(leased.asked.name, now)
        return max(first, short_until, self.calls.line(leased.connection).pace.resume_at) - now

    def _leave(self, asked: Asked) -> None:
        """Score the settled answers when the last chunk of a launch ends here, because the launch may have stopped."""
        if all(leased.asked.name != asked.name for leased in self.leased):
            self.leaders[asked.name].leave()

    def _remember_pace(self, server: Connection) -> None:
        in_flight = self.calls.line(server).pace.in_flight
        Connection.objects.filter(pk=server.pk).update(in_flight=in_flight)


def work() -> bool:
    """Generate answers until no launch waits, or those that do can only rest; True if more may wait."""
    if shutdown.has_begun() or not _waits():
        return False  # Most messages arrive when all is done, and cost only these queries.
    worker = Worker()
    worker.work()
    return not worker.is_blocked and _waits()


def _waits() -> bool:
    return any(queue.claimable_jobs(kind.name).exists() for kind in kinds)


def note_limit(server: Connection, pace: Pace, since: float) -> None:
    """Record for the page of a launch that a server asked for fewer calls since `since`, or for a pause."""
    if pace.refused_at >= since:
        pause = max(0.0, pace.resume_at - time.monotonic())
        leases.set_pulse(limit_of(server.pk), leases.now() + timedelta(seconds=pause))
