"""The page of a dataset's schema."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import path
from django.views.decorators.http import require_http_methods

from evaluations.datasets import schema_of
from evaluations.datasets.schemas import WHOLE, Schemas
from evaluations.models import Dataset
from evaluations.values import stored_json

from ..forms.form import Form
from ..forms.json_field import JSONField
from ..page_tools.calls import curl
from ..page_tools.frame import frame, object_or_404
from ..page_tools.request import HttpRequest, posted
from ..page_tools.texts import pretty

PART_WORDS = {"inputs": "input", "reference": "reference", "metadata": "metadata"}
TYPES = {
    "string": "text",
    "number": "number",
    "integer": "whole number",
    "boolean": "yes or no",
    "array": "list",
    "object": "object",
}
LONGEST_RULE = 200  # characters of one that are shown; the JSON has all of it


class SchemaForm(Form):
    guards = True
    schema = JSONField(
        dict,
        label="JSON Schema by part and column",
        help_text='{"reference": {"answer": {"type": "string", "minLength": 1}}}. Empty for none.',
        widget=forms.Textarea(attrs={"rows": 16, "spellcheck": "false", "class": "input code"}),
    )


@dataclass(frozen=True)
class Field:
    """What the schema allows in a column, in words; `rules` are its keywords but the type.

    `name` is that of its fields in the form, `types` are the words of JSON Schema for its type.
    """

    name: str
    column: str
    part: str
    types: list[str]
    rules: str

    @property
    def kind(self) -> str:
        """The one type beside null; "" for several, or for any."""
        kinds = [word for word in self.types if word != "null"]
        return kinds[0] if len(kinds) == 1 and kinds[0] in TYPES else ""

    @property
    def may_be_empty(self) -> bool:
        return not self.types or "null" in self.types

    @property
    def words(self) -> str:
        """The type, without whether the column may be empty."""
        return " or ".join(TYPES.get(word, word) for word in self.types if word != "null") or "anything"

    @property
    def choices(self) -> list[tuple[str, str]]:
        return [*([] if self.kind else [("", self.words)]), *TYPES.items()]


@require_http_methods(["GET", "HEAD", "POST"])
def dataset_schema(request: HttpRequest, pk: int) -> HttpResponse:
    """Show or save the schema; without one, or by `?suggested=1`, one is suggested from the examples."""
    right = "write" if request.method == "POST" else "read"
    dataset = object_or_404(request, Dataset.objects.live(), pk, right)
    is_suggested = bool(request.GET.get("suggested")) or not dataset.schema
    schema = schema_of.suggest(dataset) if is_suggested else dataset.schema
    form = SchemaForm(posted(request), initial={"schema": pretty(schema) if schema else ""})
    form.guards = not is_suggested  # what is suggested is not stored
    if form.do(lambda: schema_of.store(dataset, _chosen(form.cleaned_data["schema"] or {}, request.POST))):
        messages.success(request, "Schema saved.")
        return redirect("dataset-schema", pk)
    fields = [*_fields(schema)]
    page = {
        **frame(request, dataset.project, "datasets", dataset),
        "dataset": dataset,
        "fields": fields,
        "titles": f"Column, Part, Type, May be empty{', Rules' if any(field.rules for field in fields) else ''}",
        "form": form,
        "fit": schema_of.fit(dataset),
        "is_suggested": is_suggested,
        "api_call": curl(request, f"/api/v1/datasets/{pk}/schema/"),
    }
    return render(request, "datasets/dataset_schema.html", page, status=form.status)


def _fields(schema: Schemas) -> Iterator[Field]:
    for part, columns in schema.items():
        for column, allowed in columns.items():
            types = allowed.get("type", [])
            yield Field(
                f"{part}.{column}",
                "all columns" if column == WHOLE else column,
                PART_WORDS.get(part, part),
                [types] if isinstance(types, str) else list(types),
                _rules(allowed),
            )


def _chosen(schema: Schemas, posted: QueryDict) -> Schemas:
    """The schema with the types that were chosen in the table, where they are others than it showed."""
    return {
        part: {column: _retyped(allowed, f"{part}.{column}", posted) for column, allowed in columns.items()}
        if isinstance(columns, dict)
        else columns
        for part, columns in schema.items()
    }


def _retyped(allowed: dict[str, Any], name: str, posted: QueryDict) -> dict[str, Any]:
    kind, may_be_empty = posted.get(f"type.{name}", ""), f"empty.{name}" in posted
    was_empty = posted.get(f"was-empty.{name}") == "1"
    if kind == posted.get(f"was-type.{name}", "") and may_be_empty == was_empty:
        return allowed
    if not isinstance(allowed, dict) or kind not in ("", *TYPES):
        return allowed
    stored = allowed.get("type", [])
    kinds = (
        [kind]
        if kind
        else [word for word in ([stored] if isinstance(stored, str) else stored) if word != "null"]
    )
    types = [*kinds, *(["null"] if may_be_empty else [])]
    return allowed | {"type": types[0] if len(types) == 1 else types} if kinds else allowed


def _rules(allowed: dict[str, Any]) -> str:
    rules = (f"{word} {stored_json(value)}" for word, value in allowed.items() if word != "type")
    return ", ".join(rule if len(rule) <= LONGEST_RULE else f"{rule[:LONGEST_RULE]}…" for rule in rules)


urlpatterns = [path("datasets/<int:pk>/schema/", dataset_schema, name="dataset-schema")]
