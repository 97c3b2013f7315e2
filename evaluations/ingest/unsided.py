"""Verdicts such as A>B about sides that nothing names: whose answer is A may change from game to game."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evaluations.files.codes import HINTS
from evaluations.files.problems import FileWarning
from evaluations.linear import Pattern

from .batch import Row
from .whole_answers import value_of

_VERDICT = Pattern(r"(?:\[\[)?[AB][<>=≫≪]{1,2}[AB](?:\]\])?")
DEEPEST, FEWEST = 3, 3  # levels of lists and objects; rows
COMPARED = 100


def warnings(columns: Sequence[str], rows: Sequence[Row], roles: Mapping[str, str]) -> Iterator[FileWarning]:
    """A warning about columns of such verdicts that became metadata, where nothing says what is right or better."""
    if {"reference", "preferred", "score", "low score"} & {*roles.values()}:
        return
    found = [
        name for name in columns if roles.get(name) == "metadata" and _are_verdicts(name, rows[:COMPARED])
    ]
    if found:
        listed = ", ".join(f"“{name[:80]}”" for name in found[:4])
        message = (
            f"The verdicts in {listed}, such as A>B, are not read: nothing says whose answers A and B are."
        )
        yield FileWarning("verdicts_of_sides", message, HINTS["verdicts_of_sides"])


def _are_verdicts(name: str, rows: Sequence[Row]) -> bool:
    cells = [cell for row in rows if (cell := row.get(name)) not in (None, "")]
    return len(cells) >= FEWEST and all(_has_verdict(value_of(cell), DEEPEST) for cell in cells)


def _has_verdict(value: Any, depth: int) -> bool:
    """Whether a text, or a member of a list or object, is such a verdict."""
    if isinstance(value, str):
        return bool(_VERDICT.fullmatch(value.strip()))
    members = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return depth > 0 and any(_has_verdict(member, depth - 1) for member in members)
