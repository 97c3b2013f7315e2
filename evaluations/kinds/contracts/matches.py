"""Contracts of the kinds that score 0 or 1; the references use Python's `re` and fractions."""

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from evaluations.kinds.contracts.contract import NULLS, TEXTS, TOO_LONG, Contract, Vector
from evaluations.kinds.contracts.judgement import Judgement, NoScore, cased, text
from evaluations.values import JSON


def exact_match(
    actual: str,
    expected: str,
    case_sensitive: bool = True,
    strip: str = "both",
    threshold: float = 0.5,
) -> Judgement:
    a, b = cased((actual, expected), case_sensitive)
    a = a.strip() if strip == "both" else a
    b = b.strip() if strip in ("both", "expected") else b
    return Judgement.reaching(1.0 if a == b else 0.0, threshold)


def contains(
    actual: str,
    expected: str,
    case_sensitive: bool = True,
    separator: str | None = None,
    mode: str = "all",
) -> Judgement:
    needles = [part.strip() for part in (expected.split(separator) if separator else [expected])]
    needles = [needle for needle in needles if needle]
    if not needles:
        raise NoScore("missing_expected")
    matches = [needle in text for needle, text in (cased((n, actual), case_sensitive) for n in needles)]
    passed = False not in matches if mode == "all" else True in matches
    return Judgement(float(passed), passed)


def regex_match(
    actual: str,
    expected: str,
    source: str = "config",
    ignore_case: bool = False,
    pattern: str | None = None,
    mode: str = "search",
) -> Judgement:
    try:
        # RE2's \d, \w, \s and \b are ASCII-only, but it ignores the case of every script.
        flags = re.IGNORECASE if ignore_case else re.ASCII
        compiled = re.compile(expected if source == "expected" else pattern or "", flags)
    except re.error as error:
        raise NoScore("error") from error
    passed = (compiled.search if mode == "search" else compiled.fullmatch)(actual) is not None
    return Judgement(float(passed), passed)


def numeric_match(
    actual: JSON,
    expected: JSON,
    extract: str = "last_number",
    tolerance: float = 0.0,
    relative: bool = False,
) -> Judgement:
    actual_number, expected_number = _number(actual, extract), _number(expected, extract)
    if expected_number is None:
        raise NoScore("error")
    if actual_number is None:
        return Judgement(0.0, False)
    allowed = Fraction(repr(tolerance)) * (abs(expected_number) if relative else 1)
    passed = abs(actual_number - expected_number) <= allowed
    return Judgement(float(passed), passed)


def _number(value: JSON, extract: str) -> Fraction | None:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return Fraction(repr(value))
    written = text(value)
    if extract == "last_number":
        numbers = re.findall(r"-?\d[\d,]*\.?\d*", written)
        written = numbers[-1] if numbers else ""
    elif extract != "whole":
        match = re.search(extract, written, re.ASCII)  # RE2's \d, \w, \s and \b are ASCII-only.
        written = match.group(1) if match else ""
    written = written.strip().replace(",", "").removesuffix(".")
    return Fraction(written) if re.fullmatch(r"[-+]?\d+(\.\d*)?", written) else None


def _zero(config: dict[str, Any], status: str) -> Judgement:
    """A missing side scores 0.0, which is compared with the threshold like any other value."""
    return Judgement(0.0, config.get("threshold", 0.5) <= 0, status)


def _longest() -> Iterator[Vector]:
    yield Vector("x" * 100_000, "x" * 100_000, 1.0, True, why="just not too long")


