"""Every option of the command line and every argument of an agent's tool, checked against the OpenAPI document.

Each is given once, with the values that it allows; nothing is sent. What would have been sent has an address, a query
and a body that the document describes.
"""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import click
import httpx2
import pytest
from click.testing import CliRunner
from drf_spectacular.generators import SchemaGenerator
from jsonschema import Draft202012Validator

from evalsite_client.main import evalsite
from evalsite_client.mcp.tools import TOOLS
from evalsite_client.people_reader import PeopleReader

URL = "http://evalsite.test"
SILENT = {"login", "mcp", "open"}  # verbs without a request of their own
# What a verb needs besides its required options, and values that are no plain text.
NEEDS = {
    "gates create": ["--baseline", "7", "--criterion", "not_worse evaluator=7 margin=0.1"],
    "judge check": ["--max-calls", "9"],
    "judge run": ["--max-calls", "9"],
    "launch": ["--experiment", "7"],
    "run": ["--id", "id", "--variant", "v"],
}
# What an option excludes of that; `--name` is for the new experiment on a `--dataset`.
EXCLUDES = {
    "position": NEEDS["run"],
    "in_order": NEEDS["run"],
    "ids": NEEDS["run"],
    "long": NEEDS["run"],
    "dataset": NEEDS["launch"],
}
VARIANT = ["--variant", "v"]
ADDS = {
    "dataset": ["--name", "new"],
    "position": VARIANT,
    "in_order": VARIANT,
    "ids": VARIANT,
    "long": VARIANT,
}
VALUES = {
    "about": "{}",
    "budget": "1.50",
    "delimiter": "comma",
    "criteria": "answered value=0.9",
    "body": '{"missing": "worst"}',
    "filters": "safe=false",
    "mapping": '{"inputs": ["q"]}',
    "only": "topic=history",
    "schema": "{}",
    "scorers": "os:getcwd",
    "task": "os:getcwd",
    "values": "{}",
}
# An answer that lets a verb go on to its next request.
ANSWER = {"id": 7, "results": [{"id": 7, "name": "7"}], "next": None, "status": "completed", "runs": [7]}


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return SchemaGenerator().get_schema(public=True)


@pytest.fixture
def sent(monkeypatch) -> list[httpx2.Request]:
    """The requests that a client would have sent."""
    requests: list[httpx2.Request] = []

    def send(self: httpx2.Client, request: httpx2.Request, **options: Any) -> httpx2.Response:
        request.read()
        requests.append(request)
        return httpx2.Response(200, json=ANSWER, request=request)

    monkeypatch.setattr(httpx2.Client, "send", send)
    return requests


def operation(document: dict[str, Any], request: httpx2.Request) -> dict[str, Any]:
    """What the document says of a call; the test fails if it does not know it."""
    address = urlsplit(str(request.url)).path
    for path, operations in document["paths"].items():
        if re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", path), address) and request.method.lower() in operations:
            return operations[request.method.lower()]
    raise AssertionError(f"{request.method} {address} is not an operation of the API")


def check(document: dict[str, Any], request: httpx2.Request) -> None:
    known = operation(document, request)
    parameters = {
        item["name"]: item["schema"] for item in known.get("parameters", ()) if item["in"] == "query"
    }
    for name, value in parse_qsl(urlsplit(str(request.url)).query):
        if not re.match(r"metadata\[", name):
            assert name in parameters, f"{request.url}: {name} is not a parameter"
            _check(document, parameters[name], _typed(value, parameters[name]), name)
    _check_body(document, known, request)


def _check_body(document: dict[str, Any], known: dict[str, Any], request: httpx2.Request) -> None:
    kind = request.headers.get("Content-Type", "").partition(";")[0]
    if not kind:
        return
    schema = known["requestBody"]["content"][kind]["schema"]
    if kind == "application/json":
        _check(document, schema, json.loads(request.content), str(request.url))
        return
    fields = _resolved(document, schema)["properties"]
    for name, value in re.findall(rb'; name="([^"]+)"\r\n(?:[^\r]+\r\n)*\r\n([^\r]*)', request.content):
        field = fields.get(name.decode())
        assert field is not None, f"{request.url}: the form has no field {name.decode()}"
        if "enum" in (schema := _resolved(document, field)):
            assert value.decode() in schema["enum"], f"{request.url}: {name.decode()}={value.decode()}"


