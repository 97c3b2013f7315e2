"""Rows that a file has wrong are offered as a file with its columns and an error for each."""

import csv
import io

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from evaluations.imports.uploads import uploads
from evaluations.models import Dataset
from tests.factories import imported
from tests.pages import text_of

pytestmark = pytest.mark.django_db
RAGGED = "id,question,answer\na,1+1,2\nb,only two\na,again,2\nd,=2+2,4,more\n"
COLUMNS = {
    f"{field}-{n}": text
    for n, one in enumerate((("id", "key"), ("question", "input"), ("answer", "reference")))
    for field, text in zip(("column", "role"), one, strict=True)
}
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
    assert "Give each row its own key in the column <bdi>id</bdi>." in " ".join(confirm.split())


def test_the_page_and_its_link_count_what_the_file_holds(alices, alice, project):
    upload = uploads.park(project, alice, SimpleUploadedFile("rows.csv", RAGGED.encode()))

    page = alices.get(f"/uploads/{upload.pk}/columns/")
    rows = [*csv.DictReader(io.StringIO(alices.get(f"/uploads/{upload.pk}/refused/").content.decode()))]

    assert "Download 3 rows" in text_of(page)
    assert len(rows) == sum(group.count for group in page.context["problems"]) == 3
    assert "The key “a” is on line 2 already." in text_of(page)


def test_repeated_keys_alone_are_told_before_the_last_step(alices, alice, project):
    content = b"id,question,answer\na,1+1,2\na,again,3\n"
    upload = uploads.park(project, alice, SimpleUploadedFile("rows.csv", content))

    assert "Download 1 row " in text_of(alices.get(f"/uploads/{upload.pk}/columns/"))


def test_of_a_long_file_no_number_of_its_first_rows_is_given_for_all(alices, alice, project):
    rows = "".join(f"k{n},{n},{n}\n" for n in range(1200))
    content = f"id,question,answer\nb,only two\n{rows}c,only two\n".encode()
    upload = uploads.park(project, alice, SimpleUploadedFile("rows.csv", content))

    page = text_of(alices.get(f"/uploads/{upload.pk}/columns/"))

    assert "Download the refused rows" in page
    assert len(alices.get(f"/uploads/{upload.pk}/refused/").content.decode().splitlines()) == 3


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


def test_rows_are_left_out_only_if_somebody_says_so(alices, alice, project):
    upload = uploads.park(project, alice, SimpleUploadedFile("rows.csv", RAGGED.encode()))
    alices.post(f"/uploads/{upload.pk}/columns/", {"continue": "yes"} | COLUMNS)

    page = alices.get(address := f"/uploads/{upload.pk}/confirm/")
    refused = alices.post(address, {"name": "rows"})

    assert page.context["form"]["on_error"].value() is None
    assert "Choose what becomes of the rows that cannot be imported." in refused.content.decode()
    assert not Dataset.objects.exists()
    assert alices.post(address, {"name": "rows", "on_error": "skip"}).status_code == 302


def test_a_row_in_one_piece_stands_in_a_column_of_its_own(alices, alice, project):
    content = b'{"id": "a", "question": "1+1"}\n{"id": "b",\n{"id": "a", "question": "again"}\n'
    dataset = imported(project, content.decode(), "rows.jsonl", {"inputs": ["question"], "key": "id"})

    file = b"".join(alices.get(f"/datasets/{dataset.pk}/refused/")).decode()

    assert [(row["id"], row["unread row"]) for row in csv.DictReader(io.StringIO(file))] == [
        ("", '{"id": "b",'),
        ("a", ""),
    ]


def test_a_file_of_which_no_row_can_be_read_leads_to_another_file(alices, alice, project):
    content = b"id,question\na,b,c\nd,e,f\n"
    upload = uploads.park(project, alice, SimpleUploadedFile("rows.csv", content))

    page = alices.get(f"/uploads/{upload.pk}/columns/").content.decode()

    assert "None of the 2 rows can be read." in page
    assert "Next: confirm" not in page
    assert page.index("Choose another file") > page.rindex("button-main")
