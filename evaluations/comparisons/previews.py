"""Previews what the newest version of an evaluator would change in scored runs. Nothing is stored.

The preview scores all asked examples of a run, or a seeded sample of `MOST_EXAMPLES` that is the same for every run.
Only stored vectors are used, so a preview costs nothing.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from evaluations import kinds
from evaluations.datasets import datasets
from evaluations.datasets.live_positions import Positions
from evaluations.evaluators import apart, embeddings
from evaluations.evaluators.embeddings import NOT_PAID
from evaluations.evaluators.recipe import Recipe
from evaluations.evaluators.versions import Difference, differences
from evaluations.experiments import about, experiments
from evaluations.kinds.scores import Scores
from evaluations.models import Evaluator, EvaluatorVersion, Experiment, Run, Scoring
from evaluations.results.shown import scorings_by_run
from evaluations.scoring import columns, coverage, formulas
from evaluations.scoring.rows import Rows

from .preview_changes import Change, RunPreview, run_preview

MOST_EXAMPLES = 2_000


@dataclass(frozen=True)
class EvaluatorPreview:
    """All runs by the newest version of one evaluator; `before` and `after` are the variants, best first.

    Variants with equal means are in one list. `settings` are the differences from the oldest version in use.
    """

    version: EvaluatorVersion
    runs: list[RunPreview]
    settings: list[Difference]
    before: list[list[str]]
    after: list[list[str]]

    @property
    def is_reordered(self) -> bool:
        return self.before != self.after


@dataclass(frozen=True)
class Preview:
    """The preview of `looked_at` of `total` examples. `seed` is the seed of the sample, None if they are all."""

    experiment: Experiment
    evaluators: list[EvaluatorPreview]
    looked_at: int
    total: int
    seed: int | None


def outdated(experiment: Experiment) -> list[Evaluator]:
    """Evaluators by which a shown run has scores of older versions only."""
    scorings = scorings_by_run(experiments.scorable_runs(experiment))
    versions = {s.evaluator_version for of_run in scorings.values() for s in of_run}
    evaluators = {v.evaluator: v.pk for v in versions if v.number < v.evaluator.version and _is_computed(v)}
    return sorted(evaluators, key=lambda evaluator: evaluator.pk)


def _is_computed(version: EvaluatorVersion) -> bool:
    return version.kind in kinds.CATALOGUE and not formulas.is_derived(version)


def unseen(experiment: Experiment, evaluators: Iterable[Evaluator]) -> list[Evaluator]:
    """Evaluators whose newest version has scored no shown run, while an older one has."""
    scorings = scorings_by_run(experiments.scorable_runs(experiment))
    newest: dict[int, int] = {}
    for scoring in (s for of_run in scorings.values() for s in of_run):
        version = scoring.evaluator_version
        if not _is_computed(version):
            continue
        newest[version.evaluator_id] = max(newest.get(version.evaluator_id, 0), version.number)
    return [evaluator for evaluator in evaluators if 0 < newest.get(evaluator.pk, 0) < evaluator.version]


def preview(experiment: Experiment, evaluators: Sequence[Evaluator]) -> Preview:
    """Score with the newest versions, without storing anything."""
    runs = experiments.scorable_runs(experiment)
    asked_positions = coverage.asked_positions(runs) if runs else Positions(1, 0)
    positions = datasets.drawn(asked_positions, MOST_EXAMPLES, experiment.pk)
    computed = [version for version in experiments.newest(evaluators) if _is_computed(version)]
    rescored = _rescored(runs, computed, positions)
    return Preview(
        experiment=experiment,
        evaluators=[_evaluator(evaluator) for evaluator in rescored],
        looked_at=len(positions) if rescored else 0,
        total=len(asked_positions),
        seed=experiment.pk if len(asked_positions) > MOST_EXAMPLES else None,
    )


@dataclass
class _Rescored:
    """The scores of runs by the newest version of one evaluator."""

    version: EvaluatorVersion
    recipe: Recipe
    runs: list[RunPreview] = field(default_factory=list)


def _rescored(
    runs: Sequence[Run], versions: Sequence[EvaluatorVersion], positions: Sequence[int]
) -> list[_Rescored]:
    """One entry per version, with every run scored at those of the positions that it was asked."""
    evaluators = [_Rescored(version, Recipe.from_version(version)) for version in versions]
    needs = frozenset().union(*(evaluator.recipe.needs for evaluator in evaluators))
    scorings = scorings_by_run(runs)
    chosen = np.array(positions, np.int64)
    for run in runs:
        rows = Rows.at(run, chosen[coverage.is_asked(run, chosen)].tolist(), needs)
        for evaluator in evaluators:
            same = (
                s
                for s in scorings[run.pk]
                if s.evaluator_version.evaluator_id == evaluator.version.evaluator_id
            )
            evaluator.runs.append(
                _run_preview(evaluator, run, about.label(run, runs), rows, next(same, None))
            )
    return evaluators


def _run_preview(
    evaluator: _Rescored, run: Run, name: str, rows: Rows, scoring: Scoring | None
) -> RunPreview:
    old = _stored(run, rows, scoring)
    new = old
    if scoring is None or scoring.evaluator_version_id != evaluator.version.pk:
        embed = embeddings.embedder(run.project, evaluator.recipe)
        new = apart.scores(evaluator.recipe, rows.contexts, embed=embed)
    is_comparable = np.ones(len(old.values), np.bool_)
    is_comparable[[row for row, text in new.messages.items() if text == NOT_PAID]] = False
    return run_preview(
        run,
        name,
        scoring.evaluator_version if scoring else None,
        Change(old, new, is_comparable, rows.positions),
    )


def _stored(run: Run, rows: Rows, scoring: Scoring | None) -> Scores:
    """The scores of a scoring at these rows; empty if it is None."""
    positions = coverage.positions(run)
    slots = positions.slots(rows.positions)
    if scoring is None:
        return Scores.empty(len(slots))
    stored_slots = columns.load_many([scoring.pk], positions)[scoring.pk].at(slots)
    return Scores(stored_slots.values, stored_slots.passed, stored_slots.status)


def _evaluator(evaluator: _Rescored) -> EvaluatorPreview:
    compared = [run for run in evaluator.runs if run.old and run.n]
    names = [run.name for run in compared]
    in_use = [run.old for run in compared if run.old]
    older = min(in_use, key=lambda version: version.number, default=evaluator.version)
    low_is_better = evaluator.recipe.direction == "minimize"
    return EvaluatorPreview(
        version=evaluator.version,
        runs=sorted(evaluator.runs, key=partial(_place, low_is_better)),
        settings=differences(older, evaluator.version),
        before=_order(names, [run.old_mean for run in compared], low_is_better),
        after=_order(names, [run.new_mean for run in compared], low_is_better),
    )


def _place(low_is_better: bool, run: RunPreview) -> float:
    """The sort key of a run: by its mean by the newest version, best first, those without one last."""
    return math.inf if run.new_mean is None else run.new_mean if low_is_better else -run.new_mean


def _order(names: Sequence[str], means: Sequence[float | None], low_is_better: bool) -> list[list[str]]:
    """The names in groups of equal means, best group first; within a group in the given order."""
    by_mean: dict[float, list[str]] = {}
    for name, mean in zip(names, means, strict=True):
        if mean is not None:
            by_mean.setdefault(round(mean, 12), []).append(name)
    return [by_mean[mean] for mean in sorted(by_mean, reverse=not low_is_better)]
