"""Invalid bodies: every POST refuses them in the common error format, and stores nothing."""

import gzip
import itertools
import json
import tracemalloc

import pytest

from evaluations.api import parsing
from evaluations.datasets import datasets
from evaluations.evaluators import sent_items
from evaluations.models import Dataset, Evaluator

POSTS = ["datasets/", "evaluators/", "connections/", "score/", "experiments/", "runs/"]


def error(response) -> dict:
    """The error object of a refusal, after checking its shape."""
    refusal = response.json()["error"]
    assert set(refusal) <= {"code", "message", "hint", "where", "fields", "request_id"}
    assert refusal["message"]
    assert refusal["request_id"] == response.headers["X-Request-ID"]
    return refusal


@pytest.mark.parametrize("path", POSTS)
@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"{", "invalid_json"),
        (b"", "object_expected"),
        (b"null", "object_expected"),
        (b"[]", "object_expected"),
        (b'"x"', "object_expected"),
        (b'{"name": NaN}', "invalid_number"),
        (b'{"name": -Infinity}', "invalid_number"),
        (b'{"name": 1e999}', "invalid_number"),
        (b'{"name": ' + b"1" * 5_000 + b"}", "invalid_number"),
        (b'{"name": ' + b"[" * 100_000, "too_deep"),
        (b'{"name": ' + b"[" * 70 + b"]" * 70 + b"}", "too_deep"),
        (b'{"name": "\xff"}', "invalid_character"),
        (b'{"name": "a\nb"}', "invalid_character"),
        (b'{"name": "\\ud800"}', "invalid_character"),
        (b'{"name": "a", "name": "b"}', "duplicate_name"),
    ],
)
def test_a_body_that_is_no_sound_json_object_is_refused(writer, path, body, code):
    response = writer.post(path, body)

    assert response.status_code == 400
    assert error(response)["code"] == code


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("datasets/", b'{"name": "a\\u0000b", "examples": []}', "name"),
        (
            "datasets/",
            b'{"name": "a", "examples": [{"inputs": {"q": "\\u0000"}}]}',
            "examples[0].inputs.q",
        ),
        (
            "datasets/",
            b'{"name": "a", "examples": [{"inputs": {"\\u0000": 1}}]}',
            "examples[0].inputs.\\x00",
        ),
        ("runs/", b'{"experiment": 1, "variant": "\\ud83d", "outputs": []}', "variant"),
    ],
)
def test_a_character_that_cannot_be_stored_is_refused_with_its_location(writer, path, body, field):
    response = writer.post(path, body)

    assert response.status_code == 400
    assert error(response)["code"] == "invalid_character"
    assert list(error(response)["fields"]) == [field]
    assert not Dataset.objects.exists()


def test_half_a_surrogate_pair_is_refused_for_scoring_too(writer):
    body = b'{"kind": "exact_match", "items": [{"actual": "\\ud800", "expected": "x"}]}'

    assert error(writer.post("score/", body))["fields"].keys() == {"items[0].actual"}


def test_a_whole_pair_is_a_character(writer):
    body = b'{"kind": "levenshtein_distance", "items": [{"actual": "\\ud83d\\ude00", "expected": ""}]}'

    assert writer.post("score/", body).json()["results"][0]["value"] == 1.0


def test_depth_is_counted_outside_texts(writer):
    text = '[{"\\"' * 100

    response = writer.post("datasets/", {"name": "x", "examples": [{"inputs": text}]})

    assert response.status_code == 201


@pytest.mark.parametrize(
    "content_type", ["text/plain", "", "application/x-yaml", "multipart/form-data; boundary=x"]
)
def test_another_type_of_body_is_not_read(writer, content_type):
    response = writer.post("evaluators/", b'{"name": "x"}', content_type=content_type)

    assert response.status_code == 415
    assert error(response)["code"] == "unsupported_media_type"


def test_a_compressed_body_is_not_unpacked(writer):
    response = writer.post("evaluators/", gzip.compress(b"[" * 1_000), **{"Content-Encoding": "gzip"})

    assert response.status_code == 415
    assert error(response)["code"] == "unsupported_encoding"


