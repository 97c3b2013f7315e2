"""Loads rows of a run at given positions: example, output and scores, with explanations."""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_
from typing import Any

import numpy as np
import orjson
from django.db.models import Q, QuerySet

from evaluations.errors import TooLarge, TooManyRequests
from evaluations.evaluators import apart, embeddings
from evaluations.evaluators.recipe import Recipe
from evaluations.kinds.scores import optional
from evaluations.labelling import seal
from evaluations.mapping import Contexts
from evaluations.models import Block, EvaluatorVersion, Example, Output, Run, Scoring
from evaluations.models.dataset import ExampleQuerySet
from evaluations.scoring import column_cache, columns, formulas, in_mean
from evaluations.scoring.columns import Slots
from evaluations.scoring.rows import Rows
from evaluations.values import JSON, Status, output_value

from . import recorded
from .shown import scorings_of


@dataclass(frozen=True)
class Score:
    """One score of an example; None in fields without a value."""

    value: float | None
    passed: bool | None
    status: str
    message: str = ""


SEALED = Score(None, None, Status.SEALED.word, seal.REASON)
ScoresByRun = dict[int, dict[int, dict[str, Score]]]
Pairs = list[tuple[int, int]]  # positions with their slots


@dataclass(frozen=True)
class Row:
    """One example of a run, with scores by evaluator name."""

    position: int
    name: str
    key: str | None
    inputs: JSON
    reference: JSON
    metadata: JSON
    output: JSON
    scores: dict[str, Score]
    output_error: str | None = None
    latency_ms: int | None = None
    partial: str | None = None
    reasoning: str | None = None
    tokens: int | None = None

    def without_output(self) -> "Row":
        """The row without output and scores."""
        blank = replace(self, output=None, scores={}, output_error=None, partial=None, reasoning=None)
        return replace(blank, latency_ms=None, tokens=None)


def rows_at(run: Run, positions: Sequence[int], scorings: Sequence[Scoring] | None = None) -> list[Row]:
    """The rows at these positions, in this order."""
    chosen = scorings_of(run) if scorings is None else scorings
    [by_position] = rows_of([run], {run.pk: chosen}, positions)
    return [by_position[position] for position in positions if position in by_position]


def rows_of(
    runs: Sequence[Run], scorings: dict[int, Sequence[Scoring]], positions: Sequence[int]
) -> list[dict[int, Row]]:
    """By run, the rows by position; the runs must be on one dataset. Four queries for any number of runs."""
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
        name=example.name,
        key=example.key,
        inputs=orjson.loads(example.inputs),
        reference=orjson.loads(example.reference),
        metadata=orjson.loads(example.metadata),
        output=output_value(output.text, output.is_json) if output else None,
        scores=scores,
        output_error=output.error if output else None,
        latency_ms=output.latency_ms if output else None,
        partial=output.partial if output else None,
        reasoning=output.reasoning if output else None,
        tokens=output.tokens if output else None,
    )


def as_counted(row: Row, scorings: Iterable[Scoring]) -> Row:
    """The row without scores that count nowhere: those that some kinds store where an example has no reference."""
    scores = dict(row.scores)
    for scoring in scorings:
        name = scoring.evaluator_version.evaluator.name
        score = scores.get(name)
        if score and not in_mean.counts(Recipe.from_version(scoring.evaluator_version), score.status):
            scores[name] = replace(score, value=None, passed=None)
    return row if scores == row.scores else replace(row, scores=scores)


def scores_at(scorings: Sequence[Scoring], positions: Iterable[int]) -> ScoresByRun:
    """run → position → evaluator name → score."""
    ordered_positions = sorted(set(positions))
    scores: ScoresByRun = defaultdict(lambda: {position: {} for position in ordered_positions})
    by_id = {scoring.pk: scoring for scoring in scorings}
    hidden = seal.hidden(scorings)
    for pk, slots, pairs, notes in _slots_at(by_id, ordered_positions):
        name, messages = by_id[pk].evaluator_version.evaluator.name, notes.get("messages", {})
        closed = frozenset(hidden.get(pk, ()))
        of_run = scores[by_id[pk].run_id]
        for (position, slot), (value, passed, status) in zip(pairs, _entries(slots, pairs), strict=True):
            if status != Status.ABSENT:
                of_run[position][name] = (
                    SEALED
                    if position in closed
                    else Score(*optional(value, passed), Status(status).word, messages.get(str(slot), ""))
                )
    return scores


