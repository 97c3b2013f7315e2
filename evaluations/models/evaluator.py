"""The tables of evaluators and their versions."""

from django.conf import settings
from django.db import models
from django.utils import timezone

from .connection import Connection
from .fields import JSONTextField
from .owned import Named, unique_name


class Evaluator(Named):
    """A named configuration of an evaluator kind; `version` is the number of its newest version.

    A judge asks the server of its `connection`, null for the project's default. Who is asked is no part of a version.
    """

    version = models.PositiveIntegerField(default=1)
    connection = models.ForeignKey(Connection, models.SET_NULL, null=True, related_name="+")

    class Meta:
        constraints = [unique_name("evaluator")]
        ordering = ["-id"]


class EvaluatorVersion(models.Model):
    """The settings that computed scores; never changed once stored."""

    evaluator = models.ForeignKey(Evaluator, models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    kind = models.CharField(max_length=40)
    kind_version = models.PositiveSmallIntegerField()
    config = JSONTextField(default=dict)
    mapping = JSONTextField(default=dict)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["evaluator", "number"], name="evaluator_version_once")]
        ordering = ["-number"]

    def __str__(self) -> str:
        return f"{self.evaluator.name} v{self.number}"
