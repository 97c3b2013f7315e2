"""The ledger: every paid call is entered with its worst-case cost before it is made, and settled afterwards.

Reserved money counts as spent, so a limit is never exceeded: a reservation is one conditional update per budget, which
adds the worst case if it still fits. A call without a worst case (no price, or no limit on the length of its answer)
fits into no budget with a limit. A call with unknown outcome keeps its worst case as its cost.

The budget of a launch or trial is always locked before the monthly one, so that two calls cannot deadlock.

With a call for an answer, the worst case of its judges can be set aside (`held`).
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, F, Max, OuterRef, Q, Sum, Value
from django.db.models.functions import Least
from django.utils import timezone

from evaluations import bulk, leases
from evaluations.access import audit
from evaluations.clients.tokens import Tokens
from evaluations.errors import Conflict, Invalid
from evaluations.models import Budget, Chunk, Connection, Project, Spending
from evaluations.values import stored_json

from . import money
from .needs import LARGEST, NOTHING, Aside, Need, total
from .prices import LARGEST_COST, Rates, cost

PATIENCE = timedelta(minutes=10)  # time after which the outcome of a call is no longer awaited
CLOSED = ("state", "cost", "settled_at", "tokens_in", "tokens_out", "tokens_cached", "tokens_reasoning")
LIMITS_OF_OUTPUT = ("max_completion_tokens", "max_tokens")
NEEDS_LENGTH = "needs a limit on the length of answers: set “Max tokens” (max_completion_tokens)."
A_BUDGET, THE_MONTH = "A budget", "The monthly limit of the project"
MOST_OF_IMAGE = 50_000  # tokens; gpt-4o-mini counts up to 48 169 for an image


class NotReserved(Conflict):
    """A call may not be made."""


class NotLimitable(NotReserved):
    """A budget has a limit, and the call has no worst case."""

    def __init__(self, call: "Call"):
        if call.rates is None:
            message = f"{call.connection.name} has no price for {call.model}, so its cost cannot be limited."
            super().__init__("price_required", message, hint="Add one on the page of the connection.")
        else:
            super().__init__("max_tokens_required", f"{A_BUDGET} {NEEDS_LENGTH}")


class LimitReached(NotReserved):
    """The next call would exceed a budget."""

    def __init__(self, budget: Budget):
        limit_name = f"The limit of {budget.month}" if budget.month else "The budget"
        super().__init__("limit_reached", f"{limit_name} is reached.", hint="Raise it, then continue.")
        self.budget = budget


@dataclass(frozen=True)
class Call:
    """A call before it is made: its model, its price, and its worst case in tokens; each None if unknown.

    `aside` is kept for the judges of its answer. A judge's own call may `use_aside`.
    """

    connection: Connection
    model: str
    rates: Rates | None
    maximum: Tokens | None
    aside: Aside = NOTHING
    use_aside: bool = False

    @property
    def worst(self) -> int | None:
        return cost(self.rates, self.maximum) if self.rates and self.maximum else None


def most_tokens(body: Mapping[str, Any]) -> Tokens | None:
    """The worst case of a request: one token per byte, the most of each image, and the longest allowed answer.

    None if the request does not limit the length of the answer.
    """
    longest = longest_answer(body)
    if longest is None:
        return None
    request = stored_json(dict(body)).encode("utf-8", "surrogatepass")
    return Tokens(len(request) + request.count(b'"image_url":') * MOST_OF_IMAGE, longest)


def require_length_limit(parameters: Mapping[str, Any], limit: str = A_BUDGET) -> None:
    """Raise `Invalid`, naming the `limit` that needs it, unless the parameters limit the length of answers."""
    if longest_answer(parameters) is None:
        message = f"{limit} {NEEDS_LENGTH}"
        raise Invalid("max_tokens_required", message, fields={"parameters/max_completion_tokens": [message]})


def longest_answer(parameters: Mapping[str, Any]) -> int | None:
    """The most tokens of an answer that a request allows; None without a limit."""
    limits = [parameters.get(name) for name in LIMITS_OF_OUTPUT]
    return max((limit for limit in limits if type(limit) is int and limit > 0), default=None)


def billed_beyond(budget: Budget, model: str) -> Tokens:
    """The most input and the most output tokens of calls that cost more than their worst case (a server's error)."""
    beyond_worst_case = Spending.objects.filter(budget=budget, model=model, worst__gt=0, cost__gt=F("worst"))
    maximum = beyond_worst_case.aggregate(input=Max("tokens_in"), output=Max("tokens_out"))
    return Tokens(maximum["input"] or 0, maximum["output"] or 0)


# ---- budgets -----------------------------------------------------------------------------------------------


def month_of(project: Project, now: datetime | None = None) -> Budget:
    """The budget of a project for the month of `now` in UTC, by default the current one; created if necessary."""
    month = _name(now)
    limits = Project.objects.filter(pk=project.pk).values_list("monthly_limit", flat=True)
    newest_limit = {"limit": limits.get}  # not the limit of `project`, which may have been loaded last month
    return Budget.objects.get_or_create(project=project, month=month, defaults=newest_limit)[0]


def _name(now: datetime | None = None) -> str:
    return (now or timezone.now()).strftime("%Y-%m")


def limit_months(project: Project, limit: int | None) -> None:
    """Set the monthly limit of a project, from this month on; None for no limit."""
    audit.note(limit=_words(limit), before=_words(project.monthly_limit))
    with transaction.atomic():
        Project.objects.filter(pk=project.pk).update(monthly_limit=limit)
        project.monthly_limit = limit
        Budget.objects.filter(pk=month_of(project).pk).update(limit=limit)


def _words(limit: int | None) -> str:
    return "none" if limit is None else money.cost_text(limit)


def unknown_this_month(project: Project) -> int:
    month = Budget.objects.filter(project=project, month=_name()).first()
    return unknown_of(month) if month else 0


def spent_this_month(project: Project) -> int:
    """The cost of this month's calls; calls in progress count with their worst case."""
    month = Budget.objects.filter(project=project, month=_name())
    return month.values_list("committed", flat=True).first() or 0


def unknown_of(budget: Budget) -> int:
    """How much of the spent sum are calls of unknown outcome, which count with their worst case.

    Those of a worker that died are among them before their time for an answer is over.
    """
    of_budget = {"month": budget} if budget.month else {"budget": budget}
    abandoned = Q(~may_settle(), state=Spending.State.RESERVED)
    lost = Spending.objects.filter(abandoned | Q(state=Spending.State.LOST), **of_budget)
    return lost.aggregate(unknown=Sum("worst"))["unknown"] or 0


def has_unpriced(budget: Budget) -> bool:
    """Whether a call of a launch has no price and, if it has ended, no cost that its server told."""
    return Spending.objects.filter(budget=budget, output_price=None, cost=None).exists()


# ---- calls -------------------------------------------------------------------------------------------------


def reserve(call: Call, budget: Budget | None = None) -> Spending:
    """Enter a call and reserve its worst case in its budgets; raises `NotReserved`, reserving nothing, without room."""
    spendings, full = reserve_many([call], budget)
    if full:
        raise LimitReached(full)
    return spendings[0]


def reserve_many(
    calls: Sequence[Call], budget: Budget | None = None, lease: str = ""
) -> tuple[list[Spending], Budget | None]:
    """Enter as many calls of a project as fit, in order; returns them, and the budget that the next would exceed.

    `lease` is the token of the lease under which they are made (`is_used_up`). Raises `NotLimitable` if the first call
    has no worst case, but a budget has a limit.
    """
    month = month_of(calls[0].connection.project)
    budgets = [month] if budget is None else [budget, month]
    with transaction.atomic():
        count, full = _take_in_order(calls, budgets)
        if full and not count and calls[0].worst is None and _has_limit(full):
            raise NotLimitable(calls[0])
        spendings = [_spending(call, budget, month, lease) for call in calls[:count]]
        return Spending.objects.bulk_create(spendings), full


def _has_limit(budget: Budget) -> bool:
    return Budget.objects.filter(pk=budget.pk, limit__isnull=False, lets_unpriced=False).exists()


def _take_in_order(calls: Sequence[Call], budgets: Sequence[Budget]) -> tuple[int, Budget | None]:
    """Reserve all calls if they fit, as usual, else one by one; returns their number and the full budget."""
    if len(calls) > 1 and _take(budgets, _need(calls)) is None:
        return len(calls), None
    for count, call in enumerate(calls):
        if full := _take(budgets, _need([call])):
            return count, full
    return len(calls), None


def _need(calls: Sequence[Call]) -> Need:
    known = [worst for call in calls if (worst := call.worst) is not None]
    aside = total(call.aside for call in calls)
    return Need(sum(known), len(calls), aside, len(known) == len(calls), calls[0].use_aside)


def _take(budgets: Sequence[Budget], need: Need) -> Budget | None:
    """Reserve in all budgets, or in none if one is full; returns the full one."""
    with transaction.atomic():
        for budget in budgets:
            of_budget = need.alone if budget.month else need
            if not Budget.objects.filter(of_budget.room, pk=budget.pk).update(**of_budget.taken):
                transaction.set_rollback(True)
                return budget
    return None


def _spending(call: Call, budget: Budget | None, month: Budget, lease: str) -> Spending:
    return Spending(
        month=month,
        budget=budget,
        connection=call.connection,
        model=call.model,
        worst=call.worst or 0,
        aside=call.aside.amount,
        aside_calls=call.aside.calls,
        lease=lease,
        **_prices(call.rates),
    )


def is_used_up(budget: Budget, call: Call) -> bool:
    """Whether the call does not fit, and no call in progress could still release money by costing less than reserved.

    Both are read in one query, because other calls reserve and settle meanwhile.
    """
    of_budget = Q(budget=OuterRef("pk")) | Q(month=OuterRef("pk"))
    awaited = Exists(Spending.objects.filter(of_budget, may_settle(), state=Spending.State.RESERVED))
    need = _need([call]).alone if budget.month else _need([call])
    return not Budget.objects.filter(need.room | Q(awaited), pk=budget.pk).exists()


def is_awaited(spending: Spending) -> bool:
    """Whether the outcome of a call may still come."""
    reserved = Spending.objects.filter(pk=spending.pk, state=Spending.State.RESERVED)
    return reserved.filter(may_settle()).exists()


def may_settle() -> Q:
    """Reservations whose worker may still be alive: its lease is, or they are younger than one.

    Calls outside of a chunk (embeddings) end within the time of a lease. Nothing must free the leases of dead
    workers before: a launch at its limit would wait for as long as nobody does.
    """
    now = leases.now()
    living = Chunk.objects.filter(lease_until__gt=now).exclude(token="").values("token")
    is_young = Q(lease="", created_at__gt=now - timedelta(seconds=settings.EVALSITE_LEASE))
    return Q(lease__in=living) | is_young


def _prices(rates: Rates | None) -> dict[str, int]:
    if rates is None:
        return {}
    return {"input_price": rates.input, "cached_price": rates.cached, "output_price": rates.output}


def settle(spending: Spending, tokens: Tokens | None) -> int:
    """Settle one call like `settle_many`; returns its cost."""
    return settle_many([(spending, tokens)])[0]


def settle_many(ended: Sequence[tuple[Spending, Tokens | None]]) -> list[int]:
    """Settle calls at the prices of their reservation; returns their costs. Settling twice changes nothing.

    A call without tokens is lost: its outcome is unknown, and its worst case remains its cost.
    """
    freed: Counter[int] = Counter()
    with transaction.atomic():
        reserved = _still_reserved([spending for spending, _ in ended])
        costs = [_close(spending, tokens) for spending, tokens in ended]
        for (spending, _), paid in zip(ended, costs, strict=True):
            if spending.pk in reserved:
                freed.update(dict.fromkeys(_budgets(spending), spending.worst - paid))
        bulk.update([spending for spending, _ in ended if spending.pk in reserved], CLOSED)
        for budget, amount in freed.items():
            committed = F("committed") - max(amount, -LARGEST)
            Budget.objects.filter(pk=budget).update(committed=Least(committed, Value(LARGEST)))
    return costs


def _still_reserved(spendings: Sequence[Spending]) -> set[int]:
    reserved = Spending.objects.filter(
        pk__in=[spending.pk for spending in spendings], state=Spending.State.RESERVED
    )
    return set(reserved.select_for_update().order_by("pk").values_list("pk", flat=True))


def _rates(spending: Spending) -> Rates:
    """The prices at the time of a reservation; 0 if unknown."""
    return Rates(spending.input_price or 0, spending.cached_price or 0, spending.output_price or 0)


def _budgets(spending: Spending) -> list[int]:
    """The ids of the budgets of a call, in the order in which they are locked."""
    return [pk for pk in (spending.budget_id, spending.month_id) if pk is not None]


def _close(spending: Spending, tokens: Tokens | None) -> int:
    """Set the outcome of a call on the object, which the caller stores; returns its cost."""
    spending.settled_at = timezone.now()
    if tokens is None:
        spending.state, spending.cost = Spending.State.LOST, spending.worst
        return spending.worst
    most = max(spending.worst, LARGEST_COST)
    spending.state, spending.cost = Spending.State.SETTLED, min(cost(_rates(spending), tokens), most)
    spending.tokens_in, spending.tokens_out = tokens.input, tokens.output
    spending.tokens_cached, spending.tokens_reasoning = tokens.cached, tokens.reasoning
    return spending.cost


def give_up(spending: Spending) -> int:
    """Give up a call with unknown outcome: its worst case remains its cost, and is returned."""
    return settle(spending, None)


def give_up_older(moment: datetime) -> int:
    """Give up calls that were reserved before `moment` and never settled; returns their number."""
    lost = Spending.objects.filter(state=Spending.State.RESERVED, created_at__lt=moment)
    return lost.update(state=Spending.State.LOST, cost=F("worst"), settled_at=timezone.now())
