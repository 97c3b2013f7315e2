"""Claims, deaths, expiries, late writes, sweeps, cancels and retries in any order: what must always hold, holds.

Three workers, two sweepers and people, in one process: a step is what one of them commits. A result whose lease
is over is made wrong on purpose before it is written late, so that it shows if it is ever stored.
"""

import sys
from contextlib import ExitStack
from datetime import timedelta
from unittest import mock

import hypothesis
import pytest
from django.db import transaction
from django.db.models import F, Q
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from evaluations import columns, runs, scoring, spans
from evaluations.errors import Conflict
from evaluations.kinds.scores import Scores
from evaluations.models import Block, Chunk, Job, Run, Scoring
from evaluations.values import Status
from tests import factories

pytestmark = pytest.mark.django_db
SIZE = 5
WORKERS = st.integers(0, 2)
WRONG = 99.0


class Engine(RuleBasedStateMachine):
    """One run of five examples in chunks of two; `queued` is its id, as the fixture made it."""

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
            if sys.exc_info()[0] is None:  # Else a step has failed, and that is what shall be told.
                self.everything_ends()
        finally:
            transaction.set_rollback(True)
            self.undone.close()

    # ---- workers

    @rule(worker=WORKERS)
    def claim(self, worker):
        if self.hands[worker]:
            self.late.append(self.hands[worker])
        taken = {chunk.pk for chunk in Chunk.objects.exclude(state=Chunk.State.READY)}
        self.hands[worker] = claimed = scoring.claim()
        assert claimed is None or claimed.chunk.pk not in taken, "claimed twice"

    @rule(worker=WORKERS, finishes=st.booleans())
    def write(self, worker, finishes):
        """A worker comes to its end, and may die before it closes the job."""
        claimed, self.hands[worker] = self.hands[worker], None
        if claimed:
            self.store(claimed, finishes)
            self.late.append(claimed)

    @precondition(lambda self: self.late)
    @rule(which=st.integers(0, 20))
    def write_late(self, which):
        """One that was suspended wakes up, or a message that is delivered twice."""
        self.store(self.late[which % len(self.late)], finishes=True)

    def store(self, claimed, finishes):
        ours = {"pk": claimed.chunk.pk, "token": claimed.chunk.token, "state": Chunk.State.LEASED}
        is_held = Chunk.objects.filter(**ours).exists()
        results = scoring.score(claimed) if is_held else wrong(claimed)
        closed = scoring.close(claimed, results)
        if closed and finishes:
            scoring.finish(claimed.chunk.job)

    @rule(which=st.integers(0, 5))
    def expire(self, which):
        """The clock passes the end of a lease."""
        leased = list(Chunk.objects.filter(state=Chunk.State.LEASED))
        if leased:
            chunk = Chunk.objects.filter(pk=leased[which % len(leased)].pk)
            chunk.update(lease_until=F("lease_until") - timedelta(hours=1))

    # ---- sweepers

    @rule()
    def sweep(self):
        scoring.sweep()

    @rule()
    def sweep_while_another_sweeps(self):
        """The second sweeper does all its work between the first one's look and its first write."""
        split = scoring._split

        def after_the_other(*arguments):
            with mock.patch.object(scoring, "_split", split):
                scoring.sweep()
            split(*arguments)

        with mock.patch.object(scoring, "_split", after_the_other):
            scoring.sweep()

    @rule(which=st.integers(0, 5), meanwhile=st.sampled_from(["cancel", "score_again", "sweep", "retry"]))
    def finish_while(self, which, meanwhile):
        """Somebody changes the run between the computation of a summary and its storing."""
        jobs = list(Job.objects.filter(run=self.run))

        def interrupt(name):
            if name == "before_finalize":
                with mock.patch.object(scoring, "reached"):
                    getattr(self, meanwhile)()

        with mock.patch.object(scoring, "reached", interrupt):
            if jobs:
                scoring.finish(jobs[which % len(jobs)])

    # ---- people

    @precondition(lambda self: self.at_cancel is None)
    @rule(sure=st.integers(0, 5))
    def perhaps_cancel(self, sure):
        if sure == 0:
            self.cancel()

    def cancel(self):
        try:
            runs.cancel(self.run)
        except Conflict:
            return
        self.at_cancel = stored_blocks()

    @precondition(lambda self: self.at_cancel is None)
    @rule()
    def score_again(self):
        self.unless_cancelled(scoring.score_again)

    @precondition(lambda self: self.at_cancel is None)
    @rule()
    def retry(self):
        versions = [scored.evaluator_version for scored in self.run.scorings.all()]
        self.unless_cancelled(lambda run: scoring.retry_errors(run, versions))

    def unless_cancelled(self, do):
        if self.at_cancel is None:
            do(self.run)

    # ---- what must always hold

    @invariant()
    def promises_hold(self):
        run = Run.objects.get(pk=self.run.pk)
        for scored in Scoring.objects.filter(run=run):
            slots = columns.load(scored.pk)
            self.nothing_changes_a_score(slots)
            if run.status == Run.Status.COMPLETED:
                self.completed_is_complete_and_single(slots, scored.summary)
        if self.at_cancel is not None:
            assert run.status == Run.Status.CANCELLED
            assert stored_blocks() == self.at_cancel

    def nothing_changes_a_score(self, slots):
        good = (slots.status == Status.SCORED).nonzero()[0].tolist()
        assert slots.values[good].tolist() == [self.expected[slot] for slot in good], "a score changed"

    def completed_is_complete_and_single(self, slots, summary):
        assert (slots.status != Status.ABSENT).nonzero()[0].tolist() == list(range(SIZE))
        assert summary["counts"]["total"] == SIZE
        assert summary["n"] == (slots.status == Status.SCORED).sum()

    def everything_ends(self):
        """Whatever was left half done, a few leases later the run has ended."""
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


