"""Runs of one dataset side by side: aligned by position, compared with a baseline, evaluator by evaluator.

One function computes the numbers for page, API and export. Several runs of one variant can stand in one column,
each example with the mean of its scores.
"""

import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluations.errors import Invalid
from evaluations.evaluators.recipe import Recipe
from evaluations.models import Dataset, Evaluator, Run, Scoring
from evaluations.results import results
from evaluations.scoring import column_cache
from evaluations.scoring.columns import Slots
from evaluations.statistics import summary
from evaluations.statistics.clusters import average_repeats
from evaluations.statistics.corrections import correct
from evaluations.statistics.old_sentences import Part, parts
from evaluations.statistics.paired import Direction, Paired, compare

from . import cache, clustering, warnings
from .warnings import Scored

MOST_RUNS = 20
MOST_REPEATS = 100  # Runs in all, where several stand in one column.
Scorings = Mapping[int, Sequence[Scoring]]
Terms = tuple[Direction, tuple[float, float | None]]  # direction, bounds
Stamp = tuple[tuple[int, int | None, str], ...]
PairKey = tuple[int, Stamp, Stamp, str]


@dataclass(frozen=True)
class Entry:
    """One run, or the mean of several of its variant, against the baseline for one evaluator."""

    run: Run
    runs: Sequence[Run]
    evaluator: Evaluator
    paired: Paired

    def as_dict(self) -> dict[str, Any]:
        """The entry as the API spells it."""
        found, interval = self.paired, self.paired.interval
        return {
            "run": self.run.pk,
            "runs": [run.pk for run in self.runs],
            "variant": self.run.variant,
            "evaluator": {"id": self.evaluator.pk, "name": self.evaluator.name},
            "direction": found.direction,
            "mean": found.mean,
            "baseline_mean": found.baseline_mean,
            "n": found.n,
            "only_run": found.only_run,
            "only_baseline": found.only_baseline,
            "missing": found.missing,
            "error": found.error,
            "difference": found.difference,
            "interval": list(interval) if interval is not None else None,
            "interval_method": found.interval_method,
            "effect_size": found.effect_size,
            "p": found.p,
            "p_corrected": found.p_corrected,
            "method": found.method,
            "reason": found.reason,
            "seed": found.seed,
            "wins": found.wins,
            "losses": found.losses,
            "ties": found.ties,
            "tie_tolerance": found.tie_tolerance,
            "smallest_detectable": found.smallest,
            "verdict": found.verdict,
        }


@dataclass(frozen=True)
class Side:
    """One column: a run, or all runs of its variant, of which the newest stands for it.

    `scorings` are those of the runs by evaluator id.
    """

    run: Run
    runs: Sequence[Run]
    scorings: dict[int, list[Scoring]]

    @classmethod
    def of(cls, runs: Sequence[Run], scorings: Scorings) -> "Side":
        found: dict[int, list[Scoring]] = {}
        for scoring in (scoring for run in runs for scoring in scorings[run.pk]):
            found.setdefault(scoring.evaluator_version.evaluator_id, []).append(scoring)
        return cls(max(runs, key=lambda run: run.pk), runs, found)

    @property
    def is_averaged(self) -> bool:
        return len(self.runs) > 1


def sides(runs: Sequence[Run], scorings: Scorings, repeats: bool) -> list[Side]:
    """A column for each run, or with `repeats` for each variant of an experiment, in the order they came in."""
    groups: dict[Any, list[Run]] = {}
    for run in runs:
        groups.setdefault((run.experiment_id, run.variant) if repeats else run.pk, []).append(run)
    return [Side.of(group, scorings) for group in groups.values()]


