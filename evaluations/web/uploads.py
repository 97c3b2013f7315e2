"""The upload wizard: a file, its columns, then a dataset. Nothing lasts longer than an hour before that."""

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.views.decorators.http import require_http_methods, require_POST
from django_htmx.http import HttpResponseClientRedirect

from evaluations import ingest
from evaluations.errors import NotFound, Refusal
from evaluations.imports import columnmap, forecasts, imports, retries, saved_mappings, uploads
from evaluations.imports.problems import grouped
from evaluations.models import Dataset, Project, Upload

from .forms import evaluators
from .forms.upload import ENCODINGS, ROLES, ColumnChoices, ConfirmForm, FileForm
from .frame import frame, object_or_404, project_or_404

STEPS = ("File", "Columns", "Confirm")
forms = require_http_methods(["GET", "HEAD", "POST"])


# ---- file --------------------------------------------------------------------------------------------------


@forms
def dataset_upload(request: HttpRequest, slug: str) -> HttpResponse:
    return file_step(request, project_or_404(request, slug, "write"))


@forms
def dataset_append(request: HttpRequest, pk: int) -> HttpResponse:
    """The same steps for a file whose rows go to the end of a dataset."""
    dataset = object_or_404(request, Dataset.objects.live(), pk, "write")
    return file_step(request, dataset.project, dataset)


def file_step(request: HttpRequest, project: Project, dataset: Dataset | None = None) -> HttpResponse:
    form = FileForm(request.POST, request.FILES) if request.method == "POST" else FileForm()
    if upload := form.do(lambda: uploads.park(project, request.user, form.sent)):
        uploads.touch(upload, {"dataset": dataset.pk} if dataset else recognised(upload))
        address = reverse("upload-columns", args=[upload.pk])
        return HttpResponseClientRedirect(address) if request.htmx else redirect(address)
    context = frame(request, project, "datasets") | {
        "form": form,
        "dataset": dataset,
        "steps": STEPS,
        "most": uploads.LIMITS,
    }
    # htmx shows the answer to a form that was wrong when it comes with 422.
    status = 422 if request.htmx and form.status != 200 else form.status
    return render(request, "evaluations/upload.html", context, status=status)


def recognised(upload: Upload) -> dict[str, Any]:
    """What is known of the file's shape before anybody says something of its columns."""
    long = uploads.long_format(upload)
    return {"long": long.as_dict()} if long else {}


# ---- columns -----------------------------------------------------------------------------------------------


@forms
def upload_columns(request: HttpRequest, pk: int) -> HttpResponse:
    """How the file is read and what its columns are; every change of the reading shows the file again."""
    upload, dataset = parked(request, pk)
    if request.method != "POST":
        return columns_page(request, upload, dataset)
    try:
        choices = sent_choices(request, upload)
        uploads.choose(upload, reading(request))
        if "continue" not in request.POST:
            return columns_page(request, upload, dataset)
        columnmap.ColumnMap.check(uploads.preview(upload).columns, choices.mapping())
    except Refusal as refusal:
        return columns_page(request, upload, dataset, refusal)
    return redirect("upload-confirm", upload.pk)


def sent_choices(request: HttpRequest, upload: Upload) -> ColumnChoices:
    """The roles as they were sent, after the button that sets several of them; kept with the upload."""
    choices, sent = ColumnChoices.sent(request.POST), request.POST
    if "likely" in sent:
        choices = choices.with_role(uploads.preview(upload).likely_outputs, "output")
    elif "long" in sent and "long" in upload.mapping:
        choices = choices.as_long(upload.mapping["long"])
    elif "several" in sent:
        ticked = [choice.source for choice in choices.columns if str(choice.number) in sent.getlist("pick")]
        choices = choices.with_role(ticked, sent["several-role"])
    known = choices.added_to(upload.mapping)
    if "suggestions" in sent:
        known = {name: said for name, said in known.items() if name not in ("columns", "paths", "failed")}
        known["fresh"] = True
    uploads.touch(upload, known)
    return choices


