"""The upload wizard: a file, its columns, then a dataset. Unconfirmed uploads are deleted after an hour."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.contrib import messages
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.views.decorators.http import require_http_methods, require_POST
from django_htmx.http import HttpResponseClientRedirect

from evaluations import ingest
from evaluations.errors import Refusal
from evaluations.evaluators import outside, whole_references
from evaluations.imports import (
    changes,
    columnmap,
    file_previews,
    forecasts,
    imports,
    retries,
    saved_mappings,
    score_labels,
    tools,
    uploads,
)
from evaluations.models import Dataset, DatasetImport, Project, Upload

from .forms import evaluators
from .forms.confirm import FILE_IS, ConfirmForm
from .forms.file import FileForm
from .forms.upload import ColumnChoices
from .frame import Frame, frame, object_or_404, project_or_404
from .parked import STEPS, known_roles, parked

forms = require_http_methods(["GET", "HEAD", "POST"])


# ---- file --------------------------------------------------------------------------------------------------


@forms
def dataset_upload(request: HttpRequest, slug: str) -> HttpResponse:
    return file_step(request, project_or_404(request, slug, "write"))


@forms
def dataset_append(request: HttpRequest, pk: int) -> HttpResponse:
    """The upload page for a file that is added to a dataset."""
    dataset = object_or_404(request, Dataset.objects.live(), pk, "write")
    return file_step(request, dataset.project, dataset)


class FilePage(Frame):
    """`dataset` is the one to add rows to; None for a new one."""

    form: FileForm
    dataset: Dataset | None
    steps: tuple[str, ...]
    limits: ingest.Limits


def file_step(request: HttpRequest, project: Project, dataset: Dataset | None = None) -> HttpResponse:
    form = FileForm(request.POST, request.FILES) if request.method == "POST" else FileForm()
    if upload := form.do(
        lambda: uploads.park(
            project, request.user, form.chosen_file, tools=dataset is None, any_encoding=True
        )
    ):
        is_table = not tools.tool_of(upload)
        if is_table:
            uploads.touch(upload, {"dataset": dataset.pk} if dataset else recognised(upload))
        address = reverse("upload-columns" if is_table else "upload-tool", args=[upload.pk])
        return HttpResponseClientRedirect(address) if request.htmx else redirect(address)
    context = FilePage(
        **frame(request, project, "datasets"),
        form=form,
        dataset=dataset,
        steps=STEPS,
        limits=uploads.LIMITS,
    )
    # htmx inserts the response to a refused form if its status is 422
    status = 422 if request.htmx and form.status != 200 else form.status
    return render(request, "evaluations/upload.html", context, status=status)


def recognised(upload: Upload) -> dict[str, Any]:
    """Suggest roles from the shape of the file, before the user has chosen any."""
    long = uploads.long_format(upload)
    return {"long": long.as_dict()} if long else {}


# ---- confirm -----------------------------------------------------------------------------------------------


@forms
def upload_confirm(request: HttpRequest, pk: int) -> HttpResponse:
    """A summary, and the button that starts the import."""
    upload, dataset = parked(request, pk)
    if tools.tool_of(upload):
        return redirect("upload-tool", pk)
    preview = uploads.preview(upload)
    try:
        mapping = ColumnChoices.suggested(preview, known_roles(upload, preview), dataset).mapping()
        columns = columnmap.ColumnMap.check(preview.columns, mapping)
    except Refusal as refusal:  # the address was opened too early: columns come first
        messages.error(request, refusal.message)
        return redirect("upload-columns", pk)
    is_change = bool(dataset and "retry" not in upload.mapping)
    forecast = forecasts.forecast(upload, columns, dataset, changes=is_change)
    several = len(columns.reference) > 1
    words = score_labels.words(preview.rows, columns.scores)
    unknown = {name: word for name, word in words.items() if not outside.by_score(upload.project, name)}
    form = confirm_form(
        request, upload, dataset, mapping, forecast, words=unknown, has_several_references=several
    )
    changed = dataset if is_change else None
    if begun := form.do(lambda: begin(request, upload, changed, preview.columns, mapping, form)):
        return redirect(address_of(begun, mapping))
    context = confirm_page(request, upload, dataset, columns, mapping, forecast, form)
    return render(request, "evaluations/upload_confirm.html", context, status=form.status)


class ConfirmPage(Frame):
    """`same` is a dataset with equal contents, `left_out` are columns without a role.

    `references` are warnings about several reference columns; `large_changes` are warnings, by mode, that the file
    would change most of the dataset.
    """

    upload: Upload
    dataset: Dataset | None
    form: ConfirmForm
    mapping: dict[str, Any]
    left_out: list[str]
    forecast: forecasts.Forecast
    large_changes: list[tuple[str, list[dict[str, Any]]]]
    same: Dataset | None
    references: list[dict[str, Any]]
    steps: tuple[str, ...]


def confirm_page(
    request: HttpRequest,
    upload: Upload,
    dataset: Dataset | None,
    columns: columnmap.ColumnMap,
    mapping: dict[str, Any],
    forecast: forecasts.Forecast,
    form: ConfirmForm,
) -> ConfirmPage:
    return ConfirmPage(
        **frame(request, upload.project, "datasets"),
        upload=upload,
        dataset=dataset,
        form=form,
        mapping=mapping,
        left_out=columns.left_out(uploads.preview(upload).columns),
        forecast=forecast,
        large_changes=[
            (f"{label}:", (forecast.large_changes or {}).get(mode, [])) for mode, label in FILE_IS.items()
        ],
        same=file_previews.same_content(upload),
        references=whole_references.about_columns(columns.reference),
        steps=STEPS,
    )


def brings_outputs(mapping: dict[str, Any]) -> bool:
    return bool(mapping["outputs"] or mapping.get("variant"))


def confirm_form(
    request: HttpRequest,
    upload: Upload,
    dataset: Dataset | None,
    mapping: dict[str, Any],
    forecast: forecasts.Forecast,
    *,
    words: Mapping[str, Sequence[str]],
    has_several_references: bool,
) -> ConfirmForm:
    offered = (
        evaluators.groups(upload.project, has_several_references=has_several_references)
        if brings_outputs(mapping)
        else []
    )
    form_data = request.POST if request.method == "POST" else None
    form = ConfirmForm(form_data, upload=upload, forecast=forecast, evaluators=offered, words=words)
    if dataset:
        del form.fields["name"], form.fields["schema"]
    is_change = bool(dataset and "retry" not in upload.mapping)
    if not is_change:
        del form.fields["mode"]
    if not is_change and (dataset or mapping.get("variant")):  # other imports do not search for duplicates
        del form.fields["duplicates"]
    if not offered:
        del form.fields["evaluators"]
    return form


def begin(
    request: HttpRequest,
    upload: Upload,
    changed: Dataset | None,
    columns: Sequence[str],
    mapping: dict[str, Any],
    form: ConfirmForm,
) -> Dataset | DatasetImport:
    """Begin the import into an existing or a new dataset; its mapping is remembered for later files."""
    mapping = mapping | ({"labels": form.labels} if form.labels else {})
    with transaction.atomic():
        begun = (
            begin_change(request, upload, changed, mapping, form)
            if changed
            else begin_new(request, upload, mapping, form)
        )
        saved_mappings.remember(upload.project, columns, mapping)
        if name := form.cleaned_data["save_as"]:
            save(upload.project, request.user, name, mapping)
    return begun


def save(project: Project, user: User, name: str, mapping: dict[str, Any]) -> None:
    """Save a mapping under a name; a refusal is about this name, not about the dataset's."""
    try:
        saved_mappings.create(project, user, name, mapping)
    except Refusal as refusal:
        refusal.fields = {"save_as": [refusal.message]}
        raise


