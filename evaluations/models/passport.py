"""The table of openings: when the sealed labels of a label set were opened for a version of an evaluator."""

from django.conf import settings
from django.db import models
from django.utils import timezone

from .evaluator import Evaluator, EvaluatorVersion


class Opening(models.Model):
    """The sealed labels of `label_set`, opened for one version of an automatic evaluator; every opening counts.

    `labels` are the sealed answers that there were, `agreed` those on which evaluator and people agreed.
    """

    version = models.ForeignKey(EvaluatorVersion, models.CASCADE, related_name="openings")
    label_set = models.ForeignKey(Evaluator, models.CASCADE, related_name="+")
    labels = models.PositiveIntegerField()
    agreed = models.FloatField()
    opened_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    opened_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ["id"]
