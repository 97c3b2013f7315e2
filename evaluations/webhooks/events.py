"""Events for the webhooks of a project, stored in the same transaction as the reported change."""

from collections.abc import Sequence
from typing import Any

from django.conf import settings

from evaluations import hints, leases, task_names
from evaluations.models import Delivery, GateCheck, Launch, Run, Webhook

RUN_COMPLETED, LAUNCH_STOPPED, GATE_FAILED = "run.completed", "launch.stopped", "gate.failed"
EVENTS = (RUN_COMPLETED, LAUNCH_STOPPED, GATE_FAILED)
TEST = "test"
WHY_STOPPED = {
    Launch.Status.DECIDED: "every variant is decided",
    Launch.Status.LIMIT: "the next call does not fit into its budget",
    Launch.Status.FAILED: "it failed",
    Launch.Status.CANCELLED: "it was cancelled",
}
HARMLESS = str.maketrans({"<": "‹", ">": "›", "@": "@\u200b"})


def run_completed(run: Run) -> None:
    """Store the event that a run has all its outputs and scores."""
    if webhooks := _listening(run.project_id, RUN_COMPLETED):
        sentence = f"Run {run.variant} of {run.experiment.name} is completed."
        facts = {"run": run.pk, "experiment": run.experiment_id}
        _keep(webhooks, RUN_COMPLETED, facts, sentence, f"/runs/{run.pk}/")


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
    return {**facts, "sentence": sentence, "link": link, "text": f"{sentence.translate(HARMLESS)} {link}"}
