"""Input mapping: the value of each parameter of an evaluator, for every row of a batch.

A parameter is a literal, or the one match of a JSONPath in the row's context. Paths are compiled once per job
and resolved by column; see `Contexts` for what a context holds.
"""

from evaluations.mapping.contexts import KEYS, Contexts
from evaluations.mapping.known_paths import KnownPath, paths_in
from evaluations.mapping.sources import Mapping, MappingError, compile

__all__ = ["KEYS", "Contexts", "KnownPath", "Mapping", "MappingError", "compile", "paths_in"]
