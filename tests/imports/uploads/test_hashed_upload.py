"""Files that are hashed during their upload, as Django's form parser delivers them."""

import hashlib
import io
import os
from pathlib import Path

import pytest
from django.test import RequestFactory

from evaluations.imports.uploads import hashed_upload, uploads
from evaluations.models import Upload

LARGE = b"question\n" + b"a row\n" * 1_000_000


def received_file(content: bytes):
    """The file as views receive it."""
    request = RequestFactory().post("/", {"file": io.BytesIO(content)})
    return request.FILES["file"]


@pytest.mark.parametrize("piece", [1, hashed_upload.PIECE, 10 * len(LARGE)])
def test_a_large_file_has_its_hash_on_arrival(monkeypatch, piece):
    monkeypatch.setattr(hashed_upload, "PIECE", piece)

    assert received_file(LARGE).sha256 == hashlib.sha256(LARGE).hexdigest()


def test_each_of_two_large_files_has_its_own_hash():
    request = RequestFactory().post("/", {"a": io.BytesIO(LARGE), "b": io.BytesIO(LARGE + b"one more\n")})

    assert request.FILES["a"].sha256 == hashlib.sha256(LARGE).hexdigest()
    assert request.FILES["b"].sha256 == hashlib.sha256(LARGE + b"one more\n").hexdigest()


@pytest.mark.django_db
@pytest.mark.parametrize("content", [LARGE, LARGE[:1_000]], ids=["large", "small"])
def test_files_of_any_size_are_hashed(project, content):
    with received_file(content) as file:
        uploads.park(project, None, file)

    assert Upload.objects.get().sha256 == hashlib.sha256(content).hexdigest()


def _left_an_hour_ago(file: Path) -> Path:
    os.utime(file, (0, 0))
    return file


def test_partial_files_of_killed_processes_are_removed(settings, tmp_path):
    settings.FILE_UPLOAD_TEMP_DIR = tmp_path
    file = tmp_path / "tmpabcdefgh.upload.csv"
    file.touch()

    uploads.clear_interrupted()
    assert file.exists()  # it may just have been created
    _left_an_hour_ago(file)
    uploads.clear_interrupted()

    assert not file.exists()


def test_a_file_that_is_still_worked_on_stays(settings, tmp_path):
    settings.FILE_UPLOAD_TEMP_DIR = tmp_path
    with received_file(LARGE) as file:
        path = _left_an_hour_ago(Path(file.temporary_file_path()))
        uploads.clear_interrupted()

        assert path.exists()
