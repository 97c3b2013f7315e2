"""All that says how long labelling takes reads the pace of the project's own labels."""

import pytest

from evaluations.labelling import sets, tasks
from evaluations.models import Label
from evaluations.web.labelling import pace
from tests import factories

pytestmark = pytest.mark.django_db


def test_the_time_left_is_that_of_labels_given_so_far(alices, alice, project):
    run = factories.scored_run(factories.experiment(project))
    task = tasks.create(sets.create(project, alice, "Kind", {}), alice, [run], tasks.Plan(size=3, seed=1))
    alices.post(f"/labels/{task.pk}/begin/")
    before = alices.get(f"/labels/{task.pk}/rate/").context["seconds_left"]
    item = alices.get(f"/labels/{task.pk}/rate/").context["shown"]
    alices.post(f"/labels/{task.pk}/store/", {"item": item.item, "lease": item.lease, "value": "pass"})
    Label.objects.update(seconds=4)

    left = alices.get(f"/labels/{task.pk}/rate/").context["seconds_left"]

    assert (before, left) == (3 * pace.SECONDS, 2 * 4)
