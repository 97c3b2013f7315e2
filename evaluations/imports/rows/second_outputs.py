"""Rows that give an example a second output of one run, where the user said which of them counts."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from evaluations.models import Answer, Output

from ..columns.columnmap import FIRST, LAST

Numbered = tuple[int, tuple[Any, ...]]  # the index of a row, and the fields of its output
Pair = tuple[Any, Any]


def kept(rows: Sequence[Numbered], keep: str, stored: Counter[int]) -> list[Numbered]:
    """The rows that count: `first` leaves out those that repeat one, `last` replaces the earlier ones.

    `stored` are the outputs of each run so far. To be called in the transaction that stores the rows.
    """
    if keep not in (FIRST, LAST) or not rows:
        return [*rows]
    by_pair: dict[Pair, Numbered] = {}
    for row in rows:
        pair = _pair(row)
        if keep == LAST or pair not in by_pair:
            by_pair[pair] = row
    runs, positions = {run for run, _ in by_pair}, {position for _, position in by_pair}
    earlier = Output.objects.filter(run__in=runs, position__in=positions)
    again = {*earlier.values_list("run", "position")} & by_pair.keys()
    if keep == FIRST:
        return [row for pair, row in by_pair.items() if pair not in again]
    for run in {run for run, _ in again}:
        replaced = earlier.filter(run=run, position__in=[position for one, position in again if one == run])
        stored[run] -= replaced.exclude(text=None).count()
        Answer.objects.filter(run=run, position__in=[*replaced.values_list("position", flat=True)]).delete()
        replaced.delete()
    return [*by_pair.values()]


def _pair(row: Numbered) -> Pair:
    _, (run, position, *_) = row
    return run, position
