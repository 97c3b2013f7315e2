"""Events for the webhooks of a project, stored in the same transaction as the reported change."""

from collections.abc import Sequence
from typing import Any

from django.conf import settings

from evaluations import hints, leases, task_names
from evaluations.models import (
    Delivery,
    EvaluatorVersion,
    Gate,
    GateCheck,
    Launch,
    Prompt,
    PromptVersion,
    Run,
    Scoring,
    Webhook,
)
from evaluations.numerals import grouped, plural

from . import chats
from .kinds import (
    EVALUATOR_FAILING,
    GATE_CHANGED,
    GATE_FAILED,
    JUDGE_DRIFTED,
    JUDGE_MODEL_CHANGED,
    LABEL_MOVED,
    LAUNCH_COMPLETED,
    LAUNCH_STOPPED,
    RUN_COMPLETED,
    TEST,
)

FAILING = 0.1  # share of examples with errors, from which an evaluator is failing
WHY_STOPPED = {
    Launch.Status.DECIDED: "every variant is decided",
    Launch.Status.LIMIT: "the next call does not fit into its budget",
    Launch.Status.FAILED: "it failed",
    Launch.Status.CANCELLED: "it was cancelled",
}


def run_completed(run: Run) -> None:
    """Store the event that a run has all its outputs and scores."""
    if webhooks := _listening(run.project_id, RUN_COMPLETED):
        sentence = f"Run {run.variant} of {run.experiment.name} is completed."
        facts = {"run": run.pk, "experiment": run.experiment_id}
        _keep(webhooks, RUN_COMPLETED, facts, sentence, f"/runs/{run.pk}/")
    if launch := Launch.objects.filter(generations=run.pk).first():
        _launch_completed(launch)


def _launch_completed(launch: Launch) -> None:
    """Store the event that all runs of a launch are completed, once for each webhook.

    The webhooks are locked, so that of two runs that are completed at once the later one sees both.
    """
    listening = [webhook.pk for webhook in _listening(launch.project_id, LAUNCH_COMPLETED)]
    webhooks = [
        webhook
        for webhook in Webhook.objects.select_for_update().filter(pk__in=listening)
        if launch.pk not in _launches_told(webhook)
    ]
    runs = Run.objects.filter(generation__launch=launch, deleted_at=None)
    if webhooks and not runs.exclude(status=Run.Status.COMPLETED).exists():
        sentence = (
            f"Launch {launch.pk} of {launch.experiment.name} is completed: {plural(runs.count(), 'run')}."
        )
        facts = {"launch": launch.pk, "experiment": launch.experiment_id, "status": launch.status}
        _keep(webhooks, LAUNCH_COMPLETED, facts, sentence, f"/launches/{launch.pk}/")


def _launches_told(webhook: Webhook) -> set[int]:
    told = webhook.deliveries.filter(event=LAUNCH_COMPLETED).values_list("content", flat=True)
    return {content["launch"] for content in told}


def launch_stopped(launch: Launch, status: str, error: dict[str, Any] | None = None) -> None:
    """Store the event that a launch stopped before all its examples were asked."""
    if webhooks := _listening(launch.project_id, LAUNCH_STOPPED):
        why = error["message"] if error else f"{WHY_STOPPED[Launch.Status(status)]}."
        sentence = f"Launch {launch.pk} of {launch.experiment.name} stopped: {why}"
        facts = {"launch": launch.pk, "experiment": launch.experiment_id, "status": status}
        _keep(webhooks, LAUNCH_STOPPED, facts, sentence, f"/launches/{launch.pk}/")


def gate_checked(check: GateCheck) -> None:
    """Store the event of a failed gate. Only FAIL is an event: INCONCLUSIVE and CHANGED say nothing about the run."""
    if check.verdict != GateCheck.Verdict.FAIL:
        return
    gate = check.gate
    if webhooks := _listening(gate.project_id, GATE_FAILED):
        sentence = f"Gate {gate.name} failed. {check.sentence}"
        facts = {"gate": gate.pk, "check": check.pk, "run": check.run_id, "verdict": check.verdict}
        _keep(webhooks, GATE_FAILED, facts, sentence, f"/gates/{gate.pk}/?check={check.pk}")


def gate_changed(gate: Gate, old_hash: str) -> None:
    """Store the event that a gate has another hash, so that pipelines with the old one get CHANGED."""
    if gate.hash != old_hash and (webhooks := _listening(gate.project_id, GATE_CHANGED)):
        sentence = f"Gate {gate.name} was changed. Pipelines that expect its old hash get CHANGED."
        facts = {"gate": gate.pk, "hash": gate.hash, "previous": old_hash}
        _keep(webhooks, GATE_CHANGED, facts, sentence, f"/gates/{gate.pk}/")


