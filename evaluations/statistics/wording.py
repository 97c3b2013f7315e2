"""Parts of sentences: texts with roles, so that pages can highlight names, numbers and verdicts."""

from collections.abc import Iterable, Sequence
from decimal import Decimal, InvalidOperation

from evaluations import numerals
from evaluations.numerals import SPACE, fixed, honest, percent
from evaluations.statistics.intervals import PERCENT
from evaluations.statistics.terms import Difference, Interval

# Roles: "" plain, "name" of a variant, "evaluator", "number",
# "cluster" and "subset" of a column, or a verdict as in the API, "tied", "equivalent".
Part = tuple[str, str]

WORDS = {"better": "better", "worse": "worse", "cannot_tell": "no clear difference"}
MOST_NAMES = 4
MOST_DECIMALS = 4  # of means beside their difference; beyond those of a score
MINUS = "\N{MINUS SIGN}"
BARE = str.maketrans({SPACE: None, "%": None, MINUS: "-"})  # a written figure as a number


def text(parts: Iterable[Part]) -> str:
    return "".join(words for _, words in parts)


def number(value: float, signed: bool = False, more: int = 0) -> str:
    """Three decimals, fewer for large numbers; one that would look like 0 or 1 without being it keeps a digit.

    `more` decimals are written besides.

    >>> number(0.0434, signed=True), number(-0.00002), number(1234.56), number(0.9996)
    ('+0.043', '\N{MINUS SIGN}0.00002', '1\N{NARROW NO-BREAK SPACE}234.6', '0.9996')
    """
    size = abs(value)
    decimals = honest(size, (1 if size >= 100 else 2 if size >= 10 else 3) + more)
    shown = fixed(size, decimals) if size >= 1e-12 else f"{0:.{3 + more}f}"
    sign = MINUS if value < 0 and size >= 1e-12 else "+" if signed and size >= 1e-12 else ""
    return sign + shown


def points(value: float) -> str:
    """A difference of two shares in hundredths."""
    return numerals.difference(value, is_share=True)


def reach(interval: Interval, *, in_points: bool = False) -> str:
    low, high = (points(end) if in_points else number(end, signed=True) for end in interval)
    return f"{low} to {high}"


def difference(comparison: Difference, *, in_points: bool = False, is_named: bool = False) -> list[Part]:
    """ "+0.043 (+0.015 to +0.071)", without the interval if there is none; `is_named` says what is in the bracket."""
    size = comparison.difference
    if size is None:
        return []
    shown = f"{points(size)} points" if in_points else number(size, signed=True)
    name = f"{PERCENT} interval " if is_named else ""
    interval = comparison.shown_interval
    around = reach(interval, in_points=in_points) if interval else ""
    return [("number", f"{shown} ({name}{around})" if around else shown)]


def means(comparison: Difference, share: str = "") -> list[Part]:
    """ "0.434 against 0.411", or with `share` "34.4 % of answers right against 38.7 %"."""
    if comparison.mean is None or comparison.baseline_mean is None:
        return []
    mean, baseline = agreeing(
        comparison.mean, comparison.baseline_mean, comparison.difference, is_share=bool(share)
    )
    return [("number", f"{mean} of {share} against {baseline}" if share else f"{mean} against {baseline}")]


def agreeing(
    mean: float, baseline: float, difference: float | None, *, is_share: bool = False
) -> tuple[str, str]:
    """Two means as they are written beside their difference: with the fewest decimals that do not contradict it.

    Sentences and tables write them so; percentages have a decimal at least.

    Who subtracts what is written gets the difference that is written: 56 % and 36 % would give 20 points, not 19.5.

    >>> [text.replace(SPACE, "") for text in agreeing(0.558, 0.363, 0.195, is_share=True)]
    ['55.8%', '36.3%']
    >>> [text.replace(SPACE, "") for text in agreeing(0.6, 0.4, 0.2, is_share=True)]
    ['60.0%', '40.0%']
    >>> agreeing(0.434, 0.411, 0.023), agreeing(0.43442, 0.41058, 0.02384)
    (('0.434', '0.411'), ('0.4344', '0.4106'))
    """
    return _together([(mean, baseline, difference)], is_share=is_share)[0]


def levels(comparisons: Sequence[Difference], *, is_share: bool = False) -> list[tuple[str, str]]:
    """`agreeing` for several comparisons in one sentence, with equal decimals; [] if one has no means."""
    told = [(c.mean, c.baseline_mean, c.difference) for c in comparisons]
    known = [
        (mean, low, difference) for mean, low, difference in told if mean is not None and low is not None
    ]
    return _together(known, is_share=is_share) if len(known) == len(told) else []


def _together(told: Sequence[tuple[float, float, float | None]], *, is_share: bool) -> list[tuple[str, str]]:
    def written(more: int) -> list[tuple[str, str]]:
        return [
            (_written(mean, more, is_share=is_share), _written(baseline, more, is_share=is_share))
            for mean, baseline, _ in told
        ]

    shown = ["" if d is None else points(d) if is_share else number(d, signed=True) for _, _, d in told]
    for more in range(is_share, MOST_DECIMALS):
        both = written(more)
        if all(not one or _agree(*pair, one) for pair, one in zip(both, shown, strict=True)):
            return both
    return written(1 if is_share else 0)


def _written(value: float, more: int, *, is_share: bool) -> str:
    return percent(value, more) if is_share else number(value, more=more)


def _agree(mean: str, baseline: str, difference: str) -> bool:
    """Whether two written figures have the written difference, but for its rounding; not if one is a bound (> 99 %)."""
    try:
        high, low, told = (Decimal(text.translate(BARE)) for text in (mean, baseline, difference))
    except InvalidOperation:
        return False
    exponent = told.as_tuple().exponent
    return isinstance(exponent, int) and abs(high - low - told) <= Decimal(5).scaleb(exponent - 1)


def names(variants: Sequence[str], role: str = "name", last: str = "and") -> list[Part]:
    """ "a, b and c"; if there are many, the first ones and the number of others."""
    if len(variants) > MOST_NAMES:
        shown = list(variants[: MOST_NAMES - 1])
        return [*_separated(shown, role), ("", f" {last} {len(variants) - len(shown)} more")]
    if len(variants) < 2:
        return [(role, name) for name in variants]
    return [*_separated(variants[:-1], role), ("", f" {last} "), (role, variants[-1])]


def joined(sentences: Iterable[Sequence[Part]]) -> list[Part]:
    """Sentences joined to one list of parts."""
    parts: list[Part] = []
    for sentence in sentences:
        if sentence:
            parts += [("", " "), *sentence] if parts else sentence
    return parts


def _separated(items: Sequence[str], role: str) -> list[Part]:
    return [part for k, item in enumerate(items) for part in ([("", ", ")] if k else []) + [(role, item)]]


def capitalised(reason: str) -> str:
    """A reason, written as the end of a sentence, as a complete sentence."""
    return reason[:1].upper() + reason[1:]
