"""Bases for the query strings of lists: page size, cursors, stacked filters."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Self

from django.http import QueryDict
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from evaluations.models import Dataset
from evaluations.results import filter_params
from evaluations.values import LARGEST_POSITION, LONGEST_NAME, LONGEST_SEARCH

from ..fields import IntegerText, Strict, Text

DEFAULT_SIZE, LARGEST_SIZE = 50, 1_000


class NoQuery(Strict):
    """A query string. A parameter without effect is refused: `needs` lists, by its name, others of which it needs one,
    such as `outcome`, or `format=xlsx`.
    """

    unknown = "unknown_filter"
    needs: ClassVar[Mapping[str, Sequence[str]]] = {}

    @classmethod
    def from_params(cls, body: QueryDict) -> Self:
        """Build the data from URL parameters. An empty text is a value; fields that take several values get a list."""
        several = {
            name for name, field in cls().fields.items() if isinstance(field, serializers.MultipleChoiceField)
        }
        return cls(data={name: values if name in several else values[-1] for name, values in body.lists()})

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if unused := [
            name for name in self.needs if self._says(name, attrs) and not self._is_used(name, attrs)
        ]:
            raise serializers.ValidationError({name: [self._unused(name)] for name in unused})
        return attrs

    def _says(self, name: str, attrs: dict[str, Any]) -> bool:
        """Whether the parameter asks for something other than its default."""
        return attrs.get(name) not in (None, "", set()) and attrs[name] != self.fields[name].default

    def _is_used(self, name: str, attrs: dict[str, Any]) -> bool:
        pairs = [other.partition("=")[::2] for other in self.needs[name]]
        return any(attrs.get(other) == value if value else self._says(other, attrs) for other, value in pairs)

    def _unused(self, name: str) -> serializers.ErrorDetail:
        needed = " or ".join(f"`{other}`" for other in self.needs[name])
        return serializers.ErrorDetail(f"This has an effect only together with {needed}.", "unused_filter")


class StackedQuery(NoQuery):
    """Also accepts parameters with brackets, such as `metadata[topic]`; `filters` collects them as pairs."""

    stacked: Sequence[tuple[str, str]] = ()
    is_stacked: Callable[[str], bool] = staticmethod(filter_params.is_filter)

    @classmethod
    def from_params(cls, body: QueryDict) -> Self:
        plain = body.copy()
        names = [name for name in body if cls.is_stacked(name)]
        stacked = [(name, value) for name in names for value in plain.pop(name)]
        query = super().from_params(plain)
        query.stacked = stacked
        return query

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        return super().validate(attrs) | {"filters": self.stacked}


@extend_schema_field({"type": "string", "minLength": 1})
class Cursor(Text):
    """A cursor as text; its signature is checked later."""


class OfSplit(Text):
    """The name or id of a split in an address."""

    def __init__(self) -> None:
        super().__init__(
            required=False,
            max_length=LONGEST_NAME,
            help_text="Only the examples of this split, by name or id.",
        )


class PageQuery(NoQuery):
    page_size = IntegerText(required=False, default=DEFAULT_SIZE, min_value=1, max_value=LARGEST_SIZE)
    cursor = Cursor(required=False, help_text="The `next` or `previous` of an earlier answer.")


class NamedQuery(PageQuery):
    name = Text(
        required=False, help_text="Only the object with this name; case and repeated spaces are ignored."
    )


class DatasetsQuery(NamedQuery):
    status = serializers.ChoiceField([*Dataset.Status.values, "any"], default="ready")


class ExamplesQuery(PageQuery, StackedQuery):
    is_stacked = staticmethod(filter_params.is_metadata)

    version = IntegerText(required=False, min_value=1, max_value=LARGEST_POSITION)
    search = Text(required=False, max_length=LONGEST_SEARCH)
    split = OfSplit()