CONTRACTS = {
    "exact_match": Contract(
        reference=exact_match,
        missing=_zero,
        limits=_longest,
        formula="1.0 if both texts are equal after whitespace at their ends is removed, else 0.0; it passes "
        "if the score reaches the threshold.",
        edge_cases=(
            "If a side is null, the score is 0.0. The status is missing_expected or missing_actual; if both "
            "are null, missing_expected. This 0.0 is compared with the threshold like any other score.",
            "strip “expected” removes whitespace from the expected text only, “none” from neither.",
            "Two empty texts are equal: 1.0.",
            "With a threshold of 0 everything passes, even a missing side. Levenshtein similarity differs: a "
            "missing reference fails with any threshold.",
            TOO_LONG,
            TEXTS,
        ),
        golden=(
            Vector("Hello", "  Hello\n", 1.0, True),
            Vector("Pass", "PASS", 0.0, False),
            Vector("Pass", "PASS", 1.0, True, {"case_sensitive": False}),
            Vector("  Hello", "Hello", 0.0, False, {"strip": "expected"}),
            Vector("Hello", "  Hello", 1.0, True, {"strip": "expected"}),
            Vector("Hello", "Hello ", 0.0, False, {"strip": "none"}),
            Vector("", "", 1.0, True),
            Vector("a", "b", 0.0, True, {"threshold": 0.0}, why="a threshold of 0 counts"),
            Vector("a", "a", 1.0, True, {"threshold": 1.0}, why="a threshold of 1 counts"),
            Vector(5, "5", 1.0, True, why="a number as JSON text"),
            Vector("None", None, 0.0, False, status="missing_expected", why="the word is not a null"),
            Vector(None, "x", 0.0, False, status="missing_actual"),
            Vector(None, "x", 0.0, True, {"threshold": 0.0}, status="missing_actual", why="0 reaches 0"),
        ),
    ),
    "contains": Contract(
        reference=contains,
        formula="1.0, and passed, if the expected text, without whitespace at its ends, occurs in the actual "
        "text, else 0.0. With a separator, all or any of its parts must occur.",
        edge_cases=(
            NULLS,
            "A blank expected text is missing_expected, never a pass; blank parts are dropped.",
            "The separator splits the expected text as written, before case is ignored: “ OR ” does not "
            "split “Paris or London”.",
            TOO_LONG,
            TEXTS,
        ),
        golden=(
            Vector("The capital is Paris.", " Paris ", 1.0, True, why="the needle is stripped"),
            Vector("The capital is Paris.", "paris", 0.0, False),
            Vector("The capital is Paris.", "paris", 1.0, True, {"case_sensitive": False}),
            Vector("red and blue", "red, green", 0.0, False, {"separator": ","}, why="green is not there"),
            Vector("red and blue", "red, green", 1.0, True, {"separator": ",", "mode": "any"}),
            Vector(
                "red and blue", "red,, blue,", 1.0, True, {"separator": ","}, why="blank parts are dropped"
            ),
            Vector(
                "It is London.",
                "Paris OR London",
                1.0,
                True,
                {"separator": " OR ", "mode": "any", "case_sensitive": False},
                why="split at OR, then compared in lower case",
            ),
            Vector("anything", "  ", None, status="missing_expected"),
            Vector("", "x", 0.0, False),
            Vector(None, "x", None, status="missing_actual"),
        ),
    ),
    "regex_match": Contract(
        reference=regex_match,
        formula="1.0, and passed, if the pattern matches the actual text, anywhere or as a whole, else 0.0.",
        edge_cases=(
            NULLS,
            "Patterns are in RE2 syntax and run in linear time: no backreferences, no lookaround.",
            "A pattern such as (a?){1000} takes seconds for a long text. If its instructions times the characters "
            "exceed 1 000 000 000, or the patterns before it took 10 seconds of a chunk of 4 000 examples, the "
            "example has an error (pattern_limit).",
            "\\d, \\w, \\s and \\b cover ASCII only, as in RE2: \\w+ matches neither é nor 猫, and \\d matches "
            "no full-width digit. Write \\p{L} for a letter and \\p{Nd} for a digit of any script.",
            "$ matches at the end of the text only, not before a last newline.",
            "A pattern that does not compile is refused when it is saved; one that comes from an expected text "
            "is an error of its row (invalid_regex).",
            "The expected value must be present even if the pattern comes from the config.",
            TOO_LONG,
            TEXTS,
        ),
        golden=(
            Vector("order 4711 sent", "", 1.0, True, {"pattern": r"\d{4}"}),
            Vector("order 471 sent", "", 0.0, False, {"pattern": r"\d{4}"}),
            Vector("4711", "x", 1.0, True, {"pattern": r"\d+", "mode": "fullmatch"}),
            Vector("no 4711", "x", 0.0, False, {"pattern": r"\d+", "mode": "fullmatch"}),
            Vector("PARIS", "x", 1.0, True, {"pattern": "paris", "ignore_case": True}),
            Vector("aab", "a+b", 1.0, True, {"source": "expected"}),
            Vector("é", "x", 0.0, False, {"pattern": r"\w"}, why="\\w is ASCII"),
            Vector("a", "(", None, None, {"source": "expected"}, status="error", why="does not compile"),
            Vector("a", None, None, None, {"pattern": "a"}, status="missing_expected"),
        ),
    ),
    "numeric_match": Contract(
        reference=numeric_match,
        reads_json=True,
        formula="1.0, and passed, if the number in the actual value equals the expected number, exactly or "
        "within the tolerance, else 0.0. Last_number is the last match of -?\\d[\\d,]*\\.?\\d*.",
        edge_cases=(
            NULLS,
            "An actual value without a number scores 0.0; an expected value without a number is an error (no_number).",
            "Thousands commas and a trailing point are understood: “1,242.” is 1242. The sign counts.",
            "Numbers are compared as decimals, without rounding; a relative tolerance is a fraction of the "
            "expected number.",
            "A JSON number is used as it is; true and false are not numbers.",
            "last_number and whole read the decimal digits of every script: １２３ and ٣ are numbers. In your "
            "own pattern \\d is ASCII, as in RE2; write \\p{Nd} for the others.",
            "whole accepts whitespace around the number and a plus sign before it.",
            TOO_LONG,
        ),
        golden=(
            Vector("3 + 4 = 7 apples, 1,242 in all.", "1242.00", 1.0, True, why="the last number"),
            Vector("-5", "5", 0.0, False, why="the sign counts"),
            Vector("It is 42.", 42, 1.0, True, why="trailing point; a JSON number"),
            Vector("none", "5", 0.0, False),
            Vector("5", "none", None, status="error", why="nothing to compare with"),
            Vector("about 10.4", "10", 1.0, True, {"tolerance": 0.4}, why="0.4 ≤ 0.4, exactly"),
            Vector("104", "100", 0.0, False, {"tolerance": 0.03, "relative": True}, why="4 > 3"),
            Vector("103", "100", 1.0, True, {"tolerance": 0.03, "relative": True}, why="3 ≤ 3"),
            Vector("7 of 9", "7", 0.0, False, {"extract": "whole"}, why="the text is not a number"),
            Vector("answer is 7 of 9", "answer is 7", 1.0, True, {"extract": r"answer is (\d+)"}),
            Vector("１２３", "123", 1.0, True, why="full-width digits are digits"),
            Vector("１２３", "123", 0.0, False, {"extract": r"(\d+)"}, why="\\d of a pattern is ASCII"),
            Vector(" +7 ", "7", 1.0, True, {"extract": "whole"}, why="a plus sign may stand before it"),
            Vector(True, "1", 0.0, False, why="true is not a number"),
            Vector(None, "1", None, status="missing_actual"),
        ),
    ),
}
