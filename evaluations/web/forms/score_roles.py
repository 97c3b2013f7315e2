"""Columns and paths with outside scores: their names, and the variants they belong to."""

from collections.abc import Iterable, Sequence
from typing import Any

from evaluations.errors import Invalid
from evaluations.ingest import several_raters
from evaluations.linear import folded

from .choice import PREFERRED, Choice

LOW = "low score"
_GAPS = "_./:|"  # and blanks: between the parts of a name


def mapping(choices: Iterable[Choice], variants: Sequence[str]) -> dict[str, Any]:
    """`scores` and `lower_is_better` for a mapping of the API; empty if no column is a score.

    Columns of several raters, or with one name that was chosen for them, are one score.
    """
    preferred: dict[str, dict[str, list[str]]] = {}
    for choice in choices:
        if choice.role == PREFERRED:
            by_variant = preferred.setdefault(choice.name or choice.source, {})
            for variant in _compared(choice, variants):
                by_variant.setdefault(variant, []).append(choice.source)
    placed = _placed([choice for choice in choices if choice.role in ("score", LOW)], variants)
    joint = several_raters.joined({name: None for name, _ in placed})
    scores: dict[str, dict[str, list[str]]] = {}
    lower: list[str] = []
    for (name, variant), same in placed.items():
        rating = joint.get(name, name)
        scores.setdefault(rating, {}).setdefault(variant, []).extend(choice.source for choice in same)
        lower += [rating] if any(choice.role == LOW for choice in same) else []
    if not scores and not preferred:
        return {}
    single = {
        name: {variant: raters[0] if len(raters) == 1 else raters for variant, raters in by_variant.items()}
        for name, by_variant in (scores | preferred).items()
    }
    return {"scores": single, "lower_is_better": [*dict.fromkeys(lower)]}


def _placed(choices: Iterable[Choice], variants: Sequence[str]) -> dict[tuple[str, str], list[Choice]]:
    """The columns of each score of each variant; raises `Invalid` if two are the same by their own names."""
    placed: dict[tuple[str, str], list[Choice]] = {}
    for choice in choices:
        variant = variant_of(choice, variants)
        same = placed.setdefault((choice.name or name_of(choice.source, variant), variant), [])
        if same and not (choice.name and same[0].name):
            raise Invalid(
                "variant_twice",
                f"Columns {same[0].source} and {choice.source} are the same score of one variant.",
                hint="Name the variant that each of them belongs to.",
            )
        same.append(choice)
    return placed


def in_place(choices: Iterable[Choice]) -> dict[str, str]:
    """The first score of each variant in place of its outputs, for a file of verdicts that has no outputs."""
    found: dict[str, str] = {}
    for choice in choices:
        if choice.role in ("score", LOW):
            found.setdefault(choice.variant or choice.source, choice.source)
    return found


def _compared(choice: Choice, variants: Sequence[str]) -> Sequence[str]:
    """The variants of which a column names the preferred one."""
    if len(variants) < 2:
        raise Invalid(
            "invalid_mapping",
            f"{choice.source} names the preferred variant, but fewer than two columns have the role Output.",
            hint="Set the role of the columns that were compared to Output, or this one to Metadata.",
        )
    return variants


def variant_of(choice: Choice, variants: Sequence[str]) -> str:
    """The typed variant; else the only one; else the longest with which the column's name begins or ends; else the one
    with the same ending (`mt_a` for `comet_a`).
    """
    if not variants:
        raise Invalid(
            "invalid_mapping",
            f"{choice.source} says something of outputs, but no column has the role Output.",
            hint="Set the role of a column to Output, or this one to Metadata.",
        )
    if len(variants) == 1 or choice.variant in variants:
        return variants[0] if len(variants) == 1 else choice.variant
    matching = _similar_to(_bare(choice.source), variants)
    if not matching:
        raise Invalid(
            "variant_needed",
            f"Of which variant is {choice.source}?",
            hint=f"Choose one of: {', '.join(variants[:20])}.",
        )
    return max(matching, key=len)


