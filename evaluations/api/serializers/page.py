from typing import Self

from django.http import QueryDict
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from ..fields import IntegerText, Strict, Text

DEFAULT_SIZE, LARGEST_SIZE = 50, 1_000


class NoQuery(Strict):
    unknown = "unknown_filter"

    @classmethod
    def from_params(cls, sent: QueryDict) -> Self:
        """From URL parameters. An empty text is a value; fields that take several values get a list."""
        several = {
            name for name, field in cls().fields.items() if isinstance(field, serializers.MultipleChoiceField)
        }
        return cls(data={name: values if name in several else values[-1] for name, values in sent.lists()})


@extend_schema_field({"type": "string", "minLength": 1})
class Cursor(Text):
    """Any text; its signature is checked later."""


class PageQuery(NoQuery):
    page_size = IntegerText(required=False, default=DEFAULT_SIZE, min_value=1, max_value=LARGEST_SIZE)
    cursor = Cursor(required=False, help_text="From `next` or `previous` of an answer.")


class NamedQuery(PageQuery):
    name = Text(
        required=False, help_text="Only the one with this name; case and repeated spaces are ignored."
    )


class ExamplesQuery(PageQuery):
    version = IntegerText(required=False, min_value=1, max_value=2**31 - 1)
    search = Text(required=False, max_length=200)
