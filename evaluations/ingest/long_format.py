"""Detects files with one row for each variant and item ("long format")."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import chain, combinations
from statistics import median
from typing import Any, BinaryIO

from evaluations.files.formats import Format, Limits
from evaluations.files.problems import FileError
from evaluations.linear import Pattern

from . import key_columns, measures, penalties, several_raters, verdict_words
from .cell_texts import text_of_cell
from .column_names import is_named_as_variant, words_of
from .file_names import is_id
from .known_names import OTHER_KEYS, OTHERWISE
from .likely import has_numbers
from .reader import open_rows
from .role_words import OF_NUMBERS
from .score_words import CLASSES, GRADES, HIGHER, LOWER, NO_GRADES, OF_CALLS, RIGHT, VERDICTS
from .suggest import is_called_variant, plain, roles, sure_roles

ROWS = 20_000
CHARACTERS = 32_000_000
SECONDS = 3.0
MOST_VARIANTS = 100
LONGEST_NAME = 6  # words of half of the values of the variant's column; longer ones are texts that rows share
SENTENCE = 4  # words
TRIED = 6  # columns that are tried as the variant
PAIRED = 12  # columns that are tried in pairs as the key of an item
LONGEST_OBJECT = 2_000  # characters of an object in which its fields are looked for
_FIELDS = Pattern(r"['\"](\w+)['\"]: ")
MEASURES = HIGHER | LOWER | RIGHT | GRADES | {"acc", "em", "reward"}  # words in names of scores
Column = Sequence[Any]


@dataclass(frozen=True)
class LongFormat:
    """`variant` has few values that repeat for every item; `output` and the `varying` columns differ between them.

    It `is_sure` where every item has each variant once and nothing that is asked or expected differs between them.
    `key` are the columns that identify an item, and `grades` those of the `varying` ones that hold verdicts;
    `measures` are the kinds of those that say what an answer took. `id` is the first column of ids that has one for
    each item; "" without any.
    """

    variant: str
    variants: int
    items: int
    output: str
    varying: tuple[str, ...]
    is_sure: bool = False
    key: tuple[str, ...] = ()
    grades: tuple[str, ...] = ()
    id: str = ""
    measures: Mapping[str, str] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        lists = {name: [*getattr(self, name)] for name in ("varying", "key", "grades")}
        return asdict(self) | lists


def detect(file: BinaryIO, fmt: Format, limits: Limits) -> LongFormat | None:
    """Detect a long format in the first 20 000 rows; None if there is none, or if they cannot be read.

    Rows of two answers that became columns of their models are of no single variant.
    """
    if fmt.sides:
        return None
    try:
        return find(first_columns(file, fmt, limits))
    except FileError:
        return None


def first_columns(file: BinaryIO, fmt: Format, limits: Limits) -> dict[str, Column]:
    """The values of each column in the first 20 000 rows, comparable and hashable; raises `FileError`."""
    reader, columns, count = open_rows(file, fmt, limits), dict[str, list[Any]](), 0
    for batch in reader.head(ROWS, CHARACTERS, SECONDS):
        for name in reader.columns:
            column = columns.setdefault(name, [])
            column += [None] * (count - len(column))  # of a column that the first rows lack
            column += map(_hashable, batch.column(name))
        count += len(batch.lines)
    return {name: [*column, *[None] * (count - len(column))] for name, column in columns.items()}


def varying(columns: Mapping[str, Column], key: str) -> list[str]:
    """The columns that differ between rows with the same key.

    >>> varying({"id": [1, 1, 2], "text": ["a", "a", "b"], "label": ["x", "y", "x"]}, "id")
    ['label']
    """
    keys, items = columns[key], len({*columns[key]})
    return [
        name
        for name, column in columns.items()
        if name != key and len({*zip(keys, column, strict=True)}) > items
    ]


def tells_apart(columns: Mapping[str, Column], key: str) -> list[str]:
    """The columns of few values that no two rows with the same key share: variants, repetitions or raters."""
    keys, names = columns[key], varying(columns, key)
    return [
        name
        for name in names
        if len({*columns[name]}) <= MOST_VARIANTS
        and len({*columns[name]}) < len(keys)
        and None not in columns[name]
        and len({*zip(keys, columns[name], strict=True)}) == len(keys)
    ]


def _hashable(value: Any) -> Any:
    return value if value is None or isinstance(value, str | int | float) else repr(value)


def find(columns: Mapping[str, Column]) -> LongFormat | None:
    """
    >>> found = find({"seg": [*"123"] * 2, "system": ["a"] * 3 + ["b"] * 3, "text": [*"uvwxyz"]})
    >>> found.variant, found.variants, found.items, found.output, found.key
    ('system', 2, 3, 'text', ('seg',))
    """
    distinct = {name: len({*column}) for name, column in columns.items()}
    count = len(next(iter(columns.values()), ()))
    readings = [
        reading
        for variant in _variant_columns(columns, distinct, count)
        if (reading := _first_reading(columns, distinct, variant))
    ]
    best = min(readings, key=_likelihood, default=None)
    if best is None:
        return None
    took = measures.of_rows(best.varying, columns)
    return _with_names(columns, replace(best, id=_ids(columns, best), measures=took))


def _ids(columns: Mapping[str, Column], reading: LongFormat) -> str:
    """The first column of ids, by its name, of which each item has one of its own.

    >>> rows = {"case_id": [*"123"] * 2, "question": ["a?", "b?", "c?"] * 2, "model": ["m1"] * 3 + ["m2"] * 3}
    >>> found = find(rows | {"output": [*"uvwxyz"]})
    >>> found.key, found.id
    (('question',), 'case_id')
    """
    items = list(zip(*(columns[name] for name in reading.key), strict=True))
    for name, column in columns.items():
        texts = [*map(text_of_cell, column)]
        words = words_of(name)
        is_called = words & key_columns.IDS or (
            words & OF_NUMBERS and all(texts) and key_columns.are_numbered(texts)
        )
        are_items = all(texts) and len({*texts}) == reading.items == len({*zip(texts, items, strict=True)})
        if name != reading.variant and is_called and are_items:
            return name
    return ""


def _with_names(columns: Mapping[str, Column], reading: LongFormat) -> LongFormat:
    """The reading by names of variants where their column has ids that a program made: the name of a run, no digest.

    >>> same = {"q": [f"{n}?" for n in range(5)] * 2, "output": [f"{n}" for n in range(10)]}
    >>> runs = {"run_id": ["0123456789abcdef"] * 5 + ["fedcba9876543210"] * 5, "run name": ["old"] * 5 + ["new"] * 5}
    >>> find(same | runs).variant, find(same | {"run_id": runs["run_id"]}).variant
    ('run name', 'run_id')
    """
    ids = columns[reading.variant]
    if not all(map(is_id, {*ids})):
        return reading
    for name in reading.varying:
        said = columns[name]
        are_names = all(isinstance(one, str) and one.strip() and not is_id(one) for one in {*said})
        if are_names and len({*said}) == len({*zip(ids, said, strict=True)}) == reading.variants:
            others = tuple(reading.variant if one == name else one for one in reading.varying)
            return replace(reading, variant=name, varying=others)
    return reading


def _likelihood(reading: LongFormat) -> tuple[bool, int, int]:
    """A sort key, smallest for the likeliest reading. Segments repeat for each variant too, but their texts differ."""
    return not is_called_variant(reading.variant), len(reading.varying), reading.items


def _right_answers(columns: Mapping[str, Column]) -> set[str]:
    return {name for name, role in roles(columns).items() if role == "reference"}


def _first_reading(
    columns: Mapping[str, Column], distinct: Mapping[str, int], variant: str
) -> LongFormat | None:
    keys = _keys(columns, distinct, variant)
    readings = (_long_format(columns, variant, distinct[variant], key) for key in keys)
    return next((reading for reading in readings if reading), None)


def _variant_columns(columns: Mapping[str, Column], distinct: Mapping[str, int], count: int) -> list[str]:
    parts = roles(columns)
    few = [
        name
        for name, column in columns.items()
        if (is_called_variant(name) or parts[name] not in ("inputs", "reference", "key"))
        and 2 <= distinct[name] <= MOST_VARIANTS
        and distinct[name] * 3 <= count
        and all(isinstance(value, str) and value.strip() for value in column)
        and not _are_structures(column)
        and median(len(value.split()) for value in {*column}) <= LONGEST_NAME
    ]
    return sorted(few, key=lambda name: distinct[name])[:TRIED]


def _keys(columns: Mapping[str, Column], distinct: Mapping[str, int], variant: str) -> list[tuple[str, ...]]:
    """The sets of columns that may identify an item: the key, all inputs, one column, two columns."""
    names = [name for name in columns if name != variant and distinct[name] > 1]
    column_roles = roles(columns)
    inputs = tuple(name for name in names if column_roles[name] == "inputs")
    keys = [(name,) for name in names if column_roles[name] == "key"]
    keys += [(name,) for name in names if column_roles[name] != "key" and plain(name) in OTHER_KEYS]
    singles = [(name,) for name in names]
    return list(chain(keys, [inputs] if inputs else [], singles, combinations(names[:PAIRED], 2)))


def _long_format(
    columns: Mapping[str, Column], variant: str, variants: int, key: tuple[str, ...]
) -> LongFormat | None:
    keys = list(zip(*(columns[name] for name in key), strict=True))
    items = len({*keys})
    if items < 2 or len(keys) < items * max(1.8, variants / 2):
        return None
    if len({*zip(keys, columns[variant], strict=True)}) < len(keys):
        return None
    value_columns = [name for name in columns if name not in key and name != variant]
    varying = [name for name in value_columns if len({*zip(keys, columns[name], strict=True)}) > items]
    output = _output(columns, varying)
    if is_called_variant(variant) and (output is None or _are_all_numbers(columns, varying)):
        verdicts = (name for name in varying if _are_right_or_wrong(columns[name]))
        output = _measured(columns, varying) or next(verdicts, None) or output  # in place of answers
    if output is None or (not is_called_variant(variant) and _right_answers(columns).intersection(varying)):
        return None  # rows with other right answers are other items
    others = tuple(name for name in varying if name != output)
    is_sure = len(keys) == items * variants and _is_sure(columns, variant, output, varying, key)
    return LongFormat(variant, variants, items, output, others, is_sure, key, _grades(columns, others))


def _grades(columns: Mapping[str, Column], names: Sequence[str]) -> tuple[str, ...]:
    """The columns with scores of the outputs, and others with whole numbers on the scale of one of these."""
    possible = [
        name for name in names if not words_of(name) & (NO_GRADES | OF_CALLS) and plain(name) not in CLASSES
    ]
    known = [name for name in possible if _are_verdicts(columns[name]) or _are_measured(name, columns[name])]
    beside = [name for name in possible if name not in known and not words_of(name) & penalties.COUNTED]
    alike = [
        name
        for name in beside
        if any(several_raters.are_on_one_scale([columns[name], columns[one]]) for one in known)
    ]
    return tuple(name for name in names if name in (*known, *alike))


def _are_measured(name: str, column: Column) -> bool:
    """Whether a column of numbers is named after a measure of what is right, as "pass@1"."""
    return bool(words_of(name) & (MEASURES | penalties.WORDS)) and has_numbers(list(column))


def _are_verdicts(column: Column) -> bool:
    """Whether all present values are true and false, zeros and ones, results of tests, or stars."""
    found = {str(value).strip().casefold() for value in column if value not in (None, "")}
    if several_raters.are_marks([column]):
        return True
    are_results = verdict_words.are_results(found) or verdict_words.are_marks(found)
    return len(found) > 1 and (found <= VERDICTS or are_results)


def _are_right_or_wrong(column: Column) -> bool:
    """Whether all present values are true and false, or zeros and ones, and both occur."""
    found = {str(value).strip().casefold() for value in column if value not in (None, "")}
    return len(found) > 1 and found <= VERDICTS


def _is_sure(
    columns: Mapping[str, Column], variant: str, output: str, varying: Sequence[str], key: Sequence[str]
) -> bool:
    """Whether only an output differs, and by names: numbers would be repetitions.

    Where no name says that it is an output, the variants must be named like models, prompts or versions.
    """
    column_roles = roles(columns)
    asked = {name for name in columns if column_roles[name] in ("inputs", "reference")}
    asked |= {name for name in key if _are_sentences(columns[name])}
    are_names = not any(str(value).strip().isdecimal() for value in {*columns[variant]})
    is_output = column_roles[output] == "output" or _are_models(columns[variant])
    return are_names and is_output and bool(asked) and asked.isdisjoint(varying)


def _are_sentences(column: Column) -> bool:
    """Whether most values are texts of several words, such as questions that name their items themselves."""
    return median(len(value.split()) if isinstance(value, str) else 0 for value in column) >= SENTENCE


def _are_all_numbers(columns: Mapping[str, Column], names: Sequence[str]) -> bool:
    """Whether all columns have numbers or verdicts, as a CSV file writes them, and none is named as an output."""
    parts = roles(columns)
    return all(
        parts[name] != "output" and (_are_right_or_wrong(columns[name]) or has_numbers(list(columns[name])))
        for name in names
    )


def _are_models(column: Column) -> bool:
    """Whether most of the few values of a column are named like models, prompts or versions."""
    values = {str(value) for value in column}
    return sum(map(is_named_as_variant, values)) * 2 > len(values)


def _output(columns: Mapping[str, Column], varying: Sequence[str]) -> str | None:
    """The column named as an output or answer, else that with the longest texts; objects beside texts are remarks."""
    column_roles = roles(columns)
    outputs = [name for name in varying if column_roles[name] == "output"]
    answers = [name for name in varying if OTHERWISE.get(plain(name), ("", ""))[1] == "output"]
    inside = [name for name in varying if _has_output_inside(columns[name])]
    named = next(iter([*outputs, *answers, *inside]), None)
    lengths = {name: sum(len(v) for v in columns[name] if isinstance(v, str)) for name in varying}
    texts = [name for name in varying if lengths[name] and not _are_structures(columns[name])]
    return named or max(
        texts or [name for name in varying if lengths[name]], key=lambda name: lengths[name], default=None
    )


def _measured(columns: Mapping[str, Column], varying: Sequence[str]) -> str | None:
    """Where no texts differ, the first column of numbers beside verdicts on them, as scores of a reward model."""
    verdicts = [name for name in _grades(columns, varying) if _are_verdicts(columns[name])]
    numbers = [name for name in varying if name not in verdicts and has_numbers(list(columns[name]))]
    return numbers[0] if verdicts and numbers else None


def _has_output_inside(column: Column) -> bool:
    """Whether the first value is an object with a field that is named as an output."""
    first = str(next((value for value in column if value is not None), ""))[:LONGEST_OBJECT]
    fields = [found[1] for found in _FIELDS.finditer(first)] if first.startswith("{") else []
    return "output" in sure_roles(fields).values()


def _are_structures(column: Column) -> bool:
    """Whether all present values are lists of objects, or objects."""
    present = [value for value in column if value is not None]
    return all(isinstance(value, str) and value.startswith(("[{", "{")) for value in present)
