"""The possible ranks of each variant, from all pairs by the primary evaluator."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

from evaluations.statistics.terms import Difference

Pair = Callable[[int, int], Difference]  # (baseline, variant)


@dataclass(frozen=True)
class Ranking:
    """Variants are given by index. `order` has the best mean first.

    `ranks` are the best and worst rank of each: 1 + the number of significantly better ones, to the number of all
    minus the significantly worse ones (Mogstad, Romano, Shaikh and Wilhelm 2024). Variants that share one of
    `letters` do not differ clearly. `leads` are the comparisons of each with the next in the order.
    """

    order: tuple[int, ...]
    ranks: tuple[tuple[int, int], ...]
    letters: tuple[str, ...]
    leads: dict[int, Difference]

    @classmethod
    def from_pairs(cls, variants: int, pair: Pair, means: Sequence[float | None] = ()) -> "Ranking":
        """By the means of the pairs, or by `means` where each pair has its own examples."""
        order = _order(variants, pair, means)
        better = _better(variants, pair)
        worse = [sum(variant in ahead for ahead in better) for variant in range(variants)]
        ranks = tuple((1 + len(better[variant]), variants - worse[variant]) for variant in range(variants))
        leads = {variant: pair(behind, variant) for variant, behind in pairwise(order)}
        return cls(tuple(order), ranks, _letters(order, better), leads)

    @property
    def best(self) -> tuple[int, ...]:
        """The variants that no other beats significantly, best mean first; several are tied for best."""
        return tuple(variant for variant in self.order if self.ranks[variant][0] == 1)

    @property
    def lead(self) -> Difference | None:
        """The first variant against the second."""
        return self.leads.get(self.order[0]) if self.order else None

    def lead_over_next(self, variant: int) -> Difference | None:
        return self.leads.get(variant)


def _better(variants: int, pair: Pair) -> list[list[int]]:
    """For each variant, the rivals that are clearly better."""
    better: list[list[int]] = [[] for _ in range(variants)]
    for first, second in combinations(range(variants), 2):
        verdict = pair(first, second).verdict
        if verdict == "better":
            better[first].append(second)
        elif verdict == "worse":
            better[second].append(first)
    return better


def _order(variants: int, pair: Pair, means: Sequence[float | None]) -> list[int]:
    """The variants by mean, best first, those without a mean last; equal means keep the order."""

    def badness(variant: int) -> float:
        comparisons = (pair(rival, variant) for rival in range(variants) if rival != variant)
        defined = next((comparison for comparison in comparisons if comparison.mean is not None), None)
        if defined is None:
            return math.inf
        mean = means[variant] if means else defined.mean
        if mean is None:
            return math.inf
        return -mean if defined.direction == "maximize" else mean

    return sorted(range(variants), key=badness)


def _letters(order: Sequence[int], better: Sequence[Sequence[int]]) -> tuple[str, ...]:
    """The compact letter display: every maximal group without a clear difference gets a letter (Piepho 2004)."""
    groups = [set(order)]
    for ahead in order:
        for behind in better[ahead]:
            groups = _absorbed([part for group in groups for part in _split(group, ahead, behind)])
    rank = {variant: number for number, variant in enumerate(order)}
    groups.sort(key=lambda group: sorted(rank[variant] for variant in group))
    return tuple(
        "".join(_letter(number) for number, group in enumerate(groups) if variant in group)
        for variant in range(len(order))
    )


def _split(group: set[int], first: int, second: int) -> list[set[int]]:
    return [group - {first}, group - {second}] if {first, second} <= group else [group]


def _absorbed(groups: Sequence[set[int]]) -> list[set[int]]:
    """The groups that are not part of another group."""
    largest: list[set[int]] = []
    for group in sorted(groups, key=len, reverse=True):
        if not any(group <= larger for larger in largest):
            largest.append(group)
    return largest


def _letter(number: int) -> str:
    return chr(ord("a") + number % 26) * (1 + number // 26)
