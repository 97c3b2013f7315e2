"""Reads numbers as people and models write them: signs, groups of digits, decimals, exponents, fractions, currency.

One linear pass finds runs of digits and separators, and each run is read by hand. What counts:

- A minus before the number (also U+2212 and its relatives), before or after a currency sign. A hyphen after a letter or
  a digit is no sign: "5-7" ends with 7, "GPT-4" with 4.
- Groups of three digits, or two, two and three, between equal separators: comma, point, blank, U+00A0, U+2009, U+202F,
  apostrophe, ’, U+066C. "1,2,3" has no groups: these are three numbers.
- A decimal point; a decimal comma if the setting says so, or where it can mean nothing else ("3,14", "1.234,56").
- Exponents ("3.0e5", "3 × 10^5", "10⁵") and fractions ("3/4", "1 1/2", "½").
- Not a tolerance ("5 ± 0.2" ends with 5) and not the exponent of a unit or a letter ("5 m2", "9.8 m/s^2").

`from_latex` writes what TeX spells otherwise as a text does: \\frac{3}{4}, 1{,}234, \\$5.
"""

import unicodedata
from collections.abc import Iterator, Sequence
from decimal import Context, Decimal
from itertools import pairwise
from typing import Literal, NamedTuple, TypeAlias

from evaluations.linear import Pattern, without_surrogates

Comma: TypeAlias = Literal["auto", "point", "comma"]

MINUS = "-−‐‑‒–﹣－"
BLANKS = " \u00a0\u2009\u202f"
POINTS = ".٫"
GROUPING = f",.{BLANKS}'’\u066c"
VULGAR = "¼½¾⅐⅑⅒⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞"
RUNS = Pattern(rf"[{POINTS}]?\p{{Nd}}+(?:[{GROUPING}٫]\p{{Nd}}+)*|[{VULGAR}]")
SUPERSCRIPTS = dict(zip(map(ord, "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺"), "0123456789-+", strict=True))
RAISED = r"[⁻⁺]?[⁰¹²³⁴-⁹]{1,3}"
TIMES = r"[\x{a0} ]?(?:[×x*·⋅]|\\times|\\cdot)[\x{a0} ]?"
POWER = Pattern(rf"^(?:(?:[eE]|{TIMES}10\^\{{?)([-−+]?\p{{Nd}}{{1,3}})\}}?|{TIMES}10({RAISED}))")
POWER_OF_TEN = Pattern(rf"^(?:\^\{{?([-−+]?\p{{Nd}}{{1,3}})\}}?|({RAISED}))")
UNIT = Pattern(r"\p{Nd}[\x{a0}\x{202f} ]?(?:[cdkm]?m|ft|in|yd|mi)$")
WIDE = {ord("，"): ",", ord("．"): "."}
LATEX = (
    (Pattern(r"\{,\}"), ","),
    (Pattern(r"\\([$%€£¥])"), r"\1"),
    (Pattern(r"(\p{Nd}),?\\[,;:!](\p{Nd})"), lambda found: f"{found[1]}\u202f{found[2]}"),
    (Pattern(r"\\pm\b"), "±"),
    (
        Pattern(r"(\p{Nd}?)\\[dtc]?frac(?:\{ *([-−]?\p{Nd}+) *\}|(\p{Nd}))(?:\{ *(\p{Nd}+) *\}|(\p{Nd}))"),
        lambda found: f"{found[1] and found[1] + ' '}{found[2] or found[3]}/{found[4] or found[5]}",
    ),
)
# How much of a long text is read at first, and how far from its start a number must begin to be read whole.
TAIL, MARGIN = 64, 32
BEFORE_POWER = frozenset("eE×x*·⋅\\ \u00a0")
BEFORE_TEN = frozenset("^⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺")
QUOTIENTS = Context(prec=60)


class Number(NamedTuple):
    """A number, and where and how it was written; `written` includes its sign."""

    value: Decimal
    written: str
    start: int
    end: int


class _Read(NamedTuple):
    """Digits that were read, before sign and fraction; `plain` are digits without groups or decimals."""

    start: int
    end: int
    value: Decimal
    plain: bool = False
    fraction: bool = False


def last(text: str, comma: Comma = "auto") -> Number | None:
    """The last number in a text.

    >>> [str(last(text).value) for text in ("17 − 1,242. Done", "between 5-7", "It fell to −3.")]
    ['1242', '7', '-3']
    """
    if alone := _plain_near_end(text, comma):
        return alone
    if len(text) > 2 * TAIL:
        near = numbers(text[-TAIL:], comma)
        if near and near[-1].start >= MARGIN:
            skipped = len(text) - TAIL
            number = near[-1]
            return number._replace(start=number.start + skipped, end=number.end + skipped)
    every = numbers(text, comma)
    return every[-1] if every else None


