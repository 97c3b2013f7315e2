"""Examples that tell no variant apart, and references that all good variants contradict."""

import pytest

from evaluations.comparisons.over_time import trends
from evaluations.comparisons.over_time.items import items
from evaluations.datasets import datasets
from evaluations.experiments import experiments
from tests import factories

pytestmark = pytest.mark.django_db
REFERENCES = ["Paris", "Rome", "Oslo", "Bern", "Riga", "Kyiv"]


def found(experiment):
    return items(trends.trend(experiment.dataset))


@pytest.fixture
def experiment(project):
    """Two good variants, which agree that the fourth reference is wrong, and a bad one; nobody knows Kyiv."""
    experiment = factories.experiment(project, "exact_match", references=REFERENCES)
    factories.scored_run(experiment, ("Paris", "Rome", "Oslo", "Berne", "Riga", "x"), "one")
    factories.scored_run(experiment, ("Paris", "Rome", "Oslo", "Berne", "Riga", "y"), "two")
    factories.scored_run(experiment, ("Paris", "a", "b", "c", "d", "e"), "bad")
    return experiment


def test_examples_on_which_no_variant_differs_are_listed(experiment):
    result = found(experiment)

    assert (result.examples, result.alike, result.right, result.wrong) == (6, 3, 1, 2)
    assert [(item.position, item.score) for item in result.alike_listed] == [(1, 1.0), (4, 0.0), (6, 0.0)]


def test_contradicted_references_are_listed_with_the_answer_that_variants_share(project):
    references = [f"right {number}" for number in range(40)]
    experiment = factories.experiment(project, "exact_match", references=references)
    good = [*references[:38], "other", "x"]
    factories.scored_run(experiment, good, "one")
    factories.scored_run(experiment, [*good[:39], "y"], "two")
    factories.scored_run(experiment, ["bad"] * 40, "bad")
    result = found(experiment)

    assert {run.variant for run in result.good} == {"one", "two"}
    assert result.contradicted == 2
    assert [(item.position, item.same) for item in result.contradicted_listed] == [(39, 2), (40, 1)]
    assert result.contradicted_listed[0].answer == "other"


def test_bad_variants_contradict_nothing(project):
    experiment = factories.experiment(project, "exact_match", references=REFERENCES)
    for variant in ("one", "two"):
        factories.scored_run(experiment, ["x"] * 6, variant)

    assert found(experiment).contradicted is None


def test_a_scale_without_an_end_has_no_contradicted_references(project):
    experiment = factories.experiment(project, "levenshtein_distance", references=REFERENCES)
    for variant in ("one", "two"):
        factories.scored_run(experiment, REFERENCES, variant)
    result = found(experiment)

    assert (result.alike, result.right, result.wrong, result.contradicted) == (6, 6, None, None)


def test_answers_are_found_after_examples_moved(project):
    experiment = factories.experiment(project, "exact_match", references=REFERENCES)
    datasets.edit(experiment.dataset, None, 1, {"metadata": {"topic": "law"}})
    experiment.dataset.refresh_from_db()
    versions = [version.evaluator for version in experiments.versions_of(experiment)]
    later = experiments.create(project, None, "later", experiment.dataset, versions)
    for variant in ("one", "two"):
        factories.scored_run(later, (None, "Rome", "Oslo", "Berne", "Riga", "Kyiv", "Paris"), variant)
    result = found(later)

    assert [(item.position, item.answer) for item in result.contradicted_listed] == [(4, "Berne")]


def test_one_variant_tells_nothing(project):
    experiment = factories.experiment(project)
    factories.scored_run(experiment)

    assert (found(experiment).examples, found(experiment).alike_listed) == (0, ())
