"""Files with few rows and rows that cannot be read."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from tests.pages import text_of

pytestmark = pytest.mark.django_db

FEW = b"id,question,reference,x,y\n1,A?,1,1,2\n2,B?,2,2,2\n"
BROKEN = (
    b"".join(b'{"question": "q%d", "reference": "1"}\n' % n for n in range(40))
    + b'{"question": "a" "b": 1}\n' * 5
)


def _send(client, content, name):
    file = SimpleUploadedFile(name, content)
    return client.post("/p/default/datasets/upload/", {"file": file}, follow=True)


def test_two_columns_of_few_rows_are_asked_about(alices):
    page = _send(alices, FEW, "few.csv")
    fields = {f"column-{c.number}": c.source for c in page.context["choices"].columns}
    fields |= {f"role-{c.number}": c.role for c in page.context["choices"].columns}

    taken = alices.post(page.request["PATH_INFO"], fields | {"likely": "perhaps"})

    assert "Are x and y outputs of variants?" in text_of(page)
    roles = {c.source: c.role for c in taken.context["choices"].columns}
    assert (roles["x"], roles["y"]) == ("output", "output")


def test_rows_that_cannot_be_read_are_listed_by_kind_and_downloaded_whole(alices):
    page = _send(alices, BROKEN, "broken.jsonl")
    upload = page.context["upload"]

    confirm = text_of(alices.get(f"/uploads/{upload.pk}/confirm/"))
    file = alices.get(f"/uploads/{upload.pk}/refused/").content.decode()

    assert "5 rows cannot be read." in confirm
    assert "Download the rows that are left out" in confirm
    assert (
        "Lines 41, 42, 43, 44, 45: Invalid JSON at character 18: a comma or a closing bracket is missing"
        in confirm
    )
    assert file.count("json_invalid") == 5
