"""Edits of many examples: each form is one operation on the examples that the address selects."""

from typing import Any

from django import forms

from evaluations.datasets import splits
from evaluations.datasets.edits import DELETE, REPLACE, SET, Edit
from evaluations.ingest import Limits
from evaluations.models import Dataset, Split
from evaluations.values import JSON, LONGEST_NAME, PARTS

from .form import Form
from .json_field import parsed

LONGEST = 100_000  # characters
LONGEST_LIST = 200  # characters of a list of columns
AREA = {"rows": 2, "class": "input", "spellcheck": "false"}


class EditForm(Form):
    def __init__(self, *args: Any, dataset: Dataset, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.dataset = dataset


class SetForm(EditForm):
    column = forms.CharField(
        label="Metadata column",
        max_length=Limits.column_name_characters,
        widget=forms.TextInput({"class": "input", "autocomplete": "off", "list": "metadata-columns"}),
    )
    value = forms.CharField(
        required=False,
        strip=False,
        max_length=Limits.cell_characters,
        help_text="Empty is an empty text. To remove the value, choose the type “no value”.",
        widget=forms.Textarea(AREA),
    )
    kind = forms.ChoiceField(
        label="Type",
        choices=[
            ("text", "text"),
            ("json", "JSON, such as 3, true or a list"),
            ("none", "no value: remove it"),
        ],
        widget=forms.Select({"class": "select"}),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        existing = ", ".join(self.dataset.columns.get("metadata", ()))[:LONGEST_LIST]
        self.fields["column"].help_text = (
            f"Such as {existing}, or a new one." if existing else "A new column."
        )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        if cleaned.get("kind") == "json":
            try:
                cleaned["value"] = parsed(cleaned.get("value", ""))
            except forms.ValidationError as error:
                self.add_error("value", error)
        return cleaned

    @property
    def edit(self) -> Edit:
        cleaned = self.cleaned_data
        value: JSON = cleaned["value"]
        if isinstance(value, str):
            value = value.replace("\r\n", "\n")
        return Edit(SET, "metadata", cleaned["column"], None if cleaned["kind"] == "none" else value)


class ReplaceForm(EditForm):
    column = forms.ChoiceField(label="Column", widget=forms.Select({"class": "select"}))
    find = forms.CharField(
        strip=False,
        max_length=LONGEST,
        help_text="Case-sensitive.",
        widget=forms.Textarea(AREA),
    )
    replacement = forms.CharField(
        label="Replace with", required=False, strip=False, max_length=LONGEST, widget=forms.Textarea(AREA)
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        # the page has another form with a field of this name
        super().__init__(*args, auto_id="id_replace_%s", **kwargs)
        columns = [(part, name) for part in PARTS for name in self.dataset.columns.get(part, ())]
        self.choice_field("column").choices = [
            (f"{part}.{name}", f"{name} ({part.removesuffix('s')})") for part, name in columns
        ]

    @property
    def edit(self) -> Edit:
        cleaned = {name: text.replace("\r\n", "\n") for name, text in self.cleaned_data.items()}
        part, _, column = cleaned["column"].partition(".")
        return Edit(REPLACE, part, column, find=cleaned["find"], replacement=cleaned["replacement"])


class DeleteForm(EditForm):
    edit = Edit(DELETE)


class MoveForm(EditForm):
    object_fields = ("split",)
    split = forms.ModelChoiceField(
        Split.objects.none(), empty_label=None, widget=forms.Select({"class": "select"})
    )
    action = forms.ChoiceField(choices=[("add", "add"), ("remove", "remove")])

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.object_field("split").queryset = splits.live(self.dataset).filter(chosen__isnull=False)


class NewSplitForm(EditForm):
    name = forms.CharField(
        label="New split of these examples",
        max_length=LONGEST_NAME,
        widget=forms.TextInput({"class": "input", "autocomplete": "off"}),
    )
