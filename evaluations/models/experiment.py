"""The tables of experiments."""

from django.db import models
from django.utils import timezone

from evaluations.errors import Conflict
from evaluations.values import LONGEST_NAME

from .dataset import Dataset, Example, ExampleQuerySet
from .evaluator import Evaluator, EvaluatorVersion
from .fields import JSONTextField
from .leased import Leased
from .owned import Named, unique_name


class Experiment(Named):
    """A dataset version and a set of evaluator versions, on which variants are compared.

    The `primary` evaluator decides. By evaluator id as text, `margins` are the smallest differences that matter, and
    `ties` the largest ones that count as ties. An experiment from an upload is listed once its dataset is. `source`
    describes the export of another tool that it was imported from: its graders, and the figures of its own summary.
    `first_file` has the name and mapping of the file that brought its first outputs, as further files are read like it.
    `earlier` is what the page showed on the dataset version before this one (`comparisons/earlier_version.py`).
    Evaluators that call a server may spend `budget_per_run` (in millionths of millionths of the project's currency) and
    `max_calls_per_run` on a run for which nobody names money.
    """

    dataset = models.ForeignKey(Dataset, models.PROTECT, related_name="experiments")
    dataset_version = models.PositiveIntegerField(default=1)
    baseline = models.CharField(max_length=LONGEST_NAME, blank=True)
    primary = models.ForeignKey(Evaluator, models.SET_NULL, null=True, related_name="+")
    margins = JSONTextField(default=dict)
    ties = JSONTextField(default=dict)
    source = JSONTextField(null=True)
    first_file = JSONTextField(default=dict)
    earlier = JSONTextField(default=dict)
    budget_per_run = models.BigIntegerField(null=True)
    max_calls_per_run = models.PositiveIntegerField(null=True)
    evaluator_versions = models.ManyToManyField(
        EvaluatorVersion, through="ExperimentEvaluator", related_name="experiments"
    )

    class Meta:
        constraints = [unique_name("experiment")]
        ordering = ["-id"]

    def check_above(self) -> None:
        if self.dataset.deleted_at:
            raise Conflict("dataset_deleted", "Its dataset was deleted.", hint="Restore the dataset first.")

    @property
    def examples(self) -> ExampleQuerySet:
        """The examples of the experiment's dataset version."""
        return Example.objects.of_version(self.dataset_id, self.dataset_version)


class OutputCopy(Leased):
    """Outputs that a worker copies to the new positions of examples, edited between the versions `source` and `target`.

    `done` of `total` edited examples are copied, in all runs. The row is deleted at the end.
    """

    experiment = models.OneToOneField(Experiment, models.CASCADE, related_name="output_copy")
    source = models.PositiveIntegerField()
    target = models.PositiveIntegerField()
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField()
    created_at = models.DateTimeField(default=timezone.now, editable=False)


class ExperimentEvaluator(models.Model):
    experiment = models.ForeignKey(Experiment, models.CASCADE, related_name="evaluator_links")
    evaluator_version = models.ForeignKey(EvaluatorVersion, models.PROTECT, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["experiment", "evaluator_version"], name="experiment_evaluator_once"
            )
        ]
        ordering = ["id"]
