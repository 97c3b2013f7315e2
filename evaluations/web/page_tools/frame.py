"""Shared parts of pages: objects by permission, the context of the frame, and links back."""

from typing import Any, TypeVar
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.sessions.backends.base import SessionBase
from django.db import OperationalError
from django.db.models import Model
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.utils.functional import SimpleLazyObject
from django.utils.http import url_has_allowed_host_and_scheme

from evaluations import full_disk
from evaluations.access import permissions, projects
from evaluations.models import Project
from evaluations.models.owned import Owned, OwnedQuerySet

from . import page_calls
from .request import AnyRequest, HttpRequest

Thing = TypeVar("Thing", bound=Model)
Context = dict[str, Any]  # of a template
MENU = 30  # projects in the menu of every page


def project_or_404(request: HttpRequest, slug: str, action: str = "read") -> Project:
    """The project of the URL; 404 if the user may not see it, `Forbidden` if they may not do `action`."""
    project = with_slug(request, slug)
    if project is None:
        raise Http404
    if action != "read":
        permissions.require(request.user, project, action)
    return project


def object_or_404(
    request: HttpRequest, objects: OwnedQuerySet[Thing], pk: int, action: str = "read"
) -> Thing:
    """The object with this id, under the rules of `project_or_404`; "remove" has a rule of its own."""
    owned: Any = get_object_or_404(objects.visible_to(request.user).select_related("project"), pk=pk)
    if action == "remove":
        permissions.require_removal(request.user, owned)
    elif action != "read":
        permissions.require(request.user, owned.project, action)
    found: Thing = owned
    return found


def frame(request: HttpRequest, project: Project, nav: str = "", owned: Owned | None = None) -> Context:
    """The context of `base.html` for a page of a project.

    `may` has the actions allowed to this user; for an `owned` object, also "remove" if the user may remove it.
    """
    if request.session.get("project") != project.slug:
        _remember(request.session, project)
    may = SimpleLazyObject(lambda: _may(request, project, owned))
    return {"project": project, "nav": nav, "may": may}


def _remember(session: SessionBase, project: Project) -> None:
    """Remember the last project. Only navigation needs it, so a full disk does not prevent the page."""
    other_changes = session.modified
    session["project"] = project.slug
    try:
        session.save()
    except OperationalError as problem:
        if not full_disk.is_cause_of(problem):
            raise
    session.modified = other_changes


def _may(request: HttpRequest, project: Project, owned: Owned | None) -> set[str]:
    return (
        permissions.allowed_with(request.user, owned) if owned else permissions.allowed(request.user, project)
    )


def switcher(request: HttpRequest) -> Context:
    """Context processor: the projects this user can open, lazily, whether they may create one, and the page's call.

    `last_project` keeps the navigation on pages without a project.
    """
    user = getattr(request, "user", None)
    if user is None:
        return {"projects": ()}
    slug = request.session.get("project") if user.is_authenticated else None
    last_project = SimpleLazyObject(lambda: slug and with_slug(request, slug))
    return {
        **(page_calls.of_page(request, last_project) if user.is_authenticated else {}),
        "projects": SimpleLazyObject(lambda: user_projects(request)[:MENU]),
        "more_projects": SimpleLazyObject(lambda: user_projects(request)[MENU:]),
        "may_create_projects": projects.may_create(user),
        "last_project": last_project,
    }


def user_projects(request: HttpRequest) -> list[Project]:
    """The first projects that the user can open, by name: those of the menu and one more; loaded once per request."""
    if not hasattr(request, "user_projects"):
        visible = Project.objects.visible_to(request.user).order_by("name", "pk")
        request.user_projects = list(visible[: MENU + 1])
    return request.user_projects


def with_slug(request: HttpRequest, slug: str) -> Project | None:
    """The project of a slug; None if there is none that the user can open."""
    first = user_projects(request)
    found = next((project for project in first if project.slug == slug), None)
    if found is None and len(first) > MENU:
        return Project.objects.visible_to(request.user).filter(slug=slug).first()
    return found


def previous_page(request: AnyRequest, otherwise: str = settings.COOKIE_PATH) -> str:
    """The local page that the request came from, by its headers."""
    page = request.headers.get("HX-Current-URL") or request.headers.get("Referer") or ""
    if not url_has_allowed_host_and_scheme(page, {request.get_host()}):
        return otherwise
    return _path(urlsplit(page)._replace(scheme="", netloc="").geturl(), otherwise)


def way_back(request: AnyRequest, otherwise: str = settings.COOKIE_PATH) -> str:
    """The local address in the field `next` of the form or of the address."""
    return local(request, request.POST.get("next") or request.GET.get("next", ""), otherwise)


def local(request: AnyRequest, address: str, otherwise: str) -> str:
    """The address if it leads to a page of this site."""
    is_ours = url_has_allowed_host_and_scheme(address, {request.get_host()}, request.is_secure())
    return _path(address, otherwise) if is_ours else otherwise


def _path(address: str, otherwise: str) -> str:
    """The address if it is a path: Django takes any other text for the name of a view."""
    return address if address.startswith("/") else otherwise
