"""Clients of other people's servers, behind one guarded way out.

What calls a server is imported when it is first asked for: the provider's library takes a second to load, and
most processes never call one.
"""

from importlib import import_module
from typing import Any

from evaluations.clients.addresses import Guard, check_url
from evaluations.clients.errors import Interrupted, ServiceError

CALLERS = {
    "EmbeddingResult": "embeddings",
    "OpenAIClient": "embeddings",
    "Probe": "embeddings",
    "check_key": "server",
}

__all__ = ["Guard", "Interrupted", "ServiceError", "check_url", *CALLERS]


def __getattr__(name: str) -> Any:
    if name not in CALLERS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{CALLERS[name]}"), name)
