"""Detection of formats, encodings and delimiters."""

import gzip
import io

import pytest

from evaluations import ingest
from evaluations.ingest.delimiter import vote

from .samples import UPLOADS, read, read_bytes


def sniff(content: bytes, name: str, **choices) -> ingest.Format:
    return ingest.sniff(io.BytesIO(content), name, choices, limits=ingest.Limits())


@pytest.mark.parametrize(
    ("name", "code", "words"),
    [
        ("png.csv", "wrong_type", "PNG"),
        ("pdf.csv", "wrong_type", "PDF"),
        ("pickle.csv", "wrong_type", "pickle"),
        ("svg.csv", "wrong_type", "SVG"),
        ("html.csv", "wrong_type", "HTML"),
        ("bytes.csv", "binary_file", "binary"),
        ("cut.csv.gz", "gzip_damaged", "gzip"),
    ],
)
def test_other_files_are_recognised_by_their_bytes(name, code, words):
    with pytest.raises(ingest.FileError, match=words) as error:
        read(name)

    assert error.value.code == code


@pytest.mark.parametrize("tag", ["table", "meta charset='utf-8'", "div class='x'"])
def test_a_part_of_a_page_is_no_table(tag):
    with pytest.raises(ingest.FileError, match="HTML") as error:
        sniff(f"<{tag}>\n<tr><td>question, answer</td></tr>\n".encode(), "export.xls")

    assert error.value.code == "wrong_type"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"PK\x03\x04" + bytes(26) + b"answers.csv", "ZIP"),
        (gzip.compress(gzip.compress(b"a,b\n1,2\n", mtime=0), mtime=0), "twice"),
        (gzip.compress(b"PAR1", mtime=0), "Parquet"),
        (b"\xfd7zXZ\0", "xz"),
    ],
)
def test_other_compressions_are_named(content, words):
    with pytest.raises(ingest.FileError, match=words) as error:
        sniff(content, "a.csv")

    assert error.value.code == "compressed_file"


def test_an_empty_gzip_file_is_empty():
    with pytest.raises(ingest.FileError) as error:
        sniff(gzip.compress(b""), "a.csv.gz")

    assert error.value.code == "empty_file"


@pytest.mark.parametrize(
    ("content", "name", "kind"),
    [
        (b'{"a": 1}\n', "rows.csv", "jsonl"),
        (b'{"a": 1}\n', "rows.json", "jsonl"),
        (b'[{"a": 1}]', "rows.txt", "json"),
        (b'[\n{"a": 1}]', "rows.jsonl", "json"),
        (b"a,b\n1,2\n", "rows.parquet", "csv"),
        (b"[a],{b}\n1,2\n", "rows.csv", "csv"),
        (b"{a},b\n1,2\n", "rows.csv", "csv"),
        (b"// note\n{}", "rows.jsonl", "jsonl"),
        (b"a,b\n1,2\n", "DATA.CSV", "csv"),
        (b"a,b\n1,2\n", "", "csv"),
    ],
)
def test_the_content_decides_and_the_name_settles_doubt(content, name, kind):
    assert sniff(content, name).kind == kind


def test_a_name_that_disagrees_is_noted():
    assert any(".csv" in note for note in sniff(b'{"a": 1}\n', "rows.csv").notes)
    assert not any(".jsonl" in note for note in sniff(b'{"a": 1}\n', "rows.jsonl").notes)


def test_another_encoding_is_proposed_with_a_warning():
    file = read("latin1.csv")

    assert file.rows[0]["answer"] == "Près de l'église"
    assert [warning.code for warning in file.reader.warnings] == ["encoding_guessed"]


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Gdzie leży Łódź? Żółta łąka,Śnieg i mgła są gęste", "cp1250"),
        ("Где находится библиотека,Рядом с церковью", "cp1251"),
        ("Wo liegt Österreich? Über den Brenner,natürlich südlich von München", "cp1252"),
        ("Öffnungszeiten,Äpfel für Jörg", "cp1252"),
        ("Öffnungszeiten,Äpfel für Jörg", "mac_roman"),
        ("Kütüphane nerede? Çok güzel şehir,ığdır", "cp1254"),
        ("これは日本語の質問です,はい", "cp932"),
        ("中国的首都在哪里,北京市", "gb18030"),
        ("臺灣的首都在哪裡,臺北市", "big5"),
        ("한국의 수도는 어디입니까,서울입니다", "euc_kr"),
    ],
)
def test_a_proposed_encoding_reads_the_text(text, encoding):
    file = read_bytes(f"question,answer\n{text}\n".encode(encoding), "a.csv")

    assert ",".join(file.rows[0].values()) == text
    assert len(file.reader.warnings) == 1


def test_one_wrong_byte_in_utf8_is_named_by_line_and_offset():
    with pytest.raises(ingest.FileError) as error:
        read("one_wrong_byte.csv")

    offset = (UPLOADS / "one_wrong_byte.csv").read_bytes().index(b"\xe9")
    assert error.value.code == "encoding"
    assert error.value.where == {"line": 81, "byte": offset}


