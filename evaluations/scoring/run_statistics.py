"""The statistics of one run by one evaluator: F1, MCC, corpus BLEU and the like, with single intervals."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from evaluations.datasets.live_positions import Positions
from evaluations.evaluators.recipe import Recipe
from evaluations.kinds import label_counts
from evaluations.kinds.statistic import MEAN, Counting, Statistic, Tallies
from evaluations.metrics import label_tables
from evaluations.models import Scoring
from evaluations.statistics import jackknife
from evaluations.statistics.intervals import Interval, mean_interval, wilson
from evaluations.values import text_of

from . import coverage, run_counts
from .rows import Rows


@dataclass(frozen=True)
class Shown:
    """A statistic with the 95 % interval of this run alone. Only the headline enters verdicts."""

    name: str
    title: str
    summary: str
    value: float
    interval: Interval | None
    is_headline: bool


@dataclass(frozen=True)
class LabelFigures:
    """One label: `support` references, `answered` answers, `hits` of both; the interval is that of F1."""

    label: str
    precision: float
    recall: float
    f1: float
    interval: Interval | None
    support: int
    answered: int
    hits: int

    @property
    def missed(self) -> int:
        return self.support - self.hits


@dataclass(frozen=True)
class LabelTable:
    """Which label was read for which reference: a row for each label, and a last column for answers outside."""

    labels: Sequence[str]
    counts: Sequence[Sequence[int]]


@dataclass(frozen=True)
class RunStatistics:
    """The statistics over `examples`; one without an answer counts as an empty one."""

    examples: int
    statistics: list[Shown]
    labels: list[LabelFigures]
    table: LabelTable | None
    signature: str | None

    def value(self, name: str) -> float | None:
        """The statistic of this name; None if the evaluator has none, or it says nothing here."""
        return next((shown.value for shown in self.statistics if shown.name == name), None)


def of_scoring(scoring: Scoring) -> RunStatistics:
    """All statistics of a scoring; raises `run_counts.NoCounts`."""
    recipe = Recipe.from_version(scoring.evaluator_version)
    if not recipe.has_statistics:
        raise run_counts.NoCounts(f"{recipe.kind.title} has no statistics of a run beside its mean.")
    counted = run_counts.load(scoring, coverage.positions(scoring.run))
    counting, counts = counted.counting, counted.counts[counted.is_counted]
    tallies = counting.tallies(counts)
    own = [statistic for statistic in counting.statistics if not statistic.name.startswith(label_counts.F1)]
    if recipe.headline is not None and recipe.headline.startswith(label_counts.F1):
        own.append(counting.statistic(recipe.headline))
    shown = [_shown(statistic, tallies, recipe.headline or MEAN) for statistic in own] if len(tallies) else []
    labels = len(counting.labels)
    return RunStatistics(
        examples=len(tallies),
        statistics=shown,
        labels=_labels(counting, tallies) if labels and len(tallies) else [],
        table=LabelTable(counting.labels, label_counts.table(tallies, labels).tolist()) if labels else None,
        signature=recipe.signature([counts]) or None,
    )


def to_store(scoring: Scoring) -> dict[str, Any]:
    """What the summary of an ended scoring keeps: the labels that were found, and the headline if it is no mean."""
    recipe, stored = Recipe.from_version(scoring.evaluator_version), dict[str, Any]()
    if not recipe.has_statistics:
        return stored
    try:
        if recipe.kind.reads_labels and recipe.labels is None:
            stored["labels"] = run_counts.load(scoring, coverage.positions(scoring.run)).counting.labels
        if shown := headline(scoring):
            stored["headline"] = {
                name: getattr(shown, name) for name in ("name", "title", "value", "interval")
            }
    except run_counts.NoCounts:
        return stored
    return stored


def headline(scoring: Scoring, positions: Positions | None = None) -> Shown | None:
    """The headline of a scoring, if it is a statistic; raises `run_counts.NoCounts`."""
    recipe = Recipe.from_version(scoring.evaluator_version)
    if recipe.headline is None:
        return None
    counted = run_counts.load(scoring, positions or coverage.positions(scoring.run))
    tallies = counted.counting.tallies(counted.counts[counted.is_counted])
    if not len(tallies):
        return None
    return _shown(counted.counting.statistic(recipe.headline), tallies, recipe.headline)


def read_answers(scoring: Scoring, positions: Sequence[int]) -> dict[int, str]:
    """By position, the answer as its reading steps left it; rows in which they found none are left out."""
    recipe = Recipe.from_version(scoring.evaluator_version)
    rows = Rows.at(scoring.run, positions, recipe.needs)
    answers = recipe.mapping.resolve(rows.contexts)["actual"]
    both = zip(rows.positions.tolist(), map(text_of, answers.values), strict=True)
    return {
        position: text
        for row, (position, text) in enumerate(both)
        if text is not None and row not in answers.problems
    }


def _shown(statistic: Statistic, tallies: Tallies, headline: str) -> Shown:
    estimate = jackknife.estimate(tallies.vectors, tallies.index, statistic.of)
    assert estimate is not None
    if statistic.name == label_counts.ACCURACY:
        interval = wilson(round(estimate.value * estimate.n), estimate.n)
    else:
        bounds = (statistic.low, statistic.high)
        interval = mean_interval(estimate.n, estimate.value, estimate.sd, estimate.skewness, *bounds)
    is_mean = headline == MEAN and statistic.name == label_counts.ACCURACY
    return Shown(
        statistic.name,
        statistic.title,
        statistic.summary,
        estimate.value,
        interval,
        is_headline=is_mean or statistic.name == headline,
    )


def _labels(counting: Counting, tallies: Tallies) -> list[LabelFigures]:
    total = tallies.total
    sums = label_tables.Sums.of(total)
    [precision], [recall] = label_tables.precision(total), label_tables.recall(total)
    figures = []
    for index, label in enumerate(counting.labels):
        f1 = _shown(counting.statistic(f"{label_counts.F1}{label}"), tallies, "")
        support, answered, hits = (int(part[0, index]) for part in (sums.references, sums.answers, sums.hits))
        shares = float(precision[index]), float(recall[index])
        figures.append(LabelFigures(label, *shares, f1.value, f1.interval, support, answered, hits))
    return figures
