"""Samples: which answers people are asked about. Only examples that were answered are drawn."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluations.datasets import datasets, identities, live_positions, metadata, stored_arrays
from evaluations.datasets.arrays import Numbers, Value, numbered, values_of
from evaluations.datasets.bitmaps import Mask
from evaluations.datasets.live_positions import Positions
from evaluations.errors import Invalid
from evaluations.evaluators.recipe import Recipe
from evaluations.models import Dataset, LabelTask, Output, Run, Scoring
from evaluations.scoring import coverage
from evaluations.values import text_or_json

from . import parts, seal
from .parts import Codes, Part, Parts

Drawn = LabelTask.Drawn
Values = NDArray[np.float64]


@dataclass(frozen=True)
class Sample:
    """Positions, and the probability with which each was drawn: None if they are not a random sample.

    Of a sample in `parts` they have their own probabilities.
    """

    positions: list[int]
    probability: float | None
    parts: Parts | None = None


def random(candidates: Positions, size: int, seed: int) -> Sample:
    """`size` random examples out of the candidates; all, if there are fewer."""
    positions = datasets.drawn(candidates, size, seed)
    return Sample(positions, len(positions) / len(candidates) if positions else None)


def spread(dataset: Dataset, candidates: Positions, column: str, size: int, seed: int) -> Sample:
    """Like `random`, but each value of a metadata column has its share of the sample.

    Every k-th example is taken of all in the order of their values, from a random start. So all have the same chance,
    and estimates need no weights; their intervals are at most too wide.
    """
    codes, _ = _codes(dataset, candidates, column)
    size, total = min(size, len(candidates)), len(candidates)
    if not size:
        return Sample([], None)
    chance = np.random.default_rng(seed)
    shuffled = chance.permutation(total)
    ordered = shuffled[np.argsort(codes[shuffled], kind="stable")]
    taken = np.minimum((chance.random() + np.arange(size)) * total / size, total - 1).astype(np.intp)
    return Sample(candidates.at(np.sort(ordered[taken])).tolist(), size / total)


# ---- in parts ------------------------------------------------------------------------------------------------


def evenly(dataset: Dataset, candidates: Positions, column: str, size: int) -> tuple[Codes, list[Part]]:
    """By slot the part of a value of a metadata column, with the parts: equally many are drawn of each."""
    values, names = _codes(dataset, candidates, column)
    found, codes = np.unique(values, return_inverse=True)
    if len(found) > parts.MOST:
        raise _wrong("by", f"“{column}” has {len(found)} values; a part each can have at most {parts.MOST}.")
    sizes = np.bincount(codes, minlength=len(found)).tolist()
    drawn = parts.shares(sizes, size)
    titles = [f"{column} = {names[value]}" if value >= 0 else f"no {column}" for value in found.tolist()]
    return codes, [Part(*told) for told in zip(titles, sizes, drawn, strict=True)]


def differing(runs: Sequence[Run], candidates: Positions, size: int) -> tuple[Codes, list[Part]]:
    """By slot whether scores of an answer, or of two answers, differ by half of their range, with both parts.

    Half of the sample is drawn of all examples, and half of those that differ (a mixture with ρ = ½).
    """
    codes = (_differences(runs, candidates) < 0.5).astype(np.int64)
    differ, alike = (int((codes == code).sum()) for code in (0, 1))
    if not differ:
        raise _wrong("drawn", "On no example do scores differ by half of their range.")
    size = min(size, differ + alike)
    drawn = min(differ, round(size / 2 * (1 + differ / (differ + alike))))
    drawn = max(drawn, size - alike)
    return codes, [Part("scores differ", differ, drawn), Part("scores are alike", alike, size - drawn)]


def in_parts(
    examples: Codes, candidates: Positions, codes: Codes, named: Sequence[Part], seed: int
) -> Sample:
    """A random sample of each part; `examples` are the identities of the candidates."""
    chance = np.random.default_rng(seed)
    taken = [
        chance.choice(np.flatnonzero(codes == code), part.drawn, replace=False)
        for code, part in enumerate(named)
    ]
    kept = [code for code, part in enumerate(named) if part.size]
    found = Parts([named[code] for code in kept], examples, np.searchsorted(kept, codes))
    return Sample(candidates.at(np.sort(np.concatenate(taken))).tolist(), None, found)


def within(
    run: Run, candidates: Positions, positions: Sequence[int] | None, conditions: Sequence[tuple[str, str]]
) -> Mask:
    """The slots of candidates among these positions (None: all) with these values of metadata."""
    mask = np.ones(len(candidates), np.bool_)
    if positions is not None:
        mask &= np.isin(candidates.every, positions)
    metadata.require_columns(run.experiment.dataset, conditions)
    return mask & metadata.with_values(run.examples, conditions, candidates)


def identities_of(run: Run, candidates: Positions) -> Codes:
    dataset, version = run.experiment.dataset, run.experiment.dataset_version
    slots = live_positions.of_version(dataset, version).slots(candidates.every)
    return identities.of_version(dataset, version)[slots]


def _codes(dataset: Dataset, positions: Positions, column: str) -> tuple[NDArray[np.int32], list[str]]:
    """By slot, a number for each value of a metadata column, and the values; −1 for none."""
    if column not in dataset.columns.get("metadata", []):
        raise _wrong("by", f"The dataset has no metadata column “{column}”.")
    numbers = Numbers({None: -1})
    codes = np.full(len(positions), -1, np.int32)
    for slots, stretch in stored_arrays.metadata(dataset, positions, [column]):
        if coded := stretch.get(column):
            codes[slots] = np.append(numbered(coded.values, numbers), -1)[coded.codes]
    return codes, [_told(value) for value in values_of(numbers)]


def _told(value: Value) -> str:
    return "a long text" if isinstance(value, bytes) else text_or_json(value)[:100]


def _wrong(field: str, message: str) -> Invalid:
    return Invalid("invalid_task", message, fields={field: [message]})


# ---- chosen --------------------------------------------------------------------------------------------------


def chosen(runs: Sequence[Run], positions: Sequence[int]) -> Sample:
    """These examples, as far as one of the runs answered them, in the order of the dataset."""
    candidates = answered(runs, in_all=False)
    wanted = candidates.every[np.isin(candidates.every, positions)]
    return Sample(wanted.tolist(), None)


def disagreements(runs: Sequence[Run], size: int, seed: int) -> Sample:
    """The examples on which evaluators differ most about an answer, the largest difference first."""
    candidates = answered(runs, in_all=False)
    spread = np.max([_spread(run, _shares(run, candidates)) for run in runs], axis=0)
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


def _differences(runs: Sequence[Run], positions: Positions) -> Values:
    """For each position the largest difference of scores: of two runs' answers by one evaluator, or by two of one."""
    by_run = [_shares(run, positions) for run in runs]
    compared = [
        np.array([shares[evaluator] for shares in by_run if evaluator in shares])
        for evaluator in {evaluator for shares in by_run for evaluator in shares}
    ]
    compared += [np.array([*shares.values()]) for shares in by_run]
    wide = [_range(shares) for shares in compared if len(shares) > 1]
    if not wide:
        raise _wrong("drawn", "No two scores can differ: choose two variants, or score by two evaluators.")
    found: Values = np.max(wide, axis=0)
    return found


