"""Reading of CSV and TSV."""

import csv
import gzip
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluations import ingest
from evaluations.ingest.csv_split import begins, split

from .samples import read, read_bytes

LIMITS = ingest.Limits()


def test_cells_stay_the_text_they_were():
    file = read_bytes("a,b,c\n007,NA,1e5\n 1 ,TRUE,🙂\u2028x\n".encode(), "a.csv")

    assert file.rows == [{"a": "007", "b": "NA", "c": "1e5"}, {"a": " 1 ", "b": "TRUE", "c": "🙂\u2028x"}]


def test_quoted_cells_keep_commas_quotes_and_line_breaks():
    assert read("plain.csv").rows[1] == {
        "id": "2",
        "question": 'Comma, and "quote"',
        "answer": "two\nlines",
    }


def test_an_empty_cell_is_null():
    assert read("plain.csv").rows[2] == {"id": "3", "question": None, "answer": "NA"}


def test_empty_cells_are_empty_texts_where_the_user_says_so():
    assert read("plain.csv", empty_as_text=True).rows[2]["question"] == ""


def test_lines_are_physical():
    file = read_bytes(b'a,b\n1,"x\ny"\n2\n3,z\n', "a.csv")

    assert file.lines == [2, 5]


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("bom.csv", [{"id": "1", "question": "a", "answer": "b"}]),
        ("utf16.csv", [{"id": "1", "question": "café", "answer": "b"}]),
        ("carriage_returns.csv", [{"id": "1", "question": "a"}, {"id": "2", "question": "b"}]),
        ("semicolons.csv", [{"id": "1", "value": "3,14"}, {"id": "2", "value": "2,72"}]),
        ("tabs.csv", [{"id": "1", "question": "one, two"}]),
        ("pipes.csv", [{"id": "1", "question": "one, two"}]),
        ("excel_sep_line.csv", [{"id": "1", "question": "a"}]),
        ("plain.csv.gz", [{"id": "1", "question": "a", "answer": "b"}]),
    ],
)
def test_dialects_are_read_without_a_warning(name, rows):
    file = read(name)

    assert file.rows == rows
    assert file.reader.warnings == []


def test_commas_of_prose_in_a_single_column_need_quotes():
    reader = read("prose_in_one_column.csv").reader

    assert reader.columns == ["question"]
    assert reader.error_counts == {"csv_field_count": 2}


def test_a_row_with_another_number_of_cells_is_refused_with_both_counts():
    reader = read("ragged.csv").reader

    assert [(error.where["line"], error.message) for error in reader.errors] == [
        (3, "Line 3: 2 fields where the header has 3 columns."),
        (4, "Line 4: 4 fields where the header has 3 columns."),
    ]
    assert reader.error_counts == {"csv_field_count": 2}


def test_a_title_above_the_header_is_named_as_a_cause_of_rows_that_do_not_fit():
    reader = read_bytes(b"Report of March\nquestion,answer\na,b\n", "a.csv").reader

    assert [error.message for error in reader.errors] == [
        "Line 2: 2 fields where the header has 1 column.",
        "Line 3: 2 fields where the header has 1 column.",
    ]
    assert "title" in reader.errors[0].hint


def test_the_good_rows_around_a_wrong_one_are_read():
    assert [row["id"] for row in read("ragged.csv").rows] == ["1", "4"]


def test_an_unclosed_quote_is_named_by_the_line_that_opens_it():
    with pytest.raises(ingest.FileError) as error:
        read("unclosed_quote.csv")

    assert (error.value.code, error.value.where) == ("csv_unclosed_quote", {"line": 4})


def test_an_unclosed_quote_is_reported_on_its_own_line():
    with pytest.raises(ingest.FileError) as error:
        read_bytes(b'a,b\n"x\ny","z\n1,2\n', "a.csv")

    assert error.value.where == {"line": 3}


def test_text_after_a_closing_quote_costs_one_row():
    file = read("text_after_quote.csv")

    assert [(error.code, error.where) for error in file.reader.errors] == [
        ("csv_text_after_quote", {"line": 2})
    ]
    assert [row["id"] for row in file.rows] == ["2"]


def test_rows_that_an_open_quote_made_one_are_named_and_not_counted():
    content = b'a,b\n1,x\n2,"y\n3,z\n4,"w\n5,v\n'

    shown = ingest.preview(io.BytesIO(content), "a.csv", limits=LIMITS)

    [error] = shown.errors
    assert "begins on line 3, so lines 3 to 5 were read as one row" in error.message
    assert error.where == {"line": 5, "first_line": 3}
    assert shown.hides_rows


