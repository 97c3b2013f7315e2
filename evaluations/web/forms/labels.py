"""A field for each outside score that consists of words, in which each word gets a number."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms

from evaluations.kinds.value import LONGEST_LABELS, numbered

from .form import Form


class LabelsForm(Form):
    """`words` are those in the first rows of the file, by the name of their score."""

    def __init__(self, *args: Any, words: Mapping[str, Sequence[str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.worded = {f"labels-{number}": name for number, name in enumerate(words)}
        for field, name in self.worded.items():
            self.fields[field] = _field(name, words[name])

    @property
    def label_fields(self) -> list[forms.BoundField]:
        return [self[field] for field in self.worded]

    @property
    def labels(self) -> dict[str, str]:
        """The typed labels by the name of the score."""
        typed = {name: self.cleaned_data.get(field, "") for field, name in self.worded.items()}
        return {name: text for name, text in typed.items() if text}


def _field(name: str, words: Sequence[str]) -> forms.CharField:
    example = ", ".join(f"{word} = {number}" for number, word in enumerate(words))
    return forms.CharField(
        label=f"Numbers of the words in {name}",
        required=False,
        max_length=LONGEST_LABELS,
        validators=[_numbered],
        help_text=f"For example: {example}. Words without a number give no score.",
        widget=forms.TextInput({"class": "input", "autocomplete": "off"}),
    )


def _numbered(labels: str) -> None:
    try:
        numbered(labels)
    except ValueError as wrong:
        raise forms.ValidationError(str(wrong)) from wrong
