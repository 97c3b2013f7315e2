"""Advice where a reference writes its several members with bars between them: Italy|France."""

from collections.abc import Sequence
from itertools import cycle
from typing import Any

from evaluations.values import JSON

from .advised import LIST_F1, Advised
from .advised_lists import given_list
from .advised_texts import as_text

BAR = "|"
BETWEEN_BARS: dict[str, Any] = {
    "step": "pattern",
    "pattern": r"[^|\s](?:[^|]*[^|\s])?",
    "match": "all",
}
FEW = 0.02  # share of references from which bars are written between members
SOME_SAID = 0.1  # share of the outputs beside them that must have the same members


def of_bars(references: Sequence[str], outputs: Sequence[JSON]) -> Advised | None:
    """The advice where some references have bars, and outputs the same members, as lists or between bars."""
    rows = [
        (parts, output)
        for known, output in zip(cycle(references), outputs, strict=False)
        if len(parts := _parts(known)) > 1
    ]
    several = sum(BAR in known for known in references)
    same = sum(parts == _said(output) for parts, output in rows)
    if several < FEW * len(references) or not rows or same < SOME_SAID * len(rows):
        return None
    are_lists = all(output in (None, "") or given_list(output) is not None for output in outputs)
    reason = f"{several} of {len(references)} references have several members with bars between them"
    advised = Advised("json_fields", reason, config=LIST_F1)
    return (
        advised._replace(of_references=[BETWEEN_BARS]) if are_lists else advised._replace(read=[BETWEEN_BARS])
    )


def _parts(text: str) -> set[str]:
    return {part for one in text.split(BAR) if (part := one.strip().casefold())}


def _said(output: JSON) -> set[str]:
    given = given_list(output)
    return _parts(as_text(output)) if given is None else {f"{one}".strip().casefold() for one in given}