def _plain_near_end(text: str, comma: Comma) -> Number | None:
    """The digits between blanks behind which no other digits follow, if nothing near them changes their meaning: the
    usual case, quickly."""
    words = text.rsplit(" ", NEAR)
    end = len(text)
    for index in range(len(words) - 1, -1, -1):
        word = words[index]
        digits = word.rstrip(CLOSING)
        if digits.isdecimal() or (comma != "comma" and _is_plain_decimal(digits)):
            before = words[index - 1][-1:] if index else ""
            if (index == 0 and len(words) > NEAR) or before.isnumeric() or (before and before in UNSURE):
                return None
            start = end - len(word)
            return Number(Decimal(digits), digits, start, start + len(digits))
        if not digits.isalpha() and any(map(str.isnumeric, digits)):
            return None
        end -= len(word) + 1
    return None


def _is_plain_decimal(word: str) -> bool:
    """Whether a word is digits with one point between them: 12.50."""
    whole_part, _, decimals = word.partition(".")
    return whole_part.isdecimal() and decimals.isdecimal()


UNSURE = f"{POINTS}±$€£¥"  # behind these a blank is not what divides two numbers
NEAR = 12  # words from the end that are looked at one by one
CLOSING = ".,;:!?)%\"”’'\n"


def whole(text: str, comma: Comma = "auto") -> Number | None:
    """The number that is the whole text, but for blanks, a plus, currency and a percent sign.

    >>> [number and str(number.value) for number in map(whole, (" +7 ", "7 of 9", "12.5 %", "-$5"))]
    ['7', None, '12.5', '-5']
    """
    every = numbers(text, comma)
    if len(every) != 1:
        return None
    around = text[: every[0].start] + text[every[0].end :]
    is_alone = all(sign.isspace() or sign in "+%٪" or _is_currency(sign) for sign in around)
    return every[0] if is_alone else None


def is_percent(text: str, number: Number) -> bool:
    """Whether a percent sign follows the number, perhaps after a blank."""
    return text[number.end : number.end + 2].lstrip(BLANKS)[:1] in ("%", "٪")


def numbers(text: str, comma: Comma = "auto") -> list[Number]:
    """All numbers of a text, in order."""
    readable = without_surrogates(text)
    if not readable.isascii():
        readable = readable.translate(WIDE)
    reads = [read for read in _reads(readable, comma) if not _is_aside(readable, read)]
    return [_signed(readable, read) for read in _with_fractions(readable, reads)]


def from_latex(text: str) -> str:
    r"""The text with numbers as they are written outside of TeX.

    >>> from_latex(r"1\frac{1}{2}"), from_latex(r"-\$1{,}234"), from_latex(r"20\%")
    ('1 1/2', '-$1,234', '20%')
    """
    if "\\" not in text and "{,}" not in text:
        return text
    for pattern, written in LATEX:
        text = pattern.sub(written, text)
    return text


def _is_aside(text: str, read: _Read) -> bool:
    """Whether a number says how exact another is, or is the exponent of a unit or a letter."""
    before = text[max(0, read.start - 8) : read.start]
    last = before[-1:]
    if last == "±" or (last and last in BLANKS and before[-2:-1] == "±"):
        return True
    if last and last in "^{-−":
        base = before.rstrip("-−").removesuffix("{")
        return base.endswith("^") and base[-2:-1].isalpha()
    return last.isalpha() and text[read.start : read.end] in ("2", "3") and bool(UNIT.search(before))


def _reads(text: str, comma: Comma) -> Iterator[_Read]:
    end = 0
    for run in RUNS.finditer(text):
        start = max(run.start(), end)  # the digits of an exponent were read before
        if start >= run.end():
            continue
        start += text[start] in POINTS and text[start - 1 : start].isalnum()  # the point of "v.5"
        for read in _of_run(text[start : run.end()], start, comma):
            yield (powered := _with_power(text, read))
            end = powered.end


def _of_run(run: str, start: int, comma: Comma) -> Iterator[_Read]:
    """The numbers in digits with separators between them."""
    if run in VULGAR:
        yield _Read(start, start + 1, _quotient(unicodedata.numeric(run)), fraction=True)
        return
    separators = [index for index, sign in enumerate(run) if not sign.isdecimal()]
    edges = [-1, *separators, len(run)]
    groups = [run[left + 1 : right] for left, right in pairwise(edges)]
    signs = [run[index] for index in separators]
    first = 0
    while first < len(groups):
        count, decimals = _extent(groups, signs, first, comma)
        after = first + count + decimals
        left, right = edges[first] + 1, edges[after]
        # ".5" has an empty group before its point
        left -= not groups[first]
        whole_part = "".join(groups[first : first + count])
        written = f"{whole_part or '0'}.{groups[after - 1]}" if decimals else whole_part
        if written:
            yield _Read(start + max(left, 0), start + right, Decimal(written), count == 1 and not decimals)
        first = after