def _bare(source: str) -> str:
    """A path without its leading sign, or a column."""
    return source.removeprefix("$.").removeprefix("$")


def _similar_to(column: str, variants: Sequence[str]) -> list[str]:
    """The variants with which the name begins or ends, or that stand between points, else the only one whose last
    part is that of the name, or stands between points.

    >>> _similar_to("comet_mt_a", ["mt_a", "a"]), _similar_to("comet_a", ["mt_a", "mt_b"])
    (['mt_a', 'a'], ['mt_a'])
    >>> _similar_to("comet_a", ["x_a", "y_a"]), _similar_to("small_tests", ["small_code", "large_code"])
    ([], ['small_code'])
    >>> _similar_to("judge.gpt4.mark", ["gpt4"]), _similar_to("judge.a.mark", ["mt_a", "mt_b"])
    (['gpt4'], ['mt_a'])
    """
    name = column.casefold()
    whole = [
        variant
        for variant in variants
        if name.startswith(variant.casefold())
        or name.endswith(variant.casefold())
        or f".{variant.casefold()}." in name
    ]
    parts = {_last_part(name), *name.split(".")} - {""}
    ending = [variant for variant in variants if _last_part(variant) in parts]
    beginning = [variant for variant in variants if _first_part(variant) == _first_part(name) != ""]
    return whole or next((found for found in (ending, beginning) if len(found) == 1), [])


def _last_part(name: str) -> str:
    """The part after the last separator in a name, in lower case; "" without one. A hyphen is no separator (gpt-4)."""
    name = name.casefold()
    return next((name[at + 1 :] for at in reversed(range(len(name))) if _is_gap(name[at])), "")


def _first_part(name: str) -> str:
    """The part before the first separator in a name, in lower case; "" without one."""
    name = name.casefold()
    return next((name[:at] for at in range(len(name)) if _is_gap(name[at])), "")


def _is_gap(character: str) -> bool:
    return character in _GAPS or character.isspace()


def _without(mark: str, column: str) -> str:
    """The name without the mark and the gap beside it at the beginning and end, and without `mark.` after a point."""
    name, mark = folded(column), folded(mark)
    end = len(name) - len(mark)
    start = _after_gaps(name, len(mark)) if name.startswith(mark) else 0
    at = start if start > len(mark) else 0
    kept, point = list[str](), name.find(f".{mark}.")
    while point >= 0:
        if point + 1 >= at:
            kept.append(column[at : point + 1])
            at = point + len(mark) + 2
        point = name.find(f".{mark}.", point + 1)
    gap = _before_gaps(name, end) if name.endswith(mark) else end
    return "".join(kept) + (column[at : max(gap, at)] if gap < end and at < end else column[at:])


def _after_gaps(name: str, at: int) -> int:
    while at < len(name) and _is_wide_gap(name[at]):
        at += 1
    return at


def _before_gaps(name: str, at: int) -> int:
    while at > 0 and _is_wide_gap(name[at - 1]):
        at -= 1
    return at


def _is_wide_gap(character: str) -> bool:
    """Whether it separates a mark from the rest of a name; between parts, a hyphen does not (gpt-4)."""
    return character == "-" or _is_gap(character)


def name_of(source: str, variant: str) -> str:
    """The name of a column or path, without the variant's name at its beginning or end, or between points.

    >>> name_of("comet_gpt-4", "gpt-4"), name_of("gpt-4 COMET", "gpt-4"), name_of("MQM", "gpt-4")
    ('comet', 'COMET', 'MQM')
    >>> name_of("comet_a", "mt_a"), name_of("$.gpt4.comet", "gpt4")
    ('comet', 'comet')
    >>> name_of("$.judge.a.mark", "mt_a")
    'judge.mark'
    >>> name_of("Anna old", "Answer old bot")
    'Anna'
    """
    column = _bare(source)
    for mark in filter(None, (variant, _last_part(variant), _first_part(variant))):
        short = _without(mark, column).strip()
        if short and short != column:
            return short
    of_variant = {*variant.casefold().split()}
    rest = [word for word in column.split() if word.casefold() not in of_variant]
    return " ".join(rest) or column.strip() or column