def _spread(run: Run, shares: dict[int, Values]) -> Values:
    """For each position the largest difference of two evaluators' scores."""
    if len(shares) < 2:
        message = f"{run.variant} has scores of fewer than two evaluators with a lowest and a highest score."
        raise _wrong("drawn", message)
    return _range(np.array([*shares.values()]))


def _range(shares: Values) -> Values:
    found: Values = np.nan_to_num(np.fmax.reduce(shares) - np.fmin.reduce(shares), nan=0.0)
    return found


def _shares(run: Run, positions: Positions) -> dict[int, Values]:
    """By evaluator with a lowest and a highest score, the scores from 0 (worst) to 1 (best)."""
    recipes = {
        scoring: Recipe.from_version(scoring.evaluator_version)
        for scoring in Scoring.objects.filter(run=run).select_related("evaluator_version")
    }
    columns = seal.load([scoring for scoring, recipe in recipes.items() if _is_bounded(recipe)], positions)
    return {
        scoring.evaluator_version.evaluator_id: _share(recipe, columns[scoring.pk].values)
        for scoring, recipe in recipes.items()
        if scoring.pk in columns
    }


def _is_bounded(recipe: Recipe) -> bool:
    low, high = recipe.bounds
    return low is not None and high is not None and bool(np.isfinite(high - low)) and high > low


def _share(recipe: Recipe, scores: Values) -> Values:
    low, high = recipe.bounds
    assert low is not None
    assert high is not None
    shares: Values = (scores - low) / (high - low)
    return 1 - shares if recipe.direction == "minimize" else shares
