"""Datasets: the list, the page that browses one, its rows one by one, its name and its end."""

from datetime import timedelta
from typing import Any

import orjson
from django.contrib import messages
from django.db.models import Count, Q
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django.views.decorators.vary import vary_on_headers
from django_htmx.http import HttpResponseClientRedirect

from evaluations import owned
from evaluations.datasets import datasets
from evaluations.datasets.datasets import PARTS, by_column
from evaluations.imports import refused_rows
from evaluations.imports.problems import grouped
from evaluations.models import Dataset, Example, Experiment, FailedImport, Import
from evaluations.models.dataset import ExampleQuerySet
from evaluations.results import exports
from evaluations.results.filenames import attachment

from . import downloads
from .forms.dataset import ExampleForm, NameForm
from .frame import frame, object_or_404, project_or_404
from .paging import address, number, paged

ROWS = 50
ABOVE_THE_OPEN = 5  # rows shown above the open one
COLUMNS_SHOWN = 6
ETA_AFTER = timedelta(seconds=3)
forms = require_http_methods(["GET", "HEAD", "POST"])


@require_safe
def dataset_list(request: HttpRequest, slug: str) -> HttpResponse:
    project = project_or_404(request, slug)
    search = request.GET.get("q", "").strip()
    uses = Count("experiments", Q(experiments__deleted_at=None))
    things = Dataset.objects.live().filter(project=project).annotate(experiment_count=uses)
    if search:
        things = things.filter(name__icontains=search)
    context = frame(request, project, "datasets") | {
        "page": paged(request, things, "pk", newest_first=True),
        "search": search,
    }
    return render(request, "evaluations/dataset_list.html", context)


# ---- one dataset -------------------------------------------------------------------------------------------


@require_safe
@vary_on_headers("HX-Request")
def dataset_detail(request: HttpRequest, pk: int) -> HttpResponse:
    """Its rows; while it is imported, how far that is: htmx asks the same address until it has ended."""
    dataset = object_or_404(request, Dataset.objects.live(), pk)
    context = frame(request, dataset.project, "datasets", dataset) | {"dataset": dataset}
    if dataset.status == Dataset.Status.IMPORTING or dataset.imports.exists():
        context["progress"] = progress(dataset.imports.first())
    elif dataset.status == Dataset.Status.READY:
        if request.GET.get("then") == "experiment" and (there := experiment_address(dataset)):
            return HttpResponseClientRedirect(there) if request.htmx else redirect(there)
        context |= browsing(request, dataset) | about(dataset)
    context["problems"] = grouped(dataset.errors, dataset.error_counts)
    context["failed_import"] = FailedImport.objects.filter(dataset=dataset).first()
    template = "evaluations/dataset_detail.html#body" if request.htmx else "evaluations/dataset_detail.html"
    return render(request, template, context)


def progress(job: Import | None) -> dict[str, Any]:
    """Rows read, their rate and the time left; nothing of that before three seconds and 2 % of the file."""
    if job is None or job.started_at is None:
        return {"rows": 0, "done": 0, "size": 0}
    told = {"rows": job.rows_done, "done": job.bytes_done, "size": job.size}
    elapsed = timezone.now() - job.started_at
    if elapsed < ETA_AFTER or job.bytes_done * 50 < job.size or not job.bytes_done:
        return told
    seconds = elapsed.total_seconds()
    left = seconds * max(0, job.size - job.bytes_done) / job.bytes_done
    return told | {"rate": round(job.rows_done / seconds), "left": timedelta(seconds=left)}


def browsing(request: HttpRequest, dataset: Dataset) -> dict[str, Any]:
    """One page of a version's rows, those that are searched for, and the row that is open."""
    version = number(request, "version") or dataset.version
    if version > dataset.version:
        raise Http404
    search = request.GET.get("q", "").strip()
    everything = datasets.examples(dataset, version)
    rows = datasets.search(everything, search) if search else everything
    page = paged(request, rows.order_by(), "position", ROWS, start_after=_before_the_open(request, rows))
    columns = [(part, name) for part in PARTS for name in dataset.columns.get(part, ())]
    shown = columns[: 2 if "row" in request.GET else COLUMNS_SHOWN]
    known = {known.number: known for known in dataset.versions.all()}
    total = known[version].example_count if version in known else dataset.example_count
    return {
        "version": version,
        "versions": known.values(),
        "is_newest": version == dataset.version,
        "search": search,
        "columns": shown,
        "more_columns": len(columns) - len(shown),
        "page": page,
        "rows": [row_of(request, example, shown) for example in page.rows],
        "matches": rows.count() if search else total,
        "opened": opened(request, rows, everything),
    }


