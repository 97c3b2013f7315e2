"""Compares many families at once: the product's figures, laws and evidence, with draws shared by a batch.

Separate draws for thousands of families would take hours; the families of a batch share flips and resamples, which is
fair, because their data are independent. There are a tenth of the real number of draws, which changes a rate of 5 % by
less than the simulation's own error.
"""

import copy
import os
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from evaluations.statistics import evidence, figures, law
from evaluations.statistics.clusters import Grouping
from evaluations.statistics.evidence import Family
from evaluations.statistics.figures import Figures, Scores
from evaluations.statistics.terms import FEWEST_CHANGES, Column, Difference, Scale

SCORES = Scale("maximize", binary=False)
MATCH = Scale("maximize", binary=True, low=0, high=1)
SIMULATIONS = int(os.environ.get("SIMULATIONS", "2000"))
BATCH = 200
DRAWS = 999
Sample = NDArray[np.float64]  # columns by examples


class Batch(law.Drawn):
    """The draws of many families at once."""

    def family(self, members: Sequence[int]) -> law.Drawn:
        """The law of some of its columns, as if drawn for them alone."""
        batch = copy.copy(self)
        batch._units, batch._flipped = self._units[:, members], self._flipped[members]
        batch._guarded = self._guarded[members]
        batch._resampled = self._resampled[self._guarded_index[members][batch._guarded]]
        batch._guarded_index, batch.columns = np.cumsum(batch._guarded) - 1, len(members)
        return batch


def compared(
    samples: Sequence[Sample], scale: Scale, groupings: Sequence[Grouping | None] = (), seed: int = 1
) -> Iterator[list[Difference]]:
    """Every family of differences against a baseline of zeros."""
    groupings = list(groupings) or [None] * len(samples)
    families = [
        [_figures(d, scale, grouping) for d in family]
        for family, grouping in zip(samples, groupings, strict=True)
    ]
    members = [[member for member in family if member.changed >= FEWEST_CHANGES] for family in families]
    by_example = _laws(members, seed, scale, lambda member: member.row_differences, _centred)
    by_cluster = _laws(
        [[member for member in family if member.clustered] for family in members],
        seed,
        SCORES,
        lambda member: member.clustered.sums,
        lambda member: member.clustered.centred(),
    )
    for family, example_law, cluster_law in zip(families, by_example, by_cluster, strict=True):
        column = iter(range(len(family)))
        laws = Family(example_law, cluster_law)
        yield [
            evidence.compare(member, scale, laws, next(column) if member.changed >= FEWEST_CHANGES else None)
            for member in family
        ]


def _figures(d: Sample, scale: Scale, grouping: Grouping | None) -> Figures:
    zeros = Scores(Column(np.zeros(len(d))))
    labels = None if grouping is None else grouping.codes
    return figures.compute(zeros, Scores(Column(d)), scale, slice(None), labels)


def _centred(column_figures: Figures) -> Sample:
    return law.centred(column_figures.row_differences[:, None])[:, 0]


def _laws(members, seed, scale, units, centre) -> list[law.Law | None]:
    """The law of every family, from one batch of draws; None for a family without members."""
    flat = [member for family in members for member in family]
    if not flat:
        return [None] * len(members)
    length = max(len(units(member)) for member in flat)
    batch = Batch(
        np.column_stack([_padded(units(member), length) for member in flat]),
        np.column_stack([_padded(centre(member), length) for member in flat]),
        np.full(len(flat), not scale.binary),
        seed,
    )
    ends = np.cumsum([len(family) for family in members])
    return [
        batch.family(range(end - len(family), end)) if family else None
        for family, end in zip(members, ends.tolist(), strict=True)
    ]


def _padded(values: Sample, length: int) -> Sample:
    return np.concatenate([values, np.zeros(length - len(values))])
