"""Rows that a file has wrong are offered as a file with its columns and an error for each."""

import csv
import io

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from evaluations.imports.uploads import uploads
from tests.factories import imported

pytestmark = pytest.mark.django_db
RAGGED = "id,question,answer\na,1+1,2\nb,only two\na,again,2\nd,=2+2,4,more\n"
MAPPING = {"inputs": ["question"], "reference": ["answer"], "key": "id"}


def test_those_of_the_preview(alices, alice, project):
    upload = uploads.park(project, alice, SimpleUploadedFile("rows.csv", RAGGED.encode()))
    page = alices.get(f"/uploads/{upload.pk}/columns/").content.decode()
    file = alices.get(f"/uploads/{upload.pk}/refused/").content.decode()

    assert f'href="/uploads/{upload.pk}/refused/"' in page
    assert [(row["line"], row["question"], row["cell_4"]) for row in csv.DictReader(io.StringIO(file))] == [
        ("3", "only two", ""),
        ("4", "again", ""),
        ("5", "'=2+2", "more"),
    ]
    assert "Line 4: the key “a” is on line 2 already." in file
    confirm = alices.get(f"/uploads/{upload.pk}/confirm/").content.decode()
    assert "Line 4: the key “a” is on line 2 already." in confirm
    assert "Give each row its own key." in confirm


def test_those_of_a_file_of_which_nothing_was_imported(alices, project):
    dataset = imported(project, RAGGED, "rows.csv", MAPPING)

    assert (
        f'href="/datasets/{dataset.pk}/refused/"' in alices.get(f"/datasets/{dataset.pk}/").content.decode()
    )
    file = b"".join(alices.get(f"/datasets/{dataset.pk}/refused/")).decode()
    assert file.splitlines()[0] == "id,question,answer,cell_4,line,code,error"
    assert "the key “a” already exists" in file


def test_what_a_row_lacks_that_is_left_out_is_not_counted(alices, alice, project):
    content = b"id,question,answer\na,1+1,2\nb,2+2,4\na,again,\n"
    upload = uploads.park(project, alice, SimpleUploadedFile("rows.csv", content))

    page = alices.get(f"/uploads/{upload.pk}/confirm/")

    assert page.context["forecast"].empty_parts["reference"] == 0
    assert "Download the rows that are left out" in page.content.decode()
