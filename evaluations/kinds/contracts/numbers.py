"""The contract of the number in a text: which one it is, and how it is written."""

import re
from collections.abc import Iterator
from fractions import Fraction

from evaluations.kinds.contracts.judgement import Judgement, NoScore, text
from evaluations.values import JSON


def numeric_match(
    actual: JSON,
    expected: JSON,
    extract: str = "last_number",
    tolerance: float = 0.0,
    relative: bool = False,
    decimal: str = "auto",
    percent: str = "number",
    scale: str = "ignored",
) -> Judgement:
    actual_number, expected_number = (
        number_in(side, extract, decimal, percent == "fraction", scale == "read")
        for side in (actual, expected)
    )
    if expected_number is None:
        raise NoScore("error")
    if actual_number is None:
        return Judgement(0.0, False)
    allowed = Fraction(repr(tolerance)) * (abs(expected_number) if relative else 1)
    passed = abs(actual_number - expected_number) <= allowed
    return Judgement(float(passed), passed)


def number_in(value: JSON, extract: str, decimal: str, as_share: bool, with_size: bool) -> Fraction | None:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return Fraction(repr(value))
    written = text(value)
    if extract not in ("last_number", "whole"):
        match = re.search(extract, written, re.ASCII)  # RE2's \d, \w, \s and \b are ASCII-only.
        written = match.group(1) if match else ""
    numbers = list(_numbers(written, decimal))
    if extract != "last_number" and (len(numbers) != 1 or not _alone(written, numbers[0][0])):
        return None
    if not numbers:
        return None
    match, number = numbers[-1]
    if re.match(r"[\s]?%", written[match.end() :]):
        return number / 100 if as_share else number
    return number * 10 ** _size(written, match) if with_size else number


def _size(written: str, match: re.Match[str]) -> int:
    """The power of ten that a word, a sign or, behind money, a letter says after a number."""
    after = re.sub(
        r"^[\xa0\u202f -]?(\(?in ([" + CURRENCIES + r"] ?)?)?", "", written[match.end() :][:32], flags=re.I
    )
    for word, power in sorted(SIZES.items(), key=lambda size: -len(size[0])):
        if after.lower().startswith(word) and not after[len(word) : len(word) + 1].isalnum():
            return power
    first = written[match.end() :].lstrip()[:1]
    if first in SIZE_SIGNS:
        return SIZE_SIGNS[first]
    letter = re.match(r"[\xa0 ]?([KMBT])(?![^\W_])", written[match.end() :], re.I)
    is_money = re.search(rf"[{CURRENCIES}][\s{MINUSES}+]*$", written[: match.start()])
    return {"K": 3, "M": 6, "B": 9, "T": 12}[letter[1].upper()] if letter and is_money else 0


def _alone(written: str, match: re.Match[str]) -> bool:
    around = written[: match.start()] + written[match.end() :]
    return not re.sub(rf"[\s+%{CURRENCIES}{MINUSES}]", "", around)


def _numbers(written: str, decimal: str) -> Iterator[tuple[re.Match[str], Fraction]]:
    """Every number with its match: the alternatives of the rules, tried in order at each place."""
    for match in re.finditer(f"{MIXED}|{QUOTIENT}|(?P<digits>{_digits(decimal)}){EXPONENT}", written):
        if match["digits"]:
            number = Fraction(_plain(match["digits"], decimal)) * Fraction(10) ** int(
                (match["power"] or "0").replace("−", "-")
            )
        else:
            above, below = (match["above"] or match["above2"]), (match["below"] or match["below2"])
            number = int(match["whole"] or 0) + Fraction(int(above), int(below))
        before = written[: match.start()]
        before = re.sub(rf"[{CURRENCIES}][ \u00a0\u2009\u202f]?\Z", "", before)
        is_negative = bool(re.search(rf"(^|[^\w]|_)[{MINUSES}]\Z", before))
        yield match, -number if is_negative else number


