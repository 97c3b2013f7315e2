"""Finds the examples of a dataset without keys by a column of its metadata that has one value for each."""

from collections.abc import Iterator

import orjson

from evaluations.models import Experiment
from evaluations.values import key_text


def has_keys(experiment: Experiment) -> bool:
    """Whether any example has a key."""
    return experiment.examples.filter(key__isnull=False).exists()


def positions(experiment: Experiment, column: str) -> dict[str, int]:
    """The positions of the examples by their values in this column; empty unless each has one of its own."""
    if not _is_known(experiment, column) or has_keys(experiment):
        return {}
    found: dict[str, int] = {}
    for position, text in _values(experiment, column):
        if text is None or found.setdefault(text, position) != position:
            return {}
    return found


def about(experiment: Experiment, column: str) -> str:
    """The end of a sentence that says why nothing was found by this column; "" if the metadata has none of its name."""
    if not _is_known(experiment, column):
        return ""
    if positions(experiment, column):
        return f", and their metadata “{column}” has other values"
    return f", and their metadata “{column}” has no value of its own for each"


def _is_known(experiment: Experiment, column: str) -> bool:
    return column in experiment.dataset.columns.get("metadata", ())


def _values(experiment: Experiment, column: str) -> Iterator[tuple[int, str | None]]:
    for position, metadata in experiment.examples.values_list("position", "metadata").iterator():
        yield position, key_text(orjson.loads(metadata).get(column))
