"""Exports contain every text and score unchanged."""

import csv
import functools
import gzip
import io
import json
import re
import zipfile
from decimal import Decimal
from xml.etree import ElementTree

import numpy as np
import pyarrow.parquet as pq
import pytest
from django.core.files.base import File
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evaluations import spreadsheet
from evaluations.comparisons import export, notes
from evaluations.comparisons.comparison import Comparison
from evaluations.datasets import datasets, live_positions
from evaluations.errors import Invalid
from evaluations.evaluators import evaluators
from evaluations.experiments import experiments, runs
from evaluations.imports import imports
from evaluations.imports.uploads import uploads
from evaluations.models import Import
from evaluations.results import csv_writer, exports, results, xlsx_writer
from evaluations.results.shown import scorings_of
from evaluations.scoring import columns, scoring, stretches
from evaluations.scoring.columns import Slots
from evaluations.statistics.wording import text
from tests import factories

pytestmark = pytest.mark.django_db


def file_bytes(stream) -> bytes:
    return b"".join(stream)


def rows_of(stream) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(file_bytes(stream).decode())))


def header_of(stream) -> list[str]:
    return next(csv.reader(io.StringIO(file_bytes(stream).decode())))


def test_every_row_of_a_run_is_exported_in_order(project):
    run = factories.scored_run(factories.experiment(project, "exact_match", "levenshtein_distance"))

    lines = list(csv.DictReader(io.StringIO(file_bytes(exports.of_run(run, "csv")).decode())))

    assert [(r["position"], r["key"], r["question"], r["answer"], r["output"]) for r in lines] == [
        ("1", "k1", "q1", "Paris", "Paris"),
        ("2", "k2", "q2", "Rome", "Lyon"),
        ("3", "k3", "q3", "Oslo", "Oslo"),
    ]
    assert [r["exact match"] for r in lines] == ["1.0", "0.0", "1.0"]
    assert [r["levenshtein distance"] for r in lines] == ["0.0", "4.0", "0.0"]
    assert [r["exact match status"] for r in lines] == ["scored"] * 3


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_every_row_of_a_run_says_where_it_is_from_and_the_file_can_be_uploaded(project, kind):
    run = factories.scored_run(factories.experiment(project, "exact_match"))
    file = file_bytes(exports.of_run(run, kind))

    rows = rows_of([file]) if kind == "csv" else [json.loads(line) for line in file.splitlines()]
    assert [
        (str(row["run"]), row["variant"], row["dataset"], str(row["dataset_version"])) for row in rows
    ] == [(str(run.pk), run.variant, run.experiment.dataset.name, "1")] * 3

    preview = uploads.preview(factories.parked(project, file, f"run.{kind}"))
    assert [preview.roles[name] for name in ("key", "question", "output")] == ["key", "inputs", "output"]
    origin = ("position", "run", "variant", "dataset", "dataset_version")
    assert {preview.roles[name] for name in origin} == {"leave out"}


ABOUT = {
    "model": "m",
    "parameters": {"temperature": 0},
    "link": "https://example.com/1",
    "notes": "by hand,\nonce",
}
ABOUT_IN_WORDS = "m, link https://example.com/1, notes by hand, once, temperature 0"


def test_an_export_has_a_column_for_what_is_said_about_the_variant(project):
    experiment = factories.experiment(project)
    run = factories.run(experiment, about=ABOUT, start=False)
    run_without_about = factories.run(experiment, variant="v2", start=False)

    lines = [json.loads(line) for line in file_bytes(exports.of_run(run, "jsonl")).splitlines()]
    table = rows_of(exports.of_experiment(experiment, [run, run_without_about], "csv"))

    assert [row["about"] for row in rows_of(exports.of_run(run, "csv"))] == [ABOUT_IN_WORDS] * 3
    assert [line["about"] for line in lines] == [ABOUT_IN_WORDS] * 3
    assert [row["v1 about"] for row in table] == [ABOUT_IN_WORDS] * 3
    assert "v2 about" not in table[0]
    assert "about" not in header_of(exports.of_run(run_without_about, "csv"))


def test_json_lines_carry_every_score_with_its_status(project):
    run = factories.scored_run(factories.experiment(project, "levenshtein_distance"), ("Paris", None, "Oslo"))

    rows = [json.loads(line) for line in file_bytes(exports.of_run(run, "jsonl")).splitlines()]

    assert [row["scores"]["levenshtein distance"]["status"] for row in rows] == [
        "scored",
        "missing_actual",
        "scored",
    ]
    assert rows[1]["scores"]["levenshtein distance"]["value"] is None
    assert rows[1]["output"] is None