def _before_the_open(request: HttpRequest, rows: ExampleQuerySet) -> int | None:
    """Where the page of the open row starts, a few rows above it; None if the first page has it."""
    position = number(request, "row")
    if position is None:
        return None
    earlier = rows.order_by("-position").filter(position__lt=position).values_list("position", flat=True)
    nearest = list(earlier[:ROWS])
    return nearest[ABOVE_THE_OPEN] if len(nearest) == ROWS else None


def row_of(request: HttpRequest, example: Example, columns: list[tuple[str, str]]) -> dict[str, Any]:
    parts = parts_of(example)
    return {
        "position": example.position,
        "key": example.key,
        "address": address(request, row=example.position),
        "cells": [(part, parts[part].get(name)) for part, name in columns],
    }


def parts_of(example: Example) -> dict[str, dict[str, Any]]:
    return {part: by_column(part, orjson.loads(getattr(example, part))) for part in PARTS}


def opened(request: HttpRequest, rows: ExampleQuerySet, everything: ExampleQuerySet) -> dict[str, Any] | None:
    """The row of `?row=`, with the ways to its neighbours among the rows that were searched for."""
    position = number(request, "row")
    if position is None:
        return None
    told = {"position": position, "close": address(request)}
    example = everything.filter(position=position).first()
    if example is None:
        return told
    places = rows.order_by("position").values_list("position", flat=True)
    before = places.filter(position__lt=position).reverse().first()
    after = places.filter(position__gt=position).first()
    return told | {
        "example": example,
        "parts": [(part, values) for part, values in parts_of(example).items() if values],
        "before": before and address(request, row=before),
        "after": after and address(request, row=after),
    }


def about(dataset: Dataset) -> dict[str, Any]:
    """What else the page says of a dataset: who asks questions of it, and its name to change."""
    used = Experiment.objects.live().filter(dataset=dataset).annotate(run_count=Count("runs"))
    return {"experiments": used, "name_form": NameForm(initial={"name": dataset.name})}


def experiment_address(dataset: Dataset) -> str | None:
    """The page of the experiment that came with the dataset's file."""
    experiment = dataset.experiments.filter(deleted_at=None).first()
    if experiment is None:
        return None
    address = reverse("experiment-detail", args=[experiment.pk])
    return f"{address}?imported=1" if dataset.error_count else address


@require_safe
def dataset_download(request: HttpRequest, pk: int) -> StreamingHttpResponse:
    """A version as a file."""
    dataset = object_or_404(request, Dataset.objects.live().filter(status=Dataset.Status.READY), pk)
    version = number(request, "version") or dataset.version
    kind, options = downloads.asked(request)
    body = exports.of_dataset(dataset, kind, version=version, **options)
    return downloads.answer(f"{dataset.name} v{version}", kind, body, dataset.last_position)


@require_safe
def dataset_refused(request: HttpRequest, pk: int) -> StreamingHttpResponse:
    """The rows that the last import left out, to be mended and added."""
    dataset = object_or_404(request, Dataset.objects.live(), pk)
    kind = "jsonl" if request.GET.get("format") == "jsonl" else "csv"
    named = attachment(f"{dataset.name} refused", kind)
    return StreamingHttpResponse(
        refused_rows.as_file(dataset, kind, safe=request.GET.get("safe") != "no"),
        content_type=exports.check(kind),
        headers={"Content-Disposition": named, "X-Accel-Buffering": "no"},
    )


# ---- name, deleting ----------------------------------------------------------------------------------------


@require_POST
def dataset_rename(request: HttpRequest, pk: int) -> HttpResponse:
    dataset = object_or_404(request, Dataset.objects.live(), pk, "write")
    form = NameForm(request.POST)
    if form.do(lambda: owned.rename(dataset, form.cleaned_data["name"])):
        messages.success(request, f"Renamed to {dataset.name}.")
        return redirect("dataset-detail", pk)
    context = frame(request, dataset.project, "datasets") | {"dataset": dataset, "form": form}
    return render(request, "evaluations/dataset_rename.html", context, status=form.status)


@require_POST
def dataset_delete(request: HttpRequest, pk: int) -> HttpResponse:
    dataset = object_or_404(request, Dataset.objects.live(), pk, "remove")
    datasets.delete(dataset)
    undo = reverse("dataset-restore", args=[pk])
    messages.success(request, f"{dataset.name} deleted; can be restored for 7 days.", extra_tags=undo)
    return redirect("dataset-list", dataset.project.slug)


