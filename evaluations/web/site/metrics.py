"""The endpoint /metrics in Prometheus' text format, for operators of the site.

Labels carry ids, never names of people or of what they made. Requests are counted in files that all web processes
share; everything else is read when it is asked for.
"""

import os
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import timedelta
from pathlib import Path

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.db.models import Count, Exists, Min, OuterRef, Q, Sum
from django.db.models.functions import Coalesce
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.crypto import constant_time_compare
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector

from evaluations import leases
from evaluations.engine import consumption
from evaluations.models import Connection, Delivery, Import, Job, Spending
from evaluations.models.connection import ServerLimit
from evaluations.models.project import Pulse
from evaluations.models.run import Chunk

FILES = "files"  # the lane of imports
MILLIONTHS = 10**12  # amounts are in millionths of millionths

_registry = CollectorRegistry()
REQUESTS = Counter("evalsite_requests", "Answers to requests", ["route", "status"], registry=_registry)
SECONDS = Histogram(
    "evalsite_request_seconds",
    "Seconds until the answer began",
    ["kind"],
    buckets=(0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30),
    registry=_registry,
)


def measured(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware that counts requests, by the name of their route."""

    def middleware(request: HttpRequest) -> HttpResponse:
        began = time.perf_counter()
        response = get_response(request)
        match = request.resolver_match
        REQUESTS.labels(match.url_name or "" if match else "", response.status_code).inc()
        kind = "api" if request.path_info.startswith("/api/") else "page"
        SECONDS.labels(kind).observe(time.perf_counter() - began)
        return response

    return middleware


@login_not_required
@never_cache
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """The figures for who has EVALSITE_METRICS_TOKEN; without one, the page does not exist."""
    token = settings.METRICS_TOKEN
    if not token:
        raise Http404
    sent = request.headers.get("Authorization", "")
    if not constant_time_compare(sent, f"Bearer {token}"):
        return HttpResponse("EVALSITE_METRICS_TOKEN is needed as a bearer token.\n", "text/plain", 401)
    return HttpResponse(_text(request), CONTENT_TYPE_LATEST)


def _text(request: HttpRequest) -> bytes:
    registry = CollectorRegistry()
    if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]  # the package types only a part of itself
    else:
        registry = _registry  # one process, such as the development server
    return bytes(generate_latest(registry)) + bytes(generate_latest(_Figures(request)))


class _Figures(CollectorRegistry):
    """What is read for each answer."""

    def __init__(self, request: HttpRequest) -> None:
        super().__init__()
        self.request = request

    def collect(self) -> Iterator[Metric]:
        yield from _of_work()
        yield from _of_connections()
        yield from _of_webhooks()
        yield from _of_machine()
        yield from _of_processes(self.request)


def _gauge(
    name: str, meaning: str, labels: list[str], rows: Iterable[tuple[Sequence[object], float]]
) -> Metric:
    family = GaugeMetricFamily(f"evalsite_{name}", meaning, labels=labels)
    for values, figure in rows:
        family.add_metric([str(value) for value in values], figure)
    return family


def _of_work() -> Iterator[Metric]:
    now, labels = leases.now(), ["lane", "project"]
    waiting = Exists(Chunk.objects.filter(state=Chunk.State.READY, job=OuterRef("pk")))
    jobs = Job.objects.filter(state=Job.State.OPEN).values_list("lane", "project")
    files = Import.objects.exclude(state=Import.State.DONE)
    of_files = files.values_list(Coalesce("dataset__project", "run__project"))
    counts = [*jobs.annotate(Count("pk"))]
    counts += [(FILES, project, number) for project, number in of_files.annotate(Count("pk"))]
    oldest = [*jobs.filter(waiting).annotate(Min("created_at"))]
    ready = of_files.filter(state=Import.State.READY)
    oldest += [(FILES, project, at) for project, at in ready.annotate(Min("created_at"))]
    of_jobs = Chunk.objects.filter(state=Chunk.State.READY, job__state=Job.State.OPEN)
    sizes = [*of_jobs.values_list("job__lane", "job__project").annotate(Sum("total"))]
    sizes += [(FILES, project, number) for project, number in ready.annotate(Count("pk"))]
    yield _gauge("jobs", "Open jobs and files", labels, (([lane, project], n) for lane, project, n in counts))
    ages = (([lane, project], (now - at).total_seconds()) for lane, project, at in oldest)
    yield _gauge("queue_age_seconds", "Age of the oldest job or file with waiting work", labels, ages)
    examples = (([lane, project], n) for lane, project, n in sizes)
    yield _gauge("queue_size", "Examples, or files, that wait", labels, examples)
    pulses = Pulse.objects.filter(name__in=["sweep", *consumption.QUEUES]).values_list("name", "at")
    beats = (([name], (now - at).total_seconds()) for name, at in pulses)
    yield _gauge("pulse_age_seconds", "Seconds since workers of a queue were seen", ["queue"], beats)
    seen = (([worker.name], (now - worker.at).total_seconds()) for worker in consumption.workers())
    yield _gauge("worker_age_seconds", "Seconds since a worker reported itself", ["worker"], seen)


def _of_connections() -> Iterator[Metric]:
    labels = ["connection"]
    allowed = Connection.objects.values_list("pk", "in_flight")
    yield _gauge("connection_in_flight_limit", "Calls at once", labels, (([pk], n) for pk, n in allowed))
    limits = list(ServerLimit.objects.values_list("connection", "rate", "resume_at"))
    rates = (([pk], rate) for pk, rate, _ in limits if rate is not None)
    yield _gauge("connection_calls_per_second", "Calls a second that a server allows", labels, rates)
    pauses = (([pk], max(0.0, at - time.time())) for pk, _, at in limits)
    yield _gauge("connection_pause_seconds", "Seconds until a server is asked again", labels, pauses)
    held = list(
        Spending.objects.filter(state=Spending.State.RESERVED)
        .values_list("connection")
        .annotate(Count("pk"), Sum("worst"))
    )
    yield _gauge(
        "reservations", "Calls whose cost is reserved", labels, (([pk or ""], n) for pk, n, _ in held)
    )
    amounts = (([pk or ""], worst / MILLIONTHS) for pk, _, worst in held)
    yield _gauge("reserved_amount", "Worst cost of calls in progress, in currencies", labels, amounts)


def _of_webhooks() -> Iterator[Metric]:
    undelivered, an_hour_ago = Q(delivered_at=None), leases.now() - timedelta(hours=1)
    rows = list(
        Delivery.objects.values_list("webhook").annotate(
            waiting=Count("pk", filter=~Q(state=Delivery.State.DONE)),
            failed=Count("pk", filter=undelivered & Q(state=Delivery.State.DONE, tried_at__gte=an_hour_ago)),
        )
    )
    labels = ["webhook"]
    yield _gauge("webhooks_waiting", "Events to be sent", labels, (([pk], n) for pk, n, _ in rows))
    yield _gauge(
        "webhooks_failed",
        "Events given up within an hour",
        labels,
        (([pk], n) for pk, _, n in rows),
    )


def _of_machine() -> Iterator[Metric]:
    folders = {"data": settings.DATA, "uploads": settings.FILE_UPLOAD_TEMP_DIR}
    sizes = [(name, shutil.disk_usage(folder)) for name, folder in folders.items()]
    yield _gauge("disk_free_bytes", "Free bytes", ["folder"], (([name], size.free) for name, size in sizes))
    yield _gauge("disk_bytes", "Bytes in all", ["folder"], (([name], size.total) for name, size in sizes))


def _of_processes(request: HttpRequest) -> Iterator[Metric]:
    if pulses := request.META.get("evalsite.pulses"):
        numbers, labels = range(pulses.number), ["process"]
        caches = (([n + 1], pulses.read(n).caches) for n in numbers)
        yield _gauge("cache_bytes", "Bytes of the caches of a web process", labels, caches)
        memory = (([n + 1], _resident(pulses.read(n).pid)) for n in numbers)
        yield _gauge("memory_bytes", "Resident bytes of a web process", labels, memory)
        delays = (([n + 1], pulses.delay(n)) for n in numbers)
        yield _gauge("event_loop_delay_seconds", "Longest delay in one to two minutes", labels, delays)
        open_now = (([n + 1], pulses.read(n).connections) for n in numbers)
        yield _gauge("open_connections", "Open connections", labels, open_now)


def _resident(pid: int) -> int:
    """Resident memory in bytes; 0 where the system has no /proc, or for a process that has just ended."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except OSError:
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")
