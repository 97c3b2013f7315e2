"""A day, typed as pages show it; a browser's own field would show it in another order beside them."""

from datetime import date
from typing import Any

from django import forms
from django.utils.formats import date_format

EXAMPLE = "27 Nov 2026"


class DayField(forms.DateField):
    """A day such as 27 Nov 2026, or 2026-11-27 as programs write it."""

    def __init__(self, **options: Any) -> None:
        widget = forms.TextInput({"class": "input day", "placeholder": f"such as {EXAMPLE}", "size": "11"})
        super().__init__(input_formats=["%d %b %Y", "%d %B %Y", "%Y-%m-%d"], widget=widget, **options)
        self.error_messages["invalid"] = f"Write a day such as {EXAMPLE}."

    def prepare_value(self, value: Any) -> Any:
        return date_format(value, "j M Y") if isinstance(value, date) else value
