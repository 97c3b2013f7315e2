"""A file whose rows say which variant answered, but have other examples for each, as logs of an A/B test."""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluations import ingest
from evaluations.ingest.looked_at import ENOUGH
from evaluations.ingest.suggest import is_called_variant

from .choice import Choice

MOST_VALUES = 20
SHOWN = 3


@dataclass(frozen=True)
class Unpaired:
    """The column that names variants, and the first of its values."""

    column: str
    values: list[str]

    @property
    def listed(self) -> str:
        return " and ".join(self.values)


def find(choices: Sequence[Choice], preview: ingest.Preview) -> Unpaired | None:
    """The column, beside one output, whose values have no inputs in common; None if there is none."""
    if sum(choice.role == "output" for choice in choices) != 1 or len(preview.rows) < ENOUGH:
        return None
    asked = [choice.source for choice in choices if choice.role in ("input", "key")]
    for choice in choices:
        if choice.role != "metadata" or not is_called_variant(choice.source):
            continue
        by_value: dict[str, set[str]] = {}
        for row in preview.rows:
            by_value.setdefault(f"{row.get(choice.source)}", set()).add(
                repr([row.get(name) for name in asked])
            )
        examples = [*by_value.values()]
        if 1 < len(examples) <= MOST_VALUES and len(set[str]().union(*examples)) == sum(map(len, examples)):
            return Unpaired(choice.source, [*by_value][:SHOWN])
    return None