@pytest.mark.parametrize("references", [(), ("Paris",), tuple(f"a\n{number}" for number in range(5_000))])
def test_a_json_file_is_one_array_of_the_lines(project, references):
    dataset = factories.dataset(project, references)

    lines = file_bytes(exports.of_dataset(dataset, "jsonl")).splitlines()

    assert json.loads(file_bytes(exports.of_dataset(dataset, "json"))) == list(map(json.loads, lines))


def test_parquet_has_the_rows_of_the_csv(project):
    run = factories.scored_run(factories.experiment(project))

    table = pq.read_table(io.BytesIO(file_bytes(exports.of_run(run, "parquet"))))

    assert table.column("output").to_pylist() == ["Paris", "Lyon", "Oslo"]
    assert table.column("exact match").to_pylist() == [1.0, 0.0, 1.0]


@pytest.mark.parametrize(
    "cell",
    ["=1+1", "+1", "-1", "@x", "\tx", "\rx", "＝1", "\ufeff=1+1", "\u200b=1+1", "\x0b=1+1", "\u2060\x01=1"],
)
def test_a_cell_that_a_spreadsheet_would_run_is_behind_an_apostrophe(project, cell):
    dataset = factories.dataset(project, [cell])

    assert f"'{cell}" in file_bytes(exports.of_dataset(dataset, "csv")).decode()
    assert f"'{cell}" not in file_bytes(exports.of_dataset(dataset, "csv", safe=False)).decode()
    assert f"'{cell}" not in file_bytes(exports.of_dataset(dataset, "jsonl")).decode()


def test_the_error_of_an_unknown_format_lists_the_known_ones():
    with pytest.raises(Invalid, match="csv, jsonl, parquet, xlsx"):
        exports.check("xls")


def parquet_of(dataset) -> pq.ParquetFile:
    return pq.ParquetFile(io.BytesIO(file_bytes(exports.of_dataset(dataset, "parquet"))))


def test_a_parquet_file_reads_texts_once(project, monkeypatch, django_assert_num_queries):
    """Their columns have text as type, whatever follows; each part is asked for the type of its first stretch."""
    monkeypatch.setattr(stretches, "CHUNK", 1)
    monkeypatch.setattr(live_positions, "of_version", functools.cache(live_positions.of_version))
    dataset = factories.dataset(project, ["a", "b", "c", "d", "e", "f"])
    live_positions.of_version(dataset, dataset.version)

    with django_assert_num_queries(3 + 6):
        parquet_of(dataset)


@pytest.mark.parametrize(
    ("references", "expected"),
    [
        ([1, None, 3], [1, None, 3]),
        ([1, 2, "three"], ["1", "2", "three"]),
        (["one", 2, [3]], ["one", "2", "[3]"]),
        ([1, 2.5, None], ["1", "2.5", None]),
        ([[1], [], None], [[1], [], None]),
        ([[1], [2], ["three"]], ["[1]", "[2]", '["three"]']),
        ([1, 2**63, 3], ["1", str(2**63), "3"]),
    ],
)
def test_the_type_of_a_parquet_column_fits_all_values(project, monkeypatch, references, expected):
    monkeypatch.setattr(stretches, "CHUNK", 1)

    file = parquet_of(factories.dataset(project, references))

    assert file.read().column("answer").to_pylist() == expected


def test_an_evaluator_without_a_score_in_the_first_stretch_keeps_its_type(project, monkeypatch):
    run = factories.scored_run(factories.experiment(project, "levenshtein_distance"), (None, "Rome", "Osla"))
    monkeypatch.setattr(stretches, "CHUNK", 1)
    slot_values = {1: (np.nan, -1, 2, {0: "no output"}), 2: (0.0, 1, 0, {}), 3: (1.0, 0, 0, {})}

    def one_slot(scoring_ids, first):
        value, passed, status, messages = slot_values[first]
        slots = Slots(np.array([value]), np.array([passed], np.int8), np.array([status], np.uint8))
        return dict.fromkeys(scoring_ids, (slots, messages))

    monkeypatch.setattr(columns, "stretch", one_slot)

    file = pq.ParquetFile(io.BytesIO(file_bytes(exports.of_run(run, "parquet"))))
    lines = [json.loads(line) for line in file_bytes(exports.of_run(run, "jsonl")).splitlines()]

    assert file.num_row_groups == 3
    assert file.read().column("levenshtein distance").to_pylist() == [None, 0.0, 1.0]
    assert [line["scores"]["levenshtein distance"]["message"] for line in lines] == ["no output", "", ""]


