"""A file that is added to a dataset with references, and a file that an older version came from."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from tests import factories
from tests.pages import text_of

pytestmark = pytest.mark.django_db

ROWS = b"key,question,gold answer\nn1,Where?,Here\nn2,When?,Now\n"


def _send(client, address, content=ROWS):
    return client.post(address, {"file": SimpleUploadedFile("rows.csv", content)}, follow=True)


def test_a_file_without_the_reference_of_its_dataset_is_asked_for_it(alices, project):
    dataset = factories.dataset(project)
    page = _send(alices, f"/datasets/{dataset.pk}/append/", ROWS.replace(b"gold answer", b"reference"))
    address = page.request["PATH_INFO"]
    columns = {f"column-{c.number}": c.source for c in page.context["choices"].columns}
    roles = {"role-0": "key", "role-1": "input", "role-2": "metadata"}

    asked = alices.post(address, columns | roles | {"apply": "yes"})
    taken = alices.post(address, columns | roles | {"as_reference": "reference"})

    assert "has references ( answer ); this file has none." in text_of(asked)
    assert asked.context["lacks_reference"] == ["reference"]
    assert [(c.role, c.name) for c in taken.context["choices"].columns][2] == ("reference", "answer")
    assert taken.context["lacks_reference"] is None


def test_a_file_is_named_as_the_version_that_came_from_it(alices, project):
    dataset = factories.dataset(project)
    page = _send(alices, "/p/default/datasets/upload/")
    assert "You have this file already" not in text_of(page)
    type(dataset).objects.filter(pk=dataset.pk).update(sha256=page.context["upload"].sha256, version=3)

    again = text_of(_send(alices, "/p/default/datasets/upload/"))

    assert "You have this file already. It is version 1 of capitals" in again
    assert "which is at version 3 now." in again


def test_answers_of_variants_are_not_read_into_a_dataset_and_the_page_says_where_to_send_them(
    alices, project
):
    dataset = factories.dataset(project)
    rows = "".join(f"n{n},Where is {n}?,Here {n},{n} there,Here {n}\n" for n in range(30))
    content = f"key,question,answer,output_small,output_large\n{rows}".encode()

    page = text_of(_send(alices, f"/datasets/{dataset.pk}/append/", content))
    without = text_of(_send(alices, f"/datasets/{dataset.pk}/append/", ROWS))

    assert (
        "Not read as answers here: output_small , output_large A dataset has questions and right answers."
        in page
    )
    assert "Not read as answers here:" not in without
