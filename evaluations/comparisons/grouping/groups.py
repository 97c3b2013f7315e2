"""Integer codes of metadata values by slot, from which clusters and subsets are built."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import numpy as np
import orjson

from evaluations import bulk
from evaluations.datasets import stored_arrays
from evaluations.datasets.arrays import Coded, Codes, Numbers, Value, numbered, values_of
from evaluations.datasets.live_positions import Positions
from evaluations.datasets.metadata import members
from evaluations.linear import Pattern
from evaluations.models import Dataset
from evaluations.process_cache import ProcessCache
from evaluations.statistics.subsets import FEWEST, SubsetColumn, quartiles
from evaluations.values import JSON, text_of, text_or_json

MOST_BYTES = 64_000_000  # ten columns of a million examples
MOST_VALUES = 50  # values of a column, the most frequent ones, that become subsets
LONGEST_NAME = 2_000  # bytes; three times as many in an address, of which some proxies take 8 kB
MOST_LONG = 500  # different long lists of a column that are read
MOST_NUMBERS = 10  # distinct numbers of a column that become one subset each; more are cut into quarters
NUMERAL = Pattern(
    r"-?(0|[1-9]\p{Nd}{0,14})(\.\p{Nd}{1,15})?([eE][-+]?\p{Nd}{1,2})?"
)  # not a code such as 007
NAMES_IDS = Pattern("(^|[^a-z])(id|ids|uuid|guid|key|hash|index)$", ignore_case=True)
# a function from slots to the values of their examples
Texts: TypeAlias = Callable[[Sequence[int]], Mapping[int, str]]


@dataclass(frozen=True)
class Groups:
    """One column: `codes` are equal for equal values, -1 for none or a blank text; `subsets` is None for one of ids.

    `sets` are the members of a column of lists, one column for each.

    `has_fractions`: all values are numbers, and some are not whole; such values, like prices, repeat by chance.
    """

    codes: Codes
    subsets: SubsetColumn | None
    has_fractions: bool
    sets: tuple[SubsetColumn, ...] = ()

    @property
    def nbytes(self) -> int:
        columns = [self.subsets, *self.sets] if self.subsets else self.sets
        return self.codes.nbytes + sum(column.codes.nbytes for column in columns)


# Positions are never reused, so codes at given positions never change.
process_cache: ProcessCache[tuple[int, tuple[int, int, str], str], Groups] = ProcessCache(
    "groups of examples", MOST_BYTES, lambda groups: groups.nbytes
)


def read(dataset: Dataset, positions: Positions, columns: Sequence[str]) -> dict[str, Groups]:
    """The groups of each metadata column, with a slot for each position; cached by process."""
    keys = {(dataset.pk, positions.key, column): column for column in columns}
    groups_by_column = {keys[key]: groups for key, groups in process_cache.get_many(keys).items()}
    unread = [column for column in columns if column not in groups_by_column]
    groups_by_column |= _read(dataset, positions, unread) if unread else {}
    process_cache.put_many(
        {key: groups_by_column[column] for key, column in keys.items() if column in unread}
    )
    return groups_by_column


def _read(dataset: Dataset, positions: Positions, columns: Sequence[str]) -> dict[str, Groups]:
    codes = np.full((len(columns), len(positions)), -1, np.int32)
    numbers: list[Numbers] = [{None: -1} for _ in columns]
    for slots, stretch in stored_arrays.metadata(dataset, positions, columns):
        for line, column, numbering in zip(codes, columns, numbers, strict=True):
            if coded := stretch.get(column):
                # The extra last entry stands for no value.
                whole = np.append(numbered(coded.values, numbering), -1)
                line[slots] = whole[coded.codes]
    texts = partial(_texts, dataset, positions)
    return {
        column: _groups(column, _occurring(line, values_of(numbering)), partial(texts, column))
        for column, line, numbering in zip(columns, codes, numbers, strict=True)
    }


def _groups(name: str, column: Coded, texts: Texts) -> Groups:
    codes = _without_blanks(column)
    if sets := sets_of(name, column.codes, column.values, texts):
        return Groups(codes, None, has_fractions=False, sets=sets)
    subsets = subsets_of(name, column.codes, column.values, texts)
    numbers = _numbers(name, column.values)
    return Groups(codes, subsets, not all(number.is_integer() for number in numbers or ()))


def _without_blanks(column: Coded) -> Codes:
    """The codes, where what says nothing is no value: examples without a hint or a hit have nothing in common."""
    blank = [code for code, value in enumerate(column.values) if isinstance(value, str) and is_blank(value)]
    return np.where(np.isin(column.codes, blank), -1, column.codes) if blank else column.codes


def is_blank(text: str) -> bool:
    """Whether a text is empty, or JSON in which every member is.

    >>> is_blank(" "), is_blank('{"title": [], "pages": {"first": null}}'), is_blank("[0]"), is_blank("[x]")
    (True, True, False, False)
    """
    if text.lstrip()[:1] not in ("{", "["):
        return not text.strip()
    try:
        return _says_nothing(orjson.loads(text))
    except orjson.JSONDecodeError:
        return False


def _says_nothing(value: JSON) -> bool:
    if isinstance(value, dict | list):
        return all(map(_says_nothing, value.values() if isinstance(value, dict) else value))
    return value in (None, "")


def _occurring(codes: Codes, values: Sequence[Value]) -> Coded:
    """The values that occur among `codes`, in order of appearance, with codes to match."""
    firsts = np.full(len(values) + 1, len(codes))
    firsts[codes[::-1]] = np.arange(len(codes))[::-1]  # The extra last entry stands for no value.
    order = np.argsort(firsts[:-1], kind="stable")[: np.count_nonzero(firsts[:-1] < len(codes))]
    numbers = np.full(len(values) + 1, -1, np.int32)
    numbers[order] = np.arange(len(order), dtype=np.int32)
    return Coded(numbers[codes], [values[number] for number in order])


def _texts(dataset: Dataset, positions: Positions, column: str, slots: Sequence[int]) -> dict[int, str]:
    slot_of = dict(zip(positions.at(np.array(slots)).tolist(), slots, strict=True))
    rows = dataset.examples.filter(position__in=slot_of).values_list("position", "metadata")
    return {
        slot_of[position]: text_or_json(orjson.loads(text)[column]) for position, text in bulk.select(rows)
    }


# ---- subsets -----------------------------------------------------------------------------------------------


def subsets_of(name: str, codes: Codes, values: Sequence[Value], texts: Texts) -> SubsetColumn | None:
    """The subsets of a column: its values, or quarters of its numbers; None for ids, or if no value is frequent."""
    numbers = _numbers(name, values)
    if numbers is None:
        return _of_values(name, codes, values, range(len(values)), texts)
    if len(numbers) <= MOST_NUMBERS:
        ordered = sorted(range(len(values)), key=numbers.__getitem__)
        return _of_values(name, codes, values, ordered, texts, is_number=True)
    if len(numbers) == np.count_nonzero(codes >= 0) and all(number.is_integer() for number in numbers):
        return None
    return quartiles(np.append(numbers, np.nan)[codes], name)


def sets_of(name: str, codes: Codes, values: Sequence[Value], texts: Texts) -> tuple[SubsetColumn, ...]:
    """A column for each member that enough lists have, the most frequent ones first; empty if few values are lists.

    Long lists are stored as digests, so they are read from examples; a column with very many of them has no sets.
    """
    short = [members(value) if isinstance(value, str) else [] for value in values]
    long = [code for code, value in enumerate(values) if isinstance(value, bytes)]
    if not any(short) or len(long) > MOST_LONG:
        return ()
    slots = {code: int(np.argmax(codes == code)) for code in long}
    in_full = texts([*slots.values()]) if slots else {}
    listed = [members(in_full[slots[code]]) if code in slots else names for code, names in enumerate(short)]
    if 2 * sum(map(bool, listed)) < len(values) or not any(listed):
        return ()
    counts = np.bincount(codes + 1, minlength=len(values) + 1)[1:]
    having: dict[str, list[int]] = {}
    for code, names in enumerate(listed):
        for member in names:
            having.setdefault(member, []).append(code)
    times = {member: int(counts[having[member]].sum()) for member in having}
    frequent = sorted(
        (member for member in times if times[member] >= FEWEST), key=lambda member: -times[member]
    )
    return tuple(
        _set(name, member, codes, having[member], len(values))
        for member in frequent[:MOST_VALUES]
        if member and len(member.encode()) <= LONGEST_NAME
    )


def _set(name: str, member: str, codes: Codes, having: Sequence[int], count: int) -> SubsetColumn:
    """0 for the lists that have the member, 1 for the others, -1 for no value."""
    numbers = np.append(np.ones(count, np.int8), np.int8(-1))
    numbers[[*having]] = 0
    return SubsetColumn(name, numbers[codes], (member,), is_set=True)


def _numbers(name: str, values: Sequence[Value]) -> list[float] | None:
    """The values as numbers; None for ids, and if any value is not a number."""
    if NAMES_IDS.search(name) or not all(map(_is_number, values)):
        return None
    return [float(value) for value in values]


def _is_number(value: Value) -> bool:
    """Whether a value is a number, also as text, because cells of a CSV file are texts."""
    return isinstance(value, int | float) or (isinstance(value, str) and NUMERAL.fullmatch(value) is not None)


def _of_values(
    name: str,
    codes: Codes,
    values: Sequence[Value],
    order: Sequence[int],
    texts: Texts,
    is_number: bool = False,
) -> SubsetColumn | None:
    """Subsets of the values that enough examples have, in `order`; an empty text counts as no value."""
    counts = np.bincount(codes + 1, minlength=len(values) + 1)[1:]
    frequent = set(np.argsort(-counts, kind="stable")[:MOST_VALUES].tolist())
    shared = [code for code in order if code in frequent and counts[code] >= FEWEST and values[code] != ""]
    names = _names(codes, {code: values[code] for code in shared}, texts)
    if not names:
        return None
    numbers = np.full(len(values) + 1, -1, np.int8)
    numbers[[*names]] = np.arange(len(names))
    is_ordered = is_number or set(names.values()) <= {"true", "false"}
    return SubsetColumn(name, numbers[codes], tuple(names.values()), is_ordered)


def _names(codes: Codes, shared: Mapping[int, Value], texts: Texts) -> dict[int, str]:
    """The values as texts, by code, without those too long for an address.

    Long values are stored as digests, so their texts are read from an example.
    """
    slots = {
        code: int(np.argmax(codes == code)) for code, value in shared.items() if isinstance(value, bytes)
    }
    in_full = texts([*slots.values()]) if slots else {}
    names = {
        code: in_full[slots[code]] if isinstance(value, bytes) else text_of(value) or ""
        for code, value in shared.items()
    }
    return {code: text for code, text in names.items() if len(text.encode()) <= LONGEST_NAME}
