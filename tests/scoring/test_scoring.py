"""The scoring engine: claim, store, finish, cancel and recover."""

import random
from datetime import timedelta

import pytest
from django.db import OperationalError
from django.db.models import F

from evaluations import leases
from evaluations.datasets import datasets
from evaluations.engine import queue
from evaluations.errors import Conflict
from evaluations.evaluators import recipe
from evaluations.experiments import experiments, runs
from evaluations.kinds.scores import Scores
from evaluations.launches import going
from evaluations.models import Block, Chunk, Experiment, Job, Run, Scoring
from evaluations.results.rows import rows_at
from evaluations.results.shown import scorings_of
from evaluations.scoring import columns, coverage, jobs, scoring, spans
from evaluations.values import Status
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def queued(project) -> Run:
    return factories.run(factories.experiment(project, "exact_match", "levenshtein_distance"))


def stored_blocks() -> list[tuple]:
    return [
        (b.scoring_id, b.first, bytes(b.values), bytes(b.status))
        for b in Block.objects.order_by("scoring_id", "first")
    ]


def expire(claimed: scoring.Claimed) -> None:
    """Let the lease run out."""
    Chunk.objects.filter(pk=claimed.chunk.pk).update(lease_until=F("lease_until") - timedelta(hours=1))


def finish_all() -> None:
    while scoring.work(seconds=10):
        pass


def mean_of(run: Run, name: str) -> float:
    return next(s.summary["mean"] for s in scorings_of(run) if s.evaluator_version.evaluator.name == name)


def test_a_queued_run_is_scored_and_completed(queued):
    finish_all()

    queued.refresh_from_db()
    assert queued.status == Run.Status.COMPLETED
    assert mean_of(queued, "exact match") == pytest.approx(2 / 3)
    assert mean_of(queued, "levenshtein distance") == pytest.approx(4 / 3)


def test_chunks_are_gone_when_the_job_ends(queued):
    finish_all()

    assert not Chunk.objects.exists()
    assert set(Job.objects.values_list("state", flat=True)) == {Job.State.DONE}


def test_a_chunk_is_claimed_once(queued):
    assert scoring.claim() is not None
    assert scoring.claim() is None


def test_the_first_claim_makes_the_run_running(queued):
    scoring.claim()

    queued.refresh_from_db()
    assert queued.status == Run.Status.RUNNING


def test_a_late_worker_changes_nothing(queued):
    """The chunk exists and is leased, but by another worker."""
    late_claim = scoring.claim()
    computed = scoring.score(late_claim)
    expire(late_claim)
    scoring.sweep()
    successor = scoring.claim()
    assert successor.chunk.pk == late_claim.chunk.pk

    assert not scoring.close(late_claim, computed)

    assert not Block.objects.exists()
    assert Chunk.objects.get(pk=late_claim.chunk.pk).state == Chunk.State.LEASED
    assert scoring.close(successor, scoring.score(successor))


def test_a_result_under_another_token_is_dropped(queued):
    claimed = scoring.claim()
    Chunk.objects.update(token="somebody else's")

    assert not scoring.close(claimed, scoring.score(claimed))
    assert not Block.objects.exists()


def test_an_expired_lease_is_given_to_another_worker(queued):
    expire(scoring.claim())
    scoring.sweep()

    assert scoring.claim() is not None


def test_a_good_lease_is_not_swept_away(queued):
    claimed = scoring.claim()

    scoring.sweep()

    assert Chunk.objects.get().token == claimed.chunk.token


@pytest.mark.long
def test_a_chunk_that_ends_three_workers_is_halved(queued):
    for _ in range(3):
        expire(scoring.claim())
        scoring.sweep()

    chunks = Chunk.objects.order_by("first").values_list("first", "last", "total")
    assert list(chunks) == [(1, 2000, 3)]  # the other half has no example
    for _ in range(10):
        expire(scoring.claim())
        scoring.sweep()
    assert list(chunks.all()) == [(1, 2, 2), (3, 4, 1)]


