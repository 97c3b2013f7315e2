"""The table of splits."""

from django.db import models

from .dataset import Dataset
from .fields import BinaryField, JSONTextField
from .owned import Named


class Split(Named):
    """A named set of examples of a dataset, computed for each version.

    In a split made by hand, `chosen` has a bit for the identity of each example, and `chosen_before` is its value
    before the last change. Both are null if a rule decides: the examples with the values of `filter` (pairs of
    metadata column and value), and with a `share`, those whose random number by `seed` lies in [`low`, `high`).
    An example belongs to one split of a `group` only.
    """

    dataset = models.ForeignKey(Dataset, models.CASCADE, related_name="splits")
    filter = JSONTextField(default=list)
    share = models.FloatField(null=True)
    seed = models.PositiveBigIntegerField(null=True)
    low = models.FloatField(default=0.0)
    high = models.FloatField(default=1.0)
    chosen = BinaryField(null=True)
    chosen_before = BinaryField(null=True)
    group = models.CharField(max_length=60, default="", blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["dataset", "name_key"], condition=models.Q(deleted_at=None), name="split_name"
            )
        ]
        ordering = ["id"]

    @property
    def kind(self) -> str:
        if self.chosen is not None:
            return "hand"
        return "filter" if self.share is None else "share"
