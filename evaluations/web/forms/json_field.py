"""A form field for JSON."""

from typing import Any

from django import forms

from evaluations import strict_json
from evaluations.values import JSON, stored_json

WORDS = {dict: "a JSON object", list: "a JSON list", int: "a whole number", float: "a number"}


class JSONField(forms.CharField):
    """A JSON value of one of these types, typed as text; None if empty. `rows` is the height of its text area."""

    def __init__(self, *kinds: type, rows: int = 3, **options: Any):
        area = forms.Textarea({"rows": rows, "spellcheck": "false", "class": "code"})
        super().__init__(required=False, **({"widget": area} | options))
        self.kinds = kinds

    def to_python(self, value: Any) -> Any:
        text = super().to_python(value)
        if not text:
            return None
        parsed_value = parsed(text)
        if type(parsed_value) not in self.kinds:
            raise forms.ValidationError(f"It must be {WORDS[self.kinds[-1]]}.")
        return parsed_value


def parsed(text: str) -> JSON:
    """The value of a JSON text; raises `ValidationError`."""
    try:
        value = strict_json.parse(text.encode())
        stored_json(value).encode()
    except (strict_json.JSONError, UnicodeEncodeError) as error:
        raise forms.ValidationError(f"This is not JSON: {error}") from error
    return value
