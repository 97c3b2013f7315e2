"""The table of docs/simulations.md about run statistics: python -m tests.statistics.headlines [comparisons a cell].

Two variants answer the same examples; their contributions go through the product's figures, laws and evidence, with
1 999 draws. Comparisons in which a label of a macro-F1, a balanced accuracy or an F1 has fewer than ten references are
left out, as the product does.
"""

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from evaluations import kinds
from evaluations.kinds.statistic import FEWEST_REFERENCES, Tallies
from evaluations.metrics import label_tables
from evaluations.statistics import jackknife
from evaluations.statistics.terms import Scale

from .simulation import Sample, compared
from .tables import say

SCALE = Scale("maximize", binary=False, low=0.0, high=1.0, is_statistic=True)
LABELS = {
    "4 labels, n = 200": (200, (0.5, 0.3, 0.12, 0.08)),
    "4 labels, n = 1 000": (1_000, (0.57, 0.3, 0.11, 0.02)),
    "10 labels, n = 400": (400, (0.25, 0.18, 0.13, 0.1, 0.09, 0.07, 0.06, 0.05, 0.04, 0.03)),
}
RIGHT = (0.85, 0.75)  # of the better and the worse variant
OUTSIDE = 0.02
Of = Callable[[Sample], Sample]
STATISTICS: dict[str, Of] = {
    "macro-F1": label_tables.macro_f1,
    "weighted F1": label_tables.weighted_f1,
    "balanced accuracy": label_tables.balanced_accuracy,
    "MCC": label_tables.mcc,
    "κ": label_tables.kappa,
    "F1 of the rarest label": lambda sums: label_tables.f1(sums)[:, -1],
}
BY_LABEL = ("macro-F1", "balanced accuracy", "F1 of the rarest label")


def answers(chance: np.random.Generator, references: Sample, right: float, labels: int) -> Sample:
    wrong = np.where(
        chance.random(len(references)) < OUTSIDE, labels, chance.integers(0, labels, len(references))
    )
    return np.where(chance.random(len(references)) < right, references, wrong)


def expected(shares: Sample, right: float) -> Sample:
    """The sums of one example in the long run."""
    labels = len(shares)
    cells = np.full((labels, labels + 1), (1 - right) * (1 - OUTSIDE) / labels) * shares[:, None]
    cells[:, -1] = (1 - right) * OUTSIDE * shares
    cells[np.arange(labels), np.arange(labels)] += right * shares
    return np.concatenate([np.diag(cells), shares, cells.sum(axis=0)[:-1], [1.0]])[None, :]


def samples(name: str, of: Of, rights: tuple[float, float], count: int, seed: int) -> Iterator[Sample]:
    size, shares = LABELS[name]
    chance = np.random.default_rng(seed)
    while count:
        references = chance.choice(len(shares), size, p=shares)
        used = np.bincount(references, minlength=len(shares))
        if of in [STATISTICS[one] for one in BY_LABEL] and used.min() < FEWEST_REFERENCES:
            continue
        sides = [answers(chance, references, right, len(shares)) for right in rights]
        columns = [
            jackknife.contributions(label_tables.cells(references, side, len(shares)), np.arange(size), of)
            for side in sides
        ]
        count -= 1
        yield (columns[1] - columns[0])[None, :]


def false_verdicts(name: str, statistic: str, count: int) -> float:
    """The share of verdicts between two variants that are equally good."""
    of = STATISTICS[statistic]
    families = compared(list(samples(name, of, (RIGHT[1], RIGHT[1]), count, 1)), SCALE)
    return float(np.mean([family[0].verdict in ("better", "worse") for family in families]))


def coverage(name: str, statistic: str, count: int) -> float:
    """The share of intervals that hold the difference in the long run of a better and a worse variant."""
    of, shares = STATISTICS[statistic], np.array(LABELS[name][1])
    worse, better = (float(of(expected(shares, right))[0]) for right in RIGHT[::-1])
    families = compared(list(samples(name, of, RIGHT[::-1], count, 2)), SCALE)
    intervals = [family[0].interval for family in families]
    return float(np.mean([low <= better - worse <= high for low, high in intervals if low is not None]))