def wrong(claimed: scoring.Claimed) -> dict[int, Scores]:
    length = claimed.chunk.last - claimed.chunk.first + 1
    return {pk: Scores.scored([WRONG] * length) for pk in claimed.task.recipes}


def stored_blocks() -> list[tuple]:
    return [
        (b.scoring_id, b.first, bytes(b.values), bytes(b.status))
        for b in Block.objects.order_by("scoring_id", "first")
    ]


@pytest.fixture
def machine(project, monkeypatch) -> type[Engine]:
    """The engine with a queued run in it."""
    monkeypatch.setattr(spans, "CHUNK", 2)
    references = ["Paris", "Rome", "Oslo", "Berne", "Vienna"]
    experiment = factories.experiment(project, "exact_match", references=references)
    queued = factories.run(experiment, ["Paris", "Roma", "Oslo", "Bern", "Wien"]).pk
    return type("Engine", (Engine,), {"queued": queued, "expected": [1.0, 0.0, 1.0, 0.0, 0.0]})


def play(machine: type[Engine], interleavings: int, steps: int) -> None:
    options = hypothesis.settings(
        max_examples=interleavings,
        stateful_step_count=steps,
        suppress_health_check=list(hypothesis.HealthCheck),
        report_multiple_bugs=False,
        phases=[hypothesis.Phase.generate],  # The steps that broke it are few enough to be read.
        database=None,
    )
    run_state_machine_as_test(machine, settings=options)


def test_any_order_of_some_steps_keeps_every_promise(machine):
    play(machine, interleavings=200, steps=12)


@pytest.mark.slow
def test_any_order_of_many_steps_keeps_every_promise(machine):
    play(machine, interleavings=10_000, steps=12)


# ---- negative controls: where one of the three guards is missing, the same promises must be seen to break


def a_zombie_wakes(engine: Engine) -> None:
    """The lease of the first worker ends, the second scores the chunk, then the first writes what it has."""
    for worker in (0, 0):
        engine.claim(worker)
        engine.expire(0)
        engine.sweep()
    engine.claim(1)
    engine.write(1, finishes=False)
    for late in range(len(engine.late)):
        engine.write_late(late)


def everybody_claims(engine: Engine) -> None:
    """Four claims for three chunks, as when messages are delivered twice."""
    for worker in (0, 1, 2, 0):
        engine.claim(worker)


def a_worker_dies(engine: Engine) -> None:
    engine.claim(0)


STORIES = {
    a_zombie_wakes: ("_held", lambda chunk: Chunk.objects.filter(pk=chunk.pk), "a score changed"),
    everybody_claims: ("_ready", Q, "claimed twice"),
    a_worker_dies: ("sweep", lambda: None, "stuck"),
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


@pytest.mark.parametrize("story", STORIES)
def test_without_its_guard_each_story_is_noticed(machine, monkeypatch, story):
    guard, broken, complaint = STORIES[story]
    monkeypatch.setattr(scoring, guard, broken)

    with pytest.raises(AssertionError, match=complaint):
        tell(story, machine())
