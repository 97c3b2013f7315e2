"""Columns of what is right that are named as the fields of the objects that outputs are."""

import json

import pytest

from tests.ingest.test_guesses import guessed

FIELDS = ("customer", "order_id", "amount")
NAMES = ("Ada", "Ben", "Cleo", "Dan", "Eva")


def fields(row):
    return {"customer": NAMES[row % 5], "order_id": f"A{row * 37 % 100}", "amount": f"{row * 13 % 41}.50"}


def said(row, wrong_from):
    """What a model says: an amount as a number, and from `wrong_from` of ten rows on the customer of another row."""
    right = fields(row)
    name = right["customer"] if row % 10 < wrong_from else NAMES[(row + 1) % 5]
    return json.dumps(right | {"customer": name, "amount": float(right["amount"])})


def roles(row_of, rows=30):
    return guessed(*map(row_of, range(rows)))


@pytest.mark.parametrize("prefix", ["", "gold_", "expected_"])
@pytest.mark.parametrize("fence", ["{}", "```json\n{}\n```", "Here it is: {}"])
def test_each_column_of_a_field_is_right(prefix, fence):
    found = roles(
        lambda n: {
            "ticket": f"This is {fields(n)['customer']}, about order number {n}.",
            **{f"{prefix}{name}": value for name, value in fields(n).items()},
            "small": fence.format(said(n, 5)),
            "large": fence.format(said(n, 9)),
        }
    )

    assert {found[f"{prefix}{name}"] for name in FIELDS} == {"reference"}
    assert (found["small"], found["large"]) == ("output", "output")
    assert found["ticket"] == "inputs"


def test_the_whole_right_objects_count_before_their_fields():
    found = roles(lambda n: {**fields(n), "expected": fields(n), "small": said(n, 5), "large": said(n, 9)})

    assert found["expected"] == "reference"
    assert "reference" not in {found[name] for name in FIELDS}


def test_columns_of_other_contents_are_no_fields():
    found = roles(
        lambda n: {
            "customer": f"customer number {n}",
            "amount": f"{n}",
            "small": json.dumps({"customer": "nobody", "amount": "none"}),
            "large": json.dumps({"customer": "who knows", "amount": "some"}),
        }
    )

    assert "reference" not in {found["customer"], found["amount"]}
