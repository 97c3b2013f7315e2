"""Examples that a newer dataset version added: what an experiment's page says, and how they are answered."""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluations.experiments import asked
from evaluations.launches import estimates, launches
from evaluations.launches.estimates import Estimate
from evaluations.models import Experiment, Run

from ..page_tools.calls import outputs_call
from ..page_tools.request import HttpRequest


@dataclass(frozen=True)
class AddedExamples:
    """Examples that runs were not asked; `launched` runs can be asked, the outputs of `sent` runs are sent by `call`.

    The estimate is None if no run can be asked. `back` is the version all of whose examples were asked.
    """

    sentences: Sequence[str]
    launched: Sequence[Run]
    sent: Sequence[Run]
    call: str
    estimate: Estimate | None
    back: int


def added_examples(request: HttpRequest, experiment: Experiment, runs: Sequence[Run]) -> AddedExamples | None:
    """None if all runs were asked all examples of the experiment's version."""
    groups = asked.unasked(runs)
    if not groups:
        return None
    waiting = [run for group in groups for run in group.runs]
    launched = [run for run in waiting if launches.can_ask(run)]
    sent = [run for run in waiting if run not in launched and run.status == Run.Status.COMPLETED]
    return AddedExamples(
        [_sentence(group, runs) for group in groups],
        launched,
        sent,
        outputs_call(request, sent[0].pk) if sent else "",
        estimates.of_added(experiment) if launched else None,
        min(group.since for group in groups),
    )


def _sentence(group: asked.Unasked, runs: Sequence[Run]) -> str:
    labels = list(dict.fromkeys(run.variant for run in group.runs))
    return group.sentence(labels, is_all=len(group.runs) == len(runs))
