"""Strict serializer fields for bodies and queries: no type conversions, no unknown names."""

import math
from collections.abc import Mapping
from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from evaluations.errors import Invalid
from evaluations.numerals import is_integer, is_number
from evaluations.values import LARGEST_ID, LARGEST_POSITION, LONGEST_NAME


# No docstring: the schema would use it as the description of every body.
class Strict(serializers.Serializer[Any]):
    unknown = "unknown_field"

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        fields: dict[str, serializers.Field[Any, Any, Any, Any]] = super().get_fields()
        for field in fields.values():
            _use_plain_messages(field)
        return fields

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        if isinstance(data, dict) and (extra := [name for name in data if name not in self._writable()]):
            writable_fields = ", ".join(self._writable()) or "none"
            message = f"Unknown field. Known fields: {writable_fields}."
            raise serializers.ValidationError(
                {str(name)[:100]: [serializers.ErrorDetail(message, self.unknown)] for name in extra[:20]}
            )
        content: dict[str, Any] = super().to_internal_value(data)
        return content

    def _writable(self) -> list[str]:
        return [name for name, field in self.fields.items() if not field.read_only]


def _use_plain_messages(field: serializers.Field[Any, Any, Any, Any]) -> None:
    """Make errors of choices list their values, and errors of lists their required length."""
    item = getattr(field, "child", field)
    if isinstance(item, serializers.ChoiceField):
        choices = ", ".join(str(choice) for choice in item.choices if choice != "")
        item.error_messages["invalid_choice"] = f"“{{input}}” is not one of {choices}."
    if isinstance(field, serializers.ListField | serializers.ListSerializer):
        field.error_messages["min_length"] = "At least {min_length} needed."


class Text(serializers.CharField):
    """A text, unchanged; numbers are refused. The called function checks its content."""

    def __init__(self, **options: Any):
        super().__init__(**{"trim_whitespace": False, "allow_blank": True} | options)

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            raise serializers.ValidationError("Must be a text.")
        return super().to_internal_value(data)


@extend_schema_field({"type": "string", "minLength": 1, "maxLength": 200, "pattern": r"\S"})
class Name(Text):
    def __init__(self, **options: Any):
        super().__init__(**{"max_length": LONGEST_NAME} | options)


@extend_schema_field({"oneOf": [{"type": "string"}, {"type": "integer"}]})
class Key(Text):
    """The key of an example in a list of rows; a number is accepted and becomes text."""


class Flag(serializers.BooleanField):
    """true or false, not "yes"."""

    def to_internal_value(self, data: Any) -> bool:
        if not isinstance(data, bool):
            raise serializers.ValidationError("Must be true or false.")
        return bool(data)


# ---- fields of queries and forms, where every value is a text --------------------------------------------------


class FlagText(serializers.BooleanField):
    default_empty_html = serializers.empty  # A field missing from a form is not false.

    def to_internal_value(self, data: Any) -> bool:
        if data not in ("true", "false"):
            raise serializers.ValidationError("Must be true or false.")
        return bool(data == "true")


class IntegerText(serializers.IntegerField):
    def to_internal_value(self, data: Any) -> int:
        if not is_integer(data):
            raise serializers.ValidationError("Must be a whole number.")
        return super().to_internal_value(data)


class NumberText(serializers.FloatField):
    """A finite number, written as in JSON."""

    def to_internal_value(self, data: Any) -> float:
        if not is_number(data):
            raise serializers.ValidationError("Must be a number.")
        value = super().to_internal_value(data)
        if math.isinf(value):
            raise serializers.ValidationError("Must be a finite number.")
        return value


@extend_schema_field({"type": "object", "additionalProperties": {}})
class ObjectText(Text):
    """A JSON object as the text of a form field."""


# ---- fields of bodies ------------------------------------------------------------------------------------------


@extend_schema_field({"type": "integer", "minimum": 1, "maximum": LARGEST_ID})
class Id(serializers.Field[Any, Any, Any, Any]):
    """The id of an object. Ids that cannot exist, such as too large ones, are accepted here and answered with 404."""

    def to_internal_value(self, data: Any) -> int:
        if isinstance(data, bool) or not isinstance(data, int):
            raise serializers.ValidationError("Must be a whole number.")
        return int(data)

    def to_representation(self, value: Any) -> Any:
        return value


@extend_schema_field(OpenApiTypes.OBJECT)
class Object(serializers.Field[Any, Any, Any, Any]):
    """A JSON object, checked by the called function."""

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        if not isinstance(data, dict):
            raise serializers.ValidationError("Must be an object.")
        return data

    def to_representation(self, value: Any) -> Any:
        return value


@extend_schema_field(OpenApiTypes.ANY)
class AnyJSON(serializers.Field[Any, Any, Any, Any]):
    """Any JSON value, unchanged."""

    def to_internal_value(self, data: Any) -> Any:
        return data

    def to_representation(self, value: Any) -> Any:
        return value


class Rows(serializers.Field[Any, Any, Any, Any]):
    """A list of objects with known names. There may be thousands, so a plain loop checks them, not a serializer.

    `kinds` gives the types each name may have; null is allowed everywhere, other names nowhere.
    """

    def __init__(self, *, kinds: Mapping[str, tuple[type, ...]], needs: str = "", **options: Any):
        super().__init__(**options)
        self.kinds, self.needs = kinds, needs

    def to_internal_value(self, data: Any) -> list[dict[str, Any]]:
        if not isinstance(data, list):
            raise serializers.ValidationError("Must be a list.")
        for number, row in enumerate(data):
            if type(row) is not dict:
                raise self._wrong(f"[{number}]", "object_expected", "Must be an object.")
            for name, value in row.items():
                self._check(number, name, value)
            if self.needs and self.needs not in row:
                raise self._wrong(f"[{number}].{self.needs}", "required", f"{self.needs} is missing.")
        return data

    def _check(self, number: int, name: str, value: Any) -> None:
        kinds = self.kinds.get(name)
        if kinds is None:
            names = ", ".join(self.kinds)
            raise self._wrong(
                f"[{number}].{name[:100]}", "unknown_field", f"Unknown field. Known fields: {names}."
            )
        if value is not None and kinds and type(value) not in kinds:
            words = " or ".join(WORDS[kind] for kind in kinds)
            raise self._wrong(f"[{number}].{name}", "invalid", f"must be {words}.")
        if type(value) is int and name in WHOLE and not 0 <= value <= LARGEST_POSITION:
            raise self._wrong(f"[{number}].{name}", "invalid", f"must be 0 to {LARGEST_POSITION}.")

    def _wrong(self, step: str, code: str, message: str) -> Invalid:
        path = f"{self.field_name}{step}"
        return Invalid(code, f"{path}: {message}", fields={path: [message]})

    def to_representation(self, value: Any) -> Any:
        return value


WORDS = {str: "a text", int: "a whole number", dict: "an object"}
WHOLE = {"position", "latency_ms", "tokens"}


class Number(serializers.IntegerField):
    """A whole number from 1; a text with digits is refused."""

    def __init__(self, **options: Any):
        super().__init__(**{"required": False, "min_value": 1, "max_value": LARGEST_POSITION} | options)

    def to_internal_value(self, data: Any) -> int:
        if isinstance(data, bool) or not isinstance(data, int):
            raise serializers.ValidationError("Must be a whole number.")
        return super().to_internal_value(data)
