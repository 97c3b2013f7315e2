"""Columns of formulas: computed from the columns of their sources when these are complete, and when one changes."""

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from django.db.models import F
from django.db.models.functions import Length
from numpy.typing import NDArray

from evaluations import bulk
from evaluations.evaluators import formulas
from evaluations.kinds.formula import computed, explained
from evaluations.kinds.scores import Scores
from evaluations.metrics.expressions import Numbers
from evaluations.models import EvaluatorVersion, Job, Output, Run, Scoring
from evaluations.values import Status

from . import built, columns, spans
from .columns import CHUNK, Slots

FIELDS: dict[str, Any] = {"length": Length("text"), "latency_ms": F("latency_ms"), "tokens": F("tokens")}


def is_derived(version: EvaluatorVersion) -> bool:
    """Whether the scores of a version are computed from other scores."""
    return version.kind in formulas.DERIVED


def refresh(run: Run, changed: Collection[int]) -> None:
    """Compute the formulas of a run that are, or read, one of these versions; the run is locked.

    A formula waits while one of its sources is being computed: the end of that job refreshes it.
    """
    derived = run.scorings.filter(evaluator_version__kind__in=formulas.DERIVED)
    for scoring in derived.select_related("evaluator_version"):
        sources = formulas.read_by(scoring.evaluator_version)
        read = {version.pk for version in sources.values()}
        if not ({scoring.evaluator_version_id} | read) & set(changed):
            continue
        is_waiting = run.scorings.filter(evaluator_version__in=read, job__state=Job.State.OPEN).exists()
        if not is_waiting:
            _write(run, scoring, sources)


def _write(run: Run, scoring: Scoring, sources: Mapping[str, EvaluatorVersion]) -> None:
    by_name = scorings_of(run, sources)
    for first, last, _ in spans.of_run(run, Job.TEXT):
        positions = spans.asked_between(run, first, last)
        block = Scores.empty(last - first + 1)
        block.put(positions - first, _scores(run, scoring.evaluator_version, by_name, first, positions))
        built.write(scoring, first, block)
    built.close(scoring)


def scorings_of(run: Run, sources: Mapping[str, EvaluatorVersion]) -> dict[str, int]:
    """By name, the id of the scoring that a formula reads; without those that the run lacks."""
    stored = run.scorings.filter(evaluator_version__in=sources.values())
    by_version = dict(stored.values_list("evaluator_version", "pk"))
    return {name: by_version[version.pk] for name, version in sources.items() if version.pk in by_version}


def scores(run: Run, version: EvaluatorVersion, first: int, positions: NDArray[np.int64]) -> Scores:
    """What a formula gives at `positions`, which lie in the stretch that begins at `first`: one slot for each."""
    return _scores(run, version, scorings_of(run, formulas.read_by(version)), first, positions)


def _scores(
    run: Run, version: EvaluatorVersion, by_name: Mapping[str, int], first: int, positions: NDArray[np.int64]
) -> Scores:
    config = formulas.config_of(version)
    stored = columns.stretch(list(by_name.values()), first)
    read = {name: stored[pk] for name, pk in by_name.items()}
    numbers = {name: _column(slots.at(positions - first)) for name, (slots, _) in read.items()}
    lacking = Numbers(np.full(len(positions), np.nan), np.full(len(positions), Status.NOT_SENT, np.uint8))
    of_scores = {name: numbers.get(name, lacking) for name in config.scores}
    of_row = _of_row(run, config.of_row, first, positions)
    result = computed(config, of_scores | of_row, len(positions))
    for name, (slots, messages) in read.items():
        _explain_errors(result, name, slots.at(positions - first), messages, positions - first)
    return result


def _column(slots: Slots) -> Numbers:
    """A source's scores; what it has not scored is missing."""
    return Numbers(slots.values, np.where(slots.is_known, slots.status, np.uint8(Status.NOT_SENT)))


def _explain_errors(
    result: Scores, name: str, source: Slots, messages: Mapping[int, str], offsets: NDArray[np.int64]
) -> None:
    for row in np.flatnonzero((result.status == Status.ERROR) & (source.status == Status.ERROR)).tolist():
        message = messages.get(int(offsets[row]), "")
        result.messages.setdefault(row, f"source_error: {name}: {message}")


def _of_row(run: Run, names: Sequence[str], first: int, positions: NDArray[np.int64]) -> dict[str, Numbers]:
    """What the outputs themselves have by these names; without an output it is missing."""
    if not names:
        return {}
    within = Output.objects.filter(
        run=run, position__gte=first, position__lt=first + CHUNK, text__isnull=False
    )
    found = {
        position: numbers
        for position, *numbers in bulk.select(
            within.values_list("position", *(FIELDS[name] for name in names))
        )
    }
    nothing = [None] * len(names)
    rows = np.array([found.get(int(position), nothing) for position in positions], np.float64)
    table = rows.reshape(len(positions), len(names))
    has_output = np.array([int(position) in found for position in positions], np.bool_)
    lacking = np.where(has_output, np.uint8(Status.NOT_SENT), np.uint8(Status.MISSING_ACTUAL))
    return {
        name: Numbers(column, np.where(np.isnan(column), lacking, np.uint8(Status.SCORED)))
        for name, column in zip(names, table.T, strict=True)
    }


def explanation(run: Run, version: EvaluatorVersion, position: int) -> dict[str, Any]:
    """The formula at one position, with the numbers that it read."""
    config = formulas.config_of(version)
    first = (position - 1) // CHUNK * CHUNK + 1
    at = np.array([position], np.int64)
    by_name = scorings_of(run, formulas.read_by(version))
    stored = columns.stretch(list(by_name.values()), first)
    read = {name: _column(stored[pk][0].at(at - first)) for name, pk in by_name.items()}
    read |= _of_row(run, config.of_row, first, at)
    return explained(config, {name: _known(column) for name, column in read.items()})


def _known(column: Numbers) -> float | None:
    """The number of the only row; None where it has no score that counts."""
    value, status = float(column.values[0]), column.status[0]
    return value if status in (Status.SCORED, Status.NOT_FOUND) and not math.isnan(value) else None
