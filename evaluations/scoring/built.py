"""Blocks that are written without a chunk: columns of records and of formulas."""

import orjson
from django.db.models import F

from evaluations import bulk
from evaluations.kinds.scores import Scores
from evaluations.models import Block, Scoring

from . import columns, summaries

FIELDS = ("scoring_id", "first", "values", "passed", "status", "counts", "notes")


def write(scoring: Scoring, first: int, scores: Scores) -> None:
    """Replace what is stored for the positions from `first` on, one for each slot."""
    last = first + len(scores) - 1
    notes = orjson.dumps(summaries.notes(scores)).decode()
    # blocks of halved chunks, which a worker wrote, may begin inside
    Block.objects.filter(scoring=scoring, first__gt=first, first__lte=last).delete()
    bulk.upsert(
        Block, FIELDS, ("scoring_id", "first"), [(scoring.pk, first, *columns.pack(scores), None, notes)]
    )


def close(scoring: Scoring) -> None:
    """Store the figures of a column that was written, and let no cache keep the old ones."""
    scoring.summary = summaries.compute(scoring)
    scoring.save(update_fields=["summary"])
    Scoring.objects.filter(pk=scoring.pk).update(revision=F("revision") + 1)
