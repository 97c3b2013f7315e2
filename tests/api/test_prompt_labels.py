"""Labels, prompts by name, files and code, by the API."""

import pytest
from django.core.cache import cache

from evaluations.deployments import labels
from evaluations.models import AuditEntry, Prompt

from .conftest import program

MESSAGES = [{"role": "user", "content": "Question: {{ question }}"}]


@pytest.fixture
def prompt(writer) -> dict:
    created = writer.create("prompts/", {"name": "a/b solve", "messages": MESSAGES, "model": "m"})
    writer.create(f"prompts/{created['id']}/versions/", {"model": "larger"})
    return created


def put(client, prompt, label, version):
    return client.send("PUT", f"prompts/{prompt['id']}/labels/{label}/", {"version": version})


def test_a_program_gets_the_labelled_version_by_name(writer, reader, prompt):
    moved = put(writer, prompt, "staging", 1)

    found = reader.get("prompts/by-name/a/b solve/?label=staging").json()

    assert (moved.status_code, moved.json()["version"], moved.json()["ended_at"]) == (201, 1, None)
    assert (found["name"], found["version"], found["label"], found["model"]) == (
        "a/b solve",
        1,
        "staging",
        "m",
    )
    assert (found["messages"], found["variables"]) == (MESSAGES, ["question"])
    assert reader.get(f"prompts/{prompt['id']}/").json()["labels"] == {"staging": 1}


def test_an_unchanged_prompt_is_304_until_the_label_moves(writer, reader, prompt):
    put(writer, prompt, "staging", 1)
    address = "prompts/by-name/a/b solve/?label=staging"
    tag = reader.get(address)["ETag"]

    unchanged = reader.get(address, **{"If-None-Match": tag})
    put(writer, prompt, "staging", 2)
    changed = reader.get(address, **{"If-None-Match": tag})

    assert (unchanged.status_code, unchanged.content, unchanged["ETag"]) == (304, b"", tag)
    assert (changed.status_code, changed.json()["version"]) == (200, 2)
    assert changed["ETag"] != tag


@pytest.mark.parametrize(
    ("address", "code"),
    [
        ("prompts/by-name/nobody/", "unknown_prompt"),
        ("prompts/by-name/a/b solve/", "unknown_label"),
        ("prompts/by-name/a/b solve/?version=9", "unknown_label"),
        ("prompts/by-name/a/b solve/?label=Not A Label", "unknown_label"),
    ],
)
def test_what_no_version_has_is_named(reader, prompt, address, code):
    answer = reader.get(address)

    assert (answer.status_code, answer.json()["error"]["code"]) == (404, code)


def test_a_label_and_a_version_at_once_are_refused(reader, prompt):
    assert reader.get("prompts/by-name/a/b solve/?label=x&version=1").status_code == 400


def test_prompts_by_name_have_a_limit_of_their_own(settings, writer, reader, prompt):
    put(writer, prompt, "staging", 1)
    settings.EVALSITE_API_RATE, settings.EVALSITE_PROMPT_RATE = 2, 3
    by_name, other = "prompts/by-name/a/b solve/?label=staging", f"prompts/{prompt['id']}/"

    cache.clear()  # counts of the calls above, and of other tests
    codes = [reader.get(address).status_code for address in [other] * 3 + [by_name] * 4]

    assert codes == [200, 200, 429, 200, 200, 200, 429]


def test_a_protected_label_needs_an_admin_key(project, alice, writer, runner, prompt):
    admin = program(project, "admin", alice)

    assert put(writer, prompt, "production", 1).status_code == 403
    assert put(admin, prompt, "production", 1).status_code == 201
    assert writer.delete(f"prompts/{prompt['id']}/labels/production/").status_code == 403
    admin.patch("projects/current/", {"protected_labels": ["live"]})
    assert put(writer, prompt, "production", 2).status_code == 201
    assert put(runner, prompt, "staging", 2).status_code == 403


def test_history_and_audit_say_who_moved_what(writer, prompt):
    put(writer, prompt, "staging", 1)
    put(writer, prompt, "staging", 2)
    writer.delete(f"prompts/{prompt['id']}/labels/staging/")

    rows = writer.get(f"prompts/{prompt['id']}/labels/").json()["results"]

    assert [(row["version"], row["ended_at"] is None, row["ended_by"]) for row in rows] == [
        (2, False, None),
        (1, False, None),
    ]
    entries = [(entry.action, entry.details["label"]) for entry in AuditEntry.objects.order_by("-pk")[:3]]
    assert entries == [("prompt-label-remove", "staging"), *[("prompt-label", "staging")] * 2]


def test_a_file_makes_the_same_prompt_elsewhere(writer, stranger, prompt):
    exported = writer.get(f"prompts/{prompt['id']}/export/?version=1")

    created = stranger.upload("prompts/import/", exported.content)
    again = stranger.upload("prompts/import/", exported.content)

    assert (created.status_code, again.status_code) == (201, 200)
    copy = stranger.get(f"prompts/{created.json()['prompt']}/").json()
    assert (copy["name"], copy["messages"], copy["model"]) == ("a/b solve", MESSAGES, "m")


def test_the_code_of_a_version_is_a_function_of_its_variables(reader, prompt):
    answer = reader.get(f"prompts/{prompt['id']}/code/")

    assert answer["Content-Type"] == "text/x-python; charset=utf-8"
    assert b"def a_b_solve(question):" in answer.content


def test_protected_labels_are_labels(project, alice):
    answer = program(project, "admin", alice).patch("projects/current/", {"protected_labels": ["Live!"]})

    assert (answer.status_code, list(answer.json()["error"]["fields"])) == (400, ["protected_labels"])
    project.refresh_from_db()
    assert project.protected_labels == ["production"]
    assert labels.PRODUCTION in project.protected_labels
    assert not Prompt.objects.exists()
