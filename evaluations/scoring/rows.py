"""Loads rows of a run as columns: examples of its dataset version, and its outputs."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any

import numpy as np
import orjson
from django.db.models.functions import Length
from numpy.typing import NDArray

from evaluations import bulk
from evaluations.mapping import Contexts
from evaluations.models import Output, Run
from evaluations.values import JSON, output_value

from . import coverage

Row = tuple[Any, ...]
FIELD_OF = {"input": "inputs", "reference": "reference", "metadata": "metadata"}


@dataclass(frozen=True)
class Rows:
    """The `positions` of the examples in a range, and their contexts in that order.

    `characters` are those of all texts, `longest` is at least the number of the longest example.
    """

    positions: NDArray[np.int64]
    contexts: Contexts
    characters: int
    longest: int

    @classmethod
    def read(cls, run: Run, first: int, last: int, needs: Collection[str]) -> "Rows":
        """Load only the columns in `needs`; others are empty. Examples that were not asked are left out."""
        return cls._where(run, needs, only_asked=True, position__gte=first, position__lte=last)

    @classmethod
    def at(cls, run: Run, positions: Sequence[int], needs: Collection[str]) -> "Rows":
        """The rows at those `positions` that have an example, ascending."""
        return cls._where(run, needs, only_asked=False, position__in=positions)

    @classmethod
    def _where(cls, run: Run, needs: Collection[str], *, only_asked: bool, **within: Any) -> "Rows":
        names = [name for name in FIELD_OF if name in needs]
        fields = [FIELD_OF[name] for name in names]
        examples = run.examples.filter(**within).order_by("position").values_list("position", *fields)
        read = bulk.select(examples)
        if only_asked:
            read = _asked_rows(run, read)
        positions, *texts = zip(*read, strict=True) if read else ((), *((),) * len(names))
        # One call for all texts of a column takes half the time.
        joined = {name: f"[{','.join(column)}]" for name, column in zip(names, texts, strict=True)}
        columns: dict[str, list[JSON]] = {name: orjson.loads(text) for name, text in joined.items()}
        stored = _stored_outputs(run, **within) if "output" in needs else []
        columns["output"] = _in_order(stored, positions)
        if "scores" in needs:
            columns["scores"] = outside_scores(run, positions, **within)
        lengths = [list(map(len, column)) for column in (*texts, [text for _, text, _ in stored if text])]
        return cls(
            np.array(positions, np.int64),
            Contexts(**columns, reference_columns=run.experiment.dataset.columns.get("reference")),
            characters=sum(map(sum, lengths)),
            longest=sum(max(column, default=0) for column in lengths),
        )

    @staticmethod
    def sizes(run: Run, first: int, last: int, needs: Collection[str]) -> dict[int, int]:
        """For each example in a range of positions that the run was asked, the characters of what `read` loads."""
        within = {"position__gte": first, "position__lte": last}
        lengths = [Length(FIELD_OF[name]) for name in FIELD_OF if name in needs]
        examples = run.examples.filter(**within).order_by("position").values_list("position", *lengths)
        sizes = {position: sum(row) for position, *row in _asked_rows(run, list(examples))}
        answered = Output.objects.filter(run=run, text__isnull=False, **within)
        for position, size in answered.values_list("position", Length("text")):
            if position in sizes:
                sizes[position] += size
        return sizes

    @staticmethod
    def count(run: Run, first: int, last: int) -> int:
        """The number of examples that the run was asked in a range of positions."""
        within = run.examples.filter(position__gte=first, position__lte=last)
        if run.asked_rows is None:
            return within.count()
        positions = np.array([position for (position,) in within.values_list("position")], np.int64)
        return int(np.count_nonzero(coverage.is_asked(run, positions)))


def _asked_rows(run: Run, rows: list[Row]) -> list[Row]:
    """The rows, which begin with a position, whose examples the run was asked."""
    if run.asked_rows is None:
        return rows
    return list(compress(rows, coverage.is_asked(run, np.array([row[0] for row in rows], np.int64))))


def outputs(run: Run, positions: Collection[int], **within: Any) -> list[JSON]:
    """The outputs at `positions`, which lie `within` a range; None if there is none."""
    return _in_order(_stored_outputs(run, **within), positions)


def _stored_outputs(run: Run, **within: Any) -> list[tuple[int, str | None, bool]]:
    return bulk.select(Output.objects.filter(run=run, **within).values_list("position", "text", "is_json"))


def _in_order(stored: list[tuple[int, str | None, bool]], positions: Collection[int]) -> list[JSON]:
    by_position = {
        position: output_value(text, is_json) if is_json else text for position, text, is_json in stored
    }
    return [by_position.get(position) for position in positions]


def outside_scores(
    run: Run, positions: Collection[int], *, of_silence: bool = False, **within: Any
) -> list[JSON]:
    """The outside scores at `positions`, which lie `within` a range; None if there is no output.

    Those `of_silence` are what a file gives to empty outputs; None where there is an output.
    """
    stored = Output.objects.filter(run=run, text__isnull=of_silence, **within)
    by_position = dict(bulk.select(stored.values_list("position", "scores")))
    texts = (by_position.get(position, "null") or "{}" for position in positions)
    scores: list[JSON] = orjson.loads(f"[{','.join(texts)}]")
    return scores