def address_of(begun: Dataset | DatasetImport, mapping: dict[str, Any]) -> str:
    """The address of the page with the progress of the import."""
    if isinstance(begun, DatasetImport):
        return reverse("dataset-import", args=[begun.dataset_id, begun.pk])
    address = reverse("dataset-detail", args=[begun.pk])
    return f"{address}?then=experiment" if brings_outputs(mapping) else address


def begin_change(
    request: HttpRequest, upload: Upload, dataset: Dataset, mapping: dict[str, Any], form: ConfirmForm
) -> DatasetImport:
    """Begin the import into an existing dataset; with `preview` as a dry run."""
    values = form.cleaned_data
    mode = values["mode"] or "append"
    return changes.begin(
        upload,
        dataset,
        mode,
        mapping,
        dry_run="preview" in request.POST,
        on_error="reject" if mode == "mirror" else values["on_error"],
        duplicates=values["duplicates"] or "keep",
        user=request.user,
    )


def begin_new(request: HttpRequest, upload: Upload, mapping: dict[str, Any], form: ConfirmForm) -> Dataset:
    values = form.cleaned_data
    options = {"on_error": values["on_error"], "user": request.user, "schema": values.get("schema")}
    options["duplicates"] = values.get("duplicates") or "keep"
    options["evaluators"] = evaluators.chosen(upload.project, request.user, values.get("evaluators", ()))
    if failed := upload.mapping.get("retry"):
        again = object_or_404(request, Dataset.objects.live(), failed, "write")
        return retries.begin_again(upload, again, values.get("name", again.name), mapping, **options)
    return imports.begin(upload, values["name"], mapping, **options)


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
    """Open the columns of the file that failed again."""
    dataset = object_or_404(request, Dataset.objects.live(), pk, "write")
    try:
        return redirect("upload-columns", retries.reopen(dataset, request.user).pk)
    except Refusal as refusal:
        messages.error(request, f"{refusal.message} {refusal.hint}".strip())
    return redirect("dataset-detail", pk)


urlpatterns = [
    path("p/<slug:slug>/datasets/upload/", dataset_upload, name="dataset-upload"),
    path("datasets/<int:pk>/append/", dataset_append, name="dataset-append"),
    path("datasets/<int:pk>/retry/", dataset_retry, name="dataset-retry"),
    path("datasets/<int:pk>/reopen/", dataset_reopen, name="dataset-reopen"),
    path("uploads/<int:pk>/confirm/", upload_confirm, name="upload-confirm"),
]
