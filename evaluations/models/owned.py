"""Base classes for objects of a project: visible by membership, uniquely named, marked when deleted."""

from collections.abc import Iterable
from typing import Any, Self, TypeVar

from django.conf import settings
from django.db import models
from django.utils import timezone

from evaluations.values import LONGEST_NAME

from .fields import name_key
from .project import Principal, Project, visible_to

Row = TypeVar("Row", bound=models.Model, covariant=True)


class OwnedQuerySet(models.QuerySet[Row]):
    """Objects of projects, which are always reached through `visible_to`: hidden ones do not exist for the user."""

    def visible_to(self, principal: Principal) -> Self:
        return visible_to(self, principal, "project__")

    def live(self) -> Self:
        """The objects that are not deleted."""
        return self.filter(deleted_at=None)


class Owned(models.Model):
    """An object of a project that can be deleted and, for 7 days, restored."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="+")
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    deleted_at = models.DateTimeField(null=True, blank=True)
    restored_at = models.DateTimeField(null=True, editable=False)

    objects = OwnedQuerySet.as_manager()

    class Meta:
        abstract = True

    # ---- what `owned.restore` asks ----

    def check_above(self) -> None:
        """Raise `Conflict` if something has to be restored before this."""

    def parts(self) -> Iterable["Owned"]:
        """Objects that are deleted with this one, and restored with it if they were."""
        return ()

    def go_on(self) -> None:
        """Let work go on that the deletion stopped."""


class Named(Owned):
    """An owned object whose name is unique in its project, in any spelling (`name_key`)."""

    name = models.CharField(max_length=LONGEST_NAME)
    name_key = models.CharField(max_length=800, editable=False)

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return self.name

    def save(self, *args: Any, **kwargs: Any) -> None:
        self.name_key = name_key(self.name)
        super().save(*args, **kwargs)


def unique_name(model: str, condition: models.Q | None = None) -> models.UniqueConstraint:
    """A constraint for unique names among live objects: deleting one frees its name at once."""
    live = models.Q(deleted_at=None)
    return models.UniqueConstraint(
        fields=["project", "name_key"],
        condition=live & condition if condition else live,
        name=f"{model}_name",
    )