@pytest.mark.parametrize("row", [b"2", b"2,y,z", b'2,"y"z'], ids=["short", "long", "text after a quote"])
def test_a_damaged_line_is_one_row(row):
    shown = ingest.preview(io.BytesIO(b"a,b\n1,x\n" + row + b"\n3,z\n"), "a.csv", limits=LIMITS)

    assert (shown.rows_read, shown.row_count, shown.hides_rows) == (3, 2, False)
    assert [error.where for error in shown.errors] == [{"line": 3}]


def test_a_quote_inside_an_unquoted_cell_is_text():
    assert read_bytes(b'a,b\n5" pipe,x\n', "a.csv").rows == [{"a": '5" pipe', "b": "x"}]


def test_a_blank_line_between_rows_is_left_out_with_a_warning():
    file = read("blank_lines.csv")

    assert len(file.rows) == 2
    assert [(w.code, w.count, w.first_lines) for w in file.reader.warnings] == [("blank_lines", 1, (4,))]


def test_a_row_of_empty_cells_is_a_row():
    assert read_bytes(b"a,b\n,\n", "a.csv").rows == [{"a": None, "b": None}]


def test_lines_that_repeat_the_header_are_left_out_with_a_warning():
    """Joined files, as from `cat a.csv b.csv`, also with Excel's byte order marks."""
    file = read_bytes("\ufeffa,b\n1,2\n\ufeffa,b\n3,4\na,b\na,c\n".encode(), "joined.csv")

    assert [row["a"] for row in file.rows] == ["1", "3", "a"]
    assert [(w.code, w.count, w.first_lines) for w in file.reader.warnings] == [
        ("repeated_header", 2, (3, 5))
    ]


def test_a_cell_of_a_single_column_may_repeat_the_header():
    assert len(read_bytes(b"word\nword\nother\n", "a.csv").rows) == 2


def test_equal_lines_of_a_file_without_a_header_are_rows():
    assert len(read_bytes(b"a,b\na,b\n1,2\n", "a.csv", header=False).rows) == 3


def test_a_blank_header_is_named_by_its_number():
    reader = read("blank_header.csv").reader

    assert reader.columns == ["id", "column_2", "answer"]
    assert [warning.code for warning in reader.warnings] == ["blank_header"]


def test_lines_of_a_title_above_the_header_are_left_out_and_named():
    file = read_bytes(b"Review of week 46,,\n,,\nid,question,answer\n1,q,a\n", "a.csv")

    assert file.rows == [{"id": "1", "question": "q", "answer": "a"}]
    assert [warning.message for warning in file.reader.warnings] == [
        "Rows above the table are left out: “Review of week 46”."
    ]


def test_header_names_are_stripped():
    assert read_bytes(b" id , a b \n1,2\n", "a.csv").reader.columns == ["id", "a b"]


def test_names_that_look_alike_are_the_same_name():
    with pytest.raises(ingest.FileError) as error:
        read("duplicate_header.csv")

    assert (error.value.code, error.value.where) == ("duplicate_column", {"line": 1})


def test_a_file_without_a_header_numbers_its_columns():
    file = read("no_header.csv", header=False)

    assert file.rows[0] == {"column_1": "1", "column_2": "What is 2+2?", "column_3": "4"}
    assert (len(file.rows), file.lines) == (2, [1, 2])


def test_nul_becomes_the_replacement_character_with_a_warning():
    file = read("nul_in_a_cell.csv")

    assert file.rows[0]["question"] == "a\ufffdb"
    assert [(w.code, w.first_lines) for w in file.reader.warnings] == [("text_replaced", (2,))]


@pytest.mark.parametrize("name", ["empty.csv", "only_white_space.csv"])
def test_an_empty_file_is_refused(name):
    with pytest.raises(ingest.FileError) as error:
        read(name)

    assert error.value.code == "empty_file"


def test_a_header_alone_is_refused():
    with pytest.raises(ingest.FileError) as error:
        read("header_only.csv")

    assert error.value.code == "no_rows"


def test_cells_longer_than_the_default_of_the_csv_module_are_read():
    cell = "x" * 200_000

    assert read_bytes(f"a,b\n{cell},1\n".encode(), "a.csv").rows[0]["a"] == cell


