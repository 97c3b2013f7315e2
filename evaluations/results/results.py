"""The rows of a run, sorted by a score, filtered and searched, page by page."""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from operator import or_
from typing import Any

import numpy as np
import orjson
from django.db.models import Q, QuerySet
from numpy.typing import NDArray

from evaluations.datasets.bitmaps import Mask
from evaluations.datasets.live_positions import Positions
from evaluations.evaluators import embeddings
from evaluations.evaluators.recipe import Recipe
from evaluations.kinds.scores import optional
from evaluations.models import Block, Example, Output, Run, Scoring
from evaluations.models.dataset import ExampleQuerySet
from evaluations.scoring import column_cache, columns, coverage
from evaluations.scoring.columns import Slots
from evaluations.scoring.rows import Rows
from evaluations.statistics import ordering
from evaluations.statistics.ordering import Cursor
from evaluations.values import JSON, Status, output_value

from . import filters
from .filters import Filters
from .shown import scorings_of

NO_FILTERS = Filters()
WORDS = {status.word: status for status in Status if status is not Status.ABSENT}


@dataclass(frozen=True)
class Score:
    """One score of one example, as it is shown: null where there is none."""

    value: float | None
    passed: bool | None
    status: str
    message: str = ""


ScoresByRun = dict[int, dict[int, dict[str, Score]]]
Pairs = list[tuple[int, int]]  # positions with their slots


@dataclass(frozen=True)
class Row:
    """One example of a run. `scores` by evaluator name."""

    position: int
    key: str | None
    inputs: JSON
    reference: JSON
    metadata: JSON
    output: JSON
    scores: dict[str, Score]
    output_error: str | None = None
    latency_ms: int | None = None

    def without_output(self) -> "Row":
        """The example alone."""
        return replace(self, output=None, scores={}, output_error=None, latency_ms=None)


@dataclass(frozen=True)
class Query:
    """Which rows, in which order. `scoring` is what the filters look at; without `by_score` the order is the file's.

    `sorted_by` is the scoring whose values make the order, where that is another one. `more` are conditions on
    further evaluators, metadata and texts.
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
    among: Mask | None = None  # the slots that conditions left which were applied before

    @property
    def filters(self) -> bool:
        return (
            bool(self.statuses or self.search or self.more)
            or not self.passed is self.low is self.high is None
        )


@dataclass(frozen=True)
class Page:
    """`total` rows match; `before` and `after` lead to the neighbouring pages, None at the ends."""

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
    """`size` rows behind (or ahead of) a cursor; cursors hold a value and a position."""
    order = Order.from_query(run, query)
    return page_at(run, order, order.page(size, after=after, before=before), scorings)


def chosen(run: Run, query: Query) -> Mask:
    """The slots of the rows that a query chooses, for an export of them."""
    return Order.from_query(run, query).chosen


def page_at(
    run: Run, order: "Order", slots: NDArray[np.intp], scorings: Sequence[Scoring] | None = None
) -> Page:
    """The page of these slots, which stand together in an order."""
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
    """The rows a query chooses, as slots of the run's `positions`, and the values they are ordered by."""

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
        if query.among is not None:
            chosen &= query.among
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
        """The place of a row in the order, from 1."""
        keys = -self.values if self.descending else self.values
        return 1 + ordering.count_ahead(keys, slot, self.chosen)

    def neighbours(self, slot: int) -> tuple[int | None, int | None]:
        """The positions just ahead of and just behind a slot."""
        here = self.cursor(slot)
        beside = self.page(1, before=here), self.page(1, after=here)
        ahead, behind = (self.positions.at(slots).tolist() for slots in beside)
        return next(iter(ahead), None), next(iter(behind), None)


def _column(run: Run, query: Query, positions: Positions) -> Slots:
    """The column that filters read; without a scoring, every asked example is in it."""
    if query.scoring is not None:
        return column_cache.load([query.scoring], positions)[query.scoring.pk]
    column = Slots.absent(len(positions))
    column.status[coverage.among(run, positions.every)] = Status.SCORED
    return column


def _order_values(query: Query, column: Slots, positions: Positions) -> NDArray[np.float64]:
    if not query.by_score:
        return np.zeros(len(column))
    if query.sorted_by is None:
        return column.values
    return column_cache.load([query.sorted_by], positions)[query.sorted_by.pk].values


# ---- rows --------------------------------------------------------------------------------------------------


def rows_at(run: Run, positions: Sequence[int], scorings: Sequence[Scoring] | None = None) -> list[Row]:
    """The rows at these positions, in their order."""
    chosen = scorings_of(run) if scorings is None else scorings
    [by_position] = rows_of([run], {run.pk: chosen}, positions)
    return [by_position[position] for position in positions if position in by_position]


