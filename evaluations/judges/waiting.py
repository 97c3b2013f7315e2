"""Judges that wait: an experiment uses them, they have not read all answers, and nobody named money for the rest."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from evaluations import kinds
from evaluations.kinds.judge import pair_judge
from evaluations.models import Evaluator, EvaluatorVersion, Experiment, Judging, Run, Scoring
from evaluations.values import Status

from . import opponents

NOT_SENT = Status.NOT_SENT.word


@dataclass(frozen=True)
class Waiting:
    """A judge, and the runs of which it has not read `answers` in all."""

    evaluator: Evaluator
    runs: list[Run]
    answers: int


def of(experiment: Experiment, runs: Sequence[Run]) -> list[Waiting]:
    """The judges that wait for money to read complete runs of an experiment; those that read now are left out."""
    links = experiment.evaluator_links.filter(evaluator_version__kind__in=[*kinds.JUDGES])
    judges = [link.evaluator_version for link in links.select_related("evaluator_version__evaluator")]
    complete = [run for run in runs if run.status == Run.Status.COMPLETED]
    if not judges or not complete:
        return []
    unread = _unread(complete, judges)
    waiting: list[Waiting] = []
    for judge in judges:
        is_pair = judge.kind == pair_judge.key
        read = [run for run, _ in opponents.compared(complete, judge)] if is_pair else complete
        left = {run: number for run in read if (number := unread.get((run.pk, judge.pk), 0))}
        if left:
            waiting.append(Waiting(judge.evaluator, [*left], sum(left.values())))
    return waiting


def _unread(runs: Collection[Run], judges: Collection[EvaluatorVersion]) -> dict[tuple[int, int], int]:
    """By run and version, how many answers have no verdict, where the judge does not read them now."""
    reading = Judging.objects.filter(run__in=runs, version__in=judges, status=Judging.Status.RUNNING)
    going = set(reading.values_list("run", "version"))
    left = {(run.pk, judge.pk): run.output_count for run in runs for judge in judges}
    for scoring in Scoring.objects.filter(run__in=runs, evaluator_version__in=judges):
        counts = scoring.summary["counts"] if scoring.summary else {NOT_SENT: 0}
        left[scoring.run_id, scoring.evaluator_version_id] = counts.get(NOT_SENT, 0)
    return {key: number for key, number in left.items() if key not in going}
