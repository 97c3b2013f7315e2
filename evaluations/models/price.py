"""The table of model prices."""

from django.db import models
from django.utils import timezone

from evaluations.values import LONGEST_NAME

from .connection import Connection
from .project import Project


class Price(models.Model):
    """The price of a connection's model from a day on, in millionths of the project's currency per million tokens.

    `cached` is the price of input tokens that the server had cached; null if they cost the same as others.
    """

    connection = models.ForeignKey(Connection, models.CASCADE, related_name="prices")
    model = models.CharField(max_length=LONGEST_NAME)
    input = models.BigIntegerField()
    cached = models.BigIntegerField(null=True)
    output = models.BigIntegerField()
    valid_from = models.DateField()
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["connection", "model", "valid_from"], name="price_once_a_day")
        ]
        ordering = ["model", "-valid_from"]

    def __str__(self) -> str:
        return f"{self.model} from {self.valid_from}"

    @property
    def project(self) -> Project:
        return self.connection.project
