"""Claims, deaths, pauses, late writes, sweeps, cancels and retries in any order: the invariants hold.

Three workers, two sweepers and users, in one process: a step is a commit of one of them. A result whose lease has
expired is falsified before it is written late, so that it would be noticed if it were stored. Actual scores do not
matter here, so nothing is computed: ten thousand plays take minutes instead of hours. A few belong to the normal tests;
`make interleavings` plays ten thousand, which share no beginnings.
"""

import logging
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from datetime import timedelta
from unittest import mock

import hypothesis
import numpy as np
import pytest
from django.db import connection, transaction
from django.db.models import F, Q
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from evaluations.engine import queue
from evaluations.errors import Conflict
from evaluations.experiments import runs
from evaluations.kinds.scores import Scores
from evaluations.models import Block, Chunk, Job, Run, Scoring
from evaluations.scoring import jobs, scoring, spans
from evaluations.values import Status
from tests import factories

log = logging.getLogger(__name__)
pytestmark = pytest.mark.django_db
SIZE = 5
EXPECTED = [1.0, 0.0, 1.0, 0.0, 0.5]
WORKERS = st.integers(0, 2)
WRONG = 99.0


class Engine(RuleBasedStateMachine):
    """A run of five examples in chunks of two; `queued` is its id from the fixture."""

    played = 0  # completed plays

    def __init__(self):
        super().__init__()
        self.undone = ExitStack()
        self.undone.enter_context(transaction.atomic())
        self.run = Run.objects.get(pk=self.queued)
        self.hands: list[scoring.Claimed | None] = [None] * 3
        self.late: list[scoring.Claimed] = []
        self.at_cancel: list[tuple] | None = None

    def teardown(self):
        try:
            if sys.exc_info()[0] is None:  # a failed step is reported by itself
                self.everything_ends()
                type(self).played += 1
        finally:
            transaction.set_rollback(True)
            self.undone.close()

    # ---- workers

    @rule(worker=WORKERS)
    def claim(self, worker):
        if self.hands[worker]:
            self.late.append(self.hands[worker])
        claimed_before = {chunk.pk for chunk in Chunk.objects.exclude(state=Chunk.State.READY)}
        self.hands[worker] = claimed = scoring.claim()
        assert claimed is None or claimed.chunk.pk not in claimed_before, "claimed twice"

    @rule(worker=WORKERS, finishes=st.booleans())
    def write(self, worker, finishes):
        """A worker stores its scores, and may die before it closes the job."""
        claimed, self.hands[worker] = self.hands[worker], None
        if claimed:
            self.store(claimed, finishes)
            self.late.append(claimed)

    @precondition(lambda self: self.late)
    @rule(index=st.integers(0, 20))
    def write_late(self, index):
        """A suspended worker wakes up, or a message is delivered twice."""
        self.store(self.late[index % len(self.late)], finishes=True)

    def store(self, claimed, finishes):
        claimed_lease = {"pk": claimed.chunk.pk, "token": claimed.chunk.token, "state": Chunk.State.LEASED}
        is_held = Chunk.objects.filter(**claimed_lease).exists()
        results = scoring.score(claimed) if is_held else scores_of(claimed, [WRONG] * SIZE)
        is_stored = scoring.close(claimed, results)
        if is_stored and finishes:
            scoring.finish(claimed.chunk.job)

    @rule(worker=WORKERS, turn_is_over=st.booleans())
    def hear_from_a_server(self, worker, turn_is_over):
        """The worker extends its lease or gives it back, if it still holds one."""
        claimed = self.hands[worker]
        if claimed:
            scoring.extend(claimed)
        if claimed and turn_is_over:
            scoring.pause(claimed)
            self.hands[worker] = None
            self.late.append(claimed)

    @rule(index=st.integers(0, 5))
    def expire(self, index):
        """A lease expires."""
        leased = list(Chunk.objects.filter(state=Chunk.State.LEASED))
        if leased:
            chunk = Chunk.objects.filter(pk=leased[index % len(leased)].pk)
            chunk.update(lease_until=F("lease_until") - timedelta(hours=1))

    # ---- sweepers

    @rule()
    def sweep(self):
        scoring.sweep()

    @rule()
    def sweep_while_another_sweeps(self):
        """The second sweeper works completely between the first one's read and first write."""
        split = queue.split

        def after_second_sweep(*arguments):
            with mock.patch.object(queue, "split", split):
                scoring.sweep()
            split(*arguments)

        with mock.patch.object(queue, "split", after_second_sweep):
            scoring.sweep()

    @rule(index=st.integers(0, 5), meanwhile=st.sampled_from(["cancel", "score_again", "sweep", "retry"]))
    def finish_while(self, index, meanwhile):
        """The run changes between the computation of a summary and its storing."""
        jobs = list(Job.objects.filter(run=self.run))

        def interrupt(name):
            if name == "before_finalize":
                with mock.patch.object(scoring, "reached"):
                    getattr(self, meanwhile)()

        with mock.patch.object(scoring, "reached", interrupt):
            if jobs:
                scoring.finish(jobs[index % len(jobs)])

    # ---- users

    @precondition(lambda self: self.at_cancel is None)
    @rule(action=st.sampled_from(["cancel", "score_again", "score_again", "retry", "retry", "nothing"]))
    def perhaps(self, action):
        """A user does something now and then."""
        if action != "nothing":
            getattr(self, action)()

    def cancel(self):
        try:
            runs.cancel(self.run)
        except Conflict:
            return
        self.at_cancel = stored_blocks()

    def score_again(self):
        self.unless_cancelled(jobs.score_again)

    def retry(self):
        versions = [scored.evaluator_version for scored in self.run.scorings.all()]
        self.unless_cancelled(lambda run: jobs.retry_errors(run, versions))

    def unless_cancelled(self, do):
        if self.at_cancel is None:
            do(self.run)

    # ---- invariants

    @invariant()
    def promises_hold(self):
        blocks = stored_blocks()
        scorings = Scoring.objects.values_list("pk", "summary", "run__status")
        for pk, summary, status in scorings:
            scores = scores_in(blocks, pk)
            self.nothing_changes_a_score(scores)
            if status == Run.Status.COMPLETED:
                assert list(scores) == list(range(SIZE)), "incomplete"
                assert summary == {"n": SIZE}, "a summary of something else"
        assert len({status for *_, status in scorings}) == 1
        if self.at_cancel is not None:
            assert status == Run.Status.CANCELLED
            assert blocks == self.at_cancel

    def nothing_changes_a_score(self, scores):
        assert all(value in (EXPECTED[slot], None) for slot, value in scores.items()), "a score changed"

    def everything_ends(self):
        """After a few expired leases, every unfinished run ends."""
        for _ in range(40):
            Chunk.objects.filter(state=Chunk.State.LEASED).update(
                lease_until=F("lease_until") - timedelta(hours=1)
            )
            scoring.sweep()
            scoring.work(seconds=0.2)
            if not Job.objects.filter(state=Job.State.OPEN).exists():
                break
        status = Run.objects.get(pk=self.run.pk).status
        assert status == (Run.Status.COMPLETED if self.at_cancel is None else Run.Status.CANCELLED), "stuck"
        self.promises_hold()
        assert not Chunk.objects.exists()


