"""The fields for settings of an evaluator, from the JSON Schema of its kind."""

import json
from typing import Any

from django import forms

from evaluations.models import Connection, Project
from evaluations.values import BETTER, stored_json

from .choice_or_text import ChoiceOrText
from .json_field import JSONField
from .number import NumberField

WORDS = {
    "code_point": "code points",
    "utf16": "UTF-16 units",
    "zero": "gets score 0 and fails",
    "skip": "gets no score",
    ">": "above the threshold",
    ">=": "at or above the threshold",
    "both": "both texts",
    "expected": "the expected text",
    "none": "neither",
    "config": "the pattern below",
    "search": "anywhere in the output",
    "fullmatch": "the whole output",
    "all": "all of them",
    "any": "any of them",
    **BETTER,
    "NFC": "NFC: é is one sign",
    "NFKC": "NFKC: ² is 2, too",
    "collapse": "any number is one blank",
    "remove": "removed",
    "last_number": "the last number of the text",
    "whole": "the whole text is the number",
}
AS_IT_IS = "as it is"


def of_schema(schema: dict[str, Any]) -> forms.Field:
    """The form field for one setting: check box, choice, number or text."""
    shape = next((part for part in schema.get("anyOf", ()) if part.get("type") != "null"), schema)
    default = schema.get("default")
    options = {
        "label": schema["title"],
        "help_text": schema.get("description", ""),
        "required": not is_nullable(schema),
        "initial": default,
    }
    if shape.get("type") == "boolean":
        return forms.BooleanField(**options | {"required": False})
    types = {part.get("type") for part in schema.get("anyOf", [schema])}
    if types & {"array", "object"}:
        return SettingField(is_text_allowed="string" in types, **options | {"required": False})
    if words := shape.get("enum", [shape["const"]] if "const" in shape else []):
        choices = [(word, WORDS.get(word, word)) for word in words]
        if not is_nullable(schema):
            return forms.ChoiceField(choices=choices, **options)
        return forms.TypedChoiceField(choices=[("", AS_IT_IS), *choices], empty_value=None, **options)
    if shape.get("type") in ("integer", "number"):
        return _number(shape, options)
    if words := [word for word in shape.get("examples", ()) if word in WORDS]:
        options["widget"] = ChoiceOrText(
            [(word, WORDS[word]) for word in words],
            "by a pattern",
            spoken="Pattern (RE2) with one group around the number",
            example=next(iter({*shape["examples"]} - {*words}), ""),
        )
        options["help_text"] = ""
    field = forms.CharField(strip=False, empty_value=None, **options)
    if not default and not words and (examples := schema.get("examples")):
        field.widget.attrs["placeholder"] = str(examples[0])
    return field


class SettingField(JSONField):
    """A setting that is a JSON list or object; with `is_text_allowed`, any other text is itself."""

    def __init__(self, *, is_text_allowed: bool, **options: Any) -> None:
        options.pop("required", None)
        super().__init__(dict, list, rows=2, **options)
        self.is_text_allowed = is_text_allowed

    def prepare_value(self, value: Any) -> Any:
        if isinstance(value, dict) and value:
            return json.dumps(value, ensure_ascii=False, indent=2)  # to be read and changed
        return value if isinstance(value, str) or value is None else stored_json(value)

    def to_python(self, value: Any) -> Any:
        is_plain = isinstance(value, str) and not value.lstrip().startswith(("[", "{"))
        return value if self.is_text_allowed and is_plain else super().to_python(value)


class LinesField(SettingField):
    """Texts, one on each line; those with line breaks of their own are shown as a JSON list."""

    by_examples = True  # not required where examples bring them, and so not called optional

    def __init__(self, **options: Any) -> None:
        super().__init__(is_text_allowed=True, **options)
        self.widget.attrs |= {"class": "", "rows": 3, "dir": "auto"}

    def prepare_value(self, value: Any) -> Any:
        if not isinstance(value, list):
            return super().prepare_value(value)
        return "\n".join(value) if self.lines("\n".join(value)) == value else stored_json(value)

    def to_python(self, value: Any) -> Any:
        try:
            read = super().to_python(value)
        except forms.ValidationError:
            read = value  # a phrase in brackets
        return read if isinstance(read, list) else self.lines(str(read or ""))

    @staticmethod
    def lines(text: str) -> list[str]:
        return [line.strip() for line in text.splitlines() if line.strip()]


def _number(shape: dict[str, Any], options: dict[str, Any]) -> forms.Field:
    """A number field. The hint states its bounds; the kind validates them, with a better message."""
    if shape["type"] == "integer":
        return forms.IntegerField(widget=forms.TextInput({"inputmode": "numeric"}), **options)
    return NumberField(widget=forms.TextInput({"inputmode": "decimal"}), **options)


def connections(project: Project, schema: dict[str, Any]) -> forms.Field:
    """The project's connections by name."""
    connection_names = Connection.objects.live().filter(project=project).values_list("pk", "name")
    return forms.TypedChoiceField(
        label=schema["title"],
        help_text=schema["description"],
        choices=[("", "the project's default"), *connection_names],
        coerce=int,
        empty_value=None,
        required=False,
    )


def is_nullable(schema: dict[str, Any]) -> bool:
    return any(part.get("type") == "null" for part in schema.get("anyOf", ()))
