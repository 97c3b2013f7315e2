"""Large exports, read piece by piece, give the same result as small ones."""

import json

import pytest

from evaluations.ingest import FileError
from evaluations.other_tools import inspect_archive, promptfoo_rows, streamed

from .files import archive, as_lines, changed, content, lines, read

JSON_EXPORTS = ["promptfoo_v1.json", "promptfoo_v2.json", "promptfoo_v3.json", "inspect.json", "phoenix.json"]
LINES = ["openai.jsonl", "langfuse.jsonl"]


@pytest.fixture
def _large(monkeypatch):
    """Treat every file as large."""
    monkeypatch.setattr(streamed, "LARGE", 0)


@pytest.mark.parametrize("name", [*JSON_EXPORTS, *LINES])
def test_an_export_is_the_same_read_whole_or_piece_by_piece(name, monkeypatch):
    whole = read(content(name))

    monkeypatch.setattr(streamed, "LARGE", 0)

    assert read(content(name)) == whole


@pytest.mark.usefixtures("_large")
@pytest.mark.parametrize("wrap", ["lines with a byte order mark", "page", "pages in lines"])
def test_every_wrapping_of_output_items_is_read_piece_by_piece(wrap):
    objects = [json.loads(line) for line in content("openai.jsonl").splitlines()]
    page = {"object": "list", "data": objects}
    wrapped = {
        "lines with a byte order mark": b"\xef\xbb\xbf" + as_lines(objects),
        "page": json.dumps(page, indent=1).encode(),
        "pages in lines": as_lines([page, page]),
    }

    assert read(wrapped[wrap]) == read(content("openai.jsonl"))


@pytest.mark.usefixtures("_large")
@pytest.mark.parametrize("name", LINES)
def test_the_first_of_several_lines_may_be_longer_than_a_piece(name):
    first, *further_lines = lines(name)

    padded = as_lines([first | {"padding": "x" * 3_000_000}, *further_lines])

    assert read(padded) == read(content(name))


@pytest.mark.usefixtures("_large")
@pytest.mark.parametrize("name", [*JSON_EXPORTS, *LINES])
@pytest.mark.parametrize("share", [0.3, 0.72, 0.95])
def test_a_large_export_that_is_cut_is_refused(name, share):
    cut = content(name)[: int(len(content(name)) * share)]

    with pytest.raises(FileError) as refusal:
        read(cut)

    assert refusal.value.code in ("json_unfinished", "other_tool")
    assert refusal.value.hint


@pytest.mark.usefixtures("_large")
def test_a_large_export_that_is_nested_too_deeply_is_refused():
    nested = b'{"evalId": "e", "results": ' + b"[" * 5_000 + b"]" * 5_000 + b"}"

    with pytest.raises(FileError) as refusal:
        read(nested)

    assert refusal.value.code == "json_too_deep"


@pytest.mark.parametrize("depth", [300, 900, 1_000, 5_000])
def test_an_export_that_is_nested_too_deeply_is_refused(depth):
    deep = "[" * depth + "]" * depth
    item = '{"example_id": "e", "input": %s, "reference_output": 1, "output": 2}'

    with pytest.raises(FileError) as refusal:
        read(f"[{item % deep}]".encode())

    assert refusal.value.code == "json_too_deep"


def test_a_result_keeps_only_imported_fields():
    result = json.loads(content("promptfoo_v3.json"))["results"]["results"][0]

    slimmed = promptfoo_rows.slim(result | {"metadata": "x" * 1_000})

    assert len(json.dumps(slimmed)) < len(json.dumps(result))
    assert promptfoo_rows.read(slimmed, 0) == promptfoo_rows.read(result, 0)


def _with_events(log):
    for sample in log["samples"]:
        sample["events"] = [{"event": "model", "call": "x" * 20_000}]


@pytest.mark.usefixtures("_large")
def test_fields_that_are_not_imported_take_no_memory(monkeypatch):
    monkeypatch.setattr(streamed, "MOST_HELD", 50_000)

    assert read(changed("inspect.json", _with_events)) == read(content("inspect.json"))


def test_a_small_export_of_very_many_values_is_read_piece_by_piece(monkeypatch):
    whole = read(content("inspect.json"))
    monkeypatch.setattr(streamed, "MANY", 10)

    assert read(content("inspect.json")) == whole

    monkeypatch.setattr(streamed, "MOST_HELD", 500)
    with pytest.raises(FileError) as refusal:
        read(content("inspect.json"))
    assert refusal.value.code == "bytes_limit"


@pytest.mark.usefixtures("_large")
def test_a_long_text_is_refused_before_it_is_complete(monkeypatch):
    """The parser rereads a text from its beginning for each new block: 95 MB took it minutes."""
    monkeypatch.setattr(streamed, "LONGEST", 1_000_000)
    monkeypatch.setattr(streamed, "BLOCK", 100_000)
    padded = changed("promptfoo_v3.json", lambda document: document.update(padding="x" * 2_000_000))

    with pytest.raises(FileError) as refusal:
        read(padded)

    assert refusal.value.code == "bytes_limit"
    monkeypatch.setattr(streamed, "LONGEST", 3_000_000)
    assert read(padded) == read(content("promptfoo_v3.json"))


def test_the_parser_gets_large_blocks():
    reader = streamed._Reader(iter([b"ab", b"cd", b"ef"]))

    assert [reader.read(3), reader.read(3), reader.read(3)] == [b"abcd", b"ef", b""]


@pytest.mark.usefixtures("_large")
@pytest.mark.parametrize("name", [*JSON_EXPORTS, *LINES])
def test_an_export_of_which_too_much_is_imported_is_refused(name, monkeypatch):
    monkeypatch.setattr(streamed, "MOST_HELD", 500)

    with pytest.raises(FileError) as refusal:
        read(content(name))

    assert refusal.value.code == "bytes_limit"


def test_an_archive_of_which_too_much_is_imported_is_refused(monkeypatch):
    monkeypatch.setattr(streamed, "MOST_HELD", 500)

    with pytest.raises(FileError) as refusal:
        read(archive(json.loads(content("inspect.json"))))

    assert refusal.value.code == "bytes_limit"


def test_the_list_of_an_archive_counts_as_memory(monkeypatch):
    log = json.loads(content("inspect.json"))
    read(archive(log))
    monkeypatch.setattr(inspect_archive, "LISTED", streamed.MOST_HELD)

    with pytest.raises(FileError) as refusal:
        read(archive(log))

    assert refusal.value.code == "bytes_limit"
