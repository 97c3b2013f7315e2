"""A variant from a file: first its name, then the roles of the columns."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from django import forms

from evaluations.errors import Invalid
from evaluations.imports import outputs, second_files
from evaluations.imports.columns.columnmap import FIRST, LAST
from evaluations.imports.second_files import Suggestion
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
    "inputs": "by equal inputs",
    "order": "by order: first row, first example",
}


class VariantForm(AboutForm, FileForm):
    """The name of a variant and its outputs, as a file or as text."""

    guards = False
    variant = forms.CharField(
        max_length=LONGEST_NAME,
        required=False,
        help_text="A prompt, model or setting. Empty: the model that the file names, or what is new in its name.",
    )
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

    name = forms.CharField(
        label="Name of the variant",
        max_length=LONGEST_NAME,
        required=False,
        help_text="A prompt, model or setting.",
    )
    output = forms.ChoiceField(label="Output column")
    match = forms.ChoiceField(label="Match rows", choices=list(MATCH.items()), widget=forms.RadioSelect)
    column = forms.ChoiceField(label="Key or position column", required=False)
    rows = forms.ChoiceField(label="Rows of one example", choices=list(ROWS.items()), required=False)
    apart = forms.ChoiceField(
        label="Column that tells them apart", required=False, help_text="Of variants or repetitions."
    )

    # of rows that give an example a second output; drawn beside their lines
    keep = forms.ChoiceField(required=False, choices=[(FIRST, "the first"), (LAST, "the last")])
    scores = forms.MultipleChoiceField(
        label="Scores in the file", required=False, widget=forms.CheckboxSelectMultiple
    )

    def __init__(
        self,
        form_data: Any,
        columns: Sequence[str],
        initial: Mapping[str, Any],
        variant: str,
        suggestion: Suggestion,
    ) -> None:
        super().__init__(form_data, initial={"name": variant, **initial})
        self.variant, self.suggestion = self._chosen("name").strip()[:LONGEST_NAME] or variant, suggestion
        named = [(name, name) for name in columns]
        self.choice_field("output").choices = with_path(named, suggestion.mapping.get("output", ""))
        self.choice_field("column").choices = [
            ("", "no column"),
            *with_path(named, suggestion.mapping.get("key", "")),
        ]
        if self._chosen("match") in ("key", "position") and self._chosen("column"):  # it is not optional
            self.choice_field("column").choices = with_path(named, suggestion.mapping.get("key", ""))
        self.choice_field("apart").choices = [("", "no column"), *named]
        if suggestion.inputs:
            names = ", ".join(suggestion.inputs)
            ways = MATCH | {"inputs": f"by equal inputs: {names}"}
            self.choice_field("match").choices = [*ways.items()]
        else:
            self.choice_field("match").choices = [item for item in MATCH.items() if item[0] != "inputs"]
        self.file_scores: dict[str, str] = suggestion.mapping.get("scores", {})
        self.choice_field("scores").choices = [(name, name) for name in self.file_scores]
        if not self.file_scores:
            del self.fields["scores"]

    @classmethod
    def from_request(cls, request: HttpRequest, upload: Upload, experiment: Experiment) -> "MatchForm":
        return cls.of(posted(request), upload, experiment)

    @classmethod
    def of(cls, form_data: Any, upload: Upload, experiment: Experiment) -> "MatchForm":
        """The form with these fields, or as it is suggested."""
        columns = uploads.preview(upload).columns
        suggestion = second_files.suggest(upload, experiment)
        initial = _initial(suggestion)
        return cls(form_data, columns, initial, upload.mapping["variant"], suggestion)

    @property
    def sent(self) -> str:
        """What was sent, as the query of an address."""
        kept = {name: value for name, value in self.data.items() if name in self.fields}
        return urlencode(kept) if self.is_bound else ""

    @property
    def has_long_table(self) -> bool:
        return bool(self._chosen("rows"))

    def names_variants(self) -> bool:
        """Whether the rows name their variants, so that the name of the first step is not used."""
        return self._chosen("rows") == "variant"

    def _chosen(self, name: str) -> str:
        return str((self.data if self.is_bound else self.initial).get(name, ""))

    def _ticked(self) -> list[str]:
        if not self.is_bound:
            return [*self.file_scores]
        ticked = self.data.getlist("scores") if hasattr(self.data, "getlist") else self.data.get("scores", ())
        return [*ticked]

    def read(self, upload: Upload) -> dict[str, Any]:
        """How the chosen or suggested columns are read; raises `Invalid` if they cannot be used."""
        matched_by, column = self._chosen("match"), self._chosen("column")
        mapping: dict[str, Any] = {"output": self._chosen("output")}
        if not matched_by:
            raise Invalid(
                "invalid_mapping",
                "Nothing in the file names the examples of its rows. Choose the column of their keys, or match by "
                "order if the rows are in the order of the dataset.",
            )
        if matched_by in ("key", "position"):
            mapping[matched_by] = column
        if matched_by == "inputs":
            mapping["inputs"] = self.suggestion.inputs
        if scores := {name: self.file_scores[name] for name in self._ticked() if name in self.file_scores}:
            mapping["scores"] = scores
        if measures := self.suggestion.mapping.get("measures"):
            mapping["measures"] = measures
        if (keep := self._chosen("keep")) in (FIRST, LAST):
            mapping["keep"] = keep
        read = outputs.checked(upload, mapping)
        if not self.has_long_table:
            return read
        role = self._chosen("rows")
        return outputs.with_rows(upload, read, role, "" if role == IN_ORDER else self._chosen("apart"))


def with_path(named: Sequence[tuple[str, str]], source: str) -> list[tuple[str, str]]:
    """The columns to choose from, and the path that is suggested, if it is none of them."""
    return [*([] if not source or (source, source) in named else [(source, source)]), *named]


def _initial(suggestion: Suggestion) -> dict[str, Any]:
    mapping = suggestion.mapping
    matched_by = next((part for part in ("key", "position", "inputs") if part in mapping), "")
    column = mapping.get("key") or mapping.get("position") or ""
    chosen = {"output": mapping.get("output", ""), "match": matched_by, "column": column} | suggestion.rows
    return chosen | ({"scores": [*mapping["scores"]]} if "scores" in mapping else {})
