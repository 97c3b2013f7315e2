"""Rows made flat, as their format says.

Rows inside other rows (`nested`) become rows, and what people and models said of `tasks` columns. Fields of objects
(`opened`, `lifted`) become columns, and so do what most people `said`, options of which the right ones are `marked`,
the outputs of variants inside one column (`parted`) and the two sides of a comparison (`sides`). Columns of fields that
several models read become objects (`grid`), and the last message of a conversation a column (`answered`). Cells that
Python `printed` are what they print.
"""

from collections.abc import Sequence

from evaluations.files.formats import Format, Limits
from evaluations.files.problems import Problems

from . import (
    annotated,
    error_rows,
    field_grids,
    joint_models,
    last_answers,
    lifted,
    listed,
    marked,
    numbered,
    one_hot,
    own_exports,
    pair_scores,
    parted,
    people,
    printed,
    rated,
    rater_rows,
    sides,
    tag_lists,
)
from .batch import Batch, Objects, Row
from .nested import rows_in
from .opened import with_fields
from .record import check_cells, check_column_names


def _joined(fmt: Format) -> error_rows.Joined | rater_rows.Joined | None:
    """What joins several rows of one answer, if the format says so."""
    if fmt.rater_rows:
        return rater_rows.Joined(rater_rows.RaterRows(*fmt.rater_rows))
    return error_rows.Joined(error_rows.ErrorRows(*fmt.error_rows)) if fmt.error_rows else None


class Flattening:
    """Turns batches of rows into flat ones; `columns` are theirs in order of appearance, `count` their number."""

    def __init__(self, fmt: Format, limits: Limits, problems: Problems):
        self._format, self._limits, self._problems = fmt, limits, problems
        self._printed = [name for (name,) in fmt.printed]
        self._marked = [name for (name,) in fmt.marked]
        self._tags = tag_lists.TagLists(*fmt.tag_lists) if fmt.tag_lists else None
        self._own = own_exports.Own(*fmt.own) if fmt.own else None
        self._tasks = annotated.Tasks(*fmt.tasks) if fmt.tasks else None
        self._numbered = [numbered.Numbering(found) for found in fmt.numbered]
        self._said = [people.Said(*one) for one in fmt.said]
        self._parted = [parted.Parted.of_stored(one) for one in fmt.parted]
        self._sides = sides.Sides(*fmt.sides) if fmt.sides else None
        self._grid = field_grids.Grid(*fmt.grid) if fmt.grid else None
        self._joined = _joined(fmt)
        self.columns: dict[str, None] = {}
        self.outputs: dict[str, str] = {}  # columns by variant, of one column or of two sides
        self.count = 0

    def batch(self, batch: Batch) -> Objects:
        flat = [
            (line, self._flat(row))
            for line, outer in zip(batch.lines, batch.rows, strict=True)
            for row in self._inside(line, outer)
        ]
        return self._counted([*self._joined.of(flat)] if self._joined else flat)

    def rest(self) -> Objects:
        """The rows that waited for others to be joined with them."""
        return self._counted(self._joined.rest() if self._joined else [])

    def _counted(self, flat: Sequence[tuple[int, Row]]) -> Objects:
        known = len(self.columns)
        for _, row in flat:
            self.columns.update(dict.fromkeys(row))
        if len(self.columns) > known:
            check_column_names([*self.columns], {}, self._limits)
        self.count += len(flat)
        return Objects([line for line, _ in flat], [row for _, row in flat])

    def _flat(self, row: Row) -> Row:
        row = printed.with_values(row, self._printed) if self._printed else row
        of_models: dict[str, str] = {}
        if self._own:
            row, of_models = own_exports.with_columns(row, self._own)
        if self._tasks:
            row, of_models = annotated.with_columns(row, self._tasks)
        row = with_fields(row, self._format.opened) if self._format.opened else row
        row = people.with_columns(row, self._said) if self._said else row
        row = tag_lists.with_entities(row, self._tags) if self._tags else row
        row = rated.with_columns(row, self._format.rated) if self._format.rated else row
        row = listed.with_lists(row, self._format.listed) if self._format.listed else row
        row = marked.with_answers(row, self._marked) if self._marked else row
        row = one_hot.with_choice(row, self._format.one_hot) if self._format.one_hot else row
        row = pair_scores.with_verdicts(row, self._format.pair_scores) if self._format.pair_scores else row
        for joint in self._format.joint_models:
            row = joint_models.with_models(row, joint)
        row = lifted.with_fields(row, self._format.lifted) if self._format.lifted else row
        for numbering in self._numbered:
            row = numbering.with_number(row)
        for found in self._format.answered:
            row = last_answers.with_answer(row, *found)
        outputs: dict[str, str] = {}
        if self._parted:
            row, outputs = parted.with_columns(row, self._parted)
        elif self._sides:
            row, outputs = sides.with_columns(row, self._sides)
        elif self._grid:
            row, outputs = field_grids.with_objects(row, self._grid)
        self.outputs |= of_models | outputs
        return row

    def _inside(self, line: int, outer: Row) -> list[Row]:
        if not self._format.nested:
            return [outer]
        rows = list(rows_in(outer, self._format.nested))
        if not rows:
            names = ".".join(self._format.nested)
            self._problems.warn(
                "json_no_rows_inside", f"Objects without rows in “{names[:80]}” were left out.", line
            )
        for row in rows:
            check_cells(row, line, self._limits)
        return rows
