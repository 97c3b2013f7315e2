"""What gates said last, for pages that name many of them.

A check that is CHANGED for nothing but the hash that a pipeline sent says something of that pipeline, and hides no
verdict.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta

from django.db.models import Exists, F, Max, OuterRef, Q, QuerySet, TextField
from django.db.models.functions import Cast
from django.utils import timezone

from evaluations.models import Experiment, Gate, GateCheck, Project

from .lock import HASH_SENT, digest, hash_sent

MOST = 3  # gates of an experiment, and variants of each, that are named
RECENT = timedelta(days=7)
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


def recent(project: Project) -> dict[int, list[GateCheck]]:
    """Of each gate as it is now, the newest first: its newest judgement of each variant in the last days."""
    checks = _live().exclude(verdict=GateCheck.Verdict.CHANGED)
    checks = checks.filter(gate__in=_of_project(project), hash=F("gate__hash"))
    checks = checks.filter(created_at__gte=timezone.now() - RECENT)
    return _by_gate(checks)


def not_passed(project: Project, found: Mapping[int, Sequence[GateCheck]], most: int) -> list[GateCheck]:
    """Of each gate the newest check, if it did not pass, else the newest of the `recent` ones `found` that did not.

    Those of pipelines that sent an older hash come last.
    """
    checks = _live().filter(gate__in=_of_project(project))
    judged = list(_newest(checks.filter(~OF_HASH)).exclude(verdict="pass"))
    known = {check.gate_id for check in judged}
    failed = {pk: [one for one in of_gate if one.verdict != "pass"] for pk, of_gate in found.items()}
    earlier = [of_gate[0] for pk, of_gate in failed.items() if of_gate and pk not in known]
    newer = GateCheck.objects.filter(gate=OuterRef("gate"), pk__gt=OuterRef("pk"))
    of_hash = _newest(checks.filter(OF_HASH)).exclude(Exists(newer))
    return [*judged, *earlier, *filter(_sent_older_hash, of_hash)][:most]


def _of_project(project: Project) -> QuerySet[Gate]:
    return Gate.objects.live().filter(project=project, dataset__deleted_at=None)


def _sent_older_hash(check: GateCheck) -> bool:
    """Whether the hash sent was the gate's before a change; any other is a mistake in typing, which needs no change."""
    gate, sent = check.gate, hash_sent(check.changes)
    before = [digest(gate.previous["lock"])] if gate.previous else []
    return any(one.startswith(sent) for one in (*before, *gate.checks.values_list("hash", flat=True)))


def last_run(gate: Gate) -> int:
    """The id of the newest run that the gate, as it is now, has checked; 0 if there is none."""
    checks = _live().filter(~OF_HASH, gate=gate, hash=gate.hash)
    return checks.aggregate(last=Max("run"))["last"] or 0


def of_experiment(experiment: Experiment) -> list[list[GateCheck]]:
    """Of each gate, the newest first, its newest judgements of the variants of an experiment.

    A check that judged nothing, as of a pipeline that sent another hash, does not hide it.
    """
    found = _live().exclude(verdict=GateCheck.Verdict.CHANGED)
    found = found.filter(run__experiment=experiment, run__for_gate=False)
    found = found.filter(gate__deleted_at=None, gate__dataset__deleted_at=None)
    return [of_gate[:MOST] for of_gate in _by_gate(found).values()][:MOST]


def _by_gate(checks: QuerySet[GateCheck]) -> dict[int, list[GateCheck]]:
    """Of each gate the newest of these checks of each variant, the newest first."""
    newest = checks.order_by().values("gate", "run__variant").annotate(newest=Max("pk"))
    found = GateCheck.objects.filter(pk__in=[row["newest"] for row in newest])
    by_gate: dict[int, list[GateCheck]] = {}
    for check in found.select_related("gate", "run").order_by("-gate", "-pk"):
        by_gate.setdefault(check.gate_id, []).append(check)
    return by_gate
