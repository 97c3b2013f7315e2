"""Projects: created, renamed, deleted and restored."""

from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, IntegerField, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.text import slugify

from evaluations.errors import Conflict, Invalid
from evaluations.models import Dataset, Experiment, Membership, Project, Role, Run
from evaluations.owned import UNDO


def may_create(user: User) -> bool:
    """Whether a person may create projects: everybody, unless the site restricts it to administrators."""
    return user.is_superuser or (settings.EVALSITE_PROJECT_CREATION and user.is_authenticated)


def create(name: str, owner: User) -> Project:
    """A project with its first administrator."""
    with transaction.atomic():
        project = Project.objects.create(name=name, slug=_free_slug(name))
        Membership.objects.create(project=project, user=owner, role=Role.ADMIN)
    return project


def _free_slug(name: str) -> str:
    base = slugify(name)[:40] or "project"
    used_slugs = {"new", *Project.objects.filter(slug__startswith=base).values_list("slug", flat=True)}
    return next(
        slug
        for n in range(1, len(used_slugs) + 2)
        if (slug := base if n == 1 else f"{base}-{n}") not in used_slugs
    )


def with_figures(projects: QuerySet[Project]) -> QuerySet[Project]:
    """Each with the number of its `members` and `experiments`, and when the `newest` experiment was made."""
    members = Membership.objects.filter(project=OuterRef("pk"))
    experiments = Experiment.objects.live().filter(project=OuterRef("pk"))
    return projects.annotate(
        members=_count(members),
        experiments=_count(experiments),
        newest=Subquery(experiments.order_by("-created_at").values("created_at")[:1]),
    )


def _count(rows: QuerySet[Any]) -> Coalesce:
    counted = rows.order_by().values("project").annotate(count=Count("pk")).values("count")
    return Coalesce(Subquery(counted, output_field=IntegerField()), 0)


def rename(project: Project, name: str) -> Project:
    """Change its name; its URL does not change, because it is in bookmarks."""
    project.name = name
    project.save(update_fields=["name"])
    return project


def delete(project: Project, typed: str) -> None:
    """Hide the project and all it owns; it can be restored for 7 days. `Conflict` while work is in progress."""
    if typed != project.name:
        message = "To delete the project, type its name."
        raise Invalid("name_needed", message, fields={"typed": [message]})
    with transaction.atomic():
        Project.objects.filter(pk=project.pk).update(deleted_at=timezone.now())
        runs = Run.objects.live().filter(project=project, status__in=Run.OPEN)
        imports = Dataset.objects.live().filter(project=project, status=Dataset.Status.IMPORTING)
        if runs.exists() or imports.exists():
            raise Conflict(
                "in_use", "Runs or imports of this project are in progress.", hint="Cancel them first."
            )


def restorable(user: User) -> QuerySet[Project]:
    """The deleted projects that this user may restore."""
    deleted = Project.objects.filter(deleted_at__gt=timezone.now() - UNDO)
    return (
        deleted if user.is_superuser else deleted.filter(memberships__user=user, memberships__role=Role.ADMIN)
    )


def restore(project: Project) -> None:
    Project.objects.filter(pk=project.pk).update(deleted_at=None)
