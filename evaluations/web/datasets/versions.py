"""The versions of a dataset: tags and comments, how two of them differ, and restoring one."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.views.decorators.http import require_POST, require_safe

from evaluations.datasets import differences, versions
from evaluations.errors import Refusal
from evaluations.imports import changes
from evaluations.models import Dataset

from ..forms.dataset import VersionForm
from ..named import shown_again
from ..page_tools.frame import frame, object_or_404
from ..page_tools.paging import address, number
from ..page_tools.request import HttpRequest
from .example_changes import changed

SHOWN = 20  # examples on a page


@require_safe
def dataset_versions(request: HttpRequest, pk: int) -> HttpResponse:
    return _versions_page(request, object_or_404(request, Dataset.objects.live(), pk))


def _versions_page(request: HttpRequest, dataset: Dataset, form: VersionForm | None = None) -> HttpResponse:
    versions_here = list(dataset.versions.select_related("created_by"))
    is_signed = any(version.created_by for version in versions_here)
    page = {
        **frame(request, dataset.project, "datasets", dataset),
        "dataset": dataset,
        "versions": versions_here,
        "is_signed": is_signed,
        "heads": f"Version, Change, Examples:number, {'By, ' if is_signed else ''}When:number, Actions:unseen",
        "form": form,
    }
    return render(request, "datasets/dataset_versions.html", page, status=form.status if form else 200)


@require_POST
def dataset_version_describe(request: HttpRequest, pk: int, version: int) -> HttpResponse:
    dataset = object_or_404(request, Dataset.objects.live(), pk, "write")
    described = versions.version_of(dataset, version)
    form = VersionForm(request.POST, initial={"tag": described.tag, "comment": described.comment})
    if form.do(lambda: versions.describe(described, **form.cleaned_data)):
        return redirect("dataset-versions", pk)
    if form.refused and form.refused.code == "changed_meanwhile":
        in_frame, back = frame(request, dataset.project, "datasets"), reverse("dataset-versions", args=[pk])
        title = f"Version {version} of {dataset.name}"
        return shown_again(request, in_frame, form, title=title, button="Save", back=back)
    return _versions_page(request, dataset, form)


@require_POST
def dataset_version_restore(request: HttpRequest, pk: int, version: int) -> HttpResponse:
    dataset = object_or_404(request, Dataset.objects.live(), pk, "write")
    versions.version_of(dataset, version)
    try:
        return redirect("dataset-import", pk, changes.restore(dataset, version, request.user).pk)
    except Refusal as refusal:
        messages.error(request, f"{refusal.message} {refusal.hint}".strip())
    return redirect("dataset-versions", pk)


@require_safe
def dataset_diff(request: HttpRequest, pk: int) -> HttpResponse:
    """Show how two versions differ, by default the newest and the previous one."""
    dataset = object_or_404(request, Dataset.objects.live(), pk)
    target = versions.version_of(dataset, number(request, "to") or dataset.version).number
    source = versions.version_of(dataset, number(request, "from") or max(1, target - 1)).number
    every, chosen = differences.between(dataset, source, target), request.GET.get("change", "")
    shown = [entry for entry in every if chosen in ("", entry.kind)]
    start = min(number(request, "start") or 0, len(shown))
    described = differences.described(dataset, shown[start : start + SHOWN])
    page = {
        **frame(request, dataset.project, "datasets", dataset),
        "dataset": dataset,
        "versions": list(dataset.versions.all()),
        "source": source,
        "target": target,
        "counts": _counts(request, every),
        "chosen": chosen,
        "examples": [
            example
            for described_row in described
            for example in changed(described_row["change"], [described_row])
        ],
        "first": start + 1 if shown else 0,
        "last": start + len(described),
        "total": len(shown),
        "previous": address(request, start=max(0, start - SHOWN) or None) if start else None,
        "next": address(request, start=start + SHOWN) if start + SHOWN < len(shown) else None,
    }
    return render(request, "datasets/dataset_diff.html", page)


def _counts(request: HttpRequest, every: list[differences.Difference]) -> list[tuple[str, int, str]]:
    counts = differences.counts(every)
    return [(kind, count, address(request, change=kind, start=None)) for kind, count in counts.items()]


urlpatterns = [
    path("datasets/<int:pk>/versions/", dataset_versions, name="dataset-versions"),
    path("datasets/<int:pk>/diff/", dataset_diff, name="dataset-diff"),
    path(
        "datasets/<int:pk>/versions/<int:version>/describe/",
        dataset_version_describe,
        name="dataset-version-describe",
    ),
    path(
        "datasets/<int:pk>/versions/<int:version>/restore/",
        dataset_version_restore,
        name="dataset-version-restore",
    ),
]
