"""Workbooks: cells keep their type, one sheet is read, and small files that unpack to huge ones are refused."""

import datetime
import io
import subprocess
import sys
import zipfile
from collections.abc import Callable
from typing import Any

import pytest
import xlsxwriter

from evaluations import ingest

from .samples import read_bytes
from .test_bombs import MEGABYTES, READ, ROOT

Rows = list[list[Any]]


def book(*sheets: Rows, names: tuple[str, ...] = (), hidden: str = "") -> bytes:
    file = io.BytesIO()
    options = {"strings_to_formulas": False, "default_date_format": "yyyy-mm-dd"}
    with xlsxwriter.Workbook(file, options) as workbook:
        for number, rows in enumerate(sheets):
            sheet = workbook.add_worksheet(names[number] if names else None)
            if sheet.name == hidden:
                sheet.hide()
            for row, cells in enumerate(rows):
                for column, cell in enumerate(cells):
                    (sheet.write_string if isinstance(cell, str) else sheet.write)(row, column, cell)
    return file.getvalue()


def preview(content: bytes, name: str = "book.xlsx", **choices: Any) -> ingest.Preview:
    return ingest.preview(io.BytesIO(content), name, choices, limits=ingest.Limits())


HEADER = ["id", "question", "answer"]


def test_cells_keep_their_type():
    rows = [
        HEADER,
        ["007", "a\nb", 12],
        ["008", "", 1.5],
        ["009", "=1+1", True],
        ["010", datetime.date(2026, 3, 1), "2026-03-01"],
    ]

    table = preview(book(rows))

    assert table.rows == [
        {"id": "007", "question": "a\nb", "answer": 12},
        {"id": "008", "question": None, "answer": 1.5},
        {"id": "009", "question": "=1+1", "answer": True},
        {"id": "010", "question": "2026-03-01", "answer": "2026-03-01"},
    ]
    assert (table.lines, table.row_count, table.format.kind) == ([2, 3, 4, 5], 4, "workbook")


def test_the_content_decides_and_not_the_name():
    assert preview(book([HEADER, ["1", "q", "a"]]), "rows.csv").columns == HEADER


def test_rows_above_and_between_are_left_out():
    table = preview(book([[], HEADER, [], ["1", "q", "a"]]))

    assert (table.columns, table.lines) == (HEADER, [4])


def test_a_sheet_without_a_header_has_numbered_columns():
    table = preview(book([["q", "a"], ["r", "b"]]), header=False)

    assert (table.columns, len(table.rows)) == (["column_1", "column_2"], 2)


def test_a_column_without_a_name_is_named():
    table = preview(book([["q", None], ["r", "b"]]))

    assert table.columns == ["q", "column_2"]
    assert [warning.code for warning in table.warnings] == ["blank_header"]


def test_rows_of_a_title_above_the_header_are_left_out_and_named():
    table = preview(book([["Review, week 46"], [], HEADER, ["1", "q", "a"], ["2", "r", "b"]]))

    assert (table.columns, table.lines) == (HEADER, [4, 5])
    assert [(warning.code, warning.message) for warning in table.warnings] == [
        ("title_rows", "Rows above the table are left out: “Review, week 46”.")
    ]


GROUPED = [["id", "Answers", None, "Final"], [None, "old", "new", None]]


def test_names_in_two_rows_are_joined():
    table = preview(book([*GROUPED, ["1", "a", "b", "old"], ["2", "a", "c", "new"]]))

    assert table.columns == ["id", "Answers old", "Answers new", "Final"]
    assert [warning.code for warning in table.warnings] == ["names_in_two_rows"]
    assert table.rows[0] == {"id": "1", "Answers old": "a", "Answers new": "b", "Final": "old"}


def test_a_first_row_of_data_is_no_second_row_of_names():
    table = preview(book([["id", "answer", None], ["1", "a", "b"], ["2", "c", "d"]]))

    assert (table.columns, len(table.rows)) == (["id", "answer", "column_3"], 2)


def test_two_columns_with_one_name_are_refused():
    with pytest.raises(ingest.FileError) as refusal:
        preview(book([["q", "q"], ["r", "b"]]))

    assert refusal.value.code == "duplicate_column"


SHEETS = ([["notes"]], [HEADER, ["1", "q", "a"]], [HEADER, ["2", "r", "b"], ["3", "s", "c"]])


@pytest.mark.long
def test_the_first_visible_sheet_with_rows_is_read_and_the_others_are_named():
    table = preview(book(*SHEETS, names=("cover", "old", "new"), hidden="old"))

    assert (table.format.sheet, table.row_count) == ("new", 2)
    both = preview(book(*SHEETS, names=("cover", "old", "new")))
    assert (both.format.sheet, [warning.code for warning in both.warnings]) == ("old", ["several_sheets"])
    assert "“new”" in both.warnings[0].message


