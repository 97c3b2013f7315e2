"""Datasets: the list, the page of one, downloads; renaming and deleting."""

from functools import partial
from urllib.parse import urlencode

from django.db.models import Count, F, Q
from django.http import HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.views.decorators.http import require_POST, require_safe
from django.views.decorators.vary import vary_on_headers

from evaluations import owned
from evaluations.access import permissions
from evaluations.datasets import datasets, live_positions, splits
from evaluations.imports import refused_rows
from evaluations.imports.columns import saved_mappings
from evaluations.imports.uploads import uploads
from evaluations.models import Dataset
from evaluations.results import exports
from evaluations.results.filenames import attachment

from .. import named
from ..page_tools import api_names, downloads, sorting
from ..page_tools.calls import curl
from ..page_tools.frame import Context, frame, object_or_404, project_or_404
from ..page_tools.paging import number
from ..page_tools.request import HttpRequest
from ..page_tools.sample_note import offers_removal
from ..page_tools.sent_forms import go_to
from .listed import in_lines
from .page import dataset_page

COLUMNS = {
    "name": sorting.NAME,
    "experiments": sorting.Column(F("experiment_count")),
    "examples": sorting.Column(F("example_count")),
    "created": sorting.Column(F("created_at")),
}
# in the session: datasets whose import led on to the experiment, so that Back shows the dataset
WENT_ON = "went_on"
REMEMBERED = 20


@require_safe
def dataset_list(request: HttpRequest, slug: str) -> HttpResponse:
    project = project_or_404(request, slug)
    uses = Count("experiments", Q(experiments__deleted_at=None))
    datasets_here = Dataset.objects.live().filter(project=project).annotate(experiment_count=uses)
    found = named.page_of(request, datasets_here, COLUMNS, in_series=True)
    context = {
        **frame(request, project, "datasets"),
        **found,
        "lines": in_lines(request, found["page"].rows),
        "removable": [one for one in found["page"].rows if _is_failed_and_removable(request, one)],
        "unfinished": uploads.unfinished(project, request.user),
        "removes_sample": offers_removal(request, found["page"].rows),
        "has_mappings": saved_mappings.live(project).exists(),
        "api_call": curl(request, "/api/v1/datasets/"),
    }
    return render(request, "datasets/dataset_list.html", context)


def _is_failed_and_removable(request: HttpRequest, dataset: Dataset) -> bool:
    """Whether nothing of a file was imported, and the user may delete what is left of it."""
    is_failed = dataset.status == Dataset.Status.FAILED and not dataset.version
    return is_failed and "remove" in permissions.allowed_with(request.user, dataset)


# ---- one dataset -------------------------------------------------------------------------------------------


@require_safe
@vary_on_headers("HX-Request")
def dataset_detail(request: HttpRequest, pk: int) -> HttpResponse:
    """The rows of a dataset; during its import the progress, for which htmx polls the same address."""
    dataset = object_or_404(request, Dataset.objects.live(), pk)
    is_onward = request.GET.get("then") == "experiment" and pk not in request.session.get(WENT_ON, [])
    if is_onward and (target := _experiment_address(dataset)):
        request.session[WENT_ON] = [*request.session.get(WENT_ON, []), pk][-REMEMBERED:]
        return go_to(request, target)
    if page_address := api_names.of_dataset(request):
        return redirect(page_address)
    context = dataset_page(request, dataset)
    context["api_call"] = curl(request, f"/api/v1/datasets/{pk}/{_examples(context)}")
    part = "#body" if request.htmx else ""
    return render(request, f"datasets/dataset_detail.html{part}", context)


def _examples(page: Context) -> str:
    """What reads the examples that the page shows, behind the dataset's address; nothing without any."""
    if "version" not in page:
        return ""
    asked = [("version", page["version"])] if not page["is_newest"] else []
    asked += [("search", page["search"])] if page["search"] else []
    asked += [("split", page["split"].pk)] if page["split"] else []
    query = urlencode([*asked, *((f"metadata[{column}]", value) for column, value in page["filtered_by"])])
    return f"examples/?{query}".rstrip("?")


def _experiment_address(dataset: Dataset) -> str | None:
    """The page of the experiment created with the dataset, once the file is imported."""
    experiment = dataset.experiments.filter(deleted_at=None).first()
    if experiment is None or dataset.status != Dataset.Status.READY or dataset.imports.exists():
        return None
    address = reverse("experiment-detail", args=[experiment.pk])
    return f"{address}?imported=1" if dataset.error_count else address


@require_safe
def dataset_download(request: HttpRequest, pk: int) -> StreamingHttpResponse:
    """A version as a file."""
    dataset = object_or_404(request, Dataset.objects.live().filter(status=Dataset.Status.READY), pk)
    version = number(request, "version") or dataset.version
    split = splits.chosen(dataset, request.GET.get("split", ""))
    kind, options = downloads.options(request)
    options["parts"] = request.GET.get("parts") == "yes"
    body = exports.of_dataset(dataset, kind, version=version, split=split, **options)
    name = f"{dataset.name} v{version} {split or ''}".strip()
    positions = splits.positions(split, version) if split else live_positions.of_version(dataset, version)
    return downloads.answer(request, name, kind, body, len(positions))


@require_safe
def dataset_refused(request: HttpRequest, pk: int) -> StreamingHttpResponse:
    """The rows that the last import left out, as a file to correct and add."""
    dataset = object_or_404(request, Dataset.objects.live(), pk)
    kind = "jsonl" if request.GET.get("format") == "jsonl" else "csv"
    named = attachment(f"{dataset.name} refused", kind)
    return StreamingHttpResponse(
        refused_rows.as_file(refused_rows.of_last_import(dataset), kind, safe=downloads.is_safe(request)),
        content_type=exports.check(kind),
        headers={"Content-Disposition": named, "X-Accel-Buffering": "no"},
    )


# ---- renaming, deleting ------------------------------------------------------------------------------------


@require_POST
def dataset_rename(request: HttpRequest, pk: int) -> HttpResponse:
    dataset = object_or_404(request, Dataset.objects.live(), pk, "write")
    return named.rename(request, dataset, "datasets", partial(owned.rename, dataset))


urlpatterns = [
    path("p/<slug:slug>/datasets/", dataset_list, name="dataset-list"),
    path("datasets/<int:pk>/", dataset_detail, name="dataset-detail"),
    path("datasets/<int:pk>/download/", dataset_download, name="dataset-download"),
    path("datasets/<int:pk>/refused/", dataset_refused, name="dataset-refused"),
    path("datasets/<int:pk>/rename/", dataset_rename, name="dataset-rename"),
    *named.deletion(Dataset.objects.all(), datasets.delete),
]
