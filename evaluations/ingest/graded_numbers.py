"""Finds grades and estimates with which columns of variants rise and fall: the score of STS-B, y_true beside y_pred."""

from collections.abc import Sequence
from statistics import StatisticsError, correlation, mean

from evaluations.linear import Pattern

from .likely import has_numbers
from .looked_at import ENOUGH, Columns
from .role_words import GRADES, HIGHER, LABEL_NAMES, PREDICTED, REFERENCE_WORDS

OF_GRADES = GRADES | HIGHER | LABEL_NAMES | REFERENCE_WORDS
FEW = 5  # different grades, of which there must be more
AGREE = 0.5  # correlation of each variant with the grades, at least
MOSTLY = 0.9  # share of the cells that must have a number
_FIRST = Pattern(r"[+-]?\d+(?:[.,]\d+)?")
Numbers = list[float | None]


def graded_numbers(file: Columns) -> None:
    """The column of grades with which two or more columns of variants are correlated, if no more than it is known.

    One is named after a variant or as predicted at least, and the others too, or have decimals. Where outputs are known
    and no right answers, it is the column of grades with which they agree best.
    """
    known, outputs = file.of("reference"), file.of("output")
    if file.of("score", "low score", "preferred") or len(known) > 1 or (known and outputs):
        return
    agreed = _agreed(file, known or _grades(file), _said(file, outputs))
    if outputs:
        best = max(agreed, key=lambda grade: mean(agreed[grade].values()), default=None)
        if best is not None and agreed[best].keys() == {*outputs}:
            file.guess(best, "reference", "the numbers of the outputs rise and fall with it")
        return
    found = [grade for grade, names in agreed.items() if any(_is_named(file, name) for name in names)]
    if len(found) == 1:
        if not known:
            file.guess(found[0], "reference", "columns of variants rise and fall with it")
        for name in agreed[found[0]]:
            file.guess(name, "output", f"its numbers rise and fall with “{found[0][:40]}”")


def _said(file: Columns, outputs: Sequence[str]) -> dict[str, Numbers]:
    """The numbers of the columns that may be of variants."""
    if outputs:
        return {name: _numbers(file, name) for name in outputs}
    predicted = [name for name in file.free if file.words[name] & PREDICTED]
    return {
        name: numbers
        for name in predicted or file.free
        if (numbers := _numbers(file, name)) and (_is_named(file, name) or _have_decimals(numbers))
    }


def _grades(file: Columns) -> list[str]:
    return [
        name
        for name in file.of("metadata")
        if not file.names_a_variant(name) and file.words[name] & OF_GRADES and len({*file.cells(name)}) > FEW
        if has_numbers([text for text in file.cells(name) if text])
    ]


def _agreed(file: Columns, grades: Sequence[str], said: dict[str, Numbers]) -> dict[str, dict[str, float]]:
    """By column of grades the two or more columns that rise and fall with it, and how closely."""
    every = {
        grade: {
            name: agreement
            for name, numbers in said.items()
            if name not in grades and (agreement := _agreement(_numbers(file, grade), numbers)) >= AGREE
        }
        for grade in grades
    }
    return {grade: names for grade, names in every.items() if len(names) > 1}


def _is_named(file: Columns, name: str) -> bool:
    return file.names_a_variant(name) or bool(file.words[name] & PREDICTED)


def _numbers(file: Columns, name: str) -> Numbers:
    """The first number of each cell, if nearly all have one; else []."""
    matches = [_FIRST.search(text) for text in file.cells(name)]
    numbers = [float(match[0].replace(",", ".")) if match else None for match in matches]
    return numbers if len(numbers) - numbers.count(None) >= MOSTLY * max(len(numbers), ENOUGH) else []


def _have_decimals(numbers: Numbers) -> bool:
    return any(number is not None and number != round(number) for number in numbers)


def _agreement(grades: Numbers, said: Numbers) -> float:
    """Their correlation; 0 where too few rows have both numbers, or one side is always the same."""
    pairs = [
        (one, two) for one, two in zip(grades, said, strict=False) if one is not None and two is not None
    ]
    try:
        return correlation(*zip(*pairs, strict=True)) if len(pairs) >= ENOUGH else 0.0
    except StatisticsError:
        return 0.0
