"""Compared examples side by side: texts, differences and scores."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from evaluations import charts
from evaluations.comparisons.comparison import Comparison
from evaluations.comparisons.examples.examples import Compared
from evaluations.conversations.changes import Stretch, between
from evaluations.conversations.messages import readable
from evaluations.metrics.diff import Change, are_unlike, diff
from evaluations.models import Evaluator, Run
from evaluations.results.rows import Row, Score, explanations
from evaluations.values import JSON, by_column

from ..page_tools.paging import address, extended
from ..page_tools.request import HttpRequest
from ..page_tools.texts import Beginning, as_text, beginning, line, opened
from .example_selection import ExampleSelection
from .pair import StripScore

LONGEST_CELL, MOST_CELL_LINES = 180, 6  # limits of an input or a reference, in a narrow column


@dataclass(frozen=True)
class ScoreCell:
    """A variant's score; `change` is its difference from the baseline's in the evaluator's unit."""

    name: str
    score: Score | None
    decimals: int
    verdict: str
    change: float | None


@dataclass(frozen=True)
class OutputCell:
    """A variant's output, with a diff unless the texts are too different.

    For an open example, `stretches` are the differences between conversations, and `why` explains the score of the
    chosen evaluator.
    """

    name: str
    run: Run
    row: Row
    score: ScoreCell
    ticks: str
    output: Beginning | None
    diff: list[Change] | None
    is_too_different: bool
    stretches: list[Stretch] | None = None
    why: dict[str, Any] | None = None


@dataclass(frozen=True)
class ScoreLine:
    """One evaluator's scores on an open example."""

    evaluator: Evaluator
    is_chosen: bool
    cells: list[ScoreCell]


@dataclass(frozen=True)
class ExampleRow:
    """`strip` has the scores of all variants if only two outputs are shown."""

    position: int
    name: str
    is_open: bool
    address: str
    previous: str | None
    next: str | None
    inputs: list[tuple[str, Beginning]]
    expected: list[tuple[str, Beginning]]
    cells: list[OutputCell]
    all_scores: list[ScoreLine]
    strip: list[StripScore]


def example_rows(
    request: HttpRequest,
    comparison: Comparison,
    selection: ExampleSelection,
    examples: Sequence[Compared],
    strips: dict[int, list[StripScore]],
) -> list[ExampleRow]:
    """The rows of a page; an open one links to its neighbours on the page. `strips` are by position."""
    closed = address(request, open=None)
    addresses = [_address(closed, selection, example.position) for example in examples]
    neighbours = zip([None, *addresses], [*addresses[1:], None], strict=False)
    return [
        _Drawing(comparison, selection, example).row(opening, around, strips.get(example.position, []))
        for example, opening, around in zip(examples, addresses, neighbours, strict=False)
    ]


def _address(closed: str, selection: ExampleSelection, position: int) -> str:
    """The address that opens the example, or closes it if it is open."""
    opening = closed if position == selection.opened else extended(closed, open=position)
    return f"{opening}#e{position}"