def judge_model_changed(version: EvaluatorVersion, before: str, now: str) -> None:
    """Store the event that a judge's answers name another model: what was measured about it was another judge."""
    evaluator = version.evaluator
    if webhooks := _listening(evaluator.project_id, JUDGE_MODEL_CHANGED):
        sentence = f"{version} is answered by {now}; before, it was {before}. Check it against people again."
        facts = {"evaluator": evaluator.pk, "version": version.number, "model": now, "previous": before}
        _keep(webhooks, JUDGE_MODEL_CHANGED, facts, sentence, f"/evaluators/{evaluator.pk}/")


def judge_drifted(version: EvaluatorVersion, labels: int, before: int, now: int) -> None:
    """Store the event that a judge, asked again about `labels` answers, agrees with people on fewer of them."""
    evaluator = version.evaluator
    if webhooks := _listening(evaluator.project_id, JUDGE_DRIFTED):
        answers = plural(labels, "answer")
        sentence = f"{version} agrees with people on {now} of {answers}; before, it did on {before}."
        facts = {
            "evaluator": evaluator.pk,
            "version": version.number,
            "labels": labels,
            "agreed": now,
            "previous": before,
        }
        _keep(webhooks, JUDGE_DRIFTED, facts, sentence, f"/evaluators/{evaluator.pk}/passport/")


def evaluators_failing(run: Run, scorings: Sequence[Scoring]) -> None:
    """Store an event for each scoring in which at least a tenth of the examples have an error of the evaluator."""
    failing = [scoring for scoring in scorings if _errors(scoring) >= FAILING * max(1, _total(scoring))]
    if failing and (webhooks := _listening(run.project_id, EVALUATOR_FAILING)):
        for scoring in failing:
            evaluator, errors = scoring.evaluator_version.evaluator, _errors(scoring)
            what = f"{grouped(errors)} of {plural(_total(scoring), 'example')}"
            sentence = f"{evaluator.name} failed on {what} of run {run.variant} of {run.experiment.name}."
            facts = {
                "evaluator": evaluator.pk,
                "run": run.pk,
                "experiment": run.experiment_id,
                "errors": errors,
            }
            _keep(webhooks, EVALUATOR_FAILING, facts, sentence, f"/runs/{run.pk}/?status=error")


def _errors(scoring: Scoring) -> int:
    return int((scoring.summary or {}).get("counts", {}).get("error", 0))


def _total(scoring: Scoring) -> int:
    return int((scoring.summary or {}).get("counts", {}).get("total", 0))


def prompt_label_moved(
    prompt: Prompt, label: str, before: PromptVersion | None, after: PromptVersion | None
) -> None:
    """Store the event that a label of a prompt is on another version, or on none."""
    if webhooks := _listening(prompt.project_id, LABEL_MOVED):
        old, new = (version.number if version else None for version in (before, after))
        sentence = f"{prompt.name}: {label} {_moved(old, new)}."
        facts = {"prompt": prompt.pk, "name": prompt.name, "label": label, "version": new, "previous": old}
        _keep(webhooks, LABEL_MOVED, facts, sentence, f"/prompts/{prompt.pk}/labels/")


def _moved(old: int | None, new: int | None) -> str:
    """How a label moved.

    >>> _moved(2, 3), _moved(None, 3), _moved(2, None)
    ('moved from v2 to v3', 'is now v3', 'was taken from v2')
    """
    if new is None:
        return f"was taken from v{old}"
    return f"is now v{new}" if old is None else f"moved from v{old} to v{new}"


def of_test(webhook: Webhook) -> Delivery:
    """A test event, sent once."""
    sentence = f"This is a test of a webhook of {webhook.project.name}."
    content = _content(webhook, {}, sentence, f"/webhooks/{webhook.pk}/")
    return Delivery(webhook=webhook, event=TEST, content=content, created_at=leases.now())


def _listening(project_id: int, event: str) -> list[Webhook]:
    """The project's webhooks that listen to this event; there are at most ten."""
    return [webhook for webhook in Webhook.objects.filter(project=project_id) if event in webhook.events]


def _keep(webhooks: Sequence[Webhook], event: str, facts: dict[str, Any], sentence: str, path: str) -> None:
    at = leases.now()
    Delivery.objects.bulk_create(
        Delivery(
            webhook=webhook,
            event=event,
            content=_content(webhook, facts, sentence, path),
            created_at=at,
            due_at=at,
        )
        for webhook in webhooks
    )
    hints.send(task_names.DELIVER, webhooks[0].pk)


def _content(webhook: Webhook, facts: dict[str, Any], sentence: str, path: str) -> dict[str, Any]:
    """The JSON to send. Its `text` is for chats: names in it are escaped, so they format nothing and mention nobody."""
    link = f"{settings.URL if settings.GIVEN_URL else webhook.site}{path}"
    return {
        **facts,
        "sentence": sentence,
        "link": link,
        "text": f"{sentence.translate(chats.HARMLESS)} {link}",
    }
