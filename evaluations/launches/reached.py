"""The limit at which a launch stopped, and why it stopped there."""

from evaluations.models import Budget, Launch
from evaluations.prompts import ledger


def reached(launch: Launch) -> tuple[str, str]:
    """The limit in a sentence, and the reason in another; "" where there is none to give."""
    budget: Budget = launch.budget
    reason = "The next call might exceed it."
    if budget.allowances.exists():
        reason = "The next answer and its paid scores might exceed it."
    if budget.limit is not None and budget.committed > budget.limit:
        reason = "The server billed more tokens than the requests allow."
    if is_month_spent(launch):
        return "The monthly limit of the project is reached.", reason
    if budget.max_calls is not None and budget.calls >= budget.max_calls:
        return "The call limit is reached.", ""
    if budget.limit is None:
        return "The call limit is reached.", reason
    return "The budget is reached.", reason


def how_to_go_on(launch: Launch) -> str:
    raise_it = (
        "when an administrator has raised it, or next month"
        if is_month_spent(launch)
        else "with a higher limit"
    )
    return f"Continue {raise_it}; nothing is paid twice."


def is_month_spent(launch: Launch) -> bool:
    """Whether the monthly limit leaves less room than the launch's own budget does."""
    month, budget = ledger.month_of(launch.experiment.project), launch.budget
    if month.limit is None or (budget.max_calls is not None and budget.calls >= budget.max_calls):
        return False
    return budget.limit is None or month.limit - month.committed < budget.limit - budget.committed
