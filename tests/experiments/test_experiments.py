"""Experiments: versions in use, and shown runs."""

import pytest

from evaluations.errors import Conflict
from evaluations.evaluators import evaluators
from evaluations.experiments import about, experiments, runs
from evaluations.models import Run
from evaluations.results.shown import scorings_of
from evaluations.scoring import scoring
from tests import factories

pytestmark = pytest.mark.django_db


def test_an_experiment_uses_the_newest_versions_of_its_evaluators(project):
    exact = factories.evaluator(project)
    evaluators.change(exact, None, config={"case_sensitive": False})

    experiment = experiments.create(project, None, "newest", factories.dataset(project), [exact])

    assert [version.number for version in experiments.versions_of(experiment)] == [2]


def test_a_newer_version_replaces_the_older_one(project):
    experiment = factories.experiment(project)
    exact = experiments.versions_of(experiment)[0].evaluator
    evaluators.change(exact, None, config={"case_sensitive": False})

    experiments.add_evaluators(experiment, [exact])

    assert [version.number for version in experiments.versions_of(experiment)] == [2]


def test_a_newer_version_of_an_evaluator_keeps_the_order(project):
    experiment = factories.experiment(project, "exact_match", "chrf")
    run = factories.scored_run(experiment)
    exact = experiments.versions_of(experiment)[0].evaluator
    evaluators.change(exact, None, config={"case_sensitive": False})

    experiments.add_evaluators(experiment, [exact])

    expected = [("exact match", 2), ("chrf", 1)]
    assert [(v.evaluator.name, v.number) for v in experiments.versions_of(experiment)] == expected
    versions = [scored.evaluator_version for scored in scorings_of(run)]
    assert [(version.evaluator.name, version.number) for version in versions] == expected


def test_adding_an_evaluator_scores_existing_runs(project):
    experiment = factories.experiment(project)
    run = factories.scored_run(experiment)

    experiments.add_evaluators(experiment, [factories.evaluator(project, "chrf")])
    while scoring.work(seconds=5):
        pass

    run.refresh_from_db()
    assert run.status == Run.Status.COMPLETED
    assert run.scorings.count() == 2


def test_of_a_variant_the_newest_run_is_shown(project):
    experiment = factories.experiment(project)
    factories.scored_run(experiment, variant="v1")
    newer = factories.scored_run(experiment, variant="v1")

    assert experiments.shown_runs(experiment) == [newer]


def test_different_facts_make_different_variants(project):
    experiment = factories.experiment(project)
    runs = [factories.scored_run(experiment, variant="v1") for _ in range(4)]
    for run, model in zip(runs, ("m", "n", "m", "n"), strict=True):
        about.describe(run, {"model": model})
    experiments.set_baseline(experiment, "v1")

    assert experiments.shown_runs(experiment) == [runs[3], runs[2]]
    every = experiments.runs_of(experiment)
    assert experiments.with_repeats(every, "v1") == [runs[1], runs[3], runs[0], runs[2]]


def test_the_baseline_comes_first(project):
    experiment = factories.experiment(project)
    for variant in ("a", "b", "c"):
        factories.scored_run(experiment, variant=variant)

    experiments.set_baseline(experiment, "b")

    assert [run.variant for run in experiments.shown_runs(experiment)] == ["b", "a", "c"]


def test_a_missing_variant_cannot_be_the_baseline(project):
    with pytest.raises(Conflict, match="no variant"):
        experiments.set_baseline(factories.experiment(project), "nobody")


def test_an_experiment_cannot_be_deleted_while_a_run_is_going_on(project):
    experiment = factories.experiment(project)
    run = factories.run(experiment)

    with pytest.raises(Conflict) as refusal:
        experiments.delete(experiment)
    assert refusal.value.code == "in_use"

    runs.cancel(run)
    experiments.delete(experiment)
