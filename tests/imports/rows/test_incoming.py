"""The rows of a file as batches of columns, and the report at the end."""

import io
from collections.abc import Iterator
from dataclasses import replace

import pytest

from evaluations.imports.columns.columnmap import ColumnMap
from evaluations.imports.columns.score_columns import ScoreColumn
from evaluations.imports.rows import incoming
from evaluations.imports.rows.incoming import Pending, Report
from evaluations.ingest import Format, Limits, open_rows

CSV = Format("csv", delimiter=",")
COLUMNS = ColumnMap(inputs=("question",), reference=("answer",), key="id", outputs=(("v1", "given"),))
HEADER = "id,question,answer,given\n"


def read(text: str, keep_rows: bool = False, columns: ColumnMap = COLUMNS) -> Iterator[Pending | Report]:
    content = text.encode()
    return incoming.read(io.BytesIO(content), len(content), CSV, Limits(), columns, keep_rows)


def test_rows_come_as_the_columns_that_are_stored():
    pending, report = read(f"{HEADER}a,1+1,2,two\nb,1+2,3,\n")

    assert (pending.lines.tolist(), pending.keys) == ([2, 3], ["a", "b"])
    assert pending.parts["inputs"] == ['{"question":"1+1"}', '{"question":"1+2"}']
    assert list(pending.examples(7, 10, 1)) == [
        (7, 10, "a", '{"question":"1+1"}', '{"answer":"2"}', "{}", 1),
        (7, 11, "b", '{"question":"1+2"}', '{"answer":"3"}', "{}", 1),
    ]
    assert list(pending.outputs["v1"].rows_of(5, 10)) == [(5, 10, "two", False)]
    assert (report.columns, report.error_count) == (["id", "question", "answer", "given"], 0)


def test_long_rows_come_fewer_at_a_time(monkeypatch):
    monkeypatch.setattr(incoming, "CHARACTERS", 1_000_000)
    rows = "".join(f"{number},{'q' * 9_000},a,{'o' * 9_000}\n" for number in range(300))

    *pendings, _ = read(HEADER + rows)

    assert sum(map(len, pendings)) == 300
    assert max(map(len, pendings)) < 100


def test_refused_rows_say_how_far_the_reader_is(monkeypatch):
    bad_rows = "too,few\n" * 100_000

    *pendings, report = read(f"{HEADER}a,q,r,o\n{bad_rows}")

    assert report.error_counts == {"csv_field_count": 100_000}
    assert len({pending.bytes_read for pending in pendings}) > 2
    assert sum(map(len, pendings)) == 1


@pytest.mark.parametrize("keep_rows", [True, False])
def test_rows_as_they_were_come_along_only_where_some_may_be_refused(keep_rows):
    pending, _ = read(f"{HEADER}a,1+1,2,two\n", keep_rows)

    rows = [{"id": "a", "question": "1+1", "answer": "2", "given": "two"}]
    assert pending.rows == (rows if keep_rows else [])


def test_scores_come_with_their_outputs():
    columns = replace(COLUMNS, scores=(ScoreColumn("COMET", "v1", "answer"),))

    pending, _ = read(f"{HEADER}a,1+1,2,two\nb,1+2,3,\nc,1+3,,\n", columns=columns)

    outputs = pending.outputs["v1"]
    assert (outputs.fields[-1], list(outputs.rows_of(5, 10))) == (
        "scores",
        [(5, 10, "two", False, '{"COMET":"2"}'), (5, 11, None, False, '{"COMET":"3"}')],
    )


def test_dropped_rows_leave_every_column():
    pending = Pending(keep_rows=True, with_digests=True, with_hashes=True)
    for batch in open_rows(io.BytesIO(f"{HEADER}a,p,1,x\nb,q,2,y\nc,r,3,z\n".encode()), CSV, limits=Limits()):
        pending.add(batch, COLUMNS, COLUMNS.readers())
    names, hashes = bytes(pending.names), pending.hashes[:]

    pending.keep([0, 2])

    assert (pending.lines.tolist(), pending.keys, len(pending.rows)) == ([2, 4], ["a", "c"], 2)
    assert pending.outputs["v1"].texts == ["x", "z"]
    assert pending.names == names[:16] + names[32:]
    assert pending.hashes == hashes[:1] + hashes[2:]
