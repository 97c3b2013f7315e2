"""Previews of files by the API, as the pages of an upload show them before an import."""

import gzip
import json

import pytest
from django.db import connection

from evaluations import ingest
from evaluations.access import limits
from evaluations.imports.uploads import turns
from evaluations.models import Dataset, Upload
from tests.other_tools.files import content

from .conftest import import_all

pytestmark = pytest.mark.django_db

ROWS = b"question;answer;id;topic\nCapital of Peru?;Lima;a;geo\n2+2?;4;a;maths\nbroken;row;b\n"


def previewed(writer, file: bytes, name: str = "answers.csv", **fields) -> dict:
    answer = writer.upload("datasets/preview/", file, name, **fields)
    assert answer.status_code == 200, answer.content
    return answer.json()


def test_the_preview_of_a_table_suggests_roles(writer):
    answer = previewed(writer, ROWS.replace(b";4;a;", b";4;c;"))

    table = answer["table"]
    assert (answer["tool"], table["format"]["kind"], table["format"]["delimiter"]) == (None, "csv", ";")
    assert table["columns"] == ["question", "answer", "id", "topic"]
    assert table["mapping"] == {
        "inputs": ["question"],
        "reference": ["answer"],
        "metadata": ["topic"],
        "key": "id",
        "outputs": {},
    }
    assert table["rows"][0] == {
        "line": 2,
        "values": {"question": "Capital of Peru?", "answer": "Lima", "id": "a", "topic": "geo"},
    }


@pytest.mark.parametrize("path", ["datasets/", "datasets/preview/"])
def test_a_packed_file_is_refused_for_a_moment_while_others_are_read(writer, monkeypatch, path):
    monkeypatch.setattr(turns, "PATIENCE", 0)
    fields = {} if path.endswith("preview/") else {"name": "packed"}

    with limits.FILES:
        answer = writer.upload(path, gzip.compress(ROWS), **fields)

    assert (answer.status_code, answer.json()["error"]["code"]) == (429, "too_many_requests")
    assert int(answer.headers["Retry-After"]) > 0


def test_no_transaction_waits_while_the_first_rows_are_read(writer, monkeypatch):
    """SQLite has one writer at a time."""
    depths, preview = [], ingest.preview
    before = len(connection.savepoint_ids)

    def noted(*arguments, **options):
        depths.append(len(connection.savepoint_ids))
        return preview(*arguments, **options)

    monkeypatch.setattr(ingest, "preview", noted)
    writer.upload("datasets/", b"question\nwhy?\n", name="rows", headers={"Idempotency-Key": "k"})

    assert depths == [before]


def test_rows_that_cannot_be_imported_are_counted_with_their_lines(writer):
    mapping = {"inputs": ["question"], "reference": ["answer"], "key": "id"}
    table = previewed(writer, ROWS, mapping=mapping)["table"]

    assert [(group["count"], group["locations"][0]["line"]) for group in table["problems"]] == [(1, 4)]
    counted = table["forecast"]
    assert (counted["rows"], counted["examples"], counted["unreadable"]) == (3, 1, 1)
    assert (counted["keys_twice"], counted["first_lines"], counted["whole"]) == (1, [3], True)


def test_a_key_that_repeats_is_not_suggested(writer):
    rows = b"question,id\na,1\nb,1\n"
    table = previewed(writer, rows)["table"]

    writer.upload("datasets/", rows, name="without a mapping")
    import_all()

    assert (table["mapping"]["key"], table["forecast"]["keys_twice"]) == (None, 0)
    assert table["forecast"]["examples"] == Dataset.objects.get().example_count == 2
    assert [warning["code"] for warning in table["warnings"]] == ["key_not_unique"]


@pytest.mark.parametrize(
    ("file", "codes"),
    [
        ("question\nwhy?\n".encode("utf-16-le"), ["encoding_guessed"]),
        (b'{"type": "x", "items": [{"question": "a"}, {"question": "b"}]}', ["json_rows_in_object"]),
        (b"a^b\n1^2\n", ["columns_not_recognised"]),
    ],
)
def test_a_preview_has_the_warnings_of_the_dataset_once_each(writer, file, codes):
    table = previewed(writer, file, "rows.txt")["table"]
    writer.upload("datasets/", file, "rows.txt", name="rows")
    import_all()

    assert [warning["code"] for warning in table["warnings"]] == codes
    assert [warning["code"] for warning in Dataset.objects.get().warnings] == codes


def test_a_preview_lists_columns_left_out_by_the_mapping(writer):
    table = previewed(writer, ROWS, mapping={"inputs": ["question"]})["table"]

    assert table["mapping"] == {"inputs": ["question"]}
    assert table["left_out"] == ["answer", "id", "topic"]


