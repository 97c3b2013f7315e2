"""The tables of packed arrays about the examples of a dataset."""

from django.db import models

from .dataset import Dataset
from .fields import BinaryField


class ExampleArrays(models.Model):
    """Inputs and text lengths of a full stretch of a dataset's examples, as packed arrays (datasets/stored_arrays.py).

    Examples at given positions never change, so these arrays do not either. Equal numbers in `inputs` mean equal
    inputs.
    """

    dataset = models.ForeignKey(Dataset, models.CASCADE, related_name="arrays", db_index=False)
    first = models.PositiveIntegerField()
    inputs = BinaryField()
    input_lengths = BinaryField()
    reference_lengths = BinaryField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["dataset", "first"], name="example_arrays_once"),
        ]


class MetadataCodes(models.Model):
    """One metadata column of a stretch; no row exists if no example has a value."""

    arrays = models.ForeignKey(ExampleArrays, models.CASCADE, related_name="metadata")
    column = models.TextField()
    codes = BinaryField()
    values = BinaryField()
