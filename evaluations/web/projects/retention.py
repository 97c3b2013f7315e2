"""The page on which administrators preview and set retention."""

from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.db.models import Count, Min
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_http_methods

from evaluations.models import Dataset, Project, Run
from evaluations.upkeep import retention

from ..forms.retention import RetentionForm
from ..page_tools.calls import curl
from ..page_tools.frame import Context, frame, project_or_404
from ..page_tools.request import HttpRequest


@dataclass(frozen=True)
class Section:
    """The runs or the datasets in the preview, by `noun` and address; `preview` is None if their rule is off."""

    noun: str
    route: str
    preview: retention.Preview | None


@dataclass(frozen=True)
class Deleted:
    """A deleted run or dataset that can be restored."""

    noun: str
    target: Run | Dataset
    address: str


@require_http_methods(["GET", "HEAD", "POST"])
def project_retention(request: HttpRequest, slug: str) -> HttpResponse:
    """Preview the days in the address; only previewed days can be saved."""
    project = project_or_404(request, slug, "admin")
    sent = request.POST if request.method == "POST" else request.GET
    form = RetentionForm(sent, initial=_settings(project))
    if request.method == "POST" and form.do(lambda: form.save(project)) is not None:
        messages.success(request, "Retention saved.")
        return redirect("project-retention", slug)
    if not form.is_used:
        form = RetentionForm(initial=_settings(project))
    return render(
        request, "projects/project_retention.html", _page(request, project, form), status=form.status
    )


def _settings(project: Project) -> dict[str, int | None]:
    return {rule.setting: getattr(project, rule.setting) for rule in retention.RULES}


def _page(request: HttpRequest, project: Project, form: RetentionForm) -> Context:
    current = _settings(project)
    tried: dict[str, Any] = form.cleaned_data if form.is_bound and form.is_valid() else current
    plan = retention.plan(project, tried)
    query = urlencode({name: days for name, days in tried.items() if days is not None})
    return {
        **frame(request, project, "settings"),
        "form": form,
        "sections": [
            Section("run", "run-detail", plan.runs),
            Section("dataset", "dataset-detail", plan.datasets),
        ],
        "runs": Run.objects.live()
        .filter(project=project)
        .aggregate(count=Count("pk"), oldest=Min("created_at")),
        "is_on": any(days is not None for days in current.values()),
        # previewed days that differ from the stored ones
        "tried": {name: days or "" for name, days in tried.items()} if tried != current else {},
        "deleted": [_deleted(row) for row in retention.restorable(project)],
        "api_call": curl(request, f"{reverse('api-project-retention')}?{query}".rstrip("?")),
    }


def _deleted(row: Run | Dataset) -> Deleted:
    noun = "run" if isinstance(row, Run) else "dataset"
    return Deleted(noun, row, reverse(f"{noun}-restore", args=[row.pk]))


urlpatterns = [path("p/<slug:slug>/retention/", project_retention, name="project-retention")]
