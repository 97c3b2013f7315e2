"""Parts of sentences: texts with roles, so that pages can highlight names, numbers and verdicts."""

from collections.abc import Iterable, Sequence

from evaluations import numerals
from evaluations.numerals import fixed, honest, percent
from evaluations.statistics.intervals import PERCENT
from evaluations.statistics.terms import Difference, Interval

# Roles: "" plain, "name" of a variant, "evaluator", "number",
# "cluster" and "subset" of a column, or a verdict as in the API, "tied", "equivalent".
Part = tuple[str, str]

WORDS = {"better": "better", "worse": "worse", "cannot_tell": "no clear difference"}
MOST_NAMES, LONGEST_NAMES = 4, 60  # names in a row, and the letters of those that stand before "and 4 more"
MINUS = "\N{MINUS SIGN}"


def text(parts: Iterable[Part]) -> str:
    return "".join(words for _, words in parts)


def number(value: float, signed: bool = False) -> str:
    """Three decimals, fewer for large numbers; one that would look like 0 or 1 without being it keeps a digit.

    >>> number(0.0434, signed=True), number(-0.00002), number(1234.56), number(0.9996)
    ('+0.043', '\N{MINUS SIGN}0.00002', '1\N{NARROW NO-BREAK SPACE}234.6', '0.9996')
    """
    size = abs(value)
    decimals = honest(size, 1 if size >= 100 else 2 if size >= 10 else 3)
    shown = fixed(size, decimals) if size >= 1e-12 else "0.000"
    sign = MINUS if value < 0 and size >= 1e-12 else "+" if signed and size >= 1e-12 else ""
    return sign + shown


def points(value: float) -> str:
    """A difference of two shares in hundredths."""
    return numerals.difference(value, is_share=True)


def reach(interval: Interval, *, in_points: bool = False) -> str:
    return numerals.ends(interval, is_share=in_points)


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
    """ "0.434 against 0.411", or with `share` "34.4 % of answers right against 38.7 %"; or "1.000 in both"."""
    written = levels([comparison], is_share=bool(share))
    of = f" of {share}" if share else ""
    is_one = comparison.difference == 0
    return [
        ("number", f"{mean}{of} in both" if is_one else f"{mean}{of} against {baseline}")
        for mean, baseline in written
    ]


def levels(comparisons: Sequence[Difference], *, is_share: bool = False) -> list[tuple[str, str]]:
    """The means of several comparisons in one sentence, as all tables write them; [] if one has none."""
    told = [(c.mean, c.baseline_mean) for c in comparisons]
    known = [(mean, baseline) for mean, baseline in told if mean is not None and baseline is not None]
    written = percent if is_share else number
    return [(written(mean), written(baseline)) for mean, baseline in known] if len(known) == len(told) else []


def names(variants: Sequence[str], role: str = "name", last: str = "and") -> list[Part]:
    """ "a, b and c"; if there are many, the first ones and the number of others: of long names fewer."""
    if len(variants) > MOST_NAMES:
        shown = list(variants[: MOST_NAMES - 1])
        while len(shown) > 1 and sum(map(len, shown)) > LONGEST_NAMES:
            shown.pop()
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
