"""The tables of gates and their checks."""

from django.conf import settings
from django.db import models
from django.utils import timezone

from evaluations.values import Missing

from .dataset import Dataset
from .fields import JSONTextField
from .owned import Named, unique_name
from .run import Run
from .split import Split


class Gate(Named):
    """Criteria that a run must meet against a fixed baseline.

    `lock` holds everything on which a verdict depends except the run, as it was when the gate was set; `hash` is its
    digest. `accepts_inconclusive` lets a pipeline go on if the examples are too few to decide. With a `split`, only its
    examples count. `previous` is name and lock before the last change, empty if there was none.
    """

    dataset = models.ForeignKey(Dataset, models.CASCADE, related_name="gates")
    baseline = models.ForeignKey(Run, models.SET_NULL, null=True, related_name="+")
    split = models.ForeignKey(Split, models.SET_NULL, null=True, related_name="+")
    missing: "models.CharField[Missing, Missing]" = models.CharField(max_length=10, default="worst")
    accepts_inconclusive = models.BooleanField(default=False)
    criteria = JSONTextField(default=list)
    lock = JSONTextField(default=dict)
    hash = models.CharField(max_length=64)
    locked_at = models.DateTimeField(default=timezone.now)
    previous = JSONTextField(default=dict)

    class Meta:
        constraints = [unique_name("gate")]
        ordering = ["-id"]


class GateCheck(models.Model):
    """The verdict of a gate on a run; never changed once stored.

    `unlike` is the part of the sentence about subsets on which a passed run is worse; not stored by itself.
    """

    unlike = ""

    class Verdict(models.TextChoices):
        PASS = "pass"
        FAIL = "fail"
        INCONCLUSIVE = "inconclusive"
        CHANGED = "changed"

    gate = models.ForeignKey(Gate, models.CASCADE, related_name="checks")
    run = models.ForeignKey(Run, models.CASCADE, related_name="gate_checks")
    verdict = models.CharField(max_length=12, choices=Verdict)
    is_green = models.BooleanField()
    sentence = models.TextField()
    examples_needed = models.PositiveBigIntegerField(null=True)
    results = JSONTextField(default=list)
    changes = JSONTextField(default=list)
    hash = models.CharField(max_length=64)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ["-id"]
