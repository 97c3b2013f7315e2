"""The OpenAPI schema flattened into rows, for the page of the API reference."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from . import document, example_calls

METHODS = ("get", "post", "put", "patch", "delete")
Node = dict[str, Any]


@dataclass(frozen=True)
class Field:
    name: str
    type: str
    is_required: bool
    description: str


@dataclass(frozen=True)
class Body:
    media: str
    fields: tuple[Field, ...]


@dataclass(frozen=True)
class Operation:
    id: str
    method: str
    path: str
    description: str
    parameters: tuple[Field, ...]
    bodies: tuple[Body, ...]
    answers: tuple[tuple[str, tuple[Field, ...]], ...]
    refusals: tuple[str, ...]
    example: str  # a call of it, for a shell

    @property
    def searched(self) -> str:
        fields = [*self.parameters, *(field for body in self.bodies for field in body.fields)]
        fields += [field for _, answer in self.answers for field in answer]
        names = " ".join(field.name for field in fields)
        return f"{self.method} {self.path} {self.description} {names}".lower()


# what most programs use; the other tags follow by name
FIRST = ("datasets", "experiments", "runs", "evaluators", "comparisons", "prompts", "launches", "gates")


@cache
def operations() -> dict[str, list[Operation]]:
    """All operations by tag, what most programs use first; computed once in each process."""
    schema = document.built()
    by_tag: dict[str, list[Operation]] = {}
    for path, methods in schema["paths"].items():
        for method in METHODS:
            if method in methods:
                tag = methods[method]["tags"][0].replace("-", " ")
                by_tag.setdefault(tag, []).append(_operation(path, method, methods[method], schema))
    return {tag: by_tag[tag] for tag in (*FIRST, *sorted(by_tag.keys() - {*FIRST}))}


def matching(words: list[str]) -> dict[str, list[Operation]]:
    """The operations with every word in method, path, description or the name of a parameter or field, by tag."""
    found = {
        tag: [operation for operation in members if all(word in operation.searched for word in words)]
        for tag, members in operations().items()
    }
    return {tag: members for tag, members in found.items() if members}


def _operation(path: str, method: str, node: Node, schema: Node) -> Operation:
    answers = {status: answer for status, answer in node["responses"].items() if status < "400"}
    return Operation(
        id=node["operationId"],
        method=method.upper(),
        path=path,
        description=node.get("description", ""),
        parameters=tuple(_parameter(parameter) for parameter in node.get("parameters", ())),
        bodies=tuple(_bodies(node.get("requestBody", {}), schema)),
        answers=tuple((status, _answer(answer, schema)) for status, answer in answers.items()),
        refusals=tuple(status for status in node["responses"] if status >= "400"),
        example=example_calls.line(method, path, node, schema),
    )


def _parameter(node: Node) -> Field:
    return Field(
        node["name"], _type(node["schema"]), node.get("required", False), _line(node.get("description", ""))
    )


def _bodies(request: Node, schema: Node) -> Iterator[Body]:
    for media, content in request.get("content", {}).items():
        yield Body(media, _fields(content.get("schema", {}), schema))


def _answer(answer: Node, schema: Node) -> tuple[Field, ...]:
    content = answer.get("content", {}).get("application/json", {})
    return _fields(content.get("schema", {}), schema)


def _fields(node: Node, schema: Node) -> tuple[Field, ...]:
    """The properties of an object, of the elements of an array, or of the results of a page."""
    node = _resolved(node, schema)
    if "array" in _kinds(node):
        return _fields(node.get("items", {}), schema)
    properties = node.get("properties", {})
    if "results" in properties and "next" in properties:
        return _fields(properties["results"], schema)
    required = node.get("required", ())
    return tuple(
        Field(name, _type(part), name in required, _line(part.get("description", "")))
        for name, part in properties.items()
    )


def _resolved(node: Node, schema: Node) -> Node:
    while "$ref" in node:
        node = schema["components"]["schemas"][node["$ref"].rsplit("/", 1)[-1]]
    return node


def _type(node: Node) -> str:
    """A type in a few words: "integer", "string (date-time)", "list of Run", "a | b"."""
    if "$ref" in node:
        return str(node["$ref"]).rsplit("/", 1)[-1].removesuffix("Request")
    for union in ("oneOf", "anyOf", "allOf"):
        if union in node:
            return " or ".join(dict.fromkeys(_type(part) for part in node[union]))
    if "enum" in node:
        return " | ".join("null" if value is None else str(value) for value in node["enum"])
    return " or ".join(_kind(kind, node) for kind in _kinds(node))


def _kinds(node: Node) -> list[str]:
    kinds = node.get("type", "any")
    return kinds if isinstance(kinds, list) else [kinds]


def _kind(kind: str, node: Node) -> str:
    """The type of a node in words, for one of its JSON types.

    >>> node = {"type": ["array", "null"], "items": {"type": "string", "format": "uri"}}
    >>> _type(node)
    'list of string (uri) or null'
    """
    if kind == "array":
        return f"list of {_type(node.get('items', {}))}"
    return f"{kind} ({node['format']})" if "format" in node and kind != "null" else kind


def _line(text: str) -> str:
    """The description, without the list of choices that the type shows already."""
    return text.split("\n* `")[0].removeprefix("* `") if not text.startswith("* `") else ""
