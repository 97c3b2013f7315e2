"""An example of a dataset, with a field for each column."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import orjson
from django import forms

from evaluations.jsonpath import ABSENT, Absent
from evaluations.models import DatasetVersion, Example
from evaluations.models.fields import longest
from evaluations.values import JSON, PARTS, by_column, written

from .form import Form

LONGEST = 1_000_000
LONGEST_HINT = 120  # characters
LONGEST_LINE = 80  # characters of metadata in a field of one line


class KnownValues(forms.TextInput):
    """A line of text, beside which the page offers the values that others have."""

    known: Sequence[str] = ()


def _typed(value: JSON) -> str:
    """How a value is typed that is no text.

    >>> _typed(3), _typed(True), _typed(["a"])
    ('a number', 'true or false', 'as JSON')
    """
    if isinstance(value, bool):
        return "true or false"
    return "a number" if isinstance(value, int | float) else "as JSON"


class ExampleForm(Form):
    """An example: a text field for each column. Unchanged fields keep their value and type.

    A new one has the types of an example that is `like` it, such as lists of tags. `known` are values that metadata
    has, by column. `was` is the example as the page showed it, if it was edited since.
    """

    guards = True

    def __init__(
        self,
        *args: Any,
        columns: Mapping[str, list[str]],
        example: Example | None = None,
        was: Example | None = None,
        like: Example | None = None,
        known: Mapping[str, Sequence[str]] = MappingProxyType({}),
        **kwargs: Any,
    ):
        super().__init__(*args, **kwargs)
        self.known, self.was = known, was
        self.guards = example is not None
        self.like = {part: by_column(part, _part(like, part)) for part in PARTS}
        self.key = example.key if example else None
        self.parts = {part: _part(example, part) for part in PARTS}
        self.fields["key"] = forms.CharField(
            required=False, initial=self.key, max_length=LONGEST, strip=False
        )
        self.columns: dict[str, tuple[str, str]] = {}
        for part in PARTS:
            values = by_column(part, self.parts[part])
            for column in dict.fromkeys([*columns.get(part, ()), *values]):
                self._add(part, column, values.get(column, ABSENT))

    def _add(self, part: str, column: str, value: JSON | Absent) -> None:
        name = f"field-{len(self.columns)}"
        self.columns[name] = (part, column)
        initial = "" if isinstance(value, Absent) else written(value)
        help_text = "" if value is None or isinstance(value, Absent | str) else _typed(value)
        if isinstance(value, Absent) and self._is_json(part, column):
            help_text = f"{_typed(self.like[part][column])}, such as {written(self.like[part][column])}"[
                :LONGEST_HINT
            ]
        self.fields[name] = forms.CharField(
            label=column,
            required=False,
            strip=False,
            max_length=LONGEST,
            initial=initial,
            help_text=help_text,
            widget=self._widget(name, part, column, initial),
        )

    def _widget(self, name: str, part: str, column: str, initial: str) -> forms.Widget:
        if part != "metadata" or len(initial) > LONGEST_LINE or "\n" in initial:
            return forms.Textarea(attrs={"rows": 1 if part == "metadata" else 3})
        known = KnownValues(attrs={"list": f"known-{name}", "autocomplete": "off", "class": "input"})
        known.known = [value for value in self.known.get(column, ()) if value]
        return known

    def _is_json(self, part: str, column: str) -> bool:
        return not isinstance(self.like[part].get(column), str | None)

    def groups(self) -> list[tuple[str, list[forms.BoundField]]]:
        """The fields by part, for the page."""
        titles = {"inputs": "Input", "reference": "Reference", "metadata": "Metadata"}
        by_part = {part: self._fields_of(part) for part in PARTS}
        return [(titles[part], fields) for part, fields in by_part.items() if fields]

    @property
    def _shown(self) -> str:
        """A page that did not say what it showed, showed the example that its address names."""
        return super()._shown or (f"position {self.was.position}" if self.was else "")

    def _is_changed(self, name: str) -> bool:
        if self.was is None:
            return True
        if name == "key":
            return self.was.key != self.key
        part, column = self.columns[name]
        before, now = by_column(part, _part(self.was, part)), by_column(part, self.parts[part])
        return before.get(column) != now.get(column)

    def _fields_of(self, part: str) -> list[forms.BoundField]:
        return [self[name] for name, (column_part, _) in self.columns.items() if column_part == part]

    def clean(self) -> dict[str, Any]:
        """Validate; `changes` becomes the changed parts, and the key."""
        cleaned = super().clean()
        self.changes: dict[str, JSON] = {}
        for part in PARTS:
            before = self.parts[part]
            values = dict(by_column(part, before))
            for name, (column_part, column) in self.columns.items():
                if column_part == part and name in cleaned:
                    self._take(values, name, (part, column), cleaned[name])
            if values != by_column(part, before):
                self.changes[part] = values if isinstance(before, dict) else values[part.removesuffix("s")]
        if (cleaned.get("key") or None) != self.key:
            self.changes["key"] = cleaned.get("key") or None
        return cleaned

    def _take(self, values: dict[str, JSON], name: str, of: tuple[str, str], typed: str) -> None:
        part, column = of
        old, text = values.get(column), typed.replace("\r\n", "\n")
        if text == written(old).replace("\r\n", "\n"):
            return
        if isinstance(old, str) or (old is None and not self._is_json(part, column)):
            values[column] = text
            return
        try:
            values[column] = orjson.loads(text)
        except orjson.JSONDecodeError as error:
            self.add_error(name, f"This column needs valid JSON: {error}")


def _part(example: Example | None, part: str) -> JSON:
    return orjson.loads(getattr(example, part)) if example else {}


class VersionForm(Form):
    """The tag and comment of a dataset version."""

    guards = True
    tag = forms.CharField(required=False, max_length=longest(DatasetVersion, "tag"))
    comment = forms.CharField(required=False, max_length=longest(DatasetVersion, "comment"))