def test_the_suggested_mapping_imports_the_file_as_no_mapping_does(writer):
    file = b"inputs.q,metadata.q,output_v1\na,b,c\n"
    mapping = previewed(writer, file)["table"]["mapping"]

    for name, fields in (("with", {"mapping": mapping}), ("without", {})):
        writer.upload("datasets/", file, name=name, **fields)
    import_all()

    with_mapping, without_mapping = Dataset.objects.order_by("pk")
    assert (with_mapping.columns, with_mapping.warnings) == (
        without_mapping.columns,
        without_mapping.warnings,
    )


def test_the_preview_of_a_tool_export_lists_its_contents(writer):
    tool = previewed(writer, content("promptfoo_v3.json"), "promptfoo_v3.json")["tool"]

    assert (tool["tool"], tool["examples"], tool["answers"], len(tool["variants"])) == ("promptfoo", 3, 12, 4)
    assert tool["variants"][0]["about"]["model"].startswith("openai:gpt-4.1")
    graders = {grader["name"]: grader for grader in tool["graders"]}
    assert (graders["exact"]["kind"], graders["exact"]["why"], graders["exact"]["failed"]) == (
        *("exact_match", ""),
        1,
    )
    assert graders["llm-rubric"]["kind"] is None
    assert graders["llm-rubric"]["why"]
    overall = next(figure for figure in tool["figures"] if not figure["variant"])
    assert (overall["n"], overall["pass_rate"]) == (12, 5 / 12)


def test_a_preview_stores_nothing(writer):
    previewed(writer, ROWS)

    assert not Upload.objects.exists()
    assert not Dataset.objects.exists()


def test_a_file_that_came_before_is_recognised(writer):
    file = b"question,answer\n2+2?,4\n"
    dataset = writer.upload("datasets/", file, name="First").json()
    import_all()

    assert previewed(writer, file)["same_content"] == dataset["id"]


def test_saved_mappings_say_which_columns_the_file_lacks(writer):
    writer.create("mappings/", {"name": "Weekly", "mapping": {"inputs": ["question", "place"]}})

    [saved] = previewed(writer, ROWS)["table"]["saved"]

    assert (saved["name"], saved["missing"]) == ("Weekly", ["place"])


def test_a_file_that_is_no_table_is_refused_as_its_import_would_be(writer):
    answers = [
        writer.upload(path, b"%PDF-1.7 ...", "a.pdf", **fields)
        for path, fields in (("datasets/preview/", {}), ("datasets/", {"name": "a"}))
    ]

    assert answers[0].status_code == 400
    assert {answer.json()["error"]["code"] for answer in answers} == {answers[0].json()["error"]["code"]}


def test_outputs_of_a_variant_are_matched_before_they_are_sent(runner, experiment):
    file = b"position,text\n1,Paris\n1,Rome\n9,Lima\n2,\n"

    answer = runner.upload("runs/preview/", file, experiment=json.dumps(experiment["id"]))

    preview = answer.json()
    assert answer.status_code == 200, preview
    assert preview["mapping"] == {"output": "text", "position": "position"}
    match = preview["match"]
    assert (match["matched"], match["twice"], match["extra"], match["empty"]) == (1, 1, 1, 1)
    assert (match["first_extra"], match["startable"]) == ([4], False)
    assert match["first_matched"] == [{"line": 2, "position": 1}]


LONG_TABLE = b"position,system,text\n1,a,Paris\n1,b,Lyon\n1,a,Rome\n1,,?\n9,b,Lima\n"


def test_the_variants_of_a_long_table_are_counted_before_they_are_sent(runner, experiment):
    long = json.dumps({"id": "position", "variant": "system", "output": "text"})

    answer = runner.upload("runs/preview/", LONG_TABLE, experiment=json.dumps(experiment["id"]), long=long)

    preview = answer.json()
    assert answer.status_code == 200, preview
    assert (preview["mapping"], preview["choices"]) == ({"output": "text", "position": "position"}, [])
    match = preview["match"]
    assert match["answered"] == [{"name": "a", "matched": 1}, {"name": "b", "matched": 1}]
    assert (match["matched"], match["twice"], match["unnamed"], match["extra"]) == (1, 1, 1, 1)
    assert not match["startable"]


def test_a_preview_says_what_may_tell_repeated_rows_apart(runner, experiment):
    fields = {"experiment": json.dumps(experiment["id"])}
    file = b"position,system,text\n1,a,Paris\n1,b,Lyon\n2,a,Rome\n2,b,Milan\n"

    preview = runner.upload("runs/preview/", file, **fields).json()
    asked = runner.upload("runs/preview/", file, ask="true", **fields)

    assert preview["choices"][0]["values"][0] == {"id": "position", "variant": "system", "output": "text"}
    assert (asked.status_code, asked.json()["error"]["choices"]) == (409, preview["choices"])


@pytest.mark.long
def test_outputs_that_cannot_be_read_to_their_end_are_refused(runner, experiment):
    rows = "".join(f"{number},words\n" for number in range(1, 3001))
    file = f'position,text\n{rows}3001,"words\n'.encode() + b"words\n" * 200_000

    answer = runner.upload("runs/preview/", file, experiment=json.dumps(experiment["id"]))

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "csv_unclosed_quote")
