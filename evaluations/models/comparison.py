"""The table of the comparisons ever made on a dataset."""

from django.db import models

from .dataset import Dataset
from .run import Run


class CountedComparison(models.Model):
    """A candidate's outputs that were compared on a dataset for the first time, by their digest.

    Rows are never deleted while the dataset exists, so deleting runs does not shorten the history.
    """

    dataset = models.ForeignKey(Dataset, models.CASCADE, related_name="counted_comparisons")
    dataset_version = models.PositiveIntegerField()
    run = models.ForeignKey(Run, models.SET_NULL, null=True, related_name="+")
    outputs = models.CharField(max_length=64)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["run", "outputs"], name="counted_once")]
