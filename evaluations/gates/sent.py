"""The runs that a pipeline sent to an experiment for a gate, with what the gate said of them."""

from collections.abc import Iterable
from dataclasses import dataclass

from evaluations.experiments import experiments
from evaluations.models import Experiment, GateCheck, Run


@dataclass(frozen=True)
class Sent:
    """A run and the newest judgement of it; None before a gate has judged it."""

    run: Run
    check: GateCheck | None


def to_experiment(experiment: Experiment) -> list[Sent]:
    """The runs sent for a gate, newest first."""
    return judged(experiments.runs_of(experiment).filter(for_gate=True).order_by("-pk"))


def judged(runs: Iterable[Run]) -> list[Sent]:
    """These runs, each with the newest judgement of it."""
    judgements = GateCheck.objects.exclude(verdict=GateCheck.Verdict.CHANGED)
    live = judgements.filter(
        run__in=[run.pk for run in runs], gate__deleted_at=None, gate__dataset__deleted_at=None
    )
    newest = {check.run_id: check for check in live.select_related("gate").order_by("pk")}
    return [Sent(run, newest.get(run.pk)) for run in runs]
