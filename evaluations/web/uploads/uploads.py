"""The first step of an upload: a file, kept for an hour unless it is confirmed; and repeating a failed import."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.views.decorators.http import require_http_methods, require_POST

from evaluations import ingest
from evaluations.datasets import datasets
from evaluations.errors import Refusal, TooManyRequests
from evaluations.imports import choices, retries, tools
from evaluations.imports.uploads import uploads
from evaluations.ingest.suggest import is_called_variant
from evaluations.models import Dataset, Project, Upload
from evaluations.values import PARTS

from ..forms.file import FileForm
from ..page_tools.frame import Context, frame, object_or_404, project_or_404, way_back
from ..page_tools.request import HttpRequest
from ..page_tools.sent_forms import go_to, shown_status
from .parked import STEPS, leads_on, parked

forms = require_http_methods(["GET", "HEAD", "POST"])
EXAMPLE = """question,reference,output_terse,output_polite
How long may I return it?,30 days,30 days,"You have 30 days, of course."
Do you ship to Norway?,yes,yes,"Yes, gladly."
"""


# ---- file --------------------------------------------------------------------------------------------------


@forms
def dataset_upload(request: HttpRequest, slug: str) -> HttpResponse:
    return file_step(request, project_or_404(request, slug, "write"))


@forms
def dataset_append(request: HttpRequest, pk: int) -> HttpResponse:
    """The upload page for a file that is added to a dataset."""
    dataset = object_or_404(request, Dataset.objects.live(), pk, "write")
    return file_step(request, dataset.project, dataset)


def file_step(request: HttpRequest, project: Project, dataset: Dataset | None = None) -> HttpResponse:
    form = FileForm(request.POST, request.FILES) if request.method == "POST" else FileForm()
    if upload := form.do(
        lambda: uploads.park(
            project, request.user, form.chosen_file, tools=dataset is None, undecided=True, unread=True
        )
    ):
        uploads.touch(upload, {"dataset": dataset.pk} if dataset else {})
        return go_to(request, _address_after(upload))
    context = {
        **frame(request, project, "datasets"),
        "form": form,
        "dataset": dataset,
        "steps": STEPS,
        "limits": uploads.LIMITS,
        "unfinished": [] if dataset or form.is_bound else uploads.unfinished(project, request.user),
        **(_needed(dataset) if dataset else {"header": EXAMPLE.split("\n")[0], "example": EXAMPLE}),
    }
    return render(request, "uploads/upload.html", context, status=shown_status(request, form.status))


def _needed(dataset: Dataset) -> Context:
    """What a file for a dataset needs: its columns by part, and keys if its examples have some."""
    titles = {"inputs": "Input", "reference": "Reference", "metadata": "Metadata"}
    has_keys = datasets.examples(dataset).exclude(key=None).exists()
    columns = [name for part in PARTS for name in dataset.columns.get(part, ())]
    return {
        "parts": [(titles[part], dataset.columns[part]) for part in PARTS if dataset.columns.get(part)],
        "has_keys": has_keys,
        "header": ",".join([*(["key"] if has_keys else []), *columns]),
    }


def _address_after(upload: Upload) -> str:
    """The next page; that of a file that waits if its turn does not come."""
    try:
        return reverse("upload-waiting", args=[upload.pk]) if uploads.is_unread(upload) else begin(upload)
    except TooManyRequests:
        return reverse("upload-waiting", args=[upload.pk])


def begin(upload: Upload) -> str:
    """Recognise what is in a stored file; returns the address of the page for it."""
    into_dataset = "dataset" in upload.mapping
    if uploads.is_unread(upload):
        uploads.read_format(upload, tools=not into_dataset)
    if tools.tool_of(upload):
        return reverse("upload-tool", args=[upload.pk])
    if not into_dataset:
        uploads.touch(upload, recognised(upload))
    return reverse("upload-columns", args=[upload.pk])


@forms
@leads_on
def upload_waiting(request: HttpRequest, pk: int) -> HttpResponse:
    """The page of a stored file that waits until other large files have been read; its button tries again."""
    upload, dataset = parked(request, pk)
    busy = None
    if request.method == "POST":
        try:
            return redirect(begin(upload))
        except TooManyRequests as refusal:
            busy = refusal
    context = frame(request, upload.project, "datasets") | {
        "upload": upload,
        "dataset": dataset,
        "steps": STEPS,
    }
    return render(request, "uploads/upload_waiting.html", context, status=busy.status if busy else 200)


@require_POST
def upload_discard(request: HttpRequest, pk: int) -> HttpResponse:
    """Give up a file that was not confirmed."""
    upload, _ = parked(request, pk)
    uploads.withdraw(upload)
    messages.success(request, f"{upload.filename} was discarded.")
    return redirect(way_back(request, reverse("dataset-upload", args=[upload.project.slug])))


def recognised(upload: Upload) -> dict[str, Any]:
    """Suggest roles from the shape of the file, before the user has chosen any."""
    try:
        raters = choices.raters(upload)
    except Refusal:
        return {}  # the next page says why the file cannot be read
    if raters:
        varying = ingest.varying(uploads.first_columns(upload), raters.id)
        return {"raters": raters.as_dict() | {"varying": varying}}
    long = uploads.long_format(upload)
    return {"long": long.as_dict()} if long and not _has_columns_of_outputs(upload, long) else {}


def _has_columns_of_outputs(upload: Upload, long: ingest.LongFormat) -> bool:
    """Whether two columns have outputs, and what might be a column of variants is not called so, as a number."""
    if long.is_sure or is_called_variant(long.variant):
        return False
    preview = uploads.preview(upload)
    roles = preview.roles | {name: guess.role for name, guess in preview.guesses.items()}
    return [*roles.values()].count("output") > 1


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
    """Open again the columns of the file that failed."""
    dataset = object_or_404(request, Dataset.objects.live(), pk, "write")
    try:
        return redirect("upload-columns", retries.reopen(dataset, request.user).pk)
    except Refusal as refusal:
        messages.error(request, f"{refusal.message} {refusal.hint}".strip())
    return redirect("dataset-detail", pk)


urlpatterns = [
    path("p/<slug:slug>/datasets/upload/", dataset_upload, name="dataset-upload"),
    path("datasets/<int:pk>/append/", dataset_append, name="dataset-append"),
    path("uploads/<int:pk>/waiting/", upload_waiting, name="upload-waiting"),
    path("uploads/<int:pk>/discard/", upload_discard, name="upload-discard"),
    path("datasets/<int:pk>/retry/", dataset_retry, name="dataset-retry"),
    path("datasets/<int:pk>/reopen/", dataset_reopen, name="dataset-reopen"),
]
