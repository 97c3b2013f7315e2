"""Columns of what people said of answers, beside several outputs, where no name says of which."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from evaluations import ingest
from evaluations.ingest import several_raters, verdict_words
from evaluations.ingest.looked_at import ENOUGH

from .choice import Choice
from .rater_columns import QUESTION


@dataclass(frozen=True)
class Unplaced:
    """The columns of raters that belong together, and the variants of which one may be theirs."""

    columns: list[str]
    variants: list[str]
    question: str

    @property
    def listed(self) -> str:
        return (
            f"{', '.join(self.columns[:-1])} and {self.columns[-1]}" if self.columns[1:] else self.columns[0]
        )


def find(choices: Sequence[Choice], variants: Sequence[str], preview: ingest.Preview) -> Unplaced | None:
    """The first such columns that are metadata so far; None if there are none."""
    if len(variants) < 2 or len(preview.rows) < ENOUGH:
        return None
    free = [choice.source for choice in choices if choice.role == "metadata"]
    joined = several_raters.joined(free)
    for question in dict.fromkeys(joined.values()):
        columns = [name for name in free if joined.get(name) == question]
        if _are_verdicts(columns, preview):
            return Unplaced(columns, [*variants], "")
    people = [name for name in free if name[:1].isupper() and several_raters.may_be_person(name)]
    others = [name for name in preview.columns if name not in people]
    if len(people) > 1 and several_raters.are_people(people, others) and _are_verdicts(people, preview):
        return Unplaced(people, [*variants], QUESTION)
    return None


def _are_verdicts(columns: Sequence[str], preview: ingest.Preview) -> bool:
    """Whether columns have the numbers of one scale, or the same words for better and worse."""
    cells = [[row.get(name) for row in preview.rows] for name in columns]
    said = {f"{cell}".casefold() for column in cells for cell in column if cell not in (None, "")}
    are_words = verdict_words.are_results(said) or verdict_words.are_yes_and_no(said)
    return are_words or verdict_words.are_marks(said) or several_raters.are_on_one_scale(cells)


def placed(choices: Sequence[Choice], raters: Unplaced, variant: str) -> list[Choice]:
    """The choices with these columns as scores of a variant, of one question."""
    if variant not in raters.variants:
        return [*choices]
    return [
        replace(choice, role="score", variant=variant, name=raters.question)
        if choice.source in raters.columns
        else choice
        for choice in choices
    ]
