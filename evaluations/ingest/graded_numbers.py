"""Finds grades and estimates with which columns of variants rise and fall: the score of STS-B, y_true beside y_pred."""

from statistics import StatisticsError, correlation

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

    One is named after a variant or as predicted at least, and the others too, or have decimals.
    """
    known = file.of("reference")
    if file.of("output", "score", "low score", "preferred") or len(known) > 1:
        return
    predicted = [name for name in file.free if file.words[name] & PREDICTED]
    said = {
        name: numbers
        for name in predicted or file.free
        if (numbers := _numbers(file, name)) and (_is_named(file, name) or _have_decimals(numbers))
    }
    grades = known or [
        name
        for name in file.of("metadata")
        if not file.names_a_variant(name) and file.words[name] & OF_GRADES and len({*file.cells(name)}) > FEW
        if has_numbers([text for text in file.cells(name) if text])
    ]
    agreed = {
        grade: [
            name
            for name, numbers in said.items()
            if name not in grades and _agree(_numbers(file, grade), numbers)
        ]
        for grade in grades
    }
    found = [
        grade
        for grade, names in agreed.items()
        if len(names) > 1 and any(_is_named(file, name) for name in names)
    ]
    if len(found) == 1:
        if not known:
            file.guess(found[0], "reference", "columns of variants rise and fall with it")
        for name in agreed[found[0]]:
            file.guess(name, "output", f"its numbers rise and fall with “{found[0][:40]}”")


def _is_named(file: Columns, name: str) -> bool:
    return file.names_a_variant(name) or bool(file.words[name] & PREDICTED)


def _numbers(file: Columns, name: str) -> Numbers:
    """The first number of each cell, if nearly all have one; else []."""
    matches = [_FIRST.search(text) for text in file.cells(name)]
    numbers = [float(match[0].replace(",", ".")) if match else None for match in matches]
    return numbers if len(numbers) - numbers.count(None) >= MOSTLY * max(len(numbers), ENOUGH) else []


def _have_decimals(numbers: Numbers) -> bool:
    return any(number is not None and number != round(number) for number in numbers)


def _agree(grades: Numbers, said: Numbers) -> bool:
    pairs = [
        (one, two) for one, two in zip(grades, said, strict=False) if one is not None and two is not None
    ]
    try:
        return len(pairs) >= ENOUGH and correlation(*zip(*pairs, strict=True)) >= AGREE
    except StatisticsError:  # always the same
        return False
