"""Edits that apply to many examples: set a metadata column, replace text in a column, or delete."""

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

import orjson

from evaluations.errors import Invalid, TooLarge
from evaluations.files.codes import HINTS
from evaluations.ingest import Limits
from evaluations.models import Dataset
from evaluations.numerals import grouped
from evaluations.values import JSON, PARTS, by_column, canonical_json, stored_json, text_of

from . import datasets

SET, REPLACE, DELETE = "set", "replace", "delete"
SHOWN = 60  # characters of a value in a description


@dataclass(frozen=True)
class Edit:
    """Sets the metadata `column` to `value` (null removes it); or replaces each `find` in the texts of a `column`, also
    inside lists and objects; or deletes the example.
    """

    do: str
    part: str = ""
    column: str = ""
    value: JSON = None
    find: str = ""
    replacement: str = ""

    @property
    def deletes(self) -> bool:
        return self.do == DELETE

    @property
    def words(self) -> str:
        """
        >>> Edit("set", "metadata", "topic", "law").words, Edit("set", "metadata", "topic").words
        ('set topic to law', 'remove the column topic')
        >>> Edit("replace", "inputs", "question", find="colour", replacement="color").words
        'replace “colour” with “color” in question'
        """
        if self.deletes:
            return "delete"
        column, value = self.column[:SHOWN], text_of(self.value)
        if self.do == REPLACE:
            return f"replace “{self.find[:SHOWN]}” with “{self.replacement[:SHOWN]}” in {column}"
        return f"remove the column {column}" if value is None else f"set {column} to {value[:SHOWN]}"

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    def check(self, dataset: Dataset) -> None:
        """Raise `Invalid` or `TooLarge` if the edit is impossible for every example of this dataset."""
        if self.deletes:
            return
        if not self.column.strip():
            raise _invalid("required", "column", "Name the column.")
        if self.do == SET:
            datasets.check_columns(self.columns(dataset.columns))
            _require_length(self.column, len(text_of(self.value) or ""))
            return
        if self.part not in PARTS or self.column not in dataset.columns.get(self.part, ()):
            message = f"The dataset has no column “{self.column[:200]}” in {self.part}."
            raise _invalid("missing_column", "column", message)
        if not self.find:
            raise _invalid("required", "find", "Enter the text to find.")

    def columns(self, dataset_columns: dict[str, list[str]]) -> dict[str, list[str]]:
        """The columns of the dataset after the edit. A removed column stays listed, because older versions have it."""
        if self.do != SET or self.value is None:
            return dataset_columns
        names = dict.fromkeys([*dataset_columns.get(self.part, ()), self.column])
        return dataset_columns | {self.part: list(names)}

    def edited(self, stored: str) -> str | None:
        """A stored part of an example after the edit; None if it stays the same."""
        part = orjson.loads(stored)
        cells = dict(by_column(self.part, part))
        before = cells.get(self.column)
        after = self._after(before)
        if canonical_json(before) == canonical_json(after):
            return None
        cells[self.column] = after
        if after is None:
            del cells[self.column]
        return stored_json(cells if isinstance(part, dict) else after)

    def _after(self, before: JSON) -> JSON:
        return self.value if self.do == SET else self._replaced(before)

    def _replaced(self, value: JSON) -> JSON:
        """The value after the replacements; raises `TooLarge` before building one that is longer than a cell may be."""
        times = sum(text.count(self.find) for text in _texts(value))
        more = times * (len(self.replacement) - len(self.find))
        if more > 0:
            _require_length(self.column, len(text_of(value) or "") + more)
        return _mapped(value, lambda text: text.replace(self.find, self.replacement)) if times else value


def _require_length(column: str, characters: int) -> None:
    if characters > Limits.cell_characters:
        raise TooLarge(
            "cell_too_large",
            f"“{column[:80]}” would have {grouped(characters)} characters;"
            f" a value can have at most {grouped(Limits.cell_characters)}.",
            hint=HINTS["cell_too_large"],
            where={"column": column[:80]},
        )


def _texts(value: JSON) -> Iterator[str]:
    """All texts inside a value, except the names in objects."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from _texts([*value.values()])
    elif isinstance(value, list):
        for element in value:
            yield from _texts(element)


def _mapped(value: JSON, change: Callable[[str], str]) -> JSON:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [_mapped(element, change) for element in value]
    return (
        {name: _mapped(element, change) for name, element in value.items()}
        if isinstance(value, dict)
        else value
    )


def _invalid(code: str, field: str, message: str) -> Invalid:
    return Invalid(code, message, fields={field: [message]})
