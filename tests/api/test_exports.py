"""Exports of runs and datasets: complete, harmless in a spreadsheet, and with a file name that no header breaks on."""

import io
import json

import pytest

from evaluations.results import exports

from .conftest import import_all

FORMULAS = ["=cmd|' /C calc'!A0", "+1", "-1", "@x", "\tx", "\rx", "＝1"]


def content(response) -> bytes:
    assert response.status_code == 200
    return b"".join(response.streaming_content)


@pytest.fixture
def risky(writer) -> dict:
    """A run whose outputs are formulas."""
    examples = [{"key": f"k{n}", "inputs": {"q": text}} for n, text in enumerate(FORMULAS)]
    dataset = writer.create("datasets/", {"name": "Risky", "examples": examples})
    experiment = writer.create("experiments/", {"name": "Risky", "dataset": dataset["id"]})
    outputs = [{"key": f"k{n}", "output": text} for n, text in enumerate(FORMULAS)]
    return writer.create("runs/", {"experiment": experiment["id"], "variant": "x", "outputs": outputs})


def test_formulas_are_guarded_in_csv(writer, risky):
    text = content(writer.get(f"runs/{risky['id']}/export/?format=csv")).decode()

    assert all(f"'{formula}" in text for formula in FORMULAS)


def test_formulas_stay_as_they_are_if_asked(writer, risky):
    text = content(writer.get(f"runs/{risky['id']}/export/?format=csv&safe=false")).decode()

    assert all(formula in text and f"'{formula}" not in text for formula in FORMULAS)


def test_formulas_stay_as_they_are_in_json_lines(writer, risky):
    lines = content(writer.get(f"runs/{risky['id']}/export/?format=jsonl")).decode().splitlines()

    assert [json.loads(line)["output"] for line in lines] == FORMULAS


def test_a_part_of_a_large_dataset_is_an_excel_file(writer, dataset, experiment, monkeypatch):
    """The limit counts the rows of the file, not those of the dataset."""
    monkeypatch.setattr(exports, "MOST_XLSX_ROWS", 1)
    writer.create(f"datasets/{dataset['id']}/splits/", {"name": "one", "positions": [1]})
    part = {"experiment": experiment["id"], "variant": "part", "split": "one", "start": False}
    run = writer.create("runs/", part)

    paths = f"datasets/{dataset['id']}/export/?split=one&", f"runs/{run['id']}/export/?"

    assert [len(content(writer.get(f"{path}format=xlsx"))) > 0 for path in paths] == [True, True]


def test_parquet_can_be_read_again(writer, completed):
    parquet = pytest.importorskip("pyarrow.parquet")

    table = parquet.read_table(
        io.BytesIO(content(writer.get(f"runs/{completed['id']}/export/?format=parquet")))
    )

    assert table.column("output").to_pylist() == ["Paris", "Roma", "Lisbon"]


def test_an_exported_dataset_can_be_uploaded_again(writer, dataset):
    text = content(writer.get(f"datasets/{dataset['id']}/export/?format=csv&safe=false"))
    mapping = {"inputs": ["question"], "reference": ["answer"], "key": "key"}
    copy = writer.upload("datasets/", text, name="Copy", mapping=mapping).json()
    import_all()

    first, second = (
        writer.get(f"datasets/{pk}/examples/").json()["results"] for pk in (dataset["id"], copy["id"])
    )

    assert first == second


def test_rows_that_an_import_left_out_are_a_file(writer):
    dataset = writer.upload(
        "datasets/",
        b"id,question\na,x\nb,y,z\na,again\n",
        name="Part",
        on_error="skip",
        mapping={"key": "id", "inputs": ["question"]},
    ).json()
    import_all()

    lines = content(writer.get(f"datasets/{dataset['id']}/refused/?format=jsonl")).decode().splitlines()
    table = content(writer.get(f"datasets/{dataset['id']}/refused/")).decode().splitlines()

    assert [(json.loads(line)["line"], json.loads(line)["cells"]) for line in lines] == [
        (3, ["b", "y", "z"]),
        (4, ["a", "again"]),
    ]
    assert table[0] == "id,question,cell_3,line,code,error"
    assert writer.get(f"datasets/{dataset['id']}/").json()["error_count"] == 2


@pytest.mark.parametrize("name", ['../../x"\r\nSet-Cookie: a=b', "naïve 😀", "a/b;c", "x" * 200, "%0d%0a"])
def test_a_name_breaks_no_header(writer, experiment, name):
    run = writer.create("runs/", {"experiment": experiment["id"], "variant": name, "outputs": []})

    response = writer.get(f"runs/{run['id']}/export/?format=jsonl")

    header = response.headers["Content-Disposition"]
    assert header.startswith("attachment; filename")
    assert "\r" not in header
    assert "\n" not in header
    assert "Set-Cookie" not in response.headers
    assert response.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("accept", ["text/csv", "application/xml", "*/*"])
def test_a_file_is_given_whatever_is_accepted(writer, completed, accept):
    response = writer.get(f"runs/{completed['id']}/export/?format=csv", Accept=accept)

    assert response.headers["Content-Type"].startswith("text/csv")
