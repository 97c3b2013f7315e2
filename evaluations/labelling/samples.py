"""Samples: which answers people are asked about. Only examples that were answered are drawn."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluations.datasets import datasets, stored_arrays
from evaluations.datasets.arrays import Numbers, numbered
from evaluations.datasets.live_positions import Positions
from evaluations.errors import Invalid
from evaluations.evaluators.recipe import Recipe
from evaluations.models import Dataset, LabelTask, Output, Run, Scoring
from evaluations.scoring import coverage

from . import seal

Drawn = LabelTask.Drawn


@dataclass(frozen=True)
class Sample:
    """Positions, and the probability with which each was drawn: None if they are not a random sample."""

    positions: list[int]
    probability: float | None


def random(runs: Sequence[Run], size: int, seed: int, *, in_all: bool) -> Sample:
    """`size` random examples out of those that a run (with `in_all`, every run) answered; all, if there are fewer."""
    candidates = answered(runs, in_all=in_all)
    positions = datasets.drawn(candidates, size, seed)
    return Sample(positions, len(positions) / len(candidates) if positions else None)


def spread(runs: Sequence[Run], column: str, size: int, seed: int, *, in_all: bool) -> Sample:
    """Like `random`, but each value of a metadata column has its share of the sample.

    Every k-th example is taken of all in the order of their values, from a random start. So all have the same chance,
    and estimates need no weights; their intervals are at most too wide.
    """
    dataset = runs[0].experiment.dataset
    if column not in dataset.columns.get("metadata", []):
        message = f"The dataset has no metadata column “{column}”."
        raise Invalid("invalid_task", message, fields={"by": [message]})
    candidates = answered(runs, in_all=in_all)
    size, total = min(size, len(candidates)), len(candidates)
    if not size:
        return Sample([], None)
    chance = np.random.default_rng(seed)
    shuffled = chance.permutation(total)
    ordered = shuffled[np.argsort(_codes(dataset, candidates, column)[shuffled], kind="stable")]
    taken = np.minimum((chance.random() + np.arange(size)) * total / size, total - 1).astype(np.intp)
    return Sample(candidates.at(np.sort(ordered[taken])).tolist(), size / total)


def _codes(dataset: Dataset, positions: Positions, column: str) -> NDArray[np.int32]:
    """By slot, a number for each value of a metadata column; −1 for none."""
    codes, numbers = np.full(len(positions), -1, np.int32), Numbers({None: -1})
    for slots, stretch in stored_arrays.metadata(dataset, positions, [column]):
        if coded := stretch.get(column):
            codes[slots] = np.append(numbered(coded.values, numbers), -1)[coded.codes]
    return codes


def chosen(runs: Sequence[Run], positions: Sequence[int]) -> Sample:
    """These examples, as far as one of the runs answered them."""
    candidates = answered(runs, in_all=False)
    wanted = candidates.every[np.isin(candidates.every, positions)]
    return Sample(wanted.tolist(), None)


def disagreements(runs: Sequence[Run], size: int, seed: int) -> Sample:
    """The examples on which evaluators differ most about an answer, the largest difference first."""
    candidates = answered(runs, in_all=False)
    spread = np.max([_spread(run, candidates) for run in runs], axis=0)
    shuffled = np.random.default_rng(seed).permutation(len(candidates))
    worst = shuffled[np.argsort(-spread[shuffled], kind="stable")][:size]
    return Sample(candidates.at(worst).tolist(), None)


def answered(runs: Sequence[Run], *, in_all: bool) -> Positions:
    """The positions, in the experiment's version, that one run (with `in_all`, every run) answered."""
    asked = coverage.asked_positions(runs)
    counted = np.zeros(len(asked), np.int64)
    for run in runs:
        stored = Output.objects.filter(run=run, text__isnull=False).values_list("position", flat=True)
        counted += asked.mask(np.fromiter(stored.iterator(), np.int64))
    return Positions.from_array(asked.every[counted >= (len(runs) if in_all else 1)])


def _spread(run: Run, positions: Positions) -> NDArray[np.float64]:
    """For each position the largest difference of two evaluators' scores, each as a share of its range."""
    scorings = Scoring.objects.filter(run=run).select_related("evaluator_version")
    bounded = {}
    for scoring in scorings:
        low, high = Recipe.from_version(scoring.evaluator_version).bounds
        if low is not None and high is not None and np.isfinite(high - low) and high > low:
            bounded[scoring] = low, high
    if len(bounded) < 2:
        message = f"{run.variant} has scores of fewer than two evaluators with a lowest and a highest score."
        raise Invalid("invalid_task", message, fields={"drawn": [message]})
    columns = seal.load(bounded, positions)
    shares = np.array(
        [(columns[scoring.pk].values - low) / (high - low) for scoring, (low, high) in bounded.items()]
    )
    highest, lowest = np.fmax.reduce(shares), np.fmin.reduce(shares)
    spread: NDArray[np.float64] = np.nan_to_num(highest - lowest, nan=0.0)
    return spread
