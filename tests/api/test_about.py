"""The facts about a variant in the API."""

import json

import pytest

from evaluations.models import Run

from .conftest import CSV_OF_OUTPUTS, OUTPUTS

ABOUT = {"model": "gpt-4.1-nano", "parameters": {"temperature": 0}, "commit": "8f9de61", "own": [1]}


@pytest.fixture
def prompt(writer) -> dict:
    return writer.create("prompts/", {"name": "solve", "messages": [{"role": "user", "content": "a"}]})


def test_a_run_is_created_with_facts_about_its_variant(writer, experiment):
    body = {"experiment": experiment["id"], "variant": "short", "outputs": OUTPUTS, "about": ABOUT}

    run = writer.create("runs/", body)

    assert run["about"] == ABOUT
    assert writer.get(f"runs/{run['id']}/").json()["about"] == ABOUT


def test_a_run_that_says_nothing_has_an_empty_object(draft):
    assert draft["about"] == {}


def test_a_file_of_outputs_has_facts_about_its_variant(writer, experiment):
    mapping = {"key": "id", "output": "answer"}

    response = writer.upload(
        "runs/",
        CSV_OF_OUTPUTS,
        experiment=str(experiment["id"]),
        variant="file",
        mapping=mapping,
        about=ABOUT,
    )

    assert (response.status_code, response.json()["about"]) == (202, ABOUT)


@pytest.mark.parametrize("about", ["[]", "{", '"a"'])
def test_facts_sent_with_a_file_must_be_an_object(writer, experiment, about):
    mapping = {"key": "id", "output": "answer"}

    response = writer.upload(
        "runs/", CSV_OF_OUTPUTS, experiment=str(experiment["id"]), variant="v", mapping=mapping, about=about
    )

    assert response.status_code == 400
    assert not Run.objects.exists()


def test_facts_about_a_run_can_be_replaced(writer, completed, prompt):
    response = writer.patch(f"runs/{completed['id']}/", {"about": {"prompt": prompt["id"]}})

    assert response.json()["about"] == {"prompt": prompt["id"]}
    assert response.json()["scorings"] == completed["scorings"]
    assert writer.get(f"prompts/{prompt['id']}/").json()["used_by"] == 1


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"about": []}, 400, "invalid"),
        ({"about": None}, 400, "required"),
        ({"variant": "other"}, 400, "unknown_field"),
        ({"about": {"notes": "n" * 64_000}}, 413, "about_too_large"),
        ({"about": {"prompt": 4_000_000_000}}, 404, "not_found"),
    ],
)
def test_a_malformed_statement_is_refused_and_changes_nothing(writer, draft, body, status, code):
    answer = writer.patch(f"runs/{draft['id']}/", body)

    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)
    assert Run.objects.get().about == {}


def test_the_json_is_kept_in_its_own_order(writer, draft):
    text = '{"about": {"b": 1, "a": {"d": 1.0, "c": null}}}'

    answer = writer.send("PATCH", f"runs/{draft['id']}/", text.encode())

    assert json.dumps(answer.json()["about"]) == '{"b": 1, "a": {"d": 1.0, "c": null}}'


def test_a_run_by_a_name_that_was_sent_before_says_so(writer, experiment):
    def sent(variant: str) -> dict:
        return writer.create("runs/", {"experiment": experiment["id"], "variant": variant, "outputs": []})

    first, other, second, third = map(sent, ("terse", "polite", "terse", "terse"))

    assert [run["earlier_runs"] for run in (first, other)] == [[], []]
    assert second["earlier_runs"] == [first["id"]]
    assert third["earlier_runs"] == [first["id"], second["id"]]
