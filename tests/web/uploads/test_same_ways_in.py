"""A file gives the same examples and outputs by the page as by the API, or both name what decides."""

import json
from typing import Any

import pytest

from evaluations.datasets import datasets
from evaluations.models import Dataset, Output
from tests import factories
from tests.api.conftest import import_all, program
from tests.api.test_ways_in import BOOK, NESTED, RECORDS, SPLIT, WRAPPED, workbook
from tests.pages import text_of

from .test_uploads import arrive, fields, send

pytestmark = pytest.mark.django_db
TABLE = json.dumps(SPLIT | {"data": [["A?", "one", "one", 1], ["B?", "two", "six", 0]]}).encode()
PAIRS = [{"inputs": {"q": f"{n}"}, "outputs": {"a": f"{n}{n}"}, "metadata": {"split": "x"}} for n in range(3)]
CASES = {
    "JSON": ("[" + json.dumps(PAIRS[0]) + "," + json.dumps(PAIRS[1]) + "]").encode(),
    "rows in an object": json.dumps(WRAPPED).encode(),
    "objects in columns": json.dumps(RECORDS).encode(),
    "inputs and outputs": factories.jsonl(*PAIRS).encode(),
    "names and cells": TABLE,
    "rows in rows": json.dumps(NESTED).encode(),
    "backslash before quotes": b'id,question,answer\n1,"say \\"hi\\", ok","a\\"b"\n2,q,b\n',
    "semicolons": "id;question;answer\n1;Größe?;ß\n2;b;c\n".encode("utf-8-sig"),
    "workbook": workbook(first=[["id", "question", "answer"], ["007", "a\nb", "c"], ["008", "d", "e"]]),
}
ENDINGS = {
    "workbook": "xlsx",
    "backslash before quotes": "csv",
    "semicolons": "csv",
    "inputs and outputs": "jsonl",
}


def contents(dataset: Dataset) -> dict[str, Any]:
    """The columns, examples and outputs of a dataset."""
    rows = datasets.examples(dataset).order_by("position")
    outputs = Output.objects.filter(run__experiment__dataset=dataset).order_by("run", "position")
    return {
        "columns": dataset.columns,
        "rows": [(row.key, row.inputs, row.reference, row.metadata) for row in rows],
        "outputs": [(output.run.variant, output.position, output.text) for output in outputs],
    }


@pytest.mark.long
@pytest.mark.parametrize("case", CASES)
def test_the_page_and_the_api_make_the_same_of_a_file(alices, project, case):
    name = f"file.{ENDINGS.get(case, 'json')}"
    sent = program(project, "write").upload("datasets/", CASES[case], name, name="by api")
    assert sent.status_code == 202, sent.content
    columns, html = arrive(alices, CASES[case], name)
    confirm = alices.post(columns, fields(html) | {"continue": ""})["Location"]
    alices.post(confirm, {"name": "by page", "on_error": "reject"})
    import_all()

    by_api, by_page = Dataset.objects.get(name="by api"), Dataset.objects.get(name="by page")
    assert (by_api.status, by_page.status) == ("ready", "ready"), (by_api.errors, by_page.errors)
    assert contents(by_page) == contents(by_api)


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("tests.yaml", b"- question: two plus two\n  answer: four\n"),
        ("results.xml", b"<suite>\n<case/></suite>\n"),
    ],
)
def test_both_refuse_a_type_by_its_name(alices, project, name, file):
    by_api = program(project, "write").upload("datasets/", file, name, name="d")
    by_page = send(alices, file, name)

    kind = name.rpartition(".")[2].upper()
    assert (by_api.status_code, by_page.status_code) == (400, 400)
    assert kind in by_api.json()["error"]["message"]
    assert kind in text_of(by_page)


@pytest.mark.long
def test_both_ask_which_sheet(alices, project):
    asked = program(project, "write").upload("datasets/", workbook(**BOOK), "b.xlsx", name="d", ask="true")
    _, html = arrive(alices, workbook(**BOOK), "b.xlsx")

    assert asked.json()["error"]["choices"][0]["values"] == ["first", "second"]
    assert fields(html)["sheet"] == "first"
