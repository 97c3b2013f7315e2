"""Launches on a sample: examples that were not asked count neither as unanswered nor as worst."""

import pytest
from django.test import Client

from evaluations.comparisons.comparison import Comparison
from evaluations.datasets import datasets
from evaluations.engine import queue
from evaluations.experiments import experiments, runs
from evaluations.launches import launches, order
from evaluations.launches.plans import Plan, Variant
from evaluations.models import Connection, Experiment, Job, Launch, Output, Run
from evaluations.prompts import prompts
from evaluations.prompts.content import Content
from evaluations.results import exports, results
from evaluations.results.shown import scorings_by_run
from evaluations.scoring import coverage, scoring
from tests import factories

pytestmark = pytest.mark.django_db
SIZE, SAMPLE = 30, 12


@pytest.fixture
def experiment(project) -> Experiment:
    return factories.experiment(project, references=["Paris"] * SIZE)


@pytest.fixture
def server(project, settings) -> Connection:
    return factories.connection(project, settings)


def answered(
    experiment: Experiment, server: Connection, *names: str, size: int = SAMPLE, seed: int = 1
) -> Launch:
    """A launch whose runs all answered “Paris”, without a server."""
    content = Content([{"role": "user", "content": "{{ question }}"}], "m", connection=server)
    version = prompts.version_of(prompts.create(experiment.project, None, f"p{seed}", content))
    launch = launches.create(
        experiment, None, [Variant(version, name) for name in names], Plan(size=size, seed=seed)
    )
    for run in Run.objects.filter(generation__launch=launch):
        positions = positions_of(run)
        Output.objects.bulk_create(Output(run=run, position=position, text="Paris") for position in positions)
        queue.cancel_jobs(run)
        Run.objects.filter(pk=run.pk).update(output_count=len(positions))
        runs.score(run)
    while scoring.work(seconds=10):
        pass
    return launch


def positions_of(run: Run) -> list[int]:
    slots = coverage.mask(run, SIZE)
    return [slot + 1 for slot in range(SIZE) if slots is None or slots[slot]]


def compared(*chosen: Run) -> Comparison:
    return Comparison(chosen, chosen[0], scorings_by_run(chosen))


def test_a_run_keeps_which_examples_it_was_asked(experiment, server):
    answered(experiment, server, "a")

    run = Run.objects.get()
    assert len(positions_of(run)) == SAMPLE
    assert runs.progress(run).total == SAMPLE


def test_a_run_is_as_far_as_its_answers_though_no_chunk_is_done(experiment, server):
    answered(experiment, server, "a")
    run = Run.objects.get()
    Run.objects.filter(pk=run.pk).update(status=Run.Status.GENERATING)
    Job.objects.filter(run=run).update(state=Job.State.OPEN, done=0)
    run.refresh_from_db()
    Output.objects.filter(run=run, position__gt=positions_of(run)[8]).delete()

    assert (runs.progress(run).done, runs.progress(run).total) == (9, SAMPLE)


def test_a_launch_of_all_examples_keeps_nothing(experiment, server):
    answered(experiment, server, "a", size=SIZE)

    assert Run.objects.get().asked_rows is None


def test_counts_are_those_of_the_sample(experiment, server):
    answered(experiment, server, "a")

    counts = Run.objects.get().scorings.get().summary["counts"]
    assert (counts["total"], counts["scored"], counts["missing_actual"]) == (SAMPLE, SAMPLE, 0)


def test_an_answer_that_failed_still_counts_as_unanswered(experiment, server):
    answered(experiment, server, "a")
    run = Run.objects.get()
    Output.objects.filter(run=run, position=positions_of(run)[0]).update(text=None, error="cut")
    runs.score(run)
    while scoring.work(seconds=10):
        pass

    counts = run.scorings.get().summary["counts"]
    assert (counts["total"], counts["missing_actual"]) == (SAMPLE, 1)


def test_unanswered_as_worst_is_about_the_sample(experiment, server):
    answered(experiment, server, "a", "b")

    comparison = compared(*Run.objects.order_by("pk"))

    [entry] = comparison.figures.entries
    assert (entry.paired.n, entry.leftover.missing, comparison.figures.has_unanswered) == (SAMPLE, 0, False)
    assert comparison.figures.measures.examples == [SAMPLE, SAMPLE]
    assert comparison.figures.measures.answered == [SAMPLE, SAMPLE]


def test_only_examples_that_both_were_asked_are_compared(experiment, server):
    answered(experiment, server, "a", seed=1)
    answered(experiment, server, "b", seed=2)
    first, second = Run.objects.order_by("pk")
    both = set(positions_of(first)) & set(positions_of(second))

    comparison = compared(first, second)

    assert 0 < len(both) < SAMPLE
    assert (comparison.figures.entries[0].paired.n, comparison.figures.has_unanswered) == (len(both), False)


def test_a_sample_is_compared_with_a_run_of_everything(experiment, server):
    answered(experiment, server, "a")
    whole = runs.create(experiment, None, "b", [{"position": n, "output": "no"} for n in range(1, SIZE + 1)])
    while scoring.work(seconds=10):
        pass

    comparison = compared(Run.objects.get(variant="a"), whole)

    assert (comparison.figures.entries[0].paired.n, comparison.figures.has_unanswered) == (SAMPLE, False)


def test_rows_and_exports_hold_the_sample_alone(experiment, server):
    answered(experiment, server, "a")
    run = Run.objects.get()

    exported = b"".join(exports.of_run(run, "jsonl")).splitlines()

    assert len(exported) == SAMPLE
    assert results.chosen(run, results.Query(None)).sum() == SAMPLE


def test_an_evaluator_that_comes_later_scores_the_sample(experiment, server):
    answered(experiment, server, "a")

    experiments.add_evaluators(experiment, [factories.evaluator(experiment.project, "contains")])
    while scoring.work(seconds=10):
        pass

    totals = [scoring.summary["counts"]["total"] for scoring in Run.objects.get().scorings.all()]
    assert totals == [SAMPLE, SAMPLE]


def test_the_page_of_a_run_counts_the_sample(experiment, server, alice):
    answered(experiment, server, "a")
    client = Client()
    client.force_login(alice)

    response = client.get(f"/runs/{Run.objects.get().pk}/")

    assert response.context["total"] == SAMPLE


def test_a_retry_after_an_edit_asks_the_failed_example_alone(experiment, server):
    launch = answered(experiment, server, "a")
    run = Run.objects.get()
    edited, failed, *_ = positions_of(run)
    Output.objects.filter(position=failed).update(text=None, error="timeout: too slow")
    datasets.edit(experiment.dataset, None, edited, {"reference": {"answer": "Rome"}})
    experiment.refresh_from_db()
    experiments.use_dataset_version(experiment)
    factories.copy_outputs()
    while scoring.work(seconds=10):
        pass

    launches.retry(run)

    launch.refresh_from_db()
    assert [count for *_, count in order.unanswered(run, order.positions(launch))] == [1]
