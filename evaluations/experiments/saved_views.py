"""Saved views: a page of a project with its filters, under a name, for its maker or for everybody in the project."""

from urllib.parse import urlsplit

from django.contrib.auth.models import User
from django.db.models import Q, QuerySet

from evaluations import owned
from evaluations.access import makers, permissions
from evaluations.errors import Conflict, Invalid, NotFound
from evaluations.models import Dataset, Experiment, Project, Run, SavedView
from evaluations.models.fields import longest
from evaluations.models.owned import Owned, OwnedQuerySet
from evaluations.models.project import Principal

MOST_VIEWS = 200  # of a project
LONGEST_PATH = longest(SavedView, "path")
PAGES: dict[str, type[Owned]] = {"experiments": Experiment, "runs": Run, "datasets": Dataset}


def save(project: Project, principal: Principal, name: str, path: str, *, shared: bool = False) -> SavedView:
    """Save the address of a page of this project; sharing it needs the right to write.

    A second one of the same person and address takes the place of the first: it has the newest name.
    """
    if shared:
        permissions.require(principal, project, "write")
    _check_path(project, path)
    maker, checked = permissions.person(principal), owned.checked_name(name)
    if before := _before(project, maker, path):
        before.name, before.shared = checked, shared
        before.save(update_fields=["name", "shared"])
        return before
    if SavedView.objects.live().filter(project=project).count() >= MOST_VIEWS:
        message = f"A project has at most {MOST_VIEWS} saved views."
        raise Conflict("too_many_views", message, hint="Delete some that nobody opens.")
    return SavedView.objects.create(
        project=project,
        created_by=maker,
        name=checked,
        path=path,
        shared=shared,
    )


def _before(project: Project, maker: User | None, path: str) -> SavedView | None:
    """The view that this person has of the same address; programs have none."""
    if maker is None:
        return None
    return SavedView.objects.live().filter(project=project, created_by=maker, path=path).first()


def rename(principal: Principal, view: SavedView, name: str) -> SavedView:
    """Give it another name; for its maker and administrators."""
    makers.require(principal, view)
    view.name = owned.checked_name(name)
    view.save(update_fields=["name"])
    return view


def _check_path(project: Project, path: str) -> None:
    """Refuse an address that is not of an experiment, a run, a dataset or a comparison of the project."""
    parts = urlsplit(path)
    noun, _, rest = parts.path.strip("/").partition("/")
    is_local = path.startswith("/") and not parts.netloc and not parts.scheme and len(path) <= LONGEST_PATH
    if is_local and noun == "compare" and not rest:
        return
    model = PAGES.get(noun) if is_local else None
    if model is None or not (rest.isascii() and rest.isdigit() and len(rest) < 19):
        message = "Expected the path of an experiment, a run, a dataset or a comparison."
        raise Invalid("invalid", message, fields={"path": [message]})
    if not model.objects.live().filter(pk=int(rest), project=project).exists():
        message = f"This project has no {model._meta.verbose_name} {rest}."
        raise NotFound("not_found", message, fields={"path": [message]})


def seen_by(principal: Principal, views: OwnedQuerySet[SavedView]) -> QuerySet[SavedView]:
    """The shared views and one's own."""
    mine = Q(shared=True) | Q(created_by=permissions.person(principal))
    return views.visible_to(principal).filter(mine).select_related("created_by", "project")


def of_project(project: Project, user: User) -> QuerySet[SavedView]:
    """The views that this person sees in a project, the newest first."""
    return seen_by(user, SavedView.objects.live()).filter(project=project).order_by("-pk")