CURRENCIES = "$€£¥₹"
SIZES = {
    **dict.fromkeys(("thousand", "tausend", "tsd.", "tsd", "mil", "mille", "milliers"), 3),
    **dict.fromkeys(("mio.", "mio", "million", "millions", "millionen", "millones", "mn", "mln", "mm"), 6),
    **dict.fromkeys(("bn", "bln", "billion", "billions", "mrd.", "mrd", "milliarde", "milliarden"), 9),
    **dict.fromkeys(("tn", "trillion", "trillions", "billionen"), 12),
}  # the commonest of the words that the kind reads
SIZE_SIGNS = {"万": 4, "萬": 4, "만": 4, "億": 8, "亿": 8, "억": 8, "兆": 12}
MINUSES = "\\-−‐‑‒–﹣－"
MIXED = r"(?<![\d/])(?<!\d[.,])(?P<whole>\d+)[ \u00a0](?P<above>\d+)/(?P<below>\d+)(?![\d/]|[.,]\d)"
QUOTIENT = r"(?<![\d/])(?<!\d[.,])(?P<above2>\d+)/(?P<below2>\d+)(?![\d/]|[.,]\d)"
LONE_POINT = r"(?<!(?<![^\W_])\.)"  # not behind a point that begins a number
EXPONENT = r"(?:[eE](?P<power>[-−+]?\d{1,3})(?![^\W_]))?"


def _digits(decimal: str) -> str:
    """A pattern for unsigned digits with their groups and decimals."""
    alternatives = []
    for group in (",", r"\.", " ", "\u00a0", "\u2009", "\u202f", "'", "’"):
        marks = [mark for mark in (",", r"\.") if mark != group and not (mark == "," and decimal == "point")]
        tail = "|".join(rf"{mark}\d+(?!{mark}\d)" for mark in marks)
        is_mark = group == "," if decimal == "comma" else group == r"\."
        for groups in (
            rf"\d{{1,3}}(?:{group}\d{{3}})",
            rf"\d{{1,2}}(?:{group}\d{{2}}){{1,99}}{group}\d{{3}}",
        ):
            repeat = "+" if "{1,3}" in groups else ""
            begin = rf"(?<!\d{group})" + (LONE_POINT if group == r"\." else "")
            head = rf"{begin}(?!0){groups}{repeat}(?!{group}?\d)"
            alternatives.append(rf"{head}(?:{tail})")
            if not is_mark or not repeat:
                alternatives.append(head)
            else:
                alternatives.append(rf"{begin}(?!0){groups}{{2,}}(?!{group}?\d)")
    decimals = {"auto": (r"\.", ","), "point": (r"\.",), "comma": (",",)}[decimal]
    alternatives += [
        rf"(?<!\d{mark}){LONE_POINT if mark != ',' else ''}\d+{mark}\d+(?!{mark}\d)" for mark in decimals
    ]
    alternatives += [r"(?<![^\W_])\.\d+(?!\.\d)"] if decimal != "comma" else []
    return "|".join([*alternatives, r"\d+"])


def _plain(digits: str, decimal: str) -> str:
    """Digits as Python reads them: the last separator is the decimal one if it is no group's."""
    pieces = re.split(r"([^\d])", digits)
    marks, last = pieces[1::2], pieces[-1]
    is_decimal = bool(marks) and (
        marks[-1] not in marks[:-1]
        and marks[-1] in ",."
        and (
            len(marks) > 1
            or not pieces[0]
            or (marks[-1] == "." and decimal != "comma")
            or (
                marks[-1] == ","
                and (decimal == "comma" or len(last) != 3 or len(pieces[0]) > 3 or pieces[0][0] == "0")
            )
        )
    )
    whole = "".join(pieces[:-2:2] if is_decimal else pieces[::2])
    return f"{whole or '0'}.{last}" if is_decimal else whole
