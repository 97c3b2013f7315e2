"""The tables of judges: requests to judge, the verdicts that models gave, and the names of these models."""

from django.db import models
from django.db.models.functions import Now
from django.utils import timezone

from evaluations.values import LONGEST_NAME

from .connection import Connection
from .evaluator import Evaluator, EvaluatorVersion
from .fields import BinaryField, JSONTextField
from .owned import Owned
from .run import Run
from .spending import Budget


class Judging(Owned):
    """A request that a judge reads answers of a run, with the money that somebody named for it.

    `version` is null while a rubric is tried that nobody saved; `config` is what is asked then and later. `positions`
    are the examples asked, null for all. `samples` are asked of each, the first of them number `first_sample`.
    A judge of pairs compares with the answers of the run `against`. The prices are those of its first day.
    `behind_since` is when a verdict came that the column of the run lacks.
    """

    class Status(models.TextChoices):
        RUNNING = "running"
        COMPLETED = "completed"
        LIMIT = "limit"
        FAILED = "failed"
        CANCELLED = "cancelled"

    class Purpose(models.TextChoices):
        SCORES = "scores"  # the column of the run
        EARLY = "early"  # what a launch has answered so far, so that the money set aside for it is free again
        TRY = "try"  # a few rows while a rubric is written
        REPEATS = "repeats"  # the same answers again, to see how often the verdict changes
        ATTACKS = "attacks"  # answers that try to talk the judge round

    run = models.ForeignKey(Run, models.CASCADE, related_name="judgings")
    version = models.ForeignKey(EvaluatorVersion, models.CASCADE, null=True, related_name="judgings")
    kind = models.CharField(max_length=40)
    config = JSONTextField(default=dict)
    purpose = models.CharField(max_length=10, choices=Purpose, default=Purpose.SCORES)
    connection = models.ForeignKey(Connection, models.SET_NULL, null=True, related_name="+")
    against = models.ForeignKey(Run, models.CASCADE, null=True, related_name="+")
    budget = models.ForeignKey(Budget, models.CASCADE, related_name="judgings")
    positions = JSONTextField(null=True)
    first_sample = models.PositiveSmallIntegerField(default=1)
    samples = models.PositiveSmallIntegerField(default=1)
    size = models.PositiveIntegerField()
    status = models.CharField(max_length=10, choices=Status, default=Status.RUNNING)
    error = JSONTextField(null=True)
    input_price = models.BigIntegerField(null=True)
    cached_price = models.BigIntegerField(null=True)
    output_price = models.BigIntegerField(null=True)
    behind_since = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-id"]
        indexes = [models.Index(fields=["run", "version"], name="judging_of_run")]

    def __str__(self) -> str:
        return f"{self.version.evaluator if self.version else 'a rubric'} on {self.run}"


class Allowance(models.Model):
    """What an evaluator that calls a server may spend on a run, once that has its answers.

    It is money that somebody named with the run, with its launch, or for this evaluator.
    """

    run = models.ForeignKey(Run, models.CASCADE, related_name="allowances")
    evaluator = models.ForeignKey(Evaluator, models.CASCADE, related_name="+")
    budget = models.ForeignKey(Budget, models.CASCADE, related_name="allowances")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "evaluator"], name="allowance_once")]
        ordering = ["id"]


class Verdict(models.Model):
    """What a model answered about one answer: kept with its run, and never asked again for an equal request.

    `example` is the identity of the example, `answer` the digest of the judged answer, `sample` counts from 1. A
    `swapped` pair was shown in the other order. `attack` numbers the injections (0: none). `key` is the digest of the
    request. A verdict is `given`, or there is `none` for the reason in `problem`, or the call `failed`. One that is
    `unread` is kept until the judge has been asked for another answer.
    A `cached` one was paid by an earlier request; its tokens and cost are those of that call.
    """

    class State(models.TextChoices):
        GIVEN = "given"
        NONE = "none"
        FAILED = "failed"
        UNREAD = "unread"

    judging = models.ForeignKey(Judging, models.CASCADE, related_name="verdicts", db_index=False)
    run = models.ForeignKey(Run, models.CASCADE, related_name="verdicts", db_index=False)
    version = models.ForeignKey(EvaluatorVersion, models.CASCADE, null=True, related_name="+", db_index=False)
    example = models.PositiveIntegerField()
    answer = models.BigIntegerField()
    sample = models.PositiveSmallIntegerField(default=1)
    swapped = models.BooleanField(default=False)
    attack = models.PositiveSmallIntegerField(default=0)
    key = BinaryField(max_length=32)
    state = models.CharField(max_length=6, choices=State)
    label = models.TextField(null=True)
    value = models.FloatField(null=True)
    reason = models.TextField(blank=True)
    text = models.TextField(null=True)
    problem = models.TextField(blank=True)
    model = models.CharField(max_length=LONGEST_NAME, blank=True)
    tokens_in = models.PositiveIntegerField(null=True)
    tokens_out = models.PositiveIntegerField(null=True)
    cost = models.BigIntegerField(null=True)
    calls = models.PositiveSmallIntegerField(default=1)
    cached = models.BooleanField(default=False)
    created_at = models.DateTimeField(default=timezone.now, db_default=Now(), editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["judging", "example", "sample", "swapped", "attack"], name="verdict_once"
            )
        ]
        indexes = [
            models.Index(fields=["run", "version", "example"], name="verdict_of_example"),
            models.Index(fields=["key"], name="verdict_of_request"),
        ]
        ordering = ["id"]


class JudgeModel(models.Model):
    """A name by which a server called the model that answered as a judge, when it first did."""

    version = models.ForeignKey(EvaluatorVersion, models.CASCADE, related_name="judge_models")
    model = models.CharField(max_length=LONGEST_NAME)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["version", "model"], name="judge_model_once")]
        ordering = ["id"]
