"""Reading of Parquet."""

import io
import json
import sys

import pytest

from evaluations import ingest

from .samples import UPLOADS, read, read_bytes

LIMITS = ingest.Limits()

pa = pytest.importorskip("pyarrow", reason="Parquet is an extra")
pq = pytest.importorskip("pyarrow.parquet")


def parquet(table, **options) -> bytes:
    file = io.BytesIO()
    pq.write_table(table, file, **options)
    return file.getvalue()


def test_types_become_json_and_missing_values_null():
    assert read("plain.parquet").rows == [
        {
            "id": "007",
            "n": 1,
            "f": 1.5,
            "when": "2023-11-14T22:13:20.123456789Z",
            "day": "2026-02-03",
            "price": "1.10",
            "tags": ["a", "b"],
            "nested": {"x": "y", "z": 1.5},
        },
        {
            "id": None,
            "n": 2,
            "f": None,
            "when": None,
            "day": None,
            "price": None,
            "tags": None,
            "nested": None,
        },
    ]


def classes(*names):
    return {"names": [*names], "_type": "ClassLabel"}


def with_features(columns, **features):
    kept = json.dumps({"info": {"features": features}}).encode()
    return parquet(pa.table(columns).replace_schema_metadata({b"huggingface": kept}))


def test_numbers_of_classes_are_read_as_the_names_that_the_file_has_for_them():
    columns = {
        "label": [0, 2, -1],
        "tags": [[1, 0], [], None],
        "year": [1999, 2000, 2001],
        "said": ["World", "", ""],
    }
    features = {"label": classes("World", "Sports", "Business"), "tags": {"feature": classes("new", "old")}}

    rows = read_bytes(with_features(columns, **features), "news.parquet").rows

    assert [row["label"] for row in rows] == ["World", "Business", None]
    assert [row["tags"] for row in rows] == [["old", "new"], [], None]
    assert [row["year"] for row in rows] == [1999, 2000, 2001]


def test_numbers_of_classes_stay_numbers_beside_others_that_may_be_of_them():
    columns = {"label": [0, 2], "said": [0, 1]}

    rows = read_bytes(
        with_features(columns, label=classes("World", "Sports", "Business")), "news.parquet"
    ).rows

    assert rows == [{"label": 0, "said": 0}, {"label": 2, "said": 1}]


def test_a_file_on_disk_is_read_without_a_copy():
    with (UPLOADS / "plain.parquet").open("rb") as file:
        reader = ingest.open_rows(file, ingest.sniff(file, "plain.parquet", limits=LIMITS), LIMITS)
        rows = [row for batch in reader for row in batch.rows]

    assert [row["id"] for row in rows] == ["007", None]


def test_maps_dictionaries_and_lists_of_objects_are_json():
    table = pa.table(
        {
            "map": pa.array([[("a", 1)], None], pa.map_(pa.string(), pa.int64())),
            "category": pa.array(["x", None]).dictionary_encode(),
            "steps": [[{"tool": "a"}, {"tool": None}], []],
        }
    )

    assert read_bytes(parquet(table), "a.parquet").rows == [
        {"map": {"a": 1}, "category": "x", "steps": [{"tool": "a"}, {"tool": None}]},
        {"map": None, "category": None, "steps": []},
    ]


def test_text_that_is_not_utf8_costs_its_row():
    file = read("text_is_not_utf8.parquet")

    assert file.rows == [{"text": "ok"}]
    assert [(error.code, error.where) for error in file.reader.errors] == [
        ("text_not_utf8", {"row": 2, "column": "text"})
    ]


def test_infinity_costs_its_row():
    file = read("infinity.parquet")

    assert (file.rows, file.reader.error_counts) == ([{"n": 1.0}], {"number_not_finite": 1})


def test_bytes_are_kept_as_base64_with_a_warning():
    file = read("binary_column.parquet")

    assert file.rows == [{"bytes": "/wA="}]
    assert [warning.code for warning in file.reader.warnings] == ["binary_as_base64"]


def test_nul_is_replaced_with_a_warning():
    file = read_bytes(parquet(pa.table({"a": ["x\0y", "z"]})), "a.parquet")

    assert file.rows == [{"a": "x\ufffdy"}, {"a": "z"}]
    assert [(w.code, w.first_lines) for w in file.reader.warnings] == [("text_replaced", (1,))]


@pytest.mark.parametrize("damage", [slice(None, -300), slice(0, 8), slice(0, 400)])
def test_a_damaged_file_is_one_error(damage):
    content = (UPLOADS / "plain.parquet").read_bytes()[damage]

    with pytest.raises(ingest.FileError) as error:
        read_bytes(content, "a.parquet")

    assert error.value.code == "parquet_unreadable"


def test_the_cause_of_damage_is_a_sentence_before_the_advice():
    content = (UPLOADS / "plain.parquet").read_bytes()

    with pytest.raises(ingest.FileError) as error:
        read_bytes(content[:-200] + b"\xff" * 192 + content[-8:], "a.parquet")

    assert error.value.code == "parquet_unreadable"
    assert error.value.message.endswith(".")


def test_a_reader_that_dies_is_one_error(monkeypatch):
    monkeypatch.setattr(sys, "executable", "/bin/false")

    with pytest.raises(ingest.FileError) as error:
        read("plain.parquet")

    assert error.value.code == "parquet_unreadable"


def test_a_missing_extra_is_named_in_the_error(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)

    with pytest.raises(ingest.FileError) as error:
        read("plain.parquet")

    assert error.value.code == "parquet_not_installed"


@pytest.mark.parametrize(
    ("table", "limits", "code"),
    [
        (pa.table({"a": ["x" * 21]}), ingest.Limits(cell_characters=20), "cell_too_large"),
        (pa.table({"a": [1, 2, 3]}), ingest.Limits(rows=2), "rows_limit"),
        (pa.table({"a": [1], "b": [1]}), ingest.Limits(columns=1), "columns_limit"),
        (pa.table({"a": ["x" * 100_000] * 100}), ingest.Limits(file_bytes=1_000_000), "bytes_limit"),
        (pa.table([pa.array([1]), pa.array([2])], names=["a", "a"]), None, "duplicate_column"),
        (pa.table({"a": pa.array([], pa.string())}), None, "no_rows"),
        (pa.table({"a": pa.array([1], pa.duration("s"))}), None, "parquet_type"),
    ],
)
def test_limits_end_the_file(table, limits, code):
    with pytest.raises(ingest.FileError) as error:
        read_bytes(parquet(table), "a.parquet", limits)

    assert error.value.code == code


def test_a_small_file_of_gigabytes_of_text_ends_at_a_limit():
    text = pa.DictionaryArray.from_arrays(pa.array([0] * 20_000, pa.int32()), ["x" * 100_000])
    content = parquet(pa.table({"a": text}), compression="zstd", store_schema=False)

    with pytest.raises(ingest.FileError) as error:
        read_bytes(content, "a.parquet", ingest.Limits(file_bytes=10_000_000))

    assert len(content) < 100_000
    assert error.value.code == "bytes_limit"


def test_a_file_that_needs_too_much_memory_is_one_error():
    text = pa.DictionaryArray.from_arrays(pa.array([0] * 256, pa.int32()), ["x" * 8_300_000])

    with pytest.raises(ingest.FileError) as error:
        read_bytes(parquet(pa.table({"a": text}), compression="zstd"), "a.parquet")

    assert error.value.code == "parquet_memory"
