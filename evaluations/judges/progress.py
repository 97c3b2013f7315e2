"""How far a judging is, and what it has paid."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Q, Sum

from evaluations.models import Judging, Verdict

from . import attacks, verdicts


@dataclass(frozen=True)
class Progress:
    """Of the questions of a judging: how many are `answered`, without a verdict (`none`), `failed`, or `cached`.

    `total` is their most until it is complete, because missing answers are not asked about. An earlier request had an
    answer to `before` of them. `cost` is what it paid; None if no price is known.
    """

    total: int
    given: int
    none: int
    failed: int
    cached: int
    cost: int | None
    before: int = 0

    @property
    def done(self) -> int:
        return self.given + self.none + self.failed + self.before


def of(judging: Judging) -> Progress:
    return of_many([judging])[judging.pk]


def of_many(judgings: Sequence[Judging]) -> dict[int, Progress]:
    """By judging, in one query, and one more for each column that is not complete."""
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
    most = judging.size * each
    given, none, failed = (counted.get(f"in_{state}", 0) for state in ("given", "none", "failed"))
    before = _before(judging, most - given - none - failed)
    is_early = judging.purpose == Judging.Purpose.EARLY
    is_complete = judging.status == Judging.Status.COMPLETED and not is_early
    return Progress(
        total=given + none + failed + before if is_complete else most,
        given=given,
        none=none,
        failed=failed,
        cached=counted.get("recalled", 0),
        cost=counted.get("paid"),
        before=before,
    )


def _before(judging: Judging, most: int) -> int:
    """The questions of a column that earlier requests got an answer to, so that they are not asked again."""
    if judging.purpose not in (Judging.Purpose.SCORES, Judging.Purpose.EARLY) or most <= 0:
        return 0
    earlier = verdicts.of_run(judging.run, judging.version).filter(
        judging__lt=judging.pk, state__in=verdicts.ANSWERED, sample__lte=judging.samples
    )
    return min(most, earlier.values("example", "sample", "swapped").distinct().count())
