"""What calls need of a budget: their worst case, their number, and what is set aside with them for judges."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import F, Q, Value
from django.db.models.functions import Least

LARGEST = 2**61  # so that a sum of a few amounts has 63 bits


@dataclass(frozen=True)
class Aside:
    """Money and calls that are kept for those who read an answer once it is bought."""

    amount: int = 0
    calls: int = 0

    def __add__(self, other: "Aside") -> "Aside":
        return Aside(self.amount + other.amount, self.calls + other.calls)


NOTHING = Aside()


@dataclass(frozen=True)
class Need:
    """What `calls` calls need. `worst` is the sum of the known worst cases; one of them has none unless it `is_known`.

    What was set aside is there for calls that `use_aside`, and for no others.
    """

    worst: int
    calls: int = 1
    aside: Aside = NOTHING
    is_known: bool = True
    use_aside: bool = False

    @property
    def room(self) -> Q:
        """The budgets with room for it."""
        amount, calls = self.worst + self.aside.amount, self.calls + self.aside.calls
        if amount > LARGEST:
            return Q(pk__in=[])
        spent, made = (F("committed"), F("calls")) if self.use_aside else (_ALL_MONEY, _ALL_CALLS)
        fits = Q(limit=None, committed__lte=LARGEST - amount)
        if self.is_known:
            fits |= Q(limit__gte=spent + amount)
        else:
            fits |= Q(lets_unpriced=True, limit__gte=F("committed"))
        return fits & (Q(max_calls=None) | Q(max_calls__gte=made + calls))

    @property
    def taken(self) -> dict[str, Any]:
        """The new values of a budget that gives it."""
        changes: dict[str, Any] = {"committed": F("committed") + self.worst, "calls": F("calls") + self.calls}
        if self.aside != NOTHING:
            changes["held"] = Least(F("held") + self.aside.amount, Value(LARGEST))
            changes["held_calls"] = F("held_calls") + self.aside.calls
        return changes

    @property
    def alone(self) -> "Need":
        """The need of the calls without what is set aside with them: what a month is asked for."""
        return Need(self.worst, self.calls, NOTHING, self.is_known)


_ALL_MONEY = F("committed") + F("held")
_ALL_CALLS = F("calls") + F("held_calls")


def total(asides: Iterable[Aside]) -> Aside:
    """
    >>> total([Aside(2, 1), Aside(3, 2)])
    Aside(amount=5, calls=3)
    """
    return sum(asides, NOTHING)
