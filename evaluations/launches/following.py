"""Scores answers while they arrive: the primary evaluator scores each run of a launch, rank by rank.

Only the longest prefix of ranks without a gap is scored, so that quick answers have no advantage.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from evaluations import kinds
from evaluations.evaluators.recipe import Recipe
from evaluations.experiments import experiments
from evaluations.models import EarlyScores, EvaluatorVersion, Experiment, Generation, Job, Launch, Output, Run
from evaluations.scoring import causes, formulas, jobs
from evaluations.scoring.causes import Cause, Causes
from evaluations.scoring.rows import Rows
from evaluations.statistics.terms import Values

from . import order

AT_ONCE = 500  # ranks that are scored at once
STOPPED = (Run.Status.FAILED, Run.Status.CANCELLED)


@dataclass(frozen=True)
class Ranked:
    """The scores of a run by rank, as far as it is scored."""

    values: Values
    causes: Causes

    @property
    def scored(self) -> Values:
        """The scores alone."""
        return np.asarray(self.values[self.causes == Cause.SCORED])

    @property
    def n(self) -> int:
        return len(self.scored)

    @property
    def mean(self) -> float | None:
        """What every page shows of answers whose run is not scored yet."""
        return float(self.scored.mean()) if self.n else None

    def filled(self, worst: float) -> Values:
        """The scores, with `worst` for examples without an answer."""
        values = np.where(self.causes == Cause.SCORED, self.values, np.nan)
        return np.where(self.causes == Cause.VARIANT, worst, values)


@dataclass(frozen=True)
class Early:
    """What the answers of a run that stopped say, by the evaluator `version` that scored them as they came."""

    version: EvaluatorVersion
    scores: Ranked


def primary_version(experiment: Experiment) -> EvaluatorVersion | None:
    """The evaluator version that scores arriving answers: the primary one, unless it calls a server or is a formula."""
    versions = experiments.versions_of(experiment)
    primary = next((version for version in versions if version.evaluator_id == experiment.primary_id), None)
    is_early = primary and jobs.lane_of(primary) == Job.TEXT and not formulas.is_derived(primary)
    return primary if is_early else None


def _is_recorded(version: EvaluatorVersion) -> bool:
    """Whether people or judges give its scores, so that nothing can be computed as answers arrive."""
    return kinds.get(version.kind, version.kind_version).is_recorded


class Follower:
    """Scores one launch. Several workers may do so at once: existing scores stay."""

    def __init__(self, launch: Launch) -> None:
        self.launch = launch

    @cached_property
    def version(self) -> EvaluatorVersion | None:
        if self.launch.stop:
            return EvaluatorVersion.objects.filter(pk=self.launch.stop["evaluator"]).first()
        version = primary_version(self.launch.experiment)
        return version if version and not _is_recorded(version) else None

    @cached_property
    def recipe(self) -> Recipe | None:
        return Recipe.from_version(self.version) if self.version else None

    @cached_property
    def by_rank(self) -> NDArray[np.int64]:
        return order.positions(self.launch)

    def follow(self) -> bool:
        """Score the next ranks of each run; returns whether there were any."""
        return self.recipe is not None and sum(map(self._score_next, runs_of(self.launch))) > 0

    def _score_next(self, run: Run) -> bool:
        first = _next_rank(run)
        positions = _settled(run, self.by_rank[first - 1 : first - 1 + AT_ONCE])
        if not len(positions):
            return False
        values, why = self._scores(run, positions)
        new = EarlyScores(run=run, first=first, values=values.astype("<f8").tobytes(), causes=why.tobytes())
        EarlyScores.objects.bulk_create([new], ignore_conflicts=True)
        return True

    def _scores(self, run: Run, positions: NDArray[np.int64]) -> tuple[Values, Causes]:
        """Scores and causes of a run's examples at `positions`, in that order."""
        assert self.recipe is not None
        rows = Rows.at(run, positions.tolist(), self.recipe.needs | {"output"})
        scores = self.recipe.scores(rows.contexts)
        failed = np.isin(rows.positions, _failed(run, positions))
        why = causes.of_scores(self.recipe, scores, rows.contexts.values(("output",)), failed)
        indices = np.searchsorted(rows.positions, positions)
        return scores.values[indices], why[indices]


def runs_of(launch: Launch) -> list[Run]:
    """The runs of a launch that are not deleted."""
    live = Run.objects.filter(generation__launch=launch, deleted_at=None).order_by("pk")
    return list(live.select_related("experiment__dataset", "project", "generation"))


def scores_of(run: Run) -> Ranked:
    """The scores of a run so far."""
    return scores_of_many([run])[run.pk]


def scores_of_many(runs: Sequence[Run]) -> dict[int, Ranked]:
    """The scores so far by run, in one query."""
    parts: dict[int, list[tuple[bytes, bytes]]] = {run.pk: [] for run in runs}
    stored = EarlyScores.objects.filter(run__in=runs).order_by("run", "first")
    for run_id, values, why in stored.values_list("run_id", "values", "causes"):
        parts[run_id].append((bytes(values), bytes(why)))
    return {
        pk: Ranked(
            np.frombuffer(b"".join(values for values, _ in of_one), "<f8"),
            np.frombuffer(b"".join(why for _, why in of_one), np.uint8),
        )
        for pk, of_one in parts.items()
    }


def early_of(runs: Iterable[Run]) -> dict[int, Early]:
    """By run, what the answers of those that stopped say before their run is scored: the figure of all pages."""
    stopped = [run for run in runs if run.status in STOPPED]
    scores = scores_of_many(stopped) if stopped else {}
    scored = [pk for pk, of_one in scores.items() if of_one.n]
    generations = (
        Generation.objects.filter(run__in=scored).select_related("launch__experiment") if scored else []
    )
    versions = {generation.run_id: Follower(generation.launch).version for generation in generations}
    return {pk: Early(version, scores[pk]) for pk, version in versions.items() if version}


def _next_rank(run: Run) -> int:
    last = run.early_scores.order_by("-first").values_list("first", "causes").first()
    return last[0] + len(last[1]) if last else 1


def _settled(run: Run, positions: NDArray[np.int64]) -> NDArray[np.int64]:
    """Those of the positions before the first without an output."""
    outputs = Output.objects.filter(run=run, position__in=positions.tolist())
    lacks = ~np.isin(positions, list(outputs.values_list("position", flat=True)))
    return positions[: int(np.argmax(lacks))] if lacks.any() else positions


def _failed(run: Run, positions: NDArray[np.int64]) -> Sequence[int]:
    failed = Output.objects.filter(run=run, position__in=positions.tolist(), error__isnull=False)
    return list(failed.exclude(error="").values_list("position", flat=True))
