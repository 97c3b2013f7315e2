"""The figures of a scoring: one function for page, API, export and command line."""

from dataclasses import asdict
from typing import Any

from . import columns
from .evaluation import Recipe
from .kinds.scores import Scores
from .models import Scoring
from .statistics import summary


def notes(scores: Scores) -> dict[str, Any]:
    """What a block keeps beside its arrays: sentences by slot, truncations and the sums for "so far" figures."""
    return {
        "messages": {str(slot): text for slot, text in scores.messages.items()},
        "truncated": scores.truncated,
        "partial": asdict(summary.partial(scores.values, scores.passed, scores.status)),
    }


def compute(scoring: Scoring) -> dict[str, Any]:
    """The summary of a finished scoring, from its arrays."""
    slots = columns.load(scoring.pk)
    low, high = Recipe.of(scoring.evaluator_version).bounds
    truncated = sum(note.get("truncated", 0) for note in scoring.blocks.values_list("notes", flat=True))
    found = summary.summarise(
        slots.values, slots.passed, slots.status, low=low, high=high, truncated=truncated
    )
    return asdict(found)


def so_far(scoring: Scoring) -> dict[str, Any]:
    """Mean, n, counts and pass rate of the blocks there are; what needs all values is null."""
    stored = scoring.blocks.values_list("notes", flat=True)
    return asdict(summary.merge(summary.Partial(**note["partial"]) for note in stored))


def of(scoring: Scoring) -> dict[str, Any]:
    """The kept summary of a scoring that has ended, else its figures so far."""
    return scoring.summary if scoring.summary is not None else so_far(scoring)
