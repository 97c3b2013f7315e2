"""Stored arrays of whole datasets. Workers store full stretches, so that pages need not read a million examples.

Other stretches are computed from the examples when needed. Only this module reads the stored bytes.
"""

import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter

import numpy as np
import orjson
from django.db import transaction
from django.db.models import F, Max, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from evaluations import bulk, long_arrays
from evaluations.models import Dataset, ExampleArrays, MetadataCodes

from . import arrays
from .arrays import Coded, Value, Whole
from .live_positions import Positions

# ---- reading -----------------------------------------------------------------------------------------------


def metadata(
    dataset: Dataset, positions: Positions, columns: Sequence[str]
) -> Iterator[tuple[slice, dict[str, Coded]]]:
    """Stretch by stretch, the slots and the metadata columns; a column without values in a stretch may be missing."""
    stored, unread = _stretches(dataset, positions)
    of_columns = MetadataCodes.objects.filter(arrays__in=stored, column__in=columns).order_by("arrays")
    packed = of_columns.values_list("arrays__first", "column", "codes", "values")
    for first, rows in groupby(bulk.stream(packed), key=itemgetter(0)):
        coded_columns = {column: Coded(_codes(codes), _values(values)) for _, column, codes, values in rows}
        yield _placed(positions, first, coded_columns)
    for first in unread:
        yield _placed(positions, first, arrays.metadata(dataset, first, columns))


def inputs(dataset: Dataset, positions: Positions) -> Whole:
    """A code for each slot, equal for equal inputs; 0 for none."""
    (numbers,) = _whole(dataset, positions, ["inputs"], arrays.inputs)
    return numbers


def lengths(dataset: Dataset, positions: Positions) -> tuple[Whole, Whole]:
    """For each slot, the numbers of characters of input and reference; 0 without text."""
    fields = ["input_lengths", "reference_lengths"]
    of_inputs, of_references = _whole(dataset, positions, fields, arrays.lengths)
    return of_inputs, of_references


def _whole(
    dataset: Dataset,
    positions: Positions,
    fields: Sequence[str],
    read: Callable[[Dataset, int], Sequence[Whole]],
) -> list[Whole]:
    whole = [long_arrays.zeros(len(positions), np.int64) for _ in fields]

    def put(first: int, parts: Iterable[Whole]) -> None:
        slots, offsets = positions.span(first, arrays.STRETCH)
        for array, part in zip(whole, parts, strict=True):
            array[slots] = part[offsets]

    stored, unread = _stretches(dataset, positions)
    for first, *packed in bulk.stream(stored.values_list("first", *fields)):
        put(first, map(_unpacked, packed))
    for first in unread:
        put(first, read(dataset, first))
    return whole


def _placed(positions: Positions, first: int, columns: dict[str, Coded]) -> tuple[slice, dict[str, Coded]]:
    slots, offsets = positions.span(first, arrays.STRETCH)
    return slots, {name: Coded(column.codes[offsets], column.values) for name, column in columns.items()}


def _stretches(dataset: Dataset, positions: Positions) -> tuple[QuerySet[ExampleArrays], list[int]]:
    """The stored stretches of these positions, and the first positions of the stretches that are not stored."""
    begins = list(positions.stretches(arrays.STRETCH))
    stored = dataset.arrays.filter(first__in=begins)
    if dataset.last_position < arrays.STRETCH:
        return stored.none(), begins
    stored_firsts = set(stored.values_list("first", flat=True))
    return stored, [first for first in begins if first not in stored_firsts]


# ---- storing -----------------------------------------------------------------------------------------------


def fill(seconds: float) -> None:
    """Store further stretches for `seconds`, but at least one, the newest dataset's first; later calls continue."""
    until = time.monotonic() + seconds
    for dataset, first in _waiting():
        store(dataset, first)
        if time.monotonic() >= until:
            return


def _stored_until(dataset: Dataset) -> int:
    """The last position of the stored stretches, which are contiguous."""
    first = dataset.arrays.aggregate(last=Max("first"))["last"]
    return 0 if first is None else first + arrays.STRETCH - 1


def _waiting() -> Iterator[tuple[Dataset, int]]:
    """The full stretches that are not yet stored, as pairs of dataset and first position."""
    stored = ExampleArrays.objects.filter(dataset=OuterRef("pk")).order_by("-first").values("first")[:1]
    large = Dataset.objects.live().filter(status=Dataset.Status.READY, last_position__gte=arrays.STRETCH)
    ended = large.annotate(end=Coalesce(Subquery(stored) + arrays.STRETCH - 1, 0))
    for dataset in ended.filter(last_position__gte=F("end") + arrays.STRETCH):
        begin, end = _stored_until(dataset) + 1, dataset.last_position - arrays.STRETCH + 1
        for first in range(begin, end + 1, arrays.STRETCH):
            yield dataset, first


def store(dataset: Dataset, first: int) -> None:
    """Store the arrays of a full stretch, unless another worker has done so meanwhile."""
    equal, of_inputs, of_references = arrays.texts(dataset, first)
    names = dataset.columns.get("metadata", [])
    columns = arrays.metadata(dataset, first, names) if names else {}
    packed = {
        "inputs": _packed(equal),
        "input_lengths": _packed(of_inputs),
        "reference_lengths": _packed(of_references),
    }
    with transaction.atomic():
        stored, is_new = ExampleArrays.objects.get_or_create(dataset=dataset, first=first, defaults=packed)
        if is_new:
            MetadataCodes.objects.bulk_create(
                MetadataCodes(
                    arrays=stored, column=name, codes=_packed_codes(column), values=_packed_values(column)
                )
                for name, column in columns.items()
                if column.values
            )


# ---- bytes -------------------------------------------------------------------------------------------------


def _packed(array: Whole) -> bytes:
    return zlib.compress(array.astype("<i8").tobytes(), 1)


def _unpacked(packed: bytes) -> Whole:
    return np.frombuffer(zlib.decompress(packed), "<i8")


def _packed_codes(column: Coded) -> bytes:
    return zlib.compress(column.codes.astype("<i2").tobytes(), 1)


def _codes(packed: bytes) -> arrays.Codes:
    return np.frombuffer(zlib.decompress(packed), "<i2")


def _packed_values(column: Coded) -> bytes:
    """The values as JSON. A digest becomes a list of its hexadecimal digits: no other value is a list."""
    spelt = [[value.hex()] if isinstance(value, bytes) else value for value in column.values]
    return zlib.compress(orjson.dumps(spelt), 1)


def _values(packed: bytes) -> list[Value]:
    values = orjson.loads(zlib.decompress(packed))
    return [bytes.fromhex(value[0]) if isinstance(value, list) else value for value in values]
