"""The tables of the ledger: budgets and paid calls."""

from django.db import models
from django.utils import timezone

from evaluations.values import LONGEST_NAME

from .connection import Connection
from .project import Project


class Budget(models.Model):
    """A limit on the cost of calls: of a project in a month (`month` is "2026-11"), or of one launch or trial ("").

    `committed` is the money spent plus the worst case of calls in progress; it never exceeds `limit`. Amounts are in
    millionths of millionths of the project's currency. `max_calls` limits calls of models without a price. Such calls
    fit into no budget with a limit, unless it is a default that nobody chose (`lets_unpriced`). `held` and `held_calls`
    are kept for judges of answers that were bought: further answers cannot be paid from them.
    """

    project = models.ForeignKey(Project, models.CASCADE, related_name="budgets")
    month = models.CharField(max_length=7, blank=True)
    limit = models.BigIntegerField(null=True)
    committed = models.BigIntegerField(default=0)
    lets_unpriced = models.BooleanField(default=False)
    max_calls = models.PositiveIntegerField(null=True)
    calls = models.PositiveIntegerField(default=0)
    held = models.BigIntegerField(default=0)
    held_calls = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "month"], condition=~models.Q(month=""), name="budget_of_month"
            )
        ]


class Spending(models.Model):
    """One paid call, stored before it is made: its worst-case cost, then its cost. It counts in the project's `month`
    and in the `budget` of its launch or trial, if it has one.

    `lease` is the token of the chunk that asks, which tells whether its worker lives; "" outside of chunks. The prices
    are those of its day. The outcome of a `lost` call is unknown, so the worst case remains its cost. `aside` and
    `aside_calls` are what its budget holds for the judges of its answer.
    """

    class State(models.TextChoices):
        RESERVED = "reserved"
        SETTLED = "settled"
        LOST = "lost"

    month = models.ForeignKey(Budget, models.CASCADE, related_name="+")
    budget = models.ForeignKey(Budget, models.CASCADE, null=True, related_name="spendings")
    connection = models.ForeignKey(Connection, models.SET_NULL, null=True, related_name="+")
    model = models.CharField(max_length=LONGEST_NAME)
    state = models.CharField(max_length=10, choices=State, default=State.RESERVED)
    input_price = models.BigIntegerField(null=True)
    cached_price = models.BigIntegerField(null=True)
    output_price = models.BigIntegerField(null=True)
    worst = models.BigIntegerField()
    aside = models.BigIntegerField(default=0)
    aside_calls = models.PositiveSmallIntegerField(default=0)
    cost = models.BigIntegerField(null=True)
    tokens_in = models.PositiveIntegerField(null=True)
    tokens_out = models.PositiveIntegerField(null=True)
    tokens_cached = models.PositiveIntegerField(null=True)
    tokens_reasoning = models.PositiveIntegerField(null=True)
    lease = models.CharField(max_length=32, blank=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    settled_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(fields=["created_at"], condition=models.Q(state="reserved"), name="reserved"),
            models.Index(fields=["budget"], condition=models.Q(state="lost"), name="lost_of_budget"),
            models.Index(fields=["month"], condition=models.Q(state="lost"), name="lost_of_month"),
        ]
