"""A stretch of examples as numpy arrays: integer codes of inputs and metadata values, and lengths of texts.

Equal values have equal codes. The index of an example is its position minus the first position of the stretch.
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

STRETCH = 20_000  # examples. Stored data depends on it; at most 2**16, because indices have 16 bits.
AT_ONCE = 1_000
LONGEST = 100  # characters; longer values are stored as digests
NO_INPUT = "{}"
Value: TypeAlias = str | int | float | bytes  # bytes stand for the digest of a longer text
Codes: TypeAlias = NDArray[np.signedinteger]
Numbers: TypeAlias = dict[Value | None, int]  # codes by value, in order of appearance; -1 for no value
Whole: TypeAlias = NDArray[np.int64]
PLAIN = {str, int, float, type(None)}
TRUTHS = {True: "true", False: "false"}


@dataclass(frozen=True)
class Coded:
    """A metadata column: `codes` are indices into `values`, -1 for no value."""

    codes: Codes
    values: Sequence[Value]


# ---- metadata ----------------------------------------------------------------------------------------------


def metadata(dataset: Dataset, first: int, columns: Sequence[str]) -> dict[str, Coded]:
    """These metadata columns in the stretch that begins at the position `first`."""
    codes = np.full((len(columns), _size(dataset, first)), -1, np.int16)
    numbers: list[Numbers] = [{None: -1} for _ in columns]
    rows = bulk.stream(_rows(dataset, first, "metadata"))
    for batch in iter(lambda: list(islice(rows, AT_ONCE)), []):
        texts = {text: number for number, text in enumerate(dict.fromkeys(text for _, text in batch))}
        parsed = [orjson.loads(text) for text in texts]  # Each distinct text is parsed once.
        offsets = [position - first for position, _ in batch]
        text_numbers = [texts[text] for _, text in batch]
        for line, column, numbering in zip(codes, columns, numbers, strict=True):
            line[offsets] = numbered(_plain([texts_of.get(column) for texts_of in parsed]), numbering)[
                text_numbers
            ]
    return {
        column: Coded(line, values_of(numbering))
        for column, line, numbering in zip(columns, codes, numbers, strict=True)
    }


def coded(values: Sequence[JSON]) -> Coded:
    """The values of a column as codes; true and 1 get different codes."""
    numbering: Numbers = {None: -1}
    codes = numbered(_plain(values), numbering)
    return Coded(codes, values_of(numbering))


def numbered(values: Sequence[Value | None], numbering: Numbers) -> NDArray[np.int32]:
    """The code of each value; new values get the next codes."""
    return np.array([numbering.setdefault(value, len(numbering) - 1) for value in values], np.int32)


def values_of(numbering: Numbers) -> list[Value]:
    """The values in the order of their codes."""
    return [value for value in numbering if value is not None]


def _plain(values: Sequence[JSON]) -> list[Value | None]:
    """Hashable stand-ins for values: JSON for lists and objects, digests for long texts."""
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
    """A code for each example, equal for equal inputs; 0 for no example, and for one without inputs."""
    numbers = np.zeros(_size(dataset, first), np.int64)
    for position, text in bulk.stream(_rows(dataset, first, "inputs")):
        numbers[position - first] = _number(text)
    return (numbers,)


def lengths(dataset: Dataset, first: int) -> tuple[Whole, Whole]:
    """The numbers of characters of inputs and of references; 0 without text."""
    _, of_inputs, of_references = texts(dataset, first)
    return of_inputs, of_references


def texts(dataset: Dataset, first: int) -> tuple[Whole, Whole, Whole]:
    """The arrays of `inputs` and `lengths`, from one query."""
    numbers, of_inputs, of_references = np.zeros((3, _size(dataset, first)), np.int64)
    for position, inputs_text, reference_text in bulk.stream(_rows(dataset, first, "inputs", "reference")):
        offset = position - first
        numbers[offset] = _number(inputs_text)
        of_inputs[offset] = _length(inputs_text)
        of_references[offset] = _length(reference_text)
    return numbers, of_inputs, of_references


def _number(text: str) -> int:
    if text == NO_INPUT:
        return 0
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "little", signed=True)


def _length(text: str) -> int:
    """The characters of all values of a JSON object together, or of one plain value.

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
    """The rows of a stretch, up to the dataset's last position: later rows belong to an unfinished import."""
    end = first + _size(dataset, first)
    rows = dataset.examples.filter(position__gte=first, position__lt=end).order_by("position")
    return rows.values_list("position", *fields)
