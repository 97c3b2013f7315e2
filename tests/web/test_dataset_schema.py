"""The schema of a dataset, on its page and by the API."""

import pytest

from evaluations.models import Dataset
from tests import factories
from tests.pages import markup

pytestmark = pytest.mark.django_db
SCHEMA = '{"reference": {"answer": {"type": "string", "maxLength": 4}}}'


@pytest.fixture
def dataset(project):
    return factories.dataset(project)


@pytest.fixture
def alices(as_user, alice):
    return as_user(alice)


def test_a_schema_is_saved_and_held_against_the_examples(alices, dataset):
    address = f"/datasets/{dataset.pk}/schema/"

    answer = alices.post(address, {"schema": SCHEMA})

    assert answer.status_code == 302
    assert Dataset.objects.get().schema["reference"]["answer"]["maxLength"] == 4
    assert "1 of the first 3 examples do not fit" in markup(alices.get(address))


@pytest.mark.parametrize("sent", ["{", "[]", '{"reference": {"answer": {"type": "text"}}}'])
def test_a_schema_that_cannot_be_used_is_refused_with_its_text(alices, dataset, sent):
    answer = alices.post(f"/datasets/{dataset.pk}/schema/", {"schema": sent})

    assert answer.status_code == 400
    assert Dataset.objects.get().schema == {}


def test_a_suggestion_is_shown_and_not_stored(alices, dataset):
    html = markup(alices.get(f"/datasets/{dataset.pk}/schema/?suggested=1"))

    assert "&quot;type&quot;: &quot;string&quot;" in html
    assert Dataset.objects.get().schema == {}
