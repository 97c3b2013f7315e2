"""Whatever is written by the standard library is read back exactly."""

import csv
import gzip
import io
import json

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from evaluations import ingest
from evaluations.ingest.opened import with_fields

from .samples import read_bytes

TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=30)
CELLS = st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=5)
NUMBER = st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False, allow_infinity=False)
VALUE = st.recursive(
    st.none() | st.booleans() | NUMBER | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
ROWS = st.lists(st.dictionaries(TEXT, VALUE, min_size=1, max_size=4), min_size=1, max_size=5)


def written_as_csv(cells, **dialect) -> bytes:
    file = io.StringIO(newline="")
    csv.writer(file, quoting=csv.QUOTE_ALL, **dialect).writerows([("first", "second"), *cells])
    return file.getvalue().encode()


@given(CELLS, st.sampled_from(",;\t|"), st.sampled_from(["\n", "\r\n"]))
def test_csv(cells, delimiter, end):
    content = written_as_csv(cells, delimiter=delimiter, lineterminator=end)

    rows = read_bytes(content, "a.csv", empty_as_text=True).rows

    assert [tuple(row.values()) for row in rows] == cells


@given(CELLS)
def test_gzip(cells):
    content = gzip.compress(written_as_csv(cells))

    assert [tuple(row.values()) for row in read_bytes(content, "a.csv.gz", empty_as_text=True).rows] == cells


def opened(rows, content, name):
    """The rows as they are read: of a column that has nothing but objects around each row, its fields are columns."""
    fmt = ingest.sniff(io.BytesIO(content), name, {}, limits=ingest.Limits())
    return [with_fields(row, fmt.opened) for row in rows] if fmt.opened else rows


def as_written(read, rows):
    """The rows without the columns that reading adds: the fields of a column with a name of outputs, such as “run”."""
    names = {name for row in rows for name in row}
    return [{name: value for name, value in row.items() if name in names} for row in read]


@pytest.mark.long
@settings(max_examples=50)
@given(ROWS, st.booleans(), st.sampled_from([(",", ":"), (", ", ": "), (" ,\t", " : ")]))
@example([{"": None}, {"": {"问题": None}}], True, (",", ":"))
def test_jsonl(rows, ascii_only, separators):
    assume(len(rows) > 1)  # One object alone may be refused: its rows seem to be in a list of it.
    lines = [json.dumps(row, ensure_ascii=ascii_only, separators=separators) for row in rows]

    content = "\n".join(lines).encode()

    file = read_bytes(content, "a.jsonl")

    rows = opened(rows, content, "a.jsonl")
    assert repr(as_written(file.rows, rows)) == repr(rows)
    assert file.reader.errors == []


@pytest.mark.long
@settings(max_examples=50)
@given(ROWS, st.booleans(), st.sampled_from([None, 1]))
def test_json_array(rows, ascii_only, indent):
    content = json.dumps(rows, ensure_ascii=ascii_only, indent=indent).encode()

    file = read_bytes(content, "a.json")

    rows = opened(rows, content, "a.json")
    assert repr(as_written(file.rows, rows)) == repr(rows)
    assert file.reader.errors == []


@pytest.mark.parametrize("start", [0, 0x2000, 0xFFE0, 0x1F600])
def test_parquet(start):
    pa = pytest.importorskip("pyarrow", reason="Parquet is an extra")
    pq = pytest.importorskip("pyarrow.parquet")
    texts = [chr(point) + "x" for point in range(start, start + 0x100) if point]
    file = io.BytesIO()
    pq.write_table(pa.table({"text": texts}), file)

    assert [row["text"] for row in read_bytes(file.getvalue(), "a.parquet").rows] == texts
