"""A variant from a file: first its name, then the roles of the columns."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms

from evaluations.errors import Invalid
from evaluations.imports import choices, outputs
from evaluations.imports.choices import How
from evaluations.imports.uploads import uploads
from evaluations.models import Experiment, Project, Upload
from evaluations.values import LONGEST_NAME

from ..page_tools.request import HttpRequest, posted
from .about import AboutForm
from .file import FileForm
from .spending import SpendingForm

IN_ORDER = "order"
ROWS = {
    "": "one row for each example",
    "variant": "a row for each variant",
    "repetition": "a row for each repetition",
    IN_ORDER: "repetitions, in the order of the rows",
}
MATCH = {
    "key": "by key, in a column",
    "position": "by position (1, 2, 3 …), in a column",
    "order": "by order: first row, first example",
}


class VariantForm(AboutForm, FileForm):
    """The name of a variant and its outputs, as a file or as text."""

    guards = False
    variant = forms.CharField(max_length=LONGEST_NAME, help_text="A prompt, model or setting.")
    field_order = ["variant", "file", "text"]

    @classmethod
    def from_request(cls, request: HttpRequest, project: Project) -> "VariantForm":
        if request.method == "POST":
            return cls(request.POST, request.FILES, project=project)
        return cls(initial={"variant": request.GET.get("variant", "")}, project=project)


class MatchForm(SpendingForm):
    """The column of the outputs, how rows are matched with examples, what tells the rows of an example apart, and what
    evaluators that call a server may spend, if there are any.
    """

    output = forms.ChoiceField(label="Output column")
    match = forms.ChoiceField(label="Match rows", choices=list(MATCH.items()), widget=forms.RadioSelect)
    column = forms.ChoiceField(label="Key or position column", required=False)
    rows = forms.ChoiceField(label="Rows of one example", choices=list(ROWS.items()), required=False)
    apart = forms.ChoiceField(
        label="Column that tells them apart", required=False, help_text="Of variants or repetitions."
    )

    def __init__(
        self, form_data: Any, columns: Sequence[str], initial: Mapping[str, str], variant: str
    ) -> None:
        super().__init__(form_data, initial=dict(initial))
        self.variant = variant
        named = [(name, name) for name in columns]
        self.choice_field("output").choices = named
        for name in ("column", "apart"):
            self.choice_field(name).choices = [("", "no column"), *named]

    @classmethod
    def from_request(cls, request: HttpRequest, upload: Upload, experiment: Experiment) -> "MatchForm":
        columns = uploads.preview(upload).columns
        return cls(posted(request), columns, _suggested(upload, experiment), upload.mapping["variant"])

    @property
    def has_long_table(self) -> bool:
        return bool(self._chosen("rows"))

    def names_variants(self) -> bool:
        """Whether the rows name their variants, so that the name of the first step is not used."""
        return self._chosen("rows") == "variant"

    def _chosen(self, name: str) -> str:
        return str((self.data if self.is_bound else self.initial).get(name, ""))

    def read(self, upload: Upload) -> dict[str, Any]:
        """How the chosen or suggested columns are read; raises `Invalid` if they cannot be used."""
        matched_by, column = self._chosen("match"), self._chosen("column")
        mapping = {"output": self._chosen("output")}
        if matched_by in ("key", "position"):
            mapping[matched_by] = column
        if not self.has_long_table:
            return outputs.checked(upload, mapping)
        if matched_by not in mapping:
            raise Invalid(
                "invalid_mapping", "Rows that belong to one example are matched by key or position."
            )
        role, apart = self._chosen("rows"), self._chosen("apart")
        told_apart = {} if role == IN_ORDER else {role: apart}
        read = outputs.checked(upload, None, How({"id": column, "output": mapping["output"]} | told_apart))
        return {part: value for part, value in read.items() if part not in ("key", "position")} | {
            matched_by: column
        }


def _suggested(upload: Upload, experiment: Experiment) -> dict[str, str]:
    suggested = outputs.suggest(upload, experiment)
    matched_by = "key" if "key" in suggested else "position" if "position" in suggested else "order"
    output, column = suggested.get("output", ""), suggested.get(matched_by, "")
    longs = choices.longs_of_outputs(upload, column or None, output)
    apart = {"rows": longs[0].role or IN_ORDER, "apart": longs[0].column} if longs else {}
    return {"output": output, "match": matched_by, "column": column} | apart
