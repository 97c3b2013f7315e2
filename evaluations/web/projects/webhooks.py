"""Webhooks of a project, for its administrators."""

from collections.abc import Sequence

import orjson
from django.contrib import messages
from django.db.models import Max
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from evaluations.access.addresses import public_address
from evaluations.models import Delivery, Project, Webhook
from evaluations.webhooks import kinds, sending, webhooks

from ..forms.webhook import WebhookForm
from ..page_tools import shown_once
from ..page_tools.calls import curl
from ..page_tools.frame import frame, object_or_404, project_or_404
from ..page_tools.request import HttpRequest, posted
from ..page_tools.shown_once import ShownOnce
from ..page_tools.texts import pretty

SHOWN = 50  # deliveries
NOTE = "Your program checks signatures with this secret. It is shown only once. To change it, create the webhook again."
EXAMPLE = pretty(
    {
        "id": 7,
        "event": "gate.failed",
        "at": "2026-03-01T12:00:00Z",
        "gate": 3,
        "check": 12,
        "run": 40,
        "verdict": "fail",
        "sentence": "Gate ship failed. …",
        "link": "https://evalsite.example.com/gates/3/?check=12",
    }
)


@sensitive_post_parameters("secret")
@require_http_methods(["GET", "HEAD", "POST"])
def webhook_list(request: HttpRequest, slug: str) -> HttpResponse:
    """The webhooks of a project, and a form to add one, whose secret is shown once."""
    project = project_or_404(request, slug, "admin")
    form = WebhookForm(posted(request))
    if created := form.do(lambda: _create(request, project, form)):
        webhook, secret = created
        shown = ShownOnce(f"Secret of the webhook to {webhook}", NOTE, secret)
        return shown_once.lead_to(request, reverse("webhook-list", args=[slug]), shown)
    return _list(request, project, form)


def _create(request: HttpRequest, project: Project, form: WebhookForm) -> tuple[Webhook, str]:
    webhooks.check(form.cleaned_data["url"])
    site = public_address(request, "/")
    return webhooks.store(project, request.user, **form.cleaned_data, site=site)


def _list(request: HttpRequest, project: Project, form: WebhookForm) -> HttpResponse:
    all_of_it = project.webhooks.annotate(last=Max("deliveries"))
    last = Delivery.objects.in_bulk(filter(None, all_of_it.values_list("last", flat=True)))
    listed = [(webhook, _words(webhook), last.get(webhook.last)) for webhook in all_of_it]
    page = {
        **frame(request, project, "settings"),
        "listed": listed,
        "api_call": curl(request, "/api/v1/webhooks/"),
        "form": form,
        "example": EXAMPLE,
    }
    return shown_once.page(request, "projects/webhook_list.html", page, form.status)


def _words(webhook: Webhook) -> str:
    """The events as one line: "A run is completed, a run failed a gate"."""
    meanings = [kinds.SENT[event].meaning for event in webhook.events]
    return ", ".join(
        f"{words[:1].lower()}{words[1:]}" if number else words for number, words in enumerate(meanings)
    )


@require_safe
def webhook_detail(request: HttpRequest, pk: int) -> HttpResponse:
    webhook = object_or_404(request, Webhook.objects.all(), pk, "admin")
    deliveries = list(webhook.deliveries.all()[:SHOWN])
    cause = _shared_cause(deliveries)
    page = {
        **frame(request, webhook.project, "settings"),
        "webhook": webhook,
        "api_call": curl(request, f"/api/v1/webhooks/{webhook.pk}/"),
        "events": _words(webhook),
        "cause": cause,
        "columns": "Event, When, Status, Attempts:number" + ("" if cause else ", Cause"),
        "deliveries": [(kinds.SENT[delivery.event].meaning, delivery) for delivery in deliveries],
        "example": EXAMPLE,
        "last_sent": pretty(orjson.loads(sending.body_of(deliveries[0]))) if deliveries else "",
    }
    return render(request, "projects/webhook_detail.html", page)


def _shared_cause(deliveries: Sequence[Delivery]) -> str:
    """The cause of all deliveries that are not done, where several have the same."""
    causes = [delivery.cause for delivery in deliveries if delivery.cause]
    return causes[0] if len(causes) > 1 and len(set(causes)) == 1 else ""


@require_POST
def webhook_test(request: HttpRequest, pk: int) -> HttpResponse:
    webhook = object_or_404(request, Webhook.objects.all(), pk, "admin")
    delivery = sending.send_test(webhook)
    if delivery.cause:
        messages.error(request, f"The test failed: {delivery.cause}")
    else:
        messages.success(request, "The test was delivered.")
    return redirect("webhook-detail", pk)


@require_POST
def webhook_delete(request: HttpRequest, pk: int) -> HttpResponse:
    webhook = object_or_404(request, Webhook.objects.all(), pk, "admin")
    webhooks.delete(webhook)
    messages.success(request, f"Webhook to {webhook} deleted.")
    return redirect("webhook-list", webhook.project.slug)


urlpatterns = [
    path("p/<slug:slug>/webhooks/", webhook_list, name="webhook-list"),
    path("webhooks/<int:pk>/", webhook_detail, name="webhook-detail"),
    path("webhooks/<int:pk>/test/", webhook_test, name="webhook-test"),
    path("webhooks/<int:pk>/delete/", webhook_delete, name="webhook-delete"),
]
