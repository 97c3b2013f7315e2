"""Additions to /api/schema/ that drf-spectacular cannot infer: queries, refusals, headers, the key."""

from typing import Any, cast

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers

TAG = r'(W/)?"[!#-+.-~-]*"'  # no commas inside, because they separate tags
TAGS = rf"^(\*|{TAG}( *, *{TAG})*)$"

IDEMPOTENCY_KEY = OpenApiParameter(
    "Idempotency-Key",
    {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]([ -~]*[!-~])?$"},
    OpenApiParameter.HEADER,
    description="1 to 255 characters of your choice. "
    "A repeated request with the same key and body gets the same answer and changes nothing.",
)
IF_MATCH = OpenApiParameter(
    "If-Match",
    {"type": "string", "pattern": TAGS},
    OpenApiParameter.HEADER,
    description="The ETag that you read; 412 if the object has changed since.",
)
ERROR = {
    "type": "object",
    "description": "Why a request was refused. Nothing was changed.",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message", "request_id"],
            "properties": {
                "code": {"type": "string", "description": "For programs; stable across releases."},
                "message": {"type": "string", "description": "A sentence for users."},
                "hint": {"type": "string", "description": "What to do about it."},
                "where": {"type": "object", "description": "line, column, byte, example, …"},
                "fields": {
                    "type": "object",
                    "description": "What is wrong, by field.",
                    "additionalProperties": {"type": "array", "items": {"type": "string"}},
                },
                "request_id": {"type": "string", "description": "Also in the header X-Request-ID."},
            },
        }
    },
}


class Schema(AutoSchema):
    """Documents the query of a GET from the view's `query`."""

    def get_override_parameters(self) -> list[Any]:
        query: type[serializers.Serializer[Any]] = cast(Any, self.view).get_query()
        return [query] if self.method == "GET" and query().fields else []

    def _is_list_view(self, serializer: Any = None) -> bool:
        has_pages = getattr(self.view, "action", "") == "list" or getattr(self.view, "has_pages", False)
        return self.method == "GET" and has_pages

    def get_operation_id(self) -> str:
        """An id from the words of the address, such as `datasets_examples_list`, instead of serializer names."""
        steps = [step for step in self.path.removeprefix("/api/v1/").split("/") if step]
        words = [step.replace("-", "_") for step in steps if not step.startswith("{")]
        verbs = {
            "GET": "list" if self._is_list_view() else "get",
            "POST": "create",
            "PATCH": "update",
            "PUT": "set",
            "DELETE": "delete",
        }
        return "_".join([*words, verbs[self.method]] if words else [self.method.lower()])


class KeyScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = "evaluations.api.authentication.KeyAuthentication"
    name = "key"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer", "description": "A key of a project: evk_…"}


REFUSALS = {
    400: "The body, the query or a value in it is not valid.",
    401: "No key, or one that is unknown, revoked or expired.",
    403: "The key lacks the permission to do this.",
    404: "It does not exist, or this key cannot see it.",
    406: "The API answers only with JSON.",
    409: "It conflicts with the current state.",
    411: "The Content-Length header is missing.",
    412: "It has changed since the version given in If-Match.",
    413: "A limit is exceeded.",
    415: "The type or encoding of the body is not accepted.",
    429: "Too many calls in a minute, or too much work at once.",
    503: "The database, or the storage of uploads, does not answer.",
    507: "The disk of the server is full.",
}
OF_ALL = (400, 401, 403, 404, 429, 503)
HEADERS = {
    401: ("WWW-Authenticate", "string"),
    429: ("Retry-After", "integer"),
    503: ("Retry-After", "integer"),
}


def with_refusals(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Postprocessing hook: add the error answers that every operation can give."""
    schemas = result.setdefault("components", {}).setdefault("schemas", {})
    for name, component in schemas.items():
        if name.endswith("Request"):
            component["additionalProperties"] = False
    schemas["Error"] = ERROR
    result["components"]["responses"] = {f"Refused{code}": _refusal(code) for code in REFUSALS}
    for operations in result["paths"].values():
        for method, operation in operations.items():
            for code in sorted(_refused_with(method, operation)):
                operation["responses"][str(code)] = {"$ref": f"#/components/responses/Refused{code}"}
    return result


ANY_OR_NULL = [{}, {"type": "null"}]


def with_any_json(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Postprocessing hook: "any value" includes null, which drf-spectacular would match twice in a `oneOf`."""
    pending: list[Any] = [result]
    while pending:
        node = pending.pop()
        if isinstance(node, dict) and node.get("oneOf") == ANY_OR_NULL:
            del node["oneOf"]
        pending += node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    return result


def with_links(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Postprocessing hook: link each POST to the addresses of the object it created."""
    for path, operations in result["paths"].items():
        links = {
            operation["operationId"]: {
                "operationId": operation["operationId"],
                "parameters": {"id": "$response.body#/id"},
            }
            for below, methods in result["paths"].items()
            if below.startswith(f"{path}{{id}}/")
            for operation in methods.values()
        }
        for code, answer in operations.get("post", {}).get("responses", {}).items():
            if links and code in ("201", "202"):
                answer["links"] = links
    return result


def _refusal(code: int) -> dict[str, Any]:
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
    response: dict[str, Any] = {"description": REFUSALS[code], "content": content}
    if code in HEADERS:
        name, kind = HEADERS[code]
        response["headers"] = {name: {"schema": {"type": kind}, "required": True}}
    return response


def _refused_with(method: str, operation: dict[str, Any]) -> set[int]:
    """The statuses of the errors with which an operation may answer."""
    codes = set(OF_ALL)
    types = operation.get("requestBody", {}).get("content", {})
    if not any("application/json" not in answer.get("content", {}) for answer in _answers(operation)):
        codes.add(406)
    if method != "get":
        codes.add(409)
    if method in ("post", "patch"):
        codes |= {411, 413, 415}
    if "multipart/form-data" in types:
        codes.add(507)
    if any(parameter["name"] == "If-Match" for parameter in operation.get("parameters", ())):
        codes.add(412)
    return codes


def _answers(operation: dict[str, Any]) -> list[dict[str, Any]]:
    return [answer for answer in operation["responses"].values() if answer.get("content")]