@pytest.mark.parametrize(
    ("content", "limits", "code"),
    [
        (b"a,b\n" + b"x" * 21 + b",1\n", ingest.Limits(cell_characters=20), "cell_too_large"),
        (b"a,b\n" + b"1,2\n" * 3, ingest.Limits(rows=2), "rows_limit"),
        (b"a,b,c\n1,2,3\n", ingest.Limits(columns=2), "columns_limit"),
        (b"a,b\n" + b"x" * 50, ingest.Limits(row_characters=20), "row_too_large"),
        (b'a,b\n"' + b"x\n" * 50, ingest.Limits(row_characters=20), "row_too_large"),
        (b"abcdef,b\n1,2\n", ingest.Limits(column_name_characters=5), "column_name_too_long"),
        (b"a,b\n1,2\n", ingest.Limits(file_bytes=5), "bytes_limit"),
        (gzip.compress(b"a,b\n" + b"1,2\n" * 500, mtime=0), ingest.Limits(file_bytes=1000), "bytes_limit"),
    ],
)
def test_limits_end_the_file(content, limits, code):
    with pytest.raises(ingest.FileError) as error:
        read_bytes(content, "a.csv", limits)

    assert error.value.code == code
    assert error.value.hint


def test_a_field_of_exactly_the_limit_is_read():
    limits = ingest.Limits(cell_characters=20, rows=2, columns=2)

    assert len(read_bytes(b"a,b\n" + (b"x" * 20 + b",1\n") * 2, "a.csv", limits).rows) == 2


def test_the_first_errors_are_kept_and_all_are_counted():
    reader = read_bytes(b"a,b\n1,2\n" + b"1\n" * 150, "a.csv").reader

    assert (len(reader.errors), reader.error_count) == (100, 150)


def test_the_quote_of_an_error_is_cut():
    error = read_bytes(b"a,b\n1,2\n" + b"x" * 500 + b"\n", "a.csv").reader.errors[0]

    assert (len(error.quote), error.quote[-1]) == (80, "…")


def test_rows_come_by_the_thousand():
    file = read_bytes(b"a,b\n" + b"1,2\n" * 2_500, "a.csv")

    assert len(file.rows) == 2_500


def test_many_small_rows_make_a_batch_and_few_large_ones(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b"a,b\n" + b"1,2\n" * 2_500 + (b"x" * 500_000 + b",2\n") * 40)
    with path.open("rb") as file:
        sizes = [
            len(batch.rows)
            for batch in ingest.open_rows(file, ingest.sniff(file, "a.csv", limits=LIMITS), LIMITS)
        ]

    assert sum(sizes) == 2_540
    assert sizes[0] > 2_400
    assert max(sizes[1:]) <= 4


TEXTS = st.lists(
    st.sampled_from(["a", "é", ",", '"', '""', "\n", "\r\n", "\r", " ", '","', '\n"']), max_size=40
)


@given(TEXTS.map("".join))
def test_fast_splitting_equals_the_csv_module(text):
    lines = list(io.StringIO(text, newline=""))

    rows = split(lines, ",")

    assert rows is None or rows == list(csv.reader(lines, strict=True))


CELLS = st.text(st.sampled_from(["a", "é", ",", '"', "\n", "\r", " "]), max_size=8)


@given(st.lists(st.lists(CELLS, min_size=2, max_size=2), min_size=1, max_size=9))
def test_whatever_the_csv_module_writes_can_be_split(rows):
    text = io.StringIO(newline="")
    csv.writer(text).writerows(rows)
    lines = list(io.StringIO(text.getvalue(), newline=""))

    assert split(lines, ",") == rows


@given(st.lists(st.lists(CELLS, min_size=2, max_size=2), min_size=1, max_size=9))
def test_split_rows_begin_where_the_csv_module_reads_them(rows):
    text = io.StringIO(newline="")
    csv.writer(text).writerows(rows)
    lines = list(io.StringIO(text.getvalue(), newline=""))
    reader = csv.reader(lines, strict=True)

    ends = [reader.line_num for _ in reader]

    assert begins(split(lines, ","), len(lines)) == [0, *ends]


def test_a_line_without_end_is_refused_before_it_is_read_to_its_end():
    file = io.BytesIO(b"a,b\n" + b"x" * 3_000_000)
    limits = ingest.Limits(row_characters=10_000)

    with pytest.raises(ingest.FileError) as error:
        list(ingest.open_rows(file, ingest.Format("csv", delimiter=","), limits))

    assert (error.value.code, error.value.where) == ("row_too_large", {"line": 2})
    assert file.tell() < 1_000_000


