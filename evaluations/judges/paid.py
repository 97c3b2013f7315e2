"""Evaluators that call a server, so that somebody must name money for them: judges, and those by embeddings."""

from collections.abc import Iterable

from evaluations.evaluators.recipe import Recipe
from evaluations.experiments import experiments
from evaluations.models import Allowance, EvaluatorVersion, Experiment


def among(versions: Iterable[EvaluatorVersion]) -> list[EvaluatorVersion]:
    return [version for version in versions if Recipe.from_version(version).is_paid]


def of(experiment: Experiment) -> list[EvaluatorVersion]:
    """Those among the evaluators that score the runs of an experiment."""
    return among(experiments.versions_of(experiment))


def is_judge(version: EvaluatorVersion) -> bool:
    return Recipe.from_version(version).is_judge


def apart(versions: Iterable[EvaluatorVersion]) -> tuple[list[EvaluatorVersion], list[EvaluatorVersion]]:
    """The judges, and those that compare embeddings."""
    listed = list(versions)
    judges = [version for version in listed if is_judge(version)]
    return judges, [version for version in listed if version not in judges]


def version_of(allowance: Allowance) -> EvaluatorVersion | None:
    """The version by which the evaluator scores the run; None if its experiment does not use it any more."""
    used = {version.evaluator_id: version for version in of(allowance.run.experiment)}
    return used.get(allowance.evaluator_id)
