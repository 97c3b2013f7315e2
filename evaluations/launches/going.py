"""How far the work on an experiment is, in one figure: that of its launches while they ask, else the scored outputs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from evaluations.experiments import runs
from evaluations.models import Generation, Launch, Run

from . import states
from .states import Progress, RunState


@dataclass(frozen=True)
class Going:
    """What is counted, for each run and in all, repetitions included.

    `launch` is the newest one that still asks, None without; it `waits` if a person must continue it after its pilot.
    `rate` is in outputs a second, None before it is known; of launches the page of an experiment adds it.
    """

    word: Literal["answered", "scored"]
    run_states: list[RunState]
    launch: Launch | None = None
    waits: bool = False
    rate: float | None = None

    @property
    def done(self) -> int:
        return sum(state.progress.done for state in self.run_states)

    @property
    def total(self) -> int:
        return sum(state.progress.total for state in self.run_states)

    @property
    def seconds_left(self) -> float | None:
        return (self.total - self.done) / self.rate if self.rate else None


def of_experiments(open_runs: Mapping[int, Sequence[Run]]) -> dict[int, Going]:
    """By the id of the experiment, from its runs in progress: five queries where launches ask, three for others."""
    found = _asking([run for of_one in open_runs.values() for run in of_one])
    scored = [pk for pk, of_one in open_runs.items() if of_one and pk not in found]
    return found | (_scoring(scored) if scored else {})


def _scoring(experiment_ids: Sequence[int]) -> dict[int, Going]:
    """Of the newest run of each variant, completed ones included, so that the total never shrinks."""
    live = Run.objects.filter(experiment__in=experiment_ids, deleted_at=None).order_by("pk")
    going = [run for run in live if run.status != Run.Status.CANCELLED]
    newest = set({(run.experiment_id, run.variant): run.pk for run in going}.values())
    counted = [run for run in going if run.status in Run.OPEN or run.pk in newest]
    progress = runs.progress_of(counted)
    states_of: dict[int, list[RunState]] = {pk: [] for pk in experiment_ids}
    rates = dict.fromkeys(experiment_ids, 0.0)
    for run in counted:
        part = progress[run.pk]
        states_of[run.experiment_id].append(RunState(run, Progress(part.done, part.total)))
        rates[run.experiment_id] += part.rate or 0.0
    return {pk: Going("scored", of_one, rate=rates[pk] or None) for pk, of_one in states_of.items()}


def _asking(open_runs: Sequence[Run]) -> dict[int, Going]:
    """The experiments whose launches still ask for answers."""
    asked = [run.pk for run in open_runs if run.status == Run.Status.GENERATING]
    if not asked:
        return {}
    generations = Generation.objects.filter(run__in=asked).select_related("launch")
    launches = {generation.launch_id: generation.launch for generation in generations}
    found = states.of_launches([*launches.values()])
    pilots = Run.objects.filter(states.is_pilot_done(), pk__in=asked)
    waiting = set(pilots.values_list("generation__launch", flat=True))
    by_experiment: dict[int, list[Launch]] = {}
    for launch in sorted(launches.values(), key=lambda launch: launch.pk):
        by_experiment.setdefault(launch.experiment_id, []).append(launch)
    return {
        pk: Going(
            "answered",
            [state for launch in of_one for state in found[launch.pk].run_states],
            of_one[-1],
            all(launch.pk in waiting for launch in of_one),
        )
        for pk, of_one in by_experiment.items()
    }
