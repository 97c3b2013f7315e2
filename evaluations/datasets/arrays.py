"""A stretch of examples as arrays: which share an input or a value of metadata, and how long their texts are.

The place of an example in its stretch is its position minus the stretch's first one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import islice
from typing import Any, TypeAlias, cast

import numpy as np
import orjson
from django.db.models import QuerySet
from numpy.typing import NDArray

from evaluations import bulk
from evaluations.models import Dataset, Example
from evaluations.values import JSON, canonical_json, text_of

STRETCH = 20_000  # Stored with this size, and at most what 16 bits number.
AT_ONCE = 1_000
LONGEST = 100  # characters of a value that is kept as it is
NO_INPUT = "{}"
Value: TypeAlias = str | int | float | bytes  # Bytes are the digest of a longer text.
Codes: TypeAlias = NDArray[np.signedinteger]
Numbers: TypeAlias = dict[Value | None, int]  # of values, in the order in which they occur; no value is -1
Whole: TypeAlias = NDArray[np.int64]
PLAIN = {str, int, float, type(None)}
TRUTHS = {True: "true", False: "false"}


@dataclass(frozen=True)
class Coded:
    """A metadata column: `codes` say by place which of `values` it has, -1 for none."""

    codes: Codes
    values: Sequence[Value]


# ---- metadata ----------------------------------------------------------------------------------------------


def metadata(dataset: Dataset, first: int, columns: Sequence[str]) -> dict[str, Coded]:
    """These columns in the stretch that begins with the position `first`."""
    codes = np.full((len(columns), _size(dataset, first)), -1, np.int16)
    numbers: list[Numbers] = [{None: -1} for _ in columns]
    rows = bulk.stream(_rows(dataset, first, "metadata"))
    for some in iter(lambda: list(islice(rows, AT_ONCE)), []):
        texts = {text: place for place, text in enumerate(dict.fromkeys(text for _, text in some))}
        parsed = [orjson.loads(text) for text in texts]  # Once, where many examples share it.
        places = [position - first for position, _ in some]
        own = [texts[text] for _, text in some]
        for line, column, known in zip(codes, columns, numbers, strict=True):
            line[places] = numbered(_plain([each.get(column) for each in parsed]), known)[own]
    return {
        column: Coded(line, values_of(known))
        for column, line, known in zip(columns, codes, numbers, strict=True)
    }


def coded(values: Sequence[JSON]) -> Coded:
    """Values of a column as numbers; that of true is not that of 1."""
    known: Numbers = {None: -1}
    codes = numbered(_plain(values), known)
    return Coded(codes, values_of(known))


def numbered(values: Sequence[Value | None], known: Numbers) -> NDArray[np.int32]:
    """The number of each value; new ones get the next numbers."""
    return np.array([known.setdefault(value, len(known) - 1) for value in values], np.int32)


def values_of(known: Numbers) -> list[Value]:
    """By their numbers."""
    return [value for value in known if value is not None]


def _plain(values: Sequence[JSON]) -> list[Value | None]:
    """What tells values apart: lists and the like by their JSON, long texts by a digest."""
    if not set(map(type, values)) <= PLAIN:
        values = [value if type(value) in PLAIN else _spelt(value) for value in values]
    plain = cast("Sequence[Value | None]", values)
    return [_digest(value) if isinstance(value, str) and len(value) > LONGEST else value for value in plain]


def _spelt(value: JSON) -> str:
    return TRUTHS[value] if isinstance(value, bool) else canonical_json(value)


def _digest(text: str) -> bytes:
    return blake2b(text.encode(), digest_size=16).digest()


# ---- texts -------------------------------------------------------------------------------------------------


def inputs(dataset: Dataset, first: int) -> tuple[Whole]:
    """Equal numbers where the inputs are equal, 0 where there is none."""
    numbers = np.zeros(_size(dataset, first), np.int64)
    for position, text in bulk.stream(_rows(dataset, first, "inputs")):
        numbers[position - first] = _number(text)
    return (numbers,)


def lengths(dataset: Dataset, first: int) -> tuple[Whole, Whole]:
    """The characters of inputs and references; 0 where there is no text."""
    _, of_inputs, of_references = texts(dataset, first)
    return of_inputs, of_references


def texts(dataset: Dataset, first: int) -> tuple[Whole, Whole, Whole]:
    """What `inputs` and `lengths` give, from one look at the examples."""
    numbers, of_inputs, of_references = np.zeros((3, _size(dataset, first)), np.int64)
    for position, own, expected in bulk.stream(_rows(dataset, first, "inputs", "reference")):
        place = position - first
        numbers[place] = _number(own)
        of_inputs[place] = _length(own)
        of_references[place] = _length(expected)
    return numbers, of_inputs, of_references


def _number(text: str) -> int:
    if text == NO_INPUT:
        return 0
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "little", signed=True)


def _length(text: str) -> int:
    """Of all values of a JSON object together, or of a part that is one plain value.

    >>> _length('{"question":"why?","n":12}'), _length('{"answer":null}'), _length('"why?"')
    (6, 0, 4)
    """
    part = orjson.loads(text)
    length = 0
    for value in part.values() if type(part) is dict else (part,):
        length += len(value if type(value) is str else text_of(value) or "")
    return length


# ---- rows --------------------------------------------------------------------------------------------------


def _size(dataset: Dataset, first: int) -> int:
    return min(STRETCH, dataset.last_position - first + 1)


def _rows(dataset: Dataset, first: int, *fields: str) -> QuerySet[Example, Any]:
    """Without those behind the last position, which an import has not finished."""
    end = first + _size(dataset, first)
    rows = dataset.examples.filter(position__gte=first, position__lt=end).order_by("position")
    return rows.values_list("position", *fields)