def scores_of(claimed: scoring.Claimed, values: Sequence[float]) -> dict[int, Scores]:
    """A worker's result: these values, for the examples of the chunk."""
    first, last = claimed.chunk.first, claimed.chunk.last
    part = Scores.scored(values[first - 1 : last])
    slots = Scores.empty(last - first + 1)
    slots.put(range(len(part)), part)
    return dict.fromkeys(claimed.task.recipes, slots)


def scores_in(blocks: Sequence[tuple], pk: int) -> dict[int, float | None]:
    """The scores by slot; None for an example without a score."""
    scores = {}
    for scored, first, values, status in blocks:
        if scored == pk:
            for slot, (value, word) in enumerate(zip(np.frombuffer(values), status, strict=True), first - 1):
                if word != Status.ABSENT:
                    scores[slot] = float(value) if word == Status.SCORED else None
    return scores


def summary_of(scored: Scoring) -> dict[str, int]:
    return {"n": len(scores_in(stored_blocks(), scored.pk))}


def stored_blocks() -> list[tuple]:
    """All rows of blocks; in plain SQL, because Django's query would be slow after every step."""
    with connection.cursor() as cursor:
        cursor.execute(
            f'SELECT scoring_id, "first", "values", status FROM {Block._meta.db_table} ORDER BY scoring_id, "first"'
        )
        rows = cursor.fetchall()
    return [(pk, first, bytes(values), bytes(status)) for pk, first, values, status in rows]