@pytest.mark.parametrize("path", POSTS)
def test_a_body_of_100_mb_is_refused_by_its_length(writer, path):
    response = writer.client.generic(
        "POST",
        f"/api/v1/{path}",
        b"{}",
        "application/json",
        headers=writer.headers,
        CONTENT_LENGTH=str(100 * 1024 * 1024),
    )

    assert response.status_code == 413
    assert error(response)["code"] == "body_too_large"


def test_a_body_of_unknown_length_is_refused(writer):
    response = writer.client.post(
        "/api/v1/datasets/",
        headers=writer.headers | {"Transfer-Encoding": "chunked"},
        CONTENT_LENGTH=None,
        content_type="application/json",
    )

    assert response.status_code == 411


@pytest.mark.parametrize(
    "body",
    [
        b'{"name": "x", "examples": [' + b"{}," * 100_000 + b"{}]}",
        b'{"name": "x", "examples": [' + b"0," * 15_000_000 + b"0]}",
        b"{" + b",".join(b'"%d":0' % number for number in range(100_001)) + b"}",
        b'{"name": [' + b"[0,0,0]," * 99_999 + b"[" + b"0," * 2_000_000 + b"0]]}",
    ],
)
def test_more_examples_or_values_than_the_limit_are_refused_unread(writer, body):
    response = writer.post("datasets/", body)

    assert (response.status_code, error(response)["code"]) == (413, "body_too_large")
    assert not Dataset.objects.exists()


def test_one_large_body_is_stored_at_a_time(writer, monkeypatch):
    monkeypatch.setattr(parsing, "PATIENCE", 0.01)
    texts = [{"inputs": "x" * 1_000_000}] * 3
    body = json.dumps({"name": "x", "examples": texts}).encode()

    with parsing.turn():
        response = writer.post("datasets/", body)
        small_response = writer.post("datasets/", {"name": "small", "examples": []})

    assert (response.status_code, error(response)["code"]) == (429, "too_many_requests")
    assert response.headers["Retry-After"]
    assert small_response.status_code == 201
    assert [writer.post("datasets/", body).status_code for _ in range(2)] == [201, 409]


def test_examples_are_stored_without_a_second_copy_of_their_texts(project):
    examples = [{"inputs": "x" * 100_000 + str(number)} for number in range(300)]
    tracemalloc.start()

    datasets.create(project, None, "x", examples)

    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 15_000_000


def test_a_very_long_text_is_refused_before_it_is_read(writer):
    response = writer.post(
        "datasets/", b'{"name": "x", "examples": [{"inputs": "' + b"x" * 13_000_000 + b'"}]}'
    )

    assert (response.status_code, error(response)["code"]) == (413, "cell_too_large")
    assert not Dataset.objects.exists()


@pytest.mark.parametrize("value", ["x" * 1_000_001, [0] * 500_001])
def test_a_value_longer_than_a_cell_of_a_file_may_be_is_refused(writer, value):
    examples = [{"inputs": {"q": "a"}}, {"inputs": {"q": value}}]

    response = writer.post("datasets/", {"name": "x", "examples": examples})

    assert (response.status_code, error(response)["code"]) == (413, "cell_too_large")
    assert error(response)["where"] == {"example": 2, "column": "q"}


def test_more_columns_than_a_file_may_have_are_refused(writer, dataset):
    wide = {
        "inputs": {f"column {number}": 0 for number in range(600)},
        "metadata": dict.fromkeys(map(str, range(401))),
    }
    path = f"datasets/{dataset['id']}/"

    responses = [
        writer.post("datasets/", {"name": "wide", "examples": [wide]}),
        writer.post(f"{path}examples/", {"examples": [wide]}),
        writer.patch(f"{path}examples/1/", wide),
    ]

    assert [(response.status_code, error(response)["code"]) for response in responses] == [
        (413, "columns_limit")
    ] * 3
    assert not Dataset.objects.filter(name="wide").exists()
    assert writer.get(path).json()["version"] == 1


