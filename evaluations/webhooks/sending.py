"""Sends stored events to webhooks: signed, through the guarded client, and retried for a day.

A receiver may get a delivery twice, with the same id, if a worker dies between sending and storing the outcome.
"""

import hashlib
import hmac
import time
from collections import Counter
from collections.abc import Collection
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import timedelta

import orjson
from django.db.models import Count, Exists, OuterRef, QuerySet

from evaluations import hints, leases, secretbox, task_names
from evaluations.access import limits
from evaluations.clients import ServiceError, outbound
from evaluations.engine import queue
from evaluations.evaluators import connections
from evaluations.models import Delivery, Webhook

from . import chats, events

SECONDS = 10.0  # for one request
TURN = 10.0  # seconds after which others get the worker
AT_ONCE, OF_PROJECT = 8, 4  # deliveries beside each other, of all projects and of one
LOOK_EVERY = 0.5  # seconds between two looks for new deliveries while others are under way
LATELY = timedelta(hours=1)
PATIENCE = timedelta(days=1)
FIRST_PAUSE, LONGEST_PAUSE = timedelta(seconds=30), timedelta(hours=2)
TESTS = 10  # per minute and webhook
MOST_KEPT, KEPT_FOR = 500, timedelta(days=30)  # deliveries of a webhook


@dataclass(frozen=True)
class Outcome:
    """The outcome of an attempt: `cause` says why it failed; a `permanent` failure is not retried."""

    http_status: int | None = None
    cause: str = ""
    permanent: bool = False


def work() -> bool:
    """Send due deliveries for at most `TURN` seconds, some beside each other; True if there may be more."""
    until = time.monotonic() + TURN
    under_way: dict[Future[Outcome], Delivery] = {}
    with ThreadPoolExecutor(AT_ONCE, thread_name_prefix="delivery") as pool, ExitStack() as given_back:
        while True:
            has_more = time.monotonic() < until
            while has_more and len(under_way) < AT_ONCE:
                delivery = queue.claim(_next(under_way.values()))
                if has_more := delivery is not None:
                    given_back.enter_context(queue.given_back_on_error(delivery))
                    under_way[pool.submit(send, delivery)] = delivery
            if not under_way:
                return has_more or time.monotonic() >= until
            for sent in wait(under_way, LOOK_EVERY, FIRST_COMPLETED).done:
                _note(under_way.pop(sent), sent.result())


def _next(under_way: Collection[Delivery]) -> QuerySet[Delivery]:
    """The due deliveries beside those under way: one for each webhook and `OF_PROJECT` for each project, and last those
    of receivers that failed lately, so that a silent receiver delays no other.
    """
    projects = Counter(delivery.webhook.project_id for delivery in under_way)
    full = [project for project, count in projects.items() if count >= OF_PROJECT]
    failed = Delivery.objects.filter(
        webhook=OuterRef("webhook"), tried_at__gt=leases.now() - LATELY, delivered_at=None
    )
    return (
        _due()
        .exclude(webhook__in=[delivery.webhook_id for delivery in under_way])
        .exclude(webhook__project__in=full)
        .select_related("webhook")
        .order_by(Exists(failed), "attempt", "due_at")
    )


def sweep() -> None:
    """Free the deliveries of lost workers, and send hints for waiting deliveries again."""
    queue.free_expired(Delivery.objects.all())
    if waiting := _due().first():
        hints.send(task_names.DELIVER, waiting.webhook_id)


def _due() -> QuerySet[Delivery]:
    return Delivery.objects.filter(queue.ready(), due_at__lte=leases.now(), webhook__project__deleted_at=None)


def send_test(webhook: Webhook) -> Delivery:
    """Send a test event, now and only once."""
    limits.require(f"webhook test {webhook.pk}", TESTS, f"A webhook can be tested {TESTS} times a minute.")
    with limits.one_of(limits.SERVER_CALLS, "Too many calls to other servers at once."):
        delivery = events.of_test(webhook)
        delivery.state, delivery.attempt = Delivery.State.DONE, 1
        delivery.save()
        outcome = send(delivery)
    delivery.tried_at = leases.now()
    delivery.delivered_at = None if outcome.cause else delivery.tried_at
    delivery.http_status, delivery.cause = outcome.http_status, outcome.cause
    delivery.save()
    return delivery


def send(delivery: Delivery) -> Outcome:
    """Post a delivery; a failure is part of the outcome, not an exception."""
    webhook = delivery.webhook
    try:
        headers = _signed(delivery, body := body_of(delivery))
        with outbound.client(connections.guard(), connections=1) as client:
            answer = client.post(webhook.url, content=body, headers=headers, timeout=SECONDS)
    except secretbox.Unreadable:
        return Outcome(
            cause="The secret can no longer be decrypted. Create the webhook again.", permanent=True
        )
    except ServiceError as error:
        return Outcome(cause=error.message, permanent=error.permanent)
    if answer.is_success:
        return Outcome(answer.status_code)
    return Outcome(answer.status_code, f"The receiver answered {answer.status_code}.")


def body_of(delivery: Delivery) -> bytes:
    """The JSON body, the same bytes in every attempt."""
    head = {"id": delivery.pk, "event": delivery.event, "at": delivery.created_at}
    event = chats.shaped(delivery.webhook.url, head | delivery.content)
    return orjson.dumps(event, option=orjson.OPT_UTC_Z)


def _signed(delivery: Delivery, body: bytes) -> dict[str, str]:
    secret = secretbox.unseal(delivery.webhook_id, delivery.webhook.encrypted_secret)
    timestamp = str(int(leases.now().timestamp()))
    signature = hmac.new(secret.encode(), f"{timestamp}.".encode() + body, hashlib.sha256).hexdigest()
    return {
        "Content-Type": "application/json",
        "User-Agent": "Evalsite",
        "Evalsite-Timestamp": timestamp,
        "Evalsite-Signature": f"sha256={signature}",
    }


def _note(delivery: Delivery, outcome: Outcome) -> None:
    """Store the outcome, and the time of the next attempt."""
    at = leases.now()
    again = at + pause(delivery.attempt)
    is_over = not outcome.cause or outcome.permanent or again > delivery.created_at + PATIENCE
    queue.leased_row(delivery).update(
        state=Delivery.State.DONE if is_over else Delivery.State.READY,
        token="",
        due_at=again,
        tried_at=at,
        delivered_at=None if outcome.cause else at,
        http_status=outcome.http_status,
        cause=outcome.cause,
    )


def pause(attempt: int) -> timedelta:
    """The pause before the next attempt, doubled each time up to two hours.

    >>> [str(pause(attempt)) for attempt in (1, 2, 3, 9, 40)]
    ['0:00:30', '0:01:00', '0:02:00', '2:00:00', '2:00:00']
    """
    doubled: int = 2 ** min(attempt - 1, 10)
    return min(FIRST_PAUSE * doubled, LONGEST_PAUSE)


def forget_old() -> None:
    """Delete deliveries older than a month, and all but the newest of each webhook."""
    Delivery.objects.filter(created_at__lt=leases.now() - KEPT_FOR).delete()
    for webhook in Webhook.objects.alias(kept=Count("deliveries")).filter(kept__gt=MOST_KEPT):
        newest = webhook.deliveries.order_by("-pk").values_list("pk", flat=True)
        for oldest in newest[MOST_KEPT - 1 : MOST_KEPT]:
            webhook.deliveries.filter(pk__lt=oldest).delete()
