"""Bodies for chats whose incoming webhooks accept only their own JSON; recognised by the host of the address."""

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

LONGEST_DISCORD = 2_000  # characters
CARD = "application/vnd.microsoft.card.adaptive"


def shaped(address: str, event: Mapping[str, Any]) -> Mapping[str, Any]:
    """The body to send: the event itself, or its `text` in the format of the chat at this address.

    >>> shaped("https://chat.googleapis.com/v1/spaces/A/messages", {"id": 7, "text": "Gate ship failed."})
    {'text': 'Gate ship failed.'}
    """
    host = f".{urlsplit(address).hostname}"
    shape = next((shape for domain, shape in _SHAPES.items() if host.endswith(domain)), None)
    return shape(event["text"]) if shape else event


def _discord(text: str) -> dict[str, Any]:
    return {"content": text[:LONGEST_DISCORD], "allowed_mentions": {"parse": []}}


def _teams(text: str) -> dict[str, Any]:
    """An adaptive card, the only body that Teams workflows post."""
    block = {"type": "TextBlock", "text": text, "wrap": True}
    card = {"type": "AdaptiveCard", "version": "1.4", "body": [block]}
    return {"type": "message", "attachments": [{"contentType": CARD, "content": card}]}


def _google_chat(text: str) -> dict[str, Any]:
    return {"text": text}


_SHAPES: dict[str, Callable[[str], dict[str, Any]]] = {
    ".discord.com": _discord,
    ".discordapp.com": _discord,
    ".webhook.office.com": _teams,
    ".logic.azure.com": _teams,
    ".api.powerplatform.com": _teams,
    ".chat.googleapis.com": _google_chat,
}