def test_a_thousand_columns_are_stored(writer):
    wide = {"inputs": {f"column {number}": 0 for number in range(1_000)}}

    assert writer.post("datasets/", {"name": "wide", "examples": [wide]}).status_code == 201


# ---- forms ---------------------------------------------------------------------------------------------------


def form(*parts: tuple[str, str, bytes]) -> bytes:
    """A multipart body with the boundary `x`; a part is its name, parameters of its disposition, and its content."""
    lines = [
        b'--x\r\nContent-Disposition: form-data; name="%s"%s\r\n\r\n%s\r\n'
        % (name.encode(), more.encode(), content)
        for name, more, content in parts
    ]
    return b"".join(lines) + b"--x--\r\n"


FILE = ("file", '; filename="a.csv"', b"question\nwhy?\n")
MANY_FIELDS = [(f"field{n}", "", b"x") for n in range(5_000)]


def test_a_form_of_too_many_fields_is_refused_in_words_of_its_own(writer):
    content_type = "multipart/form-data; boundary=x"

    response = writer.post("datasets/", form(FILE, *MANY_FIELDS), content_type=content_type)

    assert error(response)["message"] == "The form has too many fields or files, or too long ones."


@pytest.mark.parametrize(
    ("body", "content_type", "code"),
    [
        (form(FILE), "multipart/form-data", "bad_multipart"),
        (form(FILE, FILE), "multipart/form-data; boundary=x", "one_file_expected"),
        (
            form(FILE, ("other", '; filename="b.csv"', b"")),
            "multipart/form-data; boundary=x",
            "one_file_expected",
        ),
        (form(("name", "", b"x")), "multipart/form-data; boundary=x", "one_file_expected"),
        (form(FILE, *MANY_FIELDS), "multipart/form-data; boundary=x", "bad_multipart"),
        (
            form(FILE, ("name", "", b"a"), ("name", "", b"b")),
            "multipart/form-data; boundary=x",
            "bad_multipart",
        ),
        (form(FILE, ("name", "", b"a\0b")), "multipart/form-data; boundary=x", "invalid_character"),
        (
            form(FILE, ("owner", "", b"1"), ("name", "", b"a")),
            "multipart/form-data; boundary=x",
            "unknown_field",
        ),
        (
            form(FILE, ("name", "", b"a"), ("mapping", "", b"{")),
            "multipart/form-data; boundary=x",
            "invalid_json",
        ),
        (
            form(FILE, ("name", "", b"a"), ("mapping", "", b"[]")),
            "multipart/form-data; boundary=x",
            "object_expected",
        ),
        (
            form(FILE, ("name", "", b"a"), ("mapping", "", b'{"inputs": ["nope"]}')),
            "multipart/form-data; boundary=x",
            "missing_column",
        ),
        (
            form(FILE, ("name", "", b"a"), ("on_error", "", b"maybe")),
            "multipart/form-data; boundary=x",
            "invalid_choice",
        ),
        (form(FILE), "multipart/form-data; boundary=x", "required"),
    ],
)
def test_a_form_that_does_not_fit_is_refused_and_leaves_nothing(
    writer, body, content_type, code, settings, tmp_path
):
    settings.MEDIA_ROOT = settings.FILE_UPLOAD_TEMP_DIR = tmp_path

    response = writer.post("datasets/", body, content_type=content_type)

    assert (response.status_code, error(response)["code"]) == (400, code)
    assert list(tmp_path.iterdir()) == []
    assert not Dataset.objects.exists()


# ---- fields --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("extra", ["is_staff", "owner", "project", "status", "id", "created_at"])
def test_an_unknown_field_is_refused_and_never_applied(writer, extra):
    response = writer.post("evaluators/", {"name": "x", "kind": "exact_match", extra: 1})

    assert response.status_code == 400
    assert error(response)["code"] == "unknown_field"
    assert extra in error(response)["fields"]
    assert not Evaluator.objects.exists()


