"""Serializers that write the answers that they document, as fast as a dict written by hand."""

from collections.abc import Callable
from functools import cached_property
from operator import attrgetter, itemgetter
from typing import Any

from rest_framework import serializers

SCALARS = (
    serializers.IntegerField,
    serializers.FloatField,
    serializers.BooleanField,
    serializers.CharField,
    serializers.ChoiceField,
)
Reader = Callable[[Any], Any]
ABSENT = object()


# Lists of JSON values, which answers write as they are.
def floats(**options: Any) -> serializers.ListField:
    return serializers.ListField(child=serializers.FloatField(), **options)


def integers(**options: Any) -> serializers.ListField:
    return serializers.ListField(child=serializers.IntegerField(), **options)


def strings(**options: Any) -> serializers.ListField:
    return serializers.ListField(child=serializers.CharField(), **options)


# Reads the `source` of each field from an object, or from a dict, and writes it. REST framework looks up each attribute
# step by step and converts each value, which takes ten times as long; a list of a thousand rows shows it. Here the
# readers are made once for all rows, and what is a JSON value stays as it is. A field that a dict lacks is null, or
# left out if it cannot be null. No docstring: the schema would use it as the description of every answer.
class Answer(serializers.Serializer[Any]):
    def to_representation(self, instance: Any) -> Any:
        if isinstance(instance, dict):
            pairs = ((name, read(instance)) for name, read in self._of_dicts)
            return {name: value for name, value in pairs if value is not ABSENT}
        return {name: read(instance) for name, read in self._of_objects}

    @cached_property
    def _of_objects(self) -> list[tuple[str, Reader]]:
        return [(name, self._reader(field, _attribute)) for name, field in self.fields.items()]

    @cached_property
    def _of_dicts(self) -> list[tuple[str, Reader]]:
        return [(name, self._reader(field, _item)) for name, field in self.fields.items()]

    def _reader(self, field: serializers.Field[Any, Any, Any, Any], of: Callable[..., Reader]) -> Reader:
        if isinstance(field, serializers.SerializerMethodField):
            method: Reader = getattr(self, field.method_name or "")
            return method
        write = _writer(field)
        if field.source == "*":
            return write
        read = of(field.source or "", field)
        if type(field) in SCALARS:
            return read

        def written(row: Any) -> Any:
            value = read(row)
            return value if value is None or value is ABSENT else write(value)

        return written


def _attribute(source: str, field: serializers.Field[Any, Any, Any, Any]) -> Reader:
    """Reads an attribute of an object. A step of a path may be a number, of a tuple, or an object that is None."""
    steps = [itemgetter(int(step)) if step.isdigit() else attrgetter(step) for step in source.split(".")]
    if len(steps) == 1:
        return steps[0]

    def read(row: Any) -> Any:
        for step in steps:
            if row is None and field.allow_null:
                return None
            row = step(row)
        return row

    return read


def _item(source: str, field: serializers.Field[Any, Any, Any, Any]) -> Reader:
    first, *further = source.split(".")
    default = None if field.allow_null else ABSENT
    if not further:
        return lambda row: row.get(first, default)
    read = _attribute(".".join(further), field)

    def of_part(row: Any) -> Any:
        part = row[first]
        return None if part is None and field.allow_null else read(part)

    return of_part


def _writer(field: serializers.Field[Any, Any, Any, Any]) -> Reader:
    if type(field) is serializers.ListField and type(field.child) in SCALARS:
        return list
    return field.to_representation
