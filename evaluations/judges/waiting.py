"""Evaluators that wait: they call a server, have not scored all answers, and nobody named money for the rest."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from evaluations.kinds.judge import pair_judge
from evaluations.models import Evaluator, EvaluatorVersion, Experiment, Judging, Run, Scoring
from evaluations.values import Status

from . import opponents, paid

NOT_SENT = Status.NOT_SENT.word


@dataclass(frozen=True)
class Waiting:
    """An evaluator that calls a server, and the runs of which it has not scored `answers` in all."""

    evaluator: Evaluator
    runs: list[Run]
    answers: int


def of(experiment: Experiment, runs: Sequence[Run]) -> list[Waiting]:
    """The evaluators that wait for money to score complete runs of an experiment; judges that read now are left out."""
    complete = [run for run in runs if run.status == Run.Status.COMPLETED]
    called = paid.of(experiment) if complete else []
    if not called:
        return []
    unread = _unread(complete, called)
    waiting: list[Waiting] = []
    for version in called:
        is_pair = version.kind == pair_judge.key
        read = [run for run, _ in opponents.compared(complete, version)] if is_pair else complete
        left = {run: number for run in read if (number := unread.get((run.pk, version.pk), 0))}
        if left:
            waiting.append(Waiting(version.evaluator, [*left], sum(left.values())))
    return waiting


def _unread(runs: Collection[Run], versions: Collection[EvaluatorVersion]) -> dict[tuple[int, int], int]:
    """By run and version, how many answers have no score, where no judge reads them now."""
    reading = Judging.objects.filter(run__in=runs, version__in=versions, status=Judging.Status.RUNNING)
    going = set(reading.values_list("run", "version"))
    left = {(run.pk, version.pk): run.output_count for run in runs for version in versions}
    for scoring in Scoring.objects.filter(run__in=runs, evaluator_version__in=versions):
        counts = scoring.summary["counts"] if scoring.summary else {NOT_SENT: 0}
        left[scoring.run_id, scoring.evaluator_version_id] = counts.get(NOT_SENT, 0)
    return {key: number for key, number in left.items() if key not in going}
