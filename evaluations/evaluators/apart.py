"""Scores and explains long texts, and kinds whose short texts are as slow, in a child process: a single pair can hold
an interpreter for seconds."""

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from evaluations import in_children, kinds
from evaluations.in_children import SECONDS
from evaluations.kinds.kind import Embed
from evaluations.kinds.scores import Scores
from evaluations.mapping import Contexts, Mapping
from evaluations.values import JSON

from .recipe import Recipe

LONG = 20_000  # characters of a row from which it is scored apart; below, a pair takes some milliseconds
P = ParamSpec("P")
T = TypeVar("T")
Config = dict[str, JSON]


def scores(
    recipe: Recipe, contexts: Contexts, *, embed: Embed | None = None, seconds: float = SECONDS
) -> Scores:
    """`Recipe.scores`; raises `TooLarge` if that takes too long, and `TooManyRequests` if others take all children."""
    if embed or not _is_apart(recipe, contexts):
        return recipe.scores(contexts, embed=embed)
    return _apart(
        seconds, _scores, recipe.kind.key, recipe.kind.version, recipe.config, recipe.mapping, contexts
    )


def explain(
    recipe: Recipe, contexts: Contexts, row: int, *, embed: Embed | None = None, seconds: float = SECONDS
) -> dict[str, Any]:
    """`Recipe.explain`; raises like `scores`."""
    if embed or not _is_apart(recipe, contexts):
        return recipe.explain(contexts, row, embed=embed)
    return _apart(
        seconds, _explain, recipe.kind.key, recipe.kind.version, recipe.config, recipe.mapping, contexts, row
    )


def _is_apart(recipe: Recipe, contexts: Contexts) -> bool:
    return recipe.kind.is_heavy or recipe.is_built_in or contexts.longest >= LONG


def _apart(seconds: float, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    hint = "Send fewer or shorter items, or upload them as a dataset and score a run."
    return in_children.call("Scoring these texts", hint, seconds, function, *args, **kwargs)


def _scores(kind: str, version: int, config: Config, mapping: Mapping, contexts: Contexts) -> Scores:
    return Recipe(kinds.get(kind, version), config, mapping).scores(contexts)


def _explain(
    kind: str, version: int, config: Config, mapping: Mapping, contexts: Contexts, row: int
) -> dict[str, Any]:
    return Recipe(kinds.get(kind, version), config, mapping).explain(contexts, row)