def columns_page(
    request: HttpRequest, upload: Upload, dataset: Dataset | None, error: Refusal | None = None
) -> HttpResponse:
    """The first rows under the bar that says how they are read; where that fails, why, under the same bar."""
    try:
        shown = preview_context(uploads.preview(upload), upload, dataset)
    except Refusal as unreadable:
        shown, error = {}, error or unreadable
    context = frame(request, upload.project, "datasets") | shown
    context |= {
        "upload": upload,
        "dataset": dataset,
        "error": error,
        "delimiters": ingest.DELIMITERS,
        "encodings": dict.fromkeys((upload.format["encoding"], *ENCODINGS)),
        "steps": STEPS,
    }
    status = 200 if error is None else 422 if request.htmx else error.status
    return render(request, "evaluations/upload_columns.html", context, status=status)


def preview_context(preview: ingest.Preview, upload: Upload, dataset: Dataset | None) -> dict[str, Any]:
    known = known_roles(upload, preview)
    choices = ColumnChoices.suggested(preview, known, dataset)
    roles = {role: said for role, said in ROLES.items() if not (dataset and role in ("output", "variant"))}
    is_long = any(choice.role == "variant" for choice in choices.columns)
    outputs = {choice.source for choice in choices.columns if choice.role == "output"}
    return {
        "preview": preview,
        "choices": choices,
        "is_remembered": known is not upload.mapping
        and "columns" in known
        and "failed" not in upload.mapping,
        "long": None if is_long else upload.mapping.get("long"),
        "likely": []
        if is_long or "long" in upload.mapping
        else [name for name in preview.likely_outputs if name not in outputs and "output" in roles],
        "rows": shown_rows(preview, choices),
        "roles": roles,
        "problems": grouped([error.as_dict() for error in preview.errors], preview.error_counts),
    }


def known_roles(upload: Upload, preview: ingest.Preview) -> Mapping[str, Any]:
    """What was said of the columns: here, when the import failed, or of the last file with the same header."""
    if "columns" in upload.mapping or "fresh" in upload.mapping:
        return upload.mapping
    if failed := upload.mapping.get("failed"):
        rest = "metadata" if failed["rest"] else "leave out"
        known = ColumnChoices.of_mapping(failed).added_to({})
        return known | {"columns": dict.fromkeys(preview.columns, (rest, "")) | known["columns"]}
    return saved_mappings.recall(upload.project, preview.columns)


def shown_rows(preview: ingest.Preview, choices: ColumnChoices) -> list[dict[str, Any]]:
    """The first rows, a cell for each column; one that an evaluator will miss asks for care."""
    return [
        {
            "line": line,
            "cells": [
                {
                    "value": row.get(choice.source),
                    "role": choice.role,
                    "care": choice.role in ("reference", "output") and row.get(choice.source) is None,
                }
                for choice in choices.columns
            ],
        }
        for line, row in zip(preview.lines, preview.rows, strict=True)
    ]


def reading(request: HttpRequest) -> dict[str, Any]:
    """How the file is to be read, from the bar over the preview; what is not asked is left to the file."""
    sent = request.POST
    choices: dict[str, Any] = {name: sent[name] for name in ("delimiter", "encoding") if sent.get(name)}
    switches = {"header": "yes", "empty_as_text": "text"}
    return choices | {name: sent[name] == on for name, on in switches.items() if name in sent}


# ---- confirm -----------------------------------------------------------------------------------------------


@forms
def upload_confirm(request: HttpRequest, pk: int) -> HttpResponse:
    """Summary, and the button that makes it."""
    upload, dataset = parked(request, pk)
    preview = uploads.preview(upload)
    known = known_roles(upload, preview)
    mapping = ColumnChoices.suggested(preview, known, dataset).mapping()
    columns = columnmap.ColumnMap.check(preview.columns, mapping)
    forecast = forecasts.forecast(upload, columns, dataset)
    form = confirm_form(request, upload, dataset, mapping, forecast)
    if request.method == "POST" and (made := form.do(lambda: begin(request, upload, dataset, mapping, form))):
        saved_mappings.remember(upload.project, preview.columns, dict(known))
        address = reverse("dataset-detail", args=[made.pk])
        return redirect(f"{address}?then=experiment" if brings_outputs(mapping) else address)
    context = frame(request, upload.project, "datasets") | {
        "upload": upload,
        "dataset": dataset,
        "form": form,
        "mapping": mapping,
        "left_out": columns.left_out(preview.columns),
        "forecast": forecast,
        "same": same_content(request, upload),
        "steps": STEPS,
    }
    return render(request, "evaluations/upload_confirm.html", context, status=form.status)


