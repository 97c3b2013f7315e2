"""Recomputes stored scores in batches, and reports those that would be different today.

Formulas depend only on texts and settings, so a difference means that code, libraries or data have changed. Scores that
need a server are skipped, because its answers may vary, and so are scores that were sent.
"""

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from evaluations.evaluators.recipe import Recipe
from evaluations.kinds.scores import Scores
from evaluations.models import Run, Scoring
from evaluations.values import Status

from . import columns, coverage, formulas
from .columns import CHUNK, Slots
from .rows import Rows

TOLERANCE = 1e-9  # as in `verify_metrics`
SECONDS = 5.0  # per call; the next one continues
MOST_LISTED = 100


class Judgement(TypedDict):
    value: float | None
    passed: bool | None
    status: str


@dataclass(frozen=True)
class Drift:
    """A score that would be different today."""

    scoring: Scoring
    position: int
    stored: Judgement
    computed: Judgement


@dataclass
class Tally:
    """The result for one scoring; `largest` is the largest difference of two values."""

    scoring: Scoring
    examples: int = 0
    drifted: int = 0
    largest: float = 0.0


@dataclass
class Report:
    """The result so far; `next` is the position after which to continue, None at the end."""

    tallies: list[Tally]
    skipped: list[Scoring]
    drifts: list[Drift] = field(default_factory=list)
    next: int | None = None

    @property
    def drifted(self) -> int:
        return sum(tally.drifted for tally in self.tallies)


def verify(run: Run, scorings: Sequence[Scoring], after: int = 0, seconds: float | None = None) -> Report:
    """Recompute the rows after the position `after`, for `seconds` (None: all)."""
    recipes = {scoring.pk: Recipe.from_version(scoring.evaluator_version) for scoring in scorings}
    fixed = [scoring for scoring in scorings if _can_recompute(recipes[scoring.pk])]
    report = Report(
        [Tally(scoring) for scoring in fixed], [scoring for scoring in scorings if scoring not in fixed]
    )
    until = None if seconds is None else time.monotonic() + seconds
    end = coverage.positions(run).last
    for last in _batches(run, recipes, report, after):
        if until is not None and time.monotonic() >= until and last < end:
            report.next = last
            break
    return report


def _can_recompute(recipe: Recipe) -> bool:
    return not (recipe.kind.needs_connection or recipe.kind.is_recorded)


def _batches(run: Run, recipes: dict[int, Recipe], report: Report, after: int) -> Iterator[int]:
    """Compare stretch by stretch; yields the last position of each."""
    needs = frozenset(chain.from_iterable(recipes[tally.scoring.pk].needs for tally in report.tallies))
    ids = [tally.scoring.pk for tally in report.tallies]
    for first in coverage.positions(run).stretches(CHUNK) if ids else ():
        last = first + CHUNK - 1
        if last <= after:
            continue
        stored = columns.stretch(ids, first)
        shared: dict[Any, Any] = {}
        rows = _rows(run, max(first, after + 1), last, needs, _deadly(first, stored.values()))
        for tally in report.tallies:
            pk = tally.scoring.pk
            if recipes[pk].kind.is_derived:
                scores = formulas.scores(run, tally.scoring.evaluator_version, first, rows.positions)
            else:
                scores = recipes[pk].scores(rows.contexts, shared=shared)
            _compare(report, tally, rows.positions, stored[pk][0].at(rows.positions - first), scores)
        yield last


def _deadly(first: int, stored: Iterable[tuple[Slots, dict[int, str]]]) -> set[int]:
    """The positions whose scoring killed workers or took too long; they are not recomputed."""
    messages = chain.from_iterable(messages.items() for _, messages in stored)
    return {first + slot for slot, message in messages if message.startswith(("worker_lost:", "too_slow:"))}


def _rows(run: Run, first: int, last: int, needs: frozenset[str], deadly: set[int]) -> Rows:
    rows = Rows.read(run, first, last, needs)
    if not deadly:
        return rows
    return Rows.at(run, [pk for pk in rows.positions.tolist() if pk not in deadly], needs)


def _compare(
    report: Report, tally: Tally, positions: NDArray[np.int64], stored: Slots, computed: Scores
) -> None:
    distances = np.abs(stored.values - computed.values)
    only_one = np.isnan(stored.values) != np.isnan(computed.values)
    differs = only_one | (distances > TOLERANCE)
    differs |= (stored.passed != computed.passed) | (stored.status != computed.status)
    tally.examples += len(positions)
    tally.drifted += int(np.count_nonzero(differs))
    tally.largest = max(tally.largest, float(np.nanmax(distances, initial=0.0)))
    room = MOST_LISTED - len(report.drifts)
    for slot in np.flatnonzero(differs)[:room].tolist():
        judged = (_judgement(scores, slot) for scores in (stored, computed))
        report.drifts.append(Drift(tally.scoring, int(positions[slot]), *judged))


def _judgement(slots: Slots | Scores, slot: int) -> Judgement:
    value, passed = float(slots.values[slot]), int(slots.passed[slot])
    return {
        "value": None if np.isnan(value) else value,
        "passed": None if passed < 0 else bool(passed),
        "status": Status(int(slots.status[slot])).word,
    }


def as_dict(report: Report) -> dict[str, Any]:
    """The report as JSON for API and command."""
    return {
        "next": report.next,
        "drifted": report.drifted,
        "evaluators": [
            _named(tally.scoring)
            | {"examples": tally.examples, "drifted": tally.drifted, "largest": tally.largest}
            for tally in report.tallies
        ],
        "skipped": [_named(scoring) for scoring in report.skipped],
        "drift": [
            _named(drift.scoring)
            | {"position": drift.position, "stored": drift.stored, "computed": drift.computed}
            for drift in report.drifts
        ],
    }


def _named(scoring: Scoring) -> dict[str, Any]:
    version = scoring.evaluator_version
    return {
        "evaluator": version.evaluator_id,
        "name": version.evaluator.name,
        "version": version.number,
    }
