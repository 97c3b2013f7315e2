"""How far a judging is, and what it has paid."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Q, Sum

from evaluations.models import Judging, Verdict

from . import attacks


@dataclass(frozen=True)
class Progress:
    """Of the questions of a judging: how many are `answered`, without a verdict (`none`), `failed`, or `cached`.

    `cost` is what it paid; None if no price is known.
    """

    total: int
    given: int
    none: int
    failed: int
    cached: int
    cost: int | None

    @property
    def done(self) -> int:
        return self.given + self.none + self.failed


def of(judging: Judging) -> Progress:
    return of_many([judging])[judging.pk]


def of_many(judgings: Sequence[Judging]) -> dict[int, Progress]:
    """By judging, in one query."""
    states = Verdict.State
    counts = {f"in_{state.value}": Count("pk", Q(state=state)) for state in states}
    rows = Verdict.objects.filter(judging__in=judgings).order_by().values("judging")
    counted = rows.annotate(
        **counts, paid=Sum("cost", filter=Q(cached=False)), recalled=Count("pk", Q(cached=True))
    )
    by_judging = {row["judging"]: row for row in counted}
    return {judging.pk: _progress(judging, by_judging.get(judging.pk, {})) for judging in judgings}


def _progress(judging: Judging, counted: Mapping[str, Any]) -> Progress:
    each = judging.samples * (2 if judging.against_id else 1)
    if judging.purpose == Judging.Purpose.ATTACKS:
        each *= len(attacks.TEXTS)
    return Progress(
        total=judging.size * each,
        given=counted.get("in_given", 0),
        none=counted.get("in_none", 0),
        failed=counted.get("in_failed", 0),
        cached=counted.get("recalled", 0),
        cost=counted.get("paid"),
    )
