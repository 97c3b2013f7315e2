"""The summary of a column of scores, without scipy, because web pages and workers import this module at their start.

Arrays have one slot per example. `values` is float64 with NaN where there is no score, `passed` int8 (1, 0,
or -1 for no verdict), `status` uint8 (`Status`). A slot with status ABSENT belongs to no example and counts
nowhere.

Sums are exact (the true sum of the floats, rounded once), so a figure does not depend on the
order in which chunks were scored. A million values take about a tenth of a second.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluations import long_arrays
from evaluations.statistics.exact import exact_sum
from evaluations.statistics.histogram import Histogram, histogram
from evaluations.values import Status

Values = NDArray[np.float64]
Verdicts = NDArray[np.int8]
Statuses = NDArray[np.uint8]

COUNTED = tuple(status for status in Status if status not in (Status.ABSENT, Status.SEALED))


@dataclass(frozen=True)
class Summary:
    """The figures of one scoring; averages are None without values.

    `n` examples have a value, whatever their status. `counts` has "total" and each status by its word; the
    statuses sum to the total. `sd` is the sample's (n - 1), None below two values; `skewness` is None where
    nothing varies. A tenth of the scores is at most `p10`, a tenth at least `p90` (linear between two scores).
    `pass_rate` is `n_passed / n_judged`.
    """

    n: int
    counts: dict[str, int]
    mean: float | None
    sd: float | None
    min: float | None
    p10: float | None
    median: float | None
    p90: float | None
    max: float | None
    pass_rate: float | None
    n_passed: int
    n_judged: int
    histogram: Histogram
    truncated: int
    skewness: float | None = None


@dataclass(frozen=True)
class Partial:
    """The mergeable figures of a chunk; it has the mean, because the sum of large scores overflows."""

    n: int
    mean: float | None
    counts: dict[str, int]
    n_passed: int
    n_judged: int


@dataclass(frozen=True)
class SoFar:
    """The merged figures of the chunks scored so far, without the percentiles, which cannot be merged."""

    n: int
    mean: float | None
    counts: dict[str, int]
    pass_rate: float | None
    n_passed: int
    n_judged: int


def summarise(
    values: Values,
    passed: Verdicts,
    status: Statuses,
    *,
    low: float | None,
    high: float | None,
    truncated: int = 0,
) -> Summary:
    """Summarise a column; `low` and `high` are the evaluator's bounds, None if unbounded."""
    scores = _scores(values, status)
    n_passed, n_judged = _verdicts(passed, status)
    mean, sd = moments(scores)
    p10, median, p90 = _percentiles(scores)
    return Summary(
        n=len(scores),
        counts=counts(status),
        mean=mean,
        sd=sd,
        min=float(scores.min()) if scores.size else None,
        p10=p10,
        median=median,
        p90=p90,
        max=float(scores.max()) if scores.size else None,
        pass_rate=n_passed / n_judged if n_judged else None,
        n_passed=n_passed,
        n_judged=n_judged,
        histogram=histogram(scores, low, high),
        truncated=truncated,
        skewness=skewness_of(scores, mean, sd),
    )


def partial(values: Values, passed: Verdicts, status: Statuses) -> Partial:
    """Summarise one chunk."""
    scores = _scores(values, status)
    n_passed, n_judged = _verdicts(passed, status)
    return Partial(len(scores), mean_of(scores), counts(status), n_passed, n_judged)


def merge(partials: Iterable[Partial]) -> SoFar:
    """Merge the figures of chunks, in any order; each is dropped as soon as it is counted."""
    n = n_passed = n_judged = 0
    means = list[tuple[float, int]]()
    counted = dict.fromkeys(["total", *(status.word for status in COUNTED)], 0)
    for part in partials:
        n, n_passed, n_judged = n + part.n, n_passed + part.n_passed, n_judged + part.n_judged
        if part.mean is not None:
            means.append((part.mean, part.n))
        for word in counted:
            counted[word] += part.counts.get(word, 0)
    return SoFar(
        n=n,
        mean=math.fsum(mean * (of / n) for mean, of in means) if n else None,
        counts=counted,
        pass_rate=n_passed / n_judged if n_judged else None,
        n_passed=n_passed,
        n_judged=n_judged,
    )


def counts(status: Statuses) -> dict[str, int]:
    """The number of examples with each status, by its word, and their "total"."""
    tally = long_arrays.tally(status)
    by_word = {item.word: int(tally[item]) for item in COUNTED}
    return {"total": sum(by_word.values()), **by_word}


def mean_of(scores: Values) -> float | None:
    """The exact mean of finite scores."""
    if not scores.size:
        return None
    scale = scale_of(scores)
    return exact_sum(scores, lambda part: part / scale) / scores.size * scale


def moments(scores: Values) -> tuple[float | None, float | None]:
    """Mean and sample standard deviation of finite scores."""
    mean = mean_of(scores)
    if mean is None or scores.size < 2:
        return mean, None
    scale = scale_of(scores)
    squares = exact_sum(scores, lambda part: np.square(part / scale - mean / scale))
    sd = math.sqrt(squares / (scores.size - 1)) * scale
    return mean, sd if math.isfinite(sd) else None


def skewness_of(scores: Values, mean: float | None, sd: float | None) -> float | None:
    """The third standardised moment of finite scores; None if all are equal."""
    if mean is None or not sd:
        return None
    scale = scale_of(scores)
    cubes = exact_sum(scores, lambda part: ((part / scale - mean / scale) / (sd / scale)) ** 3)
    return float(cubes / scores.size * (scores.size / (scores.size - 1)) ** 1.5)


def _scores(values: Values, status: Statuses) -> Values:
    """The scores; the very same array if all are, because copies of long columns take much memory."""
    are_scores = long_arrays.finite([values])
    for part in long_arrays.parts(len(values)):
        are_scores[part] &= status[part] != Status.ABSENT
    return values if are_scores.all() else long_arrays.selected(values, are_scores)


def _verdicts(passed: Verdicts, status: Statuses) -> tuple[int, int]:
    n_passed = n_judged = 0
    for part in long_arrays.parts(len(passed)):
        verdicts = passed[part][status[part] != Status.ABSENT]
        n_passed += int(np.count_nonzero(verdicts == 1))
        n_judged += int(np.count_nonzero((verdicts == 0) | (verdicts == 1)))
    return n_passed, n_judged


def _percentiles(scores: Values) -> tuple[float | None, float | None, float | None]:
    """The 10th percentile, the median and the 90th percentile."""
    if not scores.size:
        return None, None, None
    scale = scale_of(scores)
    scaled = np.divide(scores, scale, out=long_arrays.zeros(len(scores), np.float64))
    median = float(np.median(scaled, overwrite_input=True))
    p10, p90 = np.quantile(scaled, (0.1, 0.9), overwrite_input=True).tolist()
    return p10 * scale, median * scale, p90 * scale


def scale_of(scores: Values) -> float:
    """A power of two near the largest score: dividing by it is exact, and sums and squares do not overflow."""
    return 2.0 ** (math.frexp(max(-float(scores.min()), float(scores.max())))[1] - 1)