def _extent(groups: Sequence[str], signs: Sequence[str], first: int, comma: Comma) -> tuple[int, bool]:
    """How many groups of digits a number has from `first` on, and whether one more has its decimals."""
    if first == len(signs):
        return 1, False
    sign, last = signs[first], first
    if first and signs[first - 1] == sign:
        return 1, False  # the rest of a list: 1,2,3
    while last < len(signs) and signs[last] == sign:
        last += 1
    next_sign = signs[last] if last < len(signs) else ""
    decimals = _may_be_decimal(next_sign, sign, comma) and signs[last + 1 : last + 2] != [next_sign]
    is_single = last - first == 1
    if _is_grouped(groups[first : last + 1]) and (decimals or not (is_single and _is_decimal(sign, comma))):
        return last - first + 1, decimals
    is_lone_comma = sign == "," and comma == "auto" and groups[first] != ""
    return 1, is_single and (_is_decimal(sign, comma) or is_lone_comma)


def _is_grouped(groups: Sequence[str]) -> bool:
    """Whether these digits are groups of three, or of two with three at the end; the first may be shorter."""
    first, *rest = map(len, groups)
    if not rest or not first or groups[0].startswith("0"):
        return False
    thousands = first <= 3 and set(rest) == {3}
    lakhs = first <= 2 and rest[-1] == 3 and set(rest[:-1]) == {2}
    return thousands or lakhs


def _is_decimal(sign: str, comma: Comma) -> bool:
    """Whether a separator that stands alone is the decimal one, whatever the digits."""
    return comma == "comma" if sign == "," else sign in POINTS and comma != "comma"


def _may_be_decimal(sign: str, grouping: str, comma: Comma) -> bool:
    """Whether `sign` is the decimal separator after groups of digits with another separator."""
    if sign == ",":
        return grouping != "," and comma != "point"
    return sign != "" and sign in POINTS and grouping not in POINTS


def _with_power(text: str, read: _Read) -> _Read:
    sign = text[read.end : read.end + 1]
    is_ten = sign in BEFORE_TEN and text[read.start : read.end] == "10"
    if not is_ten and sign not in BEFORE_POWER:
        return read
    power = (POWER_OF_TEN if is_ten else POWER).match(text[read.end : read.end + 24])
    if not power:
        return read
    exponent = int((power[1] or power[2].translate(SUPERSCRIPTS)).replace("−", "-"))
    end = read.end + power.end()
    if text[end : end + 1].isalnum():
        return read
    return _Read(read.start, end, Decimal(1).scaleb(exponent) if is_ten else read.value.scaleb(exponent))


def _with_fractions(text: str, reads: list[_Read]) -> Iterator[_Read]:
    """The numbers, with "3/4" and "1 1/2" read as one each."""
    index = 0
    while index < len(reads):
        read = reads[index]
        index += 1
        following = reads[index] if index < len(reads) else None
        if following and _is_fraction(text, read, following):
            read = _Read(
                read.start, following.end, QUOTIENTS.divide(read.value, following.value), fraction=True
            )
            index += 1
        elif following and read.plain and _follows(text, read, following):
            part, used = _fraction_at(text, reads, index)
            if part:
                read = _Read(read.start, part.end, read.value + part.value, fraction=True)
                index += used
        yield read


def _follows(text: str, read: _Read, following: _Read) -> bool:
    between = text[read.end : following.start]
    return between in ("", *BLANKS) if following.fraction else between != "" and between in BLANKS


def _fraction_at(text: str, reads: list[_Read], index: int) -> tuple[_Read | None, int]:
    """The fraction below one that begins at this number, and how many numbers it uses."""
    read = reads[index]
    if read.fraction:
        return read, 1
    if (
        index + 1 < len(reads)
        and _is_fraction(text, read, reads[index + 1])
        and read.value < reads[index + 1].value
    ):
        denominator = reads[index + 1]
        return _Read(read.start, denominator.end, QUOTIENTS.divide(read.value, denominator.value)), 2
    return None, 0


def _is_fraction(text: str, above: _Read, below: _Read) -> bool:
    is_slash = text[above.end : below.start] in ("/", "⁄")
    further = text[below.end : below.end + 1] == "/" or text[above.start - 1 : above.start] == "/"
    return is_slash and not further and above.plain and below.plain and below.value != 0


def _signed(text: str, read: _Read) -> Number:
    start = read.start
    before = start - 1 if start and _is_currency(text[start - 1]) else start
    if start > 1 and text[start - 1] in BLANKS and _is_currency(text[start - 2]):
        before = start - 2
    if before and text[before - 1] in MINUS and not _is_joined(text, before - 2):
        return Number(-read.value, text[before - 1 : read.end], before - 1, read.end)
    return Number(read.value, text[start : read.end], start, read.end)


def _is_joined(text: str, index: int) -> bool:
    """Whether the character before a hyphen makes it a hyphen: a letter, a digit or a mark of one."""
    return index >= 0 and (text[index].isalnum() or unicodedata.category(text[index]).startswith("M"))


def _is_currency(character: str) -> bool:
    return unicodedata.category(character) == "Sc"


def _quotient(value: float) -> Decimal:
    """A vulgar fraction by the nearest quotient with a denominator up to ten."""
    below = next(n for n in range(1, 11) if abs(value * n - round(value * n)) < 1e-9)
    return QUOTIENTS.divide(Decimal(round(value * below)), Decimal(below))
