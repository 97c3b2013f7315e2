"""Runs of one dataset side by side: aligned by position, compared with a baseline, evaluator by evaluator.

One function computes the numbers for page, API and export. Values are kept in the process for the pair of
scorings they belong to, which never change once their jobs have ended.
"""

import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from . import columns, results
from .columns import Slots
from .errors import Invalid
from .evaluation import Recipe
from .models import Evaluator, Run, Scoring
from .statistics.corrections import correct
from .statistics.paired import Direction, Paired, compare
from .statistics.sentences import Part, parts
from .values import canonical_json

MOST_RUNS = 20
Scorings = Mapping[int, Sequence[Scoring]]
MOST_KEPT = 2_000
Stamp = tuple[int, int | None, bool] | None
PairKey = tuple[int, Stamp, Stamp, str]
_kept: dict[PairKey, Paired] = {}


@dataclass(frozen=True)
class Entry:
    """One run against the baseline for one evaluator."""

    run: Run
    evaluator: Evaluator
    paired: Paired

    def as_dict(self) -> dict[str, Any]:
        """The entry as the API spells it."""
        found, interval = self.paired, self.paired.interval
        return {
            "run": self.run.pk,
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
    """The scorings of one run, by evaluator id."""

    run: Run
    scorings: dict[int, Scoring]

    @classmethod
    def of(cls, run: Run, scorings: Iterable[Scoring]) -> "Side":
        return cls(run, {scoring.evaluator_version.evaluator_id: scoring for scoring in scorings})


class Comparison:
    """Runs against a baseline, which is the first of `sides`; nothing is computed before it is read.

    `scorings` by run may be given where several comparisons were fetched at once. `cluster` names a metadata
    column: examples with one value there belong together, and the statistics do not take them for independent.
    """

    def __init__(
        self, runs: Sequence[Run], baseline: Run, scorings: Scorings | None = None, cluster: str = ""
    ):
        others = [run for run in runs if run.pk != baseline.pk]
        if len(others) >= MOST_RUNS:
            raise Invalid("too_many_runs", f"At most {MOST_RUNS} runs can be compared.")
        check_comparable([baseline, *others])
        scorings = results.scorings_by_run([baseline, *others]) if scorings is None else scorings
        self.baseline = Side.of(baseline, scorings[baseline.pk])
        self.others = [Side.of(run, scorings[run.pk]) for run in others]
        self.sides = [self.baseline, *self.others]
        self._recipes: dict[int, Recipe] = {}
        self.cluster = cluster
        if cluster and cluster not in self.cluster_columns:
            known = ", ".join(self.cluster_columns) or "none"
            message = f"The dataset has no metadata column “{cluster}”; it has: {known}."
            raise Invalid("missing_column", message, fields={"cluster": [message]})

    @property
    def cluster_columns(self) -> list[str]:
        """The metadata columns that could say which examples belong together."""
        return self.baseline.run.experiment.dataset.columns.get("metadata", [])

    @cached_property
    def _clusters(self) -> NDArray[np.int64]:
        """A label for each slot: equal where the metadata column is, its own where there is no value."""
        dataset = self.baseline.run.experiment.dataset
        # A column ends with its last block, behind the last position.
        labels = -1 - np.arange(dataset.last_position + columns.CHUNK, dtype=np.int64)
        numbers: dict[str, int] = {}
        for position, metadata in dataset.examples.values_list("position", "metadata").iterator():
            value = orjson.loads(metadata).get(self.cluster)
            if value is not None:
                labels[position - 1] = numbers.setdefault(canonical_json(value), len(numbers))
        return labels

    @cached_property
    def evaluators(self) -> list[Evaluator]:
        """Every evaluator that scored one of the runs, in the order of the first that has it."""
        found: dict[int, Evaluator] = {}
        for side in self.sides:
            for pk, scoring in side.scorings.items():
                found.setdefault(pk, scoring.evaluator_version.evaluator)
        return list(found.values())

    @cached_property
    def entries(self) -> list[Entry]:
        """One for each evaluator and run other than the baseline, corrected together."""
        pairs = [(side, ev, paired) for ev in self.evaluators for side, paired in self._pairs(ev.pk)]
        family = correct([paired for *_, paired in pairs])
        return [Entry(side.run, ev, paired) for (side, ev, _), paired in zip(pairs, family, strict=True)]

    def entry(self, run_id: int, evaluator_id: int) -> Entry:
        return next(e for e in self.entries if (e.run.pk, e.evaluator.pk) == (run_id, evaluator_id))

    def scoring(self, evaluator_id: int) -> Scoring:
        """The scoring that tells an evaluator's direction and bounds: the baseline's, else the first."""
        return next(side.scorings[evaluator_id] for side in self.sides if evaluator_id in side.scorings)

    def columns(self, evaluator_id: int) -> list[Slots]:
        """The column of every side by one evaluator, equally long; absent where it did not score the run."""
        ids = [side.scorings[evaluator_id].pk for side in self.sides if evaluator_id in side.scorings]
        loaded = columns.load_many(ids, self.baseline.run.experiment.dataset.last_position)
        absent = Slots.absent(max(map(len, loaded.values()), default=0))
        found = (side.scorings.get(evaluator_id) for side in self.sides)
        return [loaded[scoring.pk] if scoring else absent for scoring in found]

    def _pairs(self, evaluator_id: int) -> list[tuple[Side, Paired]]:
        """Each run against the baseline; only what is not known yet is computed, from one reading."""
        keys = [self._key(side, evaluator_id) for side in self.others]
        found = [_kept.get(key) for key in keys]
        if None in found:
            baseline, *others = self.columns(evaluator_id)
            for n, (key, column) in enumerate(zip(keys, others, strict=True)):
                found[n] = found[n] or self._compared(key, baseline, column, evaluator_id)
        return [(side, paired) for side, paired in zip(self.others, found, strict=True) if paired]

    def _key(self, side: Side, evaluator_id: int) -> PairKey:
        """Names two scorings and the jobs that computed them."""
        found = [each.scorings.get(evaluator_id) for each in (self.baseline, side)]
        ours, theirs = ((s.pk, s.job_id, s.summary is not None) if s else None for s in found)
        return evaluator_id, ours, theirs, self.cluster

    def _compared(self, key: PairKey, baseline: Slots, column: Slots, evaluator_id: int) -> Paired:
        direction, bounds = self._terms(evaluator_id)
        paired = compare(
            baseline.values,
            column.values,
            direction=direction,
            statuses=(baseline.status, column.status),
            clusters=self._clusters[: len(column)] if self.cluster else None,
            bounds=bounds,
            seed=zlib.crc32(repr(key[1:3]).encode()),
        )
        if all(part is None or part[-1] for part in key[1:3]):
            _keep(key, paired)
        return paired

    def _terms(self, evaluator_id: int) -> tuple[Direction, tuple[float, float | None]]:
        recipe = self._recipe(evaluator_id)
        return recipe.kind.direction, recipe.bounds

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
        return next((e.paired.tie_tolerance for e in self.entries if e.evaluator.pk == evaluator_id), 0.0)

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
        """The variant; with the run's number where two runs are of one variant."""
        same = [side for side in self.sides if side.run.variant == run.variant]
        return run.variant if len(same) == 1 else f"{run.variant}, run {run.pk}"

    def is_behind(self, evaluator: Evaluator) -> bool:
        """Whether there is a newer version of an evaluator than any that scored these runs."""
        return max(n for n in self._versions_of(evaluator) if n) < evaluator.version

    @cached_property
    def uneven(self) -> list[Evaluator]:
        """Evaluators that did not score all runs, or not all with one version."""
        return [evaluator for evaluator in self.evaluators if len(self._versions_of(evaluator)) > 1]

    def _versions_of(self, evaluator: Evaluator) -> set[int | None]:
        scorings = (side.scorings.get(evaluator.pk) for side in self.sides)
        return {scoring and scoring.evaluator_version.number for scoring in scorings}

    @cached_property
    def warnings(self) -> list[dict[str, Any]]:
        """Every way in which the runs are not alike."""
        return [*self._unfinished(), *self._versions(), *self._missing()]

    def _unfinished(self) -> list[dict[str, Any]]:
        going = [side.run.variant for side in self.sides if side.run.status in Run.OPEN]
        return (
            [_warning("unfinished", f"Figures so far: {_names(going)} still being scored.")] if going else []
        )

    def _versions(self) -> list[dict[str, Any]]:
        found = []
        for evaluator in self.evaluators:
            by_version: dict[int, list[str]] = {}
            for side in self.sides:
                if scoring := side.scorings.get(evaluator.pk):
                    by_version.setdefault(scoring.evaluator_version.number, []).append(side.run.variant)
            if len(by_version) > 1:
                parts = "; ".join(
                    f"{', '.join(names)} with v{number}" for number, names in sorted(by_version.items())
                )
                found.append(
                    _warning("evaluator_versions", f"{evaluator.name} has several versions here: {parts}.")
                )
            if lacking := [side.run.variant for side in self.sides if evaluator.pk not in side.scorings]:
                found.append(
                    _warning("not_scored", f"{', '.join(lacking)} was not scored by {evaluator.name}.")
                )
        return found

    def _missing(self) -> list[dict[str, Any]]:
        by_number: dict[int, list[str]] = {}
        for side in self.sides:
            lacking = max((_missing_outputs(scoring) for scoring in side.scorings.values()), default=0)
            if lacking:
                by_number.setdefault(lacking, []).append(self.label(side.run))
        total = self.baseline.run.experiment.dataset.example_count
        texts = (
            f"{n:,} of {total:,} examples".replace(",", " ")
            + f" lack an output in {', '.join(names)} and are left out."
            for n, names in sorted(by_number.items())
        )
        return [_warning("missing_outputs", text) for text in texts]

    def as_dict(self) -> dict[str, Any]:
        return {
            "baseline": self.baseline.run.pk,
            "cluster": self.cluster or None,
            "sentence": self.sentence,
            "warnings": self.warnings,
            "entries": [entry.as_dict() for entry in self.entries],
        }


def _keep(key: PairKey, paired: Paired) -> None:
    """Remember figures of scorings that have ended: they never change."""
    while len(_kept) >= MOST_KEPT:
        _kept.pop(next(iter(_kept)), None)
    _kept[key] = paired


def check_comparable(runs: Sequence[Run]) -> None:
    """Runs are aligned by position, so they must belong to one dataset."""
    datasets = {run.experiment.dataset_id: run.experiment.dataset.name for run in runs}
    if len(datasets) > 1:
        names = ", ".join(sorted(datasets.values()))
        raise Invalid("not_comparable", f"These runs are of different datasets: {names}.")


def _missing_outputs(scoring: Scoring) -> int:
    return scoring.summary["counts"]["missing_actual"] if scoring.summary else 0


def _warning(code: str, message: str) -> dict[str, Any]:
    return {"code": code, "message": message}


def _names(names: Sequence[str]) -> str:
    return f"{', '.join(names)} {'is' if len(names) == 1 else 'are'}"
