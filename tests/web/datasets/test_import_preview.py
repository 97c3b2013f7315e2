"""The page of a tried import whose rows the dataset would refuse, and the step before it."""

import pytest

from evaluations.models import DatasetImport, Upload
from tests import factories
from tests.imports.test_changes import KEYED, change, jsonl, parked, row
from tests.pages import markup, text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def dataset(project):
    return factories.imported(project, jsonl(row("a"), row("b"), row("c")), mapping=KEYED)


def test_a_preview_with_refused_rows_counts_them_and_leads_to_what_helps(alices, alice, dataset):
    tried = change(dataset, "append", row("a", "no"), row("d"), row("e"), dry_run=True, on_error="reject")
    Upload.objects.update(user=alice)
    assert tried.status == DatasetImport.Status.FAILED

    page = alices.get(f"/datasets/{dataset.pk}/imports/{tried.pk}/")

    assert "1 of 3 rows would be refused." in text_of(page)
    assert f'href="/uploads/{tried.upload_id}/confirm/?mode=merge"' in markup(page)


def test_the_last_step_says_what_each_way_to_read_the_file_does(alices, alice, dataset):
    upload = parked(dataset.project, jsonl(row("a", "no"), row("d")))
    Upload.objects.filter(pk=upload.pk).update(user=alice, mapping=KEYED | {"dataset": dataset.pk})

    page = text_of(alices.get(f"/uploads/{upload.pk}/confirm/?mode=merge"))

    for words in ("(1 added, 1 refused)", "(1 added, 1 changed)", "(1 added, 1 changed, 2 removed)"):
        assert words in page
