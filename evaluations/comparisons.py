"""Runs of one dataset side by side: aligned by position, compared with a baseline, evaluator by evaluator.

One function computes the numbers for page, API and export. Values are kept in the process for the pair of
scorings they belong to, which never change once their jobs have ended.
"""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import columns, results
from .columns import Slots
from .errors import Invalid
from .evaluation import Recipe
from .models import Evaluator, Run, Scoring
from .results import LONGEST_SEARCH, Cursor, Row
from .statistics import ordering
from .statistics.corrections import correct
from .statistics.paired import Paired, compare
from .statistics.sentences import sentence
from .values import Status

MOST_RUNS = 20


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
    def of(cls, run: Run) -> "Side":
        return cls(run, {s.evaluator_version.evaluator_id: s for s in results.scorings_of(run)})

    def slots(self, evaluator_id: int, length: int = 0) -> Slots:
        """The run's column of an evaluator; all absent where it was not scored by it."""
        scoring = self.scorings.get(evaluator_id)
        return columns.load(scoring.pk, length) if scoring else Slots.absent(length)


class Comparison:
    """Runs against a baseline, which is the first of `sides`; nothing is computed before it is read."""

    def __init__(self, runs: Sequence[Run], baseline: Run):
        others = [run for run in runs if run.pk != baseline.pk]
        if len(others) >= MOST_RUNS:
            raise Invalid("too_many_runs", f"At most {MOST_RUNS} runs can be compared.")
        check_comparable([baseline, *others])
        self.baseline = Side.of(baseline)
        self.others = [Side.of(run) for run in others]
        self.sides = [self.baseline, *self.others]

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
        pairs = [(side, evaluator) for evaluator in self.evaluators for side in self.others]
        family = correct([self._paired(side, evaluator.pk) for side, evaluator in pairs])
        return [Entry(side.run, ev, paired) for (side, ev), paired in zip(pairs, family, strict=True)]

    def entry(self, run_id: int, evaluator_id: int) -> Entry:
        return next(e for e in self.entries if (e.run.pk, e.evaluator.pk) == (run_id, evaluator_id))

    def scoring(self, evaluator_id: int) -> Scoring:
        """The scoring that tells direction and bounds of an evaluator: the baseline's, else the first there is."""
        return next(side.scorings[evaluator_id] for side in self.sides if evaluator_id in side.scorings)

    def _paired(self, side: Side, evaluator_id: int) -> Paired:
        a, b = self.baseline.scorings.get(evaluator_id), side.scorings.get(evaluator_id)
        ended = all(s is not None and s.summary is not None for s in (a, b))
        compute = _cached_pair if ended else _pair
        return compute(
            a.pk if a else None, b.pk if b else None, _stamp(a), _stamp(b), self._terms(evaluator_id)
        )

    def _terms(self, evaluator_id: int) -> tuple[str, tuple[float, float | None]]:
        recipe = Recipe.of(self.scoring(evaluator_id).evaluator_version)
        return recipe.kind.direction, recipe.bounds

    def direction(self, evaluator_id: int) -> str:
        return self._terms(evaluator_id)[0]

    @cached_property
    def sentence(self) -> str:
        by_variant: dict[str, list[Paired]] = {side.run.variant: [] for side in self.others}
        for entry in self.entries:
            by_variant[entry.run.variant].append(entry.paired)
        return sentence(by_variant)

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
        found = []
        for side in self.sides:
            total = side.run.experiment.dataset.example_count
            lacking = max((_missing_outputs(scoring) for scoring in side.scorings.values()), default=0)
            if lacking:
                text = f"{lacking:,} of {total:,} examples lack an output in {side.run.variant} and are left out."
                found.append(_warning("missing_outputs", text))
        return found

    def as_dict(self) -> dict[str, Any]:
        return {
            "baseline": self.baseline.run.pk,
            "sentence": self.sentence,
            "warnings": self.warnings,
            "entries": [entry.as_dict() for entry in self.entries],
        }


def check_comparable(runs: Sequence[Run]) -> None:
    """Runs are aligned by position, so they must belong to one dataset."""
    datasets = {run.experiment.dataset_id: run.experiment.dataset.name for run in runs}
    if len(datasets) > 1:
        names = ", ".join(sorted(datasets.values()))
        raise Invalid("not_comparable", f"These runs are of different datasets: {names}.")


def _pair(
    baseline: int | None,
    run: int | None,
    baseline_stamp: str,
    run_stamp: str,
    terms: tuple[str, tuple[float, float | None]],
) -> Paired:
    """Compare two scorings; the stamps only tell a cache that they were computed anew."""
    a = columns.load(baseline) if baseline else Slots.absent(0)
    b = columns.load(run, len(a)) if run else Slots.absent(len(a))
    a = a if len(a) == len(b) else columns.load(baseline, len(b)) if baseline else Slots.absent(len(b))
    direction, bounds = terms
    seed = zlib.crc32(f"{baseline}:{run}".encode())
    return compare(
        a.values, b.values, direction=direction, statuses=(a.status, b.status), bounds=bounds, seed=seed
    )


_cached_pair = lru_cache(maxsize=2_000)(_pair)


def _stamp(scoring: Scoring | None) -> str:
    """Changes when a scoring is computed again."""
    return f"{scoring.job_id}" if scoring else ""


def _missing_outputs(scoring: Scoring) -> int:
    return scoring.summary["counts"]["missing_actual"] if scoring.summary else 0


