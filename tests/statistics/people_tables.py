"""Tables of how often intervals of labels, helped by a judge, hold the truth.

`python -m tests.statistics.people_tables` prints them.

Each takes m labels at random from one run of N judged answers, with a judge of known sensitivity and specificity.
"""

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from scipy import special

from evaluations.statistics.people import scales
from evaluations.statistics.people.agreement import of_pairs
from evaluations.statistics.people.strata import Sample, estimate

ANSWERS = 1_319
GSM8K = Path(__file__).parents[1] / "data" / "gsm8k_correct.json"


@dataclass
class Coverage:
    """How often intervals held the truth, and their mean width."""

    truth: float
    hits: list[bool] = field(default_factory=list)
    widths: list[float] = field(default_factory=list)

    def add(self, interval):
        self.hits.append(interval[0] <= self.truth <= interval[1])
        self.widths.append(interval[1] - interval[0])

    @property
    def share(self):
        return float(np.mean(self.hits))

    @property
    def width(self):
        return float(np.mean(self.widths))

    def __str__(self):
        return f"{100 * self.share:.1f} ({self.width:.3f})"


def judged(chance, truth, sensitivity, specificity):
    drawn = chance.random(len(truth))
    return np.where(truth == 1, drawn < sensitivity, drawn < 1 - specificity).astype(float)


def labelled(chance, truth, m):
    labels = np.full(len(truth), np.nan)
    chosen = chance.choice(len(truth), m, replace=False)
    labels[chosen] = truth[chosen]
    return labels


def means(rate, judge, m, repeats, seed=1, answers=ANSWERS):
    """Of labels helped by the judge, and alone."""
    chance = np.random.default_rng(seed)
    helped, alone = Coverage(rate), Coverage(rate)
    for _ in range(repeats):
        truth = (chance.random(answers) < rate).astype(float)
        found = estimate(Sample(labelled(chance, truth, m), judged(chance, truth, *judge), 0.0, 1.0))
        helped.add(found.interval)
        alone.add(found.alone)
    return helped, alone


def pairs_of(chance, rates, together=0.5):
    """Right or wrong of two variants, whose answers to one example are alike."""
    drawn = chance.multivariate_normal([0, 0], [[1, together], [together, 1]], ANSWERS)
    return [(drawn[:, k] < special.ndtri(rate)).astype(float) for k, rate in enumerate(rates)]


def differences(rates, judges, m, repeats, seed=1):
    chance = np.random.default_rng(seed)
    helped, alone = Coverage(rates[0] - rates[1]), Coverage(rates[0] - rates[1])
    for _ in range(repeats):
        first, second = pairs_of(chance, rates)
        says = judged(chance, first, *judges[0]) - judged(chance, second, *judges[1])
        found = estimate(Sample(labelled(chance, first - second, m), says, -1.0, 1.0))
        helped.add(found.interval)
        alone.add(found.alone)
    return helped, alone


def in_parts(rates, sizes, m, repeats, seed=1, others=None):
    """Of m labels in each part, weighed by size, and of the plain mean; with `others` of the difference to them."""
    chance = np.random.default_rng(seed)
    codes, names = np.repeat(np.arange(len(sizes)), sizes), [str(size) for size in sizes]
    other = np.zeros(len(sizes)) if others is None else np.array(others)
    truth = float(((np.array(rates) - other) * sizes).sum() / sum(sizes))
    held, plain = Coverage(truth), Coverage(truth)
    low = 0.0 if others is None else -1.0
    for _ in range(repeats):
        values = (chance.random(len(codes)) < np.array(rates)[codes]).astype(float)
        values -= (chance.random(len(codes)) < other[codes]).astype(float)
        labels = np.full(len(codes), np.nan)
        for code in range(len(sizes)):
            drawn = chance.choice(np.flatnonzero(codes == code), m, replace=False)
            labels[drawn] = values[drawn]
        sample = Sample(labels, np.zeros(len(codes)), low, 1.0)
        held.add(estimate(replace(sample, parts=codes, names=names)).interval)
        plain.add(estimate(sample).interval)
    return held, plain


def _graded(chance, shares, together):
    """Two variants' grades by people, and by a judge that follows them (0.7) one notch generous.

    The notch does not end at the best grade, so that it changes no correlation.
    """
    edges, base = special.ndtri(np.cumsum(shares)[:-1]), chance.standard_normal(ANSWERS)
    for _ in range(2):
        people = np.sqrt(together) * base + np.sqrt(1 - together) * chance.standard_normal(ANSWERS)
        judge = 0.7 * people + np.sqrt(0.51) * chance.standard_normal(ANSWERS)
        yield 1.0 + np.searchsorted(edges, people), 2.0 + np.searchsorted(edges, judge)