def test_lines_after_an_open_quote_are_read_as_far_as_a_row_may_go():
    """At most a thousand lines are joined, and each may be nearly as long as a row."""
    file = io.BytesIO(b'a,b\n"' + (b"x" * 9_000 + b",y\n") * 1_000)
    limits = ingest.Limits(row_characters=10_000)

    with pytest.raises(ingest.FileError) as error:
        list(ingest.open_rows(file, ingest.Format("csv", delimiter=","), limits))

    assert (error.value.code, error.value.where) == ("row_too_large", {"line": 2})
    assert file.tell() < 1_000_000


def open_cell(*lines: bytes) -> ingest.FileError:
    """The refusal of a file whose first row holds these lines, a thousand times each, after a quote."""
    limits = ingest.Limits(cell_characters=10_000)
    with pytest.raises(ingest.FileError) as refused:
        read_bytes(b'a,b\nx,"' + b"".join(line * 1_000 for line in lines), "a.csv", limits)
    return refused.value


def test_a_quote_that_was_left_open_is_named_before_the_rest_of_the_file_is_read():
    error = open_cell(b"x" * 300 + b"\n", b"y" * 300 + b"\n")

    assert (error.code, error.where) == ("cell_too_large", {"line": 2})


def test_a_doubled_quote_does_not_end_an_open_cell():
    assert open_cell(b"x" * 300 + b'""\n', b'""\n' * 100).code == "cell_too_large"


def test_a_doubled_quote_in_an_open_cell_is_one_character():
    cell = b'""' * 99 + b"\n"
    file = read_bytes(b'a,b\nx,"' + cell * 1_099 + b'"\n', "a.csv", ingest.Limits(cell_characters=110_000))

    assert file.rows == [{"a": "x", "b": ('"' * 99 + "\n") * 1_099}]


def test_lines_that_end_a_cell_and_begin_another_make_no_large_cell():
    assert open_cell(b"x" * 300 + b"\n", b'x","' + b"y" * 9 + b"\n").code == "csv_unclosed_quote"


def test_no_more_of_a_line_is_read_than_a_row_may_have_characters():
    file = io.BytesIO(b"a,b\n" + b"x" * 4_000_000)

    with pytest.raises(ingest.FileError) as error:
        list(ingest.open_rows(file, ingest.Format("csv"), ingest.Limits(row_characters=1_000_000)))

    assert (error.value.code, error.value.where) == ("row_too_large", {"line": 2})
    assert file.tell() < 2_000_000


def test_the_characters_of_a_line_are_counted_and_not_its_bytes():
    cell = "é" * 899_000
    file = io.BytesIO(f"a,b\n{cell},x\n{cell},y\n".encode())

    rows = ingest.open_rows(file, ingest.Format("csv"), ingest.Limits(row_characters=900_000))

    assert [row["b"] for batch in rows for row in batch.rows] == ["x", "y"]


def test_names_that_repeat_in_blocks_are_called_after_the_column_before_each_block():
    file = read_bytes(b"q,old,Status,Score,new,Status,Score\n1,a,PASS,1,b,FAIL,0\n", "a.csv")

    assert file.reader.columns == ["q", "old", "old Status", "old Score", "new", "new Status", "new Score"]
    assert [warning.code for warning in file.reader.warnings] == ["repeated_names"]


TAGGED = "Anna\tB-PER\tB-PER\nwent\tO\tO\n\nLena\tB-PER\tO\nsaid\tO\tB-PER\n\n"


def test_a_first_line_whose_cells_come_again_is_a_row():
    seen = ingest.preview(io.BytesIO((TAGGED * 5).encode()), "words.conll", limits=ingest.Limits())

    assert (seen.columns, seen.row_count) == (["column_1", "column_2", "column_3"], 20)
    assert "no_header" in {warning.code for warning in seen.format.warnings}


@pytest.mark.parametrize("names", ["word\tgold\tsmall", "B-PER\tword\tO"])
def test_names_of_columns_are_no_row(names):
    content = f"{names}\n{TAGGED * 5}".encode()

    assert ingest.preview(io.BytesIO(content), "words.tsv", limits=ingest.Limits()).row_count == 20


def test_a_first_line_that_is_chosen_as_the_header_is_no_row():
    content = "A,A\n" + "A,A\nB,A\n" * 9

    with pytest.raises(ingest.FileError):
        ingest.preview(io.BytesIO(content.encode()), "a.csv", {"header": True}, limits=ingest.Limits())
