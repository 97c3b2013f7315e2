from datetime import timedelta

from django.utils import timezone

from evaluations.imports.progress import progress
from evaluations.models import Import


def _import(seconds, bytes_done):
    started_at = timezone.now() - timedelta(seconds=seconds)
    return Import(stored_as="a", started_at=started_at, rows_done=500, bytes_done=bytes_done, size=1_000)


def test_the_time_left_of_an_import_follows_from_the_bytes_that_it_has_read():
    of_import = progress(_import(seconds=10, bytes_done=250))
    assert of_import.rate == 50
    assert timedelta(seconds=29) < of_import.time_left < timedelta(seconds=31)


def test_an_import_that_has_just_begun_has_no_time_left():
    assert progress(_import(seconds=2, bytes_done=250)).time_left is None
    assert progress(_import(seconds=10, bytes_done=19)).time_left is None