def brings_outputs(mapping: dict[str, Any]) -> bool:
    return bool(mapping["outputs"] or mapping.get("variant"))


def confirm_form(
    request: HttpRequest,
    upload: Upload,
    dataset: Dataset | None,
    mapping: dict[str, Any],
    forecast: forecasts.Forecast,
) -> ConfirmForm:
    offered = evaluators.groups(upload.project) if brings_outputs(mapping) else []
    sent = request.POST if request.method == "POST" else None
    form = ConfirmForm(sent, upload=upload, forecast=forecast, evaluators=offered)
    if dataset:
        del form.fields["name"]
    if not offered:
        del form.fields["evaluators"]
    return form


def begin(
    request: HttpRequest, upload: Upload, dataset: Dataset | None, mapping: dict[str, Any], form: ConfirmForm
) -> Dataset:
    chosen = form.cleaned_data
    how = {"on_error": chosen["on_error"], "user": request.user}
    how["evaluators"] = evaluators.chosen(upload.project, request.user, chosen.get("evaluators", ()))
    if failed := upload.mapping.get("retry"):
        again = object_or_404(request, Dataset.objects.live(), failed, "write")
        return retries.begin_again(upload, again, chosen.get("name", again.name), mapping, **how)
    if dataset:
        return imports.begin_append(upload, dataset, mapping, on_error=chosen["on_error"])
    return imports.begin(upload, chosen["name"], mapping, **how)


# ---- after a failed import ---------------------------------------------------------------------------------


@require_POST
def dataset_retry(request: HttpRequest, pk: int) -> HttpResponse:
    """Import the good rows of the file that failed."""
    dataset = object_or_404(request, Dataset.objects.live(), pk, "write")
    try:
        retries.retry(dataset, request.user)
    except Refusal as refusal:
        messages.error(request, f"{refusal.message} {refusal.hint}".strip())
    return redirect(f"{reverse('dataset-detail', args=[pk])}?then=experiment")


@require_POST
def dataset_reopen(request: HttpRequest, pk: int) -> HttpResponse:
    """Back to the columns of the file that failed."""
    dataset = object_or_404(request, Dataset.objects.live(), pk, "write")
    try:
        return redirect("upload-columns", retries.reopen(dataset, request.user).pk)
    except Refusal as refusal:
        messages.error(request, f"{refusal.message} {refusal.hint}".strip())
    return redirect("dataset-detail", pk)


def same_content(request: HttpRequest, upload: Upload) -> Dataset | None:
    """A dataset that was made of the very same bytes."""
    ready = Dataset.objects.visible_to(request.user).live().filter(status=Dataset.Status.READY)
    return ready.filter(project=upload.project, sha256=upload.sha256).first()


def parked(request: HttpRequest, pk: int) -> tuple[Upload, Dataset | None]:
    """The person's own upload, and the dataset whose rows it brings, if it is for one."""
    own = Upload.objects.filter(user=request.user)
    if not own.visible_to(request.user).filter(pk=pk).exists():
        raise NotFound(
            "upload_gone",
            "This upload has expired.",
            hint="Uploaded files are kept for one hour until you confirm. Upload the file again.",
        )
    upload = object_or_404(request, own, pk, "write")
    target = upload.mapping.get("dataset")
    return upload, object_or_404(request, Dataset.objects.live(), target, "write") if target else None


urlpatterns = [
    path("p/<slug:slug>/datasets/upload/", dataset_upload, name="dataset-upload"),
    path("datasets/<int:pk>/append/", dataset_append, name="dataset-append"),
    path("datasets/<int:pk>/retry/", dataset_retry, name="dataset-retry"),
    path("datasets/<int:pk>/reopen/", dataset_reopen, name="dataset-reopen"),
    path("uploads/<int:pk>/columns/", upload_columns, name="upload-columns"),
    path("uploads/<int:pk>/confirm/", upload_confirm, name="upload-confirm"),
]
