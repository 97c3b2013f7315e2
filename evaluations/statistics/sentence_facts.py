"""The facts from which `sentences` writes about a comparison."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from evaluations.statistics.clusters import Clusters
from evaluations.statistics.few_groups import FewGroups
from evaluations.statistics.inference import NOTHING, AllPairs
from evaluations.statistics.people.strata import Helped
from evaluations.statistics.terms import Difference, Verdict
from evaluations.values import Missing

NO_REFERENCE = "no example has a reference."
NO_SCORE = "no variant has an output with a score."
NO_COMMON_EXAMPLES = "no example has a score in every variant."
NOT_PAID = "some answers wait for money; those with a score are no random part."
SCORED_1 = "answers scored 1"  # what a mean is a share of where scores are 0 and 1 and lower is better
MIXED_VERSIONS = "the variants were scored by different versions of the evaluator."


@dataclass(frozen=True)
class Facts:
    """The facts for all sentences. Variants are given by index, also inside results.

    `pairs` are by the primary `evaluator`. `no_verdict` is the reason if it gives none; it follows
    "No verdict on <evaluator>: ". `subsets` has for a variant the subsets on which its verdict differs from its
    overall one, `few_groups` by baseline and variant a column under which a clear verdict would not survive.

    The short verdicts of lists need no more. For the others, `secondary` and `measures` compare every variant with the
    baseline, by the name of the evaluator. `answered` has for each variant how many examples it answered, of how many
    asked, and `unread` from how many of these answers the primary evaluator could read nothing; `unread_as` says so in
    words, such as "No number was found in". `share` is what the primary's mean is a share of, as "answers right" if
    it scores only 0 and 1; `shares` are the secondary evaluators of which that is so, `in_points` those whose
    differences tables write in points, `people` those that are labels of people, `judges` those that are judges.
    `estimated` are the evaluators whose worst score is an estimate, because their scale has no worst end.
    `expected` has for each variant the mean to expect on fresh examples, because the best of several is partly lucky.
    `helped` has by baseline and variant the estimates of people's labels that `helper` made narrower. `judge` says of a
    primary evaluator that is a judge whether it is checked against people; empty for others. `scale` says what the
    primary's scores range over, such as "1 to 5"; `filtered_by` which examples alone the figures are of.
    Without `is_baseline_chosen` nobody chose the baseline, and no sentence calls it so.
    The primary's scores `is_graded` where people gave them on a usual scale, which no grade leaves.
    """

    variants: Sequence[str]
    baseline: int
    evaluator: str
    pairs: AllPairs = NOTHING
    no_verdict: str | None = None
    subsets: Mapping[int, Sequence[tuple[Verdict, str]]] = field(default_factory=dict)
    few_groups: Mapping[tuple[int, int], FewGroups] = field(default_factory=dict)
    secondary: Mapping[str, Sequence[Difference | None]] = field(default_factory=dict)
    measures: Mapping[str, Sequence[Difference | None]] = field(default_factory=dict)
    answered: Sequence[tuple[int, int]] = ()
    unread: Sequence[int] = ()
    unread_as: str = "Nothing could be read from"
    missing: Missing = "worst"
    estimated: Sequence[str] = ()
    expected: Sequence[float | None] = ()
    preliminary: bool = False
    clusters: Clusters | None = None
    helped: Mapping[tuple[int, int], Helped] = field(default_factory=dict)
    helper: str = ""
    judge: str = ""
    share: str = ""
    scale: str = ""
    filtered_by: str = ""
    is_baseline_chosen: bool = True
    is_graded: bool = False
    shares: Collection[str] = ()
    in_points: Collection[str] = ()
    people: Collection[str] = ()
    judges: Collection[str] = ()

    @property
    def tells_right(self) -> bool:
        """Whether the primary says of each answer whether it is right."""
        return self.share.startswith("answers")

    @property
    def why_no_verdict(self) -> str | None:
        return self.no_verdict or (None if self.pairs.n else NO_COMMON_EXAMPLES)

    @property
    def has_verdict(self) -> bool:
        """Whether there are variants to compare, and a verdict on them."""
        return len(self.variants) > 1 and self.why_no_verdict is None

    @property
    def leading(self) -> tuple[int, int] | None:
        """The comparison behind the first line, baseline first: of two variants, or of the next with a single best.

        Of several that are tied for best, the first one with the baseline, if it is better than that.
        """
        if not self.has_verdict:
            return None
        if len(self.variants) == 2:
            return self.baseline, 1 - self.baseline
        best, order = self.pairs.ranking.best, self.pairs.ranking.order
        if len(best) == 1:
            return order[1], best[0]
        with_baseline = self.baseline, best[0]
        is_better = self.baseline not in best and self.pairs.comparison(*with_baseline).verdict == "better"
        return with_baseline if is_better else None

    @property
    def leaders(self) -> list[int]:
        """Of several that no other beats those that beat the baseline, if the first one does and not all do.

        One that does not is no choice beside them, although nothing tells it from them.
        """
        best = self.pairs.ranking.best
        if self.baseline in best:
            return []
        beating = [v for v in best if self.pairs.comparison(self.baseline, v).verdict == "better"]
        return beating if beating[:1] == [best[0]] and len(beating) < len(best) else []

    @property
    def lead(self) -> Difference | None:
        """The difference behind the first line."""
        return self.pairs.comparison(*self.leading) if self.leading else None

    @property
    def focus(self) -> int | None:
        """The variant that the second line compares with the baseline: of two the other one, of more the best."""
        if not self.has_verdict:
            return None
        if len(self.variants) == 2:
            return 1 - self.baseline
        best = self.pairs.ranking.best
        return best[0] if len(best) == 1 and best[0] != self.baseline else None
