"""What an experiment has cost, by the budgets from which its launches and its evaluators pay."""

from dataclasses import dataclass

from django.db.models import Q, Sum

from evaluations.models import Budget, Experiment, Spending, Verdict
from evaluations.prompts import ledger


@dataclass(frozen=True)
class Spent:
    """In millionths of millionths: `paid`, `judges`, the part of it for verdicts, and `maximum`, with calls under way.

    Calls whose price is unknown are not in it.
    """

    paid: int
    judges: int
    maximum: int


def of_experiment(experiment: Experiment) -> Spent:
    """Also of runs that were deleted since: their calls were paid for, too."""
    is_launch, is_judge = Q(launch__experiment=experiment), Q(judgings__run__experiment=experiment)
    budgets = Budget.objects.filter(is_launch | is_judge, month="").distinct()
    keys = [*budgets.values_list("pk", flat=True)]
    maximum = Budget.objects.filter(pk__in=keys).aggregate(all=Sum("committed", default=0))["all"]
    if not maximum:
        return Spent(0, 0, 0)
    calls = Spending.objects.filter(ledger.may_settle(), budget__in=keys, state=Spending.State.RESERVED)
    under_way = calls.aggregate(all=Sum("worst", default=0))["all"]
    verdicts = Verdict.objects.filter(judging__run__experiment=experiment, cached=False)
    return Spent(maximum - under_way, verdicts.aggregate(all=Sum("cost", default=0))["all"], maximum)
