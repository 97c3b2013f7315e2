"""The REST API: views, serializers, error codes, parsing, pagination and the OpenAPI schema."""
