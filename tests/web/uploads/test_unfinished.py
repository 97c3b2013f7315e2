"""A file that was uploaded and not confirmed can be found again, by whoever uploaded it, or discarded."""

import pytest
from django.core.files.storage import default_storage
from django.urls import reverse
from django.utils import timezone

from evaluations.imports.uploads import uploads
from evaluations.models import Upload
from tests import factories
from tests.pages import text_of

pytestmark = pytest.mark.django_db
FILE = "question,answer\nWhere?,here\n"
PAGES = ["dataset-upload", "dataset-list"]


@pytest.fixture
def upload(project, alice):
    parked = factories.parked(project, FILE, "mail.csv")
    Upload.objects.filter(pk=parked.pk).update(user=alice)
    return Upload.objects.get(pk=parked.pk)


@pytest.mark.parametrize("name", PAGES)
def test_the_way_back_to_an_unfinished_upload_stands_on_both_pages(alices, project, upload, name):
    answer = alices.get(reverse(name, args=[project.slug]))

    assert "Not imported yet. mail.csv, " in text_of(answer)
    assert alices.get(reverse("upload-columns", args=[upload.pk])).status_code == 200
    assert reverse("upload-columns", args=[upload.pk]) in answer.content.decode()


def test_nobody_else_sees_it_and_one_for_a_variant_or_expired_is_not_offered(
    alices, project, upload, admin_user
):
    experiment = factories.experiment(project)
    Upload.objects.filter(pk=upload.pk).update(mapping={"experiment": experiment.pk})
    assert uploads.unfinished(project, upload.user) == []

    Upload.objects.filter(pk=upload.pk).update(mapping={})
    assert uploads.unfinished(project, upload.user) == [upload]
    assert uploads.unfinished(project, admin_user) == []

    Upload.objects.filter(pk=upload.pk).update(touched_at=timezone.now() - uploads.KEPT_FOR)
    assert uploads.unfinished(project, upload.user) == []


def test_a_discarded_file_is_gone(alices, project, upload, django_capture_on_commit_callbacks):
    there = reverse("dataset-list", args=[project.slug])

    with django_capture_on_commit_callbacks(execute=True):
        answer = alices.post(reverse("upload-discard", args=[upload.pk]), {"next": there})

    assert answer.url == there
    assert not Upload.objects.filter(pk=upload.pk).exists()
    assert not default_storage.exists(upload.stored_as)
