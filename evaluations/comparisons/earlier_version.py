"""What an experiment showed before it moved to another version of its dataset, kept beside what it shows then."""

from typing import Any

from evaluations.experiments import experiments
from evaluations.models import Experiment, Run

from . import overviews


def figures(experiment: Experiment) -> dict[str, Any]:
    """The version, the primary evaluator, whether its means are shares, and the mean of each variant, best first."""
    [overview] = overviews.load([experiment])
    comparison = overview.comparison
    if comparison is None or comparison.evaluators.primary is None:
        return {}
    primary = comparison.evaluators.primary
    means = zip(comparison.sides, comparison.figures.means(primary), strict=True)
    known = [(comparison.sides.label(side.run), mean) for side, mean in means if mean is not None]
    sign = -comparison.evaluators.sign(primary.pk)
    return {
        "version": experiment.dataset_version,
        "evaluator": primary.name,
        "is_share": comparison.evaluators.is_share(primary.pk),
        "means": sorted(([name, mean] for name, mean in known), key=lambda one: sign * one[1]),
    }


def move(experiment: Experiment, number: int | None = None) -> list[Run]:
    """Move the experiment to a version of its dataset, and keep what it showed on the one before."""
    return experiments.use_dataset_version(experiment, number, figures(experiment))
