"""Prompts by the API."""

import pytest

from evaluations.models import AuditEntry, Prompt
from evaluations.prompts import prompts

MESSAGES = [
    {"role": "system", "content": "You are a patient tutor."},
    {"role": "user", "content": "Question: {{ question }}"},
]


@pytest.fixture
def prompt(writer) -> dict:
    return writer.create("prompts/", {"name": "solve", "messages": MESSAGES, "model": "gpt-4.1-nano"})


def test_a_new_prompt_is_answered_with_its_version_and_variables(prompt):
    assert (prompt["name"], prompt["version"], prompt["variables"]) == ("solve", 1, ["question"])
    assert (prompt["messages"], prompt["model"]) == (MESSAGES, "gpt-4.1-nano")
    assert (prompt["parameters"], prompt["schema"], prompt["tools"]) == ({}, None, [])
    assert (prompt["connection"], prompt["used_by"]) == (None, 0)


def test_versions_are_added_and_listed_the_newest_first(writer, prompt):
    address = f"prompts/{prompt['id']}/versions/"
    new_version = writer.create(address, {"parameters": {"temperature": 0}, "note": "colder"})

    versions = writer.get(address).json()["results"]

    assert [version["version"] for version in versions] == [2, 1]
    assert versions[0] == new_version
    assert (new_version["note"], new_version["messages"]) == ("colder", MESSAGES)
    assert writer.get(f"prompts/{prompt['id']}/").json()["version"] == 2


def test_a_version_that_changes_nothing_is_answered_with_the_newest(writer, prompt):
    answer = writer.post(f"prompts/{prompt['id']}/versions/", {"model": "gpt-4.1-nano"})

    assert (answer.status_code, answer.json()["version"]) == (200, 1)


def test_a_prompt_and_its_version_are_made_once_for_one_key(writer):
    body = {"name": "once", "messages": MESSAGES}

    first, repeated = (writer.post("prompts/", body, **{"Idempotency-Key": "k"}) for _ in range(2))

    assert first.json() == repeated.json()
    assert Prompt.objects.count() == 1


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"name": "a", "messages": []}, "invalid_prompt"),
        ({"name": "a", "messages": [{"role": "robot", "content": "b"}]}, "invalid_prompt"),
        ({"name": "a", "messages": "b"}, "invalid"),
        ({"name": "a", "messages": [1]}, "invalid"),
        ({"name": "a"}, "required"),
        ({"name": "", "messages": MESSAGES}, "required"),
        ({"name": "a", "messages": MESSAGES, "parameters": {"n": 3}}, "invalid_prompt"),
        ({"name": "a", "messages": MESSAGES, "model": 7}, "invalid"),
        ({"name": "a", "messages": MESSAGES, "temperature": 0}, "unknown_field"),
    ],
)
def test_a_prompt_that_cannot_be_sent_is_refused(writer, body, code):
    answer = writer.post("prompts/", body)

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, code)
    assert not Prompt.objects.exists()


def test_rendering_shows_the_messages_of_examples(writer, prompt, dataset):
    answer = writer.post(
        f"prompts/{prompt['id']}/render/", {"dataset": dataset["id"], "positions": [3, 1], "version": 1}
    )

    assert answer.json()["version"] == 1
    assert [(row["position"], row["messages"][1]["content"]) for row in answer.json()["results"]] == [
        (3, "Question: Capital of Spain?"),
        (1, "Question: Capital of France?"),
    ]


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"positions": [4]}, 404, "not_found"),
        ({"positions": []}, 400, "invalid"),
        ({"positions": [True]}, 400, "invalid"),
        ({"positions": ["1"]}, 400, "invalid"),
        ({"positions": [0]}, 400, "invalid"),
        ({"positions": [1], "version": 2}, 404, "not_found"),
        ({"positions": [1], "dataset": 4_000_000_000}, 404, "not_found"),
    ],
)
def test_rendering_with_invalid_or_unknown_values_is_refused(writer, prompt, dataset, body, status, code):
    answer = writer.post(f"prompts/{prompt['id']}/render/", {"dataset": dataset["id"]} | body)

    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)


def test_an_unknown_variable_is_refused_by_name(writer, dataset):
    age_prompt = writer.create(
        "prompts/", {"name": "a", "messages": [{"role": "user", "content": "{{ age }}"}]}
    )

    answer = writer.post(f"prompts/{age_prompt['id']}/render/", {"dataset": dataset["id"], "positions": [1]})

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "unknown_variable")
    assert "age" in answer.json()["error"]["message"]


def test_two_versions_are_compared(writer, prompt):
    new_messages = [MESSAGES[0], {"role": "user", "content": "{{ question }}"}]
    writer.create(f"prompts/{prompt['id']}/versions/", {"messages": new_messages, "parameters": {"seed": 7}})

    answer = writer.get(f"prompts/{prompt['id']}/diff/?from=1&to=2").json()

    assert answer == {
        "messages": [
            {
                "number": 2,
                "old_role": "user",
                "new_role": "user",
                "old": "Question: {{ question }}",
                "new": "{{ question }}",
            }
        ],
        "settings": [{"name": "seed", "old": "", "new": "7"}],
    }
    assert writer.get(f"prompts/{prompt['id']}/diff/?from=1&to=3").status_code == 404


def test_a_rename_that_names_an_older_state_is_refused(writer, prompt):
    address = f"prompts/{prompt['id']}/"
    etag = writer.get(address)["ETag"]

    assert writer.patch(address, {"name": "think"}, **{"If-Match": etag}).json()["name"] == "think"
    assert writer.patch(address, {"name": "again"}, **{"If-Match": etag}).status_code == 412


def test_a_duplicate_takes_the_version_and_name_it_was_given(writer, prompt):
    writer.create(f"prompts/{prompt['id']}/versions/", {"model": "other"})

    copy = writer.create(f"prompts/{prompt['id']}/duplicate/", {"version": 1, "name": "copy"})

    assert (copy["name"], copy["model"], copy["version"]) == ("copy", "gpt-4.1-nano", 1)


def test_a_prompt_is_deleted_and_restored(writer, prompt):
    address = f"prompts/{prompt['id']}/"

    assert writer.delete(address).status_code == 204
    assert writer.get(address).status_code == 404
    assert writer.post(f"{address}restore/").json()["name"] == "solve"
    assert writer.get(address).status_code == 200


def test_another_projects_connection_does_not_exist(writer, prompt, stranger, settings):
    settings.PROVIDER_ALLOWED_HOSTS = ["127.0.0.1"]
    foreign = stranger.create("connections/", {"name": "theirs", "base_url": "http://127.0.0.1:9/v1"})

    answer = writer.post(f"prompts/{prompt['id']}/versions/", {"connection": foreign["id"]})

    assert answer.status_code == 404
    assert prompts.version_of(Prompt.objects.get()).connection is None


def test_the_audit_log_names_the_actions(writer, prompt):
    writer.create(f"prompts/{prompt['id']}/versions/", {"model": "other"})
    writer.delete(f"prompts/{prompt['id']}/")

    entries = AuditEntry.objects.filter(object_type="prompt").order_by("pk")
    assert list(entries.values_list("action", "object_name")) == [
        ("prompt-create", "solve"),
        ("prompt-versions", "solve"),
        ("prompt-delete", "solve"),
    ]
