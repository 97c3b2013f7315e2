"""Which evaluator decides an experiment: the first that gives it numbers, until one is chosen."""

from collections.abc import Iterable, Sequence

from evaluations.evaluators.recipe import Recipe
from evaluations.kinds.people import PeopleConfig
from evaluations.models import EvaluatorVersion, Experiment, Run


def settle(experiment_id: int, versions: Iterable[EvaluatorVersion]) -> int | None:
    """Make the first of these that can decide the primary evaluator, if there is none yet; its id if it is one now."""
    chosen = next((version.evaluator_id for version in versions if can_decide(version)), None)
    undecided = Experiment.objects.filter(pk=experiment_id, primary=None)
    return chosen if chosen and undecided.update(primary=chosen) else None


def can_decide(version: EvaluatorVersion) -> bool:
    """Whether variants can be compared by it: it has numbers, and they are no labels for reading."""
    recipe = Recipe.from_version(version)
    is_for_reading = isinstance(recipe.parsed, PeopleConfig) and recipe.parsed.purpose == "reading"
    return recipe.has_means and not is_for_reading


def lock(runs: Sequence[Run]) -> None:
    """Lock the experiments that a first column would decide, before the runs, as everybody does."""
    undecided = Experiment.objects.filter(pk__in={run.experiment_id for run in runs}, primary=None)
    list(undecided.select_for_update(no_key=True).order_by("pk"))