def test_an_unknown_field_of_an_example_is_refused(writer):
    response = writer.post("datasets/", {"name": "x", "examples": [{"inputs": {}}, {"input": "?"}]})

    assert error(response)["code"] == "unknown_field"
    assert "examples[1].input" in error(response)["fields"]


@pytest.mark.parametrize("name", ["", "   ", "\u200b\u200d", None])
@pytest.mark.parametrize("path", ["datasets/", "evaluators/", "connections/", "experiments/"])
def test_a_name_is_needed(writer, dataset, path, name):
    other_fields = {
        "datasets/": {"examples": []},
        "evaluators/": {"kind": "exact_match"},
        "connections/": {"base_url": "https://8.8.8.8/v1"},
        "experiments/": {"dataset": dataset["id"]},
    }

    response = writer.post(path, {"name": name} | other_fields[path])

    assert response.status_code == 400
    assert error(response)["code"] == "required"
    assert "name" in error(response)["fields"]


def test_a_name_has_a_longest_length(writer):
    response = writer.post("datasets/", {"name": "x" * 1_000_000, "examples": []})

    assert (response.status_code, error(response)["code"]) == (400, "max_length")


@pytest.mark.parametrize("name", ["capitals", "  Capitals ", "CAPITALS"])
def test_a_name_is_taken_however_it_is_spelt(writer, dataset, name):
    response = writer.post("datasets/", {"name": name, "examples": []})

    assert (response.status_code, error(response)["code"]) == (409, "name_taken")


def test_a_deleted_name_is_free(writer, dataset):
    writer.delete(f"datasets/{dataset['id']}/")

    assert writer.post("datasets/", {"name": "Capitals", "examples": []}).status_code == 201
    restored = writer.post(f"datasets/{dataset['id']}/restore/")
    assert (restored.status_code, error(restored)["code"]) == (409, "name_taken")


@pytest.mark.parametrize("name", ["<b>bold</b>", "שלום abc", "two\nlines", "😀"])
def test_a_name_is_kept_as_it_is(writer, name):
    assert writer.create("datasets/", {"name": name, "examples": []})["name"] == name


def test_a_number_is_not_taken_for_a_text_nor_a_text_for_a_number(writer, experiment):
    as_name = writer.post("datasets/", {"name": 5, "examples": []})
    as_position = writer.post(
        "runs/",
        {"experiment": experiment["id"], "variant": "x", "outputs": [{"position": "1", "output": ""}]},
    )

    assert "name" in error(as_name)["fields"]
    assert "outputs[0].position" in error(as_position)["fields"]


@pytest.mark.parametrize("position", [0, -1, 2**31, 2**63, 2**64 - 1, True, 1.0])
def test_a_position_that_cannot_be_is_refused(writer, draft, position):
    response = writer.post(
        f"runs/{draft['id']}/outputs/", {"outputs": [{"position": position, "output": "x"}]}
    )

    assert response.status_code == 400


# ---- evaluators ----------------------------------------------------------------------------------------------


def test_the_error_of_an_unknown_kind_lists_the_known_ones(writer):
    response = writer.post("evaluators/", {"name": "x", "kind": "magic"})

    assert (response.status_code, error(response)["code"]) == (400, "unknown_kind")
    assert "levenshtein_distance" in error(response)["message"]


def test_a_kind_is_needed(writer):
    assert error(writer.post("evaluators/", {"name": "x"}))["code"] == "required"


@pytest.mark.parametrize("pattern", ["(", "[", "*", r"(a)\1", "(?=a)", "(x{1000}){1000}", "a" * 10_001])
@pytest.mark.parametrize("path", ["evaluators/", "score/"])
def test_a_pattern_that_does_not_compile_is_refused(writer, pattern, path):
    other_fields = {"evaluators/": {"name": "x"}, "score/": {"items": []}}[path]

    response = writer.post(path, {"kind": "regex_match", "config": {"pattern": pattern}} | other_fields)

    assert (response.status_code, error(response)["code"]) == (400, "invalid_regex")
    assert "config/pattern" in error(response)["fields"]


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|aa)+$", r"^(\w+\s?)*$"])
def test_a_pattern_that_explodes_elsewhere_is_linear_here(writer, pattern):
    body = {
        "kind": "regex_match",
        "config": {"pattern": pattern},
        "items": [{"actual": "a" * 50_000 + "!", "expected": ""}],
    }

    [result] = writer.post("score/", body).json()["results"]

    assert result["value"] == 0.0