@pytest.fixture
def machine(project, monkeypatch) -> type[Engine]:
    """The engine with a queued run in it."""
    monkeypatch.setattr(spans, "CHUNK", 2)
    monkeypatch.setattr(scoring, "score", lambda claimed: scores_of(claimed, EXPECTED))
    monkeypatch.setattr(scoring.summaries, "compute", summary_of)
    monkeypatch.setattr(scoring.summaries, "usage", lambda scored: None)
    monkeypatch.setattr(queue.leases, "due", lambda name, every: False)
    experiment = factories.experiment(project, "exact_match", references=["x"] * SIZE)
    return type("Engine", (Engine,), {"queued": factories.run(experiment, ["x"] * SIZE).pk})


def play(machine: type[Engine], interleavings: int, **options) -> None:
    settings = hypothesis.settings(
        max_examples=interleavings,
        stateful_step_count=12,
        suppress_health_check=list(hypothesis.HealthCheck),
        report_multiple_bugs=False,
        phases=[hypothesis.Phase.generate],  # a short list of steps that broke it is readable
        database=None,
        **options,
    )
    began = time.monotonic()
    run_state_machine_as_test(machine, settings=settings)
    assert machine.played >= interleavings
    log.info("%s orders of steps in %.0f s", machine.played, time.monotonic() - began)


@pytest.mark.long
def test_any_order_of_some_steps_keeps_every_promise(machine):
    play(machine, interleavings=60)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_ten_thousand_orders_of_steps_keep_every_promise(machine, seed):
    play(hypothesis.seed(seed)(machine), interleavings=1_000, derandomize=False)


# ---- negative controls: without one of the three guards, the same invariants must break


def a_zombie_wakes(engine: Engine) -> None:
    """The first worker's lease expires, the second scores the chunk, then the first writes its result."""
    for worker in (0, 0):
        engine.claim(worker)
        engine.expire(0)
        engine.sweep()
    engine.claim(1)
    engine.write(1, finishes=False)
    for index in range(len(engine.late)):
        engine.write_late(index)


def everybody_claims(engine: Engine) -> None:
    """Four claims for three chunks, as by duplicated messages."""
    for worker in (0, 1, 2, 0):
        engine.claim(worker)


def a_worker_dies(engine: Engine) -> None:
    engine.claim(0)


STORIES = {
    a_zombie_wakes: ("leased_row", lambda chunk: Chunk.objects.filter(pk=chunk.pk), "a score changed"),
    everybody_claims: ("ready", Q, "claimed twice"),
    a_worker_dies: ("free_expired", lambda *arguments: None, "stuck"),
}


def tell(story, engine: Engine) -> None:
    try:
        story(engine)
        engine.promises_hold()
    finally:
        engine.teardown()


@pytest.mark.parametrize("story", STORIES)
def test_with_its_guard_each_story_ends_well(machine, story):
    tell(story, machine())


@pytest.mark.long
@pytest.mark.parametrize("story", STORIES)
def test_without_its_guard_each_story_is_noticed(machine, monkeypatch, story):
    guard, unguarded, complaint = STORIES[story]
    monkeypatch.setattr(queue, guard, unguarded)

    with pytest.raises(AssertionError, match=complaint):
        tell(story, machine())
