"""Finds examples by key or position."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evaluations.errors import Invalid
from evaluations.models import Dataset

from . import datasets


def positions(dataset: Dataset, keys: Sequence[str], numbers: Sequence[int]) -> NDArray[np.int64]:
    """The positions of examples in the newest version, ascending; raises `Invalid` naming the first that is missing."""
    newest = datasets.examples(dataset).order_by()
    by_key = datasets.positions_by(newest, "key", keys)
    at = datasets.positions_by(newest, "position", numbers)
    for field, names, positions_by_name in (("keys", keys, by_key), ("positions", numbers, at)):
        unknown_name = next((name for name in names if name not in positions_by_name), None)
        if unknown_name is not None:
            message = f"The newest version has no example with the {field[:-1]} “{str(unknown_name)[:200]}”."
            raise Invalid("unknown_example", message, fields={field: [message]})
    return np.unique(np.array([*by_key.values(), *at.values()], np.int64))
