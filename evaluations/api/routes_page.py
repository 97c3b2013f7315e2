"""The table of docs/routes.md: every operation, the scope that it needs and what it takes, by the OpenAPI document."""

import re
from collections.abc import Iterator
from typing import Any

from django.urls import resolve

from evaluations.access import permissions

from . import document
from .permissions import needed

HEAD = "| call | scope | what it does |"
OF_EVERY_LIST = {"cursor", "page_size", "name"}  # said once above the table


def rows() -> Iterator[str]:
    """A row for each operation, in the order of the addresses."""
    described = document.built()
    for path, operations in described["paths"].items():
        handler: Any = resolve(re.sub(r"\{\w+\}", "1", path)).func
        actions = getattr(handler, "actions", {})  # of a noun
        for method, operation in operations.items():
            call = f"{method.upper()} {path}"
            view = handler.cls(action=actions.get(method))
            right = needed(view, method.upper()) or ""
            meaning = " ".join(operation.get("description", "").split())
            yield f"| `{call}` | {scope(right)} | {meaning}{_fields(operation, described)} |"


def scope(permission: str) -> str:
    """The smallest scope that grants this permission."""
    return next(str(scope) for scope, granted in permissions.BY_SCOPE.items() if permission in granted)


def _fields(operation: dict[str, Any], document: dict[str, Any]) -> str:
    parameters = [item["name"] for item in operation.get("parameters", ()) if item["in"] == "query"]
    parameters = [name for name in parameters if name not in OF_EVERY_LIST]
    content = operation.get("requestBody", {}).get("content", {})
    schema = content.get("application/json", {}).get("schema", {})
    if reference := schema.get("$ref"):
        schema = document["components"]["schemas"][reference.rpartition("/")[2]]
    names = [*schema.get("properties", ()), *parameters]
    return f" Takes {', '.join(f'`{name}`' for name in names)}." if names else ""
