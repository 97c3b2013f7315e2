"""The tables of records: scores that nobody can compute again, with the answer that each was given to."""

from django.conf import settings
from django.db import models
from django.utils import timezone

from .evaluator import EvaluatorVersion
from .run import Run


class RecordColumn(models.Model):
    """The records of one evaluator version about one run; its scoring is built from them (`scoring/records.py`).

    A removed column keeps its records until it can no longer be restored.
    """

    run = models.ForeignKey(Run, models.CASCADE, related_name="record_columns")
    evaluator_version = models.ForeignKey(EvaluatorVersion, models.PROTECT, related_name="record_columns")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    removed_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["run", "evaluator_version"],
                condition=models.Q(removed_at=None),
                name="record_column_once",
            )
        ]
        ordering = ["id"]


class Record(models.Model):
    """One score for one example; `number` counts those of the example, from 0. A record is never changed.

    `example` is the identity of the example, `answer` the digest of the answer that was scored (null: there was none).
    A record without `value` and `error` says that there is no score. `by` is who judged, as it was sent; `sender` is
    whose key or session sent it. The database has no foreign keys, for the same reason as in `Example`.
    """

    pk = models.CompositePrimaryKey("column_id", "example", "number")
    column = models.ForeignKey(
        RecordColumn, models.DO_NOTHING, related_name="records", db_constraint=False, db_index=False
    )
    example = models.PositiveIntegerField()
    number = models.PositiveIntegerField()
    answer = models.BigIntegerField(null=True)
    value = models.FloatField(null=True)
    label = models.TextField(null=True)
    error = models.TextField(null=True)
    note = models.TextField(null=True)
    by = models.TextField(null=True)
    sender = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.DO_NOTHING,
        null=True,
        related_name="+",
        db_constraint=False,
        db_index=False,
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)
