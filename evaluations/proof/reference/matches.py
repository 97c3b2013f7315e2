"""Yes or no about a text, with Python's own `re` and fractions."""

import re
from fractions import Fraction

from evaluations.values import JSON

from .judgement import Judgement, NoScore, cased, text


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
        # RE2's \d, \w, \s and \b know ASCII only, but it ignores the case of every script.
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
    found, wanted = _number(actual, extract), _number(expected, extract)
    if wanted is None:
        raise NoScore("error")
    if found is None:
        return Judgement(0.0, False)
    allowed = Fraction(repr(tolerance)) * (abs(wanted) if relative else 1)
    passed = abs(found - wanted) <= allowed
    return Judgement(float(passed), passed)


def _number(value: JSON, extract: str) -> Fraction | None:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return Fraction(repr(value))
    written = text(value)
    if extract == "last_number":
        found = re.findall(r"-?\d[\d,]*\.?\d*", written)
        written = found[-1] if found else ""
    elif extract != "whole":
        match = re.search(extract, written, re.ASCII)  # RE2's \d, \w, \s and \b know ASCII only.
        written = match.group(1) if match else ""
    written = written.strip().replace(",", "").removesuffix(".")
    return Fraction(written) if re.fullmatch(r"[-+]?\d+(\.\d*)?", written) else None