@pytest.mark.long
def test_a_row_that_ends_every_worker_gets_an_error(queued, monkeypatch):
    """The worker dies whenever it scores the second row."""
    for _ in range(200):
        claimed = scoring.claim()
        if claimed is None:
            scoring.sweep()
            if not Chunk.objects.exists():
                break
        elif claimed.chunk.first <= 2 <= claimed.chunk.last:
            expire(claimed)
            scoring.sweep()
        else:
            scoring.close(claimed, scoring.score(claimed))

    queued.refresh_from_db()
    rows = rows_at(queued, [1, 2, 3])
    assert queued.status == Run.Status.COMPLETED
    assert [row.scores["exact match"].status for row in rows] == ["scored", "error", "scored"]
    assert rows[1].scores["exact match"].message.startswith("worker_lost:")


def test_a_failing_evaluator_gives_its_chunk_back_at_once(queued, monkeypatch):
    def fail(*args, **kwargs):
        raise ZeroDivisionError

    monkeypatch.setattr(recipe.Recipe, "scores", fail)
    with pytest.raises(ZeroDivisionError):
        scoring.work(seconds=1)

    assert Chunk.objects.get().lease_until <= leases.now()


def test_a_database_that_takes_no_scores_for_long_is_no_attempt_of_a_chunk(queued, monkeypatch):
    with monkeypatch.context() as trouble:
        trouble.setattr(scoring.bulk, "upsert", raises(OperationalError("database or disk is full")))
        for _ in range(2 * queue.ATTEMPTS):
            with pytest.raises(OperationalError):
                scoring.work(seconds=1)
            scoring.sweep()

    assert [chunk.attempt for chunk in Chunk.objects.all()] == [0]
    scoring.work(seconds=1)
    queued.refresh_from_db()
    assert queued.status == Run.Status.COMPLETED


def raises(problem: Exception):
    def fail(*args: object) -> None:
        raise problem

    return fail


def test_the_sweeper_closes_a_job_whose_last_worker_died_before_closing_it(queued):
    claimed = scoring.claim()
    scoring.close(claimed, scoring.score(claimed))

    scoring.sweep()

    queued.refresh_from_db()
    assert queued.status == Run.Status.COMPLETED


def test_finishing_twice_changes_nothing(queued):
    claimed = scoring.claim()
    scoring.close(claimed, scoring.score(claimed))

    assert scoring.finish(claimed.chunk.job)
    assert not scoring.finish(claimed.chunk.job)


def test_a_cancelled_run_takes_no_more_scores(queued):
    claimed = scoring.claim()
    computed = scoring.score(claimed)

    runs.cancel(queued)

    assert not scoring.close(claimed, computed)
    assert not Block.objects.exists()
    assert queued.status == Run.Status.CANCELLED


def test_a_cancelled_run_stays_cancelled(queued):
    runs.cancel(queued)
    scoring.sweep()
    finish_all()

    queued.refresh_from_db()
    assert queued.status == Run.Status.CANCELLED


def test_a_finished_run_cannot_be_cancelled(queued):
    finish_all()

    with pytest.raises(Conflict, match="completed"):
        runs.cancel(queued)


@pytest.fixture
def half_scored(project, monkeypatch) -> Run:
    """A run that was cancelled after two of its three examples were scored."""
    monkeypatch.setattr(spans, "CHUNK", 2)
    run = factories.run(factories.experiment(project, "exact_match", "levenshtein_distance"))
    claimed = scoring.claim()
    scoring.close(claimed, scoring.score(claimed))
    return runs.cancel(run)


def test_a_resumed_run_scores_only_what_it_lacks(half_scored):
    before = stored_blocks()

    runs.resume(half_scored)

    assert list(Chunk.objects.values_list("first", "total")) == [(3, 1)]
    finish_all()
    half_scored.refresh_from_db()
    assert half_scored.status == Run.Status.COMPLETED
    assert [block for block in stored_blocks() if block in before] == before
    assert mean_of(half_scored, "exact match") == pytest.approx(2 / 3)


def done_of_total(run: Run) -> tuple[int, int]:
    run.refresh_from_db()
    progress = runs.progress(run)
    return progress.done, progress.total


