"""Which answers a judge is asked about again, and in which an attack takes the place of the answer."""

import random
from dataclasses import dataclass

from evaluations.evaluators import evaluators
from evaluations.labelling import facts
from evaluations.models import Evaluator, EvaluatorVersion, Judging, Run, Scoring, Verdict

from . import attacks, drift
from .judgings import REPEATS
from .verdicts import ANSWERED

REPEATED = 50  # answers that are asked about again
ATTACKED = 3


@dataclass(frozen=True)
class Again:
    """The newest run that a judge read, and its answers that are asked about again: those with labels, if there are."""

    version: EvaluatorVersion
    run: Run
    positions: list[int]
    labelled: int

    def calls(self, purpose: str) -> int:
        """How many calls these take at most."""
        if purpose == Judging.Purpose.ATTACKS:
            return len(self.attacked) * len(attacks.TEXTS)
        return len(self.positions) * REPEATS

    @property
    def attacked(self) -> list[int]:
        return self.positions[:ATTACKED]


def of(evaluator: Evaluator) -> Again | None:
    """What the newest version of a judge of single answers can be asked again; None before it read a run."""
    version = evaluators.newest(evaluator)
    read = Scoring.objects.filter(evaluator_version=version, run__deleted_at=None).order_by("-run")
    runs = [scoring.run for scoring in read.select_related("run__experiment__dataset", "run__project")[:10]]
    known = {run.pk: _examples(version, run) for run in runs}
    labels = {run.pk: {*drift.labelled(version, run)} & known[run.pk] for run in runs}
    chosen = max((run for run in runs if known[run.pk]), key=lambda run: len(labels[run.pk]), default=None)
    if chosen is None:
        return None
    examples = sorted(labels[chosen.pk] or known[chosen.pk])
    drawn = sorted(random.Random(version.pk).sample(examples, min(REPEATED, len(examples))))
    positions = sorted(facts.positions(chosen, drawn))
    return Again(version, chosen, positions, len(drawn) if labels[chosen.pk] else 0)


def _examples(version: EvaluatorVersion, run: Run) -> set[int]:
    """The examples whose answers it judged."""
    judged = Verdict.objects.filter(run=run, version=version, attack=0, state__in=ANSWERED)
    return set(judged.values_list("example", flat=True))
