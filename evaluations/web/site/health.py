"""The endpoints /healthz and /readyz for monitoring, which reveal nothing else."""

from collections.abc import Callable
from datetime import timedelta

from django.contrib.auth.decorators import login_not_required
from django.db import DatabaseError, connection
from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_safe

from evaluations.engine import consumption
from evaluations.imports.uploads import uploads

from .server_errors import RETRY_AFTER

LATE = 5.0  # seconds
WORK_LEFT = timedelta(seconds=120)


def answer(problem: str) -> JsonResponse:
    if not problem:
        return JsonResponse({"status": "ok"})
    return JsonResponse({"status": problem}, status=503, headers={"Retry-After": RETRY_AFTER})


@login_not_required
@require_safe
def healthz(request: HttpRequest) -> JsonResponse:
    """200 if this process answers and reaches its database, else 503."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return answer("database unreachable")
    return answer("")


def disk(request: HttpRequest) -> dict[str, Callable[[], bool]]:
    """Context processor: whether pages warn of a nearly full disk."""
    return {"disk_is_nearly_full": uploads.disk_is_nearly_full}


@login_not_required
@require_safe
def readyz(request: HttpRequest) -> JsonResponse:
    """200 if workers sweep and take the work of every queue, and the disk has room; else 503."""
    if uploads.disk_is_nearly_full():
        return answer("disk full")
    if _loop_is_late(request):
        return answer("web answers late")
    try:
        return answer(trouble_of_workers())
    except DatabaseError:
        return answer("database unreachable or not migrated")


def _loop_is_late(request: HttpRequest) -> bool:
    """Whether a web process did not look at its connections for a long time in the last minutes."""
    if (pulses := request.META.get("evalsite.pulses")) is None:
        return False
    return any(pulses.delay(number) > LATE for number in range(pulses.number))


def trouble_of_workers() -> str:
    """What is wrong with the workers of the site, as a few words; "" if nothing is."""
    if not consumption.is_swept():
        return "no recent sweep"
    queue = consumption.stalled_queue(WORK_LEFT)
    return f"no worker takes work of the queue {queue}" if queue else ""