def test_a_sheet_is_chosen():
    file = book(*SHEETS, names=("cover", "old", "new"))

    assert preview(file, sheet="new").row_count == 2
    with pytest.raises(ingest.FileError) as refusal:
        preview(file, sheet="nowhere")
    assert (refusal.value.code, "“old”" in refusal.value.message) == ("unknown_sheet", True)


def test_an_old_or_cut_workbook_is_refused_in_words():
    whole = book([HEADER, ["1", "q", "a"]])

    for content in (whole[: len(whole) // 2], b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)):
        with pytest.raises(ingest.FileError) as refusal:
            preview(content)
        assert refusal.value.code == "workbook_unreadable"


def test_a_document_of_a_word_processor_is_refused():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("word/document.xml", "<w/>")

    with pytest.raises(ingest.FileError) as refusal:
        preview(file.getvalue(), "letter.docx")

    assert refusal.value.code == "wrong_type"


def test_an_open_document_sheet_is_recognised():
    content = b"PK\x03\x04" + bytes(26) + b"mimetypeapplication/vnd.oasis.opendocument.spreadsheet"

    with pytest.raises(ingest.FileError) as refusal:
        preview(content, "sheet.ods")

    assert refusal.value.code == "workbook_unreadable"


# ---- bombs -------------------------------------------------------------------------------------------------


def far_cell() -> bytes:
    """Two cells, so far apart that the table between them has 17 billion."""
    file = io.BytesIO()
    with xlsxwriter.Workbook(file) as workbook:
        sheet = workbook.add_worksheet()
        sheet.write(0, 0, "q")
        sheet.write(1_048_575, 16_383, "far")
    return file.getvalue()


def changed(member: str, content: Callable[[zipfile.ZipFile], None]) -> bytes:
    """A small workbook, with another file in the place of a member."""
    file, small = io.BytesIO(), book([HEADER, ["1", "q", "a"]])
    with (
        zipfile.ZipFile(io.BytesIO(small)) as source,
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive,
    ):
        for name in source.namelist():
            if name != member:
                archive.writestr(name, source.read(name))
        content(archive)
    return file.getvalue()


def long_text(archive: zipfile.ZipFile) -> None:
    """A shared text of 600 MB."""
    with archive.open("xl/sharedStrings.xml", "w", force_zip64=True) as member:
        member.write(b'<sst count="1" uniqueCount="1"><si><t>')
        for _ in range(600):
            member.write(b"x" * 1_000_000)
        member.write(b"</t></si></sst>")


def many_rows(archive: zipfile.ZipFile) -> None:
    with archive.open("xl/worksheets/sheet1.xml", "w", force_zip64=True) as member:
        member.write(b"<worksheet><sheetData>")
        row = b"<row>" + b'<c t="n"><v>1</v></c>' * 20 + b"</row>"
        for _ in range(400):
            member.write(row * 1_000)
        member.write(b"</sheetData></worksheet>")


def many_members(archive: zipfile.ZipFile) -> None:
    for number in range(20_000):
        archive.writestr(f"xl/media/{number}.txt", "")


BOMBS = {
    "far_cell": far_cell,
    "long_text": lambda: changed("xl/sharedStrings.xml", long_text),
    "many_rows": lambda: changed("xl/worksheets/sheet1.xml", many_rows),
    "many_members": lambda: changed("", many_members),
}


@pytest.mark.long
@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.slow) if name == "many_rows" else name for name in BOMBS],
)
def test_a_small_workbook_that_unpacks_to_a_huge_one_is_refused(tmp_path, name):
    path = tmp_path / "bomb.xlsx"
    path.write_bytes(BOMBS[name]())

    peak = subprocess.run(
        [sys.executable, "-c", READ, str(path)],
        cwd=ROOT,
        capture_output=True,
        check=True,
        text=True,
        timeout=120,
    )

    assert int(peak.stdout) < MEGABYTES
    with pytest.raises(ingest.FileError) as refusal:
        read_bytes(path.read_bytes(), "bomb.xlsx")
    assert refusal.value.code in ("workbook_unreadable", "bytes_limit", "values_limit", "rows_limit")


def test_names_of_a_sheet_that_repeat_in_blocks_are_called_after_the_column_before_each_block():
    table = preview(book([["q", "old", "Status", "new", "Status"], ["1", "a", "PASS", "b", "FAIL"]]))

    assert table.columns == ["q", "old", "old Status", "new", "new Status"]
    assert [warning.code for warning in table.warnings] == ["repeated_names"]


