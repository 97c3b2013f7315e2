"""The page of a dataset's schema."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpResponse
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
    """What the schema allows in a column, in words; `rules` are its keywords but the type."""

    column: str
    part: str
    type: str
    rules: str


@require_http_methods(["GET", "HEAD", "POST"])
def dataset_schema(request: HttpRequest, pk: int) -> HttpResponse:
    """Show or save the schema; without one, or by `?suggested=1`, one is suggested from the examples."""
    right = "write" if request.method == "POST" else "read"
    dataset = object_or_404(request, Dataset.objects.live(), pk, right)
    is_suggested = bool(request.GET.get("suggested")) or not dataset.schema
    schema = schema_of.suggest(dataset) if is_suggested else dataset.schema
    form = SchemaForm(posted(request), initial={"schema": pretty(schema) if schema else ""})
    form.guards = not is_suggested  # what is suggested is not stored
    if form.do(lambda: schema_of.store(dataset, form.cleaned_data["schema"] or {})):
        messages.success(request, "Schema saved.")
        return redirect("dataset-schema", pk)
    fields = [*_fields(schema)]
    page = {
        **frame(request, dataset.project, "datasets", dataset),
        "dataset": dataset,
        "fields": fields,
        "titles": f"Column, Part, Type{', Rules' if any(field.rules for field in fields) else ''}",
        "form": form,
        "fit": schema_of.fit(dataset),
        "is_suggested": is_suggested,
        "api_call": curl(request, f"/api/v1/datasets/{pk}/schema/"),
    }
    return render(request, "datasets/dataset_schema.html", page, status=form.status)


def _fields(schema: Schemas) -> Iterator[Field]:
    for part, columns in schema.items():
        for column, allowed in columns.items():
            yield Field("all columns" if column == WHOLE else column, part, _type(allowed), _rules(allowed))


def _type(allowed: dict[str, Any]) -> str:
    types = allowed.get("type", "any")
    return " or ".join([types] if isinstance(types, str) else types)


def _rules(allowed: dict[str, Any]) -> str:
    rules = (f"{word} {stored_json(value)}" for word, value in allowed.items() if word != "type")
    return ", ".join(rule if len(rule) <= LONGEST_RULE else f"{rule[:LONGEST_RULE]}…" for rule in rules)


urlpatterns = [path("datasets/<int:pk>/schema/", dataset_schema, name="dataset-schema")]
