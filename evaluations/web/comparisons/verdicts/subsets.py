"""Subsets of the examples: those with another result than overall, and all of one column as drawings."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from django.utils.safestring import SafeString

from evaluations.charts import Axis, Range, axis_labels, points, range_plot
from evaluations.comparisons.comparison import Comparison
from evaluations.comparisons.subsets import Search, Value, settled, verdict
from evaluations.models import Run
from evaluations.numerals import signed
from evaluations.statistics.subsets import Subset
from evaluations.values import Direction

from ...page_tools.paging import RESET, address
from ...page_tools.request import HttpRequest
from .changes import Change, common_axis

HEIGHT = 24
MOST_PANELS, MOST_ROWS = 7, 10
EVERYTHING = 200  # rows and panels of the complete list


@dataclass(frozen=True)
class Row:
    """A subset of a variant's examples; the address shows only these examples."""

    subset: Subset
    run: Run
    variant: str
    change: Change
    plot: SafeString
    address: str


@dataclass(frozen=True)
class Bar:
    """A variant in a panel."""

    variant: str
    change: Change
    plot: SafeString


@dataclass(frozen=True)
class Panel:
    """All variants on one subset; without an address, on all examples."""

    name: str
    n: int
    is_reported: bool
    address: str
    bars: list[Bar]


@dataclass(frozen=True)
class Subsets:
    """`rows` are reported subsets, or all; `panels` are the values of the column `by`.

    `columns` are the choices of `by`: name, address, and whether it is the current one.
    """

    searched: int
    rows: list[Row]
    reported: int
    panels: list[Panel]
    axis: SafeString
    by: str
    columns: list[tuple[str, str, bool]]
    hidden: int
    more_address: str
    is_everything: bool
    is_open: bool
    is_share: bool


def named_addresses(request: HttpRequest, comparison: Comparison) -> dict[str, str]:
    """By label, the page of each subset that the sentences may name."""
    return {
        label: address(request, **RESET, **{f"metadata[{column}]": value})
        for label, (column, value) in comparison.sentence.named_subsets.items()
    }


def subsets(request: HttpRequest, comparison: Comparison, search: Search | None) -> Subsets | None:
    """The subsets to show; None if none were searched."""
    if search is None or not search.subsets:
        return None
    figures = comparison.figures
    drawn = _Page(request, comparison, search).drawn_values()
    like_pages = settled(figures, figures.primary, search.subsets, drawn)
    return _Page(request, comparison, replace(search, subsets=like_pages)).subsets()