def test_the_sheet_of_a_table_is_read_before_one_of_notes():
    notes = [["Test of the assistant", None], ["by", "C. Moreau"], ["answers of", "12 October"]]
    table = [HEADER, *([f"{n}", f"q{n}", "a"] for n in range(80))]

    read = preview(book(notes, table, names=("Read me", "Results")))

    assert (read.format.sheet, read.columns) == ("Results", HEADER)
    assert read.format.sheets == ("Results", "Read me")


def test_a_sheet_for_each_variant_is_joined_with_that_of_the_cases():
    cases = [["case", "question", "right level"], *([f"C-{n}", f"Patient {n}?", n % 5] for n in range(30))]
    first, second = (
        [["case", "prediction", "seconds"], *([f"C-{n}", (n + shift) % 5, 1.5] for n in order)]
        for shift, order in ((0, range(30)), (1, reversed(range(30))))
    )
    content = book(cases, first, second, names=("Cases", "small", "large"))

    read = preview(content)

    assert read.format.sheet == "all sheets, joined"
    assert read.row_count == 60
    assert read.rows[0] == {
        "case": "C-0",
        "question": "Patient 0?",
        "right level": 0,
        "prediction": 0,
        "seconds": 1.5,
        "model": "small",
    }
    assert "sheets_joined" in {warning.code for warning in read.warnings}
    assert preview(content, sheet="large").columns == ["case", "prediction", "seconds"]


def test_sheets_that_ask_the_same_are_variants_beside_one_of_figures():
    first, second = (
        [["ID", "Eingabe", "Soll", "Ist"], *([n, f"Text {n}", n % 3, (n + n % shift) % 3] for n in range(30))]
        for shift in (2, 5)
    )
    figures = [["Prompt", "Quote"], ["v1", 0.5], ["v2", 0.2]]

    read = preview(book(first, second, figures, names=("Prompt v1", "Prompt v2", "Zusammenfassung")))

    assert read.format.sheet == "all sheets, joined"
    assert (read.row_count, {row["model"] for row in read.rows[:1]}) == (60, {"Prompt v1"})


def test_groups_with_the_same_columns_name_them_in_two_rows():
    rows = [
        ["Shipment", None, "Reference", "small", None, "large", None],
        ["No", "Goods", "Code", "Code", "Seconds", "Code", "Seconds"],
        ["T-1", "Screens", "8528.52", "8528.52", 1.5, "8528.59", 2.5],
    ]

    read = preview(book(rows))

    assert read.columns == [
        "No",
        "Goods",
        "Reference Code",
        "small Code",
        "small Seconds",
        "large Code",
        "large Seconds",
    ]


def test_totals_below_the_sheets_of_variants_are_no_examples():
    def scored(vendor: str, worse: int) -> Rows:
        points = [(n * worse) % 4 for n in range(12)]
        rows = [[n, f"s{n}", f"Say {n}.", f"{vendor} {n}", points[n]] for n in range(12)]
        closing: Rows = [["", "", "", "Total", sum(points)], ["", "", "", "per 1,000 words", 40.5]]
        return [["No.", "string", "source", "target", "penalty"], *rows, *closing]

    read = preview(book(scored("Acme", 1), scored("Bolt", 3), names=("Acme", "Bolt")))

    assert read.row_count == 24
    assert any("Acme: Rows below the table" in warning.message for warning in read.warnings)


def test_sheets_of_two_months_are_no_variants():
    months = [
        [["id", "ticket", "label"], *([n, f"{month} ticket {n}", f"{month} {n % 3}"] for n in range(30))]
        for month in ("January", "February")
    ]

    assert preview(book(*months, names=("Jan", "Feb"))).format.sheet == "Jan"


def test_a_row_of_few_groups_below_a_banner_names_columns_that_repeat():
    answers = ["Answer", "Correct?", "Tone"]
    rows = [
        ["Chatbot pilot, review"],
        ["Ticket", None, None, None, "Old bot", None, None, "New bot"],
        ["No.", "Date", "Question", "Reviewer", *answers, *answers, "Comment"],
        *([n, "2026-01-02", f"Why {n}?", "Ana", "so", "Y", 3, "thus", "N", 4, None] for n in range(12)),
    ]

    names = preview(book(rows)).columns

    assert names[:4] == ["No.", "Date", "Question", "Reviewer"]
    assert names[4:8] == ["Old bot Answer", "Old bot Correct?", "Old bot Tone", "New bot Answer"]
    assert names[-1] == "Comment"


def test_groups_may_cover_all_columns():
    fields = ["kcal", "Fat"]
    rows = [
        ["Dish", None, "Lab", None, "Model", None],
        ["No", "Name", *fields, *fields],
        [1, "Soup", 9, 1, 8, 1],
    ]

    assert preview(book(rows)).columns == ["No", "Name", "Lab kcal", "Lab Fat", "Model kcal", "Model Fat"]
