"""The list of labels before anybody was asked."""

import pytest

from tests import factories

pytestmark = pytest.mark.django_db


def test_without_an_experiment_it_leads_to_the_upload(alices, project):
    assert "/p/default/datasets/upload/" in alices.get("/p/default/tasks/").content.decode()


def test_with_one_it_leads_to_the_experiments(alices, project):
    factories.experiment(project)

    page = alices.get("/p/default/tasks/").content.decode()

    assert "Open the experiments" in page
