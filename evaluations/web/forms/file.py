"""The first step of an upload: a file, or its content as text."""

from typing import Any

from django import forms
from django.core.files import File
from django.core.files.base import ContentFile

from evaluations.imports.run_names import PASTED
from evaluations.imports.uploads import archives
from evaluations.values import LONGEST_NAME

from .form import Form

LONGEST_PASTE = 10_000_000


def column_field(of: str, help_text: str) -> forms.CharField:
    """Names a column of the file that has another than a usual name."""
    return forms.CharField(
        max_length=LONGEST_NAME, required=False, label=f"Column of the {of}", help_text=help_text
    )


class FileForm(Form):
    """A file, or its content as text; `named` are the fields that name its columns."""

    named: tuple[str, ...] = ()

    file = forms.FileField(required=False, allow_empty_file=True)
    text = forms.CharField(
        required=False,
        strip=False,
        max_length=LONGEST_PASTE,
        label="Or paste CSV or JSON Lines",
        widget=forms.Textarea({"rows": 5, "spellcheck": "false", "class": "input code"}),
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        if not cleaned.get("file") and not cleaned.get("text", "").strip() and not self.errors:
            raise forms.ValidationError("Choose a file or paste its text.")
        return cleaned

    def columns(self) -> dict[str, str]:
        return {name: column for name in self.named if (column := self.cleaned_data[name])}

    @property
    def chosen_file(self) -> "File[bytes]":
        file, text = self.cleaned_data["file"], self.cleaned_data["text"]
        if len(files := self.files.getlist("file")) > 1:
            return archives.packed(files)
        return file or ContentFile(text.replace("\r\n", "\n").encode(), name=PASTED)
