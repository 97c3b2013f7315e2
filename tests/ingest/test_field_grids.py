"""Fields that several models read out of texts, each in a column, are an object for each model."""

import io
import json

import pytest

from evaluations import ingest

FIELDS = ("company", "total")


def receipt(n, **said):
    right = {"company": f"Shop {n}", "total": f"{n}.50"}
    return (
        {"id": f"r{n}", "text": f"Receipt {n}"}
        | right
        | {
            f"{model}_{field}": right[field] if n % share else "?"
            for model, share in said.items()
            for field in FIELDS
        }
    )


def read(rows):
    content = io.BytesIO("\n".join(map(json.dumps, rows)).encode())
    fmt = ingest.sniff(content, "rows.jsonl", limits=ingest.Limits())
    reader = ingest.open_rows(content, fmt, ingest.Limits())
    return fmt, [row for batch in reader for row in batch.rows], reader


def test_fields_that_models_read_are_an_object_for_each():
    fmt, rows, reader = read([receipt(n, small=2, large=5) for n in range(1, 30)])

    assert rows[0] == {
        "id": "r1",
        "text": "Receipt 1",
        "expected": {"company": "Shop 1", "total": "1.50"},
        "small": {"company": "Shop 1", "total": "1.50"},
        "large": {"company": "Shop 1", "total": "1.50"},
    }
    assert reader.outputs == {"small": "small", "large": "large"}
    assert [warning.code for warning in fmt.warnings] == ["fields_by_model"]
    assert ingest.Format.from_dict(json.loads(json.dumps(fmt.as_dict()))) == fmt


def test_a_field_without_a_value_is_left_out_and_nothing_is_no_output():
    *_, last = (
        receipt(n, small=2, large=5) | {"small_company": "", "large_company": None, "large_total": ""}
        for n in range(1, 30)
    )
    _, rows, _ = read([*(receipt(n, small=2, large=5) for n in range(1, 30)), last])

    assert rows[-1]["small"] == {"total": "29.50"}
    assert rows[-1]["large"] is None


@pytest.mark.parametrize(
    ("beside", "said"),
    [
        ({}, {"small": 1, "large": 1}),
        ({"note": "checked", "small_note": "blurred", "large_note": "torn"}, {"small": 2, "large": 5}),
        ({"due": ["", "", "2026"], "small_due": "", "large_due": ""}, {"small": 2, "large": 5}),
        ({"currency": "EUR", "small_currency": "EUR", "large_currency": "EUR"}, {"small": 2, "large": 5}),
    ],
    ids=["never said", "one never said", "only blank", "only one value"],
)
def test_columns_that_need_not_say_the_fields_are_no_grid(beside, said):
    rows = [
        receipt(n, **said)
        | {name: cell[n % 3] if isinstance(cell, list) else cell for name, cell in beside.items()}
        for n in range(1, 30)
    ]
    fmt, _, _ = read(rows)

    assert fmt.grid == ()


@pytest.mark.parametrize(
    ("right", "said"),
    [
        ("gold_{}", "{model}_{}"),
        ("{}_gt", "{}_{model}"),
        ("{} (expected)", "{} ({model})"),
        ("ground_truth_{}", "{model}_{}"),
    ],
)
def test_a_word_beside_the_name_of_a_field_says_what_is_right(right, said):
    made = [
        {"text": f"Receipt {n}"}
        | {right.format(field): f"{field} {n}" for field in FIELDS}
        | {
            said.format(field, model=model): f"{field} {n}" if n % share else "?"
            for model, share in (("small", 2), ("large", 5))
            for field in FIELDS
        }
        for n in range(1, 30)
    ]
    _, rows, reader = read(made)

    assert rows[0]["expected"] == {"company": "company 1", "total": "total 1"}
    assert rows[0]["large"] == rows[0]["expected"]
    assert reader.outputs == {"small": "small", "large": "large"}


def test_beside_right_fields_one_model_is_enough():
    rows = [
        {"file": f"{n}.pdf", "gold_company": f"Shop {n}", "gold_total": f"{n}.50"}
        | {"pred_company": f"Shop {n}" if n % 4 else "?", "pred_total": f"{n}.50"}
        for n in range(1, 30)
    ]

    assert read(rows)[1][3]["pred"] == {"company": "?", "total": "4.50"}


def test_fields_in_rows_of_one_model_each_are_an_object_beside_those_called_right():
    rows = [
        {"file": f"f{n}.pdf", "model": model}
        | {f"expected {name}": value for name, value in right.items()}
        | {name: value if n % share else "?" for name, value in right.items()}
        for model, share in (("azure", 7), ("textract", 3))
        for n in range(1, 30)
        if (right := {"Invoice no.": f"R-{n}", "Total": f"{n}.50"})
    ]

    _, found, reader = read(rows)

    assert reader.outputs == {"output": "output"}
    assert found[2] == {
        "file": "f3.pdf",
        "model": "azure",
        "expected": {"Invoice no": "R-3", "Total": "3.50"},
        "output": {"Invoice no": "R-3", "Total": "3.50"},
    }
