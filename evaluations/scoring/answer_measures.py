"""Latency, tokens, cost and failures of answers that a launch or a file has them of, read as columns."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from django.db.models import Exists, OuterRef

from evaluations import bulk
from evaluations.models import Answer, Generation, Output, Run
from evaluations.prompts import money

# Names with types of values; `Decimal` is an amount as text. The cost of a cached answer is that of the original call.
COLUMNS = {
    "latency_ms": int,
    "tokens_in": int,
    "tokens_out": int,
    "cost": Decimal,
    "cached": bool,
    "error": str,
    "partial_output": str,
    "reasoning": str,
}
OF_OUTPUT = ("latency_ms", "error", "partial", "reasoning")
NOTHING = (None, None, None, None)


def generated(runs: Collection[Run]) -> set[int]:
    """The ids of those runs whose answers have latency, tokens or cost: of launches, or where a file said so."""
    of_run = {"run": OuterRef("pk")}
    known = [
        Exists(Generation.objects.filter(**of_run)),
        Exists(Answer.objects.filter(**of_run)),
        Exists(Output.objects.filter(**of_run, latency_ms__isnull=False)),
    ]
    rows = Run.objects.filter(pk__in=[run.pk for run in runs]).values_list("pk", *known)
    return {pk for pk, *are_known in rows if any(are_known)}


def columns(run: Run, positions: Sequence[int], **within: Any) -> list[list[Any]]:
    """The `COLUMNS` at `positions`, which lie `within` a range; None for unknown values."""
    outputs = Output.objects.filter(run=run, **within).values_list("position", *OF_OUTPUT)
    ended = {position: values for position, *values in bulk.select(outputs)}
    fields = ("tokens_in", "tokens_out", "cost", "attempts")
    answers = {
        position: values
        for position, *values in bulk.select(
            Answer.objects.filter(run=run, **within).values_list("position", *fields)
        )
    }
    rows = list(_rows(positions, ended, answers))
    return [list(column) for column in zip(*rows, strict=True)] or [[] for _ in COLUMNS]


def _rows(
    positions: Sequence[int],
    ended: Mapping[int, Sequence[Any]],
    answers: Mapping[int, Sequence[int | None]],
) -> Iterator[tuple[Any, ...]]:
    for position in positions:
        tokens_in, tokens_out, cost, attempts = answers.get(position, NOTHING)
        amount = None if cost is None else money.cost_text(cost)
        is_cached = None if attempts is None else attempts == 0
        latency, *texts = ended.get(position, NOTHING)
        yield latency, tokens_in, tokens_out, amount, is_cached, *texts
