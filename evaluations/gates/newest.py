"""What gates said last, for pages that name many of them.

A check that is CHANGED for nothing but the hash that a pipeline sent says something of that pipeline, and hides no
verdict.
"""

from collections.abc import Iterable

from django.db.models import Exists, Max, OuterRef, Q, QuerySet, TextField
from django.db.models.functions import Cast

from evaluations.models import Experiment, Gate, GateCheck, Project

from .lock import HASH_SENT

OF_HASH = Q(verdict=GateCheck.Verdict.CHANGED, said__startswith=f'["{HASH_SENT}')


def _live() -> QuerySet[GateCheck]:
    """Checks of live runs; those of `OF_HASH` judged nothing because of another hash alone."""
    checks = GateCheck.objects.filter(run__deleted_at=None, run__experiment__deleted_at=None)
    return checks.annotate(said=Cast("changes", TextField()))


def _newest(checks: QuerySet[GateCheck]) -> QuerySet[GateCheck]:
    """Of each gate the newest of these checks."""
    newest = checks.order_by().values("gate").annotate(newest=Max("pk")).values_list("newest", flat=True)
    return GateCheck.objects.filter(pk__in=list(newest)).select_related("gate", "run").order_by("-pk")


def of_gates(gates: Iterable[Gate]) -> dict[int, GateCheck]:
    """The newest check of each gate by its id; one with another hash only where there is no other."""
    checks = _live().filter(gate__in=list(gates))
    found = [*_newest(checks), *_newest(checks.filter(~OF_HASH))]
    return {check.gate_id: check for check in found}


def not_passed(project: Project, most: int) -> list[GateCheck]:
    """The newest checks of gates that did not pass, newest first; then those of pipelines that sent another hash."""
    gates = Gate.objects.live().filter(project=project, dataset__deleted_at=None)
    checks = _live().filter(gate__in=gates)
    judged = _newest(checks.filter(~OF_HASH)).exclude(verdict="pass")
    newer = GateCheck.objects.filter(gate=OuterRef("gate"), pk__gt=OuterRef("pk"))
    of_hash = _newest(checks.filter(OF_HASH)).exclude(Exists(newer))
    return [*judged, *of_hash][:most]


def of_experiment(experiment: Experiment) -> list[GateCheck]:
    """The newest judgement of each gate on a variant of an experiment, the newest gate first.

    A check that judged nothing, as of a pipeline that sent another hash, does not hide it.
    """
    found = _live().exclude(verdict=GateCheck.Verdict.CHANGED)
    found = found.filter(run__experiment=experiment, run__for_gate=False)
    return list(
        _newest(found.filter(gate__deleted_at=None, gate__dataset__deleted_at=None)).order_by("-gate")[:3]
    )
