"""A variant from a file: first its name, then the roles of the columns."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms

from evaluations.imports import outputs
from evaluations.imports.columns.columnmap import check_outputs
from evaluations.models import Project
from evaluations.values import LONGEST_NAME

from ..page_tools.request import HttpRequest
from .about import AboutForm
from .file import FileForm
from .form import Form

MATCH = {
    "key": "by key, in a column",
    "position": "by position (1, 2, 3 …), in a column",
    "order": "by order: first row, first example",
}


class VariantForm(AboutForm, FileForm):
    """The name of a variant and its outputs, as a file or as text."""

    variant = forms.CharField(max_length=LONGEST_NAME, help_text="A prompt, model or setting.")
    field_order = ["variant", "file", "text"]

    @classmethod
    def from_request(cls, request: HttpRequest, project: Project) -> "VariantForm":
        if request.method == "POST":
            return cls(request.POST, request.FILES, project=project)
        return cls(initial={"variant": request.GET.get("variant", "")}, project=project)


class MatchForm(Form):
    """The column of the outputs, and how rows are matched with examples."""

    output = forms.ChoiceField(label="Output column")
    match = forms.ChoiceField(label="Match rows", choices=list(MATCH.items()), widget=forms.RadioSelect)
    column = forms.ChoiceField(label="Key or position column", required=False)

    def __init__(
        self, form_data: Any, columns: Sequence[str], initial: Mapping[str, str], variant: str
    ) -> None:
        super().__init__(form_data, initial=dict(initial))
        self.variant = variant
        named = [(name, name) for name in columns]
        self.choice_field("output").choices = named
        self.choice_field("column").choices = [("", "no column"), *named]
        self.columns = columns

    @classmethod
    def from_request(
        cls, request: HttpRequest, columns: Sequence[str], mapping: Mapping[str, Any]
    ) -> "MatchForm":
        suggested = outputs.suggest(columns)
        matched_by = "key" if "key" in suggested else "position" if "position" in suggested else "order"
        initial = {
            "output": suggested.get("output", ""),
            "match": matched_by,
            "column": suggested.get(matched_by, ""),
        }
        form_data = request.POST if request.method == "POST" else None
        return cls(form_data, columns, initial, mapping["variant"])

    def mapping(self) -> dict[str, str]:
        """The chosen or suggested columns as a mapping; raises `Invalid` if they cannot be used."""
        fields = self.data if self.is_bound else self.initial
        mapping = {"output": fields.get("output", "")}
        if fields.get("match") in ("key", "position"):
            mapping[fields["match"]] = fields.get("column", "")
        return check_outputs(list(self.columns), mapping)
