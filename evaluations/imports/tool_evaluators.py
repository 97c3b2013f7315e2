"""Evaluators that go on with the graders of another tool: the project's own where they are the same, else new ones."""

from typing import Any

from django.contrib.auth.models import User
from django.db.models import F

from evaluations import jsonpath
from evaluations.evaluators import evaluators
from evaluations.evaluators.recipe import Recipe
from evaluations.models import Evaluator, EvaluatorVersion, Project
from evaluations.models.fields import name_key
from evaluations.other_tools import Evaluation, Formula, Grader

LONGEST = 180  # characters, so that a number fits behind them


def for_graders(project: Project, user: User | None, evaluation: Evaluation) -> dict[str, Evaluator]:
    """By the name of the grader, for those with a formula."""
    return {
        grader.name: _evaluator(project, user, evaluation.tool, grader, grader.formula)
        for grader in evaluation.graders
        if grader.formula
    }


def _evaluator(project: Project, user: User | None, tool: str, grader: Grader, formula: Formula) -> Evaluator:
    mapping = _mapping(formula)
    recipe = Recipe.compile(formula.kind, formula.config, mapping)
    if known := _like(project, recipe, mapping):
        return known
    name = free_name(project, grader.name, tool)
    return evaluators.create(project, user, name, formula.kind, formula.config, mapping)


def _mapping(formula: Formula) -> dict[str, Any]:
    expected = jsonpath.from_names(("reference", formula.column))
    return {"actual": {"path": "$.actual"}, "expected": {"path": expected}}


def _like(project: Project, recipe: Recipe, mapping: dict[str, Any]) -> Evaluator | None:
    """The oldest evaluator of the project whose newest version is the same."""
    versions = EvaluatorVersion.objects.filter(
        evaluator__in=Evaluator.objects.live().filter(project=project),
        number=F("evaluator__version"),
        kind=recipe.kind.key,
    )
    for version in versions.select_related("evaluator").order_by("evaluator"):
        if (version.config, version.mapping) == (recipe.config, mapping):
            return version.evaluator
    return None


def free_name(project: Project, grader: str, tool: str) -> str:
    """The name of the grader, with the tool or a number where an evaluator has that name."""
    taken = Evaluator.objects.live().filter(project=project)
    stem, number = grader[:LONGEST], 1
    name = stem
    while taken.filter(name_key=name_key(name)).exists():
        number += 1
        name = f"{stem} ({tool})" if number == 2 else f"{stem} ({tool} {number})"
    return name
