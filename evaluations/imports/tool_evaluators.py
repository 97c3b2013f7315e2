"""Evaluators for the graders of another tool: equal ones of the project, else new ones."""

from collections.abc import Iterator
from typing import Any

from django.contrib.auth.models import User
from django.db.models import F

from evaluations import jsonpath, other_tools
from evaluations.evaluators import evaluators
from evaluations.evaluators.outside import KIND
from evaluations.evaluators.recipe import Recipe
from evaluations.models import Evaluator, EvaluatorVersion, Project
from evaluations.models.fields import name_key
from evaluations.other_tools import Evaluation, Formula, OutsideScore
from evaluations.values import JSON

Parts = tuple[str, dict[str, JSON], dict[str, Any]]  # of an evaluator: kind, config and mapping
LONGEST = 180  # characters, which leaves room for a number


def for_graders(project: Project, user: User | None, evaluation: Evaluation) -> dict[str, Evaluator]:
    """By grader name, an evaluator: with a formula if there is one, else for its outside score."""
    return {
        name: _evaluator(project, user, evaluation.tool, name, *recipe)
        for name, recipe in _recipes(evaluation)
    }


def deciding(evaluation: Evaluation) -> str:
    """The name of the grader whose evaluator is the first, and so decides; empty without one."""
    return next((name for name, _ in _recipes(evaluation)), "")


def _recipes(evaluation: Evaluation) -> Iterator[tuple[str, Parts]]:
    outside = {score.grader: score for score in other_tools.outside_scores(evaluation)}
    for grader in evaluation.graders:
        if grader.formula:
            yield grader.name, _of_formula(grader.formula)
        elif grader.name in outside:
            yield grader.name, _of_score(outside[grader.name], f"{evaluation.tool}: {grader.type}"[:LONGEST])


def _of_formula(formula: Formula) -> Parts:
    expected = jsonpath.from_names(("reference", formula.column))
    return formula.kind, formula.config, {"actual": {"path": "$.actual"}, "expected": {"path": expected}}


def _of_score(score: OutsideScore, source: str) -> Parts:
    """Equal names of scores of different tools mean different formulas, so the source is part of the evaluator."""
    return (
        KIND,
        score.config | {"source": source},
        {"actual": {"path": jsonpath.from_names(("scores", score.grader))}},
    )


def _evaluator(
    project: Project,
    user: User | None,
    tool: str,
    name: str,
    kind: str,
    config: dict[str, JSON],
    mapping: dict[str, Any],
) -> Evaluator:
    recipe = Recipe.compile(kind, config, mapping)
    equal_evaluator = _like(project, recipe, mapping)
    return equal_evaluator or evaluators.create(
        project, user, free_name(project, name, tool), kind, config, mapping
    )


def _like(project: Project, recipe: Recipe, mapping: dict[str, Any]) -> Evaluator | None:
    """The oldest evaluator of the project whose newest version is equal."""
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
    """The name of the grader, with the tool or a number if an evaluator has that name."""
    evaluators = Evaluator.objects.live().filter(project=project)
    stem, number = grader[:LONGEST], 1
    name = stem
    while evaluators.filter(name_key=name_key(name)).exists():
        number += 1
        name = f"{stem} ({tool})" if number == 2 else f"{stem} ({tool} {number})"
    return name
