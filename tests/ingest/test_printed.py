"""Lists and records as Python prints them are what they print, if several columns have them."""

import io
import json

from evaluations import ingest


def read(name, content):
    file = io.BytesIO(content.encode())
    fmt = ingest.sniff(file, name, limits=ingest.Limits())
    return fmt, [row for batch in ingest.open_rows(file, fmt, ingest.Limits()) for row in batch.rows]


def orders(*, models):
    rows = [
        f"Order {n}," + ",".join(f"\"{{'sku': 'A-{n}', 'paid': True, 'note': None}}\"" for _ in models)
        for n in range(9)
    ]
    return "\n".join([f"text,{','.join(models)}", *rows])


def test_columns_of_printed_records_are_objects():
    fmt, rows = read("orders.csv", orders(models=["expected", "small", "large"]))

    told = {"sku": "A-3", "paid": True, "note": None}
    assert rows[3] == {"text": "Order 3", "expected": told, "small": told, "large": told}
    assert ingest.Format.from_dict(json.loads(json.dumps(fmt.as_dict()))) == fmt


def test_one_column_of_them_may_be_what_a_model_wrote():
    assert read("orders.csv", orders(models=["output"]))[1][3]["output"].startswith("{'sku'")
