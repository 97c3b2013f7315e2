"""Converts Arrow columns to JSON values, by type; `to_pylist` fails for nanoseconds and for invalid UTF-8."""

import base64
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyarrow import types

from .problems import FileError

Counts = NDArray[np.int64]
UTF8 = 4  # bytes of a character at most


@dataclass(frozen=True)
class Refused:
    """A value that cannot be stored."""

    code: str
    message: str
    quote: str


class Values:
    """Converts the columns of one batch, and collects warnings."""

    def __init__(self) -> None:
        self.refused = self.has_nul = False
        self.warnings: list[tuple[str, str]] = []

    def plain(self, array: pa.Array, name: str) -> list[Any]:
        """One JSON value (or `Refused`) per slot; raises `FileError` for a type without a JSON form."""
        kind = array.type
        if isinstance(kind, pa.BaseExtensionType):
            return self.plain(array.storage, name)
        if types.is_dictionary(kind):
            return self.plain(array.dictionary_decode(), name)
        if types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind):
            return self._texts(array)
        if types.is_floating(kind):
            return [self._number(value) for value in array.to_pylist()]
        if types.is_integer(kind) or types.is_boolean(kind) or types.is_null(kind):
            return list(array.to_pylist())
        if types.is_struct(kind):
            return self._structs(array, name)
        if types.is_map(kind):
            return self._maps(array, name)
        if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
            return self._lists(array, name)
        return self._as_text(array, name)

    def _as_text(self, array: pa.Array, name: str) -> list[str | None]:
        kind = array.type
        if types.is_timestamp(kind) or types.is_date(kind):
            return _dates(array)
        if types.is_decimal(kind):
            return [None if value is None else f"{value:f}" for value in array.to_pylist()]
        if types.is_time(kind):
            return list(array.cast(pa.string()).to_pylist())
        if types.is_binary(kind) or types.is_large_binary(kind) or types.is_fixed_size_binary(kind):
            self.warnings.append(("binary_as_base64", f"The binary column {name!r} was kept as Base64 text."))
            return [
                None if value is None else base64.b64encode(value).decode() for value in array.to_pylist()
            ]
        raise FileError(
            "parquet_type",
            f"The column {name!r} has the type {kind}, which has no JSON form.",
            {"column": name},
        )

    def _texts(self, array: pa.Array) -> list[Any]:
        try:
            texts: list[Any] = array.to_pylist()
        except UnicodeDecodeError:
            binary = pa.large_binary() if types.is_large_string(array.type) else pa.binary()
            texts = [self._text(value) for value in array.cast(binary).to_pylist()]
        self.has_nul = self.has_nul or any("\0" in text for text in texts if isinstance(text, str))
        return texts

    def _text(self, value: bytes | None) -> str | Refused | None:
        if value is None:
            return None
        try:
            return value.decode()
        except UnicodeDecodeError as wrong:
            self.refused = True
            message = f"the text is not valid UTF-8: byte 0x{value[wrong.start]:02X}"
            return Refused("text_not_utf8", message, value[:80].decode("utf-8", "replace"))

    def _number(self, value: float | None) -> float | Refused | None:
        """The number; None for NaN, which in data frames marks a missing number."""
        if value is None or value != value:
            return None
        if value in (float("inf"), float("-inf")):
            self.refused = True
            return Refused("number_not_finite", "the number is infinite", str(value))
        return float(value)

    def _structs(self, array: pa.StructArray, name: str) -> list[Any]:
        fields = [array.type.field(index).name for index in range(array.type.num_fields)]
        columns = [self.plain(column, name) for column in array.flatten()]
        present = array.is_valid().to_pylist()
        rows = zip(*columns, strict=True) if columns else ((),) * len(array)
        return [
            dict(zip(fields, row, strict=True)) if is_present else None
            for row, is_present in zip(rows, present, strict=True)
        ]

    def _lists(self, array: pa.ListArray, name: str) -> list[Any]:
        lengths = pc.list_value_length(array).to_pylist()
        items = iter(self.plain(array.flatten(), name))
        return [None if length is None else [next(items) for _ in range(length)] for length in lengths]

    def _maps(self, array: pa.MapArray, name: str) -> list[Any]:
        rows = self.plain(array.cast(_entries(array.type)), name)
        return [None if row is None else {str(entry["key"]): entry["value"] for entry in row} for row in rows]


def least_characters(array: pa.Array) -> Counts:
    """A lower bound for the number of characters of each slot as JSON, computed without building objects."""
    kind = array.type
    if types.is_map(kind):
        return least_characters(array.cast(_entries(kind)))
    if types.is_struct(kind):
        return sum(map(least_characters, array.flatten()), _ones(array))
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        ends = np.cumsum(_filled(pc.list_value_length(array)))
        before = np.concatenate([[0], np.cumsum(least_characters(array.flatten()))])
        return np.diff(before[ends], prepend=0) + 1
    if types.is_string(kind) or types.is_large_string(kind):
        return np.maximum(_filled(pc.binary_length(array)) // UTF8, 1)
    return _ones(array)


def _ones(array: pa.Array) -> Counts:
    return np.ones(len(array), np.int64)


def _filled(lengths: pa.Array) -> Counts:
    counts: Counts = lengths.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
    return counts


def _entries(kind: pa.MapType) -> pa.DataType:
    """The type of a map's entries: a list of pairs."""
    return pa.list_(pa.struct([("key", kind.key_type), ("value", kind.item_type)]))


def _dates(array: pa.Array) -> list[str | None]:
    """Dates in ISO 8601, with Z if the column has a time zone: Arrow stores such times in UTC."""
    unit = array.type.unit if types.is_timestamp(array.type) else "D"
    zone = "Z" if types.is_timestamp(array.type) and array.type.tz else ""
    if types.is_date64(array.type):
        array = array.cast(pa.date32())
    counts = array.cast(pa.int32() if unit == "D" else pa.int64()).fill_null(0).to_numpy(zero_copy_only=False)
    texts = np.datetime_as_string(counts.astype("int64").astype(f"datetime64[{unit}]"))
    present = array.is_valid().to_pylist()
    return [f"{text}{zone}" if is_present else None for text, is_present in zip(texts, present, strict=True)]