def _resolved(document: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    [*parts] = schema.get("allOf", [schema])
    if "$ref" in parts[0]:
        return document["components"]["schemas"][parts[0]["$ref"].rpartition("/")[2]]
    return schema


def _typed(value: str, schema: dict[str, Any]) -> Any:
    is_number = schema.get("type") in ("integer", "number")
    return (
        json.loads(value)
        if is_number or (schema.get("type") == "boolean" and value in ("true", "false"))
        else value
    )


def _check(document: dict[str, Any], schema: dict[str, Any], value: Any, where: str) -> None:
    whole = schema | {"components": document["components"]}
    problems = [problem.message for problem in Draft202012Validator(whole).iter_errors(value)]
    assert not problems, f"{where}: {problems}"


# ---- the command line ----------------------------------------------------------------------------------------


def values(option: click.Parameter) -> list[str]:
    """Values of an option, all that it allows if it is a choice."""
    if isinstance(option.type, click.Choice):
        return [str(choice) for choice in option.type.choices]
    if isinstance(option.type, click.Path):
        return ["rows.csv"]
    if option.type is click.STRING:
        return [VALUES.get(option.name or "", "7")]
    return ["1"]


def commands(
    group: click.Group, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """All commands with their words, such as `gates create`."""
    for name in group.list_commands(click.Context(group)):
        command = group.get_command(click.Context(group), name)
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))
        elif command is not None and name not in SILENT:
            yield (*path, name), command


COMMANDS = dict(commands(evalsite))


def invocations(words: tuple[str, ...]) -> Iterator[list[str]]:
    """The command lines of a verb: the shortest, then one for each value of each option."""
    options = [item for item in COMMANDS[words].params if isinstance(item, click.Option)]
    arguments = [values(item)[0] for item in COMMANDS[words].params if isinstance(item, click.Argument)]
    required = [text for item in options if item.required for text in (item.opts[0], values(item)[0])]
    needs = NEEDS.get(" ".join(words), [])
    yield [*words, *arguments, *required, *needs]
    for option in options:
        name = option.name or ""
        if name in ("url", "key", "as_json") or option.required:
            continue
        rest = [] if EXCLUDES.get(name) == needs else needs
        line = [*words, *arguments, *required, *rest, *(ADDS.get(name, []) if needs and not rest else [])]
        for flag in (*option.opts[:1], *option.secondary_opts[:1]):
            yield from (
                [*line, flag, *given] for given in ([[]] if option.is_flag else [[v] for v in values(option)])
            )


@pytest.mark.long
@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_the_options_of_a_verb_are_fields_of_the_api(words, document, sent, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows.csv").write_text("id,q\n1,a\n")
    problems = []
    for line in invocations(words):
        sent.clear()
        result = CliRunner().invoke(evalsite, [*line, "--url", URL, "--key", "evk_x"])
        if not sent:
            problems.append(f"{line}: nothing was sent: {result.output[-300:]}")
        for request in sent:
            try:
                check(document, request)
            except AssertionError as problem:
                problems.append(f"{line}: {problem}")

    assert not problems, "\n".join(problems)


# ---- the tools of an agent -----------------------------------------------------------------------------------


def sample(schema: dict[str, Any]) -> Any:
    kind = schema["type"] if isinstance(schema["type"], str) else schema["type"][0]
    if kind == "object":
        return {name: sample(part) for name, part in schema.get("properties", {}).items()}
    if kind == "array":
        return [sample(schema["items"])]
    return {"integer": 7, "string": schema.get("enum", ["7"])[0]}[kind]


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_the_arguments_of_a_tool_are_parameters_of_the_api(tool, document, sent):
    arguments = {name: sample(schema) for name, schema in tool.arguments.items()} | (
        {"kind": "exact_match"} if "kind" in tool.arguments else {}
    )
    assert tool.problem(arguments) is None

    # the made-up answer lacks what the tool reads
    with PeopleReader(URL, "evk_x") as site, suppress(KeyError, TypeError):
        tool.call(site, arguments)

    assert sent
    for request in sent:
        check(document, request)


def test_a_tool_refuses_a_value_that_the_api_would_refuse():
    compare = next(tool for tool in TOOLS if tool.name == "compare")

    assert "missing" in str(compare.problem({"baseline": 1, "runs": [2], "missing": "none"}))
