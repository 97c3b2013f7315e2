"""What the answers of a column of the bench come to."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import Any

from evaluations.models import TrialAnswer
from evaluations.playground.trials import TrialState


@dataclass(frozen=True)
class Sum:
    """What a column's answers come to: scores by evaluator in words, the median time of those that were asked now, and
    the cost of all examples.
    """

    variant: str
    figures: list[tuple[str, str]]
    to_come: int
    milliseconds: int | None
    cost: int | None
    cost_of_all: int | None
    is_free: bool = False
    is_stale: bool = False


def sum_of(state: TrialState, variant: int, *, is_stale: bool) -> Sum:
    answers = [row[variant] for row in state.rows]
    costs = [answer.cost for answer in answers if answer.text is not None]
    known_costs = [cost for cost in costs if cost is not None]
    times = [answer.latency_ms for answer in answers if answer.latency_ms is not None and not answer.cached]
    dataset, is_known = state.trial.dataset, bool(known_costs) and len(known_costs) == len(costs)
    return Sum(
        state.trial.variants[variant]["name"],
        _figures(answers),
        sum(1 for answer in answers if answer.state != TrialAnswer.State.DONE),
        round(median(times)) if times else None,
        sum(known_costs) if is_known else None,
        round(fmean(known_costs) * dataset.example_count) if is_known and dataset else None,
        all(answer.cached for answer in answers),
        is_stale,
    )


def _figures(answers: Sequence[TrialAnswer]) -> list[tuple[str, str]]:
    """By evaluator, its name and “3 of 5 pass” or the mean."""
    scores: dict[str, list[dict[str, Any]]] = {}
    for answer in answers:
        for score in answer.scores:
            scores.setdefault(score["name"], []).append(score)
    return [(name, _figure(found)) for name, found in scores.items()]


def _figure(scores: Sequence[dict[str, Any]]) -> str:
    judged = [score["passed"] for score in scores if score["passed"] is not None]
    if judged:
        return f"{sum(judged)} of {len(judged)} pass"
    values = [score["value"] for score in scores if score["value"] is not None]
    return f"{fmean(values):.2f}" if values else "–"
