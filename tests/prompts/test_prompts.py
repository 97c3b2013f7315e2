"""Prompts and their versions, as stored."""

import pytest

from evaluations import owned
from evaluations.errors import Conflict, Invalid, NotFound
from evaluations.evaluators import connections
from evaluations.experiments import runs
from evaluations.models import Connection, Prompt, PromptVersion
from evaluations.prompts import prompts, versions
from evaluations.prompts.content import Content
from tests import factories


@pytest.fixture
def prompt(project, alice) -> Prompt:
    return factories.prompt(project, "Solve {{ question }}", maker=alice)


@pytest.fixture
def connection(project, settings) -> Connection:
    settings.PROVIDER_ALLOWED_HOSTS = ["127.0.0.1"]
    return connections.create(project, None, "local", "http://127.0.0.1:9/v1")


def stored_versions(prompt: Prompt) -> list[tuple[int, object]]:
    return list(prompt.versions.values_list("number", "messages").order_by("number"))


def ask(text: str) -> dict[str, object]:
    return {"messages": [{"role": "user", "content": text}]}


def test_a_prompt_starts_with_its_first_version(prompt, alice):
    version = prompts.version_of(prompt)

    assert (version.number, version.created_by) == (1, alice)
    assert version.messages == [{"role": "user", "content": "Solve {{ question }}"}]


def test_a_prompt_that_is_refused_leaves_nothing(project):
    with pytest.raises(Invalid):
        prompts.create(project, None, "solve", Content([]))

    assert not Prompt.objects.exists()


def test_a_new_version_leaves_the_older_ones_as_they_were(prompt):
    before = stored_versions(prompt)

    version, is_new = prompts.add_version(prompt, None, ask("Think, then solve {{ question }}"), "think")

    assert (version.number, version.note, is_new) == (2, "think", True)
    assert stored_versions(prompt)[:1] == before
    assert prompts.version_of(prompt) == version


def test_parts_that_are_left_out_stay_as_they_are_in_the_newest_version(prompt):
    prompts.add_version(prompt, None, {"model": "a", "parameters": {"temperature": 0}})

    version, _ = prompts.add_version(prompt, None, {"model": "b"})

    assert (version.model, version.parameters) == ("b", {"temperature": 0})
    assert version.messages == prompts.version_of(prompt, 1).messages


def test_saving_an_equal_prompt_creates_no_version(prompt):
    version, is_new = prompts.add_version(prompt, None, ask("Solve {{ question }}"), "again")

    assert (version.number, is_new) == (1, False)
    assert PromptVersion.objects.count() == 1


def test_a_change_that_compares_equal_in_python_is_a_version(prompt):
    """True == 1 and 0 == 0.0 in Python, and not for a server."""
    prompts.add_version(prompt, None, {"parameters": {"logprobs": 1}})

    assert prompts.add_version(prompt, None, {"parameters": {"logprobs": True}})[1]


def test_another_connection_is_a_version(prompt, connection):
    assert prompts.add_version(prompt, None, {"connection": connection})[0].connection == connection


def test_a_missing_version_is_not_found(prompt):
    with pytest.raises(NotFound):
        prompts.version_of(prompt, 2)


def test_a_duplicate_is_a_prompt_of_its_own_with_a_name_that_is_free(prompt, alice):
    prompts.add_version(prompt, None, ask("second"))
    first = prompts.version_of(prompt, 1)

    copy, second = prompts.duplicate(first, alice), prompts.duplicate(first, alice)

    assert (copy.name, second.name) == ("solve (copy)", "solve (copy 2)")
    assert prompts.version_of(copy).messages == first.messages
    assert (copy.version, prompts.version_of(copy).note) == (1, "copied from solve v1")


def test_the_duplicate_of_the_longest_name_has_a_name(project):
    prompt = factories.prompt(project, name="n" * 200)

    assert len(prompts.duplicate(prompts.version_of(prompt), None).name) == 200


def test_a_deleted_prompt_frees_its_name(prompt, project):
    prompts.delete(prompt)

    assert not Prompt.objects.live().exists()
    factories.prompt(project)
    with pytest.raises(Conflict, match="already"):
        owned.restore(prompt)


def test_a_deleted_prompt_comes_back(prompt):
    prompts.delete(prompt)

    assert owned.restore(prompt) in Prompt.objects.live()


