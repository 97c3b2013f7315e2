"""Compared examples side by side: texts, differences and scores."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from evaluations import charts
from evaluations.comparisons.comparison import Comparison
from evaluations.comparisons.examples.examples import Compared
from evaluations.conversations.messages import conversation
from evaluations.evaluators.recipe import Recipe
from evaluations.labelling import facts
from evaluations.models import Evaluator, EvaluatorVersion, Run
from evaluations.reading.reading import Reading, View, compare, read
from evaluations.results.rows import Row, Score, explanations
from evaluations.results.taken import taken
from evaluations.scoring import coverage
from evaluations.values import JSON, by_column

from ..page_tools.paging import address, extended
from ..page_tools.request import HttpRequest
from ..page_tools.texts import line
from .example_selection import ExampleSelection
from .pair import StripScore

LONGEST_CELL = 180  # characters of an input or a reference, in a narrow column
LONGEST_OPEN = 260  # of one on an open example: some six lines, and the rest is folded
LONGEST_OUTPUT = 600


@dataclass(frozen=True)
class ScoreCell:
    """A variant's score; `change` is its difference from the baseline's in the evaluator's unit.

    `share` is the word for a score of 1 by an evaluator whose scores are all 0 or 1; `told` is a score between the two,
    on an open example, by the labels of several people.
    """

    name: str
    score: Score | None
    decimals: int
    verdict: str
    change: float | None
    share: str = ""
    told: str = ""


@dataclass(frozen=True)
class Part:
    """A text of an example with its label; `whole` is all of a long one, folded below what is shown of it.

    A reference that all outputs write out is only said to be the `same`.
    """

    label: str
    shown: Reading
    whole: Reading | None = None
    same: str = ""


@dataclass(frozen=True)
class OutputCell:
    """A variant's output, with its differences unless the texts are too different; None if there is no output.

    `taken` is what the chosen evaluator read out of it, where it does not compare all of it. `beside` is the baseline's
    score where only this output is drawn, with the baseline's words in it. `why` explains
    the score of the chosen evaluator on an open example.
    """

    name: str
    run: Run
    row: Row
    score: ScoreCell
    ticks: str
    output: Reading | None
    taken: str = ""
    beside: ScoreCell | None = None
    why: dict[str, Any] | None = None
    is_asked: bool = True
    is_same: bool = False  # as the baseline's beside it, and too long to be read twice


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
    inputs: list[Part]
    expected: list[Part]
    cells: list[OutputCell]
    all_scores: list[ScoreLine]
    strip: list[StripScore]
    metadata: str = ""

    @property
    def told_scores(self) -> list[ScoreLine]:
        """The scores by all evaluators; by a single one they stand above the outputs already."""
        return self.all_scores if len(self.all_scores) > 1 else []


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
    parts_of = _taken(comparison, selection.evaluator, examples)
    neighbours = zip([None, *addresses], [*addresses[1:], None], strict=False)
    return [
        _Drawing(comparison, selection, example, parts).row(opening, around, strips.get(example.position, []))
        for example, parts, opening, around in zip(examples, parts_of, addresses, neighbours, strict=False)
    ]


def _taken(
    comparison: Comparison, evaluator: Evaluator, examples: Sequence[Compared]
) -> list[tuple[str, ...]]:
    """By example, what the evaluator read out of the output of each side."""
    by_side = []
    for index, side in enumerate(comparison.sides):
        version = _version(comparison, side.run, evaluator)
        rows = [example.rows[index] for example in examples]
        by_side.append(taken(Recipe.from_version(version), rows) if version else [""] * len(rows))
    return list(zip(*by_side, strict=True))


def _version(comparison: Comparison, run: Run, evaluator: Evaluator) -> EvaluatorVersion | None:
    """The version by which the evaluator scored the run."""
    versions = (scoring.evaluator_version for scoring in comparison.sides.scorings[run])
    return next((version for version in versions if version.evaluator_id == evaluator.pk), None)


def _address(closed: str, selection: ExampleSelection, position: int) -> str:
    """The address that opens the example, or closes it if it is open."""
    opening = closed if position == selection.opened else extended(closed, open=position)
    return f"{opening}#e{position}"


@dataclass(frozen=True)
class _Drawing:
    comparison: Comparison
    selection: ExampleSelection
    example: Compared
    taken: tuple[str, ...]

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
            cells=self._cells(),
            all_scores=self._all_scores() if self.is_open else [],
            strip=strip,
            metadata=_metadata(baseline.metadata) if self.is_open else "",
        )

    def _parts(self, part: str, value: JSON, label: str) -> list[Part]:
        """The texts of a part, labelled by column; a single one has this label."""
        cells = by_column(part, value)
        if len(cells) > 1:
            return [self._part(name, cell) for name, cell in cells.items()]
        return [
            self._part(label, cell)
            if part == "inputs" or not self._is_every_output(cell)
            else Part(label, self._short(cell), same=self._same)
            for cell in cells.values()
        ]

    @property
    def _same(self) -> str:
        count = len(self.example.rows)
        return "= output" if count == 1 else f"= {'both' if count == 2 else 'all'} outputs"

    def _is_every_output(self, reference: JSON) -> bool:
        """Whether a long reference is written out by all outputs beside it."""
        return self._is_long(reference) and all(row.output == reference for row in self.example.rows)

    def _part(self, label: str, cell: JSON) -> Part:
        """All of a text on an open example, of which only the beginning of a long one is in sight."""
        if not self.is_open:
            return Part(label, self._short(cell))
        shown = read(cell, View(raw=self.selection.raw, room=LONGEST_OPEN))
        return Part(label, shown, read(cell, View(raw=self.selection.raw)) if shown.characters_left else None)

    @staticmethod
    def _is_long(output: JSON) -> bool:
        """Whether a text is too long to be read twice."""
        return isinstance(output, str) and len(output) > LONGEST_CELL

    def _short(self, cell: JSON) -> Reading:
        """The beginning of a text; a conversation on one line."""
        view = View(raw=self.selection.raw, whole=self.selection.whole, room=LONGEST_CELL)
        return read(cell if conversation(cell) is None else line(cell), view)

    @property
    def _view(self) -> View:
        return View(
            raw=self.selection.raw,
            whole=self.selection.whole,
            transcripts=not self.is_open,
            room=None if self.is_open or self.selection.whole else LONGEST_OUTPUT,
            ignore_case=self.selection.ignore_case,
            ignore_space=self.selection.ignore_space,
            characters=self.selection.characters,
        )

    def _cells(self) -> list[OutputCell]:
        """The outputs; of two that are read inline only the second, which has the words of both."""
        cells = [self._output(index) for index in range(len(self.example.rows))]
        is_inline = self.selection.inline and self.selection.diff == "baseline" and len(cells) == 2
        if is_inline and cells[1].output is not None and cells[1].output.has_changes:
            return [replace(cells[1], beside=cells[0].score)]
        return cells

    def _output(self, index: int) -> OutputCell:
        side, row = self.comparison.sides[index], self.example.rows[index]
        return OutputCell(
            name=self.comparison.sides.label(side.run),
            run=side.run,
            row=row,
            score=self._score(self.selection.evaluator, index),
            ticks=self._ticks(index),
            output=self._reading(index),
            taken=self.taken[index],
            why=self._why(side.run, row) if self.is_open and row.scores else None,
            is_asked=coverage.asks(side.run, row.position),
            is_same=self._is_same(index),
        )

    def _is_same(self, index: int) -> bool:
        """Whether a long output is that of the baseline once more."""
        output, baseline = (self.example.rows[n].output for n in (index, 0))
        is_said = self.selection.diff == "baseline" and self._is_long(output)
        return bool(index) and is_said and output == baseline

    def _reading(self, index: int) -> Reading | None:
        """An output with its differences; of two variants the baseline's is folded at the same passages."""
        rows = self.example.rows
        output, compared = rows[index].output, self._compared_with(index)
        if output is None:
            return None
        if compared is not None:
            return compare(compared, output, self._view)[1]
        if self.selection.diff == "baseline" and len(rows) == 2 and rows[1].output is not None:
            return compare(output, rows[1].output, self._view)[0]
        return read(output, self._view)

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

    def _compared_with(self, index: int) -> JSON:
        """The text or value that an output is compared with; None for nothing."""
        baseline = self.example.rows[0]
        if self.selection.diff == "expected":
            cells = list(by_column("reference", baseline.reference).values())
            return cells[0] if len(cells) == 1 else None
        return baseline.output if self.selection.diff == "baseline" and index else None

    def _gain(self, evaluator: Evaluator, index: int) -> float | None:
        """How much better than the baseline; zero within the tie tolerance."""
        gain = self.example.gain(index, evaluator.name, self.comparison.evaluators.direction(evaluator.pk))
        return 0.0 if gain is not None and abs(gain) <= self.comparison.evaluators.tie(evaluator.pk) else gain

    def _score(self, evaluator: Evaluator, index: int) -> ScoreCell:
        gain = self._gain(evaluator, index) if index else None
        sign = self.comparison.evaluators.sign(evaluator.pk)
        return ScoreCell(
            name=self.comparison.sides.label(self.comparison.sides[index].run),
            score=self.example.rows[index].scores.get(evaluator.name),
            decimals=0 if self.comparison.evaluators.unit(evaluator.pk) else 2,
            verdict="" if gain is None else _verdict(gain),
            change=None if gain is None else sign * gain,
            share=self.comparison.evaluators.share(evaluator.pk),
            told=self._told(evaluator, index) if self.is_open else "",
        )

    def _told(self, evaluator: Evaluator, index: int) -> str:
        """How many of several people let an answer pass, where they differ: "1 of 2 pass"."""
        run, position = self.comparison.sides[index].run, self.example.position
        score = self.example.rows[index].scores.get(evaluator.name)
        version = _version(self.comparison, run, evaluator)
        if version is None or score is None or score.value is None or not 0 < score.value < 1:
            return ""
        if not (self.comparison.evaluators.is_of_people(evaluator.pk) and Recipe.from_version(version).share):
            return ""
        values = [fact.value for fact in facts.of_run(version, run).get(position, ()) if not fact.is_unsure]
        is_mean = bool(values) and values.count(1.0) == score.value * len(values)
        return f"{values.count(1.0)} of {len(values)} pass" if is_mean else ""

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


def _metadata(metadata: JSON) -> str:
    """Metadata on one line: "level easy · topic money"."""
    return " · ".join(f"{name} {line(value)}" for name, value in by_column("metadata", metadata).items())
