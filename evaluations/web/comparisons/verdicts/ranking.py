"""Three variants or more, best first: the primary evaluator with its plot, secondary evaluators beside it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from django.utils.safestring import SafeString

from evaluations.charts import Axis, Range, axis_labels, baseline_plot, points, range_plot
from evaluations.comparisons.alignment.sides import Side
from evaluations.comparisons.comparison import Comparison
from evaluations.comparisons.figures.entries import Ranked
from evaluations.experiments import about
from evaluations.models import Evaluator, Run
from evaluations.numerals import column, signed

from ...page_tools.paging import address
from ...page_tools.request import HttpRequest
from .changes import Change, common_axis
from .heads import Head, head, most_pairs

MOST_ROWS = 8  # above it, rows are as low as they can be
MOST_SECONDARY = 6  # secondary evaluators with columns of their own; others are counted
ROW_HEIGHT, SMALL_HEIGHT = 38, 10
LONG_NAME = 36  # characters that do not fit into two lines of a normal column
WORDS = {"better": "better", "cannot_tell": "tied", "worse": "worse", "none": "without verdict"}


@dataclass(frozen=True)
class Tally:
    """How many secondary evaluators say `word` of a variant; a clear `verdict` has its colour."""

    count: int
    word: str
    verdict: str


@dataclass(frozen=True)
class Cell:
    """A variant's mean on a secondary evaluator and its difference from the baseline.

    `n` is the number of examples of the mean if they are not all that count, else None; on `unread` of them the
    evaluator found nothing to score. If `is_common`, these are the examples that the baseline has too, so the page of
    the run can say another mean; the head says the number where it `is_told` for all. Without a mean nothing is drawn,
    nor where all answers are unread, which the head says of all variants (`is_unread_told`).
    """

    name: str
    mean: float | None
    n: int | None
    change: Change | None
    is_best: bool
    plot: SafeString
    is_share: bool = False
    unread: int = 0
    is_common: bool = False
    decimals: int = 3
    is_told: bool = False
    is_unread_told: bool = False


@dataclass(frozen=True)
class Row:
    """A variant; `tie` is its part of a bracket that joins equal ranks."""

    run: Run
    name: str
    repeats: int
    is_baseline: bool
    rank: str
    tie: str
    mean: float | None
    plot: SafeString
    change: Change | None
    lead: Change | None
    secondary: list[Cell]
    tallies: list[Tally]
    tallied: int
    answered: int
    total: int
    about: str
    is_share: bool = False
    decimals: int = 3

    @property
    def is_complete(self) -> bool:
        return self.answered == self.total


@dataclass(frozen=True)
class Ranking:
    primary: Head
    axis: SafeString
    secondary: list[Head]
    more: int
    all_address: str
    rows: list[Row]
    n: int

    @property
    def heads(self) -> list[tuple[Head, int | None, Cell | None]]:
        """The secondary evaluators, with the number of examples that all their means have in common, if it is fewer,
        and one of the cells if all answers of all variants are unread."""
        columns = [[row.secondary[place] for row in self.rows] for place in range(len(self.secondary))]
        numbers = [next((cell.n for cell in cells if cell.is_told), None) for cells in columns]
        unread = [next((cell for cell in cells if cell.is_unread_told), None) for cells in columns]
        return list(zip(self.secondary, numbers, unread, strict=True))

    @property
    def is_in_points(self) -> bool:
        """Whether differences are written in points, which takes more room."""
        return any(row.is_share for row in self.rows)

    @property
    def has_long_names(self) -> bool:
        return any(len(row.name) > LONG_NAME for row in self.rows)

    @property
    def has_many_rows(self) -> bool:
        return len(self.rows) > MOST_ROWS

    @property
    def is_wide(self) -> bool:
        return len(self.secondary) > MOST_SECONDARY


def ranking(request: HttpRequest, comparison: Comparison) -> Ranking:
    primary, secondary = comparison.figures.primary, comparison.evaluators.secondary
    shown = secondary if "all" in request.GET.getlist("evaluators") else secondary[:MOST_SECONDARY]
    rows = _Rows(comparison, primary, secondary, shown)
    return Ranking(
        primary=head(request, comparison, primary),
        axis=axis_labels(rows.axis, written=points if comparison.evaluators.is_share(primary.pk) else signed),
        secondary=[head(request, comparison, evaluator) for evaluator in shown],
        more=len(secondary) - len(shown),
        all_address=address(request, evaluators="all"),
        rows=list(rows),
        n=most_pairs(comparison, primary),
    )


@dataclass(frozen=True)
class _Rows:
    """The rows, best first, then variants without a rank. Means are empty if an evaluator has no scores."""

    comparison: Comparison
    primary: Evaluator
    secondary: Sequence[Evaluator]
    shown: Sequence[Evaluator]

    def __iter__(self) -> Iterator[Row]:
        sides = self.comparison.sides
        indices = {id(side): index for index, side in enumerate(sides)}
        ranked = list(self.comparison.figures.ranking)
        tied = ties(ranked)
        for row in ranked:
            yield self._row(indices[id(row.side)], row.side, row, tied.get(id(row.side), ""))
        with_rank = {id(row.side) for row in ranked}
        for index, side in enumerate(sides):
            if id(side) not in with_rank:
                yield self._row(index, side)

    @cached_property
    def is_share(self) -> bool:
        return self.comparison.evaluators.is_share(self.primary.pk)

    @cached_property
    def changes(self) -> dict[int, Change]:
        return _changes(self.comparison, self.primary)

    @cached_property
    def axis(self) -> Axis:
        return common_axis(self.comparison, self.primary, self.changes.values())

    @cached_property
    def means(self) -> list[float | None]:
        return list(self.comparison.figures.means(self.primary))

    @cached_property
    def cells(self) -> list[list[Cell]]:
        return [_cells(self.comparison, evaluator) for evaluator in self.shown]

    @cached_property
    def counts(self) -> list[dict[str, int]]:
        return _counts(self.comparison, self.secondary)

    @cached_property
    def abouts(self) -> dict[int, str]:
        return about.lines_of_differences([side.run for side in self.comparison.sides])

    def _row(self, index: int, side: Side, ranked: Ranked | None = None, tie: str = "") -> Row:
        comparison, change = self.comparison, self.changes.get(id(side))
        is_baseline = side is comparison.sides.baseline
        return Row(
            run=side.run,
            name=comparison.sides.label(side.run),
            repeats=len(side.runs),
            is_baseline=is_baseline,
            rank=ranked.rank_text if ranked else "–",
            tie=tie,
            mean=self.means[index],
            decimals=column(self.means),
            plot=_plot(self.axis, change, is_baseline),
            change=change,
            lead=Change.from_paired(ranked.lead, is_share=self.is_share) if ranked and ranked.lead else None,
            is_share=self.is_share,
            secondary=[column[index] for column in self.cells],
            tallies=_tallies(self.counts[index]),
            tallied=sum(self.counts[index].values()),
            answered=comparison.figures.measures.answered[index],
            total=comparison.figures.measures.examples[index],
            about=_besides_name(self.abouts[side.run.pk], side.run.variant),
        )


def _besides_name(line: str, name: str) -> str:
    """The facts of a variant without those that are its name already.

    >>> _besides_name("solve v2, large-2", "solve v2 large-2"), _besides_name("solve v2, temperature 0", "solve v2")
    ('', 'temperature 0')
    """
    facts = line.split(", ")
    said = next((n for n in range(len(facts), 0, -1) if " ".join(facts[:n]) == name), 0)
    return ", ".join(facts[said:])


def _changes(comparison: Comparison, evaluator: Evaluator) -> dict[int, Change]:
    """The differences from the baseline, by the id of the side."""
    is_share = comparison.evaluators.is_share(evaluator.pk)
    return {
        id(entry.side): Change.from_paired(entry.paired, is_share=is_share)
        for entry in comparison.figures.entries_of(evaluator)
    }


def ties(ranked: Sequence[Ranked]) -> dict[int, str]:
    """By the id of the side, "first", "middle" or "last" among neighbours with equal ranks."""
    parts = {}
    for n, row in enumerate(ranked):
        before = n > 0 and ranked[n - 1].rank == row.rank
        after = n + 1 < len(ranked) and ranked[n + 1].rank == row.rank
        if before or after:
            parts[id(row.side)] = "middle" if before and after else "last" if before else "first"
    return parts


def _plot(axis: Axis, change: Change | None, is_baseline: bool) -> SafeString:
    if is_baseline or change is None:
        return baseline_plot(axis, height=ROW_HEIGHT, grid=True)
    return range_plot(axis, change.range, height=ROW_HEIGHT, grid=True)


def _cells(comparison: Comparison, evaluator: Evaluator) -> list[Cell]:
    """A cell for each side, on the evaluator's own scale."""
    changes = _changes(comparison, evaluator)
    axis = common_axis(comparison, evaluator, changes.values())
    means = comparison.figures.means_over(evaluator)
    paired = {entry.paired.n for entry in comparison.figures.entries_of(evaluator)}
    best = _best(means, lower_is_better=comparison.evaluators.lower_is_better(evaluator.pk))
    is_share, decimals = comparison.evaluators.is_share(evaluator.pk), column(mean for mean, _ in means)
    cells = []
    unread = comparison.figures.unread(evaluator)
    for side, (mean, n), without in zip(comparison.sides, means, unread, strict=True):
        change = changes.get(id(side))
        drawn = change.range if change else Range(None, None, None)
        is_drawn = mean is not None and not n == without > 0
        plot = range_plot(axis, drawn, height=SMALL_HEIGHT, radius=2) if is_drawn else SafeString("")
        of_part = n if mean is not None and n < comparison.figures.size else None
        is_best = mean is not None and mean == best
        about = evaluator.name, mean, of_part, change, is_best, plot, is_share, without
        cells.append(Cell(*about, is_common=n in paired, decimals=decimals))
    shown = {(cell.n, cell.is_common) for cell in cells if cell.mean is not None}
    is_told = len(shown) == 1 and all(n is not None and is_common for n, is_common in shown)
    if all(n and n == without for (_, n), without in zip(means, unread, strict=True)):
        cells = [replace(cell, is_unread_told=True) for cell in cells]
    return [replace(cell, is_told=is_told) for cell in cells]


def _best(means: Sequence[tuple[float | None, int]], *, lower_is_better: bool) -> float | None:
    """The best mean; None if all are equal, or over different numbers of examples."""
    defined_means = {mean for mean, _ in means if mean is not None}
    sizes = {n for mean, n in means if mean is not None}
    if len(defined_means) < 2 or len(sizes) > 1:
        return None
    return min(defined_means) if lower_is_better else max(defined_means)


def _counts(comparison: Comparison, evaluators: Sequence[Evaluator]) -> list[dict[str, int]]:
    """By side, how many of the evaluators call it better, worse, show no clear difference, or give no verdict."""
    counts = [{"better": 0, "cannot_tell": 0, "worse": 0, "none": 0} for _ in comparison.sides]
    indices = {id(side): index for index, side in enumerate(comparison.sides)}
    for evaluator in evaluators:
        for entry in comparison.figures.entries_of(evaluator):
            counts[indices[id(entry.side)]][entry.paired.verdict or "none"] += 1
    return counts


def _tallies(counts: Mapping[str, int]) -> list[Tally]:
    return [
        Tally(count, WORDS[word], word if word in ("better", "worse") else "")
        for word, count in counts.items()
        if count
    ]
