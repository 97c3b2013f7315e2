"""Money that somebody names for calls of evaluators: nothing paid starts without it."""

from dataclasses import dataclass

from evaluations.errors import Invalid
from evaluations.models import Budget, Project
from evaluations.values import LARGEST_ID, LARGEST_POSITION

MOST_COST, MOST_CALLS = LARGEST_ID, LARGEST_POSITION  # what their columns hold


@dataclass(frozen=True)
class Money:
    """What may be spent: `budget` in millionths of millionths of the currency, or a number of calls."""

    budget: int | None = None
    max_calls: int | None = None

    @classmethod
    def of(cls, budget: Budget) -> "Money":
        """What somebody named when a budget was made, or raised; nothing for a launch without limits."""
        return cls(budget.limit, budget.max_calls)

    def times(self, runs: int) -> "Money":
        """What so many runs may spend together, where each may spend this; at most what the database can store."""
        budget = None if self.budget is None else min(self.budget * runs, MOST_COST)
        return Money(budget, None if self.max_calls is None else min(self.max_calls * runs, MOST_CALLS))

    def require(self) -> None:
        """Raise `Invalid` if nothing was named."""
        if self == Money():
            message = "This evaluator is paid for each call: name a budget, or a number of calls."
            raise Invalid("budget_required", message, fields={"budget": [message]})


def budget_of(project: Project, money: Money) -> Budget:
    """A new budget of what was named."""
    return Budget.objects.create(project=project, limit=money.budget, max_calls=money.max_calls)


def budget_if_named(project: Project, money: Money) -> Budget | None:
    """A new budget; None if nothing was named."""
    return None if money == Money() else budget_of(project, money)