def test_the_encoding_is_checked_to_the_last_byte():
    content = b"a,b\n" + b"1,2\n" * 400_000 + b"\xff,2\n"

    with pytest.raises(ingest.FileError) as error:
        sniff(content, "a.csv")

    assert error.value.where == {"line": 400_002, "byte": 1_600_004}


def test_a_character_over_the_border_of_two_chunks_is_valid():
    content = ("a,b\n" + "é" * 600_000 + ",1\n").encode()

    assert len(read_bytes(content, "a.csv").rows[0]["a"]) == 600_000


def test_the_line_of_a_wrong_byte_counts_carriage_returns_alone():
    with pytest.raises(ingest.FileError) as error:
        sniff(b"a,b\r" + b"1,2\r" * 200 + b"\xff,2\r", "a.csv")

    assert error.value.where["line"] == 202


@pytest.mark.parametrize("choice", [{}, {"encoding": "utf-16-le"}])
def test_utf16_without_a_mark_is_read(choice):
    assert read("utf16_without_bom.csv", **choice).rows[0]["question"] == "café"


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16_without_a_mark_is_a_guess(encoding):
    fmt = sniff("question,answer\nWho?,Ada\n".encode(encoding), "a.csv")

    assert fmt.encoding == encoding
    assert [warning.code for warning in fmt.warnings] == ["encoding_guessed"]


@pytest.mark.parametrize("encoding", ["utf-32-le", "utf-32-be"])
def test_utf32_without_a_mark_is_not_taken_for_utf16(encoding):
    file = read_bytes("question,answer\nWho?,Ада\n".encode(encoding), "a.csv")

    assert file.rows == [{"question": "Who?", "answer": "Ада"}]
    assert [warning.message for warning in file.reader.warnings] == [
        f"The encoding looks like UTF-32 without a byte order mark. The file is read as {encoding}."
    ]


def test_a_chosen_encoding_that_does_not_fit_is_refused():
    for encoding in ("utf-16", "utf-32", "ascii"):
        with pytest.raises(ingest.FileError) as error:
            sniff("a,b\né,1\n".encode(), "a.csv", encoding=encoding)

        assert error.value.code == "encoding"


def test_unpaired_surrogates_in_utf8_are_no_other_encoding():
    with pytest.raises(ingest.FileError) as error:
        sniff(b"a,b\n\xed\xa0\x80x,1\n", "a.csv")

    assert error.value.where["line"] == 2


@pytest.mark.parametrize(
    ("head", "delimiter"),
    [
        ("a;b\n1,5;2,5\n", ";"),
        ("a,b\nx|y|z,1\nx|y|z,2\n", ","),
        ('"a;b;c",d\n"1;2;3",4\n', ","),
        ("a\tb\n1, 2\t3, 4\n", "\t"),
        ("only one column\nHello, you\n", ","),
        ('a;b\n"open\n', ";"),
    ],
)
def test_the_delimiter_is_voted_for_with_quotes_respected(head, delimiter):
    assert vote(head) == delimiter


def test_every_finding_can_be_overridden():
    content = b"a|b\ncaf\xe9|1\n"

    fmt = sniff(content, "a.csv", encoding="latin-1", delimiter="|", header=False, empty_as_text=True)

    assert (fmt.encoding, fmt.delimiter, fmt.header, fmt.empty_as_text) == ("latin-1", "|", False, True)
    assert fmt.warnings == ()


@pytest.mark.parametrize(
    "choice",
    [
        {"encoding": "klingon"},
        {"encoding": "base64"},
        {"encoding": "unicode_escape"},
        {"encoding": "utf-7"},
        {"encoding": 7},
        {"delimiter": "x"},
        {"delimiter": ",,"},
        {"header": "perhaps"},
        {"kind": "xlsx"},
        {"notes": ["x"]},
    ],
)
def test_an_impossible_choice_is_refused(choice):
    with pytest.raises(ingest.FileError) as error:
        sniff(b"a,b\n1,2\n", "a.csv", **choice)

    assert error.value.code == "format_option"


@pytest.mark.parametrize("name", ["latin1.csv", "plain.csv.gz", "excel_sep_line.csv", "plain.parquet"])
def test_a_format_survives_being_stored(name):
    with (UPLOADS / name).open("rb") as file:
        fmt = ingest.sniff(file, name, limits=ingest.Limits())

    assert ingest.Format.from_dict(fmt.as_dict()) == fmt
    assert all(isinstance(value, str | bool | list | None) for value in fmt.as_dict().values())


def test_a_first_row_of_a_number_and_a_sentence_is_a_row():
    queries = "".join(f"{n}\twhat is the name of {n}\n" for n in range(100, 109))

    assert not sniff(queries.encode(), "queries.tsv").header
    assert sniff(f"qid\tquery\n{queries}".encode(), "queries.tsv").header
    assert sniff(b"2019,2020\n1,2\n3,4\n5,6\n7,8\n9,9\n", "years.csv").header
