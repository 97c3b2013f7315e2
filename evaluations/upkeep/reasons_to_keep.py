"""Reasons why retention keeps old runs and datasets: in use, a baseline, named by somebody, or not to be made again."""

from datetime import datetime
from typing import Any

from django.db.models import F, Max, Min, Q, QuerySet

from evaluations.models import (
    Dataset,
    DatasetVersion,
    Experiment,
    Gate,
    Generation,
    LabelItem,
    RecordColumn,
    Run,
)

from . import uses

Reasons = dict[int, str]

IN_PROGRESS = "in progress"
RECORDED = "has labels or sent scores, which cannot be computed again"
# A launch is open as long as one of its runs is; its own end is not stored.
GOING_ON = (
    Q(status__in=Run.OPEN)
    | Q(imports__isnull=False)
    | Q(generation__launch__generations__run__status__in=Run.OPEN)
)


def of_runs(runs: QuerySet[Run], before: datetime) -> Reasons:
    """By id, the reasons to keep some of these runs last used `before` this time; newer runs may have reasons too."""
    baselines = _baselines(runs, before)
    going = runs.filter(GOING_ON).values_list("pk", flat=True)
    return (
        _recorded(runs)
        | _repetitions(baselines)
        | baselines
        | _baselines_of_gates(runs)
        | dict.fromkeys(going, IN_PROGRESS)
    )


def of_datasets(datasets: QuerySet[Dataset], before: datetime) -> Reasons:
    """By id, the reasons to keep some of these datasets, whatever their age."""
    within = Run.objects.live().filter(experiment__dataset__in=datasets, experiment__deleted_at=None)
    is_chosen = Q(variant=F("experiment__baseline"))
    chosen = within.filter(is_chosen).values_list("experiment__dataset", "experiment__name")
    gates = Gate.objects.live().filter(baseline__in=within).values_list("dataset", "name")
    tagged = DatasetVersion.objects.filter(dataset__in=datasets).exclude(tag="").order_by("number")
    changing = datasets.filter(Q(status=Dataset.Status.IMPORTING) | Q(imports__isnull=False))
    going = (
        *within.filter(GOING_ON).values_list("experiment__dataset", flat=True),
        *changing.values_list("pk", flat=True),
    )
    recorded = within.filter(pk__in=_recorded(within)).values_list("experiment__dataset", flat=True)
    return (
        dict.fromkeys(recorded, RECORDED)
        | {dataset: _of_experiment(name) for dataset, name in chosen}
        | {dataset: _of_gate(name) for dataset, name in gates}
        | {version.dataset_id: f"v{version.number} has the tag {version.tag}" for version in tagged}
        | dict.fromkeys(going, IN_PROGRESS)
    )


def _recorded(runs: QuerySet[Run]) -> Reasons:
    """Runs with scores that a program or person gave, and runs whose answers people are asked to label."""
    chosen = runs.order_by().values("pk")
    items = LabelItem.objects.filter(run__in=chosen)
    kept = (
        RecordColumn.objects.filter(run__in=chosen, removed_at=None).values_list("run", flat=True),
        items.filter(labels__isnull=False).values_list("run", flat=True),
        items.filter(task__closed_at=None, task__deleted_at=None).values_list("run", flat=True),
    )
    return {run: RECORDED for found in kept for run in found.distinct()}


def _of_experiment(name: str) -> str:
    return f"baseline of the experiment {name}"


def _of_gate(name: str) -> str:
    return f"baseline of the gate {name}"


def _baselines_of_gates(runs: QuerySet[Run]) -> Reasons:
    """The baselines of gates, including those that an undo of the last change would restore."""
    gates = Gate.objects.live().filter(dataset__in=runs.values("experiment__dataset"))
    locks = ((gate, lock) for gate in gates for lock in (gate.previous.get("lock", {}), gate.lock))
    return {lock["baseline"]["run"]: _of_gate(gate.name) for gate, lock in locks if lock.get("baseline")}


def _baselines(runs: QuerySet[Run], before: datetime) -> Reasons:
    """The newest run of the baseline of each experiment.

    If nobody chose a baseline, it is the first variant, as long as the experiment has newer runs.
    """
    experiments = Experiment.objects.filter(pk__in=runs.values("experiment"))
    variants = _variants(Run.objects.live().filter(experiment__in=experiments))
    is_used = {row["experiment"] for row in variants if row["last_used"] >= before}
    baselines: dict[int, dict[str, Any]] = {}
    for row in variants:
        baselines.setdefault(row["experiment"], row)
    return {
        run: _of_experiment(row["experiment__name"])
        for row in baselines.values()
        if row["variant"] == row["experiment__baseline"] or row["experiment"] in is_used
        for run in (row["newest"], row["completed"])
        if run is not None
    }


def _variants(runs: QuerySet[Run]) -> list[dict[str, Any]]:
    """The variants of all experiments with their newest runs, the baseline of each experiment first."""
    rows = runs.order_by().values("experiment", "experiment__name", "experiment__baseline", "variant")
    variants: QuerySet[Any, Any] = rows.annotate(
        oldest=Min("pk"),
        newest=Max("pk"),
        completed=Max("pk", filter=Q(status=Run.Status.COMPLETED)),
        last_used=Max(uses.END_OF_RUN),
    )
    return sorted(variants, key=_baseline_first)


def _baseline_first(variant: dict[str, Any]) -> tuple[bool, bool, int]:
    is_other = variant["variant"] != variant["experiment__baseline"]
    return is_other, variant["completed"] is None, variant["oldest"]


def _repetitions(baselines: Reasons) -> Reasons:
    """The other repetitions, by a launch, of variants that are baselines: their mean is compared."""
    columns = ("launch", "run__variant", "run")
    generations = Generation.objects.filter(run__in=list(baselines)).values_list(*columns)
    reasons = {(launch, variant): baselines[run] for launch, variant, run in generations}
    repetitions = Generation.objects.filter(launch__in={launch for launch, _ in reasons}).values_list(
        *columns
    )
    return {
        run: reasons[launch, variant] for launch, variant, run in repetitions if (launch, variant) in reasons
    }
