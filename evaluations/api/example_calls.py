"""An example of each call for the page of the API reference: one line of curl with what the call requires."""

import json
import shlex
from typing import Any

Node = dict[str, Any]
KEY = '-H "Authorization: Bearer $EVALSITE_KEY"'
MEDIA = ("application/json", "multipart/form-data")  # what is sent if a call takes both
SAMPLES: dict[str, Any] = {
    "string": "…",
    "integer": 1,
    "number": 0.5,
    "boolean": True,
    "object": {},
    "any": "…",
}


def line(method: str, path: str, node: Node, schema: Node) -> str:
    """The command; what stands in capitals in the address is to be filled in."""
    chosen = [] if method in ("get", "post") else [f"-X {method.upper()}"]
    content = _resolved(node.get("requestBody", {}), schema).get("content", {})
    media = next((media for media in MEDIA if media in content), None)
    sent = _sent(media, _resolved(content[media]["schema"], schema), schema, method) if media else []
    chosen += ["-X POST"] if method == "post" and not sent else []
    # first what differs between calls: the end of a long line scrolls out of sight
    return " ".join(["curl", *chosen, f'"$EVALSITE_URL{_address(path, node)}"', *sent, KEY])


def _address(path: str, node: Node) -> str:
    """The path with its parameters in capitals, and the parameters that a query must have.

    >>> _address("/runs/{id}/", {"parameters": [{"name": "split_of", "in": "query", "required": True}]})
    '/runs/{id}/?split_of=SPLIT_OF'
    """
    parameters = [one for one in node.get("parameters", ()) if one.get("required")]
    for name in (one["name"] for one in parameters if one["in"] == "path"):
        path = path.replace(f"{{{name}}}", name.upper())
    asked = [f"{one['name']}={one['name'].upper()}" for one in parameters if one["in"] == "query"]
    return f"{path}?{'&'.join(asked)}" if asked else path


def _sent(media: str, body: Node, schema: Node, method: str) -> list[str]:
    fields = _fields(body, schema, of_change=method in ("patch", "put"))
    if media == MEDIA[0]:
        text = json.dumps(fields, ensure_ascii=False)
        return [f"-d {shlex.quote(text)}", '-H "Content-Type: application/json"']
    return [f"-F {shlex.quote(f'{name}={_as_text(value)}')}" for name, value in fields.items()]


def _fields(body: Node, schema: Node, *, of_change: bool = False) -> dict[str, Any]:
    """Samples of the required fields and of files; of a change without any, of the first field that may stay empty."""
    properties = body.get("properties", {})
    names = [name for name in properties if name in body.get("required", ()) or _is_file(properties[name])]
    if not names and of_change:
        name = next(iter(properties))
        return {name: None if "null" in _kinds(properties[name]) else _sample(properties[name], schema)}
    return {name: _sample(properties[name], schema) for name in names}


def _sample(node: Node, schema: Node) -> Any:
    """A value that the schema allows."""
    node = _resolved(node, schema)
    if _is_file(node):
        return "@answers.csv"
    if "enum" in node:
        return node["enum"][0]
    for union in ("oneOf", "anyOf", "allOf"):
        if union in node:
            return _sample(node[union][0], schema)
    kind = _kinds(node)[0]
    if kind == "array":
        return [_element(_resolved(node.get("items", {}), schema), schema)]
    return _fields(node, schema) if node.get("properties") else SAMPLES[kind]


def _element(node: Node, schema: Node) -> Any:
    """One of a list: of an object the required fields, and as many others as make two."""
    properties = node.get("properties")
    if not properties:
        return _sample(node, schema)
    required = [name for name in properties if name in node.get("required", ())]
    names = [*required, *(name for name in properties if name not in required)][: max(2, len(required))]
    return {name: _sample(properties[name], schema) for name in names}


def _kinds(node: Node) -> list[str]:
    kinds = node.get("type", "any")
    return kinds if isinstance(kinds, list) else [kinds]


def _is_file(node: Node) -> bool:
    return node.get("format") == "binary"


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _resolved(node: Node, schema: Node) -> Node:
    while "$ref" in node:
        kind, name = node["$ref"].split("/")[-2:]
        node = schema["components"][kind][name]
    return node