class Comparison:
    """Runs against a baseline, which is the first of `sides`; nothing is computed before it is read.

    `scorings` by run may be given where several comparisons were fetched at once. `cluster` names a metadata
    column: examples with one value there belong together, and the statistics do not take them for independent.
    With `repeats` the runs of one variant are one column, in which every example has its mean score.
    """

    def __init__(
        self,
        runs: Sequence[Run],
        baseline: Run,
        scorings: Scorings | None = None,
        cluster: str = "",
        repeats: bool = False,
    ):
        self.runs = [baseline, *(run for run in runs if run.pk != baseline.pk)]
        check_comparable(self.runs)
        self._scorings = results.scorings_by_run(self.runs) if scorings is None else scorings
        self.repeats = repeats
        self.sides = sides(self.runs, self._scorings, repeats)
        if len(self.sides) > MOST_RUNS or len(self.runs) > MOST_REPEATS:
            raise Invalid("too_many_runs", f"At most {MOST_RUNS} runs can be compared.")
        self.baseline, *self.others = self.sides
        self._recipes: dict[int, Recipe] = {}
        self._known_terms: dict[int, Terms] = {}
        self.cluster = cluster
        if cluster:
            clustering.check(self.dataset, cluster)

    @property
    def dataset(self) -> Dataset:
        return self.baseline.run.experiment.dataset

    @cached_property
    def _clusters(self) -> NDArray[np.int64]:
        return clustering.labels(self.dataset, self.cluster)

    @cached_property
    def evaluators(self) -> list[Evaluator]:
        """Every evaluator that scored one of the runs, in the order of the first that has it."""
        found: dict[int, Evaluator] = {}
        for side in self.sides:
            for pk, scorings in side.scorings.items():
                found.setdefault(pk, scorings[0].evaluator_version.evaluator)
        return list(found.values())

    @cached_property
    def entries(self) -> list[Entry]:
        """One for each evaluator and column other than the baseline, corrected together."""
        wanted = [(evaluator, side) for evaluator in self.evaluators for side in self.others]
        keys = [self._key(side, evaluator.pk) for evaluator, side in wanted]
        known = cache.find(keys)
        lacking = {key[0] for key in keys if key not in known}
        column_cache.warm([scoring for pk in lacking for scoring in self._all_of(pk)], self._length)
        for evaluator_id in lacking:
            known |= self._compared(evaluator_id, [key for key in keys if key[0] == evaluator_id])
        family = correct([known[key] for key in keys])
        return [
            Entry(side.run, side.runs, evaluator, paired)
            for (evaluator, side), paired in zip(wanted, family, strict=True)
        ]

    def entry(self, run_id: int, evaluator_id: int) -> Entry:
        return next(e for e in self.entries if (e.run.pk, e.evaluator.pk) == (run_id, evaluator_id))

    def scoring(self, evaluator_id: int) -> Scoring:
        """The scoring that tells an evaluator's direction and bounds: the baseline's, else the first."""
        return next(side.scorings[evaluator_id][-1] for side in self.sides if evaluator_id in side.scorings)

    def columns(self, evaluator_id: int) -> list[Slots]:
        """The column of every side by one evaluator, equally long; absent where it did not score the run."""
        by_side = [side.scorings.get(evaluator_id, []) for side in self.sides]
        loaded = column_cache.of(self._all_of(evaluator_id), self._length)
        absent = Slots.absent(max(map(len, loaded.values()), default=0))
        return [_mean([loaded[scoring.pk] for scoring in scorings]) or absent for scorings in by_side]

    @property
    def _length(self) -> int:
        return self.dataset.last_position

    def _all_of(self, evaluator_id: int) -> list[Scoring]:
        return [scoring for side in self.sides for scoring in side.scorings.get(evaluator_id, [])]

    def _key(self, side: Side, evaluator_id: int) -> PairKey:
        """Names the scorings on both sides and the jobs that computed them."""
        ours, theirs = (
            tuple((s.pk, s.job_id, s.created_at.isoformat()) for s in each.scorings.get(evaluator_id, []))
            for each in (self.baseline, side)
        )
        return evaluator_id, ours, theirs, self.cluster

    def _compared(self, evaluator_id: int, keys: Sequence[PairKey]) -> dict[PairKey, Paired]:
        """Every column against the baseline's by one evaluator, from one reading."""
        baseline, *others = self.columns(evaluator_id)
        found = {
            key: self._paired(evaluator_id, side, baseline, column)
            for key, side, column in zip(keys, self.others, others, strict=True)
        }
        going = {scoring.pk for scoring in self._all_of(evaluator_id) if scoring.summary is None}
        ended = {key: one for key, one in found.items() if going.isdisjoint(pk for pk, *_ in key[1] + key[2])}
        cache.keep(ended)
        return found

    def _paired(self, evaluator_id: int, side: Side, baseline: Slots, column: Slots) -> Paired:
        direction, bounds = self._terms(evaluator_id)
        named = [[run.pk for run in each.runs] for each in (self.baseline, side)]
        return compare(
            baseline.values,
            column.values,
            direction=direction,
            statuses=(baseline.status, column.status),
            clusters=self._clusters[: len(column)] if self.cluster else None,
            bounds=bounds,
            seed=zlib.crc32(repr((evaluator_id, *named)).encode()),
        )

    def _terms(self, evaluator_id: int) -> Terms:
        if evaluator_id not in self._known_terms:
            recipe = self._recipe(evaluator_id)
            self._known_terms[evaluator_id] = recipe.kind.direction, recipe.bounds
        return self._known_terms[evaluator_id]

    def _recipe(self, evaluator_id: int) -> Recipe:
        if evaluator_id not in self._recipes:
            version = self.scoring(evaluator_id).evaluator_version
            self._recipes[evaluator_id] = Recipe.of(version)
        return self._recipes[evaluator_id]

    def unit(self, evaluator_id: int) -> str | None:
        """What the scores count, as "edits"."""
        return self._recipe(evaluator_id).kind.unit

    def direction(self, evaluator_id: int) -> Direction:
        return self._terms(evaluator_id)[0]

    def tie(self, evaluator_id: int) -> float:
        """The largest difference that counts as none."""
        return self._ties.get(evaluator_id, 0.0)

    @cached_property
    def _ties(self) -> dict[int, float]:
        return {entry.evaluator.pk: entry.paired.tie_tolerance for entry in self.entries}

    def bounds(self, evaluator_id: int) -> tuple[float, float | None]:
        return self._terms(evaluator_id)[1]

    @property
    def sentence(self) -> str:
        return "".join(text for _, text in self.parts)

    @cached_property
    def parts(self) -> list[Part]:
        """The sentence in parts: role and text."""
        by_side: dict[str, list[Paired]] = {self.label(side.run): [] for side in self.others}
        for entry in self.entries:
            by_side[self.label(entry.run)].append(entry.paired)
        return parts(by_side)

    def label(self, run: Run) -> str:
        """The variant; with the run's number where another column is of the same variant."""
        same = [side for side in self.sides if side.run.variant == run.variant]
        return run.variant if len(same) == 1 else f"{run.variant}, run {run.pk}"

    def own_mean(self, evaluator_id: int) -> float | None:
        """The baseline's mean over all its scores, whatever the others have."""
        values = self.columns(evaluator_id)[0].values
        return summary.mean_of(values[np.isfinite(values)])

    def is_behind(self, evaluator: Evaluator) -> bool:
        """Whether there is a newer version of an evaluator than any that scored these runs."""
        return max(n for n in self._versions_of(evaluator) if n) < evaluator.version

    @cached_property
    def uneven(self) -> list[Evaluator]:
        """Evaluators that did not score all runs, or not all with one version."""
        return [evaluator for evaluator in self.evaluators if len(self._versions_of(evaluator)) > 1]

    @property
    def alignable(self) -> list[Evaluator]:
        """Those of which some of these runs have the newest version already."""
        return [evaluator for evaluator in self.uneven if not self.is_behind(evaluator)]

    def _versions_of(self, evaluator: Evaluator) -> set[int | None]:
        scorings = (one.scorings.get(evaluator.pk) for one in self._scored)
        return {scoring and scoring.evaluator_version.number for scoring in scorings}

    @property
    def scorings(self) -> dict[Run, Sequence[Scoring]]:
        """The scorings of every run, one by one."""
        return {run: self._scorings[run.pk] for run in self.runs}

    @cached_property
    def _scored(self) -> list[Scored]:
        """The runs one by one, with names that tell them apart."""
        variants = Counter(run.variant for run in self.runs)
        names = {
            run: run.variant if variants[run.variant] == 1 else f"{run.variant}, run {run.pk}"
            for run in self.runs
        }
        return [
            Scored(run, name, {s.evaluator_version.evaluator_id: s for s in self._scorings[run.pk]})
            for run, name in names.items()
        ]

    @cached_property
    def warnings(self) -> list[dict[str, Any]]:
        """Every way in which the runs are not alike."""
        return warnings.warnings(self._scored, self.evaluators, self.repeats)

    def as_dict(self) -> dict[str, Any]:
        return {
            "baseline": self.baseline.run.pk,
            "cluster": self.cluster or None,
            "repeats": "mean" if self.repeats else None,
            "sentence": self.sentence,
            "warnings": self.warnings,
            "entries": [entry.as_dict() for entry in self.entries],
        }


def _mean(repeats: Sequence[Slots]) -> Slots | None:
    """One column of several: each example's mean over the runs in which it has a score."""
    if len(repeats) < 2:
        return repeats[0] if repeats else None
    values = average_repeats([column.values for column in repeats])
    status = np.minimum.reduce([column.status for column in repeats])
    return Slots(values, np.full(len(values), -1, np.int8), status)


def check_comparable(runs: Sequence[Run]) -> None:
    """Runs are aligned by position, so they must belong to one dataset."""
    datasets = {run.experiment.dataset_id: run.experiment.dataset.name for run in runs}
    if len(datasets) > 1:
        names = ", ".join(sorted(datasets.values()))
        raise Invalid("not_comparable", f"These runs are of different datasets: {names}.")
