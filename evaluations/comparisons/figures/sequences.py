"""Results of launches that stop early: the primary evaluator's difference, interval and verdict come from the looks.

An ordinary test would ignore that the launch stopped because the result looked clear.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from evaluations.launches import states
from evaluations.models import Generation, Interim, Launch, Run
from evaluations.numerals import grouped
from evaluations.scoring import coverage
from evaluations.statistics.terms import Difference, Interval, Verdict, without_verdict
from evaluations.statistics.wording import Part, capitalised, joined
from evaluations.values import Missing

from ..alignment.sides import Side, Sides
from .family_figures import Pair, PrimaryFamily

METHOD = "group_sequential"
EXCLUDED = "the launch counted unanswered examples as worst when it stopped early."


@dataclass(frozen=True)
class Stop:
    """The last look at one side against another, both given by index."""

    baseline: int
    side: int
    launch: Launch
    last: Interim

    @property
    def is_early(self) -> bool:
        return self.last.n < self.launch.size


def stops(sides: Sides, primary_id: int) -> list[Stop]:
    """The last looks at sides that hold all runs of a variant and were scored by the same version as in the looks."""
    launched = _launched(sides.runs)
    indices = {_name(side, launched): index for index, side in enumerate(sides)}
    last_looks = _last_looks(launched)
    return [
        Stop(indices[launch.pk, launch.stop["baseline"]], index, launch, last_looks[first])
        for index, side in enumerate(sides)
        if (launch := launched.get(side.run.pk))
        and (launch.pk, launch.stop["baseline"]) in indices
        and (first := min(run.pk for run in side.runs)) in last_looks
        and _is_scored_alike(side, primary_id, launch)
    ]


def _launched(runs: Sequence[Run]) -> dict[int, Launch]:
    """The launches that stop early, by their runs."""
    generated = [run for run in runs if run.prompt_version_id]
    if not generated:
        return {}
    stopping = Generation.objects.filter(run__in=generated, launch__stop__isnull=False)
    return {stopping_run.run_id: stopping_run.launch for stopping_run in stopping.select_related("launch")}


def _name(side: Side, launched: dict[int, Launch]) -> tuple[int, str]:
    """Launch and variant of a side that holds all its repetitions; (0, "") for any other side."""
    launch = launched.get(side.run.pk)
    is_whole = launch is not None and len(side.runs) == launch.repetitions
    return (launch.pk, side.run.variant) if launch and is_whole else (0, "")


def _last_looks(launched: dict[int, Launch]) -> dict[int, Interim]:
    looks = Interim.objects.filter(run__in=launched).order_by("n") if launched else []
    return {look.run_id: look for look in looks}


def _is_scored_alike(side: Side, primary_id: int, launch: Launch) -> bool:
    """Whether the evaluator version of the looks also scored this side."""
    scorings = side.scorings.get(primary_id, [])
    versions = {scoring.evaluator_version_id for scoring in scorings}
    return len(side.runs) == launch.repetitions and versions == {launch.stop["evaluator"]}


def applied(family: PrimaryFamily, looked: Sequence[Stop], missing: Missing) -> PrimaryFamily:
    """The primary family, with the results of the looks instead of its own."""
    stops_by_pair = {(stop.baseline, stop.side): stop for stop in looked}
    return replace(family, pairs=[_pair(pair, stops_by_pair, missing) for pair in family.pairs])


def _pair(pair: Pair, stops_by_pair: dict[tuple[int, int], Stop], missing: Missing) -> Pair:
    if stop := stops_by_pair.get((pair.baseline, pair.side)):
        return replace(pair, comparison=pair.comparison and _difference(pair.comparison, stop, missing))
    if (pair.side, pair.baseline) in stops_by_pair:
        return _pair(pair.mirrored(), stops_by_pair, missing).mirrored()
    return pair


def _difference(comparison: Difference, stop: Stop, missing: Missing) -> Difference:
    if missing != "worst":
        return without_verdict(comparison, capitalised(EXCLUDED))
    look = stop.last
    interval: Interval = (look.low, look.high)
    outcome: Verdict = (
        "better" if look.outcome == "better" else "worse" if look.outcome == "worse" else "cannot_tell"
    )
    return replace(
        comparison,
        n=look.counted,
        mean=look.mean,
        baseline_mean=look.baseline_mean,
        difference=look.difference,
        interval=interval,
        interval_single=interval,
        interval_90=interval,
        overturned_by=None,
        imagined_90=None,
        thirds=None,
        p=None,
        p_corrected=None,
        method=METHOD,
        interval_method=METHOD,
        critical=None,
        smallest=None,
        margin=stop.launch.stop["margin"],
        verdict=outcome,
        reason=None,
    )


def _unlooked(sides: Sides, looked: Sequence[Stop]) -> list[tuple[Side, tuple[int, int]]]:
    """Other sides whose launches stopped early: how many examples were asked, of how many."""
    looked_at = {index for stop in looked for index in (stop.baseline, stop.side)}
    remaining_sides = [side for index, side in enumerate(sides) if index not in looked_at]
    sizes = states.stopped_early([side.run for side in remaining_sides])
    return [
        (side, (coverage.count(side.run) or 0, sizes[side.run.pk]))
        for side in remaining_sides
        if side.run.pk in sizes
    ]


def told(sides: Sides, looked: Sequence[Stop]) -> list[Part]:
    """Which variants stopped early, and whether the intervals allow for that."""
    early = [(sides.label(sides[stop.side].run), stop) for stop in looked if stop.is_early]
    unlooked = [(sides.label(side.run), *counts) for side, counts in _unlooked(sides, looked)]
    return joined([_with_looks(early), _without_looks(unlooked)])


def _with_looks(early: Sequence[tuple[str, Stop]]) -> list[Part]:
    """Which variants stopped early, by their names."""
    parts: list[Part] = []
    for name, stop in early:
        examples = f" stopped at {grouped(stop.last.n)} of {grouped(stop.launch.size)} examples"
        parts += [("", "; " if parts else ""), ("name", name), ("", examples)]
    if parts:
        parts.append(("", ". Intervals allow for all looks; other evaluators are preliminary."))
    return parts


def _without_looks(early: Sequence[tuple[str, int, int]]) -> list[Part]:
    """Which variants stopped early in launches whose looks do not cover this comparison."""
    parts: list[Part] = []
    for name, count, size in early:
        examples = f" ran on {grouped(count)} of {grouped(size)} examples"
        parts += [("", "; " if parts else ""), ("name", name), ("", examples)]
    if parts:
        parts.append(("", " before its launch stopped early. Intervals do not allow for that."))
    return parts
