"""The tables of datasets, their versions and their examples."""

from collections.abc import Iterable
from typing import Any

from django.conf import settings
from django.db import models
from django.utils import timezone

from .fields import JSONTextField
from .owned import Named, Owned, unique_name


class Dataset(Named):
    """A named set of examples; `version` counts its immutable states, 0 until the first import ends.

    `columns` is {"inputs": [...], "reference": [...], "metadata": [...]}: names in the order of the file. `used_at` is
    the last use by runs and experiments that were purged. `most_comparisons` were declared before the first one.
    """

    class Status(models.TextChoices):
        IMPORTING = "importing"
        READY = "ready"
        FAILED = "failed"

    status = models.CharField(max_length=10, choices=Status, default=Status.READY)
    version = models.PositiveIntegerField(default=0)
    example_count = models.PositiveIntegerField(default=0)
    last_position = models.PositiveIntegerField(default=0)
    columns = JSONTextField(default=dict)
    warnings = JSONTextField(default=list)
    errors = JSONTextField(default=list)
    error_count = models.PositiveIntegerField(default=0)
    error_counts = JSONTextField(default=dict)  # by code, because `errors` holds only the first of each code
    sha256 = models.CharField(max_length=64, blank=True, db_index=True)
    schema = JSONTextField(default=dict)  # by part and column (datasets/schemas.py)
    used_at = models.DateTimeField(null=True, editable=False)
    most_comparisons = models.PositiveIntegerField(null=True)

    class Meta:
        constraints = [unique_name("dataset", ~models.Q(status="failed"))]
        ordering = ["-id"]

    def parts(self) -> Iterable[Owned]:
        return self.experiments.all()

    def all_imports(self) -> models.QuerySet[Any]:
        """Those in progress, of its versions too; those of a deleted dataset are `DONE`, so that workers stop."""
        into = models.Q(dataset=self) | models.Q(change__dataset=self)
        return self.imports.model.objects.filter(into)

    def go_on(self) -> None:
        self.all_imports().update(state=self.imports.model.State.READY)


class DatasetVersion(models.Model):
    """A state of a dataset. Examples added by later versions have positions after `last_position`.

    `note` describes how it was created; users set `tag` and `comment`.
    """

    dataset = models.ForeignKey(Dataset, models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    example_count = models.PositiveIntegerField()
    last_position = models.PositiveIntegerField(default=0)
    note = models.CharField(max_length=200)
    tag = models.CharField(max_length=60, default="", blank=True)
    comment = models.CharField(max_length=2000, default="", blank=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["dataset", "number"], name="dataset_version_once"),
            models.UniqueConstraint(
                fields=["dataset", "tag"], condition=~models.Q(tag=""), name="dataset_tag_once"
            ),
        ]
        ordering = ["-number"]

    def __str__(self) -> str:
        return f"v{self.number}"


class ExampleQuerySet(models.QuerySet["Example"]):
    def of_version(self, dataset_id: int, version: int) -> "ExampleQuerySet":
        """The examples of a version: added in it or before, and not yet retired."""
        alive = models.Q(removed_in=None) | models.Q(removed_in__gt=version)
        return self.filter(alive, dataset_id=dataset_id, added_in__lte=version)


class Example(models.Model):
    """One row of a dataset. `inputs`, `reference`, `metadata` hold JSON objects by column, as text.

    Positions start at 1 in file order and are never reused. The database has no foreign key, so that a million rows are
    inserted without look-ups, and purged in slices.

    `origin` is the first position of an edited example; null if that is its own position. Lists of examples for people
    are in the order of first positions (`datasets.in_place`).
    """

    pk = models.CompositePrimaryKey("dataset_id", "position")
    dataset = models.ForeignKey(
        Dataset, models.DO_NOTHING, related_name="examples", db_constraint=False, db_index=False
    )
    position = models.PositiveIntegerField()
    key = models.TextField(null=True)
    inputs = models.TextField(default="{}")
    reference = models.TextField(default="{}")
    metadata = models.TextField(default="{}")
    added_in = models.PositiveIntegerField(default=1)
    removed_in = models.PositiveIntegerField(null=True)
    origin = models.PositiveIntegerField(null=True)

    objects = ExampleQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["dataset", "key"],
                condition=models.Q(removed_in=None, key__isnull=False),
                name="example_key",
            )
        ]
        indexes = [
            # finds removed examples without reading the dataset; most examples are never removed
            models.Index(
                fields=["dataset", "removed_in"],
                condition=models.Q(removed_in__isnull=False),
                name="example_removed",
            ),
            # finds edited examples by their first position, which is their place in lists
            models.Index(
                fields=["dataset", "origin"],
                condition=models.Q(origin__isnull=False),
                name="example_edited",
            ),
        ]

    @property
    def name(self) -> str:
        """The label of the example on pages: its key, or its first position."""
        return self.key or f"{self.identity}"

    @property
    def identity(self) -> int:
        """A number that stays the same when the example is edited, or removed and put back."""
        return self.origin or self.position
