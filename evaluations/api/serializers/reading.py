"""How a sent file is read: its format, and what the pages of an upload ask."""

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers

from evaluations.imports.choices import How
from evaluations.ingest import DELIMITERS
from evaluations.ingest.escapes import LETTERS

from .. import json_body
from ..fields import FlagText, ObjectText, Strict, Text

SIGNS = {word: sign for sign, word in DELIMITERS.items()} | {sign: sign for sign in DELIMITERS}
ESCAPES: dict[str, bool | str] = {"backslash": True, "\\": True, "true": True, "none": False, "false": False}
ESCAPES |= {LETTERS: LETTERS}
DECIMALS = {"comma": ",", ",": ",", "point": ".", ".": "."}
FORMAT = ("header", "delimiter", "encoding", "escape", "sheet", "rows")  # a table is read so


class Sign(serializers.ChoiceField):
    """A choice that may be a tab, which other fields would trim."""

    def __init__(self, signs: Mapping[str, Any], **options: Any):
        super().__init__([*signs], required=False, **options)
        self.signs = signs

    def to_internal_value(self, data: Any) -> Any:
        return self.signs[super().to_internal_value(data)]


class FormatSerializer(Strict):
    """Fields that say how a file is read; what is not sent is detected."""

    header = FlagText(
        required=False,
        help_text="Whether the first row has the names of the columns. Without one: column_1, …",
    )
    delimiter = Sign(SIGNS, help_text="Of CSV: a sign, or comma, semicolon, tab, pipe.")
    encoding = Text(required=False, max_length=40, help_text="Of a text, such as utf-8, latin-1, utf-16.")
    escape = Sign(
        ESCAPES,
        help_text='Of CSV: backslash if a quote in a cell is written \\", none if it is doubled, letters if quotes '
        "are parts of the texts.",
    )
    sheet = Text(required=False, max_length=200, trim_whitespace=False, help_text="Of a workbook: its name.")
    rows = Text(
        required=False,
        max_length=2_000,
        help_text="Of a JSON object: the list of rows, such as data or data.items;"
        " data[].parts[] are the rows inside other rows.",
    )
    decimal = Sign(DECIMALS, help_text="The sign before the decimals of scores: comma or point.")


class AskingSerializer(FormatSerializer):
    """A format, with the wish to be asked."""

    ask = FlagText(
        required=False,
        help_text="true answers 409 `choice_needed`, with `choices`, where a default would decide.",
    )


class ReadingSerializer(AskingSerializer):
    """A format, and the answers to what the pages of an upload ask."""

    long = ObjectText(
        required=False,
        help_text='For a table with several rows for each example, JSON: {"id": column, "variant" or "repetition" or '
        '"rater": column, "output": column}; with id alone, rows are repetitions in their order.',
    )


def format_of(body: Mapping[str, Any]) -> dict[str, Any]:
    """The options of the format that were sent."""
    return {name: body[name] for name in FORMAT if name in body}


def how_of(body: Mapping[str, Any]) -> How:
    long = json_body.object_in(body["long"], "long") if "long" in body else None
    return How(long, body.get("decimal", ""), body.get("ask", False), frozenset(format_of(body)))
