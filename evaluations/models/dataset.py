from django.conf import settings
from django.db import models
from django.utils import timezone

from .fields import JSONTextField
from .leased import Leased
from .owned import Named, OwnedQuerySet, unique_name
from .project import Project


class Dataset(Named):
    """A named set of examples; `version` counts its immutable states, 0 until the first import ends.

    `columns` is {"inputs": [...], "reference": [...], "metadata": [...]}: names in the order of the file.
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
    error_counts = JSONTextField(default=dict)  # by code: `errors` holds the first of each only
    sha256 = models.CharField(max_length=64, blank=True, db_index=True)

    class Meta:
        constraints = [unique_name("dataset", ~models.Q(status="failed"))]
        ordering = ["-id"]


class DatasetVersion(models.Model):
    dataset = models.ForeignKey(Dataset, models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    example_count = models.PositiveIntegerField()
    note = models.CharField(max_length=200)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["dataset", "number"], name="dataset_version_once")]
        ordering = ["-number"]


class ExampleQuerySet(models.QuerySet):
    def of_version(self, dataset_id: int, version: int) -> "ExampleQuerySet":
        """The examples a version has: added by then, not yet retired."""
        alive = models.Q(removed_in=None) | models.Q(removed_in__gt=version)
        return self.filter(alive, dataset_id=dataset_id, added_in__lte=version)


class Example(models.Model):
    """One row of a dataset. `inputs`, `reference`, `metadata` hold JSON objects by column, as text.

    Positions start at 1 in file order and are never used again. There is no foreign key in the database:
    a million rows go in without a look-up each, and are purged in slices.

    `origin` is the position at which an edited example began; null where it is this one.
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

    @property
    def identity(self) -> int:
        """What stays the same when the example is edited, removed and put back."""
        return self.origin or self.position


class RefusedRow(models.Model):
    """A row that the last import left out, for the file that its uploader corrects; `cells` are texts."""

    dataset = models.ForeignKey(Dataset, models.CASCADE, related_name="refused_rows")
    line = models.PositiveIntegerField()
    code = models.CharField(max_length=60)
    message = models.TextField()
    cells = JSONTextField(default=list)

    class Meta:
        ordering = ["line", "id"]


class Upload(models.Model):
    """A file on its way through the three steps of the wizard; forgotten an hour after the last one."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="+")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, null=True, related_name="+")
    filename = models.CharField(max_length=255)
    stored_as = models.CharField(max_length=255)
    size = models.BigIntegerField()
    sha256 = models.CharField(max_length=64)
    format = JSONTextField(default=dict)
    mapping = JSONTextField(default=dict)
    touched_at = models.DateTimeField(default=timezone.now)

    objects = OwnedQuerySet.as_manager()


LARGE_FILE = 20_000_000  # bytes: some seconds of a worker
UNPACKED = 20  # times the size of a compressed file; more is rare


class Import(Leased):
    """A file being read by a worker into a dataset, or into the outputs of a run.

    Leased and fenced like a chunk: every batch of rows is written together with a check of `token`.
    """

    dataset = models.ForeignKey(Dataset, models.CASCADE, null=True, related_name="imports")
    run = models.ForeignKey("evaluations.Run", models.CASCADE, null=True, related_name="imports")
    filename = models.CharField(max_length=255)
    stored_as = models.CharField(max_length=255)
    size = models.BigIntegerField()
    format = JSONTextField(default=dict)
    mapping = JSONTextField(default=dict)
    on_error = models.CharField(max_length=10, default="reject")
    rows_done = models.PositiveIntegerField(default=0)
    bytes_done = models.BigIntegerField(default=0)
    started_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["dataset"], name="one_import_per_dataset"),
            models.UniqueConstraint(fields=["run"], name="one_import_per_run"),
        ]

    @property
    def is_large(self) -> bool:
        """Whether reading it may take long; what is compressed counts as much as it may unpack to."""
        is_packed = self.format.get("gzip") or self.format.get("kind") == "parquet"
        return self.size * (UNPACKED if is_packed else 1) > LARGE_FILE


class FailedImport(models.Model):
    """The file of an import that failed, kept for seven days so that it can be imported in another way."""

    dataset = models.OneToOneField(Dataset, models.CASCADE, related_name="failed_import")
    filename = models.CharField(max_length=255)
    stored_as = models.CharField(max_length=255)
    size = models.BigIntegerField()
    format = JSONTextField(default=dict)
    mapping = JSONTextField(default=dict)
    evaluators = JSONTextField(default=list)
    failed_at = models.DateTimeField(default=timezone.now)

    @property
    def project(self) -> Project:
        return self.dataset.project


class SavedMapping(models.Model):
    """How the columns of a file were mapped, for the next file of the project with the same header.

    `header` is the SHA-256 of the column names; `columns` and `paths` are {source: [role, variant]}.
    """

    project = models.ForeignKey(Project, models.CASCADE, related_name="saved_mappings")
    header = models.CharField(max_length=64)
    columns = JSONTextField(default=dict)
    paths = JSONTextField(default=dict)
    used_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "header"], name="saved_mapping_once")]
