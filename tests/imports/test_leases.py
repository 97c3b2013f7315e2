"""The lease of an import while its file is fetched, before any row is stored."""

import io

import pytest
from django.core.files.base import File
from django.core.files.storage import default_storage

from evaluations.imports import imports
from evaluations.imports.uploads import uploads
from evaluations.models import Dataset, Import
from tests import factories
from tests.processes import wait_until

pytestmark = pytest.mark.django_db(transaction=True)
CONTENT = factories.jsonl({"question": "1+1", "answer": "2"}).encode()


def test_a_storage_that_takes_longer_than_a_lease_keeps_the_file_in_hand(project, settings, monkeypatch):
    settings.EVALSITE_LEASE = 2
    upload = uploads.park(project, None, File(io.BytesIO(CONTENT), name="rows.jsonl"))
    dataset = imports.begin(upload, "from a slow bucket", None)
    job, opened = Import.objects.get(), default_storage.open

    def slowly(name: str) -> object:
        first = Import.objects.get().lease_until
        wait_until(lambda: Import.objects.get().lease_until > first, "the lease is extended")
        return opened(name)

    monkeypatch.setattr(default_storage, "open", slowly)
    imports.run_import(job.pk)

    dataset.refresh_from_db()
    assert (dataset.status, dataset.example_count) == (Dataset.Status.READY, 1)


def test_a_lease_that_was_lost_meanwhile_is_not_taken_back(project, settings, monkeypatch):
    settings.EVALSITE_LEASE = 2
    upload = uploads.park(project, None, File(io.BytesIO(CONTENT), name="rows.jsonl"))
    dataset = imports.begin(upload, "taken over", None)
    job, opened = Import.objects.get(), default_storage.open

    def lost(name: str) -> object:
        Import.objects.update(token="another", lease_until=None)
        return opened(name)

    monkeypatch.setattr(default_storage, "open", lost)
    imports.run_import(job.pk)

    dataset.refresh_from_db()
    assert (dataset.status, Import.objects.get().token) == (Dataset.Status.IMPORTING, "another")