@dataclass(frozen=True)
class _Page:
    request: HttpRequest
    comparison: Comparison
    search: Search

    def subsets(self) -> Subsets:
        reported = [subset for subset in self.search.subsets if subset.reported]
        everything = self.request.GET.get("subsets") == "all"
        rows = self.search.subsets[:EVERYTHING] if everything else reported[:MOST_ROWS]
        by = self._by()
        values = self._values(by, EVERYTHING if everything else MOST_PANELS)
        axis = self._axis([*rows, *(subset for of_value in values for subset in of_value)])
        return Subsets(
            searched=len(self.search.subsets),
            rows=[self._row(subset, axis) for subset in rows],
            reported=len(reported),
            panels=[self._everything(axis), *(self._panel(of_value, axis) for of_value in values)],
            axis=axis_labels(
                axis,
                [tick for tick in axis.ticks if tick in (0, axis.ticks[0], axis.ticks[-1])],
                written=points if self._is_share else signed,
            ),
            is_share=self._is_share,
            by=by,
            columns=[(name, self._link(by=name), name == by) for name in self._names],
            hidden=len(self.search.subsets) - len(rows),
            more_address=self._link(subsets=None if everything else "all"),
            is_everything=everything,
            is_open=bool(reported) or everything or "by" in self.request.GET,
        )

    def drawn_values(self) -> list[Value]:
        """The values of the first panels whose pages are not computed yet."""
        by = self._by()
        firsts = [of_value[0] for of_value in self._values(by, MOST_PANELS)]
        return [(by, subset.name) for subset in firsts if not subset.is_settled]

    @property
    def _names(self) -> list[str]:
        """The columns that have subsets, in the order of the search."""
        subset_columns = {subset.column for subset in self.search.subsets}
        return [name for name in self.search.columns if name in subset_columns]

    @property
    def _direction(self) -> Direction:
        return self.comparison.evaluators.direction(self.comparison.figures.primary.pk)

    @property
    def _is_share(self) -> bool:
        return self.comparison.evaluators.is_share(self.comparison.figures.primary.pk)

    def _by(self) -> str:
        """The chosen column, else that of the first subset."""
        chosen = self.request.GET.get("by", "")
        return chosen if chosen in self._names else self.search.subsets[0].column

    def _values(self, by: str, maximum: int) -> list[list[Subset]]:
        """The subsets of one column by value: reversals, other findings, then the largest; numbers ascending."""
        of_values: dict[str, list[Subset]] = {}
        for subset in self.search.subsets:
            if subset.column == by:
                of_values.setdefault(subset.name, []).append(subset)
        shown = sorted(of_values.values(), key=_importance)[:maximum]
        return sorted(shown, key=_code) if shown[0][0].is_number else shown

    def _axis(self, shown: Sequence[Subset]) -> Axis:
        primary = self.comparison.figures.primary
        entries = self.comparison.figures.entries_of(primary)
        overall = [Change.from_paired(entry.paired, is_share=self._is_share) for entry in entries]
        changes = [*overall, *map(self._change, shown)]
        return common_axis(self.comparison, primary, changes)

    def _change(self, subset: Subset) -> Change:
        low, high = subset.interval or (None, None)
        word = verdict(subset, self._direction) or "none"
        return Change(subset.difference, low, high, word, None, is_share=self._is_share)

    def _row(self, subset: Subset, axis: Axis) -> Row:
        side, change = self.comparison.sides[subset.key], self._change(subset)
        plot = range_plot(axis, change.range, height=HEIGHT, grid=True)
        return Row(
            subset, side.run, self.comparison.sides.label(side.run), change, plot, self._examples(subset)
        )

    def _everything(self, axis: Axis) -> Panel:
        indices, figures = self._shown_indices, self.comparison.figures
        entries = dict(enumerate(figures.entries_of(figures.primary), start=1))
        changes = [Change.from_paired(entries[index].paired, is_share=self._is_share) for index in indices]
        bars = [self._bar(index, change, axis) for index, change in zip(indices, changes, strict=True)]
        return Panel("All", max(entry.paired.n for entry in entries.values()), False, "", bars)

    @cached_property
    def _shown_indices(self) -> list[int]:
        """The indices of the sides other than the baseline, in the order of the table: best first."""
        ranks = {ranked.side.run.pk: rank for rank, ranked in enumerate(self.comparison.figures.ranking)}
        sides = self.comparison.sides
        return sorted(range(1, len(sides)), key=lambda index: ranks.get(sides[index].run.pk, len(ranks)))

    def _panel(self, of_value: Sequence[Subset], axis: Axis) -> Panel:
        by_side = {subset.key: subset for subset in of_value}
        bars = [
            self._bar(
                index,
                self._change(by_side[index]) if index in by_side else Change(None, None, None, "none", None),
                axis,
            )
            for index in self._shown_indices
        ]
        first = of_value[0]
        is_reported = any(subset.reported for subset in of_value)
        return Panel(first.name, max(s.n for s in of_value), is_reported, self._examples(first), bars)

    def _bar(self, index: int, change: Change, axis: Axis) -> Bar:
        variant = self.comparison.sides.label(self.comparison.sides[index].run)
        shown = change.range if change.difference is not None else Range(None, None, None)
        return Bar(variant, change, range_plot(axis, shown, height=HEIGHT, grid=True))

    def _examples(self, subset: Subset) -> str:
        return f"{address(self.request, **RESET, **{f'metadata[{subset.column}]': subset.name})}#examples"

    def _link(self, **changes: str | None) -> str:
        return f"{address(self.request, **changes)}#subsets"


def _importance(of_value: Sequence[Subset]) -> tuple[bool, bool, int]:
    """The sort key of a value's panel; panels with smaller keys come first."""
    return (
        not any(subset.reversal for subset in of_value),
        not any(subset.reported for subset in of_value),
        -max(subset.n for subset in of_value),
    )


def _code(of_value: Sequence[Subset]) -> int:
    return of_value[0].code
