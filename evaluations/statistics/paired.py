"""Is a run better than its baseline on the same examples, or is it noise? One evaluator, two aligned columns.

Which test and which interval, for m pairs that differ among n:

| data | test | 95 % interval |
| --- | --- | --- |
| all values 0 or 1 | McNemar's exact test | Tango's score interval |
| scores, m < 200 | sign-flip permutation | studentised bootstrap |
| scores, m >= 200 | paired t | paired t |
| scores in clusters | t on the cluster jackknife | the same |

It is m that decides, not n: ties say nothing about the sign of a difference, and t is too bold on a thousand
pairs of which four differ. Intervals are of the single comparison; `corrections.correct` corrects the p of a
whole page.
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from evaluations.statistics import bootstrap, clusters, mcnemar, paired_power, signflip
from evaluations.statistics.intervals import LEVEL, Interval
from evaluations.statistics.summary import Statuses, Values
from evaluations.values import Status

Direction = Literal["maximize", "minimize"]
Verdict = Literal["better", "worse", "cannot_tell"]

ALPHA = 0.05
FEW = 200
LARGEST = 1e150  # the squares of larger differences overflow
ROUNDING = 1e-12  # differences that are equal on paper differ by less, relatively
TIE_SHARE = 0.001  # of the evaluator's range

NO_PAIRS = "No example has a score in both runs."
ONE_PAIR = "One pair cannot tell a difference from chance."
ONE_CLUSTER = "All examples belong to one cluster."
NO_SPREAD = "Every pair differs by the same amount, so there is no spread to make an interval from."
ALL_TIED = "Every pair has the same score in both runs."
TOO_LARGE = "The scores are too large for their differences to be numbers."


@dataclass(frozen=True)
class Evidence:
    """A test and an interval; `df` degrees of freedom belong to `standard_error`. Verdicts have neither."""

    p: float | None = None
    method: str | None = None
    interval: Interval | None = None
    interval_method: str | None = None
    standard_error: float | None = None
    df: float | None = None
    smallest: float | None = None
    reason: str | None = None


@dataclass(frozen=True)
class Paired:
    """A run compared with its baseline. Differences are run minus baseline, whatever the direction.

    Every example that is in either run is in one of `n` (both have a value), `only_run`, `only_baseline` (one
    has), `error` (neither, and one of them failed) and `missing` (neither, otherwise). The means are over the
    n pairs. `wins` are pairs in which the run is better by more than `tie_tolerance`. `effect_size` is the
    mean difference in standard deviations of the differences (Cohen's d_z). `smallest` is the difference that
    would have been seen four times in five. What cannot be said is None, and `reason` is a sentence that says
    why.
    """

    direction: Direction
    n: int
    only_run: int
    only_baseline: int
    missing: int
    error: int
    mean: float | None
    baseline_mean: float | None
    difference: float | None
    sd: float | None
    effect_size: float | None
    wins: int
    losses: int
    ties: int
    tie_tolerance: float
    interval: Interval | None
    interval_method: str | None
    p: float | None
    method: str | None
    standard_error: float | None
    df: float | None
    smallest: float | None
    reason: str | None
    seed: int
    p_corrected: float | None = None
    verdict: Verdict = "cannot_tell"


def compare(
    baseline: Values,
    run: Values,
    *,
    direction: Direction,
    statuses: tuple[Statuses, Statuses] | None = None,
    clusters: ArrayLike | None = None,
    bounds: tuple[float, float | None] = (0.0, None),
    tie: float | None = None,
    seed: int = 0,
) -> Paired:
    """Compare two columns with one slot per example, NaN where there is no score.

    `statuses` are the baseline's and the run's: a slot ABSENT from both counts nowhere. `clusters` labels
    each slot with what it belongs to. `tie` is the largest difference that counts as none, by default 0.001
    of the range between the evaluator's `bounds`, and 0 without an upper bound; it decides wins and losses,
    never the test. `seed` settles every draw.
    """
    has_baseline, has_run = np.isfinite(baseline), np.isfinite(run)
    both = has_baseline & has_run
    a, b = baseline[both], run[both]
    with np.errstate(over="ignore"):
        differences = b - a
    low, high = bounds
    tolerance = (0.0 if high is None else TIE_SHARE * (high - low)) if tie is None else tie
    higher = int(np.count_nonzero(differences > tolerance))
    lower = int(np.count_nonzero(differences < -tolerance))
    wins, losses = (higher, lower) if direction == "maximize" else (lower, higher)
    labels = None if clusters is None else np.asarray(clusters)[both]
    figures, evidence = _examine(a, b, differences, labels, np.random.default_rng(seed))
    missing, error = _without_score(~(has_baseline | has_run), statuses)
    return Paired(
        direction=direction,
        n=len(differences),
        only_run=int(np.count_nonzero(has_run & ~has_baseline)),
        only_baseline=int(np.count_nonzero(has_baseline & ~has_run)),
        missing=missing,
        error=error,
        wins=wins,
        losses=losses,
        ties=len(differences) - wins - losses,
        tie_tolerance=tolerance,
        seed=seed,
        **vars(figures),
        **vars(evidence),
    )


def examples_needed(comparison: Paired, difference: float) -> int | None:
    """How many examples like these would show `difference` four times in five; None where no number would."""
    n, sd = comparison.n, comparison.sd
    if sd is None or comparison.difference is None:
        return None
    if comparison.method == "mcnemar_exact":
        discordant = sd**2 * (n - 1) / n + comparison.difference**2
        return paired_power.examples_needed_for_rate(difference, discordant)
    if comparison.standard_error is None or comparison.df is None:
        return None
    return paired_power.examples_needed(
        difference, comparison.standard_error * math.sqrt(n), independent=(comparison.df + 1) / n
    )


@dataclass(frozen=True)
class _Figures:
    mean: float | None = None
    baseline_mean: float | None = None
    difference: float | None = None
    sd: float | None = None
    effect_size: float | None = None


def _examine(
    a: Values, b: Values, differences: Values, labels: NDArray | None, chance: np.random.Generator
) -> tuple[_Figures, Evidence]:
    n = len(differences)
    if n == 0:
        return _Figures(), Evidence(reason=NO_PAIRS)
    smallest, largest = float(differences.min()), float(differences.max())
    if max(-smallest, largest, a.max(), b.max(), -a.min(), -b.min()) > LARGEST:
        return _Figures(), Evidence(reason=TOO_LARGE)
    difference = float(differences.mean())
    figures = _Figures(float(b.mean()), float(a.mean()), difference)
    if n == 1:
        return figures, Evidence(reason=ONE_PAIR)
    constant = largest - smallest <= ROUNDING * max(-smallest, largest)
    sd = 0.0 if constant else float(differences.std(ddof=1))
    figures = _Figures(float(b.mean()), float(a.mean()), difference, sd, difference / sd if sd else None)
    if labels is not None:
        return figures, _clustered(differences, difference, constant, labels)
    if _all_verdicts(a) and _all_verdicts(b):
        return figures, _verdicts(n, gained=int(np.count_nonzero(b > a)), lost=int(np.count_nonzero(b < a)))
    if constant:
        return figures, _constant(difference, n)
    return figures, _scores(differences, difference, sd, chance)


def _scores(differences: Values, difference: float, sd: float, chance: np.random.Generator) -> Evidence:
    n = len(differences)
    differing = differences[differences != 0]
    standard_error = sd / math.sqrt(n)
    if len(differing) >= FEW:
        return _student("paired_t", difference, standard_error, n - 1)
    return Evidence(
        p=signflip.p_value(differing, chance),
        method="sign_flip",
        interval=bootstrap.interval(differing, n, chance),
        interval_method="bootstrap",
        standard_error=standard_error,
        df=n - 1,
        smallest=paired_power.smallest_difference(standard_error, n - 1),
    )


def _clustered(differences: Values, difference: float, constant: bool, labels: NDArray) -> Evidence:
    spread = clusters.spread(differences, labels)
    if spread is None:
        return Evidence(reason=ONE_CLUSTER)
    if constant or spread.standard_error <= ROUNDING * abs(difference):
        return _constant(difference, spread.clusters)
    return _student("cluster_t", difference, spread.standard_error, spread.df)


def _verdicts(n: int, gained: int, lost: int) -> Evidence:
    return Evidence(
        p=mcnemar.p_value(gained, lost),
        method="mcnemar_exact",
        interval=mcnemar.interval(gained, lost, n),
        interval_method="tango",
        smallest=paired_power.smallest_rate_difference(n, (gained + lost) / n),
    )


def _student(method: str, difference: float, standard_error: float, df: float) -> Evidence:
    half = float(special.stdtrit(df, (1 + LEVEL) / 2)) * standard_error
    return Evidence(
        p=2 * float(special.stdtr(df, -abs(difference) / standard_error)),
        method=method,
        interval=(difference - half, difference + half),
        interval_method=method,
        standard_error=standard_error,
        df=df,
        smallest=paired_power.smallest_difference(standard_error, df),
    )


def _constant(difference: float, units: int) -> Evidence:
    """Without spread only signs are left: all of `units` coins fell on one side, or no coin was thrown."""
    if difference == 0:
        return Evidence(p=1.0, method="sign_flip", reason=ALL_TIED)
    return Evidence(p=math.ldexp(1.0, 1 - units), method="sign_flip", reason=NO_SPREAD)


def _all_verdicts(values: Values) -> bool:
    return bool(((values == 0) | (values == 1)).all())


def _without_score(neither: NDArray[np.bool_], statuses: tuple[Statuses, Statuses] | None) -> tuple[int, int]:
    """How many examples with a score in neither run are missing, and how many are errors."""
    if statuses is None:
        return int(np.count_nonzero(neither)), 0
    baseline, run = statuses
    failed = neither & ((baseline == Status.ERROR) | (run == Status.ERROR))
    present = neither & ((baseline != Status.ABSENT) | (run != Status.ABSENT))
    error = int(np.count_nonzero(failed))
    return int(np.count_nonzero(present)) - error, error
