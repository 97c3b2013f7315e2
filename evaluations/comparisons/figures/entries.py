"""Results of a comparison: one side against the baseline, and a side's rank."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from evaluations.models import Evaluator, Run
from evaluations.statistics.terms import Difference

from ..alignment.leftovers import Leftover
from ..alignment.sides import Side

Role = Literal["primary", "secondary"]


@dataclass(frozen=True)
class Entry:
    """One side against the baseline by one evaluator, and the examples that make no pair."""

    side: Side
    evaluator: Evaluator
    role: Role
    paired: Difference
    leftover: Leftover

    @property
    def run(self) -> Run:
        return self.side.run

    @property
    def runs(self) -> Sequence[Run]:
        return self.side.runs


@dataclass(frozen=True)
class Ranked:
    """A ranked side: its mean over the examples that all ranked sides have, its possible ranks, and its groups.

    Sides that share a letter of `group` do not differ clearly. `lead` compares it with the next side.
    """

    side: Side
    mean: float | None
    rank: tuple[int, int]
    group: str
    lead: Difference | None

    @property
    def rank_text(self) -> str:
        """The ranks as text: 1, or 2–4."""
        first, last = self.rank
        return f"{first}" if first == last else f"{first}–{last}"
