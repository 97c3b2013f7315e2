"""The rule by which a task ends itself: its interval is narrow enough, or variants are told apart.

Narrow enough: the 95 % interval of the mean (of several variants, of every difference to the first) is at most `width`
wide on either side, from 30 labelled examples on. A rule about the width alone does not favour one result.

Decided: looks after every 50 examples with the bounds of a group-sequential test (`statistics/sequential.py`), so that
all looks together err in at most 5 %. Examples count in the order in which they were complete on all sides.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.utils import timezone
from numpy.typing import NDArray

from evaluations.errors import Invalid
from evaluations.kinds.people import PeopleConfig
from evaluations.models import LabelTask, Run
from evaluations.statistics.intervals import mean_interval, wilson
from evaluations.statistics.sequential import Interim, Rule, look
from evaluations.statistics.summary import moments, skewness_of

from . import facts, sets

LEAST = 30  # examples, before a width means anything


@dataclass(frozen=True)
class Ended:
    """Why a task ended itself: after `n` examples, with this interval; `outcome` is that of the deciding look."""

    n: int
    low: float
    high: float
    outcome: str


def checked(config: PeopleConfig, runs: Sequence[Run], stop: dict[str, Any] | None) -> dict[str, Any] | None:
    """The rule as stored; raises `Invalid` if labels like these cannot end a task by it."""
    if stop is None:
        return None
    if not config.has_means or config.minimum is None or config.maximum is None:
        raise _invalid("Words without numbers, or without a lowest and a highest one, cannot end a task.")
    if config.purpose == "weighted":
        raise _invalid("A sample that is weighed by its parts does not end by itself.")
    span = config.maximum - config.minimum
    name = "width" if stop["by"] == "width" else "margin"
    limit = stop.get(name)
    if limit is None or not 0 < limit < span:
        raise _invalid(f"The {name} must be above 0 and below {span:g}, the range of the labels.")
    if stop["by"] == "decided" and len(runs) < 2:
        raise _invalid("Only between variants can something be decided; choose two, or end by the width.")
    return {"by": stop["by"], name: limit}


def _invalid(message: str) -> Invalid:
    return Invalid("invalid_task", message, fields={"stop": [message]})


def look_at(task: LabelTask) -> Ended | None:
    """Look at a task, which is locked, and end it if its rule says so."""
    if task.stop is None or task.closed_at:
        return None
    columns = _columns(task)
    ended = _narrow(task, columns) if task.stop["by"] == "width" else _decided(task, columns)
    if ended:
        task.stop = {**task.stop, "ended": vars(ended)}
        task.closed_at = timezone.now()
        task.save(update_fields=["stop", "closed_at"])
    return ended


def _columns(task: LabelTask) -> NDArray[np.float64]:
    """A row for each run, the first the baseline; a column for each example that has a value on all sides, in the order
    in which they were complete."""
    config = sets.config_of(task.version)
    by_run = []
    for run in task.runs.filter(deleted_at=None).select_related("experiment__dataset").order_by("pk"):
        valued = {}
        for given in facts.of_run(task.version, run).values():
            value, _ = facts.decided(config, given)
            if value is not None:
                valued[given[0].example] = value, max(fact.label for fact in given)
        by_run.append(valued)
    complete = set.intersection(*(set(valued) for valued in by_run)) if by_run else set()
    ordered = sorted(complete, key=lambda example: max(valued[example][1] for valued in by_run))
    return np.array([[valued[example][0] for example in ordered] for valued in by_run], np.float64)


def _narrow(task: LabelTask, columns: NDArray[np.float64]) -> Ended | None:
    n = columns.shape[-1]
    if n < LEAST:
        return None
    config = sets.config_of(task.version)
    assert config.minimum is not None
    assert config.maximum is not None
    span = config.maximum - config.minimum
    if len(columns) == 1:
        intervals = [_interval(columns[0], config.minimum, config.maximum)]
    else:
        intervals = [_interval(other - columns[0], -span, span) for other in columns[1:]]
    widest = max(intervals, key=lambda interval: interval[1] - interval[0])
    is_narrow = (widest[1] - widest[0]) / 2 <= (task.stop or {})["width"]
    return Ended(n, *widest, "narrow") if is_narrow else None


def _interval(values: NDArray[np.float64], low: float, high: float) -> tuple[float, float]:
    mean, sd = moments(values)
    assert mean is not None
    if (low, high) == (0.0, 1.0) and not np.setdiff1d(values, [0.0, 1.0]).size:
        found = wilson(int(values.sum()), len(values))
    else:
        found = mean_interval(len(values), mean, sd, skewness_of(values, mean, sd), low, high)
    return (low, high) if found is None else found


def _decided(task: LabelTask, columns: NDArray[np.float64]) -> Ended | None:
    """The last of the deciding looks, if every variant is decided."""
    config = sets.config_of(task.version)
    assert config.minimum is not None
    assert config.maximum is not None
    if len(columns) < 2:
        return None
    span = config.maximum - config.minimum
    margin = (task.stop or {})["margin"] / span
    rule = Rule(task.size, len(columns) - 1, margin, config.direction)
    looks = [_first((other - columns[0]) / span, rule) for other in columns[1:]]
    if not looks or None in looks:
        return None
    last = max((found for found in looks if found), key=lambda found: found.n)
    low, high = last.interval
    return Ended(last.n, low * span, high * span, last.outcome)


def _first(differences: NDArray[np.float64], rule: Rule) -> Interim | None:
    """The first look that decides."""
    due = (look(differences, n, rule) for n in rule.looks if n <= len(differences))
    return next((found for found in due if found.outcome), None)
