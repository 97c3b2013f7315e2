"""Finds grades and estimates with which columns of variants rise and fall: the score of STS-B, y_true beside y_pred."""

from collections.abc import Sequence
from statistics import StatisticsError, correlation, fmean, mean

from evaluations.linear import Pattern

from .likely import has_numbers
from .looked_at import ENOUGH, Columns
from .role_words import LABEL_NAMES, MEASURED, OF_INTERVALS, PREDICTED, REFERENCE_WORDS
from .score_words import GRADES, HIGHER

OF_GRADES = GRADES | HIGHER | LABEL_NAMES | REFERENCE_WORDS
FEW = 5  # different grades, of which there must be more
AGREE = 0.5  # correlation of each variant with the grades, at least
MOSTLY = 0.9  # share of the cells that must have a number
_FIRST = Pattern(r"[+-]?\d+(?:[.,]\d+)?")
_QUANTILE = Pattern(r"[pq](?:\d|[1-4]\d|5[1-9]|[6-9]\d|\d{3})")  # but for the middle, p50
Numbers = list[float | None]


def graded_numbers(file: Columns) -> None:
    """The column of grades with which two or more columns of variants are correlated, if no more than it is known.

    One is named after a variant or as predicted at least, and the others too, or have decimals. Where outputs are known
    and no right answers, it is the column of grades with which they agree best.
    """
    _texts_that_were_graded(file)
    known, outputs = (
        file.of("reference"),
        [name for name in file.of("output") if not _is_measured(file, name)],
    )
    texts = [name for name in known if file.has_texts(name)] if not outputs else []
    known = [name for name in known if name not in texts]
    if file.of("score", "low score", "preferred") or len(known) > 1 or (known and outputs):
        return
    said = _said(file, outputs)
    agreed = _agreed(file, known or _grades(file, said), said)
    if outputs:
        best = max(agreed, key=lambda grade: mean(agreed[grade].values()), default=None)
        if best is not None and agreed[best].keys() == {*outputs}:
            file.guess(best, "reference", "the numbers of the outputs rise and fall with it")
        return
    found = [grade for grade, names in agreed.items() if any(_is_named(file, name) for name in names)]
    if len(found) == 1:
        if not known:
            file.guess(found[0], "reference", "columns of variants rise and fall with it")
        for name in texts:
            file.guess(name, "inputs", f"“{found[0][:40]}” grades it")
        for name in agreed[found[0]]:
            file.guess(name, "output", f"its numbers rise and fall with “{found[0][:40]}”")
        forecasts = {name: _numbers(file, name) for name in agreed[found[0]]}
        for name in file.free:
            if _numbers(file, name) and _is_bound(file, name, forecasts):
                file.guess(name, "leave out", "it is an end of the interval of a forecast")


def are_estimates(file: Columns, known: str, said: Sequence[str]) -> bool:
    """Whether the numbers of all of some columns rise and fall with those that are known."""
    numbers = _numbers(file, known)
    return len({*numbers}) > FEW and all(_agreement(numbers, _numbers(file, name)) >= AGREE for name in said)


def _texts_that_were_graded(file: Columns) -> None:
    """Texts among outputs that are numbers, as the reference is: what a pupil wrote, beside grades of it."""
    outputs = {name: bool(_numbers(file, name)) for name in file.of("output")}
    are_grades = all(_numbers(file, name) for name in file.of("reference"))
    if file.of("reference") and are_grades and sum(outputs.values()) > 1:
        for name in [
            name for name, has_numbers in outputs.items() if not has_numbers and file.has_texts(name)
        ]:
            file.guess(name, "inputs", "it is what the numbers of the others grade")


def _said(file: Columns, outputs: Sequence[str]) -> dict[str, Numbers]:
    """The numbers of the columns that may be of variants."""
    if outputs:
        return {name: _numbers(file, name) for name in outputs}
    predicted = [name for name in file.free if file.words[name] & PREDICTED]
    said = {
        name: numbers
        for name in (predicted if len(predicted) > 1 else file.free)
        if (numbers := _numbers(file, name)) and (_is_named(file, name) or _have_decimals(numbers))
    }
    return {name: numbers for name, numbers in said.items() if not _is_bound(file, name, said)}


def _is_measured(file: Columns, name: str) -> bool:
    """Whether a column of numbers, called "actual", is what was counted, beside forecasts of it."""
    others = [other for other in file.free if file.words[other] & PREDICTED]
    return bool(file.words[name] & MEASURED) and len(others) > 1 and bool(_numbers(file, name))


def _is_bound(file: Columns, name: str, said: dict[str, Numbers]) -> bool:
    """Whether a column is the end of an interval: named so, or after a column on one side of which it always is."""
    words = file.words[name]
    if words & OF_INTERVALS or any(_QUANTILE.fullmatch(word) for word in words):
        return bool(words & PREDICTED) or any(words & file.words[other] for other in said if other != name)
    for other, numbers in said.items():
        pairs = _both(numbers, _numbers(file, name)) if file.words[other] < file.words[name] else []
        if len(pairs) >= ENOUGH and (all(a < b for a, b in pairs) or all(a > b for a, b in pairs)):
            return True
    return False


def _grades(file: Columns, said: dict[str, Numbers]) -> list[str]:
    """The columns of many numbers that are named as grades, or as measured; else those to which forecasts are near."""
    free = [
        name
        for name in file.of("metadata", "output")
        if (not file.names_a_variant(name) and name not in said) or _is_measured(file, name)
        if len({*file.cells(name)}) > FEW and has_numbers([text for text in file.cells(name) if text])
    ]
    measured = [name for name in free if file.words[name] & MEASURED]
    named = [name for name in free if file.roles[name] == "metadata" and file.words[name] & OF_GRADES]
    are_forecasts = len(said) > 1 and all(file.words[name] & PREDICTED for name in said)
    return measured or named or [name for name in free if are_forecasts and _are_near(file, name, said)]


def _are_near(file: Columns, name: str, said: dict[str, Numbers]) -> bool:
    """Whether all of what was said is as far from the numbers of a column as half of their own spread, at most."""
    known = _numbers(file, name)
    every = [number for number in known if number is not None]
    spread = fmean(abs(number - fmean(every)) for number in every) if every else 0.0
    pairs = [_both(known, numbers) for numbers in said.values()]
    return all(both and fmean(abs(one - two) for one, two in both) * 2 <= spread for both in pairs)


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
    pairs = _both(grades, said)
    try:
        return correlation(*zip(*pairs, strict=True)) if len(pairs) >= ENOUGH else 0.0
    except StatisticsError:
        return 0.0


def _both(ones: Numbers, others: Numbers) -> list[tuple[float, float]]:
    """The numbers of the rows that have both."""
    pairs = zip(ones, others, strict=False)
    return [(one, two) for one, two in pairs if one is not None and two is not None]
