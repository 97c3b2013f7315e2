"""The checks of a gate as a report shows them: of several variants one table, with a criterion in each column."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.utils.safestring import SafeString

from evaluations.charts import criteria, criterion
from evaluations.comparisons.comparison import Comparison
from evaluations.gates.results import all_met
from evaluations.models import Gate, GateCheck

from .gate_verdicts import GateVerdict

MOST_BESIDE = 4  # criteria for which a sheet of paper is wide enough


@dataclass(frozen=True)
class Cell:
    """A stored result of a criterion with its drawing; where the head says its n for all variants, it `is_told`."""

    result: dict[str, Any]
    plot: SafeString | None
    is_told: bool = False


@dataclass(frozen=True)
class DrawnCheck:
    """A gate's check of the variant `name`."""

    name: str
    check: GateCheck
    cells: Sequence[Cell]


@dataclass(frozen=True)
class Column:
    """A criterion, with the labels of the scale that all drawings below it share, and `n` if all variants have it."""

    title: str
    axis: SafeString
    n: int | None


@dataclass(frozen=True)
class Part:
    """Criteria that stand beside each other, with a row for each variant."""

    columns: Sequence[Column]
    rows: Sequence[DrawnCheck]


@dataclass(frozen=True)
class GateTable:
    """A gate with its checks in the order of the report. `parts` is empty for one variant, whose criteria are rows.

    `remarks` are what the checks say beyond the table, with the names of their variants if the words lack these.
    """

    gate: Gate
    checks: Sequence[DrawnCheck]
    parts: Sequence[Part]
    remarks: Sequence[tuple[Sequence[str], str]]


def gate_table(comparison: Comparison, verdict: GateVerdict, names: Sequence[str]) -> GateTable:
    """`names` are those of all variants of the report, in its order."""
    label = comparison.sides.label
    checks = sorted(verdict.checks, key=lambda check: names.index(label(check.run)))
    if len(checks) == 1:
        [check] = checks
        cells = [Cell(result, criterion(result)) for result in check.results]
        return GateTable(verdict.gate, [DrawnCheck(label(check.run), check, cells)], [], [])
    drawn = [DrawnCheck(label(check.run), check, []) for check in checks]
    baseline = label(comparison.sides.baseline.run)
    return GateTable(verdict.gate, drawn, list(_parts(drawn)), _remarks(drawn, baseline))


def _parts(checks: Sequence[DrawnCheck]) -> Iterator[Part]:
    """A check of a gate that changed has no results, so its row has no cells."""
    judged = [one.check for one in checks if one.check.results]
    of_criteria = list(zip(*(check.results for check in judged), strict=True))
    for first in range(0, max(len(of_criteria), 1), MOST_BESIDE):
        beside = [_column(results) for results in of_criteria[first : first + MOST_BESIDE]]
        rows = iter(zip(*(cells for _, cells in beside), strict=True))
        yield Part(
            [column for column, _ in beside],
            [replace(one, cells=next(rows) if one.check.results else ()) for one in checks],
        )


def _column(results: Sequence[dict[str, Any]]) -> tuple[Column, list[Cell]]:
    """A criterion and its cells, whose drawings share a scale."""
    plots, axis = criteria(results)
    sizes = {result["n"] for result in results}
    column = Column(results[0]["title"], axis, sizes.pop() if len(sizes) == 1 else None)
    is_told = column.n is not None
    cells = [Cell(result, plot, is_told) for result, plot in zip(results, plots, strict=True)]
    return column, cells


def _remarks(checks: Sequence[DrawnCheck], baseline: str) -> list[tuple[Sequence[str], str]]:
    """What is equal for several variants stands once, without their names if it is of all."""
    told: dict[str, list[str]] = {}
    for one in checks:
        met = all_met(len(one.check.results), one.name, baseline)
        words = one.check.sentence.removeprefix(met).strip()
        if words:
            told.setdefault(words, []).append(one.name)
    return [
        ([] if len(names) == len(checks) or names[0] in words else names, words)
        for words, names in told.items()
    ]
