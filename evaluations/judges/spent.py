"""What an experiment has cost, by the budgets from which its launches and its evaluators pay."""

from dataclasses import dataclass

from django.db.models import Q, Sum

from evaluations.models import Budget, Experiment, Verdict


@dataclass(frozen=True)
class Spent:
    """In millionths of millionths: `whole` as the pages of its launches count it, `judges` the part for verdicts.

    Calls whose price is unknown are not in it.
    """

    whole: int
    judges: int


def of_experiment(experiment: Experiment) -> Spent:
    """Also of runs that were deleted since: their calls were paid for, too."""
    is_launch, is_judge = Q(launch__experiment=experiment), Q(judgings__run__experiment=experiment)
    budgets = Budget.objects.filter(is_launch | is_judge, month="").distinct()
    whole = Budget.objects.filter(pk__in=budgets.values("pk")).aggregate(paid=Sum("committed", default=0))
    if not whole["paid"]:
        return Spent(0, 0)
    verdicts = Verdict.objects.filter(judging__run__experiment=experiment, cached=False)
    return Spent(whole["paid"], verdicts.aggregate(paid=Sum("cost", default=0))["paid"])
