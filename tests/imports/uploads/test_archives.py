"""Archives of tables on their way in: the one table that is stored, what is said of it, and what is refused."""

import io
import json
import zipfile

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

from evaluations import in_children
from evaluations.access import limits
from evaluations.children import TooSlow
from evaluations.errors import Invalid, TooLarge, TooManyRequests
from evaluations.imports.uploads import archives, turns, uploads
from evaluations.ingest import archive
from evaluations.models import Upload
from tests.other_tools.files import content

pytestmark = pytest.mark.django_db

ROWS = [{"id": number, "question": f"q{number}", "answer": f"a{number}"} for number in range(9)]


def lines(rows):
    return "\n".join(map(json.dumps, rows))


FILES = {
    "data.jsonl": lines(ROWS),
    "preds_x.jsonl": lines([{"id": row["id"], "output": "?"} for row in ROWS]),
    "preds_y.jsonl": lines([{"id": row["id"], "output": row["answer"]} for row in ROWS]),
}


def zipped(files, name="run.zip"):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as packed:
        for path, text in files.items():
            packed.writestr(zipfile.ZipInfo(path), text, zipfile.ZIP_DEFLATED)  # of no time
    return ContentFile(content.getvalue(), name)


@pytest.fixture
def park(project):
    return lambda file, **how: uploads.park(project, None, file, **how)


def test_one_table_is_stored_for_an_archive(park):
    upload = park(zipped(FILES))

    with default_storage.open(upload.stored_as) as stored:
        assert len(stored.read().splitlines()) == 18
    assert upload.filename == "run.zip"
    assert [warning.code for warning in uploads.warnings(upload, uploads.preview(upload))] == [
        "archive_joined"
    ]
    assert uploads.long_format(upload).variant == "model"


def test_what_is_said_of_it_stays_when_the_user_chooses_how_it_is_read(park):
    upload = park(zipped(FILES))
    uploads.choose(upload, {"kind": "jsonl"})

    assert upload.format["warnings"][0]["code"] == "archive_joined"


def test_the_same_archive_is_recognised(park):
    assert park(zipped(FILES)).sha256 == park(zipped(FILES)).sha256


def test_the_only_file_keeps_its_own_name(park):
    upload = park(zipped({"folder/rows.csv": "question,answer\nq,a\n"}))

    assert (upload.filename, upload.format["kind"], upload.format["warnings"]) == ("rows.csv", "csv", [])


def test_files_sent_together_are_an_archive(park):
    files = [ContentFile(text.encode(), name) for name, text in FILES.items()]
    upload = park(archives.packed(files))

    assert upload.filename == "data and 2 more.zip"
    assert {row["model"] for row in uploads.preview(upload).rows} == {"x", "y"}


def test_files_of_one_name_from_several_folders_are_variants_by_their_numbers(park):
    texts = [f"question,output\nq1,by {n}\nq2,by {n} again\n" for n in range(3)]
    upload = park(archives.packed([ContentFile(text.encode(), "results.csv") for text in texts]))

    said = {row["model"]: row["output"] for row in uploads.preview(upload).rows if row["question"] == "q1"}
    assert said == {"results": "by 0", "results2": "by 1", "results3": "by 2"}


def test_an_archive_of_another_tool_is_read_as_its_export(park):
    def sample(model, number):
        right = float(model == "qwen")
        return {
            "doc_id": number,
            "doc": {"question": "q"},
            "target": "a",
            "resps": [["a"]],
            "filtered_resps": ["a"],
        } | {"filter": "none", "metrics": ["acc"], "acc": right}

    files = {
        f"{model}/samples_task.jsonl": lines(sample(model, n) for n in range(6))
        for model in ("qwen", "gemma")
    }
    upload = park(zipped(files), tools=True)

    assert upload.format["kind"] == "lmeval"
    assert "as folders, files or parts do" in archives.warnings_of(upload.format)[0]["message"]


OF_OBJECT = {
    "gold": {f"q{row['id']}": row["answer"] for row in ROWS},
    "predictions": {name: {f"q{row['id']}": name for row in ROWS} for name in ("small", "large")},
}


def test_the_tables_in_an_object_are_joined_unless_how_it_is_read_is_chosen(park):
    file = ContentFile(json.dumps(OF_OBJECT).encode(), "runs.json")

    upload = park(file)

    assert upload.format["kind"] == "jsonl"
    assert "parts of the object" in archives.warnings_of(upload.format)[0]["message"]
    assert not archives.unpacked(file, is_chosen=True)[1]


def test_sentences_of_tagged_words_are_stored_as_rows_unless_how_it_is_read_is_chosen(park):
    text = "Ada B-PER O\nsays O O\n\nUlm B-LOC B-LOC\nlies O O\n\n" * 9
    file = ContentFile(text.encode(), "testb.txt")

    upload = park(file)

    assert upload.format["kind"] == "jsonl"
    assert "tags are entities" in archives.warnings_of(upload.format)[0]["message"]
    assert not archives.unpacked(file, is_chosen=True)[1]


def test_a_large_object_is_read_as_before(park, monkeypatch):
    monkeypatch.setattr(archive, "MOST_OF_OBJECT", 100)
    file = ContentFile(json.dumps(OF_OBJECT).encode(), "runs.json")

    assert archives.unpacked(file) == (file, [])


def test_large_archives_are_refused_before_they_are_read(park, monkeypatch):
    monkeypatch.setattr(archive, "MOST_BYTES", 100)
    with pytest.raises(TooLarge, match="may have"):
        park(zipped(FILES))
    with pytest.raises(TooLarge, match="may have"):
        archives.packed([ContentFile(b"a" * 60, "a.csv"), ContentFile(b"b" * 60, "b.csv")])


def test_an_archive_that_takes_long_is_refused_and_nothing_is_stored(park, monkeypatch):
    def too_slow(*args):
        raise TooSlow()

    monkeypatch.setattr(in_children.pool, "run", too_slow)
    with pytest.raises(TooLarge, match="Reading the archive takes too much time"):
        park(zipped(FILES))
    assert not Upload.objects.exists()


def test_an_archive_is_read_in_its_turn(park, monkeypatch):
    monkeypatch.setattr(turns, "PATIENCE", 0)
    with limits.FILES, pytest.raises(TooManyRequests, match="Other large files are being read"):
        park(zipped(FILES))


def test_a_bomb_takes_neither_the_memory_of_the_page_nor_its_time(park):
    rows = ("[" + "[0]," * 8_000_000 + "[0]]").encode()
    with pytest.raises((TooLarge, Invalid)):
        park(zipped({"a.json": rows, "b.json": rows[:20_000_000]}))


def test_an_archive_of_exports_of_one_tool_is_stored_as_it_is(park):
    log = content("inspect.json")

    assert park(zipped({"a.json": log, "b.json": log}), tools=True).format["kind"] == "inspect_together"
    with pytest.raises(Invalid, match="None of the files is a table"):
        park(zipped({"a.json": log, "b.json": log}))
