"""The tables of labelling: tasks, items with a seat for each rater, raters and their links, labels, comments.

A label set is an evaluator.
"""

from django.conf import settings
from django.db import models
from django.utils import timezone

from evaluations.values import LONGEST_RATER

from .dataset import Dataset
from .evaluator import EvaluatorVersion
from .owned import Owned
from .run import Run


class LabelTask(Owned):
    """A sample of examples, whose answers in some runs people label.

    `raters` people label each item, and one more each of a share `overlap`, so that agreement is known. `drawn` says
    how the sample came about; only labels of random samples are for estimates, also of those in which each value of the
    metadata column `by` has its share. If examples of some `parts` were likelier to be drawn, `part_of` has the part of
    each (`labelling/parts.py`), and estimates weigh them; `population` says which examples were drawn from, if not all.
    A trial is rated before people are asked, and never counts. A task that is not blind shows variants and scores; one
    that `hides_reference` shows no reference. `stop` is the rule by which it ends itself; null: never. `changed_at` is
    when a label came that the columns of its runs lack. `dataset_version` is the one for which its items were looked at
    last (`labelling/presence.py`).
    """

    class Drawn(models.TextChoices):
        RANDOM = "random"
        GROUPS = "groups"
        EVENLY = "evenly"
        DIFFERING = "differing"
        TRIAL = "trial"
        DISAGREEMENT = "disagreement"
        CHOSEN = "chosen"
        SENT = "sent"

    version = models.ForeignKey(EvaluatorVersion, models.PROTECT, related_name="label_tasks")
    runs = models.ManyToManyField(Run, related_name="label_tasks")
    size = models.PositiveIntegerField()
    seed = models.BigIntegerField()
    raters = models.PositiveSmallIntegerField(default=1)
    overlap = models.FloatField(default=0.2)
    drawn = models.CharField(max_length=12, choices=Drawn, default=Drawn.RANDOM)
    by = models.CharField(max_length=200, blank=True)
    population = models.CharField(max_length=300, blank=True)
    parts = models.JSONField(default=list)
    part_of = models.BinaryField(null=True)
    is_blind = models.BooleanField(default=True)
    hides_reference = models.BooleanField(default=False)
    stop = models.JSONField(null=True)
    closed_at = models.DateTimeField(null=True)
    changed_at = models.DateTimeField(null=True)
    dataset_version = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.version.evaluator} on {self.size} examples"


class LabelItem(models.Model):
    """One answer of one run to one example, known by its digest. `token` is random: it tells a rater nothing.

    A pair has another answer to the same example, of the run `other`; `is_swapped` says that `run` is on the right.
    `probability` is that with which the example was drawn; null if it was not drawn at random.
    Nobody is given one that `is_gone`: its example left the dataset, or a run has another answer by now.
    """

    task = models.ForeignKey(LabelTask, models.CASCADE, related_name="items")
    run = models.ForeignKey(Run, models.CASCADE, related_name="+")
    example = models.PositiveIntegerField()
    answer = models.BigIntegerField()
    rank = models.PositiveIntegerField()
    token = models.CharField(max_length=32, unique=True)
    other = models.ForeignKey(Run, models.CASCADE, null=True, related_name="+")
    other_answer = models.BigIntegerField(null=True)
    is_swapped = models.BooleanField(default=False)
    probability = models.FloatField(null=True)
    is_gone = models.BooleanField(default=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["task", "run", "example", "answer"], name="label_item_once")
        ]
        ordering = ["rank"]


class Rater(models.Model):
    """A person in a task. Everybody but administrators sees "Rater 2".

    `name` is what somebody without an account typed, or what a file says. A forgotten person has neither user nor name.
    """

    task = models.ForeignKey(LabelTask, models.CASCADE, related_name="people")
    number = models.PositiveSmallIntegerField()
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    name = models.CharField(max_length=LONGEST_RATER, blank=True)
    last_example = models.PositiveIntegerField(null=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["task", "number"], name="rater_number_once"),
            models.UniqueConstraint(fields=["task", "user"], name="rater_once"),
        ]


class RaterLink(models.Model):
    """A link by which one person without an account labels in one task. Only the SHA-256 of its token is stored."""

    task = models.ForeignKey(LabelTask, models.CASCADE, related_name="links")
    rater = models.OneToOneField(Rater, models.SET_NULL, null=True, related_name="link")
    digest = models.CharField(max_length=64, unique=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    expires_at = models.DateTimeField()
    withdrawn_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["id"]


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

    `value` is null if the rater was unsure. `seconds` are those for which the item was shown; null for a label from a
    file. An adjudicated label decides about an item on which raters differ.
    """

    item = models.ForeignKey(LabelItem, models.CASCADE, related_name="labels")
    rater = models.ForeignKey(Rater, models.CASCADE, related_name="labels")
    version = models.ForeignKey(EvaluatorVersion, models.PROTECT, related_name="+")
    answer = models.CharField(max_length=200, blank=True)
    value = models.FloatField(null=True)
    note = models.TextField(blank=True)
    seconds = models.FloatField(null=True)
    is_adjudicated = models.BooleanField(default=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    withdrawn_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["id"]


class Comment(Owned):
    """What somebody wrote about an example, or about the answer of a run to it. `example` is its identity.

    What is done has the time at which somebody said so; without one a comment is open.
    """

    dataset = models.ForeignKey(Dataset, models.CASCADE, related_name="comments")
    example = models.PositiveIntegerField()
    run = models.ForeignKey(Run, models.CASCADE, null=True, related_name="comments")
    text = models.TextField()
    done_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-id"]
        indexes = [models.Index(fields=["dataset", "example"], name="comment_of_example")]

    def __str__(self) -> str:
        return f"on example {self.example}"
