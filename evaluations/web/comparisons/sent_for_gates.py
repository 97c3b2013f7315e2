"""The line of an experiment about the runs that a pipeline sent for a gate, which are no variants."""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.urls import reverse

from evaluations.comparisons.alignment.sides import MOST_RUNS
from evaluations.gates import sent
from evaluations.models import Experiment, Run

NAMED = 3  # in the line itself


@dataclass(frozen=True)
class SentForGates:
    """`among` is the address where `compared` of them, all if they are few, stand among the variants."""

    runs: Sequence[sent.Sent]
    compared: int
    among: str

    @property
    def named(self) -> Sequence[sent.Sent]:
        return self.runs[:NAMED]

    @property
    def earlier(self) -> Sequence[sent.Sent]:
        return self.runs[NAMED:]


def sent_for_gates(experiment: Experiment, shown: Sequence[Run]) -> SentForGates | None:
    """None where no pipeline sent any."""
    runs = sent.to_experiment(experiment)
    complete = [one.run.pk for one in runs if one.run.status == Run.Status.COMPLETED]
    compared = complete[: max(MOST_RUNS - len(shown), 0)]
    query = urlencode({"runs": [*(run.pk for run in shown), *reversed(compared)]}, doseq=True)
    among = f"{reverse('compare')}?{query}" if compared and shown else ""
    return SentForGates(runs, len(compared), among) if runs else None