def test_a_cancelled_run_still_says_how_far_it_got(half_scored):
    assert done_of_total(half_scored) == (2, 3)


def test_a_resumed_run_counts_on_from_where_it_was_cancelled(half_scored):
    runs.resume(half_scored)
    resumed = done_of_total(half_scored)
    runs.cancel(half_scored)

    assert (resumed, done_of_total(half_scored)) == ((2, 3), (2, 3))
    runs.resume(half_scored)
    finish_all()
    assert done_of_total(half_scored) == (3, 3)


def test_the_speed_of_a_resumed_run_leaves_out_what_was_scored_before(half_scored):
    runs.resume(half_scored)
    Run.objects.update(status=Run.Status.RUNNING, started_at=leases.now() - timedelta(seconds=10))
    half_scored.refresh_from_db()

    assert runs.progress(half_scored).rate == 0


def test_a_job_that_another_one_replaced_does_not_count_after_a_cancel(queued, monkeypatch):
    monkeypatch.setattr(spans, "CHUNK", 2)
    jobs.score_again(queued)
    claimed = scoring.claim()
    scoring.close(claimed, scoring.score(claimed))
    runs.cancel(queued)

    assert done_of_total(queued) == (2, 3)


def test_a_cancelled_run_that_had_all_scores_is_completed_by_a_resume(queued):
    claimed = scoring.claim()
    scoring.close(claimed, scoring.score(claimed))
    runs.cancel(queued)

    runs.resume(queued)
    scoring.sweep()

    queued.refresh_from_db()
    assert queued.status == Run.Status.COMPLETED
    assert mean_of(queued, "exact match") == pytest.approx(2 / 3)


def test_scoring_a_cancelled_run_further_completes_what_the_cancel_left(half_scored, project):
    runs.add_scorings(half_scored, [factories.evaluator(project, "chrf")])
    finish_all()

    half_scored.refresh_from_db()
    assert half_scored.status == Run.Status.COMPLETED
    assert [scored.summary["n"] for scored in scorings_of(half_scored)] == [3, 3, 3]


def test_a_run_that_is_not_cancelled_is_not_resumed(queued):
    with pytest.raises(Conflict) as refusal:
        runs.resume(queued)

    assert refusal.value.code == "run_not_cancelled"


def test_a_run_of_an_experiment_that_was_deleted_meanwhile_is_not_scored(queued, project):
    finish_all()
    experiments.delete(Experiment.objects.get(pk=queued.experiment_id))

    with pytest.raises(Conflict) as refusal:
        runs.add_scorings(queued, [factories.evaluator(project, "chrf")])

    assert refusal.value.code == "deleted"
    assert not Job.objects.filter(state=Job.State.OPEN).exists()


def test_a_finished_run_can_be_scored_further(queued, project):
    finish_all()
    before = stored_blocks()

    runs.add_scorings(queued, [factories.evaluator(project, "indel_similarity")])
    assert queued.status == Run.Status.QUEUED
    finish_all()

    queued.refresh_from_db()
    assert queued.status == Run.Status.COMPLETED
    assert len(scorings_of(queued)) == 3
    assert [block for block in stored_blocks() if block in before] == before


def test_scoring_a_version_the_run_has_already_adds_nothing(queued, project):
    finish_all()
    evaluator = scorings_of(queued)[0].evaluator_version.evaluator

    runs.add_scorings(queued, [evaluator])

    assert queued.status == Run.Status.COMPLETED
    assert Job.objects.count() == 1


def test_retrying_errors_leaves_the_other_scores_alone(project):
    run = factories.scored_run(
        factories.experiment(project, "numeric_match", references=("1", "none", "3")), ("1", "2", "4")
    )
    scored = scorings_of(run)[0]
    assert scored.summary["counts"]["error"] == 1

    runs.retry_errors(run, [scored.evaluator_version.evaluator])
    finish_all()

    scored.refresh_from_db()
    assert scored.summary["counts"] == {
        "total": 3, "scored": 2, "missing_expected": 0, "missing_actual": 0, "unmapped": 0, "error": 1, "not_sent": 0,
        "not_found": 0, "no_verdict": 0,
    }  # fmt: skip


