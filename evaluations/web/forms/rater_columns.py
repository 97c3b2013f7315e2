"""Columns of scores that are named after the people who gave them: one question with several raters."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from evaluations import ingest
from evaluations.ingest import several_raters
from evaluations.ingest.looked_at import ENOUGH
from evaluations.values import JSON

from . import score_roles
from .choice import Choice

QUESTION = "rating"  # the name of what they all rated


@dataclass(frozen=True)
class Raters:
    """The names of the people, their columns, whether these count as one question, and how often all say the same.

    `left_out` says whether one of them left out answers that another rated, as people do.
    """

    names: list[str]
    columns: list[str]
    is_one: bool
    same: int
    count: int
    left_out: bool = False

    @property
    def listed(self) -> str:
        return f"{', '.join(self.names[:-1])} and {self.names[-1]}"


def find(choices: Sequence[Choice], preview: ingest.Preview) -> Raters | None:
    """The people whose columns rate the same outputs on one scale; None if there are none."""
    by_variant: dict[str, dict[str, Choice]] = {}
    for choice in choices:
        if choice.role == "score" and choice.name in ("", QUESTION, _person(choice)):
            variant = "" if choice.variant == choice.source else choice.variant  # rows name their variants
            by_variant.setdefault(variant, {})[_person(choice)] = choice
    names = [*next(iter(by_variant.values()), {})]
    if len(names) < 2 or any([*found] != names for found in by_variant.values()):
        return None
    if several_raters.joined(names) or not all(map(several_raters.may_be_person, names)):
        return None
    columns = [choice for found in by_variant.values() for choice in found.values()]
    cells = {choice.source: [row.get(choice.source) for row in preview.rows] for choice in columns}
    if len(preview.rows) < ENOUGH or not several_raters.are_on_one_scale(cells.values()):
        return None
    is_one = all(choice.name == QUESTION for choice in columns)
    said = [row for found in by_variant.values() for row in _answers(found, cells)]
    same = sum(len({*row}) == 1 for row in said)
    left_out = any(_rated_apart(found, cells) for found in by_variant.values())
    return Raters(names, [*cells], is_one, same, len(said), left_out)


def _person(choice: Choice) -> str:
    """The name of a column without that of its variant."""
    return score_roles.name_of(choice.source, choice.variant)


def _answers(found: dict[str, Choice], cells: dict[str, list[JSON]]) -> list[tuple[str, ...]]:
    """What all raters said of each answer that all of them rated."""
    rows = zip(*(cells[choice.source] for choice in found.values()), strict=True)
    return [tuple(map(str, row)) for row in rows if not {None, ""} & {*row}]


def _rated_apart(found: dict[str, Choice], cells: dict[str, list[JSON]]) -> bool:
    """Whether some answer was rated by one of the raters and not by another."""
    rows = zip(*(cells[choice.source] for choice in found.values()), strict=True)
    return any(len({value in (None, "") for value in row}) == 2 for row in rows)


def guessed(choices: Sequence[Choice], preview: ingest.Preview) -> list[Choice]:
    """The choices with columns of people as one question, where their names or what they left out say so."""
    raters = find(choices, preview)
    if raters is None:
        return [*choices]
    are_named = several_raters.are_people(raters.names, _others(raters.columns, preview))
    may_be = raters.left_out and all(name[:1].isupper() for name in raters.names)
    return as_one(choices, raters, is_one=True) if are_named or may_be else [*choices]


def _others(columns: Collection[str], preview: ingest.Preview) -> list[str]:
    return [name for name in preview.columns if name not in columns]


def as_one(choices: Sequence[Choice], raters: Raters, *, is_one: bool) -> list[Choice]:
    """The choices with the columns of raters as one question, or each as its own."""
    return [
        replace(choice, name=QUESTION if is_one else _person(choice))
        if choice.source in raters.columns
        else choice
        for choice in choices
    ]


def varying(names: Sequence[str], preview: ingest.Preview) -> list[str]:
    """Of columns that differ between the rows of an example, those of people with numbers of one scale."""
    people = [name for name in names if name[:1].isupper() and several_raters.may_be_person(name)]
    cells = [[row.get(name) for row in preview.rows] for name in people]
    is_named = several_raters.are_people(people, _others(people, preview))
    are_alike = len(people) > 1 and len(preview.rows) >= ENOUGH and several_raters.are_on_one_scale(cells)
    return people if is_named and are_alike else []
