"""Clients of model servers. All calls go through one guarded HTTP client (`outbound`).

The modules that call servers are imported on first use: the provider's library takes a second to load, and
most processes never need it.
"""

from importlib import import_module
from typing import Any

from evaluations.clients.addresses import Guard
from evaluations.clients.keys import check_key
from evaluations.clients.service_error import Interrupted, ServiceError
from evaluations.clients.urls import check_url

LAZY = dict.fromkeys(("EmbeddingResult", "OpenAIClient"), "embedding_client") | {
    "ChatClient": "chat_client",
    "Probe": "probing",
}

# The client class of each provider. A second provider needs a line here and a column in `Connection`.
PROVIDERS = {"openai": "OpenAIClient"}

__all__ = [
    "PROVIDERS",
    "Guard",
    "Interrupted",
    "ServiceError",
    "check_key",
    "check_url",
    "client_for",
    *LAZY,
]


def client_for(provider: str, base_url: str, api_key: str, guard: Guard) -> Any:
    """A client for a server of this provider; raises `ServiceError` for a key that no HTTP header can carry."""
    return __getattr__(PROVIDERS[provider])(base_url, api_key, guard)


def __getattr__(name: str) -> Any:
    if name not in LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{LAZY[name]}"), name)
