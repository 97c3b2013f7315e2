"""The tables of what people come back to and pass on: read-only links and saved views."""

from django.db import models

from evaluations.values import LONGEST_NAME

from .experiment import Experiment
from .owned import Owned


class ShareLink(Owned):
    """A link by which people without an account read one report. Only the SHA-256 of its token is stored.

    An `experiment` and a `comparison` are computed when somebody reads them; a `report` is `content`, kept as it was.
    `query` says of which runs the comparison is made; an experiment has none. Ending a link deletes it.
    """

    class Kind(models.TextChoices):
        EXPERIMENT = "experiment"
        COMPARISON = "comparison"
        REPORT = "report"

    experiment = models.ForeignKey(Experiment, models.CASCADE, related_name="share_links")
    kind = models.CharField(max_length=10, choices=Kind)
    query = models.JSONField(default=dict)
    texts = models.BooleanField(default=False)
    note = models.CharField(max_length=300, blank=True)
    digest = models.CharField(max_length=64, unique=True)
    content = models.BinaryField(null=True)
    expires_at = models.DateTimeField()
    opened = models.PositiveIntegerField(default=0)
    last_opened_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"to {self.experiment.name}"


class SavedView(Owned):
    """The address of a page with its filters, under a name; for its maker, or for everybody in the project."""

    name = models.CharField(max_length=LONGEST_NAME)
    path = models.CharField(max_length=2_000)
    shared = models.BooleanField(default=False)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return self.name
