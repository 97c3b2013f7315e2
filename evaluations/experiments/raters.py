"""The verdict by the mean of several evaluators with one scale, such as the scores of two people."""

from collections.abc import Sequence

from django.contrib.auth.models import User
from django.db import transaction

from evaluations import kinds, owned
from evaluations.errors import Invalid
from evaluations.evaluators import evaluators, formulas
from evaluations.models import Evaluator, Experiment
from evaluations.statistics.wording import names, text

from . import experiments

MOST_RATERS = 20  # names that a formula may read


def decide_together(experiment: Experiment, user: User | None, raters: Sequence[Evaluator]) -> Evaluator:
    """Score an experiment by a formula for the mean of these evaluators, which becomes the primary one.

    Raises `Invalid` for fewer than two or more than 20 raters, and if one does not score the experiment.
    """
    if not 2 <= len({one.pk for one in raters}) == len(raters) <= MOST_RATERS:
        raise Invalid("invalid", f"A mean is of 2 to {MOST_RATERS} evaluators.")
    if strange := [one.name for one in raters if one.pk not in experiments.scored_by(experiment)]:
        raise Invalid("invalid", f"{strange[0]} has no scores in this experiment.")
    with transaction.atomic():
        mean = _formula(experiment, user, raters)
        experiments.add_evaluators(experiment, [mean])
        experiments.set_primary(experiment, mean)
    return mean


def _formula(experiment: Experiment, user: User | None, raters: Sequence[Evaluator]) -> Evaluator:
    newest = evaluators.newest(raters[0])
    read_as = [formulas.name_of(one) for one in raters]
    if not all(read_as) or len({*read_as}) < len(read_as):
        read_as = [f"score_{one.pk}" for one in raters]
    config = {
        "expression": f"({' + '.join(read_as)}) / {len(read_as)}",
        "direction": kinds.get(newest.kind).better(kinds.get(newest.kind).parse(newest.config)),
        "evaluators": {name: one.pk for name, one in zip(read_as, raters, strict=True)},
    }
    live = Evaluator.objects.live().filter(project=experiment.project)
    name = owned.free_name(live, f"Mean of {text(names([one.name for one in raters]))}", owned.numbered())
    return evaluators.create(experiment.project, user, name, "formula", config, {})
