"""The rows of a run: sorted by a score, filtered, searched, and paginated."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from evaluations.datasets.bitmaps import Mask
from evaluations.datasets.live_positions import Positions
from evaluations.labelling import seal
from evaluations.models import Run, Scoring
from evaluations.scoring import coverage
from evaluations.scoring.columns import Slots
from evaluations.statistics import ordering
from evaluations.statistics.ordering import Cursor
from evaluations.values import Status

from . import filters
from .filters import Filters
from .rows import Row, rows_at

NO_FILTERS = Filters()
WORDS = {status.word: status for status in Status if status is not Status.ABSENT}


@dataclass(frozen=True)
class Query:
    """Which rows, and in which order. The filters apply to `scoring`; without `by_score`, the order is the file's.

    `sorted_by` is the scoring to sort by, if it is another one. `more` are conditions on other evaluators, metadata and
    texts.
    """

    scoring: Scoring | None = None
    by_score: bool = False
    sorted_by: Scoring | None = None
    descending: bool = False
    statuses: tuple[Status, ...] = ()
    passed: bool | None = None
    low: float | None = None
    high: float | None = None
    search: str = ""
    more: Filters = NO_FILTERS
    candidates: Mask | None = None  # slots that pass earlier conditions

    @property
    def filters(self) -> bool:
        return (
            bool(self.statuses or self.search or self.more)
            or not self.passed is self.low is self.high is None
        )


@dataclass(frozen=True)
class Page:
    """`total` rows match; `before` and `after` are the cursors of the neighbouring pages, None at the ends."""

    rows: list[Row]
    total: int
    first: int
    before: Cursor | None = None
    after: Cursor | None = None
    positions: list[int] = field(default_factory=list)


def page(
    run: Run,
    query: Query,
    size: int,
    *,
    after: Cursor | None = None,
    before: Cursor | None = None,
    scorings: Sequence[Scoring] | None = None,
) -> Page:
    """`size` rows after (or before) a cursor; cursors consist of a value and a position."""
    order = Order.from_query(run, query)
    return page_at(run, order, order.page(size, after=after, before=before), scorings)


def chosen(run: Run, query: Query) -> Mask:
    """The slots of the rows that match a query, for an export."""
    return Order.from_query(run, query).chosen


def page_at(
    run: Run, order: "Order", slots: NDArray[np.intp], scorings: Sequence[Scoring] | None = None
) -> Page:
    """The page with these slots, which are adjacent in an order."""
    positions = order.positions.at(slots).tolist()
    first = order.rank(slots[0]) if len(slots) else 0
    return Page(
        rows=rows_at(run, positions, scorings),
        total=order.total,
        first=first,
        before=order.cursor(slots[0]) if first > 1 else None,
        after=order.cursor(slots[-1]) if len(slots) and first + len(slots) <= order.total else None,
        positions=positions,
    )


@dataclass(frozen=True)
class Order:
    """The rows that match a query, as slots of the run's `positions`, and the values that order them."""

    positions: Positions
    values: NDArray[np.float64]
    chosen: NDArray[np.bool_]
    descending: bool

    @classmethod
    def from_query(cls, run: Run, query: Query) -> "Order":
        positions = coverage.positions(run)
        column = _column(run, query, positions)
        chosen = ordering.matching(
            column.values,
            column.passed,
            column.status,
            statuses=query.statuses,
            verdict=query.passed,
            low=query.low,
            high=query.high,
        )
        if query.search:
            chosen &= filters.with_text(run, query.search, positions)
        if query.more:
            chosen &= query.more.mask(run, positions)
        if query.candidates is not None:
            chosen &= query.candidates
        return cls(positions, _order_values(query, column, positions), chosen, query.descending)

    @cached_property
    def total(self) -> int:
        return int(np.count_nonzero(self.chosen))

    def page(
        self, size: int, *, after: Cursor | None = None, before: Cursor | None = None
    ) -> NDArray[np.intp]:
        return ordering.page(
            self.values, size, descending=self.descending, after=after, before=before, where=self.chosen
        )

    def cursor(self, slot: int) -> Cursor:
        value = float(self.values[slot])
        return Cursor(None if np.isnan(value) else value, int(slot))

    def rank(self, slot: int) -> int:
        """The rank of a row in the order, from 1."""
        return 1 + ordering.count_ahead(self.values, slot, self.chosen, descending=self.descending)

    def ahead(self, slot: int) -> int | None:
        """The position of the previous row."""
        return self._first_of(self.page(1, before=self.cursor(slot)))

    def behind(self, slot: int) -> int | None:
        """The position of the next row."""
        return self._first_of(self.page(1, after=self.cursor(slot)))

    def _first_of(self, slots: NDArray[np.intp]) -> int | None:
        return int(self.positions.at(slots)[0]) if len(slots) else None


def _column(run: Run, query: Query, positions: Positions) -> Slots:
    """The column that filters apply to; without a scoring, one that includes every asked example."""
    if query.scoring is not None:
        return seal.load([query.scoring], positions)[query.scoring.pk]
    column = Slots.absent(len(positions))
    column.status[coverage.is_asked(run, positions.every)] = Status.SCORED
    return column


def _order_values(query: Query, column: Slots, positions: Positions) -> NDArray[np.float64]:
    if not query.by_score:
        return np.zeros(len(column))
    if query.sorted_by is None:
        return column.values
    return seal.load([query.sorted_by], positions)[query.sorted_by.pk].values