@require_POST
def dataset_restore(request: HttpRequest, pk: int) -> HttpResponse:
    dataset = object_or_404(request, Dataset.objects.all(), pk, "remove")
    owned.restore(dataset)
    messages.success(request, f"{dataset.name} restored.")
    return redirect("dataset-detail", pk)


# ---- rows --------------------------------------------------------------------------------------------------


@forms
def example_create(request: HttpRequest, pk: int) -> HttpResponse:
    """One more example; several come as a file or a pasted text."""
    dataset = object_or_404(request, Dataset.objects.live(), pk, "write")
    form = ExampleForm(request.POST if request.method == "POST" else None, columns=dataset.columns)
    if form.do(lambda: datasets.append(dataset, request.user, [form.changes])):
        messages.success(request, f"Added as example {dataset.last_position}, in version {dataset.version}.")
        return redirect(f"{reverse('dataset-detail', args=[pk])}?row={dataset.last_position}")
    return example_page(request, dataset, form)


@forms
def example_edit(request: HttpRequest, pk: int, position: int) -> HttpResponse:
    """A changed example makes a new version; what somebody else has changed meanwhile is not overwritten."""
    dataset = object_or_404(request, Dataset.objects.live(), pk, "write")
    example = Example.objects.filter(dataset=dataset, position=position).first()
    if example is None:
        raise Http404
    form = ExampleForm(
        request.POST if request.method == "POST" else None, columns=dataset.columns, example=example
    )
    if edited := form.do(lambda: save(request, dataset, example, form)):
        return redirect(f"{reverse('dataset-detail', args=[pk])}?row={edited.position}")
    return example_page(request, dataset, form, example)


def save(request: HttpRequest, dataset: Dataset, example: Example, form: ExampleForm) -> Example:
    datasets.current(dataset, example.position)
    if not form.changes:
        messages.info(request, "No changes.")
        return example
    edited = datasets.edit(dataset, request.user, example.position, form.changes)
    messages.success(request, f"Saved as example {edited.position}, in version {dataset.version}.")
    return edited


def example_page(
    request: HttpRequest, dataset: Dataset, form: ExampleForm, example: Example | None = None
) -> HttpResponse:
    now = form.refused.where.get("now") if form.refused else None
    context = frame(request, dataset.project, "datasets") | {
        "dataset": dataset,
        "form": form,
        "example": example,
        "now": Example.objects.filter(dataset=dataset, position=now).first() if now else None,
    }
    if context["now"]:
        context["now_parts"] = parts_of(context["now"]).items()
    return render(request, "evaluations/example_form.html", context, status=form.status)


@require_POST
def example_delete(request: HttpRequest, pk: int, position: int) -> HttpResponse:
    dataset = object_or_404(request, Dataset.objects.live(), pk, "write")
    if not Example.objects.filter(dataset=dataset, position=position).exists():
        raise Http404
    datasets.remove(dataset, request.user, position)
    undo = reverse("example-restore", args=[pk, position])
    messages.success(request, f"Example {position} removed from version {dataset.version}.", extra_tags=undo)
    return redirect("dataset-detail", pk)


@require_POST
def example_restore(request: HttpRequest, pk: int, position: int) -> HttpResponse:
    dataset = object_or_404(request, Dataset.objects.live(), pk, "write")
    if not Example.objects.filter(dataset=dataset, position=position).exists():
        raise Http404
    example = datasets.put_back(dataset, request.user, position)
    messages.success(request, f"Example {position} is back, as example {example.position}.")
    return redirect(f"{reverse('dataset-detail', args=[pk])}?row={example.position}")


urlpatterns = [
    path("p/<slug:slug>/datasets/", dataset_list, name="dataset-list"),
    path("datasets/<int:pk>/", dataset_detail, name="dataset-detail"),
    path("datasets/<int:pk>/download/", dataset_download, name="dataset-download"),
    path("datasets/<int:pk>/refused/", dataset_refused, name="dataset-refused"),
    path("datasets/<int:pk>/rename/", dataset_rename, name="dataset-rename"),
    path("datasets/<int:pk>/delete/", dataset_delete, name="dataset-delete"),
    path("datasets/<int:pk>/restore/", dataset_restore, name="dataset-restore"),
    path("datasets/<int:pk>/examples/new/", example_create, name="example-create"),
    path("datasets/<int:pk>/examples/<int:position>/edit/", example_edit, name="example-edit"),
    path("datasets/<int:pk>/examples/<int:position>/delete/", example_delete, name="example-delete"),
    path("datasets/<int:pk>/examples/<int:position>/restore/", example_restore, name="example-restore"),
]