def error_rates(count: int, *, size: int = 100, better: float = 0.1) -> tuple[float, float]:
    """False verdicts and coverage for corpus error rates of texts of very different lengths."""

    def ratio(sums: Sample) -> Sample:
        return label_tables.ratio(sums[:, 0], sums[:, 1])

    def drawn(rates: tuple[float, float], seed: int) -> Iterator[Sample]:
        chance = np.random.default_rng(seed)
        for _ in range(count):
            lengths = np.ceil(chance.lognormal(2.5, 0.8, size)).astype(int)
            hard = chance.gamma(2.0, 0.5, size)
            errors = [chance.binomial(lengths, np.minimum(rate * hard, 1.0)) for rate in rates]
            columns = [
                jackknife.contributions(np.column_stack([one, lengths]).astype(float), np.arange(size), ratio)
                for one in errors
            ]
            yield (columns[1] - columns[0])[None, :]

    equal = compared(list(drawn((0.15, 0.15), 3)), SCALE)
    false = np.mean([family[0].verdict in ("better", "worse") for family in equal])
    hard = np.minimum(np.outer((0.15, better), np.random.default_rng(4).gamma(2.0, 0.5, 1_000_000)), 1.0)
    truth = float(hard[1].mean() - hard[0].mean())
    apart = compared(list(drawn((0.15, better), 5)), SCALE)
    held = [low <= truth <= high for low, high in (family[0].interval for family in apart)]
    return float(false), float(np.mean(held))


def with_grades(count: int, name: str, *, size: int = 100) -> tuple[float, float]:
    """False verdicts and coverage for a correlation or kappa with grades from 0 to 5, of which some are far off."""
    counting = kinds.get("number_closeness").counting(None, ())
    of = counting.statistic(name).of

    def said(chance: np.random.Generator, grades: Sample, spread: float) -> Sample:
        return grades + spread * chance.standard_t(4, len(grades))

    def sums(said: Sample, grades: Sample) -> Tallies:
        numbers = np.column_stack([said, grades]).astype(np.float32)
        return counting.tallies(np.column_stack([np.ones(len(grades), np.int32), numbers.view(np.int32)]))

    def drawn(spreads: tuple[float, float], seed: int) -> Iterator[Sample]:
        chance = np.random.default_rng(seed)
        for _ in range(count):
            grades = chance.integers(0, 26, size) / 5
            columns = [
                jackknife.contributions(tallies.vectors, tallies.index, of)
                for spread in spreads
                if (tallies := sums(said(chance, grades, spread), grades))
            ]
            yield (columns[1] - columns[0])[None, :]

    scale = replace(SCALE, low=-1.0)
    equal = compared(list(drawn((1.0, 1.0), 6)), scale)
    false = np.mean([family[0].verdict in ("better", "worse") for family in equal])
    chance = np.random.default_rng(7)
    grades = chance.integers(0, 26, 1_000_000) / 5
    worse, better = (float(of(sums(said(chance, grades, spread), grades).total)[0]) for spread in (1.0, 0.7))
    apart = compared(list(drawn((1.0, 0.7), 8)), scale)
    held = [low <= better - worse <= high for low, high in (family[0].interval for family in apart)]
    return float(false), float(np.mean(held))


def main(count: int) -> None:
    say("false verdicts, then coverage, in % of", count)
    for statistic in STATISTICS:
        cells = [
            f"{100 * measure(name, statistic, count):.1f}"
            for name in LABELS
            for measure in (false_verdicts, coverage)
        ]
        say(f"| {statistic} | {' | '.join(cells)} |")
    false, held = error_rates(count)
    say(f"| corpus error rate, n = 100 | {100 * false:.1f} | {100 * held:.1f} |")
    for name in ("correlation", "weighted_kappa"):
        false, held = with_grades(count, name)
        say(f"| {name}, n = 100 | {100 * false:.1f} | {100 * held:.1f} |")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2_000)
