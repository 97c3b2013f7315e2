"""Loads rows of a run as columns: examples of its dataset version, and its outputs."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from evaluations import bulk
from evaluations.mapping import Contexts
from evaluations.models import Output, Run
from evaluations.values import JSON, output_value

from . import coverage

FIELD_OF = {"input": "inputs", "reference": "reference", "metadata": "metadata"}


@dataclass(frozen=True)
class Rows:
    """The `positions` of the examples in a range, and their contexts in that order."""

    positions: NDArray[np.int64]
    contexts: Contexts

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
        if only_asked and run.asked_rows is not None:
            read = list(compress(read, coverage.among(run, np.array([row[0] for row in read], np.int64))))
        positions, *texts = zip(*read, strict=True) if read else ((), *((),) * len(names))
        columns = {name: _parsed(column) for name, column in zip(names, texts, strict=True)}
        columns["output"] = (
            outputs(run, positions, **within) if "output" in needs else [None] * len(positions)
        )
        if "scores" in needs:
            columns["scores"] = outside_scores(run, positions, **within)
        reference = run.experiment.dataset.columns.get("reference")
        return cls(np.array(positions, np.int64), Contexts(**columns, reference_columns=reference))

    @staticmethod
    def count(run: Run, first: int, last: int) -> int:
        """The number of examples that the run was asked in a range of positions."""
        within = run.examples.filter(position__gte=first, position__lte=last)
        if run.asked_rows is None:
            return within.count()
        positions = np.array([position for (position,) in within.values_list("position")], np.int64)
        return int(np.count_nonzero(coverage.among(run, positions)))


def _parsed(column: Sequence[str]) -> list[JSON]:
    """The JSON values of many texts; one call for all takes half the time."""
    return orjson.loads(f"[{','.join(column)}]")


def outputs(run: Run, positions: Collection[int], **within: Any) -> list[JSON]:
    """The outputs at `positions`, which lie `within` a range; None if there is none."""
    stored = Output.objects.filter(run=run, **within).values_list("position", "text", "is_json")
    by_position = {
        position: output_value(text, is_json) if is_json else text
        for position, text, is_json in bulk.select(stored)
    }
    return [by_position.get(position) for position in positions]


def outside_scores(run: Run, positions: Collection[int], **within: Any) -> list[JSON]:
    """The outside scores at `positions`, which lie `within` a range; None if there is no output."""
    answered = Output.objects.filter(run=run, text__isnull=False, **within)
    by_position = dict(bulk.select(answered.values_list("position", "scores")))
    return _parsed([by_position.get(position, "null") or "{}" for position in positions])
