"""How well evaluators agree with a reference, such as human scores, on the order of a dataset's variants."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from evaluations.datasets.live_positions import Positions
from evaluations.evaluators.recipe import Recipe
from evaluations.models import Dataset, Evaluator, Run, Scoring
from evaluations.results.shown import scorings_by_run
from evaluations.scoring import column_cache, coverage
from evaluations.statistics import systems
from evaluations.statistics.systems import Scores
from evaluations.values import Status

from ..figures import cache
from . import trends
from .leaderboards import ranked_points

FEWEST = 3  # systems (variants)
DRAWS = 999
MOST_EXAMPLES = 2_000  # examples; for more, a seeded sample is used
SEED = 1


@dataclass(frozen=True)
class Row:
    """One evaluator against the reference, over the examples that both scored for every system.

    `behind` is how far its correlation is below that of the first row, over their common examples, and `p` the p value
    of that.
    """

    evaluator: int
    examples: int
    accuracy: float
    soft_accuracy: float
    correlation: float
    behind: float | None = None
    p: float | None = None


@dataclass(frozen=True)
class Rows:
    rows: list[Row]


@dataclass(frozen=True)
class SystemAgreement:
    """Evaluators, best first; the systems are the ranked runs of the leaderboard. `reason` says why `rows` is empty."""

    against: Evaluator | None
    runs: Sequence[Run]
    evaluators: dict[int, Evaluator]
    rows: Sequence[Row]
    reason: str | None = None

    @property
    def run_ids(self) -> list[int]:
        return [run.pk for run in self.runs]

    @property
    def named_rows(self) -> list[tuple[Evaluator, Row]]:
        return [(self.evaluators[row.evaluator], row) for row in self.rows]


def system_agreement(dataset: Dataset, against: str) -> SystemAgreement:
    """The agreement with `against` (id or name) of the evaluators that scored all ranked runs by one version."""
    trend = trends.trend(dataset, against)
    points = ranked_points(trend) if trend else []
    runs = [point.run for point in points]
    if trend is None or len(points) < FEWEST:
        too_few = f"At least {FEWEST} variants with comparable scores are needed; there are {len(points)}."
        return SystemAgreement(trend.evaluator if trend else None, runs, {}, [], too_few)
    columns = _complete(runs)
    reference = [point.scoring for point in points]
    compared_columns = {pk: column for pk, column in columns.items() if pk != trend.evaluator.pk}
    used = [reference, *compared_columns.values()]
    key = (
        "systems",
        tuple(scoring.stamp for column in used for scoring in column),
    )
    table = cache.cached(key, Rows, lambda: _rows(reference, compared_columns))
    evaluators_by_id = {pk: column[0].evaluator_version.evaluator for pk, column in compared_columns.items()}
    reason = None if table.rows else "No other evaluator scored all of these variants with one version."
    return SystemAgreement(trend.evaluator, runs, evaluators_by_id, table.rows, reason)


def _complete(runs: Sequence[Run]) -> dict[int, list[Scoring]]:
    """The scorings of each evaluator that scored all runs with one version, in the order of the runs."""
    by_evaluator: dict[int, list[Scoring]] = {}
    for scorings in scorings_by_run(runs).values():
        for scoring in scorings:
            by_evaluator.setdefault(scoring.evaluator_version.evaluator_id, []).append(scoring)
    return {
        pk: scorings
        for pk, scorings in by_evaluator.items()
        if len(scorings) == len(runs) and len({scoring.evaluator_version_id for scoring in scorings}) == 1
    }


def _rows(reference: Sequence[Scoring], compared_scorings: dict[int, list[Scoring]]) -> Rows:
    positions = coverage.positions(reference[0].run)  # of all runs: they are ranked on one dataset version
    human = _scores(reference, positions)
    rows, looked_at = [], {}
    for pk, scorings in compared_scorings.items():
        metric = _scores(scorings, positions)
        chosen = _examples(human, metric)
        if len(chosen):
            looked_at[pk] = chosen, metric[:, chosen]
            rows.append(_row(pk, human[:, chosen], metric[:, chosen]))
    rows.sort(key=lambda row: (-row.soft_accuracy, row.evaluator))
    return Rows([_compared_with_first(row, rows[0], human, looked_at) for row in rows])


def _scores(scorings: Sequence[Scoring], positions: Positions) -> Scores:
    """Scores with shape (systems, examples), higher is better; NaN without a score."""
    columns = column_cache.load(scorings, positions)
    low = Recipe.from_version(scorings[0].evaluator_version).direction == "minimize"
    slots = [columns[scoring.pk] for scoring in scorings]
    values = np.array([np.where(slot.status == Status.SCORED, slot.values, np.nan) for slot in slots])
    return -values if low else values


def _examples(human: Scores, metric: Scores) -> np.ndarray:
    """The slots for which every system has both scores; if there are many, nearly the same for all evaluators."""
    chosen = np.flatnonzero(np.isfinite(human + metric).all(axis=0))
    if len(chosen) > MOST_EXAMPLES:
        order = np.random.default_rng(SEED).permutation(human.shape[1])[chosen]
        chosen = np.sort(chosen[np.argpartition(order, MOST_EXAMPLES)[:MOST_EXAMPLES]])
    return chosen


def _row(evaluator: int, human: Scores, metric: Scores) -> Row:
    swaps = np.random.default_rng(SEED).random((DRAWS, human.shape[1])) < 0.5
    means = human.mean(axis=1), metric.mean(axis=1)
    return Row(
        evaluator,
        human.shape[1],
        systems.pairwise_accuracy(*means),
        systems.soft_pairwise_accuracy(human, metric, swaps),
        systems.correlation(*means),
    )


def _compared_with_first(
    row: Row, first: Row, human: Scores, looked_at: dict[int, tuple[NDArray[np.intp], Scores]]
) -> Row:
    """The row, compared with the first one over the examples that both scored."""
    (best_examples, best), (examples, scores) = looked_at[first.evaluator], looked_at[row.evaluator]
    shared, in_best, in_row = np.intersect1d(best_examples, examples, assume_unique=True, return_indices=True)
    if row is first or not len(shared):
        return row
    chance = np.random.default_rng(SEED)
    swaps = (chance.random((len(human), len(shared))) < 0.5 for _ in range(DRAWS))
    behind, p = systems.perm_both(human[:, shared], best[:, in_best], scores[:, in_row], swaps)
    return replace(row, behind=behind, p=p)
