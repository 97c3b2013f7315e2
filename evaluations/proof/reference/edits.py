"""Edit distances by the tables of the textbooks."""

from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from typing import Any

from .judgement import Judgement, cased, utf16


def levenshtein(a: Sequence[Any], b: Sequence[Any]) -> int:
    """Wagner and Fischer's table, row by row, of what lies between a common beginning and a common end."""
    start, end = 0, 0
    while start < min(len(a), len(b)) and a[start] == b[start]:
        start += 1
    while end < min(len(a), len(b)) - start and a[-1 - end] == b[-1 - end]:
        end += 1
    a, b = a[start : len(a) - end], b[start : len(b) - end]
    row = list(range(len(b) + 1))
    for i, left in enumerate(a, 1):
        above, row = row, [i]
        for j, right in enumerate(b, 1):
            row.append(min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (left != right)))
    return row[-1]


def longest_common_subsequence(a: Sequence[Any], b: Sequence[Any]) -> int:
    row = [0] * (len(b) + 1)
    for left in a:
        above, row = row, [0]
        for j, right in enumerate(b, 1):
            row.append(above[j - 1] + 1 if left == right else max(above[j], row[j - 1]))
    return row[-1]


def levenshtein_similarity(
    actual: str,
    expected: str,
    threshold: float = 0.7,
    case_sensitive: bool = False,
    max_characters: int = 10_000,
    unit: str = "code_point",
    missing_expected: str = "zero",
) -> Judgement:
    """Texts are cut first and put in lower case then; the rounding is that of Decimal."""
    if unit == "utf16":
        cut = [_from_units(utf16(side)[:max_characters]) for side in (actual, expected)]
        a, b = [utf16(side) for side in cased((cut[0], cut[1]), case_sensitive)]
    else:
        a, b = [
            [ord(character) for character in side]
            for side in cased((actual[:max_characters], expected[:max_characters]), case_sensitive)
        ]
    if not a and not b:
        return Judgement(1.0, threshold <= 1)
    distance, longest = levenshtein(a, b), max(len(a), len(b))
    # Whole hundredths by exact division, so that no half is lost in a binary fraction.
    hundredths = Decimal(100 * (longest - distance)) / Decimal(longest)
    value = float(hundredths.quantize(Decimal(1), ROUND_HALF_UP) / 100)
    return Judgement(value, value >= threshold)


def _from_units(units: list[int]) -> str:
    return b"".join(unit.to_bytes(2, "big") for unit in units).decode("utf-16-be", "surrogatepass")


def levenshtein_distance(
    actual: str,
    expected: str,
    case_sensitive: bool = True,
    threshold: int | None = None,
    max_characters: int | None = None,
) -> Judgement:
    distance = levenshtein(*cased((actual[:max_characters], expected[:max_characters]), case_sensitive))
    return Judgement(float(distance), None if threshold is None else distance <= threshold)


def indel_similarity(
    actual: str, expected: str, case_sensitive: bool = True, threshold: float | None = None
) -> Judgement:
    a, b = cased((actual, expected), case_sensitive)
    value = Fraction(2 * longest_common_subsequence(a, b), len(a) + len(b)) if a or b else 1
    return Judgement.reaching(float(value), threshold)


def jaro_winkler(
    actual: str, expected: str, case_sensitive: bool = True, threshold: float | None = None
) -> Judgement:
    """Jaro's measure with Winkler's tenth for each of up to four characters of a common beginning."""
    a, b = cased((actual, expected), case_sensitive)
    similarity = jaro(a, b)
    if similarity > 0.7:
        prefix = 0
        while prefix < min(4, len(a), len(b)) and a[prefix] == b[prefix]:
            prefix += 1
        similarity += prefix * 0.1 * (1 - similarity)
    return Judgement.reaching(similarity, threshold)


def jaro(a: str, b: str) -> float:
    """Matches within the window, in order of appearance; half of those out of order are transpositions.

    Added up in floats as rapidfuzz does it: beside 0.7, where the bonus begins, that decides.
    """
    if not a and not b:
        return 1.0
    window = max(len(a), len(b)) // 2 - 1
    taken: set[int] = set()
    matched = []
    for i, character in enumerate(a):
        for j in range(max(0, i - max(window, 0)), min(len(b), i + max(window, 0) + 1)):
            if j not in taken and b[j] == character:
                taken.add(j)
                matched.append(character)
                break
    if not matched:
        return 0.0
    m = len(matched)
    out_of_order = sum(left != b[j] for left, j in zip(matched, sorted(taken), strict=True))
    return (m / len(a) + m / len(b) + (m - out_of_order // 2) / m) / 3
