"""Vectors for texts: paid once, kept, and fetched through a project's connection."""

import hashlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from . import connections
from .errors import Invalid
from .evaluation import Recipe
from .models import Connection, Embedding, EvaluatorVersion, Project

Vector = NDArray[np.float32]
KEYS_AT_ONCE = 500


def connection_of(version: EvaluatorVersion) -> int | None:
    """The connection a version needs: its own, or its project's default; None for kinds that need none."""
    if not Recipe.of(version).kind.needs_connection:
        return None
    return version.config.get("connection") or version.evaluator.project.default_connection_id


def check_connection(project: Project, recipe: Recipe) -> None:
    """Refuse an evaluator whose connection is not the project's."""
    chosen = recipe.config.get("connection") if recipe.kind.needs_connection else None
    if chosen and not Connection.objects.live().filter(project=project, pk=chosen).exists():
        message = "The project has no such connection."
        raise Invalid("unknown_connection", message, fields={"config/connection": [message]})


def embedder(project: Project, recipe: Recipe, keep_alive: Callable[[], Any] | None = None) -> "Embedder | None":
    """What a kind that needs vectors calls; None for the others."""
    if not recipe.kind.needs_connection:
        return None
    pk = recipe.config.get("connection") or project.default_connection_id
    connection = Connection.objects.live().filter(project=project, pk=pk).first()
    return Embedder(connection, recipe.config["model"], recipe.config["dimensions"], keep_alive)
