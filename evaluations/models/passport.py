"""The tables of the seal: when sealed labels were opened for a version of an evaluator, or unsealed for good."""

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


class Unsealing(models.Model):
    """A label set whose sealed labels anybody may read beside a judge: they measure no further version."""

    label_set = models.OneToOneField(Evaluator, models.CASCADE, related_name="unsealing")
    reason = models.TextField()
    unsealed_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    unsealed_at = models.DateTimeField(default=timezone.now, editable=False)
