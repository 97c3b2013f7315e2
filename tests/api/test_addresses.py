"""Unknown addresses, methods and queries get an error in the one form, never a 500."""

import pytest

from .test_bodies import error

NO_IDS = ["0", "-1", "1e3", "9223372036854775808", "9" * 30, "abc", "%00", "..%2f1", "01", "1.0", "٣"]
UUID = "8f14e45f-ceea-467f-a9e4-6a5a3c3f1b2d"


@pytest.mark.parametrize("pk", [*NO_IDS, UUID, "9223372036854775807", "424242"])
@pytest.mark.parametrize("noun", ["datasets", "evaluators", "connections", "experiments", "runs"])
def test_an_id_of_nothing_is_not_found(writer, noun, pk):
    for method in ("GET", "DELETE"):
        response = writer.send(method, f"{noun}/{pk}/")

        assert (response.status_code, error(response)["code"]) == (404, "not_found")


@pytest.mark.parametrize("pk", [*NO_IDS, "9223372036854775807", "4"])
def test_a_position_of_nothing_is_not_found(writer, dataset, completed, pk):
    for address in (f"datasets/{dataset['id']}/examples/{pk}/", f"runs/{completed['id']}/results/{pk}/"):
        assert writer.get(address).status_code == 404


@pytest.mark.parametrize("pk", [0, -1, 2**63, 2**64 - 1, 424242])
def test_an_id_of_nothing_in_a_body_is_not_found(writer, dataset, pk):
    as_dataset = writer.post("experiments/", {"name": "x", "dataset": pk})
    as_evaluator = writer.post("experiments/", {"name": "x", "dataset": dataset["id"], "evaluators": [pk]})
    as_experiment = writer.post("runs/", {"experiment": pk, "variant": "x"})

    for response, field in (
        (as_dataset, "dataset"),
        (as_evaluator, "evaluators"),
        (as_experiment, "experiment"),
    ):
        assert (response.status_code, error(response)["code"]) == (404, "not_found")
        assert list(error(response)["fields"]) == [field]


@pytest.mark.parametrize(
    "path", ["/api/", "/api/v1/", "/api/v2/runs/", "/api/v1/nothing/", "/api/.env", "runs/1/nothing/"]
)
def test_an_unknown_address_is_not_found(writer, path):
    for method in ("GET", "POST", "OPTIONS"):
        response = writer.send(method, path)

        assert (response.status_code, error(response)["code"]) == (404, "not_found")


def test_a_missing_slash_is_pointed_out(writer):
    response = writer.post("/api/v1/datasets", {"name": "x", "examples": []})

    assert response.status_code == 404
    assert "slash" in error(response)["hint"]


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("PUT", "datasets/"),
        ("DELETE", "datasets/"),
        ("OPTIONS", "runs/"),
        ("TRACE", "runs/"),
        ("GET", "score/"),
        ("POST", "comparisons/"),
    ],
)
def test_a_method_that_is_not_offered_is_named(writer, method, path):
    response = writer.send(method, path)

    assert (response.status_code, error(response)["code"]) == (405, "method_not_allowed")
    assert response.headers["Allow"]


def test_a_method_cannot_be_overridden(writer, dataset):
    writer.post(f"datasets/{dataset['id']}/", {}, **{"X-HTTP-Method-Override": "DELETE"})
    writer.post(f"datasets/{dataset['id']}/?_method=DELETE", {})

    assert writer.get(f"datasets/{dataset['id']}/").status_code == 200


def test_json_is_the_only_answer(writer):
    response = writer.get("datasets/", Accept="application/xml")

    assert (response.status_code, error(response)["code"]) == (406, "not_acceptable")
    assert response.headers["Content-Type"] == "application/json"


@pytest.mark.parametrize("accept", ["*/*", "application/json", "text/html, */*;q=0.1"])
def test_any_other_accept_header_is_answered(writer, accept):
    assert writer.get("datasets/", **{"Accept": accept, "Accept-Language": "\u2603;q=x"}).status_code == 200


@pytest.mark.parametrize("name", ["ordering", "format", "project", "owner__password__startswith", "id"])
@pytest.mark.parametrize("path", ["datasets/", "runs/", "evaluator-kinds/", "projects/current/"])
def test_an_unknown_parameter_is_refused(writer, path, name):
    response = writer.get(f"{path}?{name}=x")

    assert (response.status_code, error(response)["code"]) == (400, "unknown_filter")
    assert name in error(response)["fields"]


def test_a_parameter_of_a_post_is_refused(writer):
    response = writer.post("datasets/?name=x", {"name": "x", "examples": []})

    assert (response.status_code, error(response)["code"]) == (400, "unknown_filter")


@pytest.mark.parametrize(
    ("query", "field"), [("name=%00", "name"), ("%00=x", "\\x00"), ("cursor=%00", "cursor")]
)
def test_a_nul_in_a_query_is_refused(writer, query, field):
    response = writer.get(f"datasets/?{query}")

    assert (response.status_code, error(response)["code"]) == (400, "invalid_character")
    assert list(error(response)["fields"]) == [field]


def test_bytes_that_are_no_text_do_no_harm(writer):
    assert writer.get("datasets/?name=%ff%ed%a0%80").status_code == 200


@pytest.mark.parametrize("host", ["evil.example", "[", "a b"])
def test_another_host_is_refused_in_json(writer, host):
    response = writer.get("datasets/", Host=host)

    assert response.status_code == 400
    assert response.json()["error"]["code"] == "bad_request"


def test_an_unknown_format_is_refused(writer, completed):
    response = writer.get(f"runs/{completed['id']}/export/?format=ods")

    assert (response.status_code, error(response)["code"]) == (400, "invalid_choice")


def test_a_refused_choice_names_the_values_that_are_accepted(writer, completed):
    response = writer.get(f"runs/{completed['id']}/export/?format=ods")

    assert "csv, jsonl, parquet" in error(response)["message"]