def _warning(code: str, message: str) -> dict[str, Any]:
    return {"code": code, "message": message}


def _names(names: Sequence[str]) -> str:
    return f"{', '.join(names)} {'is' if len(names) == 1 else 'are'}"


# ---- examples ----------------------------------------------------------------------------------------------

OUTCOMES = ("all", "worse", "better", "same", "missing")
ORDERS = ("drop", "gain", "position")


@dataclass(frozen=True)
class Question:
    """Which examples of a comparison: those on which `run` (None: any) is `outcome` by an evaluator."""

    evaluator: Evaluator
    run: Run | None = None
    outcome: str = "all"
    order: str = "drop"
    search: str = ""


@dataclass(frozen=True)
class Compared:
    """One example across the runs; `rows` beside `Comparison.sides`, `gains` by run and evaluator name."""

    position: int
    rows: list[Row]

    def gain(self, side: int, name: str, direction: str) -> float | None:
        """How much better than the baseline, in the evaluator's direction."""
        here, there = (self.rows[n].scores.get(name) for n in (side, 0))
        if here is None or there is None or here.value is None or there.value is None:
            return None
        return (here.value - there.value) * (1 if direction == "maximize" else -1)


@dataclass(frozen=True)
class ComparedPage:
    rows: list[Compared]
    counts: dict[str, int]
    total: int
    before: Cursor | None
    after: Cursor | None


class Alignment:
    """The gains of every run over the baseline by one evaluator: what rows are filtered and ordered by."""

    def __init__(self, comparison: Comparison, evaluator: Evaluator, run: Run | None):
        sides = [side for side in comparison.others if run is None or side.run.pk == run.pk]
        length = comparison.baseline.run.experiment.dataset.last_position
        baseline = comparison.baseline.slots(evaluator.pk, length)
        sign = 1.0 if comparison.direction(evaluator.pk) == "maximize" else -1.0
        tie = comparison.entry(sides[0].run.pk, evaluator.pk).paired.tie_tolerance if sides else 0.0
        slots = [side.slots(evaluator.pk, length) for side in sides]
        self.gains = [sign * (column.values - baseline.values) for column in slots]
        self.present = _any([column.status != Status.ABSENT for column in (baseline, *slots)])
        self.worse = _any([gain < -tie for gain in self.gains] or [np.zeros(length, bool)])
        self.better = _any([gain > tie for gain in self.gains] or [np.zeros(length, bool)])
        missing = [np.isnan(gain) for gain in self.gains] or [np.isnan(baseline.values)]
        self.missing = _any(missing) & self.present
        self.same = self.present & ~self.worse & ~self.better & ~self.missing

    def chosen(self, outcome: str) -> NDArray[np.bool_]:
        return self.present if outcome == "all" else getattr(self, outcome) & self.present

    def counts(self) -> dict[str, int]:
        return {outcome: int(np.count_nonzero(self.chosen(outcome))) for outcome in OUTCOMES}

    def keys(self, order: str) -> NDArray[np.float64]:
        """What rows are ordered by, smallest first: the largest drop, the largest gain, or their place."""
        if order == "position" or not self.gains:
            return np.zeros(len(self.present))
        with np.errstate(all="ignore"):
            stacked = np.stack(self.gains)
            return np.fmin.reduce(stacked) if order == "drop" else -np.fmax.reduce(stacked)


def _any(masks: Sequence[NDArray[np.bool_]]) -> NDArray[np.bool_]:
    return np.logical_or.reduce(masks)


def examples(
    comparison: Comparison,
    question: Question,
    size: int,
    *,
    after: Cursor | None = None,
    before: Cursor | None = None,
) -> ComparedPage:
    """`size` examples, the biggest regression first, with what every run made of them."""
    aligned = Alignment(comparison, question.evaluator, question.run)
    chosen = aligned.chosen(question.outcome)
    if question.search:
        chosen = chosen & _found(comparison, question.search, len(chosen))
    keys = aligned.keys(question.order)
    slots = ordering.page(keys, size, after=after, before=before, where=chosen)
    first, last = (_cursor(keys, slots[0]), _cursor(keys, slots[-1])) if len(slots) else (None, None)
    return ComparedPage(
        rows=rows_at(comparison, [int(slot) + 1 for slot in slots]),
        counts=aligned.counts(),
        total=int(np.count_nonzero(chosen)),
        before=first if first and len(ordering.page(keys, 1, before=first, where=chosen)) else None,
        after=last if last and len(ordering.page(keys, 1, after=last, where=chosen)) else None,
    )


def _cursor(keys: NDArray[np.float64], slot: int) -> Cursor:
    return Cursor(None if np.isnan(keys[slot]) else float(keys[slot]), int(slot))


def _found(comparison: Comparison, text: str, length: int) -> NDArray[np.bool_]:
    if len(text) > LONGEST_SEARCH:
        raise Invalid("search_too_long", f"A search has at most {LONGEST_SEARCH} characters.")
    return _any([results.found(side.run, text, length) for side in comparison.sides])


def rows_at(comparison: Comparison, positions: Sequence[int]) -> list[Compared]:
    scorings = {side.run.pk: list(side.scorings.values()) for side in comparison.sides}
    by_side = results.rows_of([side.run for side in comparison.sides], scorings, positions)
    everywhere = [position for position in positions if all(position in rows for rows in by_side)]
    return [Compared(position, [rows[position] for rows in by_side]) for position in everywhere]
