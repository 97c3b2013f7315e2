"""The tables of docs/simulations.md about several variants: python -m tests.statistics.tables [families a cell].

Random data with a known truth, through the product's figures, laws and evidence, with 1 999 draws.
"""

import itertools
import sys
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from evaluations.statistics.law import draws
from evaluations.statistics.terms import Difference, Scale

from .simulation import DRAWS, SCORES, Shared, of_family

Maker = Callable[[np.random.Generator, int], NDArray[np.float64]]
BOUNDED = Scale("maximize", binary=False, low=0, high=1)
SIZES = (20, 30, 50, 100)
SHAPES: dict[str, Maker] = {
    "normal": lambda chance, n: chance.normal(0, 1, n),
    "lognormal": lambda chance, n: chance.lognormal(0, 1, n) - np.exp(0.5),
    "one gain in ten": lambda chance, n: (
        np.where(chance.random(n) < 0.1, 0.9, -0.1) * chance.uniform(0.8, 1.2, n)
    ),
    "ties 90 %": lambda chance, n: np.where(chance.random(n) < 0.9, 0.0, chance.normal(0, 1, n)),
}
RARE: dict[str, Maker] = {
    "one gain in fifty": lambda chance, n: np.where(chance.random(n) < 0.02, 0.784, -0.016),
    "one in two hundred": lambda chance, n: np.where(chance.random(n) < 0.005, 0.796, -0.004),
    "the same under noise": lambda chance, n: (
        np.where(chance.random(n) < 0.02, 0.784, -0.016) + chance.uniform(-0.05, 0.05, n)
    ),
}
RATES = ((0.95, 0.93, 0.90, 0.75, 0.70, 0.25), (0.90, 0.88, 0.50, 0.45), (0.95, 0.93, 0.90))


def say(*words: object) -> None:
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()


def pairs_of(columns: list[NDArray[np.float64]]) -> NDArray[np.float64]:
    """The differences of all pairs of variants."""
    return np.array([columns[j] - columns[i] for i, j in itertools.combinations(range(len(columns)), 2)])


def verdicts(family: list[Difference]) -> list[bool]:
    return [difference.verdict in ("better", "worse") for difference in family]


def one(make: Maker, chance: np.random.Generator, n: int) -> NDArray[np.float64]:
    return np.array([make(chance, n)])


def four_variants(make: Maker, chance: np.random.Generator, n: int) -> NDArray[np.float64]:
    return pairs_of([np.zeros(n), *(make(chance, n) for _ in range(3))])


def eight_evaluators(make: Maker, chance: np.random.Generator, n: int) -> NDArray[np.float64]:
    return np.array([make(chance, n) for _ in range(8)])


def errors(families: int) -> None:
    say("family error, %: two variants / four variants, all pairs / eight evaluators")
    for name, make in SHAPES.items():
        cells = []
        for n in SIZES:
            rates = []
            for draw in (one, four_variants, eight_evaluators):
                chance, source = np.random.default_rng(n), Shared(1)
                wrong = [
                    any(verdicts(of_family(draw(make, chance, n), SCORES, None, source)))
                    for _ in range(families)
                ]
                rates.append(100 * np.mean(wrong))
            cells.append(" / ".join(f"{rate:.1f}" for rate in rates))
        say(f"{name:18} {' | '.join(cells)}")


def rare(families: int) -> None:
    say("false verdicts of rare gains within 0 to 1, %: without the line / of these, with the line")
    for name, make in RARE.items():
        cells = []
        for n in (10, *SIZES, 200):
            chance, source = np.random.default_rng(n), Shared(1)
            found = [of_family(make(chance, n)[None], BOUNDED, None, source)[0] for _ in range(families)]
            clear = [difference for difference in found if difference.verdict != "cannot_tell"]
            told = [difference for difference in clear if difference.overturned_by == 1]
            cells.append(
                f"{100 * (len(clear) - len(told)) / families:.1f} / {100 * len(told) / families:.1f}"
            )
        say(f"{name:22} {' | '.join(cells)}")


def widths(families: int) -> None:
    say("joint width of 0/1 scores against Bonferroni's t: median, 90 %, maximum; ends beyond the range")
    for rates in RATES:
        for n in (50, 100, 200):
            chance, source, ratios, beyond = np.random.default_rng(n), Shared(1), [], 0
            for _ in range(max(families // 10, 5)):
                hardness = chance.random(n)
                scores = [
                    (
                        chance.random(n) < np.where(hardness < 0.5, 2 * rate - 1, 1.0)
                        if rate > 0.5
                        else chance.random(n) < rate
                    )
                    * 1.0
                    for rate in rates
                ]
                family = of_family(pairs_of(scores), BOUNDED, None, source)
                t = stats.t.ppf(1 - 0.025 / len(family), n - 1)
                for pair in family:
                    if pair.interval and pair.interval_method == "studentised" and pair.standard_error:
                        low, high = pair.interval
                        ratios.append((high - low) / (2 * t * pair.standard_error))
                        beyond += low < -1 or high > 1
            if not ratios:
                continue
            shown = [np.median(ratios), np.quantile(ratios, 0.9), max(ratios)]
            say(rates, n, " ".join(f"{ratio:.2f}" for ratio in shown), beyond)


def coverage(families: int) -> None:
    say(
        "joint coverage, %, of four shifted variants, the first constant or like the others; power at 3.6 errors, %"
    )
    constant = [(name, make, lambda _, n: np.zeros(n)) for name, make in SHAPES.items()]
    for name, make, first in [*constant, ("four lognormal", SHAPES["lognormal"], SHAPES["lognormal"])]:
        cells = []
        for n in (30, 50, 100):
            chance, source, holds, found = np.random.default_rng(n), Shared(1), 0, 0
            for _ in range(families):
                columns = [first(chance, n), *(make(chance, n) for _ in range(3))]
                shifts = np.array([0, 3.6 * np.std(columns[1]) / np.sqrt(n), 0.5, -0.5])
                shifted = [column + shift for column, shift in zip(columns, shifts, strict=True)]
                family = of_family(pairs_of(shifted), SCORES, None, source)
                truth = [shifts[j] - shifts[i] for i, j in itertools.combinations(range(4), 2)]
                holds += all(
                    pair.interval is None or pair.interval[0] <= true <= pair.interval[1]
                    for pair, true in zip(family, truth, strict=True)
                )
                found += family[0].verdict == "better"
            cells.append(f"{100 * holds / families:.1f}, {100 * found / families:.0f}")
        say(f"{name:18} {' | '.join(cells)}")


if __name__ == "__main__":
    draws.DRAWS = DRAWS
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    for table in (rare, widths, coverage, errors):
        table(number)
