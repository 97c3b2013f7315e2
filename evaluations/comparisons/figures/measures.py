"""Measures that are not scores: answered or not, latency, cost, and tokens."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from django.db.models import Exists, OuterRef, QuerySet
from numpy.typing import NDArray

from evaluations import bulk, long_arrays
from evaluations.datasets.live_positions import Positions
from evaluations.models import Answer, Generation, Output, Run
from evaluations.prompts import money
from evaluations.scoring.causes import Cause, Causes, Mask
from evaluations.statistics import intervals
from evaluations.statistics.clusters import Grouping, average_repeats
from evaluations.statistics.inference import against_baseline
from evaluations.statistics.summary import moments, skewness_of
from evaluations.statistics.terms import Column, ColumnSet, Difference, Interval, Scale, Values

from ..alignment.aligned import Judged, Tally
from ..alignment.alignment import Aligner
from ..alignment.sides import BASELINE

COST_OR_LATENCY = Scale("minimize", binary=False, low=0.0, high=None)  # the scale of latency and cost
FEW = 20_000  # positions that are queried by number; for more, all outputs of the run are read
AT_ONCE = 500
LOOKED_AT = 100  # examples in which a first latency is searched


def answered(state: Causes, positions: Positions, usable: Iterable[int]) -> Mask:
    """The slots in which a run has an output without an error: a score proves one, at others `usable` positions do."""
    has_score: Mask = state == Cause.SCORED
    having = positions.mask(np.fromiter(usable, np.int64))
    return np.asarray(has_score | (having & (state != Cause.NOT_ASKED)))


def _unclear(state: Causes) -> NDArray[np.intp]:
    """The slots without a score that were asked."""
    return np.flatnonzero((state != Cause.SCORED) & (state != Cause.NOT_ASKED))


def _usable() -> QuerySet[Output]:
    """The outputs without an error."""
    outputs = Output.objects.filter(text__isnull=False)
    return outputs.filter(error=None) | outputs.filter(error="")


def _together(wanted: Mapping[int, NDArray[np.int64]]) -> dict[int, list[int]]:
    """By run, the usable outputs at all wanted positions, because a query for each of many runs takes longer."""
    every = np.unique(np.concatenate([np.zeros(0, np.int64), *wanted.values()]))
    found: dict[int, list[int]] = {run_id: [] for run_id in wanted}
    for start in range(0, len(every), AT_ONCE):
        part = _usable().filter(run__in=found, position__in=every[start : start + AT_ONCE].tolist())
        for run_id, position in part.values_list("run_id", "position"):
            found[run_id].append(position)
    return found


def _positions(outputs: QuerySet[Output], positions: NDArray[np.int64]) -> Iterable[int]:
    """The wanted positions that these outputs have; if many are wanted, all positions of the outputs."""
    if len(positions) > FEW:
        yield from outputs.values_list("position", flat=True).iterator(10_000)
        return
    for start in range(0, len(positions), AT_ONCE):
        part = outputs.filter(position__in=positions[start : start + AT_ONCE].tolist())
        yield from part.values_list("position", flat=True)


class Known(NamedTuple):
    """The ids of the runs with latencies (all generated runs have them), with costs, and with counts of tokens: those
    of answers, and those of what was asked."""

    timed: set[int]
    priced: set[int]
    counted: set[int]
    prompted: set[int]


def known(positions: Mapping[int, Positions]) -> Known:
    """What is known of the answers of these runs."""
    run_id, first = OuterRef("pk"), {"position__lte": _looked_at(positions)}
    usages = Run.objects.filter(pk__in=list(positions)).values_list(
        "pk",
        Exists(Output.objects.filter(run=run_id, latency_ms__isnull=False, **first)),
        Exists(Generation.objects.filter(run=run_id)),
        Exists(Answer.objects.filter(run=run_id, cost__isnull=False)),
        Exists(Output.objects.filter(run=run_id, tokens__isnull=False, **first)),
        Exists(Answer.objects.filter(run=run_id, tokens_in__isnull=False, **first)),
    )
    rows = list(usages)
    return Known(
        timed={run for run, has_latencies, is_generated, *_ in rows if has_latencies or is_generated},
        priced={run for run, _, _, is_priced, *_ in rows if is_priced},
        counted={run for run, *_, has_tokens, _ in rows if has_tokens},
        prompted={run for run, *_, has_prompts in rows if has_prompts},
    )


def _looked_at(positions: Mapping[int, Positions]) -> int:
    """The last position in which a first latency is searched; positions need not begin at 1."""
    ends = [
        position.at(np.array([min(len(position), LOOKED_AT) - 1]))
        for position in positions.values()
        if len(position)
    ]
    return int(np.max(ends, initial=0))


def latencies(run: Run, positions: Positions) -> Values:
    """Latencies in milliseconds by slot; NaN if unknown."""
    timed = Output.objects.filter(run=run, latency_ms__isnull=False)
    return _by_slot(timed.values_list("position", "latency_ms"), positions)


def costs(run: Run, positions: Positions) -> Values:
    """Costs by slot, in the currency of the project; NaN if unknown."""
    priced_answers = Answer.objects.filter(run=run, cost__isnull=False)
    return np.asarray(
        _by_slot(priced_answers.values_list("position", "cost"), positions) / 10**money.COST_DECIMALS
    )


def tokens(run: Run, positions: Positions) -> Values:
    """The tokens of answers by slot; NaN if unknown."""
    counted = Output.objects.filter(run=run, tokens__isnull=False)
    return _by_slot(counted.values_list("position", "tokens"), positions)


def prompt_tokens(run: Run, positions: Positions) -> Values:
    """The tokens of what was asked, by slot; NaN if unknown."""
    counted = Answer.objects.filter(run=run, tokens_in__isnull=False)
    return _by_slot(counted.values_list("position", "tokens_in"), positions)


def _by_slot(rows: QuerySet[Any, Any], positions: Positions) -> Values:
    values = long_arrays.filled(len(positions), np.nan, np.float64)
    slots, placed_values = positions.placed(bulk.select(rows))
    values[slots] = [value for _, value in placed_values]
    return values


def mean_intervals(columns: ColumnSet) -> list[Interval | None]:
    """The 95 % interval of the mean of each column, not corrected for the others."""
    return [None if column is None else _mean_interval(column, columns.scale) for column in columns.columns]


def _mean_interval(column: Column, scale: Scale) -> Interval | None:
    values = long_arrays.selected(column.values, long_arrays.finite([column.values]))
    if scale.binary:
        return intervals.wilson(int(values.sum()), len(values))
    mean, sd = moments(values)
    skewness = skewness_of(values, mean, sd)
    return intervals.mean_interval(len(values), mean, sd, skewness, scale.low, scale.high)


def against_its_baseline(
    measures: Mapping[str, ColumnSet], grouping: Grouping | None
) -> list[list[Difference | None]]:
    """For each measure the sides against the baseline; what others tell beside it widens no interval of theirs.

    Costs are made of tokens, and the tokens of prompts stand beside those of answers.
    """
    beside = {"tokens", "prompt_tokens"} if "cost" in measures else {"prompt_tokens"}
    compared: dict[str, list[Difference | None]] = {}
    for family in (measures.keys() - beside, measures.keys() & beside):
        members = {name: columns for name, columns in measures.items() if name in family}
        rows = against_baseline(members.values(), BASELINE, grouping) if members else []
        compared |= zip(members, rows, strict=True)
    return [compared[name] for name in measures]


@dataclass(frozen=True)
class Answers:
    """1 for an answered example, 0 for an unanswered one (the mean over a side's runs), NaN if it was not asked.

    `unread` has for each side how many of the answered examples have an answer that the primary evaluator cannot read.
    """

    columns: ColumnSet
    unread: list[int]


@dataclass(frozen=True)
class Measured:
    """The measures of all sides. `tallies` are those of the primary evaluator: a scored example was answered."""

    aligner: Aligner
    primary_id: int
    tallies: Sequence[Tally | None]

    def answers(self) -> Answers:
        averaged = any(side.is_averaged for side in self.aligner.sides)
        scale = Scale("maximize", binary=not averaged, low=0.0, high=1.0)
        if not averaged and all(tally and tally.scored == self.aligner.size for tally in self.tallies):
            every = ColumnSet(scale, [Column(_ones(self.aligner.size))] * len(self.tallies))
            return Answers(every, [0] * len(self.tallies))
        columns: list[Column | None] = []
        unread: list[int] = []
        judged = self.aligner.judged(self.primary_id)
        usable = self._usable_of([one for side in judged for one in side if not one.is_complete])
        for side in judged:
            column = (
                Column(_mean([self._answers_of(judged_run, usable) for judged_run in side])) if side else None
            )
            columns.append(column)
            unread.append(0 if column is None else _unread(column.values, side))
        return Answers(ColumnSet(scale, columns), unread)

    def _usable_of(self, judged: Sequence[Judged]) -> dict[int, list[int]]:
        """By run, the positions of usable outputs where scores do not tell; nothing if these are many."""
        missing = sum(int(np.count_nonzero(one.causes)) for one in judged)
        if missing * len(judged) > FEW:
            return {}
        placed = {one.scoring.run_id: self._state(one) for one in judged}
        return _together({pk: positions.at(_unclear(state)) for pk, (state, positions) in placed.items()})

    def _having(
        self, run_id: int, unclear: NDArray[np.int64], usable: Mapping[int, list[int]]
    ) -> Iterable[int]:
        """Of the positions without a score those that have an answer all the same.

        None while a run is in progress: an answer, as a retry brings it, may still get its score.
        """
        runs = (run for side in self.aligner.sides for run in side.runs)
        if any(run.pk == run_id and run.status in Run.OPEN for run in runs):
            return ()
        return usable[run_id] if run_id in usable else _positions(_usable().filter(run=run_id), unclear)

    def _state(self, judged: Judged) -> tuple[Causes, Positions]:
        """The causes by slot of the run's own version, and its positions."""
        placement = self.aligner.placement(judged.scoring.run_id)
        slots = self.aligner.by_slot(judged.causes, Cause.NOT_ASKED)
        return placement.to_version(slots, Cause.NOT_ASKED), placement.positions

    def _answers_of(self, judged: Judged, usable: Mapping[int, list[int]]) -> Values:
        if judged.is_complete:
            return _ones(len(judged.causes))
        run_id, aligner = judged.scoring.run_id, self.aligner
        placement, (state, positions) = aligner.placement(run_id), self._state(judged)
        is_answered_in_run = answered(
            state, positions, self._having(run_id, positions.at(_unclear(state)), usable)
        )
        is_answered = aligner.part(placement.to_shared(is_answered_in_run, False))
        return np.where(judged.causes == Cause.NOT_ASKED, np.nan, is_answered)

    def latency_and_cost(self) -> dict[str, ColumnSet]:
        """Latency, cost and tokens of the examples, each only if known for at least two sides."""
        runs = [run.pk for side in self.aligner.sides for run in side.runs]
        of = known({pk: self.aligner.placement(pk).positions for pk in runs})
        columns = {"latency": self._columns(of.timed, latencies), "cost": self._columns(of.priced, costs)}
        columns["tokens"] = self._columns(of.counted, tokens)
        columns["prompt_tokens"] = self._columns(of.prompted, prompt_tokens)
        return {
            name: ColumnSet(COST_OR_LATENCY, values)
            for name, values in columns.items()
            if _are_several(values)
        }

    def _columns(
        self, measured_runs: set[int], read: Callable[[Run, Positions], Values]
    ) -> list[Column | None]:
        return [
            self._column([run for run in side.runs if run.pk in measured_runs], read)
            for side in self.aligner.sides
        ]

    def _column(self, runs: Sequence[Run], read: Callable[[Run, Positions], Values]) -> Column | None:
        if not runs:
            return None
        placements = [self.aligner.placement(run.pk) for run in runs]
        both = zip(placements, runs, strict=True)
        rearranged = [placement.to_shared(read(run, placement.positions), np.nan) for placement, run in both]
        return Column(self.aligner.part(_mean(rearranged)))


def _are_several(columns: Iterable[Column | None]) -> bool:
    return sum(column is not None for column in columns) > 1


def _ones(length: int) -> Values:
    return long_arrays.filled(length, 1.0, np.float64)


def _unread(answers: Values, side: Sequence[Judged]) -> int:
    """How many of the answered examples have no score from some run for a reason that is the variant's."""
    partial = [judged_run.causes == Cause.VARIANT for judged_run in side if judged_run.has_unanswered]
    return int(np.count_nonzero(np.logical_or.reduce(partial) & (answers == 1))) if partial else 0


def _mean(runs: Sequence[Values]) -> Values:
    return average_repeats(runs) if len(runs) > 1 else runs[0]
