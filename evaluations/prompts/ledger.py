"""The ledger: every paid call is written down before it is made, at its worst case, and settled after.

What is reserved counts as spent. So whatever happens meanwhile, a limit is never exceeded: a reservation is one
conditional update for each budget, which adds the worst case where it still fits. A call whose outcome nobody knows
stays spent at its worst.

The budget of a piece of work is always taken before that of the month, so that two calls never wait for each other.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from evaluations.access import audit
from evaluations.clients.tokens import Tokens
from evaluations.errors import Conflict, Invalid
from evaluations.models import Budget, Connection, Project, Spending

from . import money
from .prices import Rates, cost

LARGEST = 2**62  # The sum of two amounts has 63 bits.
PATIENCE = timedelta(minutes=10)  # after which nobody awaits the outcome of a call any more
LIMITS_OF_OUTPUT = ("max_completion_tokens", "max_tokens")


class LimitReached(Conflict):
    """The next call does not fit into a budget."""

    def __init__(self, budget: Budget):
        which = f"The limit of {budget.month}" if budget.month else "The budget"
        super().__init__("limit_reached", f"{which} is reached.", hint="Raise it, then continue.")
        self.budget = budget


@dataclass(frozen=True)
class Call:
    """A call that is about to be made: its model, its price (None where none is known), and its worst case."""

    connection: Connection
    model: str
    rates: Rates | None
    most: Tokens

    @property
    def worst(self) -> int:
        return cost(self.rates, self.most) if self.rates else 0


def most_tokens(body: bytes, parameters: dict[str, object]) -> Tokens:
    """The worst case of a request: no token is shorter than a byte, and the answer is as long as it may be."""
    for name in LIMITS_OF_OUTPUT:
        longest = parameters.get(name)
        if isinstance(longest, int) and not isinstance(longest, bool) and longest > 0:
            return Tokens(len(body), longest)
    message = "Under a budget the length of answers needs a limit: set max_completion_tokens."
    raise Invalid("max_tokens_required", message, fields={"parameters/max_completion_tokens": [message]})


# ---- budgets -----------------------------------------------------------------------------------------------


def month_of(project: Project, now: datetime | None = None) -> Budget:
    """The budget of a project's month, in UTC."""
    month = _name(now)
    limits = Project.objects.filter(pk=project.pk).values_list("monthly_limit", flat=True)
    newest_limit = {"limit": limits.get}  # A worker may have read the project last month.
    return Budget.objects.get_or_create(project=project, month=month, defaults=newest_limit)[0]


def _name(now: datetime | None = None) -> str:
    return (now or timezone.now()).strftime("%Y-%m")


def limit_months(project: Project, limit: int | None) -> None:
    """The monthly limit of a project, from this month on; None for no limit."""
    audit.note(limit=_words(limit), before=_words(project.monthly_limit))
    with transaction.atomic():
        Project.objects.filter(pk=project.pk).update(monthly_limit=limit)
        project.monthly_limit = limit
        Budget.objects.filter(pk=month_of(project).pk).update(limit=limit)


def _words(limit: int | None) -> str:
    return "none" if limit is None else money.cost_text(limit)


def spent_this_month(project: Project) -> int:
    """What calls of this month cost, those under way at their worst."""
    month = Budget.objects.filter(project=project, month=_name())
    return month.values_list("committed", flat=True).first() or 0


# ---- calls -------------------------------------------------------------------------------------------------


def reserve(call: Call, budget: Budget | None = None) -> Spending:
    """Write down a call and take its worst case from its budgets; raises `LimitReached`, and then takes nothing."""
    month = month_of(call.connection.project)
    with transaction.atomic():
        if budget is not None:
            _take(budget, call.worst)
        _take(month, call.worst)
        return Spending.objects.create(
            month=month,
            budget=budget,
            connection=call.connection,
            model=call.model,
            worst=call.worst,
            **_prices(call.rates),
        )


def _take(budget: Budget, worst: int) -> None:
    if not _with_room(budget, worst).update(committed=F("committed") + worst, calls=F("calls") + 1):
        raise LimitReached(budget)


def has_room(budget: Budget, call: Call) -> bool:
    """Whether a call fits into a budget at this moment."""
    return _with_room(budget, call.worst).exists()


def _with_room(budget: Budget, worst: int) -> QuerySet[Budget]:
    if worst > LARGEST:
        return Budget.objects.none()
    fits = Q(limit=None, committed__lte=LARGEST - worst) | Q(limit__gte=F("committed") + worst)
    may_call = Q(max_calls=None) | Q(max_calls__gt=F("calls"))
    return Budget.objects.filter(fits, may_call, pk=budget.pk)


def _prices(rates: Rates | None) -> dict[str, int]:
    if rates is None:
        return {}
    return {"input_price": rates.input, "cached_price": rates.cached, "output_price": rates.output}


def settle(spending: Spending, tokens: Tokens) -> int:
    """What a call did cost, by the prices of its reservation; a second time changes nothing."""
    paid = cost(_rates(spending), tokens)
    _close(
        spending,
        Spending.State.SETTLED,
        paid,
        tokens_in=tokens.input,
        tokens_out=tokens.output,
        tokens_cached=tokens.cached,
        tokens_reasoning=tokens.reasoning,
    )
    return paid


def _rates(spending: Spending) -> Rates:
    """The prices of a reservation; 0 where none was known."""
    return Rates(spending.input_price or 0, spending.cached_price or 0, spending.output_price or 0)


def release(spending: Spending) -> None:
    """The call was not made, or was refused before anything was generated: it costs nothing."""
    _close(spending, Spending.State.SETTLED, 0)


def lose(spending: Spending) -> int:
    """Nobody knows what became of the call: it stays spent at its worst."""
    _close(spending, Spending.State.LOST, spending.worst)
    return spending.worst


def is_awaited(budget: Budget) -> bool:
    """Whether a call of this budget is under way, which may cost less than its worst."""
    own = Q(budget=budget) | Q(month=budget)
    return Spending.objects.filter(own, state=Spending.State.RESERVED).exists()


def lose_older(than: datetime) -> int:
    """Give up the calls that were reserved before then and never settled; how many there were."""
    lost = Spending.objects.filter(state=Spending.State.RESERVED, created_at__lt=than)
    return lost.update(state=Spending.State.LOST, cost=F("worst"), settled_at=timezone.now())


def _close(spending: Spending, state: str, paid: int, **tokens: int) -> None:
    with transaction.atomic():
        still = Spending.objects.filter(pk=spending.pk, state=Spending.State.RESERVED)
        if not still.update(state=state, cost=paid, settled_at=timezone.now(), **tokens):
            return
        for budget in (spending.budget_id, spending.month_id):
            left = F("committed") - spending.worst + paid
            Budget.objects.filter(pk=budget).update(committed=left)
