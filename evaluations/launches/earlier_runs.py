"""How far scores of two variants differed in earlier runs of a dataset, to plan the next launch with."""

from itertools import groupby

import numpy as np
from django.db.models import Q
from numpy.typing import NDArray

from evaluations.datasets import live_positions
from evaluations.evaluators.recipe import Recipe
from evaluations.models import Dataset, Scoring
from evaluations.scoring import column_cache

LOOKED_AT = 40  # scorings, newest first


def differences(dataset: Dataset, recipe: Recipe) -> NDArray[np.float64]:
    """The differences between the two newest variants of one experiment, by an evaluator of the same settings.

    Empty if no experiment on the dataset has two such runs.
    """
    live = {"run__deleted_at": None, "run__experiment__deleted_at": None}
    scorings = Scoring.objects.filter(
        Q(run__asked_rows=None) | Q(run__asked_version__isnull=False),  # no samples
        run__experiment__dataset=dataset,
        summary__isnull=False,
        evaluator_version__kind=recipe.kind.key,
        **live,
    ).select_related("run__experiment", "evaluator_version")
    newest = scorings.order_by("-run__experiment", "-run")[:LOOKED_AT]
    alike = [scoring for scoring in newest if Recipe.from_version(scoring.evaluator_version) == recipe]
    for experiment, group in groupby(alike, lambda scoring: scoring.run.experiment):
        by_variant: dict[str, Scoring] = {}
        for scoring in group:
            by_variant.setdefault(scoring.run.variant, scoring)
        if len(by_variant) > 1:
            first, second = list(by_variant.values())[:2]
            positions = live_positions.of_version(dataset, experiment.dataset_version)
            columns = column_cache.load([first, second], positions)
            compared = columns[first.pk].values - columns[second.pk].values
            return np.asarray(compared[np.isfinite(compared)])
    return np.empty(0)
