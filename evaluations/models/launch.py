"""The tables of launches: generation settings, facts about answers, looks, and cached answers."""

from django.db import models
from django.db.models.functions import Now
from django.utils import timezone

from evaluations.values import LONGEST_NAME

from .connection import Connection
from .experiment import Experiment
from .fields import BinaryField, JSONTextField
from .owned import Owned
from .project import Project
from .prompt import PromptVersion
from .run import Run
from .spending import Budget
from .split import Split


class Launch(Owned):
    """Prompt versions that answer the examples of an experiment: one run for each variant and repetition.

    While `estimating`, a launch asks its first examples only, then waits to be continued. `size` examples are asked, in
    the order of `seed`; for a `split`, `rows` keeps the examples it had, a bit for each position. A launch fails if
    more than the share `tolerated` of a run's answers failed. With `cache`, answers to equal requests are reused.
    `stop` is None if all examples are asked; else a variant stops once it is decided. `stop` has the `margin` in scores
    of the evaluator version `evaluator`, and the number of `variants` that are compared with the one named `baseline`.
    """

    class Status(models.TextChoices):
        ESTIMATING = "estimating"
        RUNNING = "running"
        COMPLETED = "completed"
        DECIDED = "decided"
        LIMIT = "limit"
        FAILED = "failed"
        CANCELLED = "cancelled"

    experiment = models.ForeignKey(Experiment, models.CASCADE, related_name="launches")
    budget = models.OneToOneField(Budget, models.CASCADE, related_name="launch")
    status = models.CharField(max_length=10, choices=Status, default=Status.RUNNING)
    seed = models.PositiveBigIntegerField()
    size = models.PositiveIntegerField()
    split = models.ForeignKey(Split, models.SET_NULL, null=True, related_name="launches")
    rows = BinaryField(null=True)
    repetitions = models.PositiveSmallIntegerField(default=1)
    tolerated = models.FloatField(default=0.05)
    cache = models.BooleanField(default=True)
    stop = JSONTextField(null=True)
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"Launch {self.pk}"


class Generation(models.Model):
    """How the answers of a run are generated. A purged prompt or connection is null.

    The prices are those of the day on which the run was started or continued, null if the model had none: a price that
    changes meanwhile lifts no budget.
    """

    run = models.OneToOneField(Run, models.CASCADE, primary_key=True, related_name="generation")
    launch = models.ForeignKey(Launch, models.CASCADE, related_name="generations")
    prompt_version = models.ForeignKey(PromptVersion, models.SET_NULL, null=True, related_name="+")
    connection = models.ForeignKey(Connection, models.SET_NULL, null=True, related_name="+")
    model = models.CharField(max_length=LONGEST_NAME)
    parameters = JSONTextField(default=dict)
    repetition = models.PositiveSmallIntegerField(default=1)
    input_price = models.BigIntegerField(null=True)
    cached_price = models.BigIntegerField(null=True)
    output_price = models.BigIntegerField(null=True)


class Answer(models.Model):
    """Facts about a generated output: finish reason, tokens, latency and cost.

    An answer from the cache has 0 `attempts`; its tokens and `cost` are those of the original call and were not paid
    again. The cost is null if tokens or prices are unknown.
    """

    pk = models.CompositePrimaryKey("run_id", "position")
    run = models.ForeignKey(
        Run, models.DO_NOTHING, related_name="answers", db_constraint=False, db_index=False
    )
    position = models.PositiveIntegerField()
    finish_reason = models.CharField(max_length=40, blank=True)
    model = models.CharField(max_length=LONGEST_NAME, blank=True)
    attempts = models.PositiveSmallIntegerField(default=1)
    tokens_in = models.PositiveIntegerField(null=True)
    tokens_out = models.PositiveIntegerField(null=True)
    tokens_cached = models.PositiveIntegerField(null=True)
    tokens_reasoning = models.PositiveIntegerField(null=True)
    cost = models.BigIntegerField(null=True)


class EarlyScores(models.Model):
    """Scores of arriving answers by the primary evaluator, from rank `first` of the launch's order on.

    `values` is NaN without a score, and `causes` says why (`scoring.causes`).
    """

    pk = models.CompositePrimaryKey("run_id", "first")
    run = models.ForeignKey(Run, models.CASCADE, related_name="early_scores", db_index=False)
    first = models.PositiveIntegerField()
    values = BinaryField()
    causes = BinaryField()


class Interim(models.Model):
    """One look at a variant of a launch that stops early, after `n` examples; `run` is its first repetition.

    Both means are over the `counted` examples that have a score on both sides. `outcome` is "" until the variant is
    decided.
    """

    pk = models.CompositePrimaryKey("run_id", "n")
    run = models.ForeignKey(Run, models.CASCADE, related_name="interims", db_index=False)
    n = models.PositiveIntegerField()
    counted = models.PositiveIntegerField()
    mean = models.FloatField(null=True)
    baseline_mean = models.FloatField(null=True)
    low = models.FloatField()
    high = models.FloatField()
    outcome = models.CharField(max_length=12, blank=True)

    class Meta:
        ordering = ["run", "n"]

    @property
    def difference(self) -> float | None:
        if self.mean is None or self.baseline_mean is None:
            return None
        return self.mean - self.baseline_mean


class CachedAnswer(models.Model):
    """A reusable answer of a project; its key is the digest of its request."""

    digest = BinaryField(primary_key=True, max_length=32)
    project = models.ForeignKey(Project, models.CASCADE, related_name="+")
    body = BinaryField()
    created_at = models.DateTimeField(default=timezone.now, db_default=Now(), db_index=True)
