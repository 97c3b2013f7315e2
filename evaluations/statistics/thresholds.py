"""Pass rates at every threshold, and the agreement of each threshold with verdicts."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from evaluations.statistics.histogram import grid
from evaluations.statistics.intervals import TAILS, Interval

Operator = Literal[">=", ">", "<=", "<"]
Optional = float | None
Table = NDArray[Any]

STEPS = 100
RESAMPLES = 2_000


@dataclass(frozen=True)
class Sweep:
    """`pass_rates[i]` of the `n` scores pass `thresholds[i]`; None without a score."""

    thresholds: tuple[float, ...]
    pass_rates: tuple[Optional, ...]
    n: int


@dataclass(frozen=True)
class Agreement:
    """The agreement of each threshold with the verdicts of `n` examples; None for a division by 0.

    `best` has the largest kappa (the lowest such threshold); `interval` holds 95 % of the best thresholds in
    resamples.
    """

    thresholds: tuple[float, ...]
    precision: tuple[Optional, ...]
    recall: tuple[Optional, ...]
    kappa: tuple[Optional, ...]
    n: int
    best: float | None
    interval: Interval | None
    seed: int


def sweep(
    values: NDArray[np.float64], comparison: Operator = ">=", low: float = 0.0, high: float = 1.0
) -> Sweep:
    """The pass rate at 101 thresholds from `low` to `high`; a score passes by `comparison`, such as ">=".

    Kinds that minimise pass at "<=". Slots without a score (NaN) are left out.
    """
    thresholds = grid(low, high, STEPS)
    values = values[np.isfinite(values)]
    passes = _passes(_tally(values, thresholds, comparison), comparison)
    rates = passes / len(values) if values.size else np.full(STEPS + 1, np.nan)
    return Sweep(tuple(thresholds.tolist()), _optional(rates), len(values))


def agreement(
    values: NDArray[np.float64],
    verdicts: NDArray[np.bool_] | NDArray[np.int8],
    comparison: Operator = ">=",
    low: float = 0.0,
    high: float = 1.0,
    *,
    seed: int = 0,
) -> Agreement:
    """Precision, recall and Cohen's kappa at 101 thresholds against `verdicts` (1, 0, or -1 for none)."""
    verdicts = np.asarray(verdicts).astype(np.int8)
    judged = np.isfinite(values) & (verdicts >= 0)
    values, approved = values[judged], verdicts[judged] == 1
    thresholds = grid(low, high, STEPS)
    cells = np.stack([_tally(values[side], thresholds, comparison) for side in (approved, ~approved)])
    precision, recall, kappa = _agree(cells, comparison)
    best, interval = _best(cells, kappa, thresholds, comparison, np.random.default_rng(seed))
    return Agreement(
        thresholds=tuple(thresholds.tolist()),
        precision=_optional(precision),
        recall=_optional(recall),
        kappa=_optional(kappa),
        n=len(values),
        best=best,
        interval=interval,
        seed=seed,
    )


def _tally(values: Table, thresholds: Table, comparison: Operator) -> NDArray[np.intp]:
    """How many values have exactly 0, 1, … thresholds below them (for ">=" and "<", below or equal)."""
    side: Literal["left", "right"] = "right" if comparison in (">=", "<") else "left"
    return np.bincount(np.searchsorted(thresholds, values, side=side), minlength=len(thresholds) + 1)


def _passes(tally: Table, comparison: Operator) -> Table:
    """How many values pass each threshold, from tallies along the last axis."""
    below = np.cumsum(tally, axis=-1)[..., :-1]
    return tally.sum(axis=-1, keepdims=True) - below if comparison in (">=", ">") else below


def _agree(cells: Table, comparison: Operator) -> tuple[Table, Table, Table]:
    """Precision, recall and kappa, from tallies of approved and rejected examples along the last two axes."""
    passes = _passes(cells, comparison).astype(np.float64)
    hits, false_alarms = passes[..., 0, :], passes[..., 1, :]
    totals = cells.sum(axis=-1).astype(np.float64)
    approved, rejected = totals[..., 0, None], totals[..., 1, None]
    n = approved + rejected
    passed = hits + false_alarms
    same = hits + rejected - false_alarms
    by_chance = (approved * passed + rejected * (n - passed)) / np.maximum(n, 1)
    return _ratio(hits, passed), _ratio(hits, approved), _ratio(same - by_chance, n - by_chance)


def _best(
    cells: Table, kappa: Table, thresholds: Table, comparison: Operator, chance: np.random.Generator
) -> tuple[float | None, Interval | None]:
    if np.isnan(kappa).all():
        return None, None
    n = int(cells.sum())
    resamples = chance.multinomial(n, cells.ravel() / n, RESAMPLES).reshape(-1, *cells.shape)
    kappas = _agree(resamples, comparison)[2]
    winners = thresholds[np.argmax(np.where(np.isnan(kappas), -np.inf, kappas), axis=-1)]
    low, high = np.quantile(winners, TAILS, method="inverted_cdf")
    return float(thresholds[np.nanargmax(kappa)]), (float(low), float(high))


def _ratio(part: Table, whole: Table) -> Table:
    part, whole = np.broadcast_arrays(part, whole)
    return np.asarray(np.divide(part, whole, out=np.full(part.shape, np.nan), where=whole > 0))


def _optional(figures: Table) -> tuple[Optional, ...]:
    return tuple(None if np.isnan(figure) else figure for figure in figures.tolist())
