"""Guesses from contents which columns without a known name hold outputs or scores; the user decides."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import takewhile
from typing import Any

from evaluations import linear
from evaluations.linear import Pattern

from .batch import Row
from .suggest import roles

COMPARED = 100  # rows in which columns are compared with the reference
FEWEST = 3  # rows from which on one value in all is a constant
FAR_FROM_CHANCE = 2  # times as many right rows as by chance
_NUMERAL = Pattern(r"[+-]?\d+(?:[.,]\d+)?(?:[eE][+-]?\d+)?")
_GAPS = "_./:|-"  # and blanks: between the name of a variant and the rest


def likely_outputs(columns: Iterable[str], rows: Sequence[Row]) -> list[str]:
    """Columns without a known name that look like outputs: long texts, or short answers that are often right.

    None where no column is known to be an input or a reference, because these look the same.
    """
    by_column = roles(columns)
    if not {"inputs", "reference"} & {*by_column.values()}:
        return []
    undecided = [column for column, role in by_column.items() if role == "metadata"]
    references = [column for column, role in by_column.items() if role == "reference"]
    likely = {*_texts_alike(undecided, rows)}
    right = {
        column: max((_right(column, reference, rows) for reference in references), default=0)
        for column in undecided
    }
    likely |= {column for column, share in right.items() if 0 < share < 1}
    if likely:  # Alone, it may be a copy of the reference.
        likely |= {column for column, share in right.items() if share == 1}
    stems = {_stem(column) for column in likely if _stem(column) != column}
    return [column for column in undecided if column in likely or _stem(column) in stems]


def _stem(column: str) -> str:
    """A name without its last number: "prompt_v1" and "prompt_v2" are columns of one kind."""
    return column.rstrip("0123456789")


def likely_scores(columns: Iterable[str], variants: Iterable[str], rows: Sequence[Row]) -> list[str]:
    """Columns of numbers that are named like a column of outputs and something more: "mt-a mqm" beside "mt-a".

    A number that is the same in all rows, such as a count, tells nothing, unless it differs beside another output.

    >>> rows = [{"mt-a": "Ja.", "mt-a mqm": "-1.5", "mt-a id": "x", "year": 1999}]
    >>> likely_scores(rows[0], ["mt-a"], rows)
    ['mt-a mqm']
    >>> likely_scores(["mt-a count"], ["mt-a"], [{"mt-a count": 2}] * 9)
    []
    """
    names = [linear.folded(variant.strip()) for variant in variants if variant.strip()]
    found = {
        column: _rest(linear.folded(column.strip()), names)
        for column in columns
        if _is_named_after(linear.folded(column.strip()), names)
        and has_numbers([row.get(column) for row in rows])
    }
    varying = {rest for column, rest in found.items() if _varies(column, rows)}
    return [column for column, rest in found.items() if rest in varying]


def _rest(column: str, names: Iterable[str]) -> str:
    """What a name has beside that of an output."""
    longest = max((name for name in names if name in column), key=len)
    return column.replace(longest, "", 1)


def _varies(column: str, rows: Sequence[Row]) -> bool:
    """Whether a column has two values; of fewer than three rows nothing is known."""
    values = [value for row in rows if (value := row.get(column)) not in (None, "")]
    return len(values) < FEWEST or any(value != values[0] for value in values)


def _is_named_after(column: str, names: Iterable[str]) -> bool:
    """Whether a name begins or ends with one of the names, with a gap between it and the rest of the line."""
    return any(
        (column.startswith(name) and _is_gap_and_rest(column[len(name) :]))
        or (column.endswith(name) and _is_gap_and_rest(column[: len(column) - len(name)][::-1], longest=1))
        for name in names
    )


def _is_gap_and_rest(text: str, longest: int | None = None) -> bool:
    """Whether a text is a gap of at most `longest` characters, and at least one more, without a line break."""
    gap = sum(1 for _ in takewhile(_is_gap, text[:longest]))
    return gap > 0 and len(text) > 1 and "\n" not in text[min(gap, len(text) - 1) :]


def _is_gap(character: str) -> bool:
    return character in _GAPS or character.isspace()


def has_numbers(values: Sequence[Any]) -> bool:
    """Whether all present values are numbers, some of them as texts."""
    present = [value for value in values if value is not None and value != ""]
    return bool(present) and all(map(_is_number, present))


def has_measures(values: Sequence[Any]) -> bool:
    """Whether all present values are numbers, or all are numbers in per cent."""
    return has_numbers(values) or are_percentages(values)


def are_percentages(values: Sequence[Any]) -> bool:
    """Whether all present values are numbers in per cent.

    >>> are_percentages(["85 %", "7,5%", ""]), are_percentages(["0.8", 1]), are_percentages(["85 %", "good"])
    (True, False, False)
    """
    present = [f"{value}".strip() for value in values if value is not None and value != ""]
    return all(text.endswith("%") for text in present) and has_numbers(
        [text[:-1].strip() for text in present]
    )


def number_of(value: Any) -> float | None:
    """A number, or a text that is one, with a point or a comma; None of anything else, as of true or false.

    >>> [number_of(value) for value in (2, " -1,5", True, "high", None)]
    [2.0, -1.5, None, None, None]
    """
    if isinstance(value, bool) or not _is_number(value):
        return None
    return float(f"{value}".replace(",", "."))


def measure_of(value: Any) -> float | None:
    """A number, also one in per cent, as it is written.

    >>> measure_of("7,5 %"), measure_of(0.5), measure_of("half")
    (7.5, 0.5, None)
    """
    return number_of(value.strip().removesuffix("%") if isinstance(value, str) else value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) or (
        isinstance(value, str) and bool(_NUMERAL.fullmatch(value.strip()))
    )


def _texts_alike(columns: Iterable[str], rows: Sequence[Row]) -> list[str]:
    """Columns of texts that nearly all differ, and are of similar length; empty if there is only one."""
    lengths = {
        column: length for column in columns if (length := _text_length([row.get(column) for row in rows]))
    }
    longest = max(lengths.values(), default=0)
    similar = [column for column, length in lengths.items() if length * 4 >= longest]
    return similar if len(similar) > 1 else []


def _right(column: str, reference: str, rows: Sequence[Row]) -> float:
    """The share of rows in which a column equals the reference; 0 if that may be chance, or if its name has the
    reference's in it, as that of a copy.

    A column right in less than half of the rows is compared with chance: how often any two cells of both are equal.
    """
    if reference.lower() in column.lower():
        return 0
    answers = ((_answer(row.get(column)), _answer(row.get(reference))) for row in rows[:COMPARED])
    pairs = [(answer, expected) for answer, expected in answers if answer and expected]
    right = sum(answer == expected for answer, expected in pairs)
    answer_counts, expected_counts = (Counter(pair[side] for pair in pairs) for side in (0, 1))
    by_chance = sum(answer_counts[text] * expected_counts[text] for text in answer_counts) / max(
        len(pairs), 1
    )
    is_often = right * 2 >= len(pairs) or (right * 10 >= len(pairs) and right > FAR_FROM_CHANCE * by_chance)
    return right / len(pairs) if is_often and right > 2 and len(pairs) > 9 and len(expected_counts) > 3 else 0


def _answer(value: Any) -> str:
    """A text or a number as text, without surrounding blanks; "" for any other value."""
    return str(value).strip() if isinstance(value, str | int | float) else ""


def _text_length(values: Sequence[Any]) -> float:
    """The mean length of texts that nearly all differ; 0 for any other column."""
    texts = [value for value in values if isinstance(value, str) and value.strip()]
    if len(texts) < 3 or len(texts) * 2 < len(values) or len({*texts}) * 3 < len(texts) * 2:
        return 0
    length = sum(map(len, texts)) / len(texts)
    has_words = sum(" " in text.strip() for text in texts) * 2 > len(texts)
    return length if has_words or length > 40 else 0