def test_errors_are_not_retried_twice_at_once(project):
    run = factories.scored_run(
        factories.experiment(project, "numeric_match", references=("1", "none", "3")), ("1", "2", "4")
    )
    evaluator = scorings_of(run)[0].evaluator_version.evaluator

    for _ in range(2):
        runs.retry_errors(run, [evaluator])

    assert Job.objects.filter(state=Job.State.OPEN).count() == 1


def test_a_worker_whose_chunk_is_being_rescored_stores_nothing(queued):
    claimed = scoring.claim()
    computed = scoring.score(claimed)

    jobs.score_again(queued)

    assert not scoring.close(claimed, computed)
    assert not Block.objects.exists()
    finish_all()
    queued.refresh_from_db()
    assert queued.status == Run.Status.COMPLETED


def test_a_chunk_of_a_run_being_cancelled_is_not_halved(queued, monkeypatch):
    """The cancel comes between the sweeper's read and write of the chunk."""
    for _ in range(2):
        expire(scoring.claim())
        scoring.sweep()
    expire(scoring.claim())
    split = queue.split

    def cancelled_before(*arguments):
        runs.cancel(queued)
        split(*arguments)

    monkeypatch.setattr(queue, "split", cancelled_before)
    scoring.sweep()

    assert not Chunk.objects.exists()


def test_a_lease_that_was_extended_meanwhile_is_not_swept_away(queued, monkeypatch):
    for _ in range(2):
        expire(scoring.claim())
        scoring.sweep()
    claimed = scoring.claim()
    expire(claimed)
    split = queue.split

    def extended_before(*arguments):
        scoring.extend(claimed)
        split(*arguments)

    monkeypatch.setattr(queue, "split", extended_before)
    scoring.sweep()

    assert scoring.close(claimed, scoring.score(claimed))


def test_examples_without_an_output_are_counted_as_missing(project):
    run = factories.scored_run(factories.experiment(project, "levenshtein_distance"), ("Paris", None, "Oslo"))

    summary = scorings_of(run)[0].summary
    assert (summary["n"], summary["counts"]["missing_actual"], summary["mean"]) == (2, 1, 0.0)


@pytest.mark.long
def test_a_small_run_does_not_wait_for_a_large_one(project, monkeypatch):
    monkeypatch.setattr(columns, "CHUNK", 1)
    monkeypatch.setattr(spans, "CHUNK", 1)
    experiment = factories.experiment(project, references=[str(n) for n in range(40)])
    first, second = factories.run(experiment, variant="first"), factories.run(experiment, variant="second")

    served = {scoring.claim().task.run.pk for _ in range(40)}

    assert served == {first.pk, second.pk}


def test_a_small_run_started_after_a_large_one_ends_long_before_it(project, monkeypatch):
    monkeypatch.setattr(spans, "CHUNK", 1)
    random.seed(3)
    experiment = factories.experiment(project, references=["x"] * 40)
    large_run = factories.run(experiment, variant="large")
    evaluators = [version.evaluator for version in experiments.versions_of(experiment)]
    small_experiment = experiments.create(
        project, None, "small", factories.dataset(project, ["y"], "one"), evaluators
    )
    small_run = factories.run(small_experiment, ["y"], variant="small")
    turns = 0
    while not Run.objects.filter(pk=small_run.pk, status=Run.Status.COMPLETED).exists():
        claimed = scoring.claim()
        scoring.close(claimed, scoring.score(claimed))
        scoring.finish(claimed.chunk.job)
        turns += 1

    assert turns <= 5
    assert runs.progress(large_run).done < 5


def test_progress_never_exceeds_its_total_and_ends_there(project, monkeypatch):
    monkeypatch.setattr(spans, "CHUNK", 1)
    run = factories.run(factories.experiment(project))
    counts = [runs.progress(run).done]
    while claimed := scoring.claim():
        scoring.close(claimed, scoring.score(claimed))
        scoring.finish(claimed.chunk.job)
        run.refresh_from_db()
        counts.append(runs.progress(run).done)

    assert counts == sorted(counts) == [0, 1, 2, 3]
    assert runs.progress(run).total == 3