def _entries(slots: Slots, pairs: Pairs) -> Iterator[tuple[float, int, int]]:
    """Value, passed and status at these slots, as Python numbers, because single numpy numbers are slow."""
    chosen = slots.at([slot for _, slot in pairs])
    return zip(chosen.values.tolist(), chosen.passed.tolist(), chosen.status.tolist(), strict=True)


def _slots_at(
    scorings: dict[int, Scoring], ordered_positions: Sequence[int]
) -> Iterator[tuple[int, Slots, Pairs, dict[str, Any]]]:
    """Tuples (scoring, slots, positions with their slots, notes), from cached columns, else from blocks."""
    cached_columns = {
        pk: column
        for pk, scoring in scorings.items()
        if (column := _cached_column(scoring, ordered_positions))
    }
    for pk, (slots, pairs) in cached_columns.items():
        yield pk, slots, pairs, {}
    blocks = _blocks(scorings.keys() - cached_columns.keys(), ordered_positions)
    for pk, first, *packed, notes in blocks.values_list(
        "scoring_id", "first", "values", "passed", "status", "notes"
    ):
        slots = columns.unpack(*packed)
        inside = ordered_positions[
            bisect_left(ordered_positions, first) : bisect_left(ordered_positions, first + len(slots))
        ]
        yield pk, slots, [(position, position - first) for position in inside], notes


def _cached_column(scoring: Scoring, ordered_positions: Sequence[int]) -> tuple[Slots, Pairs] | None:
    """The cached column of a scoring, unless a row needs its message, which only blocks contain."""
    column = column_cache.cached(scoring)
    if column is None:
        return None
    positions = np.array(
        ordered_positions[: bisect_right(ordered_positions, column.positions.last)], np.int64
    )
    column_slots, is_here = column.positions.find(positions)
    status = column.slots.status[column_slots[is_here]]
    if np.isin(status, (Status.UNMAPPED, Status.ERROR, Status.NOT_FOUND, Status.NO_VERDICT)).any():
        return None
    return column.slots, list(zip(positions[is_here].tolist(), column_slots[is_here].tolist(), strict=True))


def _blocks(scoring_ids: Iterable[int], positions: Sequence[int]) -> QuerySet[Block]:
    """The blocks with these positions. A block begins with its chunk, or with one half of a split chunk."""
    stretches = {(position - 1) // columns.CHUNK for position in positions}
    begin = [Q(first__gt=n * columns.CHUNK, first__lte=(n + 1) * columns.CHUNK) for n in sorted(stretches)]
    blocks = Block.objects.filter(reduce(or_, begin)) if begin else Block.objects.none()
    return blocks.filter(scoring_id__in=list(scoring_ids))


def explanations(run: Run, position: int, scorings: Sequence[Scoring]) -> dict[int, dict[str, Any]]:
    """By scoring, the explanation of an example's score; the example is loaded once."""
    versions = {scoring.pk: scoring.evaluator_version for scoring in scorings}
    recipes = {pk: Recipe.from_version(version) for pk, version in versions.items()}
    needs = frozenset().union(*(recipe.needs for recipe in recipes.values()))
    contexts = Rows.read(run, position, position, needs).contexts
    hidden = seal.hidden(scorings)
    return {
        pk: {"note": seal.REASON}
        if position in hidden.get(pk, ())
        else _explanation(run, versions[pk], recipe, contexts, position)
        for pk, recipe in recipes.items()
    }


def _explanation(
    run: Run, version: EvaluatorVersion, recipe: Recipe, contexts: Contexts, position: int
) -> dict[str, Any]:
    if recipe.kind.is_recorded:
        return recorded.explanation(run, version, position)
    if recipe.kind.is_derived:
        return formulas.explanation(run, version, position)
    try:
        return apart.explain(recipe, contexts, 0, embed=embeddings.embedder(run.project, recipe))
    except (TooLarge, TooManyRequests) as refusal:
        return {"note": refusal.message}
