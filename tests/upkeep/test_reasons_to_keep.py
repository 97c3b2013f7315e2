"""Retention keeps old objects that are needed, and the preview says why."""

import pytest

from evaluations.datasets import versions
from evaluations.experiments import experiments, sent_scores
from evaluations.gates import gates
from evaluations.labelling import rating, sets, tasks
from evaluations.launches import launches
from evaluations.launches.plans import Plan, Variant
from evaluations.models import Dataset, Experiment, Generation, Import, Project, Run
from evaluations.prompts import prompts
from evaluations.upkeep import reasons_to_keep, retention
from tests import factories

from .aging import DATASETS_AFTER_180, RUNS_AFTER_90, SIZE, days_pass, sweep

pytestmark = pytest.mark.django_db


def kept_runs(project: Project) -> dict[str, str]:
    """By variant, the reason to keep runs; checked against the result of a sweep."""
    preview = retention.plan(project, RUNS_AFTER_90).runs
    retention.change(project, RUNS_AFTER_90)
    sweep()
    assert {shown.target.pk for shown in preview.first_kept} == set(
        Run.objects.live().values_list("pk", flat=True)
    )
    return {shown.target.variant: shown.reason for shown in preview.first_kept}


def test_the_baseline_that_somebody_chose_is_kept(project, experiment, old_runs):
    experiments.set_baseline(experiment, "v2")

    assert kept_runs(project) == {"v2": "baseline of the experiment which is closer"}


def test_only_the_newest_run_of_a_baseline_is_kept(project, experiment, old_runs):
    newest = factories.scored_run(experiment, variant="v2")
    days_pass(100)
    experiments.set_baseline(experiment, "v2")

    kept_runs(project)

    assert list(Run.objects.live()) == [newest]


def test_the_first_variant_is_kept_while_newer_runs_are_compared_with_it(project, experiment, old_runs):
    factories.scored_run(experiment, variant="v3")

    plan = retention.plan(project, RUNS_AFTER_90)
    days_pass(100)
    later = retention.plan(project, RUNS_AFTER_90)

    assert [shown.target.variant for shown in plan.runs.first_kept] == ["v1"]
    assert (later.runs.count, later.runs.kept_count) == (3, 0)


def test_all_repetitions_of_a_baseline_are_kept(project, experiment, settings):
    server = factories.connection(project, settings)
    version = prompts.add_version(
        factories.prompt(project, "{{ question }}"), None, {"model": "m", "connection": server}
    )[0]
    launch = launches.create(experiment, None, [Variant(version)], Plan(repetitions=2))
    launches.cancel(launch)
    days_pass(100)
    baseline = Generation.objects.filter(launch=launch).first().run.variant
    experiments.set_baseline(experiment, baseline)

    assert retention.plan(project, RUNS_AFTER_90).runs.kept_count == 2


def test_the_present_and_previous_baselines_of_a_gate_are_kept(project, old_runs):
    first, second = old_runs
    gate = gates.create(project, None, "ship", gates.Plan(first, SIZE))
    gates.change(gate, gates.Plan(second, SIZE))

    assert kept_runs(project) == dict.fromkeys(("v1", "v2"), "baseline of the gate ship")


def test_the_baseline_of_a_deleted_gate_is_not_kept(project, old_runs):
    gates.delete(gates.create(project, None, "ship", gates.Plan(old_runs[0], SIZE)))

    assert kept_runs(project) == {}


@pytest.mark.parametrize("status", Run.OPEN)
def test_a_run_in_progress_is_kept(project, old_runs, status):
    Run.objects.filter(pk=old_runs[0].pk).update(status=status)

    assert retention.plan(project, RUNS_AFTER_90).runs.first_kept[0].reason == "in progress"


def test_a_run_whose_outputs_are_read_is_kept(project, old_runs):
    Import.objects.create(run=old_runs[0], filename="a.csv", stored_as="a.csv", size=1)

    assert kept_runs(project) == {"v1": "in progress"}


def test_a_finished_run_of_an_open_launch_is_kept(project, experiment, settings):
    server = factories.connection(project, settings)
    version = prompts.add_version(
        factories.prompt(project, "{{ question }}"), None, {"model": "m", "connection": server}
    )[0]
    launches.create(experiment, None, [Variant(version)], Plan(repetitions=2))
    first, second = Run.objects.filter(generation__isnull=False)
    Run.objects.filter(pk=first.pk).update(status=Run.Status.COMPLETED)
    days_pass(100)

    going = retention.plan(project, RUNS_AFTER_90).runs
    Run.objects.filter(pk=second.pk).update(status=Run.Status.COMPLETED)
    ended = retention.plan(project, RUNS_AFTER_90).runs

    assert ((going.count, going.kept_count), (ended.count, ended.kept_count)) == ((0, 2), (2, 0))


@pytest.mark.parametrize("recorded", ["sent", "labelled", "asked"])
def test_a_run_with_scores_that_nobody_can_compute_again_is_kept(
    project, experiment, alice, old_runs, recorded
):
    run = old_runs[1]
    if recorded == "sent":
        sent_scores.send(run, None, "helpful", {}, [{"position": 1, "value": 1.0}])
    else:
        label_set = sets.create(project, alice, "people", {"question": "Is it right?"})
        task = tasks.create(label_set, alice, [run], tasks.Plan(size=3, seed=7, overlap=0))
        if recorded == "labelled":
            rater = rating.rater_of(task, alice)
            seat = rating.begin(rater)
            rating.rate(rater, seat.item.token, seat.lease, "pass")
            tasks.close(task)

    assert kept_runs(project) == {"v2": reasons_to_keep.RECORDED}


# ---- datasets -----------------------------------------------------------------------------------------------


def tag(experiment: Experiment, run: Run) -> str:
    versions.describe(versions.version_of(experiment.dataset, 1), tag="golden")
    return "v1 has the tag golden"


def gate(experiment: Experiment, run: Run) -> str:
    gates.create(experiment.project, None, "ship", gates.Plan(run, SIZE))
    return "baseline of the gate ship"


def baseline(experiment: Experiment, run: Run) -> str:
    experiments.set_baseline(experiment, run.variant)
    return "baseline of the experiment which is closer"


def run_in_progress(experiment: Experiment, run: Run) -> str:
    Run.objects.filter(pk=run.pk).update(status=Run.Status.RUNNING)
    return "in progress"


def file_in_progress(experiment: Experiment, run: Run) -> str:
    Import.objects.create(dataset=experiment.dataset, filename="a.csv", stored_as="a.csv", size=1)
    return "in progress"


@pytest.mark.parametrize("need", [tag, gate, baseline, run_in_progress, file_in_progress])
def test_a_dataset_that_is_needed_is_kept_and_named(project, experiment, need):
    reason = need(experiment, factories.scored_run(experiment))
    days_pass(200)
    retention.change(project, DATASETS_AFTER_180)

    preview = retention.plan(project, {}).datasets
    sweep()

    assert [(shown.target, shown.reason) for shown in preview.first_kept] == [(experiment.dataset, reason)]
    assert preview.count == 0
    assert Dataset.objects.live().exists()
