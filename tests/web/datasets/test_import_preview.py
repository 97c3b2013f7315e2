"""The page of a tried import whose rows the dataset would refuse, and the step before it."""

import re

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


def test_a_preview_counts_what_it_refuses_and_names_what_an_example_lacks(alices, alice, dataset):
    rows = jsonl(row("d"), {"id": "e", "a": "yes"}, row("f")) + "not JSON\n"
    tried = change(dataset, "append", content=rows, dry_run=True, on_error="skip")
    Upload.objects.update(user=alice)

    page = alices.get(f"/datasets/{dataset.pk}/imports/{tried.pk}/")

    assert "refused 1 added 3" in text_of(page)
    assert "q no value a yes" in text_of(page)
    assert "Import 3 rows" in text_of(page)


def test_only_the_words_of_a_short_text_that_differ_are_marked(alices, dataset):
    change(dataset, "merge", row("a", "yes, in May"))
    change(dataset, "merge", row("a", "no, in May"))

    page = markup(alices.get(f"/datasets/{dataset.pk}/diff/?from=2&to=3"))

    assert "in May" in page
    assert "in May" not in "".join(re.findall(r"<(?:ins|del)>.*?</(?:ins|del)>", page))


def test_a_preview_whose_file_is_gone_offers_to_upload_it_again(alices, alice, dataset):
    tried = change(dataset, "append", row("d"), dry_run=True)
    Upload.objects.all().delete()

    page = markup(alices.get(f"/datasets/{dataset.pk}/imports/{tried.pk}/"))

    assert f'href="/datasets/{dataset.pk}/append/">Upload again' in page


def test_an_upload_that_has_expired_offers_to_upload_again(alices, project):
    alices.get(f"/p/{project.slug}/")

    page = markup(alices.get("/uploads/4711/columns/"))

    assert f'href="/p/{project.slug}/datasets/upload/">Upload again' in page