def test_no_version_is_added_to_a_deleted_prompt(prompt):
    prompts.delete(prompt)

    with pytest.raises(Conflict):
        prompts.add_version(prompt, None, ask("more"))

    assert len(stored_versions(prompt)) == 1


def test_a_connection_is_held_by_the_newest_version_of_a_prompt(prompt, connection):
    prompts.add_version(prompt, None, {"connection": connection})
    with pytest.raises(Conflict, match="solve"):
        connections.delete(connection)

    prompts.add_version(prompt, None, {"connection": None})
    connections.delete(connection)

    assert not Connection.objects.live().exists()


# ---- how versions differ ----


def differences(prompt: Prompt, old: int, new: int) -> versions.Differences:
    return versions.differences(
        *(Content.from_version(prompts.version_of(prompt, number)) for number in (old, new))
    )


def test_only_messages_and_settings_that_differ_are_listed(prompt, connection):
    system = {"role": "system", "content": "Be brief."}
    parts = {"parameters": {"temperature": 0.7}, "connection": connection, "schema": {"type": "object"}}
    prompts.add_version(prompt, None, parts)
    prompts.add_version(
        prompt, None, {"messages": [*prompt.versions.get(number=1).messages, system], "schema": None}
    )

    assert differences(prompt, 1, 2) == versions.Differences(
        settings=[
            ("Connection", "", "local"),
            ("Answer schema", "", '{"type":"object"}'),
            ("temperature", "", "0.7"),
        ]
    )
    assert differences(prompt, 2, 3) == versions.Differences(
        messages=[versions.MessageChange(2, None, "system", "", "Be brief.")],
        settings=[("Answer schema", '{"type":"object"}', "")],
    )


@pytest.mark.parametrize(("old", "new"), [(1, True), (1, 1.0), ("1", 1), ({"a": 0}, {"a": False})])
def test_parameters_that_python_calls_equal_differ(prompt, old, new):
    prompts.add_version(prompt, None, {"parameters": {"logprobs": old}})
    prompts.add_version(prompt, None, {"parameters": {"logprobs": new}})

    assert [name for name, _, _ in differences(prompt, 2, 3).settings] == ["logprobs"]


def test_a_parameter_with_a_field_is_called_as_its_field(prompt):
    prompts.add_version(prompt, None, {"parameters": {"max_completion_tokens": 30}})

    [setting] = differences(prompt, 1, 2).settings
    assert (setting.name, setting.label) == ("max_completion_tokens", "Max tokens")


def test_a_parameter_that_is_null_differs_from_none(prompt):
    prompts.add_version(prompt, None, {"parameters": {"stop": None}})

    assert differences(prompt, 1, 2).settings == [("stop", "", "null")]


def test_the_texts_of_a_changed_message_are_compared_word_by_word(prompt):
    prompts.add_version(prompt, None, ask("Solve briefly {{ question }}"))

    [change] = differences(prompt, 1, 2).messages

    assert "".join(old for _, old, _, _ in change.diff) == "Solve {{ question }}"
    assert [(tag, new) for tag, _, new, _ in change.diff if tag != "equal"] == [("insert", "briefly ")]


def test_a_message_in_front_moves_the_others_on(prompt):
    [message] = prompt.versions.get(number=1).messages
    system, asked = {"role": "system", "content": "You are a clerk."}, message["content"]
    prompts.add_version(prompt, None, {"messages": [system, {**message, "content": f"{asked} Please."}]})

    assert differences(prompt, 1, 2).messages == [
        versions.MessageChange(1, None, "system", "", "You are a clerk."),
        versions.MessageChange(2, "user", "user", asked, f"{asked} Please."),
    ]
    [removed, _] = differences(prompt, 2, 1).messages
    assert removed == versions.MessageChange(1, "system", None, "You are a clerk.", "")


def test_the_history_lists_the_runs_of_a_version(prompt, project):
    experiment = factories.experiment(project)
    run = factories.run(experiment, start=False, about={"prompt": prompt.pk})
    deleted_run = factories.run(experiment, start=False, about={"prompt": prompt.pk})
    runs.delete(deleted_run)
    prompts.add_version(prompt, None, {"model": "gpt-4.1-nano"})

    newest, oldest = versions.history(prompt)

    assert (newest.version.number, newest.runs) == (2, [])
    assert (oldest.version.number, oldest.runs) == (1, [run])
