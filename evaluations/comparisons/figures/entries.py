"""Results of a comparison: one side against the baseline, and a side's rank."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from evaluations.models import Evaluator, EvaluatorVersion, Run
from evaluations.statistics.few_groups import FewGroups
from evaluations.statistics.online import p_online
from evaluations.statistics.people.strata import Helped
from evaluations.statistics.terms import Difference

from ..alignment.leftovers import Leftover
from ..alignment.sides import Side
from ..people.standing import Standing

Role = Literal["primary", "secondary"]


@dataclass(frozen=True)
class Entry:
    """One side against the baseline by one evaluator, and the examples that make no pair.

    `few_groups` is a column of few values under which a clear difference would not survive; `comparisons_made` is the
    number of this comparison among all ever made on the dataset, of `most_comparisons` that were declared, `fine_p` the
    corrected p from many draws. `statistic` names the run statistic that is compared; None for means. If labels of
    people are `helped`, `helper` is what helped.
    `standing` says what is known of a judge.
    """

    side: Side
    evaluator: Evaluator
    role: Role
    paired: Difference
    leftover: Leftover
    few_groups: FewGroups | None = None
    comparisons_made: int | None = None
    most_comparisons: int | None = None
    fine_p: float | None = None
    statistic: str | None = None
    helped: Helped | None = None
    helper: EvaluatorVersion | None = None
    standing: Standing | None = None

    @property
    def p_online(self) -> float | None:
        """The corrected p of the primary evaluator, with all earlier comparisons taken into account."""
        p = self.paired.p_corrected if self.fine_p is None else self.fine_p
        if self.role != "primary":
            return None
        return p_online(p, self.comparisons_made, self.most_comparisons)

    @property
    def run(self) -> Run:
        return self.side.run

    @property
    def runs(self) -> Sequence[Run]:
        return self.side.runs


@dataclass(frozen=True)
class Ranked:
    """A ranked side: its mean over the examples that all ranked sides have, its possible ranks, and its groups.

    Sides that share a letter of `group` do not differ clearly. `lead` compares it with the next side. `shrunken` is the
    mean to expect on fresh examples, because the best of several is partly lucky.
    """

    side: Side
    mean: float | None
    rank: tuple[int, int]
    group: str
    lead: Difference | None
    shrunken: float | None = None

    @property
    def rank_text(self) -> str:
        """The ranks as text: 1, or 2–4."""
        first, last = self.rank
        return f"{first}" if first == last else f"{first}–{last}"
