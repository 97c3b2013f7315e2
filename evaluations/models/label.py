"""The tables of labelling: tasks, their items with a seat for each rater, and labels. A label set is an evaluator."""

from django.conf import settings
from django.db import models
from django.utils import timezone

from .evaluator import EvaluatorVersion
from .owned import Owned
from .run import Run


class LabelTask(Owned):
    """A random sample of examples, whose answers in some runs people label.

    `raters` people label each item, and one more each of a share `overlap`, so that agreement is known. `changed_at` is
    when a label came that the columns of its runs lack.
    """

    version = models.ForeignKey(EvaluatorVersion, models.PROTECT, related_name="label_tasks")
    runs = models.ManyToManyField(Run, related_name="label_tasks")
    size = models.PositiveIntegerField()
    seed = models.BigIntegerField()
    raters = models.PositiveSmallIntegerField(default=1)
    overlap = models.FloatField(default=0.2)
    closed_at = models.DateTimeField(null=True)
    changed_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-id"]


class LabelItem(models.Model):
    """One answer of one run to one example, known by its digest. `token` is random: it tells a rater nothing."""

    task = models.ForeignKey(LabelTask, models.CASCADE, related_name="items")
    run = models.ForeignKey(Run, models.CASCADE, related_name="+")
    example = models.PositiveIntegerField()
    answer = models.BigIntegerField()
    rank = models.PositiveIntegerField()
    token = models.CharField(max_length=32, unique=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["task", "run", "example"], name="label_item_once")]
        ordering = ["rank"]


class Rater(models.Model):
    """A person in a task. Everybody but administrators sees "Rater 2"."""

    task = models.ForeignKey(LabelTask, models.CASCADE, related_name="people")
    number = models.PositiveSmallIntegerField()
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    last_example = models.PositiveIntegerField(null=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["task", "number"], name="rater_number_once"),
            models.UniqueConstraint(fields=["task", "user"], name="rater_once"),
        ]


class Seat(models.Model):
    """A place for one rater at an item: free, leased until `lease_until`, or `is_done`."""

    item = models.ForeignKey(LabelItem, models.CASCADE, related_name="seats")
    number = models.PositiveSmallIntegerField()
    rater = models.ForeignKey(Rater, models.SET_NULL, null=True, related_name="seats")
    lease = models.CharField(max_length=32, blank=True)
    lease_until = models.DateTimeField(null=True)
    begun_at = models.DateTimeField(null=True)
    is_done = models.BooleanField(default=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["item", "number"], name="seat_once"),
            models.UniqueConstraint(fields=["item", "rater"], name="seat_of_rater_once"),
        ]


class Label(models.Model):
    """What one rater said about one item: never changed; `withdrawn_at` says that the rater took it back.

    `value` is null if the rater was unsure. `seconds` are those for which the item was shown.
    """

    item = models.ForeignKey(LabelItem, models.CASCADE, related_name="labels")
    rater = models.ForeignKey(Rater, models.CASCADE, related_name="labels")
    version = models.ForeignKey(EvaluatorVersion, models.PROTECT, related_name="+")
    answer = models.CharField(max_length=200, blank=True)
    value = models.FloatField(null=True)
    note = models.TextField(blank=True)
    seconds = models.FloatField()
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    withdrawn_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["id"]
