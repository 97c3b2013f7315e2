"""The table of versions leaves out a column that is empty."""

import pytest

from tests import factories
from tests.pages import text_of

pytestmark = pytest.mark.django_db


def test_nobody_is_named_where_a_program_made_all_versions(alices, alice, project):
    dataset = factories.dataset(project)
    address = f"/datasets/{dataset.pk}/versions/"

    unsigned = text_of(alices.get(address))
    dataset.versions.update(created_by=alice)

    assert "Examples By When" not in unsigned
    assert "Examples By When" in text_of(alices.get(address))


def test_an_open_example_stays_open_when_it_is_read_in_another_way(alices, project):
    experiment = factories.experiment(project)
    for name in ("old", "new"):
        factories.scored_run(experiment, variant=name)

    page = alices.get(f"/experiments/{experiment.pk}/?open=2").content.decode()

    assert '<input type="hidden" name="open" value="2">' in page
