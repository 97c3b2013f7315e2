"""The older version is the baseline of a launch, unless the dataset or a person says otherwise."""

import pytest

from evaluations.errors import Invalid
from evaluations.experiments import experiments
from evaluations.launches import baselines
from evaluations.launches.plans import Variant
from evaluations.prompts import prompts
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def experiment(project):
    return factories.experiment(project)


@pytest.fixture
def variants(experiment, project):
    prompt = factories.prompt(project)
    messages = [{"role": "user", "content": "Think first. {{ question }}"}]
    prompts.add_version(prompt, None, {"messages": messages})
    return [Variant(version) for version in prompt.versions.order_by("-number")]


def settled(experiment, variants, named=""):
    baselines.settle(experiment, variants, named)
    experiment.refresh_from_db()
    return experiment.baseline


def test_the_older_version_is_the_baseline_whatever_the_order(experiment, variants):
    assert settled(experiment, variants) == variants[1].label


def test_the_baseline_of_the_last_experiment_on_the_dataset_stays_it(project, experiment, variants):
    later = experiments.create(project, None, "again", experiment.dataset, [])
    settled(experiment, variants, variants[0].label)

    assert settled(later, variants) == variants[0].label


def test_a_named_variant_is_the_baseline_and_another_name_is_refused(experiment, variants):
    assert settled(experiment, variants, variants[0].label) == variants[0].label
    with pytest.raises(Invalid, match="No variant"):
        settled(experiment, variants, "other")


def test_an_experiment_with_runs_keeps_its_baseline(experiment, variants):
    factories.run(experiment, start=False)

    assert settled(experiment, variants) == ""
