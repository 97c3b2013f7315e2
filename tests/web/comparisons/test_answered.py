"""The row of answered examples, which says something only where the variants differ."""

import pytest

from evaluations.comparisons import overviews
from evaluations.datasets import datasets
from evaluations.experiments import experiments
from tests import factories

pytestmark = pytest.mark.django_db
OUTPUTS = ("Paris", None, "Oslo")


@pytest.mark.parametrize(
    ("other", "is_shown"), [(("Rome", "Rome", None), False), (("Rome", "Rome", "Oslo"), True)]
)
def test_the_row_is_shown_if_one_variant_answered_more(alices, project, other, is_shown):
    experiment = factories.experiment(project)
    factories.scored_run(experiment, OUTPUTS, "old")
    factories.scored_run(experiment, other, "new")

    page = alices.get(f"/experiments/{experiment.pk}/").content.decode()

    assert (">Answered<" in page.replace("\n", "").replace(" ", "")) is is_shown


def test_the_list_counts_the_examples_that_were_asked(project):
    experiment = factories.experiment(project)
    factories.scored_run(experiment, OUTPUTS, "old")
    datasets.append(experiment.dataset, None, [{"inputs": {"question": "new"}}])
    experiment.refresh_from_db()
    experiments.use_dataset_version(experiment)

    [overview] = overviews.load([experiment])

    assert overview.example_count == 3
