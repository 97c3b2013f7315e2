"""Settings of Django REST framework, and of the OpenAPI document that drf-spectacular writes."""

FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["evaluations.api.authentication.KeyAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["evaluations.api.permissions.Deny"],
    "DEFAULT_THROTTLE_CLASSES": ["evaluations.api.throttling.PerKey"],
    "DEFAULT_PAGINATION_CLASS": "evaluations.api.pagination.Pages",
    "DEFAULT_PARSER_CLASSES": ["evaluations.api.parsing.JSONParser"],
    "DEFAULT_RENDERER_CLASSES": ["evaluations.api.rendering.JSONRenderer"],
    "DEFAULT_METADATA_CLASS": None,
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "DEFAULT_VERSIONING_CLASS": None,
    "EXCEPTION_HANDLER": "evaluations.api.exception_handler.handler",
    "URL_FORMAT_OVERRIDE": None,
    "UNAUTHENTICATED_USER": None,
}

DOCUMENT = {
    "TITLE": "Evalsite API",
    "DESCRIPTION": "Everything the pages do: datasets, evaluators, experiments, runs and comparisons.",
    "OAS_VERSION": "3.1.1",
    "VERSION": "v1",
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_AUTHENTICATION": [
        "evaluations.api.authentication.KeyAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "SERVE_PERMISSIONS": ["rest_framework.permissions.IsAuthenticated"],
    "COMPONENT_SPLIT_REQUEST": True,
    "ENUM_NAME_OVERRIDES": {
        "DatasetStatusEnum": [("importing", "Importing"), ("ready", "Ready"), ("failed", "Failed")],
        "CriterionVerdictEnum": ["pass", "fail", "inconclusive"],
        "EvaluatorRoleEnum": ["primary", "secondary"],
        "GateVerdictEnum": ["pass", "fail", "inconclusive", "changed"],
        "MemberRoleEnum": "evaluations.models.Role",
        "VerdictEnum": ["better", "worse", "cannot_tell"],
    },
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "evaluations.api.schema.with_any_json",
        "evaluations.api.schema.with_refusals",
        "evaluations.api.schema.with_links",
    ],
}
