"""The code of a prompt sends what a launch of it would send."""

import inspect

import pytest
from openai.resources.chat.completions import Completions

from evaluations.deployments import code
from evaluations.models import Connection, Prompt, PromptVersion
from evaluations.prompts import templates
from evaluations.prompts.content import Content

OWN_OF_THE_PACKAGE = {
    "self",
    "extra_body",
    "extra_headers",
    "extra_query",
    "timeout",
    "n",
    "stream",
    "stream_options",
}

NASTY = [
    {
        "role": "system",
        "content": "Braces {a} {{{{ }} \\{{ kept }} 'single' \"double\" \\ back\nsecond {{ question }}\n",
    },
    {
        "role": "user",
        "content": [
            {"type": "text", "text": '""" {{ metadata.topic }} + {{ class }}\u2028{{ question }}'},
            {"type": "image_url", "image_url": {"url": "{{ a.b }}"}},
        ],
    },
    {"role": "assistant", "content": None, "tool_calls": [{"id": "{{ question }}"}]},
    {"role": "user", "content": ""},
]
VALUES = {
    "question": "2 + {{ 2 }}?",
    "metadata.topic": "sums",
    "class": "x",
    "a.b": "https://e.test/{}",
    "": "-",
}


def sent(version: PromptVersion, *values: str) -> dict:
    """What the written function hands to the package."""
    calls = []
    source = (
        code.python(version)
        .replace("from openai import OpenAI", "")
        .replace("client = OpenAI(", "client = made(")
    )
    client = type("Client", (), {})()
    client.chat = type("Chat", (), {})()
    client.chat.completions = type("Completions", (), {"create": lambda self, **body: calls.append(body)})()
    names = {"made": lambda **options: client}
    exec(compile(source, "prompt.py", "exec"), names)
    function = next(value for value in names.values() if inspect.isfunction(value) and value.__doc__)
    function(*values)
    return calls[0] | calls[0].pop("extra_body", {})


def rendered(messages: list[dict]) -> list[dict]:
    paths = {name: templates.VariablePath("inputs", name) for name in templates.variables(messages)}
    return templates.rendered(messages, paths, {"inputs": VALUES})


def test_the_code_sends_what_the_template_renders():
    version = PromptVersion(
        prompt=Prompt(name='so"lve\n\\'),
        messages=NASTY,
        model="m",
        number=3,
        parameters={"temperature": 0, "top_k": 40, "stop": None},
        schema={"type": "object"},
        tools=[{"type": "function"}],
        connection=Connection(base_url="http://e.test/v1"),
    )
    values = [VALUES[name] for name in templates.variables(NASTY)]

    assert sent(version, *values) == Content.from_version(version).body(rendered(NASTY))


@pytest.mark.parametrize("name", ["", "class", "12", "client", "OpenAI", "made", "日本 語"])
def test_any_name_becomes_a_function(name):
    messages = [{"role": "user", "content": f"{{{{ {name} }}}}{{{{ {name}_ }}}}"}]
    version = PromptVersion(prompt=Prompt(name=name), messages=messages, number=1)

    assert sent(version, "a", "b")["messages"] == [{"role": "user", "content": "ab"}]


def test_the_known_parameters_are_those_of_the_installed_package():
    taken = set(inspect.signature(Completions.create).parameters) - OWN_OF_THE_PACKAGE

    assert taken == code.KNOWN
