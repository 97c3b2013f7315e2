"""The repetitions of a variant: right in k attempts, sometimes right, and where the width comes from."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from evaluations.errors import Invalid
from evaluations.evaluators.recipe import Recipe
from evaluations.experiments import about, experiments
from evaluations.kinds.scores import NO_VERDICT, PASS
from evaluations.labelling import seal
from evaluations.models import Example, Run, Scoring
from evaluations.results.shown import named, scorings_by_run
from evaluations.scoring import causes, coverage
from evaluations.scoring.causes import Cause
from evaluations.statistics import repetitions
from evaluations.statistics.repetitions import Counts, Width
from evaluations.statistics.terms import Values

MOST_RUNS = 100
NO_VERDICTS = (
    "This evaluator says of no answer that it passes. Give it a pass threshold, then score the runs again."
)


@dataclass(frozen=True)
class Repetitions:
    """The runs of one variant, by one version of an evaluator.

    `passed` has a row for each run: 1 for an attempt that passed, 0 for one that did not, −1 where the example was not
    tried or the evaluator gave no verdict. An attempt without an answer did not pass. `values` are the scores.
    """

    runs: list[Run]
    scoring: Scoring
    passed: NDArray[np.int8]
    values: Values

    @cached_property
    def attempts(self) -> Counts:
        return np.asarray(np.count_nonzero(self.passed >= 0, axis=0), np.int64)

    @cached_property
    def passes(self) -> Counts:
        return np.asarray(np.count_nonzero(self.passed == PASS, axis=0), np.int64)

    @property
    def n(self) -> int:
        """The number of repetitions."""
        return len(self.runs)

    @property
    def examples(self) -> int:
        return int(np.count_nonzero(self.attempts))

    @cached_property
    def pass_at(self) -> list[float | None]:
        """pass@k for k from 1."""
        return [repetitions.pass_at(self.attempts, self.passes, k) for k in range(1, self.n + 1)]

    @cached_property
    def pass_all(self) -> list[float | None]:
        """pass^k for k from 1."""
        return [repetitions.pass_all(self.attempts, self.passes, k) for k in range(1, self.n + 1)]

    @property
    def majority(self) -> float | None:
        return repetitions.majority(self.attempts, self.passes)

    @property
    def is_flaky(self) -> NDArray[np.bool_]:
        """The slots of examples that are sometimes right."""
        return np.asarray((self.passes > 0) & (self.passes < self.attempts))

    @property
    def always(self) -> int:
        return int(np.count_nonzero((self.passes == self.attempts) & (self.attempts > 0)))

    @property
    def never(self) -> int:
        return int(np.count_nonzero((self.passes == 0) & (self.attempts > 0)))

    @cached_property
    def width(self) -> Width | None:
        """Where the width of the interval of the variant's own mean comes from."""
        return repetitions.width(self.values)


def of_run(run: Run, evaluator: str = "") -> Repetitions:
    """All repetitions of the variant of a run, by the evaluator version that scored this run."""
    beside = experiments.runs_of(run.experiment).filter(for_gate=run.for_gate)
    every = [one for one in beside if about.identity(one) == about.identity(run)]
    same = [run, *(one for one in reversed(every) if one.pk != run.pk)][:MOST_RUNS]
    by_run = scorings_by_run(same)
    scoring = named(by_run[run.pk], evaluator)
    used = {
        one.pk: mine
        for one in same
        for mine in by_run[one.pk]
        if mine.evaluator_version_id == scoring.evaluator_version_id and mine.summary is not None
    }
    return _read([one for one in same if one.pk in used], used, scoring)


def _read(runs: Sequence[Run], used: dict[int, Scoring], scoring: Scoring) -> Repetitions:
    ordered = sorted(runs, key=lambda run: run.pk)
    positions = coverage.positions(scoring.run)
    slots = seal.load(used.values(), positions)
    failed = causes.failed_outputs({run.pk: positions for run in ordered})
    passed = np.full((len(ordered), len(positions)), NO_VERDICT, np.int8)
    values = np.full((len(ordered), len(positions)), np.nan)
    for number, run in enumerate(ordered):
        mine = used[run.pk]
        column, recipe = slots[mine.pk], Recipe.from_version(mine.evaluator_version)
        why = causes.classify(mine, recipe, column, failed.get(run.pk), positions)
        passed[number] = np.where(why == Cause.SCORED, column.passed, NO_VERDICT)
        passed[number][why == Cause.VARIANT] = 0
        values[number] = np.where(why == Cause.SCORED, column.values, np.nan)
    if ordered and not (passed == PASS).any() and not any(_judges(used[run.pk]) for run in ordered):
        raise Invalid("no_verdicts", NO_VERDICTS, fields={"evaluator": [NO_VERDICTS]})
    return Repetitions(ordered, scoring, passed, values)


def _judges(scoring: Scoring) -> bool:
    return bool((scoring.summary or {}).get("n_judged"))


def keys(repeated: Repetitions) -> list[str]:
    """The names of the examples that are sometimes right, in the order of the dataset."""
    positions = coverage.positions(repeated.scoring.run)
    wanted = positions.at(np.flatnonzero(repeated.is_flaky)).tolist()
    dataset = repeated.scoring.run.experiment.dataset_id
    found: list[str] = []
    for start in range(0, len(wanted), 500):
        part = Example.objects.filter(dataset=dataset, position__in=wanted[start : start + 500])
        found += [
            key or str(position) for position, key in part.order_by("position").values_list("position", "key")
        ]
    return found


@dataclass(frozen=True)
class More:
    """A way to spend more calls: by which part the interval narrows, and how many calls it takes."""

    repetitions: int
    examples: int
    narrower: float
    calls: int


def plan(width: Width, sides: int = 1) -> list[More]:
    """Two and five more repetitions, and as many more examples as cost the calls of the latter, for all sides."""
    n, r = width.examples, width.repetitions
    repeated = [More(k, 0, width.narrower(repetitions=k), k * n * sides) for k in (2, 5)]
    examples = max(round(repeated[-1].calls / (r * sides)), 1)
    return [*repeated, More(0, examples, width.narrower(examples=examples), examples * r * sides)]
