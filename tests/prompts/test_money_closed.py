"""No order of changes, launches, cancels and kills lets the bill exceed a limit."""

import pytest
from django.utils import timezone
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from evaluations.clients.tokens import Tokens
from evaluations.models import Budget, Connection, Generation, Price, Project, Spending
from evaluations.prompts import ledger, prices

MODELS = st.sampled_from(["a", "b"])
AMOUNTS = st.one_of(st.none(), st.integers(0, 2_000))
PRICES = st.sampled_from([0, 1, 3, 10**12])


class Launch:
    """A launch as the ledger sees it: frozen prices, a budget, calls under way, and what the server billed for each."""

    def __init__(self, project, connection, model, limit, longest):
        self.generation = Generation(connection=connection, model=model)
        self.budget = Budget.objects.create(project=project, limit=limit)
        self.longest, self.most = longest, limit
        self.body = {"m": "x" * 5} | ({"max_tokens": longest} if longest else {})
        self.under_way = []
        self.billed = 0
        prices.freeze(self.generation)

    def call(self):
        rates = prices.frozen(self.generation)
        maximum = ledger.most_tokens(self.body) if rates else None
        return ledger.Call(self.generation.connection, self.generation.model, rates, maximum)


class Money(RuleBasedStateMachine):
    """A project with launches. `month_billed` is what servers have billed, `before_limit` what they may at most have
    billed when the monthly limit was set.
    """

    @initialize()
    def begin(self):
        self.project = Project.objects.create(name="money", slug=f"money-{Project.objects.count()}")
        self.connection = Connection.objects.create(
            project=self.project, name="c", base_url="https://c.example/v1"
        )
        self.launches = []
        self.month_billed = self.before_limit = 0
        self.month_limit = self.most_of_month = None

    @rule(model=MODELS, input=PRICES, output=PRICES)
    def set_price(self, model, input, output):
        prices.set_price(self.connection, model, input, output, None, timezone.now().date())

    @rule(model=MODELS)
    def delete_price(self, model):
        Price.objects.filter(connection=self.connection, model=model).delete()

    @rule(limit=AMOUNTS)
    def limit_month(self, limit):
        if self.month_limit is None and limit is not None:
            # What was called without a limit may still be billed; from now on, the limit counts from there.
            self.before_limit = (
                sum(worst for launch in self.launches for _, worst in launch.under_way) + self.month_billed
            )
            self.most_of_month = limit
        if limit is not None:
            self.most_of_month = max(limit, self.most_of_month or 0)
        self.month_limit = limit
        ledger.limit_months(self.project, limit)

    @rule(model=MODELS, limit=AMOUNTS, longest=st.sampled_from([None, 1, 7]))
    def launch(self, model, limit, longest):
        self.launches.append(Launch(self.project, self.connection, model, limit, longest))

    @precondition(lambda self: self.launches)
    @rule(data=st.data(), calls=st.integers(1, 4))
    def ask(self, data, calls):
        launch = data.draw(st.sampled_from(self.launches))
        call = launch.call()
        try:
            spendings, _ = ledger.reserve_many([call] * calls, launch.budget)
        except ledger.NotLimitable:
            assert call.worst is None
            assert self.month_limit is not None or launch.most is not None
            return
        if spendings:
            assert call.worst is not None or (self.month_limit is None and launch.most is None)
        for spending in spendings:
            launch.under_way.append((spending, spending.worst))

    @precondition(lambda self: any(launch.under_way for launch in self.launches))
    @rule(data=st.data(), how=st.sampled_from(["answered", "refused", "lost", "killed", "twice"]))
    def end(self, data, how):
        launch = data.draw(st.sampled_from([launch for launch in self.launches if launch.under_way]))
        spending, worst = launch.under_way.pop(data.draw(st.integers(0, len(launch.under_way) - 1)))
        launch.billed += 0 if how == "refused" else worst
        self.month_billed += 0 if how == "refused" else worst
        if how == "killed":
            Spending.objects.filter(pk=spending.pk).update(created_at=timezone.now() - 2 * ledger.PATIENCE)
            ledger.give_up_older(timezone.now() - ledger.PATIENCE)
        elif how == "refused":
            ledger.settle(spending, Tokens(0, 0))
        else:
            tokens = None if how == "lost" else ledger.most_tokens(launch.body)
            for _ in range(2 if how == "twice" else 1):
                ledger.settle(spending, tokens)

    @precondition(lambda self: self.launches)
    @rule(data=st.data(), limit=st.integers(0, 3_000))
    def go_on(self, data, limit):
        """Continue a launch with another limit, and today's prices."""
        launch = data.draw(st.sampled_from(self.launches))
        if launch.most is not None:
            launch.most = max(launch.most, limit)
            Budget.objects.filter(pk=launch.budget.pk).update(limit=limit)
        prices.freeze(launch.generation)

    @invariant()
    def no_limit_is_exceeded(self):
        for launch in getattr(self, "launches", []):
            assert launch.most is None or launch.billed <= launch.most
        if getattr(self, "month_limit", None) is not None:
            assert self.month_billed <= max(self.most_of_month, self.before_limit)

    @invariant()
    def the_books_are_right(self):
        for launch in getattr(self, "launches", []):
            launch.budget.refresh_from_db()
            under_way = sum(worst for _, worst in launch.under_way)
            if launch.longest:
                assert launch.budget.committed == launch.billed + under_way


@pytest.mark.django_db
class TestMoney(Money.TestCase, TestCase):
    settings = settings(
        max_examples=20, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
    )
