"""Chooses the primary evaluator of a comparison."""

from collections.abc import Sequence

from evaluations.models import Evaluator, Experiment

from ..alignment.sides import Side


def choose(
    experiment: Experiment, evaluators: Sequence[Evaluator], sides: Sequence[Side]
) -> Evaluator | None:
    """The experiment's primary evaluator if it scored all runs, else the first that did, else the first of all."""
    usable = [evaluator for evaluator in evaluators if evaluator.deleted_at is None] or list(evaluators)
    complete = [
        evaluator for evaluator in usable if not any(None in side.versions(evaluator.pk) for side in sides)
    ]
    ordered = complete or usable
    stored = [evaluator for evaluator in ordered if evaluator.pk == experiment.primary_id]
    return next(iter([*stored, *ordered]), None)


def is_replaced(experiment: Experiment, chosen: Evaluator | None) -> bool:
    """Whether the chosen evaluator differs from the experiment's primary evaluator."""
    return experiment.primary_id is not None and chosen is not None and chosen.pk != experiment.primary_id
