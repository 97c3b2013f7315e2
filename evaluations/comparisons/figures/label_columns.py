"""People's labels beside the verdicts of an evaluator that helps them, side by side of a comparison."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from evaluations.datasets import identities, live_positions
from evaluations.labelling import parts, sealing, sets
from evaluations.labelling.parts import Weighed
from evaluations.models import Evaluator, EvaluatorVersion
from evaluations.scoring.causes import Cause
from evaluations.statistics.people.strata import Sample
from evaluations.statistics.terms import Column, Interval, Mask, Scale, Values

from ..alignment.alignment import Aligner
from ..people import held


@dataclass(frozen=True)
class LabelColumns:
    """By side: labels and verdicts by example, NaN without; which examples were asked, and which were not answered.

    Labels are from `worst` to `best`; those with more values than pass and fail, or than pairs, `are_graded`. `weighed`
    are the parts of samples that were drawn unequally.
    """

    labels: list[Values]
    judged: list[Values]
    asked: list[Mask]
    silent: list[Mask]
    excludes: bool
    worst: float
    best: float
    are_graded: bool
    weighed: Weighed | None = None

    @classmethod
    def read(
        cls,
        scales: Mapping[int, Scale],
        aligner: Aligner,
        version: EvaluatorVersion,
        helper: EvaluatorVersion | None,
    ) -> "LabelColumns":
        config, label_set = sets.config_of(version), version.evaluator
        given = replace(aligner, missing="exclude", _recipes={}, _placements={})
        of_people = given.aligned(label_set.pk, scales[label_set.pk])
        size = aligner.size
        none, unread = np.full(size, np.nan), np.zeros(size, np.bool_)
        judged: list[Column | None] = [None for _ in of_people.columns]
        if helper is not None:
            judged = given.aligned(helper.evaluator_id, scales[helper.evaluator_id]).columns
            unread = _written(aligner, label_set) if held.is_judge(helper) else unread
        labels = [none if column is None else column.values for column in of_people.columns]
        causes = [np.full(size, Cause.NOT_ASKED, np.uint8) if c is None else c for c in of_people.causes]
        return cls(
            labels=[np.where(unread, np.nan, values) for values in labels],
            judged=[none if column is None else column.values for column in judged],
            asked=[cause != Cause.NOT_ASKED for cause in causes],
            silent=[cause == Cause.VARIANT for cause in causes],
            excludes=aligner.missing == "exclude",
            worst=min(config.choices.values()),
            best=max(config.choices.values()),
            are_graded=config.answers not in ("pass_fail", "pair"),
            weighed=_weighed(aligner, version) if config.purpose == "weighted" else None,
        )

    @property
    def outside(self) -> Mask:
        """The examples from which nobody was drawn."""
        return np.zeros(len(self.labels[0]), np.bool_) if self.weighed is None else self.weighed.outside

    def _sample(self, labels: Values, judged: Values, span: Interval, known: Mask, inside: Mask) -> Sample:
        sample = Sample(labels, judged, *span, known if known.any() else None)
        if self.weighed is None:
            return sample
        return replace(sample, parts=self.weighed.codes[inside], names=self.weighed.names)

    def of_side(self, i: int) -> Sample:
        """Side i alone, over the examples that it was asked; an unanswered one counts as worst without a label.

        Examples from which nobody was drawn are left out.
        """
        inside = self.asked[i] & ~self.silent[i] if self.excludes else self.asked[i]
        inside = inside & ~(self.outside & ~self.silent[i])
        silent = self.silent[i]
        labels, judged = (
            np.where(silent, self.worst, values)[inside] for values in (self.labels[i], self.judged[i])
        )
        return self._sample(labels, judged, (self.worst, self.best), silent[inside], inside)

    def difference(self, i: int, j: int) -> tuple[Sample, Sample]:
        """Side j less side i over the examples that both were asked, and side i alone.

        An unanswered example counts as worst without a label, and by the helper the same.
        """
        inside = self.asked[i] & self.asked[j]
        if self.excludes:
            inside = inside & ~self.silent[i] & ~self.silent[j]
        first, second = (np.where(self.silent[k], self.worst, self.labels[k])[inside] for k in (i, j))
        says = [np.where(self.silent[k], self.worst, self.judged[k])[inside] for k in (i, j)]
        both = (self.silent[i] & self.silent[j])[inside]
        span = self.best - self.worst
        gaps = self._sample(second - first, says[1] - says[0], (-span, span), both, inside)
        paired = np.where(np.isfinite(gaps.labels), first, np.nan)
        return gaps, self._sample(paired, says[0], (self.worst, self.best), both, inside)

    def speak_of(self, i: int, j: int) -> bool:
        """Whether people were asked about every part of the examples that both sides answered."""
        return not (self.outside & self.asked[i] & self.asked[j] & ~(self.silent[i] & self.silent[j])).any()


def _written(aligner: Aligner, label_set: Evaluator) -> Mask:
    """The examples whose labels were read while a rubric was written."""
    mask: Mask = aligner.part(
        sealing.parts(label_set, aligner.version[0].pk, _examples(aligner)) == sealing.WRITE
    )
    return mask


def _weighed(aligner: Aligner, version: EvaluatorVersion) -> Weighed:
    """The parts of the examples that count, in the tasks about these runs."""
    tasks = parts.tasks_of(version, aligner.sides.runs)
    return parts.weighed(tasks, aligner.part(_examples(aligner)))


def _examples(aligner: Aligner) -> NDArray[np.int64]:
    """By slot of the comparison, the identity of the example."""
    dataset, number = aligner.version
    every = aligner.positions.every.copy()
    present = live_positions.of_version(dataset, number)
    every[aligner.positions.slots(present.every)] = identities.of_version(dataset, number)
    return every
