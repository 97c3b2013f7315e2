"""How a page finds its project and objects: through what the person may see, then what they may do."""

from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.utils.functional import SimpleLazyObject
from django.utils.http import url_has_allowed_host_and_scheme

from evaluations.access import permissions, projects
from evaluations.models import Project
from evaluations.models.owned import Owned


def project_at(request: HttpRequest, slug: str, to: str = "read") -> Project:
    """The project of an address; 404 for who may not see it, `Forbidden` for who may not do this."""
    project = get_object_or_404(Project.objects.visible_to(request.user), slug=slug)
    if to != "read":
        permissions.require(request.user, project, to)
    return project


def found(request: HttpRequest, things: QuerySet, pk: int, to: str = "read") -> Any:
    """The object with this id among `things`; 404 and `Forbidden` as above. To "remove" it is another right."""
    thing: Any = get_object_or_404(things.visible_to(request.user).select_related("project"), pk=pk)
    if to == "remove":
        permissions.require_removal(request.user, thing)
    elif to != "read":
        permissions.require(request.user, thing.project, to)
    return thing


def frame(
    request: HttpRequest, project: Project, nav: str = "", thing: Owned | None = None
) -> dict[str, Any]:
    """What `base.html` needs on a page of a project; `may` are the actions that its buttons ask for.

    On the page of a `thing`, "remove" is among them.
    """
    if request.session.get("project") != project.slug:
        request.session["project"] = project.slug
    return {"project": project, "nav": nav, "may": SimpleLazyObject(lambda: _may(request, project, thing))}


def _may(request: HttpRequest, project: Project, thing: Owned | None) -> set[str]:
    return (
        permissions.allowed_with(request.user, thing) if thing else permissions.allowed(request.user, project)
    )


def switcher(request: HttpRequest) -> dict[str, Any]:
    """Context processor: the projects a person can go to, fetched only where they are listed; may they make more."""
    user = getattr(request, "user", None)
    if user is None:
        return {"projects": ()}
    return {
        "projects": Project.objects.visible_to(user).order_by("name"),
        "may_create_projects": projects.may_create(user),
    }


def way_back(request: HttpRequest, otherwise: str = "/") -> str:
    """The local address that a form was sent from (`next`), if it is one of ours."""
    address = request.POST.get("next", "")
    is_ours = url_has_allowed_host_and_scheme(address, {request.get_host()}, request.is_secure())
    return address if is_ours else otherwise
