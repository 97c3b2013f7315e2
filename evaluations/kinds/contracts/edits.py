"""Contracts of the kinds that compare texts character by character; the references are textbook algorithms."""

from collections.abc import Iterator, Sequence
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from typing import Any

from evaluations.kinds.contracts.contract import NULLS, TEXTS, TOO_LONG, Contract, Vector
from evaluations.kinds.contracts.judgement import Judgement, NoScore, cased, utf16
from evaluations.values import JSON


def levenshtein(a: Sequence[Any], b: Sequence[Any]) -> int:
    """Wagner and Fischer's table, row by row, after removing a common prefix and suffix."""
    start, end = 0, 0
    while start < min(len(a), len(b)) and a[start] == b[start]:
        start += 1
    while end < min(len(a), len(b)) - start and a[-1 - end] == b[-1 - end]:
        end += 1
    a, b = a[start : len(a) - end], b[start : len(b) - end]
    row = list(range(len(b) + 1))
    for i, letter in enumerate(a, 1):
        above, row = row, [i]
        for j, right in enumerate(b, 1):
            row.append(min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (letter != right)))
    return row[-1]


def longest_common_subsequence(a: Sequence[Any], b: Sequence[Any]) -> int:
    row = [0] * (len(b) + 1)
    for letter in a:
        above, row = row, [0]
        for j, right in enumerate(b, 1):
            row.append(above[j - 1] + 1 if letter == right else max(above[j], row[j - 1]))
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
    """Texts are cut first, then lowercased; rounding uses `Decimal`."""
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
    # hundredths by exact division, so that no half is lost in a binary fraction
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
    """Jaro's measure with Winkler's bonus of 0.1 for each of up to four common first characters."""
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

    Summed as floats in rapidfuzz's order, because near 0.7, where the bonus begins, rounding decides.
    """
    if not a and not b:
        return 1.0
    window = max(len(a), len(b)) // 2 - 1
    matched_indices: set[int] = set()
    matched = []
    for i, character in enumerate(a):
        for j in range(max(0, i - max(window, 0)), min(len(b), i + max(window, 0) + 1)):
            if j not in matched_indices and b[j] == character:
                matched_indices.add(j)
                matched.append(character)
                break
    if not matched:
        return 0.0
    m = len(matched)
    out_of_order = sum(letter != b[j] for letter, j in zip(matched, sorted(matched_indices), strict=True))
    return (m / len(a) + m / len(b) + (m - out_of_order // 2) / m) / 3


def _no_reference(config: dict[str, JSON], status: str) -> Judgement:
    """A missing reference scores 0 and fails, unless the config skips it."""
    if status == "missing_expected" and config.get("missing_expected", "zero") == "zero":
        return Judgement(0.0, False, status)
    raise NoScore(status)


def _cut_limits() -> Iterator[Vector]:
    yield Vector("x" * 100_001, "x" * 10_001, 1.0, True, why="both are cut to 10 000")
    edited = "y" * 50 + "x" * 9_950 + "z" * 10
    yield Vector(edited, "x" * 10_010, 1.0, True, why="1 − 50/10 000, half up; 0.99 when cut elsewhere")


CONTRACTS = {
    "levenshtein_similarity": Contract(
        reference=levenshtein_similarity,
        missing=_no_reference,
        limits=_cut_limits,
        is_cut=True,
        formula="One minus the Levenshtein distance divided by the length of the longer text, rounded half up "
        "to two decimals; it passes if the rounded value reaches the threshold.",
        edge_cases=(
            "Two empty texts are equal: 1.0. An empty text is not a missing text.",
            "A null expected value scores 0.0 and fails, even with a threshold of 0; the status is "
            "missing_expected. With missing_expected “skip” there is no score. A null actual value gets no "
            "score.",
            "Both texts are cut to max_characters, in the chosen unit, before they are compared; the number "
            "of rows with a cut text is reported.",
            "A half is rounded up: 5 of 8 characters kept is 0.63, not 0.62.",
            "Case-insensitive means lower case (str.lower) on both sides.",
            "With unit utf16 a character beyond U+FFFF counts two.",
            TEXTS,
        ),
        golden=(
            Vector("The quick brown dog", "The quick brown fox", 0.89, True, why="1 − 2/19 = 0.8947…"),
            Vector("kitten", "sitting", 0.57, False, why="1 − 3/7 = 0.5714…"),
            Vector("abcdexyz", "abcdefgh", 0.63, False, why="1 − 3/8 = 0.625, half up"),
            Vector("abcdexyz", "abcdefgh", 0.63, True, {"threshold": 0.63}, why="the rounded value counts"),
            Vector("PARIS", "paris", 1.0, True, why="case is ignored by default"),
            Vector("PARIS", "paris", 0.0, False, {"case_sensitive": True}, why="five of five replaced"),
            Vector("", "", 1.0, True, why="two empty texts"),
            Vector("", "abc", 0.0, False, why="1 − 3/3"),
            Vector("x", "y", 0.0, True, {"threshold": 0.0}, why="a threshold of 0 counts"),
            Vector("ab", "ac", 0.5, False, {"threshold": 1.0}, why="a threshold of 1 counts"),
            Vector("😀b", "ab", 0.5, False, why="one of two code points"),
            Vector("😀b", "ab", 0.33, False, {"unit": "utf16"}, why="two of three UTF-16 units"),
            Vector("abcX", "abcY", 1.0, True, {"max_characters": 3}, why="cut to abc on both sides"),
            Vector("x", None, 0.0, False, status="missing_expected", why="no reference scores 0"),
            Vector("x", None, 0.0, False, {"threshold": 0.0}, status="missing_expected", why="fails too"),
            Vector("x", None, None, None, {"missing_expected": "skip"}, status="missing_expected"),
            Vector(None, "x", None, None, status="missing_actual"),
            Vector({"b": 1, "a": [2]}, '{"a": [2], "b": 1}', 1.0, True, why="an object as JSON text"),
        ),
    ),
    "levenshtein_distance": Contract(
        reference=levenshtein_distance,
        formula="The smallest number of characters (code points) to insert, delete or replace to turn one text "
        "into the other; it passes if it is at most the threshold.",
        edge_cases=(
            NULLS,
            "An empty text is compared like any other: the distance is the length of the other text.",
            "Without a threshold nothing passes or fails; with a threshold of 0 only equal texts pass.",
            "A letter and its combining mark are two code points.",
            "Time grows with the product of both lengths: two unlike texts of 1 000 characters take 0.4 milliseconds, "
            "of 10 000 characters 4, of 100 000 characters 350.",
            TOO_LONG[:-1] + ", unless max_characters cuts it.",
            TEXTS,
        ),
        golden=(
            Vector("kitten", "sitting", 3, why="k→s, e→i, +g"),
            Vector("paris", "Paris", 1, why="case counts by default"),
            Vector("paris", "Paris", 0, None, {"case_sensitive": False}),
            Vector("", "abc", 3, why="three insertions"),
            Vector("", "", 0),
            Vector("same", "same", 0, True, {"threshold": 0}, why="a threshold of 0 counts"),
            Vector("ab", "a", 1, False, {"threshold": 0}, why="1 > 0"),
            Vector("Jonathon Smyth", "Jonathan Smith", 2, True, {"threshold": 2}, why="2 ≤ 2"),
            Vector("e\u0301", "é", 2, why="two code points against another one"),
            Vector("😀", "a", 1, why="one code point"),
            Vector("abcX", "abcYZ", 0, None, {"max_characters": 3}, why="cut to abc on both sides"),
            Vector("x", None, None, None, {"threshold": 5}, status="missing_expected"),
            Vector(True, "true", 0, why="a boolean as JSON text"),
        ),
    ),
    "indel_similarity": Contract(
        reference=indel_similarity,
        formula="Twice the length of the longest common subsequence of characters, divided by the lengths of "
        "both texts together; not rounded.",
        edge_cases=(
            NULLS,
            "Two empty texts are equal: 1.0; an empty text against another: 0.0.",
            "Without a threshold nothing passes or fails.",
            TOO_LONG,
            TEXTS,
        ),
        golden=(
            Vector("kitten", "sitting", 8 / 13, why="i t t n: 2 × 4 / (6 + 7)"),
            Vector("ab", "ba", 0.5, why="one in order: 2 × 1 / 4"),
            Vector("", "", 1.0),
            Vector("", "a", 0.0),
            Vector("AB", "ab", 0.0, why="case counts by default"),
            Vector("AB", "ab", 1.0, True, {"case_sensitive": False, "threshold": 1.0}),
            Vector("abcd", "abxy", 0.5, False, {"threshold": 0.51}, why="2 × 2 / 8"),
            Vector(None, None, None, status="missing_expected"),
        ),
    ),
    "jaro_winkler": Contract(
        reference=jaro_winkler,
        formula="Jaro similarity: the mean of the matched characters' share of the actual text, of the expected "
        "text, and of the matches that are not half-transposed; a match lies within a window of half the "
        "longer text minus one. Above 0.7, a tenth of the distance to 1 is added for each character of the "
        "common prefix, up to four.",
        edge_cases=(
            NULLS,
            "Two empty texts are equal: 1.0; an empty text against another: 0.0.",
            "A Jaro similarity of up to 0.7 gets no prefix bonus; at exactly 0.7, floating-point rounding "
            "decides, as in rapidfuzz.",
            "Transpositions are halved and rounded down.",
            TOO_LONG,
            TEXTS,
        ),
        golden=(
            # Winkler's own examples, as printed in the literature (0.961, 0.813, 0.84), worked out exactly.
            Vector("MARTHA", "MARHTA", 173 / 180, why="Jaro (1 + 1 + 5/6) / 3, + 3 × 0.1 × the rest"),
            Vector("DIXON", "DICKSONX", 61 / 75, why="Jaro (4/5 + 4/8 + 1) / 3, + 2 × 0.1 × the rest"),
            Vector("DWAYNE", "DUANE", 0.84, why="Jaro (4/6 + 4/5 + 1) / 3, + 1 × 0.1 × the rest"),
            Vector("ab12345", "abzyxwv", 11 / 21, why="(2/7 + 2/7 + 1) / 3, no bonus up to 0.7"),
            Vector("abcdefgh", "abcdefgx", 0.95, why="Jaro 11/12, + 4 × 0.1 × 1/12: four at most"),
            Vector("", "", 1.0),
            Vector("", "a", 0.0),
            Vector("PARIS", "paris", 1.0, True, {"case_sensitive": False, "threshold": 1.0}),
            Vector("x", None, None, status="missing_expected"),
        ),
    ),
}
