"""A project has so many evaluators that a page can offer all of them."""

import pytest

from evaluations.access import projects
from evaluations.errors import Conflict
from evaluations.evaluators import evaluators, named, sent
from evaluations.labelling import sets
from evaluations.models import Evaluator
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def full(project, monkeypatch):
    monkeypatch.setattr(named, "MOST", 1)
    factories.evaluator(project)
    return project


@pytest.mark.parametrize(
    "create",
    [
        lambda project: evaluators.create(project, None, "more", "exact_match", {}, {}),
        lambda project: sent.version(project, None, "more", {}),
        lambda project: sets.create(project, None, "more", {"question": "Good?"}),
    ],
    ids=["computed", "sent", "people"],
)
def test_a_full_project_takes_no_evaluator_of_any_kind(full, create):
    with pytest.raises(Conflict) as refusal:
        create(full)

    assert refusal.value.code == "too_many_evaluators"
    assert Evaluator.objects.filter(project=full).count() == 1


def test_a_deleted_evaluator_makes_room(full, alice):
    evaluators.delete(Evaluator.objects.get(project=full))

    named.add(full, alice, "more")
    named.add(projects.create("Elsewhere", alice), alice, "more")