@dataclass(frozen=True)
class _Drawing:
    comparison: Comparison
    selection: ExampleSelection
    example: Compared

    @property
    def is_open(self) -> bool:
        return self.example.position == self.selection.opened

    def row(
        self, address: str, neighbours: tuple[str | None, str | None], strip: list[StripScore]
    ) -> ExampleRow:
        baseline = self.example.rows[0]
        previous, following = neighbours if self.is_open else (None, None)
        return ExampleRow(
            position=self.example.position,
            name=baseline.name,
            is_open=self.is_open,
            address=address,
            previous=previous,
            next=following,
            inputs=self._parts("inputs", baseline.inputs, ""),
            expected=self._parts("reference", baseline.reference, "Reference"),
            cells=[self._output(index) for index in range(len(self.example.rows))],
            all_scores=self._all_scores() if self.is_open else [],
            strip=strip,
        )

    def _parts(self, part: str, value: JSON, label: str) -> list[tuple[str, Beginning]]:
        """The texts of a part, labelled by column; a single one has this label."""
        cells = by_column(part, value)
        return [
            (
                name if len(cells) > 1 else label,
                opened(cell) if self.is_open else beginning(line(cell), LONGEST_CELL, MOST_CELL_LINES),
            )
            for name, cell in cells.items()
        ]

    def _cut(self, value: JSON) -> Beginning:
        return opened(value) if self.is_open else beginning(readable(value))

    def _output(self, index: int) -> OutputCell:
        side, row = self.comparison.sides[index], self.example.rows[index]
        stretches = between(self._compared_with(index), row.output) if self.is_open else None
        changes = None if stretches else self._diff(index)
        is_too_different = changes is not None and are_unlike(changes)
        return OutputCell(
            name=self.comparison.sides.label(side.run),
            run=side.run,
            row=row,
            score=self._score(self.selection.evaluator, index),
            ticks=self._ticks(index),
            output=None if row.output is None else self._cut(row.output),
            diff=None if is_too_different else changes,
            is_too_different=is_too_different,
            stretches=stretches,
            why=self._why(side.run, row) if self.is_open and row.scores else None,
        )

    def _why(self, run: Run, row: Row) -> dict[str, Any] | None:
        chosen = [
            scoring
            for scoring in self.comparison.sides.scorings[run]
            if scoring.evaluator_version.evaluator_id == self.selection.evaluator.pk
        ]
        return next(iter(explanations(run, row.position, chosen).values())) if chosen else None

    def _ticks(self, index: int) -> str:
        evaluators = self.comparison.evaluators
        if not index or len(evaluators) < 2:
            return ""
        return charts.ticks([self._gain(evaluator, index) for evaluator in evaluators])

    def _diff(self, index: int) -> list[Change] | None:
        output, compared_text = self.example.rows[index].output, self._compared_with(index)
        if output is None or compared_text is None:
            return None
        old, new = (
            as_text(text) if self.is_open else self._cut(text).text for text in (compared_text, output)
        )
        return diff(
            old,
            new,
            ignore_case=self.selection.ignore_case,
            ignore_whitespace=self.selection.ignore_space,
        )

    def _compared_with(self, index: int) -> JSON:
        """The text or value that an output is compared with; None for nothing."""
        baseline = self.example.rows[0]
        if self.selection.diff == "expected":
            cells = list(by_column("reference", baseline.reference).values())
            return cells[0] if len(cells) == 1 else None
        if self.selection.diff == "baseline" and index:
            return baseline.output
        return None

    def _gain(self, evaluator: Evaluator, index: int) -> float | None:
        """How much better than the baseline; zero within the tie tolerance."""
        gain = self.example.gain(index, evaluator.name, self.comparison.evaluators.direction(evaluator.pk))
        return 0.0 if gain is not None and abs(gain) <= self.comparison.evaluators.tie(evaluator.pk) else gain

    def _score(self, evaluator: Evaluator, index: int) -> ScoreCell:
        gain = self._gain(evaluator, index) if index else None
        sign = 1 if self.comparison.evaluators.direction(evaluator.pk) == "maximize" else -1
        return ScoreCell(
            name=self.comparison.sides.label(self.comparison.sides[index].run),
            score=self.example.rows[index].scores.get(evaluator.name),
            decimals=0 if self.comparison.evaluators.unit(evaluator.pk) else 2,
            verdict="" if gain is None else _verdict(gain),
            change=None if gain is None else sign * gain,
        )

    def _all_scores(self) -> list[ScoreLine]:
        indices = range(len(self.comparison.sides))
        return [
            ScoreLine(
                evaluator,
                evaluator.pk == self.selection.evaluator.pk,
                [self._score(evaluator, index) for index in indices],
            )
            for evaluator in self.comparison.evaluators
        ]


def _verdict(gain: float) -> str:
    return "better" if gain > 0 else "worse" if gain < 0 else "same"
