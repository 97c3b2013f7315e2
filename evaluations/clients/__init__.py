"""Clients of model servers. All calls go through one guarded HTTP client (`outbound`).

The modules that call servers are imported on first use: the official `openai` package behind them takes a second to
load, and most processes never need it.
"""

from importlib import import_module
from typing import Any

from evaluations.clients import extras
from evaluations.clients.addresses import Guard
from evaluations.clients.keys import check_key
from evaluations.clients.service_error import Interrupted, ServiceError
from evaluations.clients.urls import check_url

LAZY = dict.fromkeys(("EmbeddingResult", "OpenAIClient"), "embedding_client") | {
    "ChatClient": "chat_client",
    "Probe": "probing",
}

__all__ = [
    "Guard",
    "Interrupted",
    "ServiceError",
    "check_key",
    "check_url",
    "extras",
    *LAZY,
]


def __getattr__(name: str) -> Any:
    if name not in LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{LAZY[name]}"), name)