def rows_of(
    runs: Sequence[Run], scorings: dict[int, Sequence[Scoring]], positions: Sequence[int]
) -> list[dict[int, Row]]:
    """The rows of each of these runs of one dataset, by position: four queries for any number of runs."""
    scores = scores_at([scoring for run in runs for scoring in scorings[run.pk]], positions)
    examples = Example.objects.filter(dataset_id=runs[0].experiment.dataset_id)
    return _rows(runs, scores, examples, position__in=positions)


def _rows(
    runs: Sequence[Run], scores: ScoresByRun, examples: ExampleQuerySet, **within: Any
) -> list[dict[int, Row]]:
    outputs = {(o.run_id, o.position): o for o in Output.objects.filter(run__in=runs, **within)}
    shown = list(examples.filter(**within))
    return [
        {
            example.position: row(
                example, outputs.get((run.pk, example.position)), scores[run.pk][example.position]
            )
            for example in shown
        }
        for run in runs
    ]


def row(example: Example, output: Output | None, scores: dict[str, Score]) -> Row:
    return Row(
        position=example.position,
        key=example.key,
        inputs=orjson.loads(example.inputs),
        reference=orjson.loads(example.reference),
        metadata=orjson.loads(example.metadata),
        output=output_value(output.text, output.is_json) if output else None,
        scores=scores,
        output_error=output.error if output else None,
        latency_ms=output.latency_ms if output else None,
    )


def scores_at(scorings: Sequence[Scoring], positions: Iterable[int]) -> ScoresByRun:
    """run → position → evaluator name → score."""
    wanted = sorted(set(positions))
    scores: ScoresByRun = defaultdict(lambda: {position: {} for position in wanted})
    by_id = {scoring.pk: scoring for scoring in scorings}
    for pk, slots, places, notes in _slots_at(by_id, wanted):
        name, messages = by_id[pk].evaluator_version.evaluator.name, notes.get("messages", {})
        for position, slot in places:
            if slots.status[slot] != Status.ABSENT:
                scores[by_id[pk].run_id][position][name] = _score(slots, slot, messages.get(str(slot), ""))
    return scores


def _slots_at(
    scorings: dict[int, Scoring], wanted: Sequence[int]
) -> Iterator[tuple[int, Slots, Pairs, dict[str, Any]]]:
    """(scoring, slots, positions with their slots, notes): whole columns that are kept, else blocks."""
    kept = {pk: each for pk, scoring in scorings.items() if (each := _kept(scoring, wanted))}
    for pk, (slots, places) in kept.items():
        yield pk, slots, places, {}
    blocks = _blocks(scorings.keys() - kept.keys(), wanted)
    for pk, first, *packed, notes in blocks.values_list(
        "scoring_id", "first", "values", "passed", "status", "notes"
    ):
        slots = columns.unpack(*packed)
        held = wanted[bisect_left(wanted, first) : bisect_left(wanted, first + len(slots))]
        yield pk, slots, [(position, position - first) for position in held], notes


def _kept(scoring: Scoring, wanted: Sequence[int]) -> tuple[Slots, Pairs] | None:
    """The cached column of a scoring, unless a row needs its message: messages are stored in the blocks only."""
    column = column_cache.kept(scoring)
    if column is None:
        return None
    positions = np.array(wanted[: bisect_right(wanted, column.positions.last)], np.int64)
    places, is_here = column.positions.find(positions)
    status = column.slots.status[places[is_here]]
    if np.isin(status, (Status.UNMAPPED, Status.ERROR)).any():
        return None
    return column.slots, list(zip(positions[is_here].tolist(), places[is_here].tolist(), strict=True))


def _blocks(scoring_ids: Iterable[int], positions: Sequence[int]) -> QuerySet[Block]:
    """The blocks that hold these positions. A block begins where its chunk does, or at a half of one."""
    stretches = {(position - 1) // columns.CHUNK for position in positions}
    begin = [Q(first__gt=n * columns.CHUNK, first__lte=(n + 1) * columns.CHUNK) for n in sorted(stretches)]
    blocks = Block.objects.filter(reduce(or_, begin)) if begin else Block.objects.none()
    return blocks.filter(scoring_id__in=list(scoring_ids))


def _score(slots: Slots, slot: int, message: str) -> Score:
    value, passed = optional(float(slots.values[slot]), int(slots.passed[slot]))
    return Score(value, passed, Status(int(slots.status[slot])).word, message)


def explanations(run: Run, position: int, scorings: Sequence[Scoring]) -> dict[int, dict[str, Any]]:
    """Why one example has the scores it has, by scoring; the example is read once."""
    recipes = {scoring.pk: Recipe.from_version(scoring.evaluator_version) for scoring in scorings}
    needs = frozenset().union(*(recipe.needs for recipe in recipes.values()))
    contexts = Rows.read(run, position, position, needs).contexts
    return {
        pk: recipe.explain(contexts, 0, embed=embeddings.embedder(run.project, recipe))
        for pk, recipe in recipes.items()
    }