def grades(shares, m, repeats, seed=1):
    """A graded judge: the mean of one run and the difference of two equal ones, helped by PPI++ and alone."""
    chance = np.random.default_rng(seed)
    mean = float(np.arange(1, 6) @ shares)
    tables = [Coverage(mean), Coverage(mean), Coverage(0.0), Coverage(0.0)]
    for _ in range(repeats):
        (first, judge), (second, other) = _graded(chance, shares, 0.5)
        chosen = chance.choice(ANSWERS, m, replace=False)
        samples = (
            Sample(_chosen(first, chosen), judge, 1.0, 5.0),
            Sample(_chosen(second - first, chosen), other - judge, -4.0, 4.0),
        )
        for k, sample in enumerate(samples):
            found = scales.estimate(sample)
            tables[2 * k].add(found.interval)
            tables[2 * k + 1].add(found.alone)
    return tables


def agreements(base, judge, n, repeats, seed=1):
    """κ and AC1 of a judge and people, whose base rate is `base`."""
    chance = np.random.default_rng(seed)
    sensitivity, specificity = judge
    table = np.array([[specificity, 1 - specificity], [1 - sensitivity, sensitivity]]) * [[1 - base], [base]]
    seen, mean = np.trace(table), (table.sum(axis=0)[1] + base) / 2
    by_chance = table.sum(axis=0) @ table.sum(axis=1)
    kappa = Coverage(float((seen - by_chance) / (1 - by_chance)))
    ac1 = Coverage(float((seen - 2 * mean * (1 - mean)) / (1 - 2 * mean * (1 - mean))))
    for _ in range(repeats):
        cells = np.repeat(np.arange(4), chance.multinomial(n, table.ravel()))
        found = of_pairs(cells // 2, cells % 2, 2)
        for coverage, coefficient in ((kappa, found.kappa), (ac1, found.ac1)):
            if coefficient.interval:
                coverage.add(coefficient.interval)
    return kappa, ac1


def gsm8k():
    """Right or wrong of four models on 1 319 questions."""
    stored = json.loads(GSM8K.read_text())
    return {name: np.array([float(answer) for answer in answers]) for name, answers in stored.items()}


def of_models(right, m, repeats, seed=1, *, is_whole=True):
    """By model, the coverage of its known accuracy; by pair of models, that of the known difference."""
    chance, truth = np.random.default_rng(seed), gsm8k()
    names = list(truth)
    singles = {
        name: (Coverage(float(truth[name].mean())), Coverage(float(truth[name].mean()))) for name in names
    }
    pairs = {
        (a, b): (Coverage(gap := float((truth[b] - truth[a]).mean())), Coverage(gap))
        for k, a in enumerate(names)
        for b in names[k + 1 :]
    }
    for _ in range(repeats):
        says = {name: judged(chance, answers, right, right) for name, answers in truth.items()}
        chosen = chance.choice(ANSWERS, m, replace=False)
        for name in names:
            _add(singles[name], Sample(_chosen(truth[name], chosen), says[name], 0.0, 1.0, is_whole=is_whole))
        for (a, b), coverages in pairs.items():
            gaps = _chosen(truth[b] - truth[a], chosen)
            _add(coverages, Sample(gaps, says[b] - says[a], -1.0, 1.0, is_whole=is_whole))
    return singles, pairs


def _chosen(truth, chosen):
    labels = np.full(ANSWERS, np.nan)
    labels[chosen] = truth[chosen]
    return labels


def _add(coverages, sample):
    found = estimate(sample)
    coverages[0].add(found.interval)
    coverages[1].add(found.alone)


def best_of(rubrics, m, repeats, seed=1, right=0.8):
    """By how much the best of equally good rubrics looks better on the labels it was chosen by than on the sealed."""
    chance = np.random.default_rng(seed)
    opened, sealed = [], []
    for _ in range(repeats):
        agrees = chance.random((rubrics, m)) < right
        opened.append(agrees.mean(axis=1).max())
        sealed.append((chance.random(m) < right).mean())
    return float(np.mean(opened)), float(np.mean(sealed))


MEANS = [
    (0.55, (0.9, 0.7), 50), (0.55, (0.9, 0.7), 100), (0.55, (0.9, 0.7), 200), (0.35, (0.88, 0.88), 200),
    (0.9, (0.95, 0.6), 50), (0.9, (0.95, 0.6), 100), (0.9, (0.95, 0.6), 200), (0.97, (0.97, 0.7), 50),
    (0.55, (0.6, 0.5), 200), (0.55, (0.5, 0.5), 200),
]  # fmt: skip
DIFFERENCES = [
    ((0.6, 0.5), ((0.9, 0.7), (0.9, 0.7)), 50), ((0.6, 0.5), ((0.9, 0.7), (0.9, 0.7)), 100),
    ((0.6, 0.5), ((0.9, 0.7), (0.9, 0.7)), 200), ((0.5, 0.5), ((0.95, 0.5), (0.88, 0.8)), 200),
    ((0.97, 0.95), ((0.97, 0.7), (0.97, 0.7)), 50), ((0.97, 0.95), ((0.97, 0.7), (0.97, 0.7)), 100),
    ((0.35, 0.35), ((0.95, 0.95), (0.95, 0.95)), 200),
]  # fmt: skip
SKEWED, SPREAD = (0.02, 0.03, 0.05, 0.2, 0.7), (0.1, 0.2, 0.3, 0.25, 0.15)
PARTS = [((0.9, 0.6, 0.2), None, 15), ((0.9, 0.6, 0.2), None, 30), ((0.97, 0.5, 0.97), None, 30),
         ((0.6, 0.6, 0.2), (0.5, 0.5, 0.5), 15), ((0.6, 0.6, 0.2), (0.5, 0.5, 0.5), 30),
         ((0.5, 0.5, 0.5), (0.5, 0.5, 0.5), 30), ((0.97, 0.9, 0.9), (0.95, 0.9, 0.9), 30)]  # fmt: skip
GRADES = [(SKEWED, 100), (SKEWED, 200), (SPREAD, 100), (SPREAD, 200)]
AGREEMENTS = [(0.5, (0.9, 0.7), 30), (0.5, (0.9, 0.7), 100), (0.9, (0.95, 0.6), 30), (0.9, (0.95, 0.6), 100),
              (0.95, (0.97, 0.9), 50), (0.8, (0.99, 0.98), 30)]  # fmt: skip


def lines(repeats: int) -> Iterator[str]:
    yield "mean: rate, sensitivity and specificity, labels | helped | labels alone"
    for rate, judge, m in MEANS:
        yield f"{rate}, {judge}, {m} | " + " | ".join(map(str, means(rate, judge, m, repeats)))
    yield "difference: rates, judges, labels | helped | labels alone"
    for rates, judges, m in DIFFERENCES:
        yield f"{rates}, {judges}, {m} | " + " | ".join(map(str, differences(rates, judges, m, repeats)))
    yield "parts of 700, 250, 50; rates, of another variant, labels in each | weighed | plain mean"
    for rates, others, m in PARTS:
        yield f"{rates}, {others}, {m} | " + " | ".join(
            map(str, in_parts(rates, (700, 250, 50), m, repeats, others=others))
        )
    yield "grades: shares, labels | mean helped | alone | difference helped | alone"
    for shares, m in GRADES:
        yield f"{shares}, {m} | " + " | ".join(map(str, grades(shares, m, repeats)))
    yield "agreement: base rate, judge, labels | kappa | AC1"
    for base, judge, n in AGREEMENTS:
        yield f"{base}, {judge}, {n} | " + " | ".join(map(str, agreements(base, judge, n, repeats)))
    for right, is_whole in ((0.88, True), (0.88, False), (0.5, False)):
        singles, pairs = of_models(right, 200, repeats, is_whole=is_whole)
        of = "of these answers" if is_whole else "of all examples that could be asked"
        yield f"GSM8K {of}, judge right in {right:.0%}: 200 labels | helped | labels alone | narrower by"
        for name, coverages in [*singles.items(), *pairs.items()]:
            yield _line(name, *coverages)
    opened, sealed = best_of(20, 50, repeats)
    yield f"best of 20 equal rubrics on 50 labels | {opened:.1%} on those | {sealed:.1%} on 50 others"


def _line(name: object, helped: Coverage, alone: Coverage) -> str:
    shown = " − ".join(reversed(name)) if isinstance(name, tuple) else name
    return f"{shown} {helped.truth:.3f} | {helped} | {alone} | {1 - helped.width / alone.width:.1%}"


if __name__ == "__main__":
    for line in lines(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000):
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
