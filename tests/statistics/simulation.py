"""Compares many families at once: the product's figures, laws and evidence, with random numbers shared by a batch.

Separate random numbers for thousands of families would take hours; families with equally many examples share flips and
resamples, which is fair, because their data are independent. There are a fifth of the real number of draws, which
changes a rate of 5 % by less than the simulation's own error.
"""

import os
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from evaluations.statistics import evidence, figures
from evaluations.statistics.clusters import Grouping
from evaluations.statistics.evidence import Family
from evaluations.statistics.figures import Figures, Scores
from evaluations.statistics.law.drawn import Drawn
from evaluations.statistics.law.draws import Source
from evaluations.statistics.law.table import Table, centred, sparse
from evaluations.statistics.terms import FEWEST_CHANGES, Column, Difference, Scale

SCORES = Scale("maximize", binary=False)
MATCH = Scale("maximize", binary=True, low=0, high=1)
SIMULATIONS = int(os.environ.get("SIMULATIONS", "2000"))
BATCH = 200
DRAWS = 1_999
Sample = NDArray[np.float64]  # columns by examples


class Shared(Source):
    """Random numbers drawn once for families of equal size."""

    def __init__(self, seed: int):
        super().__init__(seed)
        self._drawn: dict[object, list] = {}

    def flips(self, m: int):
        return self._once(("flips", m), lambda: super(Shared, self).flips(m))

    def counts(self, n: int, m: int):
        whole = self._once(("counts", n), lambda: super(Shared, self).counts(n, n))
        return (part[:m] for part in whole)

    def picks(self, n: int):
        return self._once(("picks", n), lambda: super(Shared, self).picks(n))

    def _once(self, key, draw):
        if key not in self._drawn:
            self._drawn[key] = list(draw())
        return self._drawn[key]


def compared(
    samples: Sequence[Sample], scale: Scale, groupings: Sequence[Grouping | None] = (), seed: int = 1
) -> Iterator[list[Difference]]:
    """Every family of differences against a baseline of zeros."""
    source = Shared(seed)
    for family, grouping in zip(samples, groupings or [None] * len(samples), strict=True):
        yield of_family(family, scale, grouping, source)


def of_family(
    family: Sample, scale: Scale, grouping: Grouping | None, source: Source | None
) -> list[Difference]:
    counted = [_figures(d, scale, grouping) for d in family]
    members = [k for k, column in enumerate(counted) if column.changed >= FEWEST_CHANGES]
    laws = _laws([counted[k] for k in members], scale, source)
    places = {k: number for number, k in enumerate(members)}
    return [evidence.compare(column, scale, laws, places.get(k)) for k, column in enumerate(counted)]


def _figures(d: Sample, scale: Scale, grouping: Grouping | None) -> Figures:
    labels = None if grouping is None else grouping.codes
    baseline, variant = (Scores(Column(values)) for values in (np.zeros(len(d)), d))
    span = figures.common_span(scale, [baseline, variant])
    return figures.compute([(baseline, variant)], scale, slice(None), labels, span)[0]


def _laws(members: Sequence[Figures], scale: Scale, source: Source | None) -> Family:
    if not members:
        return Family(None)
    units = np.column_stack([member.row_differences for member in members])
    few = sparse([member.changed for member in members], [member.n for member in members])
    by_example = _law(units, centred(units), not scale.binary, source, few)
    if members[0].clustered is None:
        return Family(by_example)
    sums = np.column_stack([member.clustered.sums for member in members])
    centre = np.column_stack([member.clustered.centred() for member in members])
    return Family(by_example, _law(sums, centre, True, source))


def _law(
    units: Sample, centre: Sample, is_guarded: bool, source: Source | None, few: Sample | None = None
) -> Drawn:
    return Drawn(Table.of(units, centre, np.full(units.shape[1], is_guarded), few), source)
