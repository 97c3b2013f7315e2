"""The usage of a generated run: calls, tokens, cost and latency, for pages and the API."""

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from django.db.models import Count, Q, Sum

from evaluations.models import Answer, Output, Run
from evaluations.process_cache import ProcessCache

PAID = Q(attempts__gt=0)
COUNTS = ("answers", "cached", "calls", "without_tokens", "without_cost")
UNFINISHED = (Run.Status.GENERATING, Run.Status.CANCELLED, Run.Status.FAILED)
MANY = 20_000  # answers up to which summing takes some hundredths of a second
EVERY = 10.0  # seconds for which figures are cached
SUMS = ("tokens_in", "tokens_out", "tokens_cached", "tokens_reasoning", "cost")


@dataclass(frozen=True)
class Usage:
    """`answers` counts failed answers too; `cached` of them came from the cache, and the sums are over the others.

    A sum is None if no answer has the figure, and the cost also if those that have one cost nothing;
    `without_tokens` and `without_cost` count the answers missing from it. `p50` and `p95` are the latencies in
    milliseconds that 50 % and 95 % of the answers do not exceed.
    """

    answers: int
    cached: int
    calls: int
    tokens_in: int | None
    tokens_out: int | None
    tokens_cached: int | None
    tokens_reasoning: int | None
    cost: int | None
    without_tokens: int
    without_cost: int
    p50: int | None
    p95: int | None


process_cache: ProcessCache[tuple[int, int], dict[int, Usage]] = ProcessCache("usage of launches", 100)


def of_run(run: Run) -> Usage | None:
    return of_runs([run]).get(run.pk)


def of_runs(runs: Sequence[Run]) -> dict[int, Usage]:
    """The figures of generated runs by id: the stored ones, or those so far."""
    usage_by_run = {run.pk: Usage(**run.usage) for run in runs if run.usage}
    unfinished_runs = [run for run in runs if not run.usage]
    for run in filter(_is_large, unfinished_runs):
        usage_by_run |= _recent(run.pk)
    return usage_by_run | _computed([run.pk for run in unfinished_runs if not _is_large(run)])


def _is_large(run: Run) -> bool:
    return run.output_count > MANY and run.status in UNFINISHED


def _recent(run_id: int) -> dict[int, Usage]:
    """The figures, up to some seconds old, so that polling pages do not sum a million answers each time."""
    key = run_id, int(time.monotonic() / EVERY)
    recent_usage = process_cache.get(key)
    if recent_usage is None:
        recent_usage = _computed([run_id])
        process_cache.put(key, recent_usage)
    return recent_usage


def keep(run: Run) -> None:
    """Store the figures of a run whose answers are complete: a million take a second to sum."""
    usage = _computed([run.pk]).get(run.pk)
    Run.objects.filter(pk=run.pk).update(usage=asdict(usage) if usage else None)


def _computed(ids: Sequence[int]) -> dict[int, Usage]:
    sums = {f"sum_{name}": Sum(name, filter=PAID) for name in SUMS}
    counted = (
        Answer.objects.filter(run__in=ids)
        .values("run_id")
        .annotate(
            answers=Count("position"),
            cached=Count("position", filter=~PAID),
            calls=Sum("attempts"),
            without_tokens=Count("position", filter=PAID & Q(tokens_in=None)),
            without_cost=Count("position", filter=PAID & Q(cost=None)),
            **sums,
        )
    )
    return {row["run_id"]: _usage(row, _latencies(row["run_id"])) for row in counted}


def _usage(row: Mapping[str, Any], latencies: Mapping[int, int]) -> Usage:
    figures = {name: row[name] for name in COUNTS}
    is_free = row["answers"] == row["cached"]
    figures |= {name: 0 if is_free else row[f"sum_{name}"] for name in SUMS}
    if figures["without_cost"] and not figures["cost"]:
        figures["cost"] = None  # of refused calls the cost is known: none
    return Usage(**figures, p50=percentile(latencies, 50), p95=percentile(latencies, 95))


def _latencies(run_id: int) -> dict[int, int]:
    """The number of answers by latency in milliseconds."""
    timed = Output.objects.filter(run=run_id, latency_ms__isnull=False)
    return dict(timed.values_list("latency_ms").annotate(Count("position")))


def percentile(counts: Mapping[int, int], percent: int) -> int | None:
    """The smallest value that at least `percent` % of the values do not exceed; None without values.

    >>> percentile({10: 1, 20: 1, 30: 2}, 50), percentile({10: 19, 900: 1}, 95), percentile({}, 50)
    (20, 10, None)
    """
    rank, counted = math.ceil(sum(counts.values()) * percent / 100), 0
    for value in sorted(counts):
        counted += counts[value]
        if counted >= rank:
            return value
    return None
