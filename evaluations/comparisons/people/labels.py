"""Labels in arrays, and the scores that an automatic evaluator gave to the same answers."""

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from evaluations.kinds.judge import pair_judge
from evaluations.models import EvaluatorVersion, Judging, Run, Scoring
from evaluations.scoring import column_cache, coverage
from evaluations.statistics.people.draws import Codes
from evaluations.statistics.terms import Mask, Values

NONE = -1


@dataclass(frozen=True)
class Labels:
    """Labels of the answers of `runs`, one entry for each label, in arrays of one length.

    `run` is an index, `example` a number that the answers to one example share, `answer` one that the labels of one
    answer share; `share` is 1 / the labels of the answer. `part` is that of the seal. `opponent` is the run of a
    pair's other answer, 0 without one; a pair is there once, for one of its answers.
    """

    run: Codes
    position: Codes
    example: Codes
    answer: Codes
    rater: Codes
    value: Values
    share: Values
    part: Codes
    opponent: Codes

    def at(self, mask: Mask) -> "Labels":
        return Labels(*(getattr(self, field.name)[mask] for field in fields(self)))

    def __len__(self) -> int:
        return len(self.run)

    @property
    def answers(self) -> int:
        """How many answers have labels."""
        return round(float(self.share.sum()))


def scores_of(runs: Sequence[Run], labels: Labels, version: EvaluatorVersion) -> tuple[Values, Codes]:
    """The score of each label's answer (NaN without), and whether it passed (−1 without a verdict)."""
    scorings = {s.run_id: s for s in Scoring.objects.filter(run__in=runs, evaluator_version=version)}
    if version.kind == pair_judge.key:
        return _of_pairs(runs, labels, version, scorings)
    scores, passed = _nothing(labels)
    for index, run in enumerate(runs):
        if run.pk in scorings:
            mine = labels.run == index
            scores[mine], passed[mine] = _at(run, scorings[run.pk], labels.position[mine])
    return scores, passed


def _of_pairs(
    runs: Sequence[Run], labels: Labels, version: EvaluatorVersion, scorings: dict[int, Scoring]
) -> tuple[Values, Codes]:
    """What a judge of pairs said of the same two answers; nothing of two that it did not compare.

    Its score stands in the column of the run that it read. For a label of the other answer it is turned around.
    """
    scores, passed = _nothing(labels)
    judgings = Judging.objects.filter(version=version, run__in=runs).exclude(against=None)
    compared = dict(judgings.values_list("run__experiment", "against"))
    labelled = np.array([run.pk for run in runs], np.int64)[labels.run]
    for run in runs:
        against = compared.get(run.experiment_id)
        if run.pk not in scorings or run.pk == against:
            continue
        mine = (labelled == run.pk) & (labels.opponent == against)
        theirs = (labelled == against) & (labels.opponent == run.pk)
        scores[mine], passed[mine] = _at(run, scorings[run.pk], labels.position[mine])
        scores[theirs] = 1 - _at(run, scorings[run.pk], labels.position[theirs])[0]
    return scores, passed


def _nothing(labels: Labels) -> tuple[Values, Codes]:
    return np.full(len(labels), np.nan), np.full(len(labels), NONE)


def _at(run: Run, scoring: Scoring, at: Codes) -> tuple[Values, Codes]:
    """The scores of a run at these positions, and whether they passed."""
    positions = coverage.positions(run)
    column = column_cache.load([scoring], positions)[scoring.pk]
    slots = positions.slots(at)
    return column.values[slots], np.where(np.isfinite(column.values[slots]), column.passed[slots], NONE)
