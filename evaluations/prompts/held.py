"""What budgets hold for the judges of answers: no answer is bought whose judges could not be paid.

The worst case of the judges is set aside in the reservation of the call for an answer. It is freed when that call gives
no answer, and counted anew when judges have read: they cost much less than their worst case.
"""

from collections.abc import Callable, Sequence

from django.db import transaction
from django.db.models import F, Sum, Value
from django.db.models.functions import Greatest

from evaluations.models import Budget, Spending

from . import ledger
from .needs import LARGEST, NOTHING, Aside, total


def release(ended: Sequence[Spending]) -> None:
    """Free what was set aside with calls of one budget that gave no answer to read."""
    aside = total(Aside(spending.aside, spending.aside_calls) for spending in ended)
    if aside == NOTHING:
        return
    held, calls = F("held") - aside.amount, F("held_calls") - aside.calls
    freed = {"held": Greatest(held, Value(0)), "held_calls": Greatest(calls, Value(0))}
    Budget.objects.filter(spendings=ended[0].pk).update(**freed)


def count(budget: Budget, unread: Callable[[], Aside]) -> bool:
    """Hold what the answers need that judges have not read, beside what goes with calls in progress; whether it fell.

    Both are counted while the budget is locked, because calls begin and end meanwhile.
    """
    with transaction.atomic():
        before = Budget.objects.select_for_update().get(pk=budget.pk)
        awaited = Spending.objects.filter(ledger.may_settle(), budget=budget, state=Spending.State.RESERVED)
        going = awaited.aggregate(amount=Sum("aside"), calls=Sum("aside_calls"))
        now = unread() + Aside(going["amount"] or 0, going["calls"] or 0)
        held, calls = min(now.amount, LARGEST), now.calls
        Budget.objects.filter(pk=budget.pk).update(held=held, held_calls=calls)
        return held < before.held or calls < before.held_calls
