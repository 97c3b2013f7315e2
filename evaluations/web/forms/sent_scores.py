"""Scores from a file: what scored, and the columns of the file."""

from typing import Any

from django import forms

from evaluations.kinds.value import LONGEST_LABELS
from evaluations.values import BETTER, LONGEST_NAME

from .file import FileForm, column_field
from .number import NumberField


class SentScoresForm(FileForm):
    """The name of what scored, its scale, and a file with a row for each example."""

    name = forms.CharField(
        max_length=LONGEST_NAME,
        label="Name",
        help_text="Of the function, judge or person, such as “cites a source”.",
    )
    direction = forms.ChoiceField(
        label="Better is",
        choices=[("", "higher, or as before"), *BETTER.items()],
        required=False,
    )
    minimum = NumberField(label="Lowest score", required=False)
    maximum = NumberField(label="Highest score", required=False)
    labels = forms.CharField(
        max_length=LONGEST_LABELS,
        required=False,
        help_text="The number of each word, such as good = 1, fair = 0.5, bad = 0.",
    )
    key = column_field("key", "Empty: key or id, else position.")
    value = column_field("score", "Empty: value or score, and label.")
    note = column_field("note", "Empty: note or comment.")
    named = ("key", "value", "note")
    field_order = ["name", "file", "text"]

    def settings(self) -> dict[str, Any]:
        """What was said about the scale; what was left out is as in the newest version."""
        named = {name: self.cleaned_data[name] for name in ("direction", "minimum", "maximum", "labels")}
        return {name: value for name, value in named.items() if value not in ("", None)}
