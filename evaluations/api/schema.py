"""What /api/schema/ says beyond what the views show: queries, refusals, headers, the key."""

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiParameter

IDEMPOTENCY_KEY = OpenApiParameter(
    "Idempotency-Key",
    str,
    OpenApiParameter.HEADER,
    description="1 to 255 characters of your choice: sent again with the same body, the request is answered "
    "as before and does nothing twice.",
)
IF_MATCH = OpenApiParameter(
    "If-Match",
    str,
    OpenApiParameter.HEADER,
    description="The ETag that was seen; 412 when the thing was changed since.",
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
                "code": {"type": "string", "description": "Stable; made for programs."},
                "message": {"type": "string", "description": "A sentence for people."},
                "hint": {"type": "string", "description": "What to do about it."},
                "where": {"type": "object", "description": "line, column, byte, example, …"},
                "fields": {
                    "type": "object",
                    "description": "Sentences by field.",
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
        return [self.view.query] if self.method == "GET" and self.view.query().fields else []

    def _is_list_view(self, serializer: Any = None) -> bool:
        return self.method == "GET" and getattr(self.view, "has_pages", False)

    def get_operation_id(self) -> str:
        """The words of the address: `datasets_examples_list` is not guessed from serializers."""
        steps = [step for step in self.path.removeprefix("/api/v1/").split("/") if step]
        words = [step.replace("-", "_") for step in steps if not step.startswith("{")]
        verbs = {
            "GET": "list" if self._is_list_view() else "get",
            "POST": "create",
            "PATCH": "update",
            "DELETE": "delete",
        }
        return "_".join([*words, verbs[self.method]] if words else [self.method.lower()])


class KeyScheme(OpenApiAuthenticationExtension):
    target_class = "evaluations.api.authentication.KeyAuthentication"
    name = "key"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer", "description": "A key of a project: evk_…"}


def with_refusals(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Postprocessing hook: every operation may be refused, always in the same form, for one unknown field too."""
    components = result.setdefault("components", {}).setdefault("schemas", {})
    for name, component in components.items():
        if name.endswith("Request"):
            component["additionalProperties"] = False
    components["Error"] = ERROR
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
    for operations in result["paths"].values():
        for operation in operations.values():
            operation["responses"]["default"] = {"description": "Refused.", "content": content}
    return result
