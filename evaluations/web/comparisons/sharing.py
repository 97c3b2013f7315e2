"""Links by which people without an account read a comparison: making, listing and ending them, and what readers see."""

import json

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from evaluations import owned
from evaluations.access import permissions
from evaluations.access.addresses import client_network, public_address
from evaluations.comparisons.alignment.sides import check_comparable
from evaluations.errors import Gone
from evaluations.models import ShareLink
from evaluations.models.owned import OwnedQuerySet
from evaluations.reports import page, sharing

from ..forms.share import ShareForm
from ..page_tools import notices, shown_once
from ..page_tools.calls import sending
from ..page_tools.frame import frame, object_or_404, project_or_404
from ..page_tools.paging import paged
from ..page_tools.request import AnyRequest, HttpRequest, posted
from ..page_tools.shown_once import ShownOnce
from . import experiment_page
from .comparisons import chosen_runs

MOST_ENDED = 50  # of the links that are listed as over
HEADERS = {
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Robots-Tag": "noindex, nofollow",
}


@require_http_methods(["GET", "HEAD", "POST"])
def share_create(request: HttpRequest) -> HttpResponse:
    """Make a link to the comparison in the address, which is that of its page, and show it once."""
    chosen = chosen_runs(request)
    check_comparable(chosen)
    experiment = chosen[0].experiment
    permissions.require(request.user, experiment.project, "write")
    is_one = len({run.experiment_id for run in chosen}) == 1
    form = ShareForm(posted(request), of_one_experiment=is_one)
    comparison = experiment_page.compare(request, chosen)
    if made := form.do(lambda: sharing.create(experiment, comparison, request.user, form.plan)):
        return shown_once.lead_to(request, request.get_full_path(), _shown(request, *made))
    context = {
        **frame(request, experiment.project, "experiments"),
        "experiment": experiment,
        "form": form,
        "links": list(sharing.links_of(experiment.project).filter(experiment=experiment)),
        "api_post": sending(request, "/api/v1/share-links/", json.dumps(_as_sent(request))),
    }
    return shown_once.page(request, "shares/share_form.html", context, form.status)


def _as_sent(request: HttpRequest) -> dict[str, str]:
    """The body by which the API makes a link to the comparison of this address."""
    return {"object": "comparison", "query": request.GET.urlencode(safe=",")}


def _shown(request: HttpRequest, link: ShareLink, token: str) -> ShownOnce:
    last_day = f"{link.expires_at:%-d %b %Y}"
    return ShownOnce(
        "The new link",
        f"Anyone who has it can read it until {last_day}. It is shown only now; the site keeps no copy.",
        public_address(request, reverse("share-read", args=[token])),
    )


@require_safe
def share_list(request: HttpRequest, slug: str) -> HttpResponse:
    """All links of a project, with who made them and when they were last opened."""
    project = project_or_404(request, slug, "write")
    listed = paged(request, sharing.links_of(project), "pk", 50, newest_first=True)
    context = {**frame(request, project, "settings"), "page": listed, "links": list(listed.rows)}
    context["ended"] = list(sharing.ended_links_of(project)[:MOST_ENDED])
    is_admin = "admin" in context["may"]
    own = [link for link in context["ended"] if is_admin or link.created_by == request.user]
    context["returning"] = {link.pk for link in own if sharing.may_return(link)}
    return render(request, "shares/share_list.html", context)


@require_POST
def share_delete(request: HttpRequest, pk: int) -> HttpResponse:
    links: OwnedQuerySet[ShareLink] = ShareLink.objects.live()
    link = object_or_404(request, links, pk, "write")
    sharing.end(link)
    notices.done(request, "The link has ended.", reverse("share-restore", args=[pk]))
    return redirect("share-list", link.project.slug)


@require_POST
def share_restore(request: HttpRequest, pk: int) -> HttpResponse:
    link = owned.restore(object_or_404(request, ShareLink.objects.all(), pk, "remove"))
    messages.success(request, "The link works again.")
    return redirect("share-list", link.project.slug)


@login_not_required
@never_cache
@require_safe
def share_read(request: AnyRequest, token: str) -> HttpResponse:
    """What a reader of a link sees: the figures, and nothing that leads into the project."""
    try:
        link = sharing.find(token, client_network(request))
        content = sharing.html(link)
    except Gone as gone:
        content, status = page.ended(gone), 410
    else:
        sharing.opened(link)
        status = 200
    headers = HEADERS | page.policies(content)
    return HttpResponse(content, content_type=page.TYPE, status=status, headers=headers)


urlpatterns = [
    path("compare/share/", share_create, name="share-create"),
    path("p/<slug:slug>/shares/", share_list, name="share-list"),
    path("shares/<int:pk>/delete/", share_delete, name="share-delete"),
    path("shares/<int:pk>/restore/", share_restore, name="share-restore"),
    path("s/<str:token>/", share_read, name="share-read"),
]