def test_a_name_that_two_parts_have_says_which_it_is(project):
    example = {"inputs": {"text": "a", "key": "x"}, "reference": {"text": "b"}, "metadata": {"n": 1}}
    dataset = datasets.create(project, None, "twice", [example])

    [row] = csv.DictReader(io.StringIO(file_bytes(exports.of_dataset(dataset, "csv")).decode()))
    [line] = map(json.loads, file_bytes(exports.of_dataset(dataset, "jsonl")).splitlines())

    assert row == {"key": "", "inputs.text": "a", "inputs.key": "x", "reference.text": "b", "n": "1"}
    assert line == {"key": None, "inputs.text": "a", "inputs.key": "x", "reference.text": "b", "n": 1}


def test_an_example_that_was_removed_is_not_exported(project):
    dataset = factories.dataset(project)
    datasets.remove(dataset, None, 2)

    lines = [json.loads(line) for line in file_bytes(exports.of_dataset(dataset, "jsonl")).splitlines()]

    assert [line["key"] for line in lines] == ["k1", "k3"]


@pytest.mark.parametrize("delimiter", [";", "\t"])
@pytest.mark.parametrize(
    "cell", ["x;=cmd|' /C calc'!A0;y", "x\t=1+1", 'x;"=1+1', "x\n=cmd|' /C calc'!A0", "x\r- WEBSERVICE(A1)"]
)
def test_a_formula_behind_another_delimiter_stays_within_its_cell(project, cell, delimiter):
    dataset = factories.dataset(project, [cell])

    text = file_bytes(exports.of_dataset(dataset, "csv")).decode()

    cells = [cell for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) for cell in row]
    assert not any(cell.startswith(("=", "-")) for cell in cells)


def test_list_items_have_no_apostrophes():
    assert spreadsheet.guarded("Cities:\n- Lima\n- Oslo") == "Cities:\n- Lima\n- Oslo"


@given(st.text("'=-; \t\n\r\"(a"))
def test_a_guarded_cell_has_its_text_back(text):
    assert spreadsheet.unguarded(spreadsheet.guarded(text)) == text


@given(st.lists(st.text("'=-; \t\n\r\"(a")))
def test_cells_of_a_column_are_guarded_like_single_cells(texts):
    assert spreadsheet.guarded_column(texts) == list(map(spreadsheet.guarded, texts))


def test_no_two_headers_are_equal(project):
    """Evaluators can have the name of a column, of another's verdict, or of a deleted evaluator."""
    experiment = factories.experiment(project)
    names = ("exact match passed", "output", "position", "key")
    evaluators_of_same_name = [factories.evaluator(project, name=name) for name in names]
    run = factories.scored_run(experiment)
    runs.add_scorings(run, evaluators_of_same_name)
    work()
    evaluators.delete(experiments.versions_of(experiment)[0].evaluator)
    runs.add_scorings(run, [factories.evaluator(project)])
    work()

    header = header_of(exports.of_run(run, "csv"))
    parquet = pq.read_table(io.BytesIO(file_bytes(exports.of_run(run, "parquet"))))
    [line, *_] = map(json.loads, file_bytes(exports.of_run(run, "jsonl")).splitlines())

    assert len(header) == len(set(header)) == len(parquet.column_names) == 9 + 6 * 4
    assert parquet.column("output").to_pylist() == ["Paris", "Lyon", "Oslo"]
    assert header.count("exact match") == 1
    assert len(line["scores"]) == 6


def work() -> None:
    while scoring.work(seconds=10):
        pass


def test_the_version_of_every_evaluator_is_beside_its_scores(project):
    exact = factories.evaluator(project)
    evaluators.change(exact, None, config={"case_sensitive": False})
    experiment = experiments.create(project, None, "newer", factories.dataset(project), [exact])
    run = factories.scored_run(experiment)

    assert [row["exact match version"] for row in rows_of(exports.of_run(run, "csv"))] == ["2"] * 3
    [line, *_] = map(json.loads, file_bytes(exports.of_run(run, "jsonl")).splitlines())
    assert line["versions"] == {"exact match": 2}


def test_an_example_without_a_key_has_its_position_in_tables_of_runs(project):
    dataset = datasets.create(
        project, None, "keyless", [{"inputs": {"q": "a"}}, {"key": "b", "inputs": {"q": "b"}}]
    )
    run = factories.run(experiments.create(project, None, "keyless", dataset), ("x", "y"))

    assert [row["key"] for row in rows_of(exports.of_run(run, "csv"))] == ["1", "b"]
    assert [row["key"] for row in rows_of(exports.of_dataset(dataset, "csv"))] == ["", "b"]