def test_a_run_with_two_jobs_counts_every_example_once(queued):
    """The second job stands for one whose evaluator calls a server, and which lags behind."""
    queue.add_job(queued, "connection:1", [(1, 2, 2), (3, 4, 1)])
    finished = Job.objects.get(lane="text")
    slow = Chunk.objects.filter(job__lane="connection:1")
    assert (runs.progress(queued).done, runs.progress(queued).total) == (0, 3)

    Chunk.objects.filter(job=finished).update(state=Chunk.State.DONE)
    slow.filter(first=1).update(state=Chunk.State.DONE)

    assert (runs.progress(queued).done, runs.progress(queued).total) == (2, 3)


def test_remaining_time_is_that_of_the_slowest_evaluator(queued):
    queue.add_job(queued, "connection:1", [(1, 1, 1), (2, 3, 2)])
    Chunk.objects.filter(job__lane="text").update(state=Chunk.State.DONE)
    Chunk.objects.filter(job__lane="connection:1", first=1).update(state=Chunk.State.DONE)
    began = leases.now() - timedelta(seconds=10)
    Run.objects.update(status=Run.Status.RUNNING, started_at=began)
    queued.refresh_from_db()

    assert runs.progress(queued).seconds_left == pytest.approx(20, abs=1)


def test_a_cancelled_run_does_not_hold_back_the_progress_of_the_others(queued):
    second = factories.run(queued.experiment, variant="v2")
    runs.cancel(queued)

    assert going.of_experiments({queued.experiment_id: [second]})[queued.experiment_id].total == 3


def test_the_total_of_several_runs_stays_when_one_ends(queued, project):
    second = factories.run(queued.experiment, variant="v2")
    open_runs = {queued.experiment_id: [queued, second]}
    before = going.of_experiments(open_runs)[queued.experiment_id].total
    claimed = scoring.claim()
    scoring.close(claimed, scoring.score(claimed))
    scoring.finish(claimed.chunk.job)

    after = going.of_experiments(open_runs)[queued.experiment_id]
    assert (before, after.total, after.done) == (6, 6, 3)


def test_a_chunk_scores_only_the_examples_of_the_experiments_version(project):
    experiment = factories.experiment(project)
    datasets.edit(experiment.dataset, None, 2, {"reference": {"answer": "Roma"}})
    run = factories.scored_run(experiment)

    slots = columns.load(Scoring.objects.get(run=run).pk)
    assert len(slots) == 3
    assert scorings_of(run)[0].summary["counts"]["total"] == 3


def test_a_column_has_a_slot_for_each_row_of_a_later_version(project):
    capitals = factories.dataset(project)
    datasets.edit(capitals, None, 2, {"reference": {"answer": "Lyon"}})
    experiment = experiments.create(project, None, "later", capitals, [factories.evaluator(project)])
    run = runs.create(
        experiment, None, "v1", [{"position": 4, "output": "Lyon"}, {"key": "k1", "output": "Paris"}]
    )
    finish_all()

    pk, positions = Scoring.objects.get(run=run).pk, coverage.positions(run)
    slots = columns.load_many([pk], positions)[pk]
    assert positions.every.tolist() == [1, 3, 4]
    assert slots.status.tolist() == [Status.SCORED, Status.MISSING_ACTUAL, Status.SCORED]
    assert slots.values[[0, 2]].tolist() == [1.0, 1.0]


def test_scores_of_halves_of_a_chunk_are_one_column(project):
    run = factories.run(factories.experiment(project))
    claimed = scoring.claim()
    pk = next(iter(claimed.task.recipes))
    for first, value in ((1, 0.25), (2, 0.75)):
        part = Scores.scored([value])
        Block.objects.create(
            scoring_id=pk,
            first=first,
            **dict(zip(("values", "passed", "status"), columns.pack(part), strict=True)),
        )

    assert columns.load(pk).values.tolist() == [0.25, 0.75]
    assert run.status == Run.Status.QUEUED
