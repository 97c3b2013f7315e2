"""Prompts as files: what is written is read back, and a file that is wrong is refused by name."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluations.deployments import files
from evaluations.errors import Invalid, TooLarge
from evaluations.models import Prompt, PromptVersion
from evaluations.prompts import prompts
from evaluations.prompts.content import Content
from tests import factories

CONTENT = Content(
    [
        {
            "role": "system",
            "content": "You are patient.\nAnswer briefly: yes, no or 12.\n\n  - never guess  \n",
        },
        {
            "role": "user",
            "content": [{"type": "text", "text": "{{ question }} \\{{ kept }} 'é' \"☃\" # no comment"}],
        },
    ],
    "gpt-4.1-nano",
    {
        "temperature": 0,
        "stop": ["\n", "yes", "0x1F", "2026-01-01", "~", "1e3"],
        "logit_bias": {"50256": -100},
    },
    {"type": "object", "properties": {"answer": {"type": ["string", "null"]}}},
    [{"type": "function", "function": {"name": "look_up", "parameters": {}}}],
    None,
    False,
)


def test_a_file_is_read_back_as_the_same_version(project, alice):
    first = prompts.create(project, alice, "solve", CONTENT, "colder")
    written = files.written(prompts.version_of(first))

    again, is_new = files.store(project, alice, written)
    copied, copy_is_new = files.store(project, alice, written.replace(b"name: solve", b"name: solve too"))

    assert (again.number, is_new, copy_is_new) == (1, False, True)
    assert Content.from_version(copied).is_same(CONTENT)
    assert copied.note == "colder"


texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=40)
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts,
    lambda parts: st.lists(parts, max_size=3) | st.dictionaries(texts, parts, max_size=3),
    max_leaves=8,
)


@given(texts, st.dictionaries(texts, values, max_size=4))
def test_any_text_and_any_json_survive_a_file(content, parameters):
    version = PromptVersion(
        prompt=Prompt(name="any"), messages=[{"role": "user", "content": content}], parameters=parameters
    )

    read = files.read(files.written(version))

    assert read["messages"][0]["content"] == content
    assert json.dumps(read["parameters"]) == json.dumps(parameters)


def test_several_lines_are_written_as_lines(project, alice):
    prompt = factories.prompt(project, "Solve:\n{{ question }}\nBriefly.", maker=alice)

    lines = files.written(prompts.version_of(prompt)).decode().splitlines()

    assert lines[-3:] == ["    Solve:", "    {{ question }}", "    Briefly."]


def test_a_file_is_the_whole_version_but_keeps_the_connection(project, alice, settings):
    server = factories.connection(project, settings)
    messages = [{"role": "user", "content": "a"}]
    prompts.create(project, alice, "solve", Content(messages, "m", {"temperature": 1}, connection=server))

    version, is_new = files.store(
        project, alice, json.dumps({"name": "solve", "messages": messages}).encode()
    )

    assert (version.number, is_new, version.model, version.parameters) == (2, True, "", {})
    assert version.connection == server


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"- a\n- b\n",
        b"name: a\n",
        b"messages: []\nname: a\n",
        b"name: a\nmessages: [{role: robot, content: b}]\n",
        b"name: 7\nmessages: [{role: user, content: b}]\n",
        b"name: a\nmessages: [{role: user, content: b}]\ntemperature: 0\n",
        b"name: a\nmessages: {{ b }}\n",
        b"name: a\nmessages: !!python/object:os.system [{role: user, content: b}]\n",
        b"\xff\xfe\x00name",
        b"name: a\n\tmessages: b\n",
    ],
)
def test_a_file_that_is_no_prompt_is_refused(project, alice, content):
    with pytest.raises(Invalid) as refusal:
        files.store(project, alice, content)

    assert refusal.value.fields
    assert not Prompt.objects.exists()


def test_a_huge_file_is_refused_unread(project, alice):
    with pytest.raises(TooLarge):
        files.store(project, alice, b"name: a\nmessages: [" + b"[]," * 1_000_000)
