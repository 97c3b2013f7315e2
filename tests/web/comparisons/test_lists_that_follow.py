"""The list of examples says the same as the figures above it."""

import pytest

from evaluations.models import Run
from tests import factories

pytestmark = pytest.mark.django_db


def test_finished_figures_bring_their_list(alices, project):
    experiment = factories.experiment(project)
    run = factories.scored_run(experiment, variant="v1")
    factories.scored_run(experiment, ("Paris", "Rome", "Oslo"), variant="v2")
    live = {"HX-Request": "true", "HX-Target": "live"}

    finished = alices.get(f"/experiments/{experiment.pk}/", headers=live).content.decode()
    Run.objects.filter(pk=run.pk).update(status=Run.Status.QUEUED)
    going = alices.get(f"/experiments/{experiment.pk}/", headers=live).content.decode()

    assert finished.count('id="examples"') == 1
    assert 'hx-swap-oob="true"' in finished[finished.index('id="examples"') :][:100]
    assert 'id="examples"' not in going
    assert 'hx-target="#examples"' in going
