"""Subsets of the examples: those with another result than overall, and all values of one column."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from django.utils.safestring import SafeString

from evaluations.charts import Axis, Range, axis_labels, points, range_plot
from evaluations.comparisons.comparison import Comparison
from evaluations.comparisons.figures.entries import Entry
from evaluations.comparisons.subsets import MOST_SETTLED, Search, Value, settled, verdict
from evaluations.numerals import signed
from evaluations.statistics.subsets import FEWEST, Subset
from evaluations.values import Direction

from ...page_tools.paging import RESET, address
from ...page_tools.request import HttpRequest
from .changes import Change, common_axis

HEIGHT = 24
VARIANT = "subset_variant"  # the parameter of the variant whose subsets are shown
MOST_VALUES, MOST_FINDINGS = 7, 10
MOST_NAMED = 2  # findings, in the one line of what is closed
EVERYTHING = 200  # values of the complete list
MOST_TOGETHER = 3  # variants of which each subset has a row; of more, one is shown at a time


@dataclass(frozen=True)
class Row:
    """A variant on one subset; `subset` is None on all examples, and where the subset was not searched.

    `alone` is the verdict that the subset would have if it were the only one looked at, and so is none.
    """

    variant: str
    change: Change
    plot: SafeString
    subset: Subset | None = None
    alone: str = ""


@dataclass(frozen=True)
class Group:
    """All variants on one subset; the address shows only its examples. Without a column they are all examples."""

    name: str
    n: int
    rows: list[Row]
    column: str = ""
    address: str = ""
    is_reversed: bool = False
    is_reported: bool = False


@dataclass(frozen=True)
class Subsets:
    """`groups` are all examples, the values of the column `by`, and what was reported of others; or all.

    On `unlisted` examples the column has a value that fewer than `fewest` share. `columns` are the choices of `by`:
    name, address, and whether it is the current one. So are `variants`, where there are too many for a row of each in
    every subset: then `of_variant` is shown, "" for all.

    Until a reader chooses, the values without a finding are `folded` below many variants; `folded_address` shows them.
    The first findings are `named`, each with whether it is a reversal, because the whole may be closed.
    """

    searched: int
    reported: int
    unlisted: int
    groups: list[Group]
    axis: SafeString
    by: str
    columns: list[tuple[str, str, bool]]
    variants: list[tuple[str, str, bool]]
    of_variant: str
    hidden: int
    fewest: int
    more_address: str
    is_everything: bool
    is_open: bool
    is_share: bool
    named: list[tuple[str, bool]]
    folded: int = 0
    folded_address: str = ""


def named_addresses(request: HttpRequest, comparison: Comparison) -> dict[str, str]:
    """By label, the page of each subset that the sentences may name, with the outputs of the variant that they name."""
    return {
        label: address(request, **(RESET | _shown(comparison, label)), **{f"metadata[{column}]": value})
        for label, (column, value) in comparison.sentence.named_subsets.items()
    }


def _shown(comparison: Comparison, label: str) -> dict[str, int]:
    """The variant of a clause and the baseline, of three or more variants."""
    if len(comparison.sides) < 3:
        return {}
    index = comparison.sentence.named_sides[label]
    return {"variant": comparison.sides[index].run.pk, "with": comparison.sides.baseline.run.pk}


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
        everything = self._is_everything
        by = self._by()
        shown = self._by_value(self.search.subsets)[:EVERYTHING] if everything else self._chosen_values(by)
        found = [of_value for of_value in shown if any(subset.reported for subset in of_value)]
        folded = len(shown) - len(found) if found and self._is_brief else 0
        shown = found if folded else shown
        listed = [subset for of_value in shown for subset in of_value]
        axis = self._axis(listed)
        reported = sum(subset.reported for subset in self.search.counted)
        return Subsets(
            searched=len(self.search.counted),
            unlisted=0 if everything else self._unlisted(by),
            reported=reported,
            groups=[self._overall(axis), *(self._group(of_value, axis) for of_value in shown)],
            axis=axis_labels(axis, written=points if self._is_share else signed),
            is_share=self._is_share,
            by=by,
            columns=[(name, self._link(by=name, subsets=None), name == by) for name in self._names],
            variants=self._variants,
            of_variant="" if self._chosen is None else self._label(self._chosen),
            hidden=len(self.search.subsets) - len(listed),
            fewest=FEWEST,
            more_address=self._link(subsets=None if everything else "all"),
            is_everything=everything,
            named=self._named,
            # a ranking leaves the examples little room
            is_open=everything or self._is_chosen or (bool(reported) and len(self.comparison.sides) == 2),
            folded=folded,
            folded_address=self._link(by=by),
        )

    @property
    def _named(self) -> list[tuple[str, bool]]:
        found = self._by_value([subset for subset in self.search.subsets if subset.reported])
        return [(of_value[0].name, any(one.reversal for one in of_value)) for of_value in found[:MOST_NAMED]]

    def _unlisted(self, by: str) -> int:
        """How many examples are in no subset of a column whose subsets do not overlap."""
        of_column = [subset for subset in self.search.subsets if subset.column == by]
        if any(subset.is_set for subset in of_column):
            return 0
        by_side = {subset.key: [s.n for s in of_column if s.key == subset.key] for subset in of_column}
        return max(0, *(self._entries[key].paired.n - sum(numbers) for key, numbers in by_side.items()))

    def _chosen_values(self, by: str) -> list[list[Subset]]:
        """The values of a column, and then those of other columns that were reported."""
        reported = [subset for subset in self.search.subsets if subset.reported][:MOST_FINDINGS]
        names = {(subset.column, subset.name) for subset in reported if subset.column != by}
        others = [subset for subset in self.search.subsets if (subset.column, subset.name) in names]
        return [*self._values(by), *self._by_value(others)]

    @staticmethod
    def _by_value(subsets: Sequence[Subset]) -> list[list[Subset]]:
        of_values: dict[tuple[str, str], list[Subset]] = {}
        for subset in subsets:
            of_values.setdefault((subset.column, subset.name), []).append(subset)
        return list(of_values.values())

    def drawn_values(self) -> list[Value]:
        """The values of the chosen column whose pages are not computed yet."""
        by = self._by()
        every = self._by_value(self.search.subsets)
        if (
            self._is_everything and len(every) <= MOST_SETTLED
        ):  # else marks would follow two rules in one list
            return [(first.column, first.name) for first, *_ in every if not first.is_settled]
        firsts = [of_value[0] for of_value in self._values(by)]
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

    @property
    def _is_everything(self) -> bool:
        return self.request.GET.get("subsets") == "all"

    @property
    def _is_chosen(self) -> bool:
        return bool({"by", VARIANT} & self.request.GET.keys())

    @property
    def _is_brief(self) -> bool:
        """Whether only findings are shown: below a ranking, of which examples are to be seen too."""
        return len(self.comparison.sides) > 2 and not self._is_everything and not self._is_chosen

    def _by(self) -> str:
        """The chosen column, else that of the first subset."""
        chosen = self.request.GET.get("by", "")
        return chosen if chosen in self._names else self.search.subsets[0].column

    def _values(self, by: str) -> list[list[Subset]]:
        """The subsets of one column by value: reversals, other findings, then the largest; numbers ascending."""
        of_values = self._by_value([subset for subset in self.search.subsets if subset.column == by])
        shown = sorted(of_values, key=_importance)[:MOST_VALUES]
        return sorted(shown, key=_code) if shown[0][0].is_number else shown

    def _axis(self, shown: Sequence[Subset]) -> Axis:
        primary = self.comparison.figures.primary
        overall = [
            Change.from_paired(self._entries[index].paired, is_share=self._is_share)
            for index in self._shown_indices
        ]
        drawn = [self._change(subset) for subset in shown if subset.key in self._shown_indices]
        changes = [*overall, *drawn]
        return common_axis(self.comparison, primary, changes)

    def _change(self, subset: Subset) -> Change:
        low, high = subset.interval or (None, None)
        word = "none" if self._alone(subset) else verdict(subset, self._direction) or "none"
        return Change(subset.difference, low, high, word, subset.reason or None, is_share=self._is_share)

    def _alone(self, subset: Subset) -> str:
        """A verdict that is neither the overall one nor found by the search of all subsets; else ""."""
        word = verdict(subset, self._direction)
        if subset.reported or word not in ("better", "worse"):
            return ""
        return "" if self._entries[subset.key].paired.verdict == word else word

    @cached_property
    def _entries(self) -> dict[int, Entry]:
        """The differences on all examples, by the index of the side."""
        figures = self.comparison.figures
        return dict(enumerate(figures.entries_of(figures.primary), start=1))

    def _overall(self, axis: Axis) -> Group:
        indices = self._shown_indices
        changes = [
            Change.from_paired(self._entries[index].paired, is_share=self._is_share) for index in indices
        ]
        rows = [self._row(index, change, axis) for index, change in zip(indices, changes, strict=True)]
        return Group("All examples", max(entry.paired.n for entry in self._entries.values()), rows)

    @cached_property
    def _shown_indices(self) -> list[int]:
        """The indices of the sides of which there are rows."""
        return self._ranked_indices if self._chosen is None else [self._chosen]

    @cached_property
    def _chosen(self) -> int | None:
        """The index of the one side that is shown of many, None for all.

        By default the first of which something was found, else the best.
        """
        indices, chosen = self._ranked_indices, self.request.GET.get(VARIANT, "")
        if len(self.comparison.sides) <= MOST_TOGETHER or chosen == "all":
            return None
        by_run = {str(self.comparison.sides[index].run.pk): index for index in indices}
        found = [subset.key for subset in self.search.subsets if subset.reported]
        return by_run.get(chosen) or next((key for key in found if key in indices), indices[0])

    @property
    def _variants(self) -> list[tuple[str, str, bool]]:
        if len(self.comparison.sides) <= MOST_TOGETHER:
            return []
        sides = self.comparison.sides
        single = [
            (self._label(index), self._link(**{VARIANT: str(sides[index].run.pk)}), index == self._chosen)
            for index in self._ranked_indices
        ]
        return [*single, ("all", self._link(**{VARIANT: "all"}), self._chosen is None)]

    def _label(self, index: int) -> str:
        return self.comparison.sides.label(self.comparison.sides[index].run)

    @cached_property
    def _ranked_indices(self) -> list[int]:
        """The indices of the sides other than the baseline, in the order of the table: best first."""
        ranks = {ranked.side.run.pk: rank for rank, ranked in enumerate(self.comparison.figures.ranking)}
        sides = self.comparison.sides
        return sorted(range(1, len(sides)), key=lambda index: ranks.get(sides[index].run.pk, len(ranks)))

    def _group(self, of_value: Sequence[Subset], axis: Axis) -> Group:
        by_side = {subset.key: subset for subset in of_value}
        nothing = Change(None, None, None, "none", None)
        rows = [
            self._row(index, self._change(subset) if subset else nothing, axis, subset)
            for index in self._shown_indices
            for subset in [by_side.get(index)]
        ]
        return Group(
            of_value[0].name,
            max(subset.n for subset in of_value),
            rows,
            column=of_value[0].column,
            address=self._examples(of_value[0]),
            is_reversed=any(row.subset.reversal for row in rows if row.subset),
            is_reported=any(row.subset.reported for row in rows if row.subset),
        )

    def _row(self, index: int, change: Change, axis: Axis, subset: Subset | None = None) -> Row:
        shown = change.range if change.difference is not None else Range(None, None, None)
        plot = range_plot(axis, shown, height=HEIGHT, grid=True)
        return Row(self._label(index), change, plot, subset, self._alone(subset) if subset else "")

    def _examples(self, subset: Subset) -> str:
        return f"{address(self.request, **RESET, **{f'metadata[{subset.column}]': subset.name})}#examples"

    def _link(self, **changes: str | None) -> str:
        return f"{address(self.request, **changes)}#subsets"


def _importance(of_value: Sequence[Subset]) -> tuple[bool, bool, int]:
    """The sort key of a value; smaller ones come first."""
    return (
        not any(subset.reversal for subset in of_value),
        not any(subset.reported for subset in of_value),
        -max(subset.n for subset in of_value),
    )


def _code(of_value: Sequence[Subset]) -> int:
    return of_value[0].code