@pytest.mark.parametrize(
    "path", ["$.a[?(__import__('os').system('id'))]", "$[(@.length-1)]", "$.", "$[", "$" + ".a" * 5_000]
)
def test_a_malformed_path_is_refused(writer, path):
    body = {"name": "x", "kind": "exact_match", "mapping": {"actual": {"path": path}}}

    response = writer.post("evaluators/", body)

    assert (response.status_code, error(response)["code"]) == (400, "invalid_path")
    assert "mapping/actual/path" in error(response)["fields"]


def test_a_path_without_bounds_ends_at_a_limit(writer):
    nested = {"a": [{"b": [{"c": list(range(20))} for _ in range(20)]} for _ in range(20)]}
    body = {
        "kind": "exact_match",
        "mapping": {"actual": {"path": "$..*..*..*..*"}},
        "items": [{"output": nested, "expected": "x"}],
    }

    [result] = writer.post("score/", body).json()["results"]

    assert (result["value"], result["status"]) == (None, "error")


@pytest.mark.parametrize("threshold", ["0,5", -1, 2, True, [], "NaN"])
def test_a_threshold_outside_its_range_is_refused_by_field(writer, threshold):
    response = writer.post(
        "evaluators/", {"name": "x", "kind": "levenshtein_similarity", "config": {"threshold": threshold}}
    )

    assert (response.status_code, error(response)["code"]) == (400, "invalid_config")
    assert "config/threshold" in error(response)["fields"]


@pytest.mark.parametrize(
    ("field", "value"), [("config", []), ("config", "x"), ("mapping", 1), ("mapping", [])]
)
def test_config_and_mapping_are_objects(writer, field, value):
    response = writer.post("evaluators/", {"name": "x", "kind": "exact_match", field: value})

    assert response.status_code == 400
    assert field in error(response)["fields"]


def test_the_number_of_items_has_a_limit(writer):
    items = [{"actual": "", "expected": ""}] * 10_001

    response = writer.post("score/", {"kind": "exact_match", "items": items})

    assert (response.status_code, error(response)["code"]) == (400, "too_many_items")


def test_ten_thousand_items_are_scored(writer):
    items = [{"actual": str(n), "expected": "7"} for n in range(10_000)]

    answer = writer.post("score/", {"kind": "exact_match", "items": items}).json()

    assert (len(answer["results"]), answer["summary"]["n"], answer["summary"]["mean"]) == (
        10_000,
        10_000,
        1e-4,
    )


def test_slow_scoring_ends_with_the_number_of_scored_items(writer, monkeypatch):
    seconds = itertools.count(step=2)  # two looks at the clock for each item
    monkeypatch.setattr(sent_items, "monotonic", lambda: next(seconds))
    monkeypatch.setattr(sent_items, "BATCH", 1)

    response = writer.post("score/", {"kind": "exact_match", "items": [{"actual": "", "expected": ""}] * 9})

    assert (response.status_code, error(response)["code"]) == (413, "too_much_work")
    assert "2 items" in error(response)["message"]


def test_items_are_scored_alike_in_one_batch_and_in_many(writer, monkeypatch):
    body = {
        "kind": "levenshtein_similarity",
        "items": [{"actual": "a" * n, "expected": "b" * (n % 3) if n % 4 else None} for n in range(20)],
        "explain": True,
    }
    together = writer.post("score/", body).json()
    monkeypatch.setattr(sent_items, "BATCH", 40)

    assert writer.post("score/", body).json() == together
