"""The rows of a run: sorted by a score, filtered, searched, and paginated."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from evaluations.datasets.bitmaps import Mask
from evaluations.datasets.live_positions import Positions
from evaluations.keyset import Slice
from evaluations.labelling import seal
from evaluations.models import Run, Scoring
from evaluations.scoring import coverage
from evaluations.scoring.columns import Slots
from evaluations.statistics.ordering import Cursor, Part, Selected, Verdict
from evaluations.values import Status

from . import filters
from .filters import Filters
from .found import Found
from .rows import Row, rows_at

NO_FILTERS = Filters()
WORDS = {status.word: status for status in Status if status is not Status.ABSENT}


@dataclass(frozen=True)
class Query:
    """Which rows, and in which order. The filters apply to `scoring`; without `by_score`, the order is the file's.

    `sorted_by` is the scoring to sort by, if it is another one. `more` are conditions on other evaluators, metadata and
    texts; `masked` computes the slots that meet them, for a caller that keeps these.
    """

    scoring: Scoring | None = None
    by_score: bool = False
    sorted_by: Scoring | None = None
    descending: bool = False
    statuses: tuple[Status, ...] = ()
    passed: Verdict | None = None
    low: float | None = None
    high: float | None = None
    more: Filters = NO_FILTERS
    masked: Callable[[], Mask] | None = None

    @property
    def filters(self) -> bool:
        return bool(self.statuses or self.more) or not self.passed is self.low is self.high is None


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
    return page_at(run, order, order.rows.part(size, after=after, before=before), scorings)


def uncounted_page(
    run: Run,
    query: Query,
    size: int,
    *,
    after: Cursor | None = None,
    before: Cursor | None = None,
    scorings: Sequence[Scoring] | None = None,
) -> Slice:
    """Like `page`, without a total: a search in the order of the file stops when the page is full."""
    more = query.more
    if not more.search or query.by_score:
        counted = page(run, query, size, after=after, before=before, scorings=scorings)
        return Slice(counted.rows, counted.before, counted.after)
    positions = coverage.positions(run)
    where = _selected(run, replace(query, more=replace(more, search="")), positions).where
    found = Found(run, more.search, positions, where, more.searched)
    after_slot, before_slot = (None if cursor is None else cursor.index for cursor in (after, before))
    part = found.page(size, after=after_slot, before=before_slot)
    rows = rows_at(run, positions.at(np.array(part.rows, np.intp)).tolist(), scorings)
    ends = (None if slot is None else Cursor(0.0, slot) for slot in (part.before, part.after))
    return Slice(rows, *ends)


def chosen(run: Run, query: Query) -> Mask:
    """The slots of the rows that match a query, for an export."""
    return _selected(run, query, coverage.positions(run)).where


def in_order(run: Run, query: Query, count: int) -> NDArray[np.int64]:
    """The positions of the `count` rows that match, in the order of the query."""
    order = Order.from_query(run, query)
    return order.positions.at(order.rows.indices(count))


def page_at(run: Run, order: "Order", part: Part, scorings: Sequence[Scoring] | None = None) -> Page:
    """The rows of a part of an order."""
    positions = order.positions.at(part.rows).tolist()
    return Page(
        rows=rows_at(run, positions, scorings),
        total=order.rows.total,
        first=part.first,
        before=part.before,
        after=part.after,
        positions=positions,
    )


@dataclass(frozen=True)
class Order:
    """The rows that match a query, as slots of the run's `positions`, in order."""

    positions: Positions
    rows: Selected

    @classmethod
    def from_query(cls, run: Run, query: Query) -> "Order":
        positions = coverage.positions(run)
        return cls(positions, _selected(run, query, positions))

    def neighbour(self, *, after: Cursor | None = None, before: Cursor | None = None) -> int | None:
        """The position of the row after, or before, a cursor; None without one."""
        if after is None and before is None:
            return None
        positions = self.positions.at(self.rows.indices(1, after=after, before=before)).tolist()
        return next(iter(positions), None)


def _selected(run: Run, query: Query, positions: Positions) -> Selected:
    column = _column(run, query, positions)
    where = filters.matching(column, query)
    if query.more:
        where &= query.masked() if query.masked else query.more.mask(run, positions)
    return Selected(_order_values(query, column, positions), where, query.descending)


def _column(run: Run, query: Query, positions: Positions) -> Slots:
    """The column that filters apply to; without a scoring, one that includes every asked example."""
    if query.scoring is not None:
        return seal.load([query.scoring], positions)[query.scoring.pk]
    asked, length = coverage.slots(run), len(positions)
    status = np.uint8(Status.SCORED) if asked is None else np.where(asked, Status.SCORED, Status.ABSENT)
    return Slots(
        np.broadcast_to(np.float64(np.nan), length),
        np.broadcast_to(np.int8(-1), length),
        np.broadcast_to(np.asarray(status, np.uint8), length),
    )


def _order_values(query: Query, column: Slots, positions: Positions) -> NDArray[np.float64]:
    if not query.by_score:
        return np.broadcast_to(np.float64(0), len(column))
    if query.sorted_by is None:
        return column.values
    return seal.load([query.sorted_by], positions)[query.sorted_by.pk].values
