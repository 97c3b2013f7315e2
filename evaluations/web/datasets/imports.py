"""The page of an import into a dataset, or of an edit of many examples: progress, changes, apply and undo."""

from django.contrib import messages
from django.http import HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path, reverse
from django.utils.text import capfirst
from django.views.decorators.http import require_POST, require_safe
from django.views.decorators.vary import vary_on_headers

from evaluations import numerals
from evaluations.errors import Refusal
from evaluations.imports import changes, refused_rows
from evaluations.imports.problem_groups import grouped
from evaluations.imports.progress import progress
from evaluations.imports.rows.sorting import KNOWN_KEY_REMEDY
from evaluations.models import Dataset, DatasetImport
from evaluations.numerals import plural
from evaluations.results import exports
from evaluations.results.filenames import attachment

from ..forms.confirm import FILE_IS
from ..page_tools import downloads
from ..page_tools.frame import frame, object_or_404
from ..page_tools.paging import number
from ..page_tools.request import HttpRequest
from ..page_tools.sent_forms import go_to
from .example_changes import changed

KINDS = ("added", "changed", "removed", "duplicates")


@require_safe
@vary_on_headers("HX-Request")
def dataset_import(request: HttpRequest, pk: int, change: int) -> HttpResponse:
    """The page of an import; htmx polls the same address until it has ended."""
    dataset = object_or_404(request, Dataset.objects.live(), pk)
    imported = get_object_or_404(DatasetImport, pk=change, dataset=dataset)
    is_open = imported.status == DatasetImport.Status.IMPORTING
    onward = dataset.experiments.filter(pk=number(request, "then") or 0, deleted_at=None).first()
    if onward and imported.status == DatasetImport.Status.READY:
        return go_to(request, reverse("experiment-detail", args=[onward.pk]))
    page = {
        **frame(request, dataset.project, "datasets", dataset),
        "dataset": dataset,
        "change": imported,
        "heading": _heading(imported),
        "outcome": _outcome(imported),
        "progress": progress(imported.imports.first()) if is_open else None,
        "file_is": FILE_IS.get(imported.mode, ""),
        "keys_exist": any(error["hint"] == KNOWN_KEY_REMEDY for error in imported.errors),
        "counts": [(kind, getattr(imported, kind)) for kind in _counted(imported)],
        "taken": imported.added + imported.changed + imported.removed,
        "first": [
            (kind, _first(imported, kind), changed(kind, imported.first[kind], dataset.columns))
            for kind in KINDS
            if imported.first.get(kind)
        ],
        "problems": grouped(imported.errors, imported.error_counts),
        "refused": imported.refused_rows.count(),
        "can_undo": _can_undo(imported),
    }
    part = "#body" if request.htmx else ""
    return render(request, f"datasets/dataset_import.html{part}", page)


def _heading(change: DatasetImport) -> str:
    if change.is_edit:
        return f"Preview: {change.filename}" if change.is_dry_run else capfirst(change.filename)
    if change.mode == DatasetImport.Mode.RESTORE:
        return f"Restored {change.filename}"
    return f"Preview of {change.filename}" if change.is_dry_run else change.filename


def _outcome(change: DatasetImport) -> tuple[str, str]:
    """What has happened: a title, and a text that may be empty."""
    dataset, source = change.dataset.name, "edit" if change.is_edit else "file"
    if change.status == DatasetImport.Status.FAILED:
        return _failure(change)
    if change.is_dry_run:
        text = f"This is what the {source} would change; that would be version {change.base + 1}."
        return "Nothing has changed yet.", text
    if change.version == change.base:
        text = f"{dataset} already contains all of these rows, so it stays at version {change.version}."
        return "Nothing changed.", text
    return f"{dataset} is now at version {change.version}.", ""


def _failure(change: DatasetImport) -> tuple[str, str]:
    unchanged = f"{change.dataset.name} is unchanged."
    if change.is_edit:
        invalid = f"This edit is not valid for {plural(change.error_count, 'example')}."
        return "Nothing was changed.", f"{unchanged} {invalid}"
    if change.is_dry_run and change.error_count == change.refused_rows.count():
        rows = change.error_count + sum(
            getattr(change, kind) for kind in ("added", "changed", "same", "duplicates")
        )
        refused = f"{change.error_count} of {plural(rows, 'row')} would be refused."
        return (
            refused,
            "So the import would stop, unless its settings skip such rows. Nothing has changed yet.",
        )
    problems = f"{plural(change.error_count, 'problem')} in {change.filename}."
    return "Nothing was imported.", f"{unchanged} {problems}"


def _first(change: DatasetImport, kind: str) -> str:
    """The heading of the examples that are shown of a kind: all of them, or the first."""
    shown, count = len(change.first[kind]), getattr(change, kind)
    return capfirst(kind) if shown >= count else f"First {shown} of {numerals.grouped(count)} {kind}"


def _counted(change: DatasetImport) -> tuple[str, ...]:
    if not change.is_edit:
        return ("added", "changed", "removed", "same", "duplicates")
    return ("removed",) if change.mode == DatasetImport.Mode.DELETE else ("changed", "same")


def _can_undo(change: DatasetImport) -> bool:
    """Whether the version before an edit can be restored without losing later changes."""
    is_newest = change.version == change.dataset.version and change.version != change.base
    return change.is_edit and not change.is_dry_run and is_newest


@require_POST
def dataset_import_apply(request: HttpRequest, pk: int, change: int) -> HttpResponse:
    dataset = object_or_404(request, Dataset.objects.live(), pk, "write")
    tried = get_object_or_404(DatasetImport, pk=change, dataset=dataset)
    try:
        return redirect("dataset-import", pk, changes.apply(tried, request.user).pk)
    except Refusal as refusal:
        messages.error(request, f"{refusal.message} {refusal.hint}".strip())
    return redirect("dataset-import", pk, change)


@require_safe
def dataset_import_refused(request: HttpRequest, pk: int, change: int) -> StreamingHttpResponse:
    """The rows that an import left out, as a file to correct and upload again."""
    dataset = object_or_404(request, Dataset.objects.live(), pk)
    imported = get_object_or_404(DatasetImport, pk=change, dataset=dataset)
    kind = "jsonl" if request.GET.get("format") == "jsonl" else "csv"
    rows = refused_rows.as_file(imported.refused_rows.all(), kind, safe=downloads.is_safe(request))
    headers = {"Content-Disposition": attachment(f"{dataset.name} refused", kind), "X-Accel-Buffering": "no"}
    return StreamingHttpResponse(rows, content_type=exports.check(kind), headers=headers)


urlpatterns = [
    path("datasets/<int:pk>/imports/<int:change>/", dataset_import, name="dataset-import"),
    path("datasets/<int:pk>/imports/<int:change>/apply/", dataset_import_apply, name="dataset-import-apply"),
    path(
        "datasets/<int:pk>/imports/<int:change>/refused/",
        dataset_import_refused,
        name="dataset-import-refused",
    ),
]
