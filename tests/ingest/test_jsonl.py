"""Reading of JSON Lines."""

import json

import pytest

from evaluations import ingest

from .samples import UPLOADS, read, read_bytes


def test_values_keep_their_types():
    assert read("plain.jsonl").rows == [
        {"id": 7, "question": "What is 2+2?", "answer": 4.0},
        {"id": 8, "tags": ["a", None, True], "nested": {"deep": "x"}},
    ]


def test_columns_are_those_of_all_rows_in_order_of_appearance():
    reader = read("plain.jsonl").reader

    assert reader.columns == ["id", "question", "answer", "tags", "nested"]


def test_lines_count_blank_ones():
    assert read("plain.jsonl").lines == [1, 3]


def test_every_byte_order_mark_of_joined_files_is_dropped():
    joined = b"".join(b'\xef\xbb\xbf{"question": "%d"}\n' % number for number in range(3))

    file = read_bytes(joined, "a.jsonl")

    assert (file.rows, file.reader.errors) == ([{"question": str(number)} for number in range(3)], [])


def test_a_byte_order_mark_is_dropped():
    assert read("bom.jsonl").rows == [{"a": 1}]


@pytest.mark.parametrize(
    ("name", "code", "quoted"),
    [
        ("line_is_not_an_object", "json_not_an_object", "[1, 2]"),
        ("line_is_cut", "json_unclosed", ""),
        ("trailing_comma", "json_trailing_comma", ","),
        ("comma_before_bracket", "json_trailing_comma", "}"),
        ("comment", "json_comment", "// exported"),
        ("two_objects_on_a_line", "json_concatenated", '{"a": 2}'),
        ("nan", "json_number", "NaN"),
        ("infinity", "json_number", "1e999"),
        ("long_integer", "json_number", "123456789012345678901"),
        ("duplicate_key", "json_duplicate_key", "c"),
        ("single_quotes", "json_single_quotes", "'a'"),
        ("too_deep", "json_too_deep", ""),
    ],
)
def test_a_wrong_line_is_named_and_the_others_are_read(name, code, quoted):
    file = read(f"{name}.jsonl")

    [error] = file.reader.errors
    assert (error.code, error.where) == (code, {"line": 2})
    assert quoted in error.quote
    assert error.hint
    assert file.rows == [{"a": 0}, {"a": 9}]


WRONG = [
    "line_is_not_an_object",
    "line_is_cut",
    "trailing_comma",
    "comma_before_bracket",
    "comment",
    "two_objects_on_a_line",
    "nan",
    "infinity",
    "long_integer",
    "duplicate_key",
    "single_quotes",
    "too_deep",
    "nul_and_surrogate",
]
ORDINARY = [{"a": "x" * 1_000, "ok": None} for _ in range(600)]  # more than two blocks
BEFORE = "".join(json.dumps(row) + "\n" for row in ORDINARY).encode()


@pytest.mark.parametrize("name", WRONG)
def test_far_into_a_file_errors_are_the_same(name):
    """Once all columns are known, many lines are parsed at a time."""
    content = (UPLOADS / f"{name}.jsonl").read_bytes()

    alone, far_into_file = read_bytes(content, "a.jsonl"), read_bytes(BEFORE + content, "a.jsonl")

    assert far_into_file.rows == ORDINARY + alone.rows
    assert far_into_file.reader.error_counts == alone.reader.error_counts
    assert [error.where["line"] - 600 for error in far_into_file.reader.errors] == [
        error.where["line"] for error in alone.reader.errors
    ]
    assert [error.quote for error in far_into_file.reader.errors] == [
        error.quote for error in alone.reader.errors
    ]
    assert [w.count for w in far_into_file.reader.warnings] == [w.count for w in alone.reader.warnings]


def test_nul_and_lone_surrogates_are_replaced_with_a_warning():
    file = read("nul_and_surrogate.jsonl")

    assert file.rows == [{"a": "x\ufffdy"}, {"a": "x\ufffdy", "ok": "😀"}]
    assert [(w.code, w.count, w.first_lines) for w in file.reader.warnings] == [("text_replaced", 2, (1, 2))]


def test_objects_without_fields_are_no_data():
    with pytest.raises(ingest.FileError) as error:
        read("objects_without_fields.jsonl")

    assert error.value.code == "no_columns"


def test_an_empty_file_is_refused():
    with pytest.raises(ingest.FileError) as error:
        read("empty.jsonl")

    assert error.value.code == "empty_file"


def test_a_nesting_of_a_hundred_thousand_is_refused_before_it_is_parsed():
    content = b'{"a":1}\n{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}"

    assert read_bytes(content, "a.jsonl").reader.error_counts == {"json_too_deep": 1}


def test_a_nesting_of_64_is_read():
    content = b'{"a":' + b"[" * 63 + b"]" * 63 + b"}"

    assert len(read_bytes(content, "a.jsonl").rows) == 1


def test_brackets_inside_texts_do_not_nest():
    row = {"a": "[" * 200 + '\\"{' + "{" * 200}

    assert read_bytes(json.dumps(row).encode(), "a.jsonl").rows == [row]


@pytest.mark.parametrize("number", ["18446744073709551616", "-9223372036854775809", "9" * 5_000])
def test_integers_beyond_64_bits_are_refused(number):
    assert read_bytes(f'{{"a":{number}}}'.encode(), "a.jsonl").reader.error_counts == {"json_number": 1}


@pytest.mark.parametrize(
    ("content", "limits", "code"),
    [
        (b'{"a":"' + b"x" * 21 + b'"}', ingest.Limits(cell_characters=20), "cell_too_large"),
        (b'{"a":[' + b"1," * 20 + b"1]}", ingest.Limits(cell_characters=20), "cell_too_large"),
        (b'{"a":1}\n' * 3, ingest.Limits(rows=2), "rows_limit"),
        (b'{"a":1}\n' + b"0\n" * 3, ingest.Limits(unreadable_rows=2), "rows_limit"),
        (b'{"a":1}\n{"b":1}\n{"c":1}', ingest.Limits(columns=2), "columns_limit"),
        (b'{"a":"' + b"x" * 50, ingest.Limits(row_characters=20), "row_too_large"),
        (b'{"abcdef":1}', ingest.Limits(column_name_characters=5), "column_name_too_long"),
    ],
)
def test_limits_end_the_file(content, limits, code):
    with pytest.raises(ingest.FileError) as error:
        read_bytes(content, "a.jsonl", limits)

    assert error.value.code == code


def test_lines_over_the_border_of_two_chunks_are_whole():
    rows = [{"n": number, "text": "é" * 1_000} for number in range(500)]
    content = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows).encode()

    file = read_bytes(content, "a.jsonl")

    assert file.rows == rows
    assert file.lines == list(range(1, 501))
