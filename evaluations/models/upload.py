"""The tables of uploads, imports, refused rows and saved mappings."""

from django.conf import settings
from django.db import models
from django.utils import timezone

from .dataset import Dataset
from .fields import BinaryField, JSONTextField
from .leased import Leased
from .owned import Named, OwnedQuerySet, unique_name
from .project import Project


class DatasetImport(models.Model):
    """A change of a dataset by a file, an edit of many examples, or a return to an older version: request and result.

    A dry run (`is_dry_run`) only counts. `base` is the dataset version at its start, `version` the newest one at its
    end. `first` holds some examples of each kind of change: {"added": [{"key", "before", "after"}, …], …}. `upload` is
    the file while it waits to be imported after a dry run or a failure. An `edit` (datasets/edits.py) changes the
    examples in `selected`, which has a bit for each position.
    """

    class Mode(models.TextChoices):
        APPEND = "append"
        MERGE = "merge"
        MIRROR = "mirror"
        RESTORE = "restore"
        SET = "set"
        REPLACE = "replace"
        DELETE = "delete"

    class Duplicates(models.TextChoices):
        KEEP = "keep"
        SKIP = "skip"
        FAIL = "fail"

    class Status(models.TextChoices):
        IMPORTING = "importing"
        READY = "ready"
        FAILED = "failed"

    dataset = models.ForeignKey(Dataset, models.CASCADE, related_name="changes")
    mode = models.CharField(max_length=10, choices=Mode)
    duplicate_rows = models.CharField(max_length=10, choices=Duplicates, default=Duplicates.KEEP)
    is_dry_run = models.BooleanField(default=False)
    status = models.CharField(max_length=10, choices=Status, default=Status.IMPORTING)
    filename = models.CharField(max_length=255)
    sha256 = models.CharField(max_length=64, blank=True)
    base = models.PositiveIntegerField()
    version = models.PositiveIntegerField(null=True)
    added = models.PositiveIntegerField(default=0)
    changed = models.PositiveIntegerField(default=0)
    removed = models.PositiveIntegerField(default=0)
    same = models.PositiveIntegerField(default=0)
    duplicates = models.PositiveIntegerField(default=0)
    first = JSONTextField(default=dict)
    errors = JSONTextField(default=list)
    error_count = models.PositiveIntegerField(default=0)
    error_counts = JSONTextField(default=dict)
    warnings = JSONTextField(default=list)
    upload = models.ForeignKey("evaluations.Upload", models.SET_NULL, null=True, related_name="+")
    edit = JSONTextField(default=dict)
    selected = BinaryField(null=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-id"]

    @property
    def is_edit(self) -> bool:
        return bool(self.edit)


class RefusedRow(models.Model):
    """A row that an import refused, for the file that its uploader corrects; `cells` are texts.

    Without a `change`, it belongs to the import that created the dataset, or to the last append by the older API call.
    """

    dataset = models.ForeignKey(Dataset, models.CASCADE, related_name="refused_rows")
    change = models.ForeignKey(DatasetImport, models.CASCADE, null=True, related_name="refused_rows")
    line = models.PositiveIntegerField()
    code = models.CharField(max_length=60)
    message = models.TextField()
    cells = JSONTextField(default=list)

    class Meta:
        ordering = ["line", "id"]


class Upload(models.Model):
    """A file on its way through the three steps of the upload wizard; deleted an hour after the last step."""

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


LARGE_FILE = 20_000_000  # bytes that keep a worker busy for some seconds
UNPACKED = 20  # assumed factor by which a compressed file grows; larger ones are rare


class Import(Leased):
    """A file that a worker reads into a dataset, or into the outputs of a run.

    Leased and fenced like a chunk: every batch of rows is written together with a check of `token`.
    """

    dataset = models.ForeignKey(Dataset, models.CASCADE, null=True, related_name="imports")
    change = models.ForeignKey(DatasetImport, models.CASCADE, null=True, related_name="imports")
    run = models.ForeignKey("evaluations.Run", models.CASCADE, null=True, related_name="imports")
    filename = models.CharField(max_length=255)
    stored_as = models.CharField(max_length=255)
    size = models.BigIntegerField()
    format = JSONTextField(default=dict)
    mapping = JSONTextField(default=dict)
    on_error = models.CharField(max_length=10, default="reject")
    duplicate_rows = models.CharField(max_length=10, default="keep")
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
        """Whether reading it may take long; a compressed file counts with its assumed unpacked size."""
        is_packed = self.format.get("gzip") or self.format.get("kind") == "parquet"
        return self.size * (UNPACKED if is_packed else 1) > LARGE_FILE


class FailedImport(models.Model):
    """The file of a failed import, kept for 7 days for another attempt."""

    dataset = models.OneToOneField(Dataset, models.CASCADE, related_name="failed_import")
    filename = models.CharField(max_length=255)
    stored_as = models.CharField(max_length=255)
    size = models.BigIntegerField()
    format = JSONTextField(default=dict)
    mapping = JSONTextField(default=dict)
    duplicate_rows = models.CharField(max_length=10, default="keep")
    evaluators = JSONTextField(default=list)
    failed_at = models.DateTimeField(default=timezone.now)

    @property
    def project(self) -> Project:
        return self.dataset.project


class SavedMapping(Named):
    """A mapping of columns, in the format of the API, under a name that users choose at an upload.

    A mapping without a name was confirmed for a file, and is suggested for the next file with the same `header`
    (SHA-256 of the column names; "" for named mappings). The last such file went into `dataset`.
    """

    dataset = models.ForeignKey(Dataset, models.SET_NULL, null=True, related_name="+")
    header = models.CharField(max_length=64, default="", blank=True)
    mapping = JSONTextField(default=dict)
    used_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            unique_name("saved_mapping", ~models.Q(name_key="")),
            models.UniqueConstraint(
                fields=["project", "header"], condition=models.Q(name_key=""), name="saved_mapping_once"
            ),
        ]
        ordering = ["-id"]
