"""A mean of people's labels, made narrower by what a judge says of every answer, whatever the judge's errors.

Post-stratification: the labelled answers are a random sample of all judged ones. Each value of the judge is a stratum
with its share of all and its own mean of labels; a judge that is right often makes strata in which labels hardly
differ, one that guesses changes nothing. Intervals of the strata are combined by MOVER (Zou and Donner 2008).
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy

from evaluations.statistics.intervals import ALPHA, score_ends
from evaluations.statistics.people.draws import Codes
from evaluations.statistics.terms import Interval, Mask, Values

FEWEST = 5  # labels of a stratum; neighbours with fewer are merged
MOST_STRATA = 5  # of a judge that gives numbers: fifths of all its scores
LUCK = 0.01  # how often a judge that guesses may seem to save labels
PRECISION = 60  # halvings in search of p


@dataclass(frozen=True)
class Stratum:
    """The answers with judged values from `low` to `high`: `size` of them, `labelled` with the mean `mean`.

    Of a stratum whose labels are `known` (unanswered examples), nothing is estimated. A part of a weighed sample has a
    `name`.
    """

    low: float
    high: float
    size: int
    labelled: int
    mean: float
    is_known: bool = False
    name: str = ""


@dataclass(frozen=True)
class Helped:
    """A mean with its interval, from `labels` labels and `judged` judged answers.

    `alone` is the interval of the labels without the judge. Pass and fail are estimated in `strata`; of a scale, the
    `weight` from 0 to 1 says how much the judge counts (`people.scales`).
    """

    value: float
    interval: Interval
    alone: Interval
    labels: int
    judged: int
    method: str
    strata: list[Stratum]
    weight: float | None = None

    @property
    def shrinkage(self) -> float:
        """(width / width of the labels alone)²: the share of labels that is needed with the judge."""
        alone = self.alone[1] - self.alone[0]
        return ((self.interval[1] - self.interval[0]) / alone) ** 2 if alone else 1.0

    @property
    def saves(self) -> bool:
        """Whether the judge saves more than one that guesses shows in one of a hundred samples.

        With k strata, a judge that guesses explains a part of the variance that is χ² with k − 1 degrees over m; with a
        weight, with one degree.
        """
        free = sum(not stratum.is_known for stratum in self.strata) - 1 if self.weight is None else 1
        return free > 0 and 1 - self.shrinkage > float(scipy.special.chdtri(free, LUCK)) / self.labels

    @property
    def saved(self) -> int:
        """How many of the labels the judge saved; 0 if it may as well guess."""
        return round(self.labels * (1 - self.shrinkage)) if self.saves else 0

    @property
    def as_good_as(self) -> int:
        """How many labels without the judge would give this width; at least those that there are."""
        return round(self.labels / self.shrinkage) if self.saves and self.shrinkage else self.labels


@dataclass(frozen=True)
class Sample:
    """One value for each of all answers: `labels` (NaN where nobody labelled) on a scale from `low` to `high`.

    `judged` are the judge's values, NaN where it gave none. `known` marks answers whose label needs no person, such as
    those that were never given; they form a stratum of their own. With `is_whole` the mean of just these answers is
    asked for, not that of all that could be asked. With `parts`, answers of some parts were likelier to be labelled:
    these are the strata, by their numbers, with `names`, and the judge says nothing.
    """

    labels: Values
    judged: Values
    low: float
    high: float
    known: Mask | None = None
    is_whole: bool = False
    parts: Codes | None = None
    names: Sequence[str] = ()

    def without_judge(self) -> "Sample":
        return replace(self, judged=np.zeros(len(self.labels)))


def strata(sample: Sample) -> tuple[Codes, list[Stratum]]:
    """The stratum of each answer, by its number, and the strata in the order of the judge's values."""
    codes = _codes(sample.judged) if sample.parts is None else sample.parts
    known = np.zeros(len(codes), bool) if sample.known is None else sample.known
    codes = np.where(known, -1, codes)
    distinct = [int(code) for code in np.unique(codes[~known])]
    groups = (
        _merged(distinct, codes, sample.labels) if sample.parts is None else [[code] for code in distinct]
    )
    found: list[Stratum] = []
    numbers = np.empty(len(codes), np.int64)
    for members in [[-1], *groups] if known.any() else groups:
        inside = np.isin(codes, members)
        numbers[inside] = len(found)
        name = sample.names[members[0]] if sample.names and members != [-1] else ""
        found.append(replace(_stratum(sample, inside, is_known=members == [-1]), name=name))
    return numbers, found


def _codes(values_of_judge: Values) -> Codes:
    """Few values are a stratum each, more are cut into fifths; what the judge gave no value is the lowest."""
    judged = np.where(np.isfinite(values_of_judge), values_of_judge, -np.inf)
    values = np.unique(judged)
    if len(values) > MOST_STRATA:
        ends = np.unique(np.quantile(judged[np.isfinite(judged)], np.arange(1, MOST_STRATA) / MOST_STRATA))
        return np.asarray(np.searchsorted(ends, judged))
    return np.asarray(np.searchsorted(values, judged))


