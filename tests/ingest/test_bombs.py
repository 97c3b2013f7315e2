"""Small files that unpack to huge ones take neither much memory nor much time."""

import gzip
import io
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from evaluations import ingest
from evaluations.files import parquet_child, streams
from evaluations.files.arrow_values import Values, least_characters

from .samples import read_bytes

LIMITS = ingest.Limits()

ROOT = Path(__file__).parents[2]
MEGABYTES = 350  # of the whole process; pages and workers use 100 of these
READ = r"""
import re, sys
from evaluations import ingest

file, name, limits = open(sys.argv[1], "rb"), sys.argv[1], ingest.Limits()
def read_all():
    for batch in ingest.open_rows(file, ingest.sniff(file, name, limits=limits), limits):
        pass

for use in (lambda: ingest.preview(file, name, limits=limits), read_all):
    try:
        use()
    except ingest.FileError:
        pass
peak = re.search(r"VmHWM:\s+(\d+) kB", open("/proc/self/status").read())[1]  # ru_maxrss has the parent's
print(int(peak) // 1024)
"""


def packed(*parts: tuple[bytes, int]) -> bytes:
    """A gzip file of repeated texts, written without holding the unpacked text."""
    file = io.BytesIO()
    with gzip.GzipFile(fileobj=file, mode="wb", compresslevel=6) as unpacked:
        for text, times in parts:
            several = text * max(1, 1_000_000 // len(text))
            for _ in range(times * len(text) // len(several)):
                unpacked.write(several)
            unpacked.write(text * (times % max(1, 1_000_000 // len(text))))
    return file.getvalue()


WIDE = "\N{GRINNING FACE}".encode() * 15  # every character of its text takes four bytes
BOMBS: dict[str, list[tuple[bytes, int]]] = {  # parts, and how often each is repeated
    "blank_lines.csv.gz": [(b"q,a\n1,2\n", 1), (b"\n", 40_000_000)],
    "blank_lines_between.csv.gz": [(b"q,a\n1,2\n", 1), (b"\n", 4_000_000), (b"3,4\n", 1)],
    "quotes_on_one_line.csv.gz": [(b"q,a\n", 1), (b'"', 40_000_000)],
    "lines_after_a_quote.csv.gz": [(b'q,a\n"', 1), (b"x\n", 10_000_000)],
    "wide_lines_after_a_quote.csv.gz": [(b'q,a\n"', 1), (WIDE + b"\n", 900_000)],
    "doubled_quotes_after_a_quote.csv.gz": [(b'q,a\n"', 1), (WIDE + b'""\n', 800_000)],
    "cells_of_two_lines.csv.gz": [(b'q,a\n"', 1), (WIDE + b'","\n', 800_000)],
    "commas_on_one_line.csv.gz": [(b"q,a\n", 1), (b",", 40_000_000)],
    "columns_without_a_name.csv.gz": [(b",", 15_000_000), (b"\n", 1)],
    "rows_of_commas.csv.gz": [(b"q,a\n", 1), (b"," * 5_000_000 + b"\n", 10)],
    "open_quote.csv.gz": [(b'q,a\n1,"', 1), (b"x" * 2_000_000 + b"\n", 100)],
    "large_rows.jsonl.gz": [(b'{"a":"' + b"x" * 900_000 + b'","b":"' + b"y" * 900_000 + b'"}\n', 200)],
    "objects_in_a_row.jsonl.gz": [(b'{"a":[', 1), (b'{"a":1},', 1_900_000), (b"{}]}\n", 1)],
}


DEAR = {"blank_lines.csv.gz", "objects_in_a_row.jsonl.gz"}  # a quarter of a minute for one


@pytest.mark.long
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name in DEAR else name for name in BOMBS]
)
def test_no_small_file_takes_much_memory(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(packed(*BOMBS[name]))

    command = [sys.executable, "-c", READ, str(path)]
    peak = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True)

    assert int(peak.stdout) < MEGABYTES


@pytest.mark.long
def test_blank_lines_are_counted_and_the_first_ten_named():
    file = read_bytes(b"q,a\n1,2\n" + b"\n" * 300_000 + b"3,4\n", "a.csv")

    warning = file.reader.warnings[0]
    assert (warning.code, warning.count) == ("blank_lines", 300_000)
    assert warning.first_lines == tuple(range(3, 13))
    assert file.lines == [2, 300_003]


@pytest.mark.parametrize(("name", "row"), [("a.csv", b"1,2\n"), ("a.jsonl", b'{"q":1}\n')])
def test_more_blank_lines_than_rows_are_allowed_end_the_file(name, row):
    limits = ingest.Limits(rows=1_000)

    with pytest.raises(ingest.FileError) as refusal:
        read_bytes(row + b"\n" * 600_000 + row, name, limits)

    assert refusal.value.code == "rows_limit"


def test_a_preview_ends_where_large_rows_have_filled_it():
    row = b'{"a": "' + b"x" * 900_000 + b'"}\n'
    file = io.BytesIO(row * 100)

    first_rows = ingest.preview(file, "a.jsonl", limits=LIMITS)

    assert file.tell() < 20_000_000
    assert first_rows.row_count is None


def test_the_head_of_a_file_ends_after_so_many_seconds():
    file = io.BytesIO(b"q,a\n" + b"1,2\n" * 500_000)
    reader = ingest.open_rows(file, ingest.sniff(file, "a.csv", limits=LIMITS), LIMITS)

    batches = list(reader.head(rows=10**9, characters=10**9, seconds=-1.0))

    assert (len(batches), reader.is_whole) == (1, False)


def test_a_row_with_too_many_values_is_refused_before_they_are_objects():
    row = b'{"a":[' + b"[]," * 600_000 + b"[]]}\n"

    with pytest.raises(ingest.FileError) as refusal:
        read_bytes(row, "a.jsonl")

    assert refusal.value.code == "row_too_large"


# ---- lists in Parquet ----


def list_of(length: int) -> pa.Array:
    return pa.ListArray.from_arrays(pa.array([0, length], pa.int32()), pa.nulls(length, pa.int8()))


CELLS = {
    "list": lambda length: list_of(length),
    "list of lists": lambda length: pa.ListArray.from_arrays(
        pa.array([0, length // 10], pa.int32()),
        pa.ListArray.from_arrays(pa.array(range(0, length + 1, 10), pa.int32()), pa.nulls(length, pa.int8())),
    ),
    "map": lambda length: pa.MapArray.from_arrays(
        pa.array([0, length], pa.int32()), pa.array(range(length)), pa.nulls(length, pa.int8())
    ),
    "text": lambda length: pa.array(["x" * length * 4]),
    "struct": lambda length: pa.StructArray.from_arrays([list_of(length)], ["a"]),
}


@pytest.mark.long
@pytest.mark.parametrize("kind", CELLS)
def test_a_cell_whose_json_would_be_too_long_is_refused_before_it_is_converted(kind):
    table = pa.table({"q": pa.concat_arrays([CELLS[kind](20), CELLS[kind](1_200_000)])})
    file = io.BytesIO()
    parquet.write_table(table, file, compression="zstd")

    with pytest.raises(ingest.FileError) as refused:
        read_bytes(file.getvalue(), "a.parquet")

    assert (refused.value.code, refused.value.where) == ("cell_too_large", {"column": "q"})


@pytest.mark.parametrize("kind", ["list", "list of lists", "struct"])
def test_every_value_within_a_cell_counts_as_a_character(kind):
    cells = pa.concat_arrays([CELLS[kind](20), CELLS[kind](0), CELLS[kind](50)])

    counted = least_characters(cells)
    counted_from_the_second = least_characters(cells[1:])

    assert [*counted] == [count_plainly(cell) for cell in Values().plain(cells, "q")]
    assert [*counted_from_the_second] == [*counted[1:]]


def count_plainly(value: Any) -> int:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + sum(map(count_plainly, inner))


def test_a_long_list_is_refused_by_the_footer(tmp_path):
    path = tmp_path / "list.parquet"
    parquet.write_table(pa.table({"q": list_of(20_000_000)}), path, compression="zstd")

    with pytest.raises(ingest.FileError) as refused:
        parquet_child.rows_at_once(parquet.read_metadata(path), ingest.Limits())

    assert (refused.value.code, refused.value.where) == ("cell_too_large", {"column": "q"})


# ---- tables of empty values ----


TEXT = 1_000
NOTHING = {  # functions, because the tables are large
    "many columns": lambda: pa.table({f"c{n}": pa.nulls(50_000, pa.string()) for n in range(1_000)}),
    "many rows": lambda: pa.table({"q": pa.nulls(5_000_000, pa.string())}),
    "one text": lambda: pa.table(
        {"q": pa.DictionaryArray.from_arrays(pa.array(np.zeros(3_000_000, np.int32)), ["x" * TEXT])}
    ),
}


@pytest.mark.long
@pytest.mark.parametrize(
    ("content", "code", "megabytes"),
    [("many columns", "values_limit", 0), ("many rows", "values_limit", 0), ("one text", "bytes_limit", 200)],
)
def test_a_small_parquet_file_of_nothing_is_refused_before_it_is_read_whole(
    tmp_path, content, code, megabytes
):
    path = tmp_path / "nothing.parquet"
    parquet.write_table(NOTHING[content](), path, compression="zstd", store_schema=False)

    batches: list[ingest.Batch] = []
    with path.open("rb") as file, pytest.raises(ingest.FileError) as refused:
        batches.extend(ingest.open_rows(file, ingest.sniff(file, path.name, limits=LIMITS), LIMITS))

    assert refused.value.code == code
    assert sum(len(batch.rows) for batch in batches) * TEXT <= megabytes * 1_000_000


def test_a_table_of_few_values_for_its_size_is_read():
    columns = {f"c{n}": pa.nulls(3_000, pa.string()) for n in range(100)}
    table = pa.table({"q": [f"question {n}" for n in range(3_000)]} | columns)
    file = io.BytesIO()
    parquet.write_table(table, file)

    read = read_bytes(file.getvalue(), "a.parquet")

    assert len(read.rows) == 3_000


def blanks(columns: int) -> bytes:
    header = b",".join(b"c%d" % n for n in range(columns))
    return packed((header + b"\n", 1), (b"1" + b"," * (columns - 1) + b"\n", 1_000))


def test_cells_of_a_gzipped_csv_are_counted_against_its_size():
    limits = ingest.Limits(unpacked_values=100_000)

    with pytest.raises(ingest.FileError) as refused:
        read_bytes(blanks(1_000), "a.csv.gz", limits)

    assert refused.value.code == "values_limit"
    assert len(read_bytes(blanks(10), "a.csv.gz", limits).rows) == 1_000


@pytest.mark.parametrize("name", ["a.jsonl.gz", "a.json.gz"])
def test_objects_and_lists_of_gzipped_json_are_counted_against_its_size(name):
    def read(rows: int) -> Any:
        row = b'{"a":' + b"[" * 50 + b"]" * 50 + b"}"
        text = b"\n".join([row] * rows) if "jsonl" in name else b"[" + b",".join([row] * rows) + b"]"
        return read_bytes(gzip.compress(text), name, ingest.Limits(unpacked_values=10_000))

    with pytest.raises(ingest.FileError) as refused:
        read(1_000)

    assert refused.value.code == "values_limit"
    assert len(read(100).rows) == 100


def test_a_gzip_file_unpacks_to_so_many_times_its_size():
    row = b"x" * 1_000 + b"\n"

    with pytest.raises(ingest.FileError) as refused:
        read_bytes(packed((b"q\n", 1), (row, 5_000)), "a.csv.gz", ingest.Limits(unpacked_bytes=1_000_000))

    assert refused.value.code == "bytes_limit"


def test_a_large_file_may_unpack_to_more_than_a_small_one():
    limits = ingest.Limits(file_bytes=1_000, unpacked_bytes=100, unpacked_values=30)

    assert [limits.unpacked(size) for size in (0, 2, 1_000)] == [100, 400, 1_000]
    assert [limits.values(size) for size in (0, 2)] == [30, 40]


# ---- gzip ----


def member(text: bytes, name: bytes = b"") -> bytes:
    packed_text = gzip.compress(text)
    return packed_text[:3] + b"\x08" + packed_text[4:10] + name + b"\0" + packed_text[10:]


def test_a_gzip_file_of_several_members_is_read_to_its_end():
    file = read_bytes(member(b"q,a\n1,2\n") + member(b"") + member(b"3,4\n") + b"\0" * 512, "a.csv.gz")

    assert file.rows == [{"q": "1", "a": "2"}, {"q": "3", "a": "4"}]


def test_a_gzip_file_of_very_many_members_is_refused():
    file = member(b"1,2\n")

    with pytest.raises(ingest.FileError) as refused:
        read_bytes(member(b"q,a\n") + file * streams.GZIP_MEMBERS, "a.csv.gz")

    assert refused.value.code == "gzip_damaged"


def test_many_short_members_are_read_as_few_chunks():
    file = io.BytesIO(member(b"[1") + member(b",1") * 9_000 + member(b"]"))

    chunks = list(streams.binary_chunks(file, True, ingest.Limits()))

    assert [len(chunk) for chunk in chunks] == [18_003]


def test_a_name_in_the_gzip_header_is_passed_over():
    assert read_bytes(member(b"q,a\n1,2\n", b"answers.csv"), "a.gz").rows == [{"q": "1", "a": "2"}]


def test_a_gzip_header_without_end_is_refused_after_a_megabyte():
    file = io.BytesIO(member(b"q,a\n1,2\n", b"x" * 20_000_000))

    with pytest.raises(ingest.FileError) as refusal:
        ingest.sniff(file, "a.csv.gz", limits=LIMITS)

    assert refusal.value.code == "gzip_damaged"
    assert file.tell() <= streams.GZIP_HEADER + streams.CHUNK


@pytest.mark.parametrize("end", [-1, -8, -12])
def test_a_gzip_file_that_was_cut_is_refused(end):
    with pytest.raises(ingest.FileError) as refusal:
        read_bytes(gzip.compress(b"q,a\n1,2\n" * 100)[:end], "a.csv.gz")

    assert refusal.value.code == "gzip_damaged"


def test_a_gzip_file_with_a_wrong_check_sum_is_refused():
    content = bytearray(gzip.compress(b"q,a\n1,2\n"))
    content[-8] ^= 1
    with pytest.raises(zlib.error):
        zlib.decompress(bytes(content), 31)

    with pytest.raises(ingest.FileError) as refusal:
        read_bytes(bytes(content), "a.csv.gz")

    assert refusal.value.code == "gzip_damaged"


# ---- blank lines before the first row ----


def test_an_object_after_many_blank_lines_is_seen():
    file = read_bytes(b"\n" * 800_000 + b'{"q": "a"}', "a.json")

    assert file.rows == [{"q": "a"}]


def test_a_file_of_white_space_is_empty():
    with pytest.raises(ingest.FileError) as refusal:
        read_bytes(b" \n" * 800_000, "a.csv")

    assert refusal.value.code == "empty_file"
