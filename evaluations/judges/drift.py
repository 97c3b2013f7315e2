"""Whether a judge that is asked again about labelled answers still agrees with people as often as before.

Servers change models behind a name. So repeats of answers that people labelled are compared, answer by answer, with the
first verdicts; answers whose labels are sealed for this version are left out, because they would be told.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from django.db.models import QuerySet

from evaluations.kinds.people import people
from evaluations.labelling import facts, sealing, sets
from evaluations.models import Evaluator, EvaluatorVersion, Judging, Run, Verdict
from evaluations.statistics.intervals import ALPHA
from evaluations.statistics.people.twice import mcnemar
from evaluations.webhooks import events

GIVEN = Verdict.State.GIVEN


@dataclass(frozen=True)
class Drift:
    """Of `labels` answers, the judge agreed with people on `before`; asked again `at`, on `now`, by `model`.

    It agrees on `gained` answers only now, and did on `lost` ones only before.
    """

    at: datetime
    model: str
    labels: int
    before: int
    now: int
    lost: int
    gained: int

    @property
    def p(self) -> float:
        return mcnemar(self.lost, self.gained)

    @property
    def fell(self) -> bool:
        """Whether it clearly agrees less."""
        return self.lost > self.gained and self.p < ALPHA


def newest(version: EvaluatorVersion) -> Drift | None:
    """The last time that a judge was asked again about labelled answers; None if it never was."""
    repeats = Judging.objects.filter(
        version=version,
        purpose=Judging.Purpose.REPEATS,
        status=Judging.Status.COMPLETED,
        run__deleted_at=None,
    )
    for judging in repeats.select_related("run__experiment__dataset", "version__evaluator")[:10]:
        if found := of(judging):
            return found
    return None


def tell(judging: Judging) -> None:
    """Store the event that a judge agrees less with people, if repeats that are complete say so."""
    if judging.purpose != Judging.Purpose.REPEATS or judging.version is None:
        return
    found = of(judging)
    if found and found.fell:
        events.judge_drifted(judging.version, found.labels, found.before, found.now)


def of(judging: Judging) -> Drift | None:
    """What repeats say about labelled answers; None without any."""
    assert judging.version is not None
    labels = labelled(judging.version, judging.run)
    again = judging.verdicts.filter(attack=0, swapped=False, state=GIVEN, sample=judging.first_sample)
    first = Verdict.objects.filter(
        run=judging.run_id, version=judging.version, attack=0, swapped=False, state=GIVEN, sample=1
    )
    before, now = _values(first, labels), _values(again, labels)
    both = [example for example in now if example in before]
    if not both:
        return None
    agreed = [(before[example] == labels[example], now[example] == labels[example]) for example in both]
    return Drift(
        at=judging.finished_at or judging.created_at,
        model=again.exclude(model="").values_list("model", flat=True).first() or "",
        labels=len(both),
        before=sum(was for was, _ in agreed),
        now=sum(stays for _, stays in agreed),
        lost=sum(was and not stays for was, stays in agreed),
        gained=sum(stays and not was for was, stays in agreed),
    )


def _values(verdicts: QuerySet[Verdict], labels: Mapping[int, float]) -> dict[int, float]:
    """By example, the first of these verdicts about an answer that is labelled."""
    rows = verdicts.filter(example__one_of=[*labels]).order_by("-pk").values_list("example", "value")
    return {example: value for example, value in rows if value is not None}


def labelled(version: EvaluatorVersion, run: Run) -> dict[int, float]:
    """By example, what most people say about its answer in a run: 1 or 0, by the label set with the most of it."""
    label_sets = Evaluator.objects.live().filter(project=run.project_id, versions__kind=people.key).distinct()
    found = [_of_set(version, run, label_set) for label_set in label_sets]
    return max(found, key=len, default={})


def _of_set(version: EvaluatorVersion, run: Run, label_set: Evaluator) -> dict[int, float]:
    labels = sets.newest_of(label_set)
    if sets.config_of(labels).answers != "pass_fail":
        return {}
    means: dict[int, float] = {}
    for said in facts.of_run(labels, run).values():
        values = [fact.value for fact in said if fact.is_for_estimates and fact.value is not None]
        if values and sum(values) * 2 != len(values):
            means[said[0].example] = float(sum(values) * 2 > len(values))
    if sealing.is_open(version, label_set):
        return means
    parts = sealing.parts(label_set, run.experiment.dataset_id, np.array([*means], np.int64))
    return {
        example: value
        for (example, value), part in zip(means.items(), parts.tolist(), strict=True)
        if part != sealing.SEALED
    }
