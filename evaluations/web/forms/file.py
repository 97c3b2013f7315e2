"""The first step of an upload: a file, or its content as text."""

from typing import Any

from django import forms
from django.core.files import File
from django.core.files.base import ContentFile

from .form import Form

LONGEST_PASTE = 10_000_000


class FileForm(Form):
    """A file, or its content as text."""

    file = forms.FileField(required=False, allow_empty_file=True)
    text = forms.CharField(
        required=False,
        strip=False,
        max_length=LONGEST_PASTE,
        label="Or paste CSV or JSON Lines",
        widget=forms.Textarea({"rows": 5, "spellcheck": "false", "class": "input id"}),
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        if not cleaned.get("file") and not cleaned.get("text", "").strip() and not self.errors:
            raise forms.ValidationError("Choose a file or paste its text.")
        return cleaned

    @property
    def chosen_file(self) -> "File[bytes]":
        file, text = self.cleaned_data["file"], self.cleaned_data["text"]
        return file or ContentFile(text.replace("\r\n", "\n").encode(), name="pasted.txt")
