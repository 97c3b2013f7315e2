"""Loads the stored rows of every side of a comparison."""

from collections.abc import Sequence

from evaluations.models import Scoring
from evaluations.results import rows as stored_rows

from ..comparison import Comparison


def rows_of(comparison: Comparison, positions: Sequence[int]) -> list[dict[int, stored_rows.Row]]:
    """The rows of every side at positions of the baseline's version; an edited example as its side's version has it."""
    scorings: dict[int, Sequence[Scoring]] = {
        run.pk: of_run for run, of_run in comparison.sides.scorings.items()
    }
    at_home = [side.run for side in comparison.sides if not comparison.aligner.is_other(side.run.pk)]
    of_runs = dict(zip(at_home, stored_rows.rows_of(at_home, scorings, positions), strict=True))
    blank = {
        position: row.without_output() for position, row in of_runs[comparison.sides.baseline.run].items()
    }
    by_side = []
    for side in comparison.sides:
        rows, is_home = dict(of_runs.get(side.run, blank)), side.run in of_runs
        run_positions = comparison.aligner.placement(side.run.pk).positions_of(positions)
        if elsewhere := {
            position: run_position
            for position, run_position in run_positions.items()
            if position != run_position or not is_home
        }:
            [read] = stored_rows.rows_of([side.run], scorings, list(elsewhere.values()))
            rows |= {
                position: read[run_position]
                for position, run_position in elsewhere.items()
                if run_position in read
            }
        by_side.append(rows)
    return by_side