def test_only_chosen_rows_are_exported(project, monkeypatch):
    run = factories.scored_run(factories.experiment(project))
    monkeypatch.setattr(stretches, "CHUNK", 2)
    failed = results.Query(scoring=scorings_of(run)[0], passed=False)

    chosen_rows = results.chosen(run, failed)

    assert [row["key"] for row in rows_of(exports.of_run(run, "csv", chosen=chosen_rows))] == ["k2"]


def test_all_variants_of_an_experiment_are_one_table(project):
    experiment = factories.experiment(project)
    first = factories.scored_run(experiment, variant="v1")
    second = factories.scored_run(experiment, ("Paris", "Rome", "Oslo"), variant="v2")

    rows = rows_of(exports.of_experiment(experiment, [first, second], "csv"))
    lines = [
        json.loads(line)
        for line in file_bytes(exports.of_experiment(experiment, [first, second], "jsonl")).splitlines()
    ]

    assert [(row["v1 output"], row["v2 output"]) for row in rows] == [
        ("Paris", "Paris"), ("Lyon", "Rome"), ("Oslo", "Oslo"),
    ]  # fmt: skip
    assert [(row["v1 exact match"], row["v2 exact match"]) for row in rows][1] == ("0.0", "1.0")
    assert lines[1]["variants"]["v1"]["output"] == "Lyon"
    assert lines[1]["variants"]["v2"]["scores"]["exact match"]["value"] == 1.0


def test_an_experiment_without_runs_is_a_table_of_its_examples(project):
    experiment = factories.experiment(project)

    assert [row["key"] for row in rows_of(exports.of_experiment(experiment, [], "csv"))] == ["k1", "k2", "k3"]


def test_the_byte_order_mark_of_csv_for_excel_is_ignored_by_imports(project):
    dataset = factories.dataset(project, ["Zürich"])

    marked = file_bytes(exports.of_dataset(dataset, "csv", bom=True))

    assert marked.startswith(b"\xef\xbb\xbfkey")
    assert not file_bytes(exports.of_dataset(dataset, "csv")).startswith(b"\xef")
    reimported = factories.imported(project, marked, "again.csv", {"reference": ["answer"], "key": "key"})
    assert [e.key for e in datasets.examples(reimported)] == ["k1"]


def sheet_of(stream) -> list[list[str | float]]:
    """The cells of an Excel file, from its XML: texts are inline, numbers are numbers."""
    with zipfile.ZipFile(io.BytesIO(file_bytes(stream))) as book:
        rows = ElementTree.fromstring(book.read("xl/worksheets/sheet1.xml")).iter(f"{SHEET}row")
        return [[_value(cell) for cell in row.iter(f"{SHEET}c") if len(cell)] for row in rows]


SHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


def _value(cell: ElementTree.Element) -> str | float:
    assert cell.find(f"{SHEET}f") is None, "a formula"
    text = cell.find(f"{SHEET}is/{SHEET}t")
    return text.text if text is not None else float(cell.find(f"{SHEET}v").text)


def test_excel_files_have_no_formula(project):
    run = factories.scored_run(
        factories.experiment(project, references=["=1+1", "http://a.b"]), ("=1+1", "x")
    )

    header, first, second = sheet_of(exports.of_run(run, "xlsx"))

    assert header[:5] == ["position", "key", "question", "answer", "output"]
    assert first[:6] == [1.0, "k1", "q1", "=1+1", "=1+1", 1.0]
    assert second[3:6] == ["http://a.b", "x", 0.0]


def test_a_text_too_long_for_a_cell_of_excel_is_cut_with_a_mark(project):
    dataset = factories.dataset(project, ["x" * 40_000])

    [_, [*_, text]] = sheet_of(exports.of_dataset(dataset, "xlsx"))

    assert len(text) == 32_767
    assert text.endswith("(cut)")


def test_a_cell_of_excel_is_measured_as_excel_does(project):
    """An emoji counts as two."""
    dataset = factories.dataset(project, ["😀" * 16_383, "😀" * 16_384])

    [_, [*_, whole], [*_, cut]] = sheet_of(exports.of_dataset(dataset, "xlsx"))

    assert whole == "😀" * 16_383
    assert len(cut.encode("utf-16-le")) <= 2 * 32_767
    assert cut.endswith("😀… (cut)")


def test_more_rows_than_an_excel_file_takes_are_refused():
    with pytest.raises(Invalid) as refusal:
        exports.check("xlsx", exports.MOST_XLSX_ROWS + 1)

    assert refusal.value.code == "too_many_rows"


