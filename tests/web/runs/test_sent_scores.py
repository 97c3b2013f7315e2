"""The page that adds scores of elsewhere to a run, and those that add other things from a file."""

import pytest
from django.urls import reverse

from evaluations.models import Evaluator
from tests import factories
from tests.labelling.conftest import label_set

__all__ = ["label_set"]

pytestmark = pytest.mark.django_db

GOOD = {"name": "cites a source", "text": "position,value,note\n1,0.5,short\n2,1,fine\n3,0,none\n"}
BAD = GOOD | {"text": "position,value\n1,0.5\n2,lots\n"}


@pytest.fixture
def run(project):
    return factories.scored_run(factories.experiment(project))


def test_scores_of_a_file_are_added_removed_and_brought_back(alices, run):
    page = alices.post(reverse("scores-create", args=[run.pk]), GOOD, follow=True).content.decode()
    assert "3 scores of cites a source added." in page

    evaluator = Evaluator.objects.get(name="cites a source")
    page = alices.post(reverse("scores-delete", args=[run.pk, evaluator.pk]), follow=True).content.decode()
    undo = reverse("scores-restore", args=[run.pk, evaluator.pk])
    assert undo in page
    assert "Scores of cites a source are back." in alices.post(undo, follow=True).content.decode()


def test_a_row_in_error_is_named_and_nothing_is_added(alices, run):
    refused = alices.post(reverse("scores-create", args=[run.pk]), BAD)

    assert refused.status_code == 400
    assert "lots" in refused.content.decode()
    assert not Evaluator.objects.filter(name="cites a source").exists()


def test_a_file_sent_by_script_comes_back_refused_or_leads_on(alices, run, label_set):
    """Htmx shows a refused form only with 422, and what follows a redirect would stand below the old address."""
    labels = {"run": run.pk, "random": "on", "text": "position,label,by\n1,pass,Ann\n"}
    for address, refused, sent in (
        (reverse("scores-create", args=[run.pk]), BAD, GOOD),
        (reverse("labelset-labels", args=[label_set.pk]), labels | {"text": ""}, labels),
    ):
        refusal = alices.post(address, refused, headers={"HX-Request": "true"})
        success = alices.post(address, sent, headers={"HX-Request": "true"})

        assert refusal.status_code == 422
        assert "data-upload" in refusal.content.decode()
        assert success.headers.get("HX-Redirect")