def _merged(codes: list[int], by_answer: Codes, labels: Values) -> list[list[int]]:
    """Codes in groups; of more than three codes, those with fewer than `FEWEST` labels join a neighbour.

    Two or three are verdicts, or differences of two verdicts: they are never merged, because neighbours have little in
    common; a stratum without labels then counts with the whole scale.
    """
    groups = [[code] for code in codes]
    if len(groups) <= 3:
        return groups
    counts = [int(np.isfinite(labels[by_answer == code]).sum()) for code in codes]
    while len(groups) > 1 and min(counts) < FEWEST:
        least = counts.index(min(counts))
        other = (
            least - 1
            if least and (least + 1 == len(groups) or counts[least - 1] <= counts[least + 1])
            else least + 1
        )
        first, second = sorted((least, other))
        groups[first : second + 1] = [groups[first] + groups[second]]
        counts[first : second + 1] = [counts[first] + counts[second]]
    return groups


def _stratum(sample: Sample, inside: Mask, *, is_known: bool) -> Stratum:
    labels, judged = sample.labels[inside], sample.judged[inside]
    given = labels[np.isfinite(labels)]
    finite = judged[np.isfinite(judged)]
    return Stratum(
        low=float(finite.min(initial=math.inf)) if len(finite) else math.nan,
        high=float(finite.max(initial=-math.inf)) if len(finite) else math.nan,
        size=int(inside.sum()),
        labelled=len(given),
        mean=float(given.mean()) if len(given) else (sample.low + sample.high) / 2,
        is_known=is_known,
    )


def estimate(sample: Sample, level: float = 1 - ALPHA, widening: float = 1.0) -> Helped | None:
    """The mean over all answers; None below two labels.

    `widening` is how much wider intervals are because examples move together in clusters.
    """
    if int(np.isfinite(_unknown(sample)).sum()) < 2:
        return None
    found, value, interval = _estimated(sample, level, widening)
    return Helped(
        value=value,
        interval=interval,
        alone=_estimated(sample.without_judge(), level, widening)[2],
        labels=int(np.isfinite(_unknown(sample)).sum()),
        judged=len(sample.labels),
        method="post_stratified" if sample.parts is None else "weighted",
        strata=found,
    )


def p_value(interval_at: Callable[[float], Interval], value: float) -> float:
    """The least level of error at which an interval of a difference excludes zero."""
    if value == 0:
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(PRECISION):
        middle = (low + high) / 2
        start, end = interval_at(1 - middle)
        if start > 0 or end < 0:
            high = middle
        else:
            low = middle
    return high


def interval_at(sample: Sample, level: float, widening: float = 1.0) -> Interval:
    """The interval of the mean at another level, such as that of a family of comparisons."""
    return _estimated(sample, level, widening)[2]


def _unknown(sample: Sample) -> Values:
    return sample.labels if sample.known is None else sample.labels[~sample.known]


def _estimated(sample: Sample, level: float, widening: float) -> tuple[list[Stratum], float, Interval]:
    numbers, found = strata(sample)
    value = sum(s.size * s.mean for s in found) / len(sample.labels)
    return found, value, _wider(value, _combined(sample, numbers, found, level), widening)


def _combined(sample: Sample, numbers: Codes, found: list[Stratum], level: float) -> Interval:
    z = _normal(level)
    total = len(sample.labels)
    shares = np.array([s.size / total for s in found])
    means = np.array([s.mean for s in found])
    ends = np.array([_ends(sample, numbers, k, s, level) for k, s in enumerate(found)])
    value = float(shares @ means)
    # the judged answers are themselves a sample of all that could be asked
    between = 0.0 if sample.is_whole else z * z * float(shares @ means**2 - value**2) / total
    below = math.sqrt(float(((shares * (means - ends[:, 0])) ** 2).sum()) + max(between, 0.0))
    above = math.sqrt(float(((shares * (ends[:, 1] - means)) ** 2).sum()) + max(between, 0.0))
    return max(sample.low, value - below), min(sample.high, value + above)


def _ends(sample: Sample, numbers: Codes, number: int, stratum: Stratum, level: float) -> Interval:
    """Wilson's interval of the stratum's mean, scaled by the spread of labels that are more than pass and fail."""
    if stratum.is_known:
        return stratum.mean, stratum.mean
    labels = sample.labels[numbers == number]
    given = labels[np.isfinite(labels)]
    span, n = sample.high - sample.low, len(given)
    if not n:
        return sample.low, sample.high
    rate = min(max((stratum.mean - sample.low) / span, 0.0), 1.0)
    is_binary = bool(np.isin(given, (sample.low, sample.high)).all()) and sample.low == 0
    factor = 1.0
    if not is_binary:
        # as if at least one label were half the scale away, since the next one may be
        variance, most = max(float(given.var()) / span**2, 1 / (4 * n)), rate * (1 - rate)
        factor = min(variance / most, 1.0) if most > 1e-12 else 1.0
    low, high = score_ends(rate, _normal(level) ** 2 * factor / n)
    return sample.low + low * span, sample.low + high * span


def _wider(value: float, interval: Interval, widening: float) -> Interval:
    low, high = interval
    return value - widening * (value - low), value + widening * (high - value)


def _normal(level: float) -> float:
    return -float(scipy.special.ndtri((1 - level) / 2))