@given(rows=st.lists(st.tuples(st.text(), st.text()), min_size=1))
def test_a_cell_is_quoted_as_the_library_does_it(rows):
    library = io.StringIO()
    csv.writer(library).writerows(rows)

    expected_text = "".join(f"{','.join(csv_writer.quoted(row))}\r\n" for row in rows)

    assert expected_text == library.getvalue()


# NUL and unpaired surrogates cannot be stored; the import replaces them, with a warning
TEXT = st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]), min_size=1, max_size=40)


@pytest.mark.long
@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet", "csv.gz", "jsonl.gz"])
@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(TEXT, min_size=1, max_size=4))
def test_a_dataset_that_is_exported_and_uploaded_again_has_the_same_texts(project, kind, texts):
    dataset = factories.dataset(project, texts, name=f"texts {kind} {datasets.Dataset.objects.count()}")

    file = file_bytes(exports.of_dataset(dataset, kind.removesuffix(".gz")))
    file = gzip.compress(file) if kind.endswith(".gz") else file
    mapping = {"inputs": ["question"], "reference": ["answer"], "key": "key"}
    reimported = factories.imported(project, file, f"again.{kind}", mapping, name=f"{dataset.name} again")

    assert reimported.status == "ready", reimported.errors
    assert [json.loads(e.reference)["answer"] for e in datasets.examples(reimported)] == texts


@pytest.mark.long
@pytest.mark.parametrize(
    ("kind", "choices", "expected"),
    [
        ("jsonl", {}, ["", None, "x"]),
        ("parquet", {}, ["", None, "x"]),
        ("csv", {}, [None, None, "x"]),
        ("csv", {"empty_as_text": True}, ["", "", "x"]),
    ],
)
def test_an_empty_text_comes_back_where_the_format_can_tell_it_from_nothing(project, kind, choices, expected):
    dataset = factories.dataset(project, ["", None, "x"])
    file = io.BytesIO(file_bytes(exports.of_dataset(dataset, kind, safe=False)))

    upload = uploads.park(project, None, File(file, name=f"again.{kind}"))
    uploads.choose(upload, choices)
    reimported = imports.begin(upload, "again", {"reference": ["answer"], "key": "key"})
    imports.run_import(Import.objects.get(dataset=reimported).pk)
    reimported.refresh_from_db()

    assert [json.loads(e.reference)["answer"] for e in datasets.examples(reimported)] == expected


@pytest.fixture
def workbook(project):
    """The Excel file of an experiment with two variants, and its comparison."""
    experiment = factories.experiment(project)
    old, new = (factories.scored_run(experiment, ("Paris", last, None), last) for last in ("Lyon", "Rome"))
    summary = export.summary(Comparison([old, new], old))
    stream = file_bytes(exports.of_experiment(experiment, [old, new], "xlsx", summary=summary))
    return stream, Comparison([old, new], old)


def test_the_first_sheet_of_a_workbook_is_for_people(workbook):
    stream, comparison = workbook
    first = sheet_of([stream])
    titles = next(row for row in first if row[:1] == ["evaluator"])

    assert first[0] == [comparison.sides.experiment.name]
    assert [comparison.sentence.text] in first
    assert {"examples", "95 % interval from", "verdict"} <= {*titles}
    told = notes.of(comparison)
    assert any("1 of 3" in text(note.parts) for note in told.every)  # unanswered
    for line in (*(text(note.parts) for note in told.every), *(one["message"] for one in told.warnings)):
        assert [line] in first


def test_a_long_text_of_the_first_sheet_is_wrapped_over_its_width():
    stream = file_bytes(xlsx_writer.write([("a", str)], iter([]), [["short"], ["a sentence " * 40]]))

    with zipfile.ZipFile(io.BytesIO(stream)) as book:
        sheet = book.read("xl/worksheets/sheet1.xml").decode()
    assert '<mergeCell ref="A2:I2"/>' in sheet
    assert re.search(r'<row r="2"[^>]* ht="60"', sheet)


def test_amounts_of_a_workbook_can_be_summed():
    stream = file_bytes(xlsx_writer.write([("cost", Decimal)], iter([[["0.0115", None]]])))

    assert sheet_of([stream])[1] == [0.0115]


def test_an_upload_of_our_own_workbook_reads_the_examples(workbook, project):
    upload = uploads.park(project, None, File(io.BytesIO(workbook[0]), name="back.xlsx"))

    assert upload.format["sheet"] == "Examples"
