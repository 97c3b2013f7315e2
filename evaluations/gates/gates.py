"""Gates: defined once, then checked for every new run of a pipeline.

A check is CHANGED if anything it depends on differs from the lock; otherwise the criteria decide.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from evaluations import owned
from evaluations.comparisons.alignment.sides import Scorings
from evaluations.comparisons.comparison import Comparison
from evaluations.comparisons.grouping.example_filter import ExampleFilter
from evaluations.datasets import splits
from evaluations.errors import Conflict, Invalid, NotFound
from evaluations.models import Dataset, EvaluatorVersion, Gate, GateCheck, Project, Run, Split
from evaluations.numerals import plural
from evaluations.results.shown import scorings_of
from evaluations.scoring import counted
from evaluations.statistics.wording import Part, text
from evaluations.values import Missing
from evaluations.webhooks import events

from . import criteria as gate_criteria
from . import lock as gate_lock
from . import results as gate_results
from . import unlike_the_whole, wording
from .checks import Bench
from .lock import Lock
from .meaning import meaning


@dataclass(frozen=True)
class Plan:
    """The settings of a gate; `criteria` as they were sent."""

    baseline: Run
    criteria: Iterable[Mapping[str, Any]]
    missing: Missing = "worst"
    accepts_inconclusive: bool = False
    split: Split | None = None


def create(
    project: Project, user: User | None, name: str, plan: Plan, dataset: Dataset | None = None
) -> Gate:
    """Create a gate on the dataset of its baseline; raises `Invalid` if `dataset` is given and is another one."""
    baseline_dataset = plan.baseline.experiment.dataset
    if dataset is not None and dataset != baseline_dataset:
        message = f"The baseline is a run on {baseline_dataset.name}, not on {dataset.name}."
        raise Invalid("not_comparable", message, fields={"baseline": [message]})
    gate = Gate(project=project, created_by=user, name=name, dataset=baseline_dataset)
    _set(gate, plan)
    return owned.save_named(gate)


def change(gate: Gate, plan: Plan | None = None, name: str | None = None, *, seen_hash: str = "") -> Gate:
    """Rename a gate, or lock it anew; earlier checks stay as they are, and `undo` reverts the change.

    Raises `Conflict` if the gate no longer has the hash `seen_hash`.
    """
    with transaction.atomic():
        before = _for_update(gate, seen_hash, "Save again to replace what is stored now.")
        gate.previous = {"name": before.name, "lock": before.lock}
        if plan is not None:
            if plan.baseline.experiment.dataset_id != gate.dataset_id:
                message = f"The baseline must be a run on {gate.dataset.name}."
                raise Invalid("not_comparable", message, fields={"baseline": [message]})
            _set(gate, plan)
        events.gate_changed(gate, before.hash)
        return owned.rename(gate, gate.name if name is None else name)


def undo(gate: Gate, seen_hash: str = "") -> Gate:
    """Revert the last change of a gate, and its hash; a second undo is a redo."""
    with transaction.atomic():
        before = _for_update(gate, seen_hash, "Change what it demands now instead.")
        if not before.previous:
            raise NotFound("not_found", "This gate has never been changed.")
        gate.previous = {"name": before.name, "lock": before.lock}
        _apply_lock(gate, before.previous["lock"])
        events.gate_changed(gate, before.hash)
        return owned.rename(gate, before.previous["name"])


def _for_update(gate: Gate, seen_hash: str, hint: str) -> Gate:
    """The gate, read again and locked until the transaction ends."""
    stored = Gate.objects.select_for_update(no_key=True).get(pk=gate.pk)
    if seen_hash and stored.hash != seen_hash:
        message = "Somebody changed this gate since you opened it, or you did in another tab."
        raise Conflict("changed_meanwhile", message, hint=hint)
    return stored


def _apply_lock(gate: Gate, lock: Lock) -> None:
    """Restore an earlier lock; if its baseline was deleted, checks become CHANGED."""
    baseline = lock["baseline"]
    gate.baseline = Run.objects.filter(pk=baseline["run"]).first() if baseline else None
    gate.missing, gate.accepts_inconclusive = lock["missing"], lock["accepts_inconclusive"]
    gate.split = Split.objects.filter(pk=lock.get("split", {}).get("id")).first()
    gate.criteria, gate.lock = lock["criteria"], lock
    gate.hash, gate.locked_at = gate_lock.digest(lock), timezone.now()


def plan_of(gate: Gate) -> Plan:
    """The present settings of a gate, to be changed in part; raises `Conflict` if its baseline was deleted."""
    if gate.baseline is None:
        raise Conflict("deleted", "The baseline of this gate was deleted.", hint="Choose another baseline.")
    return Plan(gate.baseline, gate.criteria, gate.missing, gate.accepts_inconclusive, gate.split)


def _set(gate: Gate, plan: Plan) -> None:
    baseline = plan.baseline
    _require_completed(baseline, "baseline")
    versions = _versions(baseline)
    parsed = gate_criteria.parse(plan.criteria, versions, baseline.experiment.margins)
    if plan.split:
        _check_split(plan.split, baseline)
    gate.baseline, gate.missing, gate.split = baseline, plan.missing, plan.split
    gate.accepts_inconclusive = plan.accepts_inconclusive
    gate.criteria = [criterion.as_dict() for criterion in parsed]
    named = {pk for criterion in parsed for pk in (criterion.evaluator, criterion.helper)}
    used = {pk for pk in named if pk} or set(list(versions)[:1])
    gate.lock = gate_lock.build(gate, [versions[pk] for pk in used])
    gate.hash, gate.locked_at = gate_lock.digest(gate.lock), timezone.now()


def _check_split(split: Split, baseline: Run) -> None:
    if split.deleted_at:
        message = f"The split {split.name} was deleted."
        raise Conflict(
            "deleted", message, hint="Restore it, or use another one.", fields={"split": [message]}
        )
    ExampleFilter(split=split).check(baseline.experiment.dataset)
    splits.frozen(split, baseline.experiment.dataset_version)


def _versions(baseline: Run) -> dict[int, EvaluatorVersion]:
    """By evaluator, the versions that scored the baseline."""
    scorings = scorings_of(baseline)
    if not scorings:
        message = "The baseline has no scores."
        raise Invalid("invalid_gate", message, fields={"baseline": [message]})
    return {s.evaluator_version.evaluator_id: s.evaluator_version for s in scorings}


def delete(gate: Gate) -> None:
    """Delete a gate; its checks stay, and are restored with it."""
    owned.delete(gate, Run.objects.none())


def demand(gate: Gate) -> list[Part]:
    """What a run must meet, in one sentence."""
    baseline = gate.baseline.variant if gate.baseline else "a deleted baseline"
    return wording.sentence(wording.of_gate(gate), baseline)


# ---- checking ------------------------------------------------------------------------------------------------


def preview(project: Project, plan: Plan, runs: Iterable[Run]) -> tuple[list[Part], list[GateCheck]]:
    """What a gate of this plan would demand, in a sentence, and say of completed runs; nothing is stored or counted.

    Raises what `create` raises.
    """
    gate = _planned(project, plan)
    return demand(gate), [_checked(gate, run, None, None, is_counted=False) for run in runs]


def meanings(project: Project, plan: Plan) -> list[str]:
    """What each criterion of this plan means for its baseline today; raises what `create` raises."""
    gate = _planned(project, plan)
    baseline, currency = plan.baseline, project.currency
    bench = Bench(_comparison(gate, baseline, gate_lock.scorings(gate, [baseline])), baseline, currency)
    criteria = gate_criteria.from_stored(gate.criteria)
    return [meaning(bench.judge(criterion), baseline.variant) for criterion in criteria]


def _planned(project: Project, plan: Plan) -> Gate:
    gate = Gate(project=project, dataset=plan.baseline.experiment.dataset)
    _set(gate, plan)
    return gate


def check(gate: Gate, run: Run, user: User | None = None, sent_hash: str | None = None) -> GateCheck:
    """Check a run; the result is stored only if the caller saves it."""
    if run.experiment.dataset_id != gate.dataset_id:
        message = f"The gate is for runs on {gate.dataset.name}."
        raise Invalid("not_comparable", message, fields={"run": [message]})
    _require_completed(run, "run")
    return _checked(gate, run, user, sent_hash)


def _checked(
    gate: Gate, run: Run, user: User | None, sent_hash: str | None, *, is_counted: bool = True
) -> GateCheck:
    by_run = gate_lock.scorings(gate, [candidate for candidate in (gate.baseline, run) if candidate])
    outcome = GateCheck(gate=gate, run=run, hash=gate.hash, created_by=user)
    outcome.changes = gate_lock.changes(gate, run, by_run, sent_hash)
    if outcome.changes:
        outcome.verdict, outcome.is_green = GateCheck.Verdict.CHANGED, False
        is_hash = gate_lock.is_hash_alone(outcome.changes)
        why = "the pipeline sent another hash" if is_hash else "something is not as locked"
        outcome.sentence = f"Nothing was judged, because {why}. {' '.join(outcome.changes)}"
        return outcome
    if is_counted:
        counted.count(run)
    comparison = _comparison(gate, run, by_run)
    _judge(outcome, comparison)
    if outcome.is_green:
        outcome.unlike = unlike_the_whole.told(comparison, run)
        outcome.sentence += outcome.unlike
    return outcome


def _comparison(gate: Gate, run: Run, by_run: Scorings) -> Comparison:
    assert gate.baseline is not None  # else the check is CHANGED
    return Comparison(
        [run],
        gate.baseline,
        by_run,
        missing=gate.missing,
        example_filter=ExampleFilter(split=gate.split),
        estimate="labels",  # a criterion names what helps, so that an opened passport changes no gate
    )


def keep(check: GateCheck) -> None:
    """Store the result of a check; a FAIL is sent to webhooks."""
    with transaction.atomic():
        check.save()
        events.gate_checked(check)


def _judge(outcome: GateCheck, comparison: Comparison) -> None:
    gate = outcome.gate
    bench = Bench(comparison, outcome.run, gate.project.currency)
    results = [bench.judge(criterion) for criterion in gate_criteria.from_stored(gate.criteria)]
    verdict = gate_results.overall(results)
    outcome.verdict, outcome.results = verdict, [result.as_dict() for result in results]
    outcome.is_green = verdict == "pass" or (verdict == "inconclusive" and gate.accepts_inconclusive)
    outcome.examples_needed = gate_results.needed(results) if verdict == "inconclusive" else None
    outcome.sentence = gate_results.sentence(
        results, comparison.sides.label(outcome.run), comparison.sides.label(comparison.sides.baseline.run)
    )
    if comparison.sentence.stopped:
        outcome.sentence += f" {text(comparison.sentence.stopped)}"
    if gate.split:
        outcome.sentence += (
            f" Only {plural(comparison.figures.size, 'example')} of the split {gate.split} count."
        )


def _require_completed(run: Run, field: str) -> None:
    if run.status != Run.Status.COMPLETED:
        message = f"Run {run.pk} is {run.status}; a gate needs completed runs."
        raise Conflict("run_not_completed", message, fields={field: [message]})
